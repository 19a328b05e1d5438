"""Estimates of 60 systems × 1,000 queries × 5 measures with all pairs, next to ppi_py in a loop.

People labelled 200 of the 1,000 queries. tare computes the estimates of all systems and the differences of all
1,770 pairs by the jackknife, from two score tables. The peer computes z intervals with tuned λ of the same means and
differences, one after the other; it does some of them, and its time is scaled to all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import ppi_py
from _records import Comparison

import tare
from tare._measures.scores import Scores
from tare._signature import Signature

SYSTEMS, QUERIES, LABELLED = 60, 1000, 200
NAMES = ("nDCG@10", "AP", "RR", "P@10", "ERR@20")
MEASURES = len(NAMES)
SOME = 200  # intervals that the peer computes


def tables() -> tuple[Scores, Scores]:
    """Return the scores under people's labels and under the judge's."""
    random = np.random.default_rng(1)
    truth = random.random((SYSTEMS, QUERIES, MEASURES))
    guesses = np.clip(truth + 0.2 * random.normal(size=truth.shape) + 0.1, 0, 1)
    signatures = tuple(Signature.of(name, {}) for name in NAMES)
    systems = tuple(f"s{k:02d}" for k in range(SYSTEMS))
    items = tuple(f"q{k:04d}" for k in range(QUERIES))
    human = Scores(systems, items[:LABELLED], NAMES, truth[:, :LABELLED], signatures)  # type: ignore[arg-type]
    return human, Scores(systems, items, NAMES, guesses, signatures)  # type: ignore[arg-type]


def estimates(
    fastest: Callable[[Callable[[], Any]], tuple[float, float]],
) -> tuple[Comparison, float]:
    """Return the time of all estimates and differences, and that of the loop scaled to all."""
    human, judge = tables()

    def ours() -> None:
        found = tare.estimate(human, judge)
        found.rows()
        assert found.differences is not None  # differences, intervals and p-values of all pairs

    y, f = human.matrix("AP"), judge.matrix("AP")[:, :LABELLED]
    g = judge.matrix("AP")[:, LABELLED:]
    first, second = (side[:SOME] for side in np.triu_indices(SYSTEMS, 1))

    def theirs() -> None:
        for a, b in zip(first, second, strict=True):
            ppi_py.ppi_mean_ci(y[a] - y[b], f[a] - f[b], g[a] - g[b], alpha=0.05)

    wall, cpu = fastest(ours)
    peer, _ = fastest(theirs)
    number = MEASURES * (SYSTEMS + SYSTEMS * (SYSTEMS - 1) // 2)
    task = f"estimates of {SYSTEMS} systems × {QUERIES:,} queries × {MEASURES} measures, all pairs"
    return Comparison(task, wall, "ppi_py in a loop", peer * number / SOME), cpu
