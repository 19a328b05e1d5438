"""What chance costs: net against plain measures, the floor, the band of luck, exact ERR against sampling.

python benchmarks/chance.py [--small] [--repeats 5]
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
from _records import Comparison, keep, machine, options
from _runs import make

import tare
from tare import _kernels as kernels
from tare._data import judge, read_qrels, read_run
from tare._data.judged import Judged, Policies
from tare._data.pools import Pool
from tare._measures.one_system import kernel_of

NET = ["nDCG@10", "E(nDCG@10)", "Net(nDCG@10)"]


def median(work: Callable[[], object], repeats: int) -> float:
    """Median seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def pools(queries: int, documents: int) -> Judged:
    """Queries whose documents are all judged, with grades 0 to 4."""
    random = np.random.default_rng(3)
    names = [f"d{i}" for i in range(documents)]
    qrels = {
        f"q{q}": dict(
            zip(
                names,
                random.choice(5, documents, p=[0.6, 0.2, 0.1, 0.06, 0.04]).tolist(),
                strict=True,
            )
        )
        for q in range(queries)
    }
    run = {query: {"d0": 1.0} for query in qrels}
    return judge(read_qrels(qrels), read_run(run), Policies())


def err(judged: Judged, repeats: int) -> dict[str, float]:
    """E(ERR@20) on one thread: in closed form, and as the mean of 1,000 random rankings."""
    kernel = kernel_of(tare.parse("ERR@20"), judged.qrels.levels, 1000)
    tied = Pool("judged").all_tied(judged)
    qrels = judged.qrels
    arguments = (tied, qrels.pool_offsets, qrels.pool, judged.streams, [kernel])
    exact = median(lambda: kernels.evaluate(*arguments, threads=1), repeats)
    value, _ = kernels.evaluate(*arguments, threads=1)

    sizes = np.diff(qrels.pool_offsets)
    sampled = np.zeros(len(sizes))
    random = np.random.default_rng(1)
    theta = (np.exp2(qrels.levels) - 1) / 2 ** qrels.levels[-1]
    some = min(100, len(sizes))  # queries; the time is scaled up
    start = time.perf_counter()
    for q in range(some):
        gains = theta[qrels.pool[qrels.pool_offsets[q] : qrels.pool_offsets[q + 1]]]
        drawn = random.permuted(np.broadcast_to(gains, (1000, len(gains))), axis=1)[:, :20]
        going = np.cumprod(1 - drawn, axis=1)
        before = np.concatenate([np.ones((1000, 1)), going[:, :-1]], axis=1)
        sampled[q] = (before * drawn / np.arange(1, 21)).sum(axis=1).mean()
    monte_carlo = (time.perf_counter() - start) * len(sizes) / some
    off = np.abs(sampled[:some] - value[0, :some]).max()
    return {
        "exact": exact,
        "1,000 samples": monte_carlo,
        "times slower": monte_carlo / exact,
        "largest error": float(off),
    }


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    about = machine()
    repeats, size = given.repeats, 100 if given.small else 10_000
    qrels_path, run_path = make(20 if given.small else 7000)
    qrels, run = tare.read_qrels(qrels_path), tare.read_run(run_path)
    plain = median(lambda: tare.evaluate(qrels, run, "nDCG@10"), repeats)
    net = median(lambda: tare.evaluate(qrels, run, NET, pool="judged"), repeats)
    judged = pools(size, 100)  # a million judgements
    floor = median(
        lambda: tare.chance.floor(judged.qrels, ["nDCG@10", "AP"], pool="judged"), repeats
    )
    band = median(lambda: tare.chance.floor(judged.qrels, "nDCG@10", pool="judged").rows(), repeats)
    found = err(pools(size, 1000), repeats)
    goals = {
        "7 M rows: nDCG@10 with E and Net ÷ nDCG@10": net / plain,
        "`tare floor` of 1,000,000 judgements": floor,
        "band of random rankers over 10,000 queries": band,
    }
    rows = [
        Comparison("7 M rows in memory, nDCG@10 with E and Net", net, "tare, nDCG@10 alone", plain),
        Comparison("floor of 1,000,000 judgements, nDCG@10 and AP", floor),
        Comparison("band of random rankers over 10,000 queries", band),
        Comparison(
            "E(ERR@20), 10,000 queries of 1,000 documents, one thread",
            found["exact"],
            "1,000 samples with NumPy",
            found["1,000 samples"],
        ),
    ]
    print(f"the samples are off by up to {found['largest error']:.2g}")
    raw = {"plain": plain, "net of chance": net, "floor": floor, "band": band, "ERR@20": found}
    keep("chance", raw, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
