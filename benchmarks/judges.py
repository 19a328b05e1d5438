"""Judges: the audit of 33 judges next to a loop over scikit-learn and krippendorff, and estimates next to ppi_py.

33 judges × 4,400 pairs of 25 queries with four grades and 2,000 resamples of the queries. The peer computes
three κ and α of each resample with scikit-learn and krippendorff; it does some resamples of one judge, and its
time is scaled to all. `ratio` is peer ÷ tare. Times are wall-clock, and CPU time of the process is next to them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import krippendorff
import numpy as np
from _estimates import estimates
from _records import Comparison, keep, machine, options
from sklearn.metrics import cohen_kappa_score

from tare.studies import judges

JUDGES, QUERIES, DOCUMENTS, DRAWS = 33, 25, 176, 2000
PEER_DRAWS = 20
Labels = dict[str, dict[str, int]]


def labels() -> tuple[Labels, dict[str, Labels]]:
    """Return human labels, and judges that keep between 40 and 90 % of them."""
    random = np.random.default_rng(1)
    human = random.choice(4, (QUERIES, DOCUMENTS), p=(0.5, 0.25, 0.15, 0.1))

    def made(values: Any) -> Labels:
        return {
            f"q{q}": {f"d{d}": int(v) for d, v in enumerate(row)} for q, row in enumerate(values)
        }

    said = {}
    for k, kept in enumerate(np.linspace(0.4, 0.9, JUDGES)):
        other = random.choice(4, human.shape)
        said[f"judge{k:02d}"] = made(np.where(random.random(human.shape) < kept, human, other))
    return made(human), said


def fastest_of(call: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """Return the least wall-clock and CPU seconds of several calls."""
    found = []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        call()
        found.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(w for w, _ in found), min(c for _, c in found)


def peer(human: Labels, judge: Labels) -> None:
    """Compute κ and α of resampled queries, one resample after the other."""
    x, y = (np.array([list(docs.values()) for docs in table.values()]) for table in (human, judge))
    random = np.random.default_rng(1)
    for _ in range(PEER_DRAWS):
        rows = random.integers(0, QUERIES, QUERIES)
        a, b = x[rows].ravel(), y[rows].ravel()
        for weights in (None, "linear", "quadratic"):
            cohen_kappa_score(a, b, weights=weights)
        krippendorff.alpha(np.array([a, b]), level_of_measurement="ordinal")


def audit(
    fastest: Callable[[Callable[[], Any]], tuple[float, float]], draws: int
) -> tuple[Comparison, float]:
    """Return the time of the whole audit of labels, and of the loop scaled to all judges and draws."""
    human, said = labels()
    wall, cpu = fastest(lambda: judges(human, said, draws=draws))
    peer_wall, _ = fastest(lambda: peer(human, said["judge00"]))
    scaled = peer_wall * DRAWS / PEER_DRAWS * JUDGES
    task = f"audit of {JUDGES} judges × {QUERIES * DOCUMENTS:,} pairs, {DRAWS:,} resamples"
    return Comparison(task, wall, "scikit-learn and krippendorff in a loop", scaled), cpu


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    about = machine(["scikit-learn", "krippendorff", "ppi-python"])
    fastest = partial(fastest_of, repeats=given.repeats)
    audited, audit_cpu = audit(fastest, 200 if given.small else DRAWS)
    estimated, estimate_cpu = estimates(fastest)
    rows = [audited, estimated]
    assert estimated.peer_seconds is not None
    goals = {
        audited.task: audited.seconds,
        estimated.task: estimated.seconds,
        "estimates: loop over ppi_py ÷ tare": estimated.peer_seconds / estimated.seconds,
    }
    for row in rows:
        print(row)
    raw = {"processor seconds": {audited.task: audit_cpu, estimated.task: estimate_cpu}}
    keep("judges", raw, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
