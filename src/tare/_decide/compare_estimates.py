"""Comparing estimated values: differences of systems with t, z or the bootstrap, as tables and in words."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._decide.compare import CORRECTION_WORDS, Comparison
from tare._decide.estimates import (
    LEAST_CLUSTERS,
    DifferenceColumn,
    Estimates,
    answer_of,
    assumption,
    sentences,
)
from tare._decide.families import AUTO, Family
from tare._decide.judge_corrected import Estimator, Floats, Spread, by_largest, quantile
from tare._signature import tare_version
from tare._tables import Column, PColumn, Table, interval_column
from tare.errors import MismatchError, OptionError, check_share, choose
from tare.stats._classical_tests import two_sided_t
from tare.stats._corrections import CORRECTIONS, adjust
from tare.stats._draws import monte_carlo
from tare.stats._effects import Effects
from tare.stats._named_tests import TESTS, TestOptions
from tare.stats._paired_differences import DIGITS, Pairs, PairTest, chosen_pairs
from tare.stats._randomisation import DRAWS, check_draws

__all__ = [
    "ESTIMATE_TESTS",
    "POWER",
    "EstimateComparison",
    "EstimatedFamily",
    "compare_estimates",
    "estimate_paragraph",
    "legend",
    "methods_paragraph",
    "pair_table",
    "refuse_options",
]


# The differences of estimated values of one measure, tested together.


POWER = 0.8  # of the difference that a comparison could have found


@dataclass(frozen=True, eq=False)
class EstimatedFamily(Family):
    """Pairs of systems with estimated differences.

    Attributes
    ----------
    estimator : Estimator
        The values behind the estimates.
    spread : Spread
        The differences, their errors and degrees of freedom.
    """

    estimator: Estimator | None = None
    spread: Spread | None = None

    @classmethod
    def made(
        cls,
        estimator: Estimator,
        systems: tuple[str, ...],
        places: tuple[NDArray[np.int32], NDArray[np.int32]],
        spread: Spread,
        statistic: Floats,
        p: Floats,
        adjusted: Floats,
        ends: Floats,
        *,
        alpha: float,
        error: Floats | None,
        test: str,
        all_pairs: bool,
    ) -> EstimatedFamily:
        """Return the family of a measure."""
        count = len(p)
        n = np.full(count, estimator.sample.n, dtype=np.int64)
        missing = np.full(count, np.nan)
        none = np.zeros(count, dtype=np.int64)
        pairs = Pairs(
            systems,
            (),
            np.zeros((len(systems), 0)),
            *places,
            np.zeros((count, 0)),
            np.zeros(count),
            n,
            spread.value,
            spread.error * np.sqrt(n),
        )
        name = {"t": "t distribution", "z": "normal", "bootstrap": "bootstrap"}[test]
        result = PairTest(
            test, pairs, statistic, p, n, (name,) * count, freedom=spread.freedom, error=error
        )
        effects = Effects(spread.value, missing, missing, missing, missing, none, none, none)
        means = dict(zip(systems, estimator.fit.value.tolist(), strict=True))
        return cls(
            estimator.measure,
            means,
            result,
            adjusted,
            alpha,
            effects,
            ends,
            all_pairs,
            estimator,
            spread,
        )

    @cached_property
    def direction_risk(self) -> Floats:
        """The risk that the sign of a difference of estimates is wrong: half the two-sided p-value."""
        return self.result.p / 2

    @cached_property
    def detectable(self) -> Floats:
        """The true difference that this comparison of estimates finds with a power of 80 %, before correction."""
        assert self.spread is not None
        freedom = self.spread.freedom
        reach = quantile(freedom, 1 - self.alpha / 2) + quantile(freedom, POWER)
        made: Floats = reach * self.spread.error
        return made

    def rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per pair."""
        assert self.spread is not None
        assert self.estimator is not None
        first, second = self.result.pairs.first, self.result.pairs.second
        people = self.estimator.people.differences(first, second)
        people_low, people_high = people.ends(1 - self.alpha)
        judge = self.estimator.judge[0]
        apart = judge[first] - judge[second] + 0.0
        columns = {
            "difference": self.spread.value,
            "low": self.ends[:, 0],
            "high": self.ends[:, 1],
            "statistic": self.result.statistic,
            "freedom": self.spread.freedom,
            "p": self.result.p,
            "p_adjusted": self.adjusted,
            "significant": self.significant,
            "direction_risk": self.direction_risk,
            "detectable": self.detectable,
            "people": people.value,
            "people_low": people_low,
            "people_high": people_high,
            "judge": apart,
        }
        values = {name: column.tolist() for name, column in columns.items()}
        values["freedom"] = [None if np.isinf(f) else f for f in self.spread.freedom.tolist()]
        systems = self.result.pairs.systems
        n = self.estimator.sample.n
        return [
            {
                "measure": self.measure,
                "system": systems[int(first[k])],
                "against": systems[int(second[k])],
                "n": n,
                **{name: column[k] for name, column in values.items()},
                "p_error": None if self.result.error is None else float(self.result.error[k]),
            }
            for k in range(len(self))
        ]


# A comparison of estimates in words, and as a table of pairs.


WORDS = {
    "t": "Student's t of the estimated difference and its own standard error",
    "z": "the normal distribution of the estimated difference and its own standard error",
    "bootstrap": "the studentised bootstrap over queries",
}


def _estimates(comparison: EstimateComparison) -> Estimates:
    assert comparison.estimates is not None
    return comparison.estimates


def pair_table(comparison: EstimateComparison) -> Table:
    """The pairs of a comparison of estimates, one row per pair and measure; significant corrected p-values are marked."""
    several = len(comparison.families) > 1
    corrected = comparison.correction != "none"
    level = f"{100 * (1 - comparison.alpha):g} % interval"
    adjusted = f"p ({comparison.correction})" if corrected else "p"
    columns = [
        Column("measure", align="left") if several else None,
        Column("system", align="left"),
        Column("against", align="left"),
        DifferenceColumn("difference"),
        interval_column(level),
        PColumn("p"),
        PColumn(adjusted, of="p_adjusted") if corrected else None,
        Column("detectable"),
        DifferenceColumn("people only", of="people"),
        interval_column(f"{level} (people)", of=("people_low", "people_high")),
        DifferenceColumn("judge only", of="judge"),
    ]
    notes = [f"{legend(comparison)} * significant.", assumption(_estimates(comparison))]
    notes += [f"! {finding}" for finding in comparison.findings]
    return Table.of_rows(
        columns,
        comparison.rows(),
        title="Differences",
        notes=notes,
        marks={adjusted: "significant"},
    )


def legend(comparison: EstimateComparison) -> str:
    """Return every choice behind a comparison of estimates, in one line."""
    parts = [
        f"test: {comparison.test} (the true difference is 0; {WORDS[comparison.test]})",
        f"correction: {comparison.correction}",
        f"alpha: {comparison.alpha:g}, two-sided",
    ]
    if comparison.test == "bootstrap":
        parts.append(f"draws: {comparison.options.draws:,}, seed {comparison.options.seed}")
    if comparison.chosen:
        parts.append(f"chosen by default: {', '.join(comparison.chosen)}")
    level = f"{100 * (1 - comparison.alpha):g} %"
    parts.append(f"intervals: {level} for each difference by itself")
    parts.append("detectable: the true difference found with a power of 80 %, before correction")
    return "; ".join(parts) + "."


def estimate_words(estimates: Estimates) -> list[str]:
    """Return how the estimates and their intervals were computed, as sentences with references."""
    if estimates.by_documents:
        labels = (
            f"People labelled some documents of each of {estimates.labelled:,} queries, with known "
            "inclusion probabilities, and a model all ranked documents; values are difference estimates "
            "(Särndal, Swensson and Wretman 1992)"
        )
    else:
        labels = (
            f"People labelled {estimates.labelled:,} queries and a model {len(estimates.queries):,}; "
            "values are prediction-powered estimates (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023)"
        )
    weight = estimates.estimators[0].weight
    if weight is None:
        labels += (
            ", with one weight of the model's labels per measure for all systems that makes the variance "
            "small (power tuning; Angelopoulos, Duchi and Zrnic 2023)"
        )
    else:
        labels += f", with the weight {weight:g} of the model's labels"
    made = [f"{labels}."]
    without = [e.measure for e in estimates.estimators if e.people_only]
    if without:
        made.append(
            f"For {' and '.join(without)} people's labels were too few to use the model's, and values are "
            "means of people's labels."
        )
    if estimates.method == "bootstrap":
        made.append("Intervals are from the studentised bootstrap over queries.")
        return made
    errors = "Standard errors are those of the formula"
    if estimates.target == "these-queries":
        errors = "Standard errors are those of drawing the documents"
    elif estimates.clusters is not None:
        labelled, others = estimates.clusters
        errors = (
            f"Standard errors are those of the jackknife over {labelled:,} labelled and {others:,} other "
            "clusters, with the effective number of labelled clusters (Kish 1965) minus 1 as degrees of "
            "freedom"
        )
    elif estimates.method == "t":
        errors = (
            f"Standard errors are those of the mean over queries, with {estimates.labelled - 1:,} degrees of "
            "freedom"
        )
    if any(e.bounds is not None for e in estimates.estimators) and estimates.method == "t":
        errors += "; intervals of bounded means are Wilson's (1927), scaled to these errors"
    return [*made, f"{errors}."]


def estimate_paragraph(estimates: Estimates) -> str:
    """Return how true values were estimated, in sentences that can be pasted into a paper."""
    sentences = [*estimate_words(estimates), assumption(estimates)]
    return " ".join([*sentences, f"Computed with tare {tare_version()}."])


def methods_paragraph(comparison: EstimateComparison) -> str:
    """Return how estimated values were compared, in sentences that can be pasted into a paper."""
    estimates = _estimates(comparison)
    first = comparison.families[0]
    systems, count = len(first.means), len(first)
    measures = ", ".join(family.measure for family in comparison.families)
    if comparison.baseline:
        what = f"each of {systems} systems with {' and '.join(comparison.baseline)}"
    else:
        what = "two systems" if systems == 2 else f"all {count:,} pairs of {systems} systems"
    sentences = [
        *estimate_words(estimates),
        f"We compared {what} by {measures} with {WORDS[comparison.test]}, two-sided at "
        f"α = {comparison.alpha:g}.",
    ]
    if comparison.correction != "none":
        sentences.append(
            f"Within each measure we applied {CORRECTION_WORDS[comparison.correction]} to {count:,} "
            "comparisons."
        )
    found = [
        f"{int(family.significant.sum()):,} of {len(family):,} pairs differ significantly by {family.measure}"
        for family in comparison.families
    ]
    sentences += [f"{'; '.join(found)}.", f"{assumption(estimates)}"]
    return " ".join([*sentences, f"Computed with tare {tare_version()}."])


# Comparing estimated values: differences of systems with t, z or the bootstrap.


ESTIMATE_TESTS = ("t", "z", "bootstrap")
SAME = 1e-12  # of the largest estimate: smaller differences are 0


@dataclass(frozen=True, eq=False, repr=False)
class EstimateComparison(Comparison):
    """The differences of estimated values, and the choices behind them.

    Attributes
    ----------
    families : tuple of EstimatedFamily
        One family of comparisons per measure.
    test, correction, interval : str
        The test, the correction for multiple comparisons, and the kind of interval.
    alpha : float
        Significance level.
    baseline : tuple of str
        The baselines, or empty if all pairs were compared.
    options : TestOptions
        Draws and seed.
    digits, inherited : int
        0; only comparisons of scores have them.
    signatures : tuple of Signature
        The signatures of the estimates.
    findings : tuple of Finding
        What a reader should know about the data.
    chosen : tuple of str
        Which of test and correction were chosen by default.
    estimates : Estimates
        The estimates that were compared.

    Examples
    --------
    >>> import tare
    >>> world = tare.simulate(queries=50, documents=20, seed=3)
    >>> truth = world.qrels.to_dict()
    >>> people = {query: truth[query] for query in list(truth)[::2]}
    >>> judge = {q: {d: min(2, g + (d == "d4")) for d, g in docs.items()} for q, docs in truth.items()}
    >>> found = tare.compare(tare.estimate(people, judge, world.runs, "P@10"), baseline="random")
    >>> found.test, found.correction, len(found)
    ('t', 'holm', 4)
    >>> found.pair("lexical", "random")["significant"]
    True
    """

    estimates: Estimates | None = field(default=None)

    def headlines(self) -> list[str]:
        """Return the best estimate of each measure, what it differs from, the assumption and the findings."""
        given = _estimates(self)
        return [*sentences(given, self), assumption(given), *map(str, given.findings)]

    def answer(self) -> str:
        """Return the best estimate by the first measure, and how many systems it differs from."""
        return answer_of(_estimates(self), self)

    @property
    def methods(self) -> str:
        """A methods paragraph for a paper."""

        return methods_paragraph(self)

    def legend(self) -> str:
        """Return every choice behind a table, in one line."""

        return legend(self)

    def table(self) -> Table:
        """Return one row per pair."""

        return pair_table(self)


def refuse_options(interval: str, zeros: str, digits: int, engine: object) -> None:
    """Raise if an option was set that only a comparison of scores has, not one of estimates."""
    for name, given, default in (
        ("interval", interval, AUTO),
        ("zeros", zeros, "dropped"),
        ("digits", digits, DIGITS),
        ("engine", engine, None),
    ):
        if given != default:
            raise OptionError(
                f"{name}={given!r} is an option for scores of every item. Estimates have the interval of "
                "their test: t, z or bootstrap."
            )


def compare_estimates(
    source: Estimates | str | os.PathLike[str],
    *,
    baseline: str | Sequence[str] | None = None,
    measures: Sequence[Any] | None = None,
    test: str = AUTO,
    correction: str = AUTO,
    alpha: float = 0.05,
    draws: int = DRAWS,
    seed: int = 0,
) -> EstimateComparison:
    """Compare estimated values: all pairs of systems, or each system with one or more baselines.

    Parameters are those of `tare.compare`.
    """
    estimates = source if isinstance(source, Estimates) else Estimates.load(source)
    if measures is not None:
        estimates = estimates.select(measures=measures)
    check_share("alpha", alpha)
    if estimates.clusters is not None and estimates.clusters[0] < LEAST_CLUSTERS:
        raise MismatchError(
            f"the estimates have {estimates.clusters[0]} labelled clusters; differences are tested from "
            f"{LEAST_CLUSTERS} labelled clusters on."
        )
    if len(estimates.systems) < 2:
        raise MismatchError("the estimates hold 1 system; comparing needs at least two.")
    check_draws(draws, seed)
    _refuse_test(test)
    choose("correction", correction, (AUTO, *CORRECTIONS, "max-t"))
    first, second = chosen_pairs(estimates.systems, baseline)
    picked = []
    if test == AUTO:
        picked.append("test")
        test = estimates.method if estimates.method in ESTIMATE_TESTS else "t"
    many = len(first) > 1
    if correction == AUTO:
        picked.append("correction")
        fine = test != "bootstrap" or len(first) / (draws + 1) <= alpha
        correction = ("holm" if fine else "max-t") if many else "none"
    if correction == "max-t" and test != "bootstrap":
        raise OptionError(f"correction='max-t' needs test='bootstrap'; found test={test!r}.")
    families = []
    findings: list[Finding] = []
    for estimator in estimates.estimators:
        by = estimator.by(test)
        error = None
        if test == "bootstrap":
            made = by.drawn((first, second), draws, seed)
            spread, statistic = made.spread, made.statistic()
            p, error = monte_carlo(made.counts(), draws)
            ends = np.stack(by.cut(made.ends(1 - alpha)), axis=1)
            adjusted = np.maximum(by_largest(made), p) if correction == "max-t" else None
        else:
            spread = by.fit.differences(first, second)
            if test == "z":
                spread = Spread(spread.value, spread.error, np.full_like(spread.error, np.inf))
            statistic, p = _p_values(spread, float(np.abs(by.fit.value).max()))
            ends = np.stack(by.cut(spread.ends(1 - alpha)), axis=1)
            ends[np.isnan(p)] = np.nan
            adjusted = None
        adjusted = adjust(p, correction) if adjusted is None else adjusted
        families.append(
            EstimatedFamily.made(
                by,
                estimates.systems,
                (first, second),
                spread,
                statistic,
                p,
                adjusted,
                ends,
                alpha=alpha,
                error=error,
                test=test,
                all_pairs=baseline is None,
            )
        )
    if test == "bootstrap" and correction != "max-t":
        steps = len(first) if correction in ("holm", "bonferroni", "hochberg") else 1
        if steps / (draws + 1) > alpha:
            findings.append(
                Finding(
                    "too few draws",
                    f"{draws:,} draws cannot give a significant p-value after the correction for "
                    f"{len(first):,} pairs; use at least {int(steps / alpha):,} draws or correction "
                    "max-t.",
                )
            )
    names = (
        () if baseline is None else (baseline,) if isinstance(baseline, str) else tuple(baseline)
    )
    return EstimateComparison(
        tuple(families),
        test,
        correction,
        alpha,
        test,
        names,
        TestOptions(draws, seed, alpha),
        0,
        estimates.signatures,
        (*findings, *(f for f in estimates.findings if f.severity != "note")),
        tuple(picked),
        estimates=estimates,
    )


def _refuse_test(test: str) -> None:
    if test in (AUTO, *ESTIMATE_TESTS):
        return
    if test in TESTS:
        raise OptionError(
            f"test={test!r} needs a human score of every query, and an estimate also uses queries or "
            f"documents that only the judge labelled. Estimates are tested with "
            f"{', '.join(ESTIMATE_TESTS)}."
        )
    choose("test", test, (AUTO, *ESTIMATE_TESTS))


def _p_values(spread: Spread, largest: float) -> tuple[Any, Any]:
    """Return the statistic and p of each pair of estimates: 1 without a difference, NaN if differences are all alike."""
    from scipy.special import ndtr

    same = np.abs(spread.value) <= SAME * largest
    alike = ~same & (spread.error <= SAME * np.abs(spread.value))
    t = np.zeros_like(spread.value)
    np.divide(spread.value, spread.error, out=t, where=~same & ~alike)
    t[alike] = np.nan
    normal = np.isinf(spread.freedom)
    p = np.where(
        normal, 2 * ndtr(-np.abs(t)), two_sided_t(t, np.where(normal, 1.0, spread.freedom))
    )
    return t, p
