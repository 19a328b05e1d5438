"""Reading LETOR text: tare beside scikit-learn, and XGBoost where it is installed.

One file of about 200 MB, made here and removed after. Each reader runs in a process of its own, the
readers in turn; the medians count. `process` is the whole life of the process, `read`
the call alone, `cpu` the processor seconds of the call, of all threads and of the system's work for
it, `peak` the memory that the process took beyond what it held before the call. Linux only.

    python benchmarks/letor.py [--small] [--repeats 5]
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from _records import Comparison, keep, machine, options

# Each reads the file at `path` into `data`; what it imports is not part of the call.
READERS = {
    "tare": ("tare", "from tare._data import read_letor", "data = read_letor(path)"),
    "scikit-learn": (
        "sklearn",
        "import numpy; from sklearn.datasets import load_svmlight_file",
        "data = load_svmlight_file(path, dtype=numpy.float32, query_id=True)",
    ),
    "xgboost": ("xgboost", "import xgboost", "data = xgboost.DMatrix(path + '?format=libsvm')"),
}
SCRIPT = """
import json, resource, sys, time
{imports}
path = sys.argv[1]
held = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
before = resource.getrusage(resource.RUSAGE_SELF)
start = time.perf_counter()
{call}
seconds = time.perf_counter() - start
after = resource.getrusage(resource.RUSAGE_SELF)
user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
peak = (after.ru_maxrss * 1024 - held) / 2**20
print(json.dumps({{"read": seconds, "cpu": user + system, "user": user, "peak": peak}}))
"""


def make_file(path: Path, size: int) -> tuple[int, int]:
    """Writes lines like LETOR 4.0's, 46 features of six decimals; returns rows and features."""
    random = np.random.default_rng(1)
    features, documents, queries = 46, 5000, 250
    values = random.random((documents, features)) * (random.random((documents, features)) > 0.35)
    lines = [
        f"{random.integers(0, 3)} qid:{{}} "
        + " ".join(f"{id_}:{value:.6f}" for id_, value in enumerate(row, 1))
        + f" #docid = GX{i:03d}-{i % 97:02d}-{i * 7919} inc = 1 prob = 0.0246906\n"
        for i, row in enumerate(values)
    ]
    rows = written = 0
    with path.open("w") as file:
        while written < size:
            first = rows // documents * queries
            text = "".join(
                line.format(first + i * queries // documents) for i, line in enumerate(lines)
            )
            written += file.write(text)
            rows += documents
    return rows, features


def measure(reader: str, path: Path) -> dict[str, float]:
    """One process that reads the file."""
    _, imports, call = READERS[reader]
    script = SCRIPT.format(imports=imports, call=call)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], check=True, capture_output=True, text=True
    )
    return {"process": time.perf_counter() - start, **json.loads(done.stdout)}


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    about = machine(["scikit-learn", "xgboost"])
    readers = [reader for reader, (module, *_) in READERS.items() if find_spec(module)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.txt"
        rows, features = make_file(path, 2_000_000 if given.small else 200_000_000)
        size = path.stat().st_size
        runs: dict[str, list[dict[str, float]]] = {reader: [] for reader in readers}
        for _ in range(given.repeats):
            for reader in readers:
                runs[reader].append(measure(reader, path))
    medians = {
        reader: {key: statistics.median(run[key] for run in found) for key in found[0]}
        for reader, found in runs.items()
    }
    matrix = rows * features * 4 / 2**20
    print(f"{size / 1e6:.0f} MB of text; {rows:,} rows × {features} features are {matrix:.0f} MiB")
    times = ("process", "read", "cpu", "user")
    print(
        f"{'':14}" + "".join(f"{key + ' s':>12}{'ratio':>8}" for key in times) + f"{'peak MiB':>10}"
    )
    for reader, found in medians.items():
        cells = (f"{found[key]:12.2f}{found[key] / medians['tare'][key]:8.1f}" for key in times)
        print(f"{reader:14}{''.join(cells)}{found['peak']:10.0f}")
    ours = medians["tare"]
    goals = {
        "200 MB of LETOR text: scikit-learn ÷ `tare.read_letor`": medians["scikit-learn"]["process"]
        / ours["process"],
        "200 MB of LETOR text: memory beyond the file ÷ matrix": max(
            0.0, ours["peak"] - size / 2**20
        )
        / matrix,
    }
    compared = [
        Comparison(
            "200 MB of LETOR text, whole process",
            ours["process"],
            reader,
            found["process"],
            ours["peak"],
            found["peak"],
        )
        for reader, found in medians.items()
        if reader != "tare"
    ]
    raw = {
        "bytes": size,
        "rows": rows,
        "features": features,
        "matrix_mib": matrix,
        "medians": medians,
    }
    keep("letor", raw, about=about, goals=goals, comparisons=compared, small=given.small)


if __name__ == "__main__":
    main()
