"""Statistics: tare beside loops over scipy and krippendorff, in one run.

60 systems × 50 topics, scores as of a graded measure (three digits, hence ties and some zeros), all
1,770 pairs. tare does all pairs; a peer that would take minutes does some of them, and its time is
scaled to all. Each side runs five times or for half a second, whichever is more, the sides in turn,
and the fastest run of each counts. `ratio` is peer ÷ tare; `peak` is what Python and NumPy allocated,
the core's own arrays are no longer than the values.
"""

from __future__ import annotations

import time
import tracemalloc
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import krippendorff
import numpy as np
from _records import Comparison, keep, machine, options
from scipy import stats

from tare._measures.scores import Scores
from tare._signature import Signature
from tare.stats import (
    Pairs,
    bootstrap_t,
    correlate,
    paired_t,
    permutation,
    tukey,
    tukey_randomised,
    wilcoxon,
)
from tare.studies import agreement

SYSTEMS, TOPICS, DRAWS = 60, 50, 10_000
PEERS = {
    "paired t": "paired t: loop over scipy ÷ tare",
    "Wilcoxon": "Wilcoxon: loop over scipy ÷ tare",
    "swap test": "swap test: loop over scipy ÷ tare",
    "studentised bootstrap": "studentised bootstrap: loop over NumPy ÷ tare",
    "tau, 1,000 resamples": "τ, 1,000 resamples: loop over scipy ÷ tare",
    "alpha (nominal), 1,000 resamples": "α (nominal), 1,000 resamples: loop over krippendorff ÷ tare",
    "alpha (ordinal), 1,000 resamples": "α (ordinal), 1,000 resamples: loop over krippendorff ÷ tare",
    "alpha (interval), 1,000 resamples": "α (interval), 1,000 resamples: loop over krippendorff ÷ tare",
}


def scores(seed: int, digits: int = 3) -> Scores:
    """A system effect, a topic effect and noise, between 0 and 1."""
    rng = np.random.default_rng(seed)
    raw = 0.4 + 0.1 * rng.normal(size=(SYSTEMS, 1)) + 0.2 * rng.normal(size=(1, TOPICS))
    raw = np.clip(raw + 0.12 * rng.normal(size=(SYSTEMS, TOPICS)), 0, 1)
    names = tuple(f"s{k:02d}" for k in range(SYSTEMS))
    items = tuple(f"t{k:02d}" for k in range(TOPICS))
    values = np.round(raw, digits)[:, :, None]
    return Scores(names, items, ("x",), values, (Signature.of("x", {}),))


def timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def runs(call: Callable[[], Any]) -> list[float]:
    """Seconds of one run, or of as many as fit into a sixth of a second."""
    found = [timed(call)]
    while sum(found) < 0.17:
        found.append(timed(call))
    return found


def alternately(
    ours: Callable[[], Any],
    theirs: Callable[[], Any] | None,
    scale: float = 1.0,
    repeats: int = 5,
) -> dict[str, float]:
    """The fastest of some runs of each, taken in turn; the peer's time scaled to the whole job."""
    mine: list[float] = []
    peer: list[float] = []
    for _ in range(repeats):
        mine += runs(ours)
        if theirs is not None:
            peer += [seconds * scale for seconds in runs(theirs)]
    found = {"tare": min(mine)}
    if peer:
        found |= {"peer": min(peer), "ratio": min(peer) / min(mine)}
    return found


def resampled_t(d: np.ndarray, rng: np.random.Generator) -> float:
    """Sakai's bootstrap of one pair, vectorised over draws in NumPy."""
    shifted = d - d.mean()
    drawn = shifted[rng.integers(0, len(d), (DRAWS, len(d)))]
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / np.sqrt(len(d)))
    return float((np.abs(t) >= abs(d.mean() / (d.std(ddof=1) / np.sqrt(len(d))))).mean())


def main() -> None:
    """Measure, print and save."""
    given = options(__doc__).parse_args()
    about = machine(["scipy", "krippendorff"])
    warnings.simplefilter("ignore")
    side_by_side = partial(alternately, repeats=given.repeats)
    first, second = scores(1), scores(2)
    x = first.matrix()
    a, b = np.triu_indices(SYSTEMS, 1)
    rng = np.random.default_rng(0)
    some = rng.choice(len(a), 1 if given.small else 12, replace=False)
    everything = range(len(a))
    found: dict[str, dict[str, float]] = {}

    def pairs() -> Pairs:
        return Pairs.of_matrix(x)  # differences and all, each time

    paired_t(pairs())  # imports scipy once
    found["paired t"] = side_by_side(
        lambda: paired_t(pairs()),
        lambda: [stats.ttest_rel(x[a[k]], x[b[k]]) for k in everything],
    )
    found["Wilcoxon"] = side_by_side(
        lambda: wilcoxon(pairs()),
        lambda: [stats.wilcoxon(x[a[k]], x[b[k]]) for k in everything],
    )
    found["swap test"] = side_by_side(
        lambda: permutation(pairs(), draws=DRAWS),
        lambda: [
            stats.permutation_test(
                (x[a[k]], x[b[k]]),
                lambda u, v, axis: (u - v).mean(axis=axis),
                permutation_type="samples",
                vectorized=True,
                n_resamples=DRAWS,
                rng=rng,
            )
            for k in some
        ],
        len(a) / len(some),
    )
    found["studentised bootstrap"] = side_by_side(
        lambda: bootstrap_t(pairs(), draws=DRAWS),
        lambda: [resampled_t(x[a[k]] - x[b[k]], rng) for k in some],
        len(a) / len(some),
    )

    def peer_tukey() -> None:
        residual = x - x.mean(1, keepdims=True) - x.mean(0, keepdims=True) + x.mean()
        freedom = (SYSTEMS - 1) * (TOPICS - 1)
        error = np.sqrt((residual**2).sum() / freedom / TOPICS)
        means = x.mean(axis=1)
        for k in some:
            stats.studentized_range.sf(abs(means[a[k]] - means[b[k]]) / error, SYSTEMS, freedom)

    found["two-way Tukey"] = side_by_side(lambda: tukey(pairs()), peer_tukey, len(a) / len(some))
    found["randomised Tukey"] = side_by_side(lambda: tukey_randomised(pairs(), draws=DRAWS), None)

    mx, my = x.mean(axis=1), second.matrix().mean(axis=1)
    places = rng.integers(0, SYSTEMS, (1000, SYSTEMS))
    found["tau, 1,000 resamples"] = side_by_side(
        lambda: correlate(x, second.matrix(), kind="tau_b", over="systems", draws=1000),
        lambda: [stats.kendalltau(mx[k], my[k]) for k in places],
    )

    grades = np.clip(rng.integers(1, 6, 200) + rng.integers(-1, 2, (4, 200)), 1, 5).astype(float)
    grades[rng.random(grades.shape) < 0.2] = np.nan
    units = rng.integers(0, 200, (1000, 200))
    for level in ("nominal", "ordinal", "interval"):
        found[f"alpha ({level}), 1,000 resamples"] = side_by_side(
            lambda level=level: agreement(grades, level=level, draws=1000),  # type: ignore[misc]
            lambda level=level: [  # type: ignore[misc]
                krippendorff.alpha(grades[:, k], level_of_measurement=level) for k in units[:100]
            ],
            10,
        )

    continuous = rng.random(2500) + rng.normal(size=(2, 2500)) * 0.1
    tracemalloc.start()
    seconds = timed(lambda: agreement(continuous, level="interval", draws=1000))
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    found["alpha, 5,000 continuous values"] = {"tare": seconds, "peak_mib": peak}

    print(f"{'':34}{'tare':>11}{'peer':>11}{'ratio':>9}")
    for name, row in found.items():
        peer = f"{row['peer']:10.3f}s{row['ratio']:8.0f}×" if "peer" in row else ""
        memory = f"   peak {row['peak_mib']:.0f} MiB" if "peak_mib" in row else ""
        print(f"{name:34}{row['tare'] * 1000:9.2f}ms{peer}{memory}")
    goals = {goal: found[name]["ratio"] for name, goal in PEERS.items()}
    goals["randomised Tukey, 10,000 draws"] = found["randomised Tukey"]["tare"]
    rows = [
        Comparison(
            f"{SYSTEMS} systems × {TOPICS} topics, {name}" if "alpha" not in name else name,
            row["tare"],
            ""
            if "peer" not in row
            else "krippendorff in a loop"
            if "alpha" in name
            else "loop over scipy or NumPy",
            row.get("peer"),
        )
        for name, row in found.items()
    ]
    keep("statistics", found, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
