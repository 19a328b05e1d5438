"""Comparing estimated values: differences of systems with t, z or the bootstrap."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tare._data.findings import Finding
from tare._decide.choices import AUTO
from tare._decide.comparison import Comparison
from tare._decide.ppi.estimated_family import EstimatedFamily
from tare._decide.ppi.estimates import LEAST_CLUSTERS, Estimates
from tare._decide.ppi.influences import Spread
from tare._decide.ppi.resampling import by_largest
from tare.errors import MismatchError, OptionError, choose
from tare.stats._classical_tests import two_sided_t
from tare.stats._corrections import CORRECTIONS, adjust
from tare.stats._draws import monte_carlo
from tare.stats._named_tests import TESTS, TestOptions
from tare.stats._paired_differences import DIGITS, chosen_pairs
from tare.stats._randomisation import DRAWS, check_draws

if TYPE_CHECKING:
    from tare._tables import Table

__all__ = ["ESTIMATE_TESTS", "EstimateComparison", "compare_estimates", "refuse_options"]

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

    figure_module: ClassVar[str] = "tare.report._chapters.studies.estimates"

    estimates: Estimates | None = field(default=None)

    @property
    def methods(self) -> str:
        """A methods paragraph for a paper."""
        from tare._decide.ppi.methods import methods_paragraph

        return methods_paragraph(self)

    def legend(self) -> str:
        """Return every choice behind a table, in one line."""
        from tare._decide.ppi.methods import legend

        return legend(self)

    def table(self) -> Table:
        """Return one row per pair."""
        from tare._decide.ppi.methods import pair_table

        return pair_table(self)


def refuse_options(interval: str, zeros: str, digits: int, engine: object) -> None:
    """Raise if an option was set that only a comparison of scores has."""
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
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha} is out of range; it must lie between 0 and 1.")
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
    """Return the statistic and p of each pair: 1 without a difference, NaN if differences are all alike."""
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
