"""How long a report takes, and how large it is: 60 systems, 1,000 queries, 10 measures.

No other program writes such a page, so this stands alone; the share of each part is kept beside it.

python benchmarks/report.py [--small]
"""

from __future__ import annotations

import os
import time

import numpy as np
from _records import Comparison, keep, machine, options

from tare._measures.scores import Scores
from tare._signature import Signature
from tare.report import report
from tare.report._page import vega_script

SIZES = {"20 × 200 × 4": (20, 200, 4), "60 × 1,000 × 10": (60, 1000, 10)}
NAMES = (
    "nDCG@10",
    "E(nDCG@10)",
    "V2(nDCG@10)",
    "AP",
    "RR",
    "P@5",
    "P@10",
    "Recall@100",
    "ERR@20",
    "Q",
)


def table(systems: int, items: int, measures: int) -> Scores:
    """Systems of different skill on queries of different difficulty."""
    random = np.random.default_rng(1)
    skill = random.random((systems, 1, 1)) * 0.4
    ease = random.random((1, items, 1)) * 0.4
    values = skill + ease + random.random((systems, items, measures)) * 0.2
    names = NAMES[:measures]
    return Scores(
        tuple(f"system-{k:02d}" for k in range(systems)),
        tuple(f"query-{k:04d}" for k in range(items)),
        names,
        values,
        tuple(Signature.of(m, {"n": items}) for m in names),
    )


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    about = machine(["altair", "jinja2"])
    os.environ["TARE_CACHE"] = ""  # as the first report of a user makes it
    start = time.perf_counter()
    vega_script()
    rows = [Comparison("scripts of a page, kept for later reports", time.perf_counter() - start)]
    raw: dict[str, object] = {}
    report(table(3, 5, 2)).html()  # everything is imported
    for name, size in SIZES.items():
        scores = table(5, 20, 2) if given.small else table(*size)
        start = time.perf_counter()
        told = report(scores)
        between = time.perf_counter()
        text = told.html()
        end = time.perf_counter()
        raw[name] = {
            "chapters, s": round(between - start, 2),
            "page, s": round(end - between, 2),
            "megabytes": round(len(text.encode()) / 1e6, 2),
        }
        rows.append(Comparison(f"report of {name} systems × queries × measures", end - start))
        print(name, raw[name])
    keep("report", raw, about=about, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
