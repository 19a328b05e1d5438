"""Libraries for object stores: processor time to read an object in ranges, one row per library.

    python benchmarks/object_stores.py [MEGABYTES]

A server in another process answers range requests of S3 from memory. Each library reads the object in
ranges of 8 MB in four threads, in a process of its own. Libraries that are not installed are left out.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

RANGE = 8 << 20
OBSTORE = """
import obstore, obstore.store
store = obstore.store.S3Store("bucket", endpoint=URL, client_options={"allow_http": True})
def read(start, stop): return len(obstore.get(store, "run", options={"range": (start, stop), "if_match": '"1"'}).bytes())
"""
PYARROW = """
from pyarrow import fs
files = fs.S3FileSystem(endpoint_override=URL.removeprefix("http://"), scheme="http")
def read(start, stop):
    with files.open_input_file("bucket/run") as file: return len(file.read_at(stop - start, start))
"""
S3FS = """
import s3fs
files = s3fs.S3FileSystem(endpoint_url=URL)
def read(start, stop): return len(files.cat_file("bucket/run", start=start, end=stop))
"""
CLIENT = """
import json, sys, time
from concurrent.futures import ThreadPoolExecutor
URL, SIZE, RANGE = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
begun = time.process_time()
{library}
loaded = time.process_time() - begun
places = range(0, SIZE, RANGE)
begun, wall = time.process_time(), time.perf_counter()
with ThreadPoolExecutor(4) as pool:
    assert sum(pool.map(lambda a: read(a, min(SIZE, a + RANGE)), places)) == SIZE
print(json.dumps([loaded, time.process_time() - begun, time.perf_counter() - wall]))
"""
SERVER = """
import sys; sys.path.insert(0, {folder!r})
from object_stores import serve
serve({size})
"""


def serve(size: int) -> None:
    """Answer GET and HEAD of S3 from memory; print the port."""
    data = memoryview(os.urandom(RANGE) * (size // RANGE + 1))[:size]

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(200, size)

        def do_GET(self) -> None:
            found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
            start, stop = (int(found[1]), int(found[2]) + 1) if found else (0, size)
            self._answer(206 if found else 200, stop - start, f"bytes {start}-{stop - 1}/{size}")
            self.wfile.write(data[start:stop])

        def _answer(self, status: int, length: int, place: str = "") -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(length))
            self.send_header("ETag", '"1"')
            self.send_header("Last-Modified", "Sun, 01 Nov 2026 00:00:00 GMT")
            if place:
                self.send_header("Content-Range", place)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    print(server.server_port, flush=True)
    server.serve_forever()


def main() -> None:
    """Print one row per library."""
    size = int(sys.argv[1] if len(sys.argv) > 1 else 256) << 20
    folder = str(Path(__file__).resolve().parent)
    keys = {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
    }
    code = SERVER.format(folder=folder, size=size)
    server = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{int(server.stdout.readline())}"
        print(
            f"{'library':10} {'load, s CPU':>12} {'read, s CPU':>12} {'read, s':>9} {'MB/s CPU':>9}"
        )
        for name, library in (("obstore", OBSTORE), ("pyarrow", PYARROW), ("s3fs", S3FS)):
            done = subprocess.run(
                [sys.executable, "-c", CLIENT.format(library=library), url, str(size), str(RANGE)],
                capture_output=True,
                text=True,
                env={**os.environ, **keys},
                check=False,
            )
            if done.returncode:
                print(f"{name:10} {done.stderr.strip().splitlines()[-1]}")
                continue
            load, cpu, wall = json.loads(done.stdout)
            print(f"{name:10} {load:12.2f} {cpu:12.2f} {wall:9.2f} {size / 1e6 / cpu:9.0f}")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
