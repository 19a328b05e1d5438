"""Gzip files of several members, in blocks of all sizes: the same bytes as from Python's gzip, in every case."""

import gzip
import io
import os
import random
import shutil
import struct
import subprocess
import sys
import threading
import zlib

import pytest
import zstandard

from tare._files.opening import blocks, read_all
from tare._kernels.threads_and_blocks import Seams, cut
from tare.errors import UnreadableError

LINES = b"".join(b"q%d Q0 d%d %d %d t\n" % (i // 50, i * 7919 % 1009, i, -i) for i in range(3_000))
TINY = Seams(gzip_block=300, unpacked_block=500)


@pytest.fixture(params=["isal", "gzip"], autouse=True)
def decompressor(request, monkeypatch):
    """ISA-L, if it is installed here, and Python's gzip, which is used elsewhere."""
    if request.param == "gzip":
        monkeypatch.setitem(sys.modules, "isal", None)


@pytest.fixture(autouse=True)
def leave_no_thread():
    before = threading.active_count()
    yield
    assert threading.active_count() == before


def drawn(seed):
    """Sizes of a few bytes."""
    choose = random.Random(seed)
    return Seams(
        gzip_block=choose.choice([1, 2, 7, 64, 1000]),
        unpacked_block=choose.choice([1, 10, 300]),
    )


def members(seed, data=LINES[:6_000]):
    """A gzip file of members of all sizes, with headers of all kinds and zeros in between."""
    choose = random.Random(seed)
    out = io.BytesIO()
    while data:
        size = choose.choice([0, 1, 40, 500, 3_000])
        part, data = data[:size], data[size:]
        # Stored data that contain a gzip file look like a member that begins in the middle of another.
        if choose.random() < 0.4:
            part = gzip.compress(part, choose.choice([0, 6]))
            level = 0
        else:
            level = choose.choice([0, 1, 6, 9])
        name = choose.choice(["", "run.txt"])
        with gzip.GzipFile(name, "wb", level, out, mtime=choose.choice([0, 2_000_000_000])) as file:
            file.write(part)
        if choose.random() < 0.3:
            out.write(b"\0" * choose.choice([1, 5, 400]))
    return out.getvalue()


def outcome(read):
    """The bytes, or that there was an error."""
    try:
        return read()
    except (EOFError, OSError, zlib.error):
        return "damaged"


@pytest.mark.parametrize("seed", range(40))
def test_members_of_all_kinds_in_blocks_of_a_few_bytes(seed, tmp_path):
    path = tmp_path / "file.gz"
    path.write_bytes(members(seed))
    with cut(drawn(seed)):
        assert read_all(path) == gzip.decompress(path.read_bytes())


@pytest.mark.parametrize("seed", range(60))
def test_damage_is_found_where_gzip_finds_it(seed, tmp_path):
    choose = random.Random(seed)
    path = tmp_path / "file.gz"
    data = bytearray(members(seed, LINES[:2_000]))
    match choose.randint(0, 2):
        case 0:
            del data[choose.randrange(2, len(data)) :]
        case 1:
            data += choose.choice([b"x", b"\0\0x", b"\x1f", b"\x1f\x8b", b"\x1f\x8b\x08\0\0"])
        case _:
            data[choose.randrange(10, len(data))] ^= 1 << choose.randrange(8)
    path.write_bytes(bytes(data))
    expected = outcome(lambda: gzip.decompress(bytes(data)))
    with cut(drawn(seed)):
        assert outcome(lambda: read_all(path)) == expected


def test_the_usual_sizes(tmp_path):
    parts = [os.urandom(300_000) + LINES for _ in range(5)]
    path = tmp_path / "file.gz"
    path.write_bytes(b"".join(map(gzip.compress, parts)))
    assert read_all(path) == b"".join(parts)


def test_a_reader_that_stops_early_leaves_no_thread(tmp_path, request):
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(LINES) * 200)
    before = threading.active_count()
    with cut(TINY):
        found = blocks(path)
        next(found)
        ahead = threading.active_count() - before
        assert ahead == (1 if "[isal]" in request.node.name else 0)
        found.close()
    assert threading.active_count() == before


def test_a_reader_that_changes_its_thread_gets_all_or_an_error(tmp_path, request):
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(LINES) * 200)
    with cut(TINY):
        found = blocks(path)
        taken = []
        first = threading.Thread(target=lambda: taken.append(next(found).tobytes()))
        first.start()
        first.join()
        if "[isal]" in request.node.name:
            with pytest.raises(UnreadableError, match="the thread that read it has ended"):
                taken += [part.tobytes() for part in found]
        else:
            taken += [part.tobytes() for part in found]
            assert b"".join(taken) == LINES * 200


def test_a_reader_that_stops_does_not_wait_for_the_rest_of_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    stopped = threading.Event()

    def write():
        with (tmp_path / "pipe").open("wb") as file:
            file.write(gzip.compress(LINES) * 2)
            file.flush()
            stopped.wait(30)

    writer = threading.Thread(target=write)
    writer.start()
    with cut(TINY):
        found = blocks(tmp_path / "pipe")
        next(found)
        found.close()
    assert writer.is_alive()
    stopped.set()
    writer.join()


def test_a_file_that_expands_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("tare._files.opening.MIN_SUSPICIOUS", 100_000)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(LINES[:100]) + gzip.compress(b"\0" * 3_000_000))
    with cut(TINY), pytest.raises(UnreadableError, match=r"bomb\.gz: .* expand to more"):
        read_all(path)


def test_a_bomb_is_refused_long_before_its_end(tmp_path):
    """The reader takes few bytes at once, so that a long bomb is known by its beginning."""
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(1 << 20)) * 400)
    taken = []
    with pytest.raises(UnreadableError, match="expand to more"):
        taken.extend(len(part) for part in blocks(path))
    assert sum(taken) < 100 << 20


@pytest.mark.parametrize("decompressor", ["isal"], indirect=True)
def test_blocks_behind_an_end_that_was_reported_too_early_are_read(tmp_path, monkeypatch):
    """A reader of isal that waits in vain sees that its thread has ended, and not its last blocks."""
    igzip_threaded = pytest.importorskip("isal.igzip_threaded")

    class Hasty(io.BufferedReader):
        ends = 0

        def readinto(self, buffer):
            if self.tell() == len(LINES) and not self.ends:
                self.ends = 1
                return 0
            return super().readinto(buffer)

    def opened(file, threads, original=igzip_threaded.open):
        return Hasty(original(file, threads=threads).detach())

    monkeypatch.setattr(igzip_threaded, "open", opened)
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(LINES) * 2)
    with cut(Seams(unpacked_block=len(LINES))):
        assert read_all(path) == LINES * 2


def with_name(length):
    packed = gzip.compress(LINES)
    return packed[:3] + b"\x08" + packed[4:10] + b"n" * length + b"\0" + packed[10:]


def test_the_header_of_a_member_may_hold_a_long_name(tmp_path):
    path = tmp_path / "file.gz"
    path.write_bytes(with_name(1_000))
    assert read_all(path) == LINES


@pytest.mark.parametrize("decompressor", ["isal"], indirect=True)
def test_a_name_of_megabytes_is_refused(tmp_path):
    pytest.importorskip("isal")
    path = tmp_path / "file.gz"
    path.write_bytes(with_name(10 << 20))
    with pytest.raises(UnreadableError, match=r"file\.gz: the gzip data .* are damaged"):
        read_all(path)


@pytest.mark.parametrize("sizes", [(1, 1), (5, 40), (64, 1000)])
def test_zstd_in_tiny_pieces(sizes, tmp_path):
    text = b"".join(b"q1 0 d%d 1\n" % i for i in range(900))
    packer = zstandard.ZstdCompressor()
    path = tmp_path / "file.zst"
    path.write_bytes(
        packer.compress(text[:700]) + packer.compress(b"") + packer.compress(text[700:])
    )
    with cut(Seams(packed_block=sizes[0], unpacked_block=sizes[1])):
        assert read_all(path) == text


def skipped(data, kind=0):
    """A skippable frame of zstd."""
    return bytes([0x50 + kind]) + b"\x2a\x4d\x18" + struct.pack("<I", len(data)) + data


def framed(text, first):
    """What pzstd writes: before each frame, a skippable one with its size."""
    frames = [zstandard.ZstdCompressor().compress(part) for part in (text[:first], text[first:])]
    return b"".join(skipped(struct.pack("<I", len(frame))) + frame for frame in frames)


@pytest.mark.parametrize("sizes", [(1, 1), (5, 40), (64, 1000), (4096, 1 << 20)])
@pytest.mark.parametrize(
    "pack",
    [
        lambda text: framed(text, 700),
        lambda text: skipped(b"x" * 5000, 15) + zstandard.ZstdCompressor().compress(text),
        lambda text: skipped(b"") + skipped(b"a") + zstandard.ZstdCompressor().compress(text),
        lambda text: zstandard.ZstdCompressor().compress(text) + skipped(b"the end"),
    ],
)
def test_skippable_frames_of_zstd_are_skipped(pack, sizes, tmp_path):
    text = b"".join(b"q1 0 d%d 1\n" % i for i in range(900))
    path = tmp_path / "file.zst"
    path.write_bytes(pack(text))
    with cut(Seams(packed_block=sizes[0], unpacked_block=sizes[1])):
        assert read_all(path) == text
    path.write_bytes(skipped(b"cut off")[:-2])
    with pytest.raises(UnreadableError, match=r"file\.zst: the zstd data end too early"):
        read_all(path)


@pytest.mark.skipif(shutil.which("pzstd") is None, reason="pzstd is not installed")
def test_a_file_of_pzstd(tmp_path):
    (tmp_path / "run").write_bytes(LINES)
    subprocess.run(["pzstd", "-q", "-p", "2", "run"], cwd=tmp_path, check=True)
    assert (tmp_path / "run.zst").read_bytes()[1:4] == b"\x2a\x4d\x18"
    assert read_all(tmp_path / "run.zst") == LINES
