"""How often tare's conclusions are wrong, in simulated worlds with a known truth, beside what is usually done.

False claims of tests, coverage of intervals, and power, for every conclusion that tare draws. Figures of an
earlier simulation, which another program made from the definitions of the same worlds, are printed beside ours.

python benchmarks/validity.py [--only gate pairs …] [--small] [--repetitions 1000]
"""

from __future__ import annotations

import json
import math
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import _usual as usual
import _worlds as worlds
import numpy as np
from _records import folder, keep, machine, options
from numpy.typing import NDArray
from scipy import stats

from tare._decide.judge_corrected import Estimator, QuerySample
from tare.stats import (
    adjust,
    certify,
    correlate,
    exchange_test,
    flip_test,
    loss_test,
    macro_max_t,
    max_t,
    mean_interval,
    ratio_interval,
    win_test,
)

Floats = NDArray[np.float64]
DRAWS = 2000  # 10,000 by default in tare: a p near .05 moves by .005, its size not at all
FEWEST = 20  # fewer intervals than this have no coverage on the page
FALSE, POWER, COVERAGE, ABSENT = "false claims", "power", "coverage", "no interval"
PAIR = np.triu_indices


@dataclass(frozen=True)
class Row:
    """One method in one world: a share for each size, and those of the earlier simulation."""

    section: str
    quantity: str
    world: str
    sizes: tuple[int, ...]
    method: str
    values: tuple[float | None, ...]
    earlier: tuple[float | None, ...] | None
    repetitions: int


class Tally:
    """The shares that come out of one world, method by method, for each size."""

    def __init__(self, section: str, quantity: str, world: str, repetitions: int) -> None:
        self.about = (section, quantity, world)
        self.repetitions = repetitions
        self.sizes: list[int] = []
        self.shares: dict[str, list[float]] = {}

    def add(self, size: int, **shares: Any) -> None:
        """Add the shares of one size; NaN cells are left out of the mean."""
        self.sizes.append(size)
        for method, found in shares.items():
            self.shares.setdefault(method, []).append(share(found))

    def rows(self) -> Iterator[Row]:
        """Return one row per method."""
        section, quantity, world = self.about
        for method, values in self.shares.items():
            name = NAMES.get(method, method.replace("_", " "))
            known = EARLIER.get((section, quantity, world, name))
            earlier = None if known is None else tuple(known.get(n) for n in self.sizes)
            yield Row(
                section,
                quantity,
                world,
                tuple(self.sizes),
                name,
                tuple(None if math.isnan(value) else round(value, 4) for value in values),
                earlier,
                self.repetitions,
            )


def share(found: Any) -> float:
    """The mean of what was found, without NaN; NaN if hardly anything was."""
    values = np.asarray(found, dtype=np.float64).ravel()
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) >= FEWEST else math.nan


NAMES = {
    "flips": "tare: flips",
    "t": "t",
    "wilcoxon": "Wilcoxon",
    "bootstrap": "percentile bootstrap",
    "gaffke": "tare: Gaffke's bound",
    "max_t": "tare: flips, max-t",
    "holm_t": "t, Holm",
    "holm_wilcoxon": "Wilcoxon, Holm",
    "tukey": "Tukey, two-way",
    "tukey_one": "Tukey, one-way",
    "bonferroni": "t, Bonferroni",
    "ranks": "bootstrap of ranks",
    "fieller": "tare: Fieller",
    "linearised": "t, linearised",
    "bounded": "tare: bounded",
    "clusters": "tare: by cluster",
    "queries": "flips by query",
    "t_queries": "t by query",
    "estimate": "tare: estimate",
    "people_t": "people only, t by query",
    "powered": "PPI++, normal, by query",
    "wins": "tare: wins − losses",
    "exchanges": "tare: correlations",
    "signs": "sign test",
    "items": "swaps of items",
    "spread": "tare: ± 1.96 sd",
}


def by(sizes: Sequence[int], *values: float | None) -> dict[int, float | None]:
    """Return figures by size."""
    return dict(zip(sizes, values, strict=True))


GATE, CERTIFIED = (40, 100, 200), (50, 100, 200)
NEAR, FAR = (5, 10, 50, 200), "9 near variants and 1 other system"
BOARD = (6, 8, 15, 40)
SMALL = (10, 20, 50)
CLUSTERS = (8, 12, 20, 40)
NOISY, NOTHING = "no change, 20 % of queries noisy", "no change at all"
FIXED = "10 equal systems, queries of 3 fixed data sets"
FIVE = "all differences of 5 systems, unlike sizes"
THREE, UNCORRECTED = "3 noisy measures, Holm's correction", "3 noisy measures, no correction"
EQUAL, UNLIKE, SKEWED = "sizes 5", "unlike sizes", "unlike sizes, skewed"
RARE_ONES, MANY_ZEROS, AP, BETA = "5 % ones", "80 % zeros", "like AP: Beta(.5, 3)", "Beta(2, 2)"
EARLIER: dict[tuple[str, str, str, str], dict[int, float | None]] = {
    ("gate", FALSE, NOISY, "tare: flips"): by(GATE, 0.05, 0.05, 0.05),
    ("gate", FALSE, NOTHING, "tare: flips"): by(GATE, 0, 0, 0),
    ("gate", POWER, "mean loss of .02", "tare: flips"): by(GATE, 0.25, 0.44, 0.63),
    ("gate", POWER, "mean loss of .05", "tare: flips"): by(GATE, 0.62, 0.92, 1),
    ("gate", FALSE, THREE, "tare: flips"): by((100,), 0.05),
    ("gate", FALSE, UNCORRECTED, "tare: flips"): by((100,), 0.14),
    ("certify", FALSE, "one query in 50 loses all, margin .02", "t"): by(
        CERTIFIED, 0.39, 0.13, None
    ),
    ("certify", POWER, "no loss, 20 % of queries noisy, margin .05", "t"): by(
        CERTIFIED, 0.86, 0.98, 1
    ),
    ("certify", POWER, "no loss, 20 % of queries noisy, margin .05", "tare: Gaffke's bound"): by(
        CERTIFIED, 0.15, 0.84, 1
    ),
    ("pairs", FALSE, "10 equal systems", "tare: flips, max-t"): by((10, 50), 0.04, 0.05),
    ("pairs", FALSE, "10 equal systems", "t, Holm"): by((10, 50), 0.04, 0.04),
    ("pairs", FALSE, "10 equal systems", "Tukey, two-way"): by((10, 50), 0.05, 0.05),
    ("pairs", FALSE, FAR, "tare: flips, max-t"): by(NEAR, 0, 0.04, 0.05, 0.04),
    ("pairs", FALSE, FAR, "t, Holm"): by(NEAR, 0.05, 0.03, 0.03, 0.02),
    ("pairs", FALSE, FAR, "Tukey, two-way"): by(NEAR, 0.27, 0.19, 0.18, 0.20),
    ("pairs", FALSE, "the same, 20 systems", "tare: flips, max-t"): by((50,), 0.05),
    ("pairs", FALSE, "the same, 20 systems", "t, Holm"): by((50,), 0.03),
    ("pairs", FALSE, "the same, 20 systems", "Tukey, two-way"): by((50,), 0.35),
    ("pairs", FALSE, "the same, 50 systems", "tare: flips, max-t"): by((50,), 0.03),
    ("pairs", FALSE, "the same, 50 systems", "t, Holm"): by((50,), 0.03),
    ("pairs", FALSE, "the same, 50 systems", "Tukey, two-way"): by((50,), 0.49),
    ("pairs", FALSE, "10 % of scores changed", "tare: flips, max-t"): by((10, 50), 0, 0.03),
    ("pairs", FALSE, "10 % of scores changed", "t, Holm"): by((10, 50), 0, 0),
    ("pairs", FALSE, "10 % of scores changed", "Tukey, two-way"): by((10, 50), 0.09, 0.07),
    ("pairs", FALSE, "skewed, unequal variances", "tare: flips, max-t"): by(
        (10, 50, 200), 0.19, 0.10, 0.07
    ),
    ("pairs", FALSE, "skewed, unequal variances", "t, Holm"): by((10, 50, 200), 0.13, 0.06, 0.04),
    ("pairs", FALSE, "skewed, unequal variances", "Tukey, two-way"): by(
        (10, 50, 200), 0.18, 0.18, 0.16
    ),
    ("baseline", FALSE, "10 equal systems", "tare: flips, max-t"): by(
        (10, 25, 50), 0.06, 0.04, 0.06
    ),
    ("pairs", POWER, "4 variants .02 better", "tare: flips, max-t"): by(
        (25, 50, 200), 0.44, 0.79, 0.84
    ),
    ("pairs", POWER, "4 variants .02 better", "t, Holm"): by((25, 50, 200), 0.42, 0.79, 0.84),
    ("pairs", POWER, "4 variants .02 better", "Tukey, two-way"): by(
        (25, 50, 200), 0.03, 0.05, 0.36
    ),
    ("pairs", POWER, "two groups, equal variances", "tare: flips, max-t"): by((25, 50), 0.14, 0.48),
    ("pairs", POWER, "two groups, equal variances", "t, Holm"): by((25, 50), 0.13, 0.47),
    ("pairs", POWER, "two groups, equal variances", "Tukey, two-way"): by((25, 50), 0.20, 0.54),
    ("pairs", COVERAGE, FAR, "tare: flips, max-t"): by((10, 50), 0.96, 0.95),
    ("pairs", COVERAGE, FAR, "Tukey, two-way"): by((10, 50), 0.81, 0.82),
    ("leaderboard", COVERAGE, "10 equal systems", "tare: flips, max-t"): by(
        BOARD, 0.97, 0.95, 0.94, 0.97
    ),
    ("leaderboard", COVERAGE, "10 equal systems", "t, Bonferroni"): by(
        BOARD, 0.95, 0.95, 0.95, 0.98
    ),
    ("leaderboard", COVERAGE, "30 equal systems", "tare: flips, max-t"): by(
        (8, 15, 40), 0.96, 0.94, 0.97
    ),
    ("leaderboard", COVERAGE, "30 equal systems", "t, Bonferroni"): by(
        (8, 15, 40), 0.97, 0.95, 0.98
    ),
    ("leaderboard", COVERAGE, "unequal variances", "tare: flips, max-t"): by((8, 15), 0.95, 0.94),
    ("leaderboard", COVERAGE, "unequal variances", "t, Bonferroni"): by((8, 15), 0.96, 0.96),
    ("leaderboard", COVERAGE, "skewed", "tare: flips, max-t"): by((8, 15), 0.95, 0.94),
    ("leaderboard", COVERAGE, "skewed", "t, Bonferroni"): by((8, 15), 0.98, 0.97),
    ("leaderboard", COVERAGE, "skewed, unequal variances", "tare: flips, max-t"): by(
        (8, 15, 40), 0.82, 0.82, 0.88
    ),
    ("leaderboard", COVERAGE, "skewed, unequal variances", "t, Bonferroni"): by(
        (8, 15, 40), 0.86, 0.90, 0.93
    ),
    ("leaderboard", COVERAGE, FIXED, "tare: flips, max-t"): by((10, 50), 0.96, 0.93),
    ("leaderboard", POWER, "two groups of 5", "tare: flips, max-t"): by(BOARD, 0.09, 0.29, 0.90, 1),
    ("leaderboard", POWER, "two groups of 5", "t, Bonferroni"): by(BOARD, 0.10, 0.26, 0.87, 1),
    ("net", COVERAGE, "P@10", "tare: Fieller"): by(SMALL, 0.95, 0.95, 0.94),
    ("net", COVERAGE, "P@10", "t, linearised"): by(SMALL, 0.93, 0.94, 0.94),
    ("net", COVERAGE, "nDCG", "tare: Fieller"): by(SMALL, 0.94, 0.95, 0.96),
    ("net", COVERAGE, "nDCG", "t, linearised"): by(SMALL, 0.93, 0.94, 0.96),
    ("net", COVERAGE, "log-normal denominator", "tare: Fieller"): by(SMALL, 0.97, 0.97, 0.96),
    ("net", COVERAGE, "log-normal denominator", "t, linearised"): by(SMALL, 0.83, 0.86, 0.89),
    ("net", COVERAGE, "15 % successes", "tare: Fieller"): by(SMALL, 0.78, 0.89, 0.94),
    ("net", COVERAGE, "15 % successes", "t, linearised"): by(SMALL, 0.75, 0.87, 0.94),
    ("net", ABSENT, "log-normal denominator", "tare: Fieller"): by(SMALL, 0.20, 0.05, 0.003),
    ("clusters", FALSE, EQUAL, "tare: by cluster"): by(CLUSTERS, 0.04, 0.06, 0.05, 0.05),
    ("clusters", FALSE, EQUAL, "flips by query"): by(CLUSTERS, 0.23, 0.24, 0.22, 0.21),
    ("clusters", FALSE, UNLIKE, "tare: by cluster"): by(CLUSTERS, 0.05, 0.05, 0.05, 0.06),
    ("clusters", FALSE, UNLIKE, "flips by query"): by(CLUSTERS, 0.36, 0.34, 0.35, 0.36),
    ("clusters", FALSE, SKEWED, "tare: by cluster"): by(CLUSTERS, 0.07, 0.07, 0.06, 0.07),
    ("clusters", FALSE, SKEWED, "flips by query"): by(CLUSTERS, 0.32, 0.33, 0.32, 0.37),
    ("clusters", POWER, UNLIKE, "tare: by cluster"): by(CLUSTERS, 0.37, 0.58, 0.75, 0.91),
    ("clusters", COVERAGE, FIVE, "tare: by cluster"): by(CLUSTERS[1:], 0.96, 0.93, 0.92),
    ("clusters", ABSENT, FIVE, "tare: by cluster"): by(CLUSTERS[1:], 0.09, 0.03, 0),
    ("clusters", COVERAGE, "mean score, unlike sizes", "tare: by cluster"): by(
        CLUSTERS, 0.96, 0.96, 0.95, 0.96
    ),
    ("clusters", COVERAGE, "mean score, unlike sizes", "t by query"): by(
        CLUSTERS, 0.69, 0.68, 0.67, 0.65
    ),
    ("clusters", COVERAGE, "the same, 10 % successes", "tare: by cluster"): by(
        CLUSTERS, 0.99, 0.98, 0.95, 0.94
    ),
    ("clusters", COVERAGE, "the same, 10 % successes", "t by query"): by(
        CLUSTERS, 0.75, 0.75, 0.76, 0.76
    ),
    ("means", COVERAGE, RARE_ONES, "tare: bounded"): by((10, 20, 30, 50), 0.99, 0.99, 0.93, 0.96),
    ("means", COVERAGE, RARE_ONES, "t"): by((10, 20, 30, 50), 0.40, 0.65, 0.79, 0.93),
    ("means", COVERAGE, MANY_ZEROS, "tare: bounded"): by(SMALL, 0.95, 0.95, 0.95),
    ("means", COVERAGE, MANY_ZEROS, "t"): by(SMALL, 0.82, 0.89, 0.93),
    ("means", COVERAGE, AP, "tare: bounded"): by(SMALL, 0.94, 0.93, 0.95),
    ("means", COVERAGE, AP, "t"): by(SMALL, 0.91, 0.92, 0.93),
    ("means", COVERAGE, BETA, "tare: bounded"): by(SMALL, 0.95, 0.95, 0.95),
    ("means", COVERAGE, BETA, "t"): by(SMALL, 0.95, 0.94, 0.95),
}


def random_of(*names: object) -> np.random.Generator:
    """A generator of its own for each world, whatever else is run."""
    return np.random.default_rng(zlib.crc32(repr(names).encode()))


# The gate


def gate(repetitions: int) -> Iterator[Row]:
    """Blocks of builds, at the one-sided level .05."""

    def none(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        return np.zeros(shape)

    def loss(mean: float) -> Callable[..., Floats]:
        return lambda rng, shape: worlds.noisy_loss(rng, shape, mean)

    cases: list[tuple[str, str, Callable[..., Floats]]] = [
        (FALSE, NOISY, worlds.noisy),
        (FALSE, NOTHING, none),
        (FALSE, "many small losses for a few large gains, mean 0", worlds.traded),
        (POWER, "mean loss of .02", loss(0.02)),
        (POWER, "mean loss of .05", loss(0.05)),
    ]
    for quantity, world, make in cases:
        tally = Tally("gate", quantity, world, repetitions)
        for n in GATE:
            d = make(random_of("gate", world, n), (repetitions, n))
            tally.add(
                n,
                flips=[blocked(row, k) for k, row in enumerate(d)],
                t=usual.student(d, "less") <= 0.05,
                wilcoxon=usual.signed_ranks(d, "less") <= 0.05,
                bootstrap=usual.bootstrap(d, "less"),
            )
        yield from tally.rows()
    yield from _detectable(repetitions)
    yield from _measures(repetitions)


def blocked(d: Floats, seed: int = 0) -> bool:
    """Whether a gate on one measure blocks."""
    return loss_test(d, draws=DRAWS, seed=seed).pvalue <= 0.05


def _detectable(repetitions: int) -> Iterator[Row]:
    """Blocks of builds whose true loss is what builds without a loss print as detectable."""
    tally = Tally("gate", POWER, "a loss of the printed detectable size", repetitions)
    for n in GATE:
        rng = random_of("detectable", n)
        printed = [
            loss_test(d, draws=100).detectable for d in worlds.noisy(rng, (repetitions // 4, n))
        ]
        size = float(np.nanmedian(printed))
        d = worlds.noisy_loss(rng, (repetitions, n), size)
        tally.add(n, flips=[blocked(row, k) for k, row in enumerate(d)])
    yield from tally.rows()


def _measures(repetitions: int) -> Iterator[Row]:
    """Blocks over three independent measures, with and without Holm's correction."""
    d = worlds.noisy(random_of("measures"), (repetitions, 3, 100))
    p = {
        "flips": np.array(
            [[loss_test(row, draws=DRAWS, seed=k).pvalue for row in d[k]] for k in range(len(d))]
        ),
        "t": usual.student(d, "less"),
        "wilcoxon": usual.signed_ranks(d, "less"),
    }
    tally = Tally("gate", FALSE, THREE, repetitions)
    tally.add(
        100,
        flips=[adjust(row, "holm").min() <= 0.05 for row in p["flips"]],
        t=usual.holm(p["t"]).any(axis=1),
        wilcoxon=usual.holm(p["wilcoxon"]).any(axis=1),
    )
    yield from tally.rows()
    tally = Tally("gate", FALSE, UNCORRECTED, repetitions)
    tally.add(100, **{method: found.min(axis=1) <= 0.05 for method, found in p.items()})
    yield from tally.rows()


# Certificates


def certification(repetitions: int) -> Iterator[Row]:
    """Certificates at a true loss of exactly the margin, and without a loss."""

    def bits(margin: float) -> Callable[..., Floats]:
        return lambda rng, shape: worlds.noisy_loss(rng, shape, margin)

    def rare(margin: float) -> Callable[..., Floats]:
        return lambda rng, shape: worlds.rare_loss(rng, shape, margin)

    cases: list[tuple[str, str, float, Callable[..., Floats]]] = [
        (FALSE, "one query in 50 loses all, margin .02", 0.02, rare(0.02)),
        (FALSE, "one query in 20 loses all, margin .05", 0.05, rare(0.05)),
        (FALSE, "noise and a loss of .02 in bits of .3, margin .02", 0.02, bits(0.02)),
        (FALSE, "noise and a loss of .05 in bits of .3, margin .05", 0.05, bits(0.05)),
        (POWER, "no loss, 20 % of queries noisy, margin .05", 0.05, worlds.noisy),
    ]
    for quantity, world, margin, make in cases:
        tally = Tally("certify", quantity, world, repetitions)
        for n in CERTIFIED:
            d = make(random_of("certify", world, n), (repetitions, n))
            spread = d.std(axis=1, ddof=1) / math.sqrt(n)
            tally.add(
                n,
                gaffke=[certify(row, margin).certified for row in d],
                t=d.mean(axis=1) - stats.t.ppf(0.95, n - 1) * spread > -margin,
                bootstrap=usual.percentiles(d, 0.05)[0] > -margin,
            )
        yield from tally.rows()


# Two systems, all pairs, a baseline


def two_systems(repetitions: int) -> Iterator[Row]:
    """Two systems of equal mean, and one better by .3 standard deviations."""

    def log_normal(spread: float) -> Callable[..., Floats]:
        mean = math.exp(spread**2 / 2)
        return lambda rng, shape: rng.lognormal(0, spread, shape) - mean

    cases: list[tuple[str, str, Callable[..., Floats]]] = [
        (FALSE, "normal differences", lambda rng, shape: rng.normal(size=shape)),
        (
            FALSE,
            "heavy tails: t with 3 degrees of freedom",
            lambda rng, shape: rng.standard_t(3, shape),
        ),
        (FALSE, "10 % of queries differ", lambda rng, shape: worlds.noisy(rng, shape, 0.1)),
        (FALSE, "skewed: exponential", lambda rng, shape: rng.exponential(size=shape) - 1),
        (FALSE, "strongly skewed: log-normal", log_normal(1)),
        (FALSE, "very strongly skewed: log-normal, sd 1.5 of the log", log_normal(1.5)),
        (POWER, "normal, .3 sd better", lambda rng, shape: rng.normal(0.3, 1, shape)),
    ]
    sizes = (10, 50, 200)
    for quantity, world, make in cases:
        tally = Tally("two", quantity, world, repetitions)
        for n in sizes:
            d = make(random_of("two", world, n), (repetitions, n))
            zero = np.zeros(n)
            flips = [flip_test(row, zero, draws=DRAWS, seed=k).pvalue for k, row in enumerate(d)]
            tally.add(
                n,
                flips=np.array(flips) <= 0.05,
                t=usual.student(d) <= 0.05,
                wilcoxon=usual.signed_ranks(d) <= 0.05,
                bootstrap=usual.bootstrap(d),
            )
        yield from tally.rows()


def pairs(repetitions: int) -> Iterator[Row]:
    """All pairs of ten and more systems: any false claim, true differences found, joint coverage."""

    def unlike(rng: np.random.Generator, count: int, n: int, systems: int) -> Floats:
        return worlds.boards(rng, count, n, systems, unequal=True, skewed=True)

    def far(rng: np.random.Generator, count: int, n: int, systems: int) -> Floats:
        return worlds.near_and_far(rng, count, n, systems)[0]

    cases: list[tuple[str, Callable[..., Floats], int, Sequence[int]]] = [
        ("10 equal systems", worlds.tied, 10, (10, 50)),
        (FAR, far, 10, NEAR),
        ("the same, 20 systems", far, 20, (50,)),
        ("the same, 50 systems", far, 50, (50,)),
        ("10 % of scores changed", worlds.sparse, 10, (10, 50)),
        ("skewed, unequal variances", unlike, 10, (10, 50, 200)),
    ]
    for world, make, systems, sizes in cases:
        tally = Tally("pairs", FALSE, world, repetitions)
        for n in sizes:
            scores = make(random_of("pairs", world, n), repetitions, n, systems)
            found = {method: claims.any(axis=1) for method, claims in _claims(scores).items()}
            tally.add(n, **found)
        yield from tally.rows()
    for world, build, sizes in (
        (
            "4 variants .02 better",
            lambda *given: worlds.near_and_far(*given, gain=0.02),
            (25, 50, 200),
        ),
        ("two groups, equal variances", worlds.two_groups, (25, 50)),
    ):
        tally = Tally("pairs", POWER, world, repetitions)
        for n in sizes:
            scores, means = build(random_of("pairs", world, n), repetitions, n, 10)
            a, b = PAIR(10, 1)
            true = means[a] != means[b]
            tally.add(n, **{method: c[:, true] for method, c in _claims(scores).items()})
        yield from tally.rows()
    tally = Tally("pairs", COVERAGE, FAR, repetitions)
    for n in (10, 50):
        scores, _ = worlds.near_and_far(random_of("joint", n), repetitions, n, 10)
        made = [max_t(row, draws=DRAWS, seed=k) for k, row in enumerate(scores)]
        inside = [~((m.low > 0) | (m.high < 0)).any() for m in made]
        half = usual.tukey_half_width(scores, two_way=True)
        tally.add(
            n, max_t=inside, tukey=(np.abs(_differences(scores).mean(axis=1)).max(axis=1) <= half)
        )
    yield from tally.rows()


def _differences(scores: Floats) -> Floats:
    a, b = PAIR(scores.shape[2], 1)
    return scores[:, :, a] - scores[:, :, b]


def _claims(scores: Floats) -> dict[str, NDArray[np.bool_]]:
    """Which pairs each method calls different; scores are repetitions × units × systems."""
    d = _differences(scores)
    apart = np.abs(d.mean(axis=1))
    return {
        "max_t": np.array(
            [max_t(row, draws=DRAWS, seed=k).significant for k, row in enumerate(scores)]
        ),
        "holm_t": usual.holm(usual.by_pair(usual.student, d)),
        "holm_wilcoxon": usual.holm(usual.by_pair(usual.signed_ranks, d)),
        "tukey": apart > usual.tukey_half_width(scores, two_way=True)[:, None],
        "tukey_one": apart > usual.tukey_half_width(scores, two_way=False)[:, None],
    }


def baseline(repetitions: int) -> Iterator[Row]:
    """Nine systems against one baseline."""
    for quantity, world, gain in (
        (FALSE, "10 equal systems", 0.0),
        (POWER, "all .1 better than the baseline", 0.1),
    ):
        tally = Tally("baseline", quantity, world, repetitions)
        for n in (10, 25, 50):
            scores = worlds.tied(random_of("baseline", world, n), repetitions, n, 10)
            scores[:, :, 1:] += gain
            d = scores[:, :, 1:] - scores[:, :, :1]
            claims = {
                "max_t": np.array(
                    [max_t(row, 0, draws=DRAWS, seed=k).significant for k, row in enumerate(scores)]
                ),
                "holm_t": usual.holm(usual.by_pair(usual.student, d)),
                "holm_wilcoxon": usual.holm(usual.by_pair(usual.signed_ranks, d)),
            }
            whole = quantity == FALSE
            tally.add(n, **{m: c.any(axis=1) if whole else c for m, c in claims.items()})
        yield from tally.rows()


# Ranks on leaderboards


def leaderboard(repetitions: int) -> Iterator[Row]:
    """Whether all rank intervals together hold the truth, with the data set as the unit."""
    cases: list[tuple[str, int, Sequence[int], dict[str, bool]]] = [
        ("10 equal systems", 10, BOARD, {}),
        ("30 equal systems", 30, (8, 15, 40), {}),
        ("unequal variances", 10, (8, 15), {"unequal": True}),
        ("skewed", 10, (8, 15), {"skewed": True}),
        ("skewed, unequal variances", 10, (8, 15, 40), {"unequal": True, "skewed": True}),
    ]
    for world, systems, sizes, kind in cases:
        tally = Tally("leaderboard", COVERAGE, world, repetitions)
        for sets in sizes:
            rng = random_of("leaderboard", world, sets)
            scores = worlds.boards(rng, repetitions, sets, systems, **kind)
            claims = _board_claims(scores)
            found: dict[str, Any] = {m: ~c.any(axis=1) for m, c in claims.items()}
            found["ranks"] = [not usual.ranks_apart(row) for row in scores]
            tally.add(sets, **found)
        yield from tally.rows()
    yield from over_queries(repetitions)
    tally = Tally("leaderboard", POWER, "two groups of 5", repetitions)
    means = np.repeat([0.1, 0.0], 5)
    a, b = PAIR(10, 1)
    for sets in BOARD:
        rng = random_of("leaderboard", "power", sets)
        scores = worlds.boards(rng, repetitions, sets, 10, means=means)
        tally.add(sets, **{m: c[:, means[a] != means[b]] for m, c in _board_claims(scores).items()})
    yield from tally.rows()


def over_queries(repetitions: int) -> Iterator[Row]:
    """The same for three fixed data sets, with their queries as the units; n per data set."""
    repetitions = max(repetitions // 2, 2)
    tally = Tally("leaderboard", COVERAGE, FIXED, repetitions)
    a, b = PAIR(10, 1)
    for n in (10, 50):
        inside, plain = [], []
        for k in range(repetitions):
            rng = random_of("fixed", n, k)
            sets = list(worlds.boards(rng, 3, n, 10))
            inside.append(not macro_max_t(sets, draws=1000, seed=k).significant.any())
            d = np.concatenate(sets)[:, a] - np.concatenate(sets)[:, b]
            plain.append(not (usual.student(d.T) <= 0.05 / len(a)).any())
        tally.add(n, max_t=inside, bonferroni=plain)
    yield from tally.rows()


def _board_claims(scores: Floats) -> dict[str, NDArray[np.bool_]]:
    p = usual.by_pair(usual.student, _differences(scores))
    return {
        "max_t": np.array(
            [max_t(row, draws=DRAWS, seed=k).significant for k, row in enumerate(scores)]
        ),
        "bonferroni": p <= 0.05 / p.shape[1],
    }


# Net: ratios of means


def net(repetitions: int) -> Iterator[Row]:
    """Intervals of one Net."""
    cases: list[tuple[str, Callable[..., tuple[Floats, Floats, Floats]]]] = [
        ("P@10", worlds.precision_at_10),
        ("nDCG", worlds.ndcg),
        ("log-normal denominator", worlds.log_normal),
        ("15 % successes", worlds.rare_success),
    ]
    for world, make in cases:
        x, y, _ = make(random_of("net", world), (4_000_000,))
        truth = x.mean() / y.mean()
        covered = Tally("net", COVERAGE, world, repetitions)
        absent = Tally("net", ABSENT, world, repetitions)
        six = f"{world}, at least 6 queries above 0"
        safe = Tally("net", COVERAGE, six, repetitions)
        printed = Tally("net", ABSENT, six, repetitions)
        for n in SMALL:
            x, y, gross = make(random_of("net", world, n), (repetitions, n))
            ends = np.array([ratio_interval(a, b)[1:] for a, b in zip(x, y, strict=True)])
            missing = np.isnan(ends[:, 0])
            inside = np.where(missing, np.nan, (ends[:, 0] <= truth) & (truth <= ends[:, 1]))
            value = x.sum(axis=1) / y.sum(axis=1)
            rest = x - value[:, None] * y
            error = rest.std(axis=1, ddof=1) / np.sqrt(n) / y.mean(axis=1)
            low, high = usual.ratio_percentiles(x, y, 0.025, 0.975)
            covered.add(
                n,
                fieller=inside,
                linearised=np.abs(value - truth) <= stats.t.ppf(0.975, n - 1) * error,
                bootstrap=(low <= truth) & (truth <= high),
            )
            absent.add(n, fieller=missing)
            few = (gross > 0).sum(axis=1) < 6
            safe.add(n, fieller=np.where(few, np.nan, inside))
            printed.add(n, fieller=few | missing)
        yield from covered.rows()
        yield from absent.rows() if world == "log-normal denominator" else ()
        yield from safe.rows() if world == "15 % successes" else ()
        yield from printed.rows() if world == "15 % successes" else ()


# Clusters


def clusters(repetitions: int) -> Iterator[Row]:
    """Queries in clusters, correlated .4 within them."""
    for quantity, world, equal, skewed, gain in (
        (FALSE, EQUAL, True, False, 0.0),
        (FALSE, UNLIKE, False, False, 0.0),
        (FALSE, SKEWED, False, True, 0.0),
        (POWER, UNLIKE, False, False, 0.08),
    ):
        tally = Tally("clusters", quantity, world, repetitions)
        for count in CLUSTERS:
            rng = random_of("clusters", quantity, world, count)
            found: dict[str, list[bool]] = {"clusters": [], "queries": [], "t_queries": []}
            for k in range(repetitions):
                names = np.repeat(np.arange(count), worlds.sizes_of(rng, count, equal=equal))
                d = gain + 0.15 * worlds.in_clusters(rng, names, skewed=skewed)
                zero = np.zeros(len(d))
                whole = flip_test(d, zero, clusters=names, draws=DRAWS, seed=k)
                alone = flip_test(d, zero, draws=DRAWS, seed=k)
                found["clusters"].append(whole.pvalue <= 0.05)
                found["queries"].append(alone.pvalue <= 0.05)
                found["t_queries"].append(bool(usual.student(d) <= 0.05))
            if quantity == POWER:
                found = {"clusters": found["clusters"]}
            tally.add(count, **found)
        yield from tally.rows()
    covered, absent = (Tally("clusters", what, FIVE, repetitions) for what in (COVERAGE, ABSENT))
    for count in CLUSTERS[1:]:
        rng = random_of("five", count)
        inside, missing = [], []
        for k in range(repetitions):
            names = np.repeat(np.arange(count), worlds.sizes_of(rng, count, equal=False))
            scores = np.stack([0.15 * worlds.in_clusters(rng, names) for _ in range(5)], axis=1)
            found_all = max_t(scores, clusters=names, draws=DRAWS, seed=k)
            gone = bool(np.isnan(found_all.low).all())
            excluded = bool(((found_all.low > 0) | (found_all.high < 0)).any())
            inside.append(math.nan if gone else not excluded)
            missing.append(gone)
        covered.add(count, clusters=inside)
        absent.add(count, clusters=missing)
    yield from covered.rows()
    yield from absent.rows()
    for world, truth in (("mean score, unlike sizes", 0.4), ("the same, 10 % successes", 0.1)):
        tally = Tally("clusters", COVERAGE, world, repetitions)
        for count in CLUSTERS:
            rng = random_of("scores", world, count)
            held, by_query = [], []
            for _ in range(repetitions):
                names = np.repeat(np.arange(count), worlds.sizes_of(rng, count, equal=False))
                u = worlds.as_shares(worlds.in_clusters(rng, names))
                values = u**1.5 if truth == 0.4 else (u > 0.9).astype(np.float64)
                made = mean_interval(values, clusters=names)
                held.append(made.low <= truth <= made.high)
                half = stats.t.ppf(0.975, len(u) - 1) * values.std(ddof=1) / math.sqrt(len(u))
                by_query.append(abs(values.mean() - truth) <= half)
            tally.add(count, clusters=held, t_queries=by_query)
        yield from tally.rows()


# Means of bounded scores


def means(repetitions: int) -> Iterator[Row]:
    """Intervals of one mean of scores from 0 to 1."""

    def zeros(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        return np.where(rng.random(shape) < 0.8, 0.0, rng.beta(2, 2, shape))

    cases: list[tuple[str, float, Sequence[int], Callable[..., Floats]]] = [
        (RARE_ONES, 0.05, (10, 20, 30, 50), lambda r, shape: (r.random(shape) < 0.05) * 1.0),
        (MANY_ZEROS, 0.1, SMALL, zeros),
        (AP, 0.5 / 3.5, SMALL, lambda r, shape: r.beta(0.5, 3, shape)),
        (BETA, 0.5, SMALL, lambda r, shape: r.beta(2, 2, shape)),
    ]
    for world, truth, sizes, make in cases:
        tally = Tally("means", COVERAGE, world, repetitions)
        for n in sizes:
            x = make(random_of("means", world, n), (repetitions, n))
            ends = np.array([mean_interval(row)[1:3] for row in x])
            half = stats.t.ppf(0.975, n - 1) * x.std(axis=1, ddof=1) / math.sqrt(n)
            low, high = usual.percentiles(x, 0.025, 0.975)
            tally.add(
                n,
                bounded=(ends[:, 0] <= truth) & (truth <= ends[:, 1]),
                t=np.abs(x.mean(axis=1) - truth) <= half,
                bootstrap=(low <= truth) & (truth <= high),
            )
        yield from tally.rows()


# Estimates from people's labels of some queries and a judge's of all


def estimates(repetitions: int) -> Iterator[Row]:
    """Intervals of one mean that people labelled on some queries and a judge on all."""
    for share in (0.02, 0.1, 0.2, 0.5):
        tally = Tally("estimates", COVERAGE, f"share of {share:g}, 300 other queries", repetitions)
        for n in (30, 60, 200):
            rng = random_of("estimates", share, n)
            found: dict[str, list[bool]] = {"estimate": [], "people_t": [], "powered": []}
            for _ in range(repetitions):
                y, f = worlds.judged_shares(rng, share, n, 300)
                low, high = _estimated(y[:n], f[:n], f[n:])
                found["estimate"].append(low <= share <= high)
                half = stats.t.ppf(0.975, n - 1) * y[:n].std(ddof=1) / math.sqrt(n)
                found["people_t"].append(bool(abs(y[:n].mean() - share) <= half))
                low, high = usual.powered(y[:n], f[:n], f[n:])
                found["powered"].append(low <= share <= high)
            tally.add(n, **found)
        yield from tally.rows()
    for world, truth in (
        ("graded, labelled clusters and 80 others", 0.4),
        ("share of 0.2, labelled clusters and 80 others", 0.2),
    ):
        tally = Tally("estimates", COVERAGE, world, repetitions)
        for count in (8, 20, 40):
            rng = random_of("estimates", world, count)
            found = {"estimate": [], "people_t": [], "powered": []}
            for _ in range(repetitions):
                y, f, names = worlds.judged_clusters(rng, count, 80, binary=truth == 0.2)
                n = int((names < count).sum())
                groups = names[:n], names[n:] - count
                low, high = _estimated(y[:n], f[:n], f[n:], groups)
                found["estimate"].append(low <= truth <= high)
                half = stats.t.ppf(0.975, n - 1) * y[:n].std(ddof=1) / math.sqrt(n)
                found["people_t"].append(bool(abs(y[:n].mean() - truth) <= half))
                low, high = usual.powered(y[:n], f[:n], f[n:])
                found["powered"].append(low <= truth <= high)
            tally.add(count, **found)
        yield from tally.rows()


def _estimated(
    people: Floats,
    judge: Floats,
    others: Floats,
    groups: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
) -> tuple[float, float]:
    """The interval of tare.estimate, from arrays."""
    sample = QuerySample(people[None], judge[None], others[None], None, groups)
    _, low, high = Estimator("x", sample, bounds=(0.0, 1.0)).interval(None, 0.95, 0, 0)
    return float(low[0]), float(high[0])


# Measures against people, and rankings on two item sets


def people(repetitions: int) -> Iterator[Row]:
    """Which of two measures agrees better with people: both are wrong about whole systems."""
    for quantity, world, better in (
        (FALSE, "both as good", 0.0),
        (POWER, "errors of systems .3 and 1", 0.7),
    ):
        tally = Tally("people", quantity, world, repetitions)
        for systems in (10, 20):
            rng = random_of("people", world, systems)
            found: dict[str, list[bool]] = {}
            for k in range(repetitions):
                human, one, other = worlds.measures_and_people(rng, systems, 50, better)
                wins = win_test(one, other, human, draws=DRAWS, seed=k)
                r = exchange_test(one, other, human, draws=DRAWS, seed=k)
                p = {"wins": wins.pvalue, "exchanges": r.pvalue}
                if quantity == FALSE:
                    p["signs"] = usual.sign_test(wins.wins, wins.losses)
                    p["items"] = usual.swapped_items(one, other, human, rng)
                for method, value in p.items():
                    found.setdefault(method, []).append(value <= 0.05)
            tally.add(systems, **found)
        yield from tally.rows()


def tau(repetitions: int) -> Iterator[Row]:
    """Intervals of τ between the rankings of the same systems on two item sets."""
    repetitions = max(repetitions // 2, 2)
    for systems in (10, 30):
        tally = Tally("tau", COVERAGE, f"{systems} systems", repetitions)
        for items in (25, 50, 100):
            rng = random_of("tau", systems, items)
            found = [_tau(worlds.two_item_sets(rng, systems, items), k) for k in range(repetitions)]
            values, own, drawn = (np.array(column) for column in zip(*found, strict=True))
            truth = values.mean()
            known = own[:, 0]  # no interval where no resample differs
            tally.add(
                items,
                spread=np.where(np.isnan(known), np.nan, (known <= truth) & (truth <= own[:, 1])),
                bootstrap=(drawn[:, 0] <= truth) & (truth <= drawn[:, 1]),
            )
        yield from tally.rows()


def _tau(sets: tuple[Floats, Floats], seed: int) -> tuple[float, list[float], Floats]:
    """τ, tare's interval, and percentiles."""
    first, second = sets
    made = correlate(first, second, paired=False, draws=500, seed=seed)
    ends = [math.nan if end is None else end for end in (made.low, made.high)]
    return made.value, ends, np.quantile(usual.tau_draws(first, second), (0.025, 0.975))


SECTIONS: dict[str, Callable[[int], Iterator[Row]]] = {
    "gate": gate,
    "certify": certification,
    "two": two_systems,
    "pairs": pairs,
    "baseline": baseline,
    "leaderboard": leaderboard,
    "net": net,
    "clusters": clusters,
    "means": means,
    "estimates": estimates,
    "people": people,
    "tau": tau,
}


def compared(row: Row) -> Iterator[tuple[int, float, float, float]]:
    """Yield size, our figure, the earlier one, and the difference in standard errors."""
    for size, value, known in zip(row.sizes, row.values, row.earlier or (), strict=False):
        if known is not None and value is not None:
            spread = max(value * (1 - value), known * (1 - known), 0.01)
            error = math.hypot(math.sqrt(spread * (1 / row.repetitions + 1 / 1000)), 0.003)
            yield size, value, known, (value - known) / error


def show(row: Row) -> None:
    """Print one row, with the earlier figures."""
    values = " / ".join("–" if value is None else f"{value:.3f}" for value in row.values)
    known = ""
    if row.earlier is not None:
        shown = ("–" if figure is None else f"{figure:g}" for figure in row.earlier)
        known = f"   earlier {' / '.join(shown)}"
    sizes = "/".join(map(str, row.sizes))
    print(f"  {row.quantity:13}{row.world:52}{sizes:14}{row.method:22}{values}{known}", flush=True)


def main() -> None:
    """Simulate, print and save."""
    parser = options(__doc__)
    parser.add_argument("--only", nargs="+", choices=list(SECTIONS), default=list(SECTIONS))
    parser.add_argument("--repetitions", type=int, default=1000, help="data sets per cell")
    given = parser.parse_args()
    repetitions = 40 if given.small else given.repetitions
    about = machine(("scipy",))
    made: list[Row] = []
    warnings.simplefilter("error")
    for name in given.only:
        start = time.perf_counter()
        print(f"\n== {name}", flush=True)
        for row in SECTIONS[name](repetitions):
            made.append(row)
            show(row)
        print(f"({time.perf_counter() - start:.0f} s)", flush=True)
    again = [(row, *cell) for row in made for cell in compared(row)]
    near = sum(abs(error) <= 2.5 for *_, error in again)
    print(f"\n{near} of {len(again)} earlier figures are found again within 2.5 standard errors.")
    for row, size, value, known, error in again:
        if abs(error) > 2.5:
            print(
                f"  {row.section}, {row.world}, {size}, {row.method}: {value:.3f}, earlier {known:g}"
            )
    if not given.small:
        rows = [asdict(row) for row in made]
        saved = folder(False) / "validity.json"
        if saved.exists():  # sections that were not run keep their rows
            old = json.loads(saved.read_text(encoding="utf-8"))["figures"]["rows"]
            rows += [row for row in old if row["section"] not in given.only]
        rows.sort(key=lambda row: list(SECTIONS).index(row["section"]))
        keep("validity", {"draws": DRAWS, "rows": rows}, about=about)
        print("python docs/validity_page.py makes the page")


if __name__ == "__main__":
    main()
