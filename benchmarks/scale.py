"""Running time at any size: the costs of the stages, whole runs up to 500 million rows, and predictions.

    python benchmarks/scale.py [--small] [--repeats 7] [--only stages move runs] [--rows 10 50 200 500]

*stages*: processor seconds per row of one thread, on parts of the run of `engines.py`. *move*: bytes per second from
the object store of one Ray node to that of another. *runs*: seconds of `tare.evaluate` on `local`, for the deep runs of
`_deep.py` (500 M rows need 6 GB in benchmarks/work) and two forms of `engines.py`. Figures of tasks that are left out
are kept. `python docs/scale_pages.py` writes the page.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
from _deep import QUERIES, deep_run
from _records import HERE, folder, machine, options
from _scale_model import Work
from engines import DEPTH, make
from nodes import scored

sys.path.insert(0, str(HERE.parent))
import tare
from tare import _kernels as kernels
from tare._data.policies import Policies
from tare._measures.names import parse
from tare.engines._engine import Engine
from tare.engines._parts import Judging, combined, judge_piece
from tare.engines._pieces import TablePiece, TextPiece, text_pieces
from tests.clusters import Cluster

MILLION = 1_000_000
SMALL = 20_000  # rows in the place of a million, to try the script
MEASURES = ["AP", "nDCG@10", "RR"]


class Joined(Engine):
    """Returns rankings that were judged before, so that only the rest of `tare.evaluate` is timed."""

    def __init__(self, judged: Any) -> None:
        self.judged = judged

    def rankings(self, *_: Any, **__: Any) -> Any:
        """Return the rankings."""
        return self.judged

    map_partitions = buckets = map_blocks = map_actors = rankings


Joined.__abstractmethods__ = frozenset()  # type: ignore[attr-defined]


def costs(task: Callable[[], object], per: float, repeats: int) -> list[float]:
    """Return processor seconds per unit, once per repeat after one that does not count."""
    found = []
    for _ in range(repeats + 1):
        start = time.process_time()
        task()
        found.append((time.process_time() - start) / per)
    return found[1:]


def stages(repeats: int, made: int) -> dict[str, list[float]]:
    """Return the costs of all stages on half of the rows of a run, read from the cache of the system."""
    rows = made // 2
    paths = make(made)
    qrels = tare.read_qrels(paths["qrels"])
    judging = Judging(qrels.index, Policies(), 1)
    table = TablePiece(str(paths["parquet"]), 0, rows)
    mixed = TablePiece(str(paths["shuffled parquet"]), 0, rows)
    parsed, shuffled = table.rows()[0], mixed.rows()[0]
    text: TextPiece = text_pieces(str(paths["text"]), 5)[0]
    lines = judge_piece(judging, text).rows
    chunks = kernels.split_rows(shuffled, 64, 0, 1)
    found = {
        "read": costs(lambda: sum(len(block) for block in text.blocks()), text.stop or 1, repeats),
        "judge text": costs(lambda: judge_piece(judging, text), lines, repeats),
        "parse Parquet": costs(table.rows, rows, repeats),
        "judge": costs(lambda: kernels.judge(qrels.index, parsed, threads=1), rows, repeats),
        "split": costs(lambda: kernels.split_rows(shuffled, 64, 0, 1), rows, repeats),
        "unpack": costs(lambda: [kernels.join_chunks([chunk]) for chunk in chunks], rows, repeats),
        "bytes moved": [sum(map(len, chunks)) / rows],
    }
    for form in ("text", "parquet", "shuffled parquet"):
        found[f"bytes of {form}"] = [paths[form].stat().st_size / made]
    part = judge_piece(judging, table)
    queries = len(part.queries)
    judged = tare.engines.Local(threads=1).rankings(
        qrels, (parse("AP"),), str(paths["parquet"]), Policies()
    )
    both = zip(
        costs(lambda: combined([part], len(qrels.items)), queries, repeats),
        costs(
            lambda: tare.evaluate(qrels, "", MEASURES, engine=Joined(judged)),
            len(qrels.items),
            repeats,
        ),
        strict=True,
    )
    return {**found, "join": [sum(each) for each in both]}


def moved(repeats: int) -> list[float]:
    """Return bytes per second from node to node, once per repeat after one that does not count."""
    import ray

    def made(seed: int) -> np.ndarray:
        return np.random.default_rng(seed).integers(0, 255, 64_000_000, dtype=np.uint8)

    def taken(array: np.ndarray) -> int:
        return len(array)

    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    found = []
    with Cluster(2, store=500_000_000, in_memory=True) as cluster:
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        one, two = (
            ray.remote(resources={f"node:{n.host}": 0.01}, num_cpus=1) for n in cluster.nodes
        )
        for seed in range(repeats + 1):
            array = one(made).remote(seed)
            ray.wait([array], fetch_local=False)
            start = time.perf_counter()
            ray.get(two(taken).remote(array))
            found.append(64_000_000 / (time.perf_counter() - start))
        ray.shutdown()
    return found[1:]


def whole_runs(
    sizes: list[int], queries: int, unit: int, known: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the seconds of whole runs; those of other sizes stay."""
    found = {(run["work"]["form"], run["work"]["rows"]): run for run in known}
    for rows in [size * unit for size in sizes]:
        qrels, run = deep_run(rows, queries)
        tasks = [(Work("parquet", rows, queries), qrels, run)]
        if rows == 10 * unit:
            paths = make(rows)
            tasks = [
                (Work(form, rows, rows / DEPTH), paths["qrels"], paths[form])
                for form in ("text", "parquet", "shuffled parquet")
            ]
        for work, qrels, run in tasks:
            seconds = scored(qrels, run, None)["seconds"]
            about = {k: v for k, v in asdict(work).items() if v != float("inf")}
            found[(work.form, work.rows)] = {"work": about, "seconds": seconds}
            print(f"{work.form}, {rows:,} rows: {seconds:.2f} s", flush=True)
    return [found[key] for key in sorted(found)]


def main() -> None:
    """Measure what is asked for, and save the figures."""
    parser = options(__doc__)
    parser.set_defaults(repeats=7)
    parser.add_argument(
        "--only", nargs="+", choices=("stages", "move", "runs"), default=["stages", "move", "runs"]
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[10, 50, 200, 500], help="millions")
    given = parser.parse_args()
    path = folder(given.small) / "scale.json"
    unit, queries = (SMALL, 100) if given.small else (MILLION, QUERIES)
    figures = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"runs": []}
    figures["machine"] = machine(["ray"])
    if "stages" in given.only:
        figures["stages"] = stages(given.repeats, unit)
    if "move" in given.only:
        figures["moved per second"] = moved(given.repeats)
    if "runs" in given.only:
        figures["runs"] = whole_runs(given.rows, queries, unit, figures["runs"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
