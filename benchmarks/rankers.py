"""Eight rankers: how long they train, and how well they rank.

MQ2008 fold 1 where it is at hand (TARE_DATA), five seeds: mean nDCG@10 with gain 2^l − 1 over all test
queries, those without a relevant document counted as 0, beside what RankLib reaches with its defaults;
the spread over seeds beside the standard error over queries. Then a made set like MSLR-WEB10K, one seed, by
default the two slowest methods. All on one thread. `wall` is the time of the call of fit, `cpu` the processor
time of it. With a busy machine only `cpu` means anything.

    python benchmarks/rankers.py [--small] [--methods coordinateascent lambdamart …]
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
from _records import Comparison, keep, machine, options

from tare import Letor, evaluate, rankers, read_letor

DATA = Path(os.environ.get("TARE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "letor"
RANKLIB = {
    "rankboost": 0.483,
    "adarank": 0.433,
    "coordinateascent": 0.486,
    "ranknet": 0.474,
    "listnet": 0.463,
    "lambdamart": 0.459,
    "randomforest": 0.488,
    "logisticregression": 0.480,
}
MEASURE = "nDCG(gain=exp2)@10"


def mslr_like(queries: int, documents: int = 120, features: int = 136, seed: int = 1) -> Letor:
    """Counts, shares and scores of very different size; grades 0 to 4, most of them 0 and 1."""
    random = np.random.default_rng(seed)
    rows = queries * documents
    topic = random.standard_normal((rows, 8)).astype(np.float32)
    mixing = np.random.default_rng(0).standard_normal((8, features))  # the same for any seed
    mixed = topic @ mixing.astype(np.float32)
    mixed += 2 * random.standard_normal((rows, features)).astype(np.float32)
    mixed[:, ::3] = np.floor(np.exp(mixed[:, ::3].clip(-8, 8)))
    mixed[:, 1::3] = 1 / (1 + np.exp(-mixed[:, 1::3]))
    worth = topic[:, 0] + 0.7 * topic[:, 1] * (topic[:, 2] > 0) + 1.5 * random.standard_normal(rows)
    grades = np.searchsorted([0.1, 1.3, 2.6, 3.6], worth).astype(np.float64)
    names = tuple(str(q) for q in range(queries))
    return Letor("mslr-like", mixed, grades, names, np.arange(queries + 1) * documents)


def trained(name: str, train: Letor, seed: int) -> tuple[Any, float, float]:
    """A model, and the wall and processor seconds it took."""
    wall, cpu = time.perf_counter(), time.process_time()
    model = rankers.ranker(name, threads=1).fit(train, seed=seed)
    return model, time.perf_counter() - wall, time.process_time() - cpu


def reached(model: Any, test: Letor) -> np.ndarray[Any, Any]:
    """nDCG of every test query."""
    found = evaluate(test.qrels(), model.run(test), MEASURE).matrix()[0]
    return np.nan_to_num(found)


def on_mq2008(seeds: range) -> dict[str, Any] | None:
    """Quality and time of each ranker on MQ2008 fold 1."""
    folder = DATA / "mq2008"
    if not folder.is_dir():
        print(f"MQ2008 is not at {folder}; set TARE_DATA to the folder of real data.")
        return None
    train, test = (read_letor(folder / f"{part}.txt.gz") for part in ("train", "test"))
    print(f"\nMQ2008 fold 1: {len(train):,} × {train.n_features}, {len(seeds)} seeds")
    head = ("median", "RankLib", "reaches it", "seed spread", "query error", "wall s", "cpu s")
    print(f"{'':20}" + "".join(f"{h:>13}" for h in head))
    made: dict[str, Any] = {}
    for name in rankers.RANKERS:
        rows = [trained(name, train, seed) for seed in seeds]
        values = [reached(model, test) for model, _, _ in rows]
        means = [float(v.mean()) for v in values]
        error = float(np.mean([v.std(ddof=1) / np.sqrt(len(v)) for v in values]))
        made[name] = {
            "ndcg": means,
            "median": statistics.median(means),
            "ranklib": RANKLIB[name],
            "seed_spread": statistics.stdev(means) if len(means) > 1 else 0.0,
            "query_error": error,
            "wall": statistics.median(w for _, w, _ in rows),
            "cpu": statistics.median(c for _, _, c in rows),
        }
        m = made[name]
        good = "yes" if m["median"] >= m["ranklib"] - 0.010 else "NO"
        print(
            f"{name:20}{m['median']:13.4f}{m['ranklib']:13.3f}{good:>13}{m['seed_spread']:13.4f}"
            f"{error:13.4f}{m['wall']:13.2f}{m['cpu']:13.2f}"
        )
    total = sum(m["cpu"] for m in made.values())
    print(f"all eight: {total:.1f} s of processor, {sum(m['wall'] for m in made.values()):.1f} s")
    return made


def on_mslr_like(queries: int, methods: list[str]) -> dict[str, Any]:
    """Time of each ranker on the made set, and what it reaches on another one."""
    train, test = mslr_like(queries), mslr_like(200, seed=2)
    print(f"\nmade: {queries:,} queries × 120 documents × {train.n_features} features")
    print(f"{'':20}{'nDCG@10':>13}{'wall s':>13}{'cpu s':>13}")
    made: dict[str, Any] = {}
    for name in methods:
        model, wall, cpu = trained(name, train, 1)
        value = float(reached(model, test).mean())
        made[name] = {"ndcg": value, "wall": wall, "cpu": cpu}
        print(f"{name:20}{value:13.4f}{wall:13.2f}{cpu:13.2f}", flush=True)
    random = rankers.RandomOrder().fit(train, seed=1)
    print(f"{'random':20}{float(reached(random, test).mean()):13.4f}")
    return made


def main() -> None:
    """Measure, print and save."""
    parser = options(__doc__)
    slowest = ["coordinateascent", "lambdamart"]
    parser.add_argument("--methods", nargs="+", choices=list(rankers.RANKERS), default=slowest)
    given = parser.parse_args()
    about = machine(["lightgbm", "scikit-learn"])
    seeds = range(1, 2 if given.small else 6)
    small = on_mq2008(seeds)
    large = on_mslr_like(10 if given.small else 2000, given.methods)
    goals, rows = {}, []
    if small is not None:
        goals["the slowest of eight rankers on MQ2008, one thread"] = max(
            m["wall"] for m in small.values()
        )
        goals["eight rankers on MQ2008, one thread"] = sum(m["wall"] for m in small.values())
        rows += [
            Comparison(f"{name} on MQ2008, one thread", m["wall"]) for name, m in small.items()
        ]
    words = {"coordinateascent": "coordinate ascent", "lambdamart": "LambdaMART"}
    for name, m in large.items():
        rows.append(Comparison(f"{name} on 2,000 × 120 × 136, one thread", m["wall"]))
        if name in words:
            goals[f"{words[name]} on data like MSLR, one thread"] = m["wall"]
    raw = {"mq2008": small, "mslr_like": large}
    keep("rankers", raw, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
