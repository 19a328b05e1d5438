"""A family of comparisons: all pairs of systems of one measure, tested together."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._decide.choices import AUTO
from tare._measures.aggregation import better_end
from tare._measures.means_and_intervals import fieller, student_u
from tare.stats._classical_tests import two_sided_t
from tare.stats._corrections import adjust
from tare.stats._effects import Effects, effects
from tare.stats._flips import own_ends
from tare.stats._intervals import mean_intervals, summed_intervals
from tare.stats._named_tests import TestOptions
from tare.stats._paired_differences import Pairs, PairTest, SummedPairs
from tare.stats._tests_of_all_systems import letters

__all__ = ["Family", "adjusted_p"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Family:
    """The pairs of one measure, tested together: p-values, corrected p-values, effects and intervals."""

    measure: str
    means: dict[str, float]
    result: PairTest
    adjusted: Floats
    alpha: float
    effects: Effects
    ends: Floats
    all_pairs: bool = True
    interval: str = field(default="t", kw_only=True)  # the kind of the intervals
    untested: str = field(default="", kw_only=True)  # why no pair was tested
    levels: Floats | None = field(default=None, kw_only=True)  # intervals of the means, if untested

    @classmethod
    def of(
        cls,
        measure: str,
        result: PairTest,
        correction: str,
        interval: str,
        options: TestOptions,
        *,
        all_pairs: bool = True,
    ) -> Family:
        """A family from the result of a test: corrected, with effects and intervals."""
        kind, ends = _ends(result, interval, correction, options)
        wide = ends[:, 1] - ends[:, 0] > 0.01 * result.pairs.quantum
        ends = np.where(wide[:, None], ends, np.nan)  # none of zero width
        return cls(
            measure,
            _means(result.pairs),
            result,
            adjusted_p(result, correction),
            options.alpha,
            _effects(result),
            ends,
            all_pairs,
            interval=kind,
        )

    @classmethod
    def without_test(
        cls,
        measure: str,
        pairs: Pairs,
        means: dict[str, float],
        levels: Floats,
        why: str,
        alpha: float,
    ) -> Family:
        """A family whose pairs cannot be compared: each mean with its own interval, and no difference."""
        none = np.full(len(pairs), np.nan)
        zero = np.zeros(len(pairs), dtype=np.int64)
        result = PairTest("none", pairs, none, none, pairs.n, ("not tested",) * len(pairs))
        return cls(
            measure,
            means,
            result,
            none,
            alpha,
            Effects(none, none, none, none, none, zero, zero, zero),
            np.full((len(pairs), 2), np.nan),
            False,
            interval="none",
            untested=why,
            levels=levels,
        )

    def __len__(self) -> int:
        return len(self.adjusted)

    @cached_property
    def significant(self) -> NDArray[np.bool_]:
        """Which pairs differ at the level alpha, after the correction."""
        found: NDArray[np.bool_] = self.adjusted <= self.alpha * (1 + 1e-9)
        return found

    @cached_property
    def direction_risk(self) -> Floats:
        """The risk that the sign of a difference is wrong (type III): P(T ≤ −|t|) of the paired t.

        With a flat prior this is the probability that the true difference has the other sign.
        """
        if self.untested:
            return np.full(len(self), np.nan)
        result = self.result
        t = result.pairs.t if result.unit_t is None else result.unit_t
        n = (result.pairs.n if result.units is None else result.units).astype(np.float64)
        tail = two_sided_t(t, n - 1) / 2
        return np.where(np.isnan(result.p), np.nan, np.where(np.isinf(t), 2.0**-n, tail))

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """The systems, best mean first, by name where means are equal; those without scores last."""
        sign = 1 if better_end(self.measure) == "lower" else -1

        def place(system: str) -> tuple[bool, float, str]:
            mean = self.means[system]
            return np.isnan(mean), 0.0 if np.isnan(mean) else sign * round(mean, 12), system

        return tuple(sorted(self.means, key=place))

    @cached_property
    def different(self) -> list[tuple[str, str]]:
        """The pairs that differ significantly."""
        return [self.result.pairs.name(int(k)) for k in np.flatnonzero(self.significant)]

    @cached_property
    def lettered(self) -> bool:
        """Whether all pairs of systems were tested, so that letters tell which do not differ."""
        return self.all_pairs and not bool(np.isnan(self.adjusted).any())

    @cached_property
    def letters(self) -> dict[str, str]:
        """Systems that share a letter do not differ; empty unless all pairs were tested."""
        return letters(self.ranking, self.different) if self.lettered else {}

    @cached_property
    def tied_with_best(self) -> tuple[str, ...]:
        """The systems that do not differ significantly from the one with the best mean."""
        best = self.ranking[0]
        apart = {b if a == best else a for a, b in self.different if best in (a, b)}
        tested = (self.result.pairs.name(int(k)) for k in np.flatnonzero(~np.isnan(self.adjusted)))
        with_best = {b if a == best else a for a, b in tested if best in (a, b)}
        return tuple(s for s in self.ranking[1:] if s in with_best and s not in apart)

    def rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per pair."""
        result, effects = self.result, self.effects
        made: list[dict[str, Any]] = []
        for k in range(len(self)):
            a, b = result.pairs.name(k)
            row: dict[str, Any] = {
                "measure": self.measure,
                "system": a,
                "against": b,
                "n": int(result.pairs.n[k]),
                "difference": float(effects.difference[k]),
                "low": float(self.ends[k, 0]),
                "high": float(self.ends[k, 1]),
                "statistic": float(result.statistic[k]),
                "p": float(result.p[k]),
                "p_error": None if result.error is None else float(result.error[k]),
                "p_adjusted": float(self.adjusted[k]),
                "significant": bool(self.significant[k]),
                "direction_risk": float(self.direction_risk[k]),
                "d_z": float(effects.d_z[k]),
                "rank_biserial": float(effects.rank_biserial[k]),
                "cliffs_delta": float(effects.cliffs_delta[k]),
                "superiority": float(effects.superiority[k]),
                "wins": int(effects.wins[k]),
                "ties": int(effects.ties[k]),
                "losses": int(effects.losses[k]),
                "method": result.methods[k],
            }
            made.append(row)
        return made


def _effects(result: PairTest) -> Effects:
    """The effects of the pairs, with the differences that the test adjusted, if it did."""
    made = effects(result.pairs)
    return made if result.centre is None else replace(made, difference=result.centre)


def _means(pairs: Pairs) -> dict[str, float]:
    """The mean of each system over its own items; NaN without any."""
    if isinstance(pairs, SummedPairs) and pairs.values is not None:
        return dict(zip(pairs.systems, pairs.values.tolist(), strict=True))
    return {
        system: math.fsum(row[~np.isnan(row)]) / count if count else math.nan
        for system, row, count in zip(
            pairs.systems, pairs.scores, (~np.isnan(pairs.scores)).sum(axis=1), strict=True
        )
    }


def adjusted_p(result: PairTest, correction: str) -> Floats:
    """The p-values of a test after a correction, "max-t" included."""
    if correction == "max-t" and result.adjusted is not None:
        # By chance a drawn one can fall below the single p; it never claims more than that.
        return np.maximum(result.adjusted, result.p)
    return adjust(result.p, correction)


def _ends(
    result: PairTest, interval: str, correction: str, options: TestOptions
) -> tuple[str, Floats]:
    """The kind and the ends of the interval of each difference.

    "auto" are those that belong to the test: simultaneous ones, or for flips without the largest |t| those
    of each pair's own flips ("flips"), at level alpha divided by the number of pairs if a correction for
    all pairs was made ("flips, alpha/pairs"). Otherwise they are Student's.
    """
    pairs, how = result.pairs, "t" if interval == AUTO else interval
    draws: dict[str, Any] = {
        "draws": options.draws,
        "seed": options.seed,
        "threads": options.threads,
    }
    if isinstance(pairs, SummedPairs):
        confidence = 1 - options.alpha
        return how, summed_intervals(
            pairs, method=how, confidence=confidence, engine=options.engine, **draws
        )
    if interval == AUTO and result.ends is not None:
        return "simultaneous", result.ends
    if interval == AUTO and result.half_width is not None:
        centre = pairs.means if result.centre is None else result.centre
        half = result.half_width
        return "simultaneous", np.stack([centre - half, centre + half], axis=1)
    if interval == AUTO and result.test == "permutation":
        family_wise = correction in ("bonferroni", "holm", "hochberg")
        level = options.alpha / (len(pairs) if family_wise else 1)
        kind = "flips, alpha/pairs" if family_wise else "flips"
        return kind, own_ends(pairs, level=level, **draws)
    if how == "t" and pairs.rooms is not None:
        return how, _ratio_ends(pairs, options.alpha)
    return how, mean_intervals(
        pairs.with_linearised().differences,
        method=how,
        confidence=1 - options.alpha,
        engine=options.engine,
        **draws,
    )


def _ratio_ends(pairs: Pairs, alpha: float) -> Floats:
    """Fieller's intervals of differences of ratios that share their rooms."""
    assert pairs.rooms is not None
    rooms = np.broadcast_to(pairs.rooms, pairs.differences.shape)
    return fieller(pairs.differences, rooms, student_u(pairs.n, 1 - alpha), pairs.n)
