"""Families of comparisons: pairs of systems of one measure, tested together; and the defaults of a comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, listed
from tare._decide.pairs import pairs_of
from tare._measures.aggregation import Ratio, best_first, better_end
from tare._measures.clusters import singular, unit_name
from tare._measures.measure import Measure
from tare._measures.names import column_measure
from tare._result import Row, Rows
from tare._tables import p_stated
from tare.errors import MismatchError, OptionError
from tare.stats._classical_tests import two_sided_t
from tare.stats._corrections import adjust
from tare.stats._effects import Effects, effects
from tare.stats._flips import least_units, own_ends
from tare.stats._intervals import mean_intervals, summed_intervals
from tare.stats._named_tests import TESTS, TestOptions, pairs_needed, run_test, smallest_p
from tare.stats._paired_differences import Pairs, PairTest, SummedPairs
from tare.stats._randomisation import DRAWS
from tare.stats._student import fieller, student_u
from tare.stats._tests_of_all_systems import letters

if TYPE_CHECKING:
    from tare._measures.scores import Scores

__all__ = [
    "AUTO",
    "Choice",
    "Family",
    "Leader",
    "adjusted_p",
    "comparable_pairs",
    "decide",
    "leader",
    "no_net_test",
    "refuse_with_clusters",
    "tested_family",
    "turned",
    "untested_family",
    "usable",
]


# The defaults of a comparison: which pairs, which test, which correction.


AUTO = "auto"


def comparable_pairs(
    table: Scores, baseline: str | Sequence[str] | None, digits: int
) -> tuple[list[Pairs], list[Finding]]:
    """Return the pairs of systems of each measure that can be compared as a family, and what was left out."""
    pairs: list[Pairs] = []
    findings: list[Finding] = []
    for measure in table.measures:
        found = pairs_of(table, measure=measure.text, baseline=baseline, digits=digits)
        if no_net_test(table, measure):
            pairs.append(found)
            continue
        kept, left_out = usable(found, measure.text)
        if len(found.items) < len(table.items) and measure in table.ratios:
            message = (
                f"{measure} is a ratio of means; systems are compared on the {len(found.items):,} of "
                f"{len(table.items):,} items that every system has."
            )
            findings.append(Finding("left out", message, len(table.items) - len(found.items)))
        pairs.append(kept)
        findings += left_out
    return pairs, findings


def no_net_test(table: Scores, measure: Measure) -> str:
    """Return why two net scores of a measure are not compared; empty if they are."""
    ratio = table.ratios.get(measure)
    if type(ratio) is not Ratio:
        return ""
    if np.isnan(ratio.means()).any():
        return (
            f"it is undefined where chance scores as high as the ideal on all {unit_name(measure)}"
        )
    if not ratio.shared:
        return (
            "the room between chance and the ideal differs between systems, so that their net scores have no "
            "common denominator; each has its own interval"
        )
    return ""


def usable(pairs: Pairs, measure: str) -> tuple[Pairs, list[Finding]]:
    """Keep the pairs of a family whose systems have a common item; report the others."""
    keep = pairs.n >= 1
    if keep.all():
        return pairs, []
    few = ["–".join(pairs.name(int(k))) for k in np.flatnonzero(~keep)]
    if not keep.any():
        raise MismatchError(
            f"{measure}: no two systems have a score on the same item. Items are matched by id: are the ids of "
            "all systems of one kind?"
        )
    finding = Finding(
        "too few common items",
        f"{measure}: {len(few):,} pairs have no common item and were not compared",
        len(few),
        examples=listed(few),
    )
    return pairs.take(keep), [finding]


MOST_FLIPPED = 10**9  # signed differences of an incomplete table, which takes half a minute


@dataclass(frozen=True)
class Choice:
    """The test of families of comparisons with its correction and draws, and which of test and correction are defaults."""

    test: str
    correction: str
    draws: int
    chosen: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def decide(test: str, correction: str, pairs: list[Pairs], *, draws: int = DRAWS) -> Choice:
    """Return the test and the correction.

    The default is the permutation test by the largest |t|. Where that is not defined, Holm's correction
    takes its place: for measures of summed statistics, and for incomplete tables, whose pairs have
    different items. There each pair has its own flips, as many as Holm's first step needs.
    """
    most = max((len(family) for family in pairs), default=0)
    summed = any(isinstance(family, SummedPairs) for family in pairs)
    whole = all(p.complete.all() for p in pairs)
    chosen, findings = [], []
    automatic = test == AUTO
    if automatic:
        chosen.append("test")
        test = "permutation"
    covered = TESTS[test].family_wise
    if correction == AUTO:
        chosen.append("correction")
        by_largest = TESTS[test].by_largest and whole and not summed
        correction = "none" if covered or most <= 1 else "max-t" if by_largest else "holm"
    if automatic and correction == "holm" and not summed:
        draws = max(draws, 40 * most)
        flipped = draws * sum(int(family.n.sum()) for family in pairs)
        if flipped > MOST_FLIPPED:
            test = "t"
            text = (
                f"{flipped:.2g} flips of differences would be needed: the paired t-test with Holm's "
                "correction was used instead. It assumes normal differences"
            )
            findings.append(Finding("left out", text, severity="note"))
    if covered and correction != "none":
        raise OptionError(
            f"test={test!r} covers the whole family already; correction={correction!r} would "
            "correct twice. Leave the correction out, or choose a test on pairs such as "
            "'permutation' or 't'."
        )
    if correction == "max-t" and not TESTS[test].by_largest:
        able = " or ".join(repr(name) for name, t in TESTS.items() if t.by_largest)
        raise OptionError(f"correction='max-t' needs test={able}; found test={test!r}.")
    return Choice(test, correction, draws, tuple(chosen), tuple(findings))


def refuse_with_clusters(test: str, interval: str, pairs: Sequence[Pairs]) -> None:
    """Refuse tests and intervals of families that would take the items of one cluster as independent."""
    for family in pairs:
        if isinstance(family, SummedPairs):
            raise OptionError(
                f"{family.summed.measure} is computed from the summed statistics of all items; clusters need a value "
                "per item. Leave the measure or the clusters out."
            )
    if test != "permutation":
        raise OptionError(
            f"test={test!r} takes the items of one cluster as independent. With clusters use "
            "test='permutation', which flips whole clusters."
        )
    if interval != AUTO:
        raise OptionError(
            f"interval={interval!r} takes the items of one cluster as independent. Leave it out: the intervals of "
            "the permutation test are over clusters."
        )


# A family of comparisons: all pairs of systems of one measure, tested together.


Floats = NDArray[np.float64]


SWAPPED = {"system": "against", "wins": "losses", "p_worse": "p_better"}
SIGNED = ("difference", "d_z", "rank_biserial", "statistic", "cliffs_delta")


def turned(row: Row) -> Row:
    """Return the row of a comparison with its two systems swapped."""
    made = dict(row)
    for one, other in SWAPPED.items():
        if one in row:
            made[one], made[other] = row[other], row[one]
    made |= {name: -row[name] for name in SIGNED}
    return made | {
        "low": -row["high"],
        "high": -row["low"],
        "superiority": 1 - row["superiority"],
    }


@dataclass(frozen=True, eq=False)
class Family:
    """The family of the pairs of one measure, tested together: p-values, corrected p-values, effects and intervals."""

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
        """A family from the result of a test of pairs: corrected, with effects and intervals."""
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
        """Which pairs of the family differ at the level alpha, after the correction."""
        found: NDArray[np.bool_] = self.adjusted <= self.alpha * (1 + 1e-9)
        return found

    @cached_property
    def direction_risk(self) -> Floats:
        """The risk that the sign of a pair's difference is wrong (type III): P(T ≤ −|t|) of the paired t.

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
        """The systems of a family, best mean first, by name where means are equal; those without scores last."""
        return tuple(best_first(self.means, self.measure))

    @cached_property
    def different(self) -> list[tuple[str, str]]:
        """The pairs that differ significantly."""
        return [self.result.pairs.name(int(k)) for k in np.flatnonzero(self.significant)]

    @cached_property
    def lettered(self) -> bool:
        """Whether all pairs of systems of the family were tested, so that letters tell which do not differ."""
        return self.all_pairs and not bool(np.isnan(self.adjusted).any())

    @cached_property
    def letters(self) -> dict[str, str]:
        """Systems of the family that share a letter do not differ; empty unless all pairs were tested."""
        return letters(self.ranking, self.different) if self.lettered else {}

    @cached_property
    def tied_with_best(self) -> tuple[str, ...]:
        """The systems of the family that do not differ significantly from the one with the best mean."""
        best = self.ranking[0]
        apart = {b if a == best else a for a, b in self.different if best in (a, b)}
        tested = (self.result.pairs.name(int(k)) for k in np.flatnonzero(~np.isnan(self.adjusted)))
        with_best = {b if a == best else a for a, b in tested if best in (a, b)}
        return tuple(s for s in self.ranking[1:] if s in with_best and s not in apart)

    def compared_with(self, system: str) -> dict[str, Row]:
        """Return the comparisons of one system with the others of its family by the name of the other one.

        Differences, intervals and effects are those of `system` minus the other. `better` is whether
        `system` is better on the items that both have.
        """
        sign = -1 if better_end(self.measure) == "lower" else 1
        found: dict[str, Row] = {}
        for row in self.rows():
            if system in (row["system"], row["against"]):
                own = row if row["system"] == system else turned(row)
                found[own["against"]] = own | {"better": sign * own["difference"] > 0}
        return found

    def rows(self) -> Rows:
        """Return one dictionary per pair."""
        result, effects = self.result, self.effects
        made: Rows = []
        for k in range(len(self)):
            a, b = result.pairs.name(k)
            row: Row = {
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


@dataclass(frozen=True)
class Leader:
    """What is said about the leader, the system of a family with the best mean: a title, its test against the next, and more."""

    title: str
    difference: str = ""
    before: str = ""
    after: str = ""
    tone: Literal["good", "note", "warning"] = "note"

    @property
    def answer(self) -> str:
        """The title of the leader of a family, and its difference from the next system."""
        return f"{self.title} {self.difference}".strip()

    @property
    def text(self) -> str:
        """All sentences after the title."""
        return " ".join(filter(None, (self.before, self.difference, self.after)))


UNTESTED = "Its difference from the other systems was not tested."


def leader(
    measure: str, means: Mapping[str, float], ranking: Sequence[str], family: Family | None
) -> Leader | None:
    """Return what is said about the leader of a family, and whether it is significantly better."""
    best = ranking[0]
    mean = means[best]
    if math.isnan(mean):
        return None
    if len(ranking) == 1:
        return Leader(f"{best} scores {mean:.3f} by {measure}.")
    highest = f"{best} has the best mean {measure}, {mean:.3f}."
    tested = {} if family is None else family.compared_with(best)
    # With a baseline, the second-best system may not have been compared with the best one.
    against = next((system for system in ranking[1:] if system in tested), None)
    if family is None or against is None or math.isnan(tested[against]["p_adjusted"]):
        return Leader(highest, UNTESTED)
    row = tested[against]
    untested = ""
    if against != ranking[1]:
        untested = f"It was not tested against {ranking[1]}, which has the second-best mean."
    difference = _in_words(row, against, family.alpha)
    if row["significant"] and not row["better"]:
        # The means are over different items.
        return Leader(highest, f"{difference} on the items that both systems have.", tone="warning")
    if row["significant"]:
        beaten = [
            s
            for s in ranking[1:]
            if s in tested and tested[s]["significant"] and tested[s]["better"]
        ]
        others = "every other system" if len(beaten) == len(ranking) - 1 else against
        title = f"{best} is significantly better than {others} by {measure}."
        return Leader(title, f"{difference}.", f"It scores {mean:.3f}.", untested, "good")
    tied = len(family.tied_with_best)
    also = ""
    if family.all_pairs and tied > 0:
        what = "1 system is" if tied == 1 else f"{tied:,} systems are"
        also = f"{what} not significantly different from it."
    after = " ".join(filter(None, (also, untested)))
    return Leader(highest, f"{difference}, which is consistent with chance.", after=after)


def _in_words(row: Row, against: str, alpha: float) -> str:
    """Say a pair's difference, its interval, p-value and effect size, without a full stop."""
    interval = ""
    if not math.isnan(row["low"]):
        level = f"{100 * (1 - alpha):g} % interval"
        interval = f"{level} {_signed(row['low'])} to {_signed(row['high'])}, "
    effect = f", d_z = {_signed(row['d_z'], 2)}" if math.isfinite(row["d_z"]) else ""
    return (
        f"Its difference from {against} is {_signed(row['difference'])} "
        f"({interval}{p_stated(row['p_adjusted'])}{effect})"
    )


def _signed(number: float, digits: int = 3) -> str:
    return f"{number:.{digits}f}".replace("-", "−")


def _effects(result: PairTest) -> Effects:
    """The effects of the pairs of a family, with the differences that the test adjusted, if it did."""
    made = effects(result.pairs)
    return made if result.centre is None else replace(made, difference=result.centre)


def _means(pairs: Pairs) -> dict[str, float]:
    """The mean of each system of a family over its own items; NaN without any."""
    if isinstance(pairs, SummedPairs) and pairs.values is not None:
        return dict(zip(pairs.systems, pairs.values.tolist(), strict=True))
    return {
        system: math.fsum(row[~np.isnan(row)]) / count if count else math.nan
        for system, row, count in zip(
            pairs.systems, pairs.scores, (~np.isnan(pairs.scores)).sum(axis=1), strict=True
        )
    }


def adjusted_p(result: PairTest, correction: str) -> Floats:
    """The p-values of a family of comparisons after a correction, "max-t" included."""
    if correction == "max-t" and result.adjusted is not None:
        # By chance a drawn one can fall below the single p; it never claims more than that.
        return np.maximum(result.adjusted, result.p)
    return adjust(result.p, correction)


def _ends(
    result: PairTest, interval: str, correction: str, options: TestOptions
) -> tuple[str, Floats]:
    """The kind and the ends of the interval of each difference in a family of pairs.

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
    """Fieller's intervals of a family's differences of ratios that share their rooms."""
    assert pairs.rooms is not None
    rooms = np.broadcast_to(pairs.rooms, pairs.differences.shape)
    return fieller(pairs.differences, rooms, student_u(pairs.n, 1 - alpha), pairs.n)


# The test of one measure: its pairs of systems, as a family with the findings of the test.


SIGNS = ("permutation", "sign", "wilcoxon")  # tests that are defined for one item


def tested_family(
    measure: str,
    pairs: Pairs,
    test: str,
    correction: str,
    interval: str,
    options: TestOptions,
    *,
    all_pairs: bool,
) -> tuple[Family, list[Finding]]:
    """Test the pairs of a measure; return their family, and what a reader should know about the test."""
    findings = []
    result = run_test(pairs, test, options)
    if result.note and TESTS[test].family_wise:
        findings.append(Finding("left out", f"{measure}: {result.note}."))
        # Differences, effects and n are those of the items that were tested.
        pairs = pairs.on_complete_items()
        result = run_test(pairs, test, options)
    draws, alpha = options.draws, options.alpha
    if test not in SIGNS:  # one item has no spread; a resample of it is the same again
        single = pairs.n < 2
        result = replace(result, p=np.where(single, np.nan, result.p))
    if result.units is not None and pairs.clusters is not None:
        findings += _few_clusters(measure, result, alpha)
    if result.differing is not None:
        findings += _few_differences(measure, result, alpha)
    if not np.isnan(result.p).all():
        findings += _resolution_findings(
            test, correction, result, measure, draws=draws, alpha=alpha
        )
    family = Family.of(measure, result, correction, interval, options, all_pairs=all_pairs)
    return family, findings


def untested_family(
    table: Scores, measure: Measure, pairs: Pairs, why: str, alpha: float
) -> Family:
    """Return the family of pairs of a net score that are not compared; each mean has its own interval."""
    one = table[measure]
    levels = one.intervals(confidence=1 - alpha)[:, 0]
    means = {system: row[measure.text] for system, row in one.means().items()}
    return Family.without_test(measure.text, pairs, means, levels, why, alpha)


def _few_clusters(measure: str, result: PairTest, alpha: float) -> list[Finding]:
    """Report pairs of a family without a test, because they have too few clusters."""
    assert result.units is not None
    least = least_units(alpha)
    few = np.flatnonzero(result.units < least)
    if not len(few):
        return []
    most = int(result.units.max())
    text = (
        f"{measure}: no test with {most} clusters; p can reach {alpha:g} from {least} clusters on"
    )
    return [Finding("too few clusters", text, len(few))]


def _few_differences(measure: str, result: PairTest, alpha: float) -> list[Finding]:
    """Report pairs of a family that differ on too few units for p to reach alpha; their interval is missing."""
    assert result.differing is not None
    assert result.units is not None
    pairs, least = result.pairs, least_units(alpha)
    few = np.flatnonzero((result.differing < least) & (result.units >= least))
    if not len(few):
        return []
    unit = unit_name(column_measure(measure), pairs.clusters is not None)
    names = [
        f"{'–'.join(pairs.name(int(k)))} differs on {_counted(int(result.differing[k]), unit)}"
        for k in few
    ]
    return [
        Finding(
            "few differences",
            f"{measure}: {len(few):,} of {len(pairs):,} pairs differ on fewer than {least} {unit}, so that "
            f"p cannot reach {alpha:g}; they have no interval",
            len(few),
            examples=listed(names),
            severity="note",
        )
    ]


def _counted(count: int, unit: str) -> str:
    if count == 0:
        return f"no {singular(unit)}"
    return f"1 {singular(unit)} only" if count == 1 else f"{count} {unit} only"


# Whether a corrected p-value can be significant at all, and what to do where it cannot.


def _resolution_findings(
    test: str, correction: str, result: PairTest, measure: str, *, draws: int, alpha: float
) -> list[Finding]:
    """Report that nothing in a family of pairs, or no single pair, can be significant, and what to do about it."""
    pairs, units = result.pairs, result.units
    needed = pairs_needed(test, correction, pairs, draws=draws, alpha=alpha, units=units)
    if needed == 1:
        return []
    count, least = len(pairs), float(smallest_p(test, pairs, draws, units).min())
    by_draws = TESTS[test].random and least <= (1 + 1e-9) / (draws + 1)
    unit = unit_name(column_measure(measure), pairs.clusters is not None)
    most = int((pairs.n if units is None else units).max())
    few = f"{most} {unit if most != 1 else singular(unit)}"
    source = f"{draws:,} draws" if by_draws else few
    limit = f"{measure}: with {source} p cannot fall below {least:.4g}"
    limit += (
        f", and {correction} multiplies it by up to {count:,}" if _multiplies(correction) else ""
    )
    if needed is not None:
        text = (
            f"{limit}: a pair can be significant only if at least {needed:,} pairs are that clear"
        )
        return [
            Finding(
                "resolution",
                f"{text}. {_way_out(test, correction, by_draws, count, alpha, unit)}",
                severity="note",
            )
        ]
    text = f"{limit}: no difference can be significant at {alpha:g}, however large"
    return [
        Finding("resolution", f"{text}. {_way_out(test, correction, by_draws, count, alpha, unit)}")
    ]


def _multiplies(correction: str) -> bool:
    return correction not in ("none", "max-t")


def _way_out(
    test: str, correction: str, by_draws: bool, count: int, alpha: float, unit: str
) -> str:
    factor = count if _multiplies(correction) else 1
    if not by_draws:
        items = math.ceil(1 + math.log2(factor / alpha))
        if unit == "clusters":
            return f"Use at least {items} clusters."
        return f"Use at least {items} {unit}, or test='t', which assumes normal differences."
    ways = []
    if correction != "max-t" and TESTS[test].by_largest:
        ways.append("correction='max-t'")
    ways.append(f"draws={_rounded(factor / alpha):,} or more")
    return f"Use {' or '.join(ways)}."


def _rounded(value: float) -> int:
    """The next number with two digits."""
    size = int(10 ** max(0, math.floor(math.log10(value)) - 1))
    return math.ceil(value / size) * size
