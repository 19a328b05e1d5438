"""Comparing systems: which differ, by how much, and how certain that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from tare._data.findings import Finding, Frame
from tare._decide.choices import AUTO, decide, no_net_test, pairs_of, refuse_with_clusters
from tare._decide.families import Family
from tare._decide.ppi.estimates import Estimates
from tare._decide.ppi.saved import is_saved
from tare._decide.tested_families import tested_family, untested_family
from tare._files.opening import PathLike
from tare._measures.clusters import Clusters
from tare._measures.measure import Measure
from tare._measures.names import canonical
from tare._measures.one_system import opened_engine
from tare._measures.scores import Scores
from tare._result import PaperResult, Row, Rows
from tare._signature import Signature
from tare.errors import MismatchError, OptionError, choose
from tare.stats._corrections import CORRECTIONS
from tare.stats._draws import Drawing
from tare.stats._intervals import INTERVALS
from tare.stats._named_tests import PAIRED_TESTS, TestOptions
from tare.stats._paired_differences import DIGITS
from tare.stats._randomisation import DRAWS, check_draws

if TYPE_CHECKING:
    from tare._tables import Table

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(PaperResult):
    """The comparisons of every measure, and the choices behind them.

    Attributes
    ----------
    families : tuple of Family
        One family of comparisons per measure.
    test, correction, interval : str
        The test, the correction for multiple comparisons, and the kind of interval.
    alpha, baseline
        Significance level, and the baselines, empty if all pairs were compared.
    options, digits
        The draws, seed and other options of the test, and the digits that differences are rounded to.
    signatures, findings
        How the scores were computed, and what a reader should know about the data.
    chosen, inherited
        Which of test and correction were chosen by default, and the number of warnings about the scores.
    cluster
        The attribute that names the cluster of each item; "" if items are tested one by one.

    Examples
    --------
    >>> import polars as pl
    >>> ids = {"system": ["a", "a", "b", "b"], "item": [1, 2] * 2, "measure": ["AP"] * 4}
    >>> pair = compare(pl.DataFrame(ids | {"value": [0.5, 0.75, 0.5, 0.25]})).pair("a", "b")
    >>> pair["difference"], pair["wins"], pair["significant"]
    (0.25, 1, False)
    """

    rows_key: ClassVar[str] = "pairs"
    figure_module: ClassVar[str] = "tare.report._chapters.score_table"

    families: tuple[Family, ...]
    test: str
    correction: str
    alpha: float
    interval: str
    baseline: tuple[str, ...]
    options: TestOptions
    digits: int
    signatures: tuple[Signature, ...]
    findings: tuple[Finding, ...] = ()
    chosen: tuple[str, ...] = ()
    inherited: int = 0
    cluster: str = field(default="", kw_only=True)

    def __getitem__(self, measure: str | Measure) -> Family:
        """Return the comparisons of one measure."""
        for family in self.families:
            if family.measure in (str(measure), canonical(measure)):
                return family
        known = ", ".join(family.measure for family in self.families)
        raise OptionError(f"no comparison of {str(measure)!r} was made; there are: {known}.")

    def __len__(self) -> int:
        return sum(len(family) for family in self.families)

    def pair(self, system: str, against: str, measure: str | Measure | None = None) -> Row:
        """Return every number of one pair, in the direction in which it was compared.

        Parameters
        ----------
        system, against : str
            The two systems, in any order.
        measure : str or Measure, optional
            The measure; by default the first.

        Returns
        -------
        dict
            Difference, interval, p-values, effect sizes and counts.
        """
        for row in (self.families[0] if measure is None else self[measure]).rows():
            if {row["system"], row["against"]} == {system, against}:
                return row
        raise OptionError(f"the pair {system!r}, {against!r} was not compared.")

    @property
    def methods(self) -> str:
        """A methods paragraph for a paper: what was done, with which settings, and what to cite."""
        from tare._decide.methods import methods_paragraph

        return methods_paragraph(self)

    def legend(self) -> str:
        """Return every choice behind a table, in one line."""
        from tare._decide.methods import legend

        return legend(self)

    def table(self) -> Table:
        """Return one row per pair."""
        from tare._decide.comparison_tables import pair_table

        return pair_table(self)

    def long_table(self) -> Table:
        """Return one row per pair and measure with every field, for programs."""
        from tare._decide.comparison_tables import long_table

        return long_table(self)

    def systems(self) -> Table:
        """Return one row per system: its means, and letters shared by systems that do not differ."""
        from tare._decide.comparison_tables import system_table

        return system_table(self)

    def paper_table(self, *, marks: str | None = None, digits: int = 3) -> Table:
        """Return systems × measures with marks of significance.

        Parameters
        ----------
        marks, digits
            As for `to_latex`.
        """
        from tare._decide.paper_table import paper_table

        return paper_table(self, marks or "superscript", digits)

    def rows(self) -> Rows:
        """Return one dictionary per pair and measure."""
        return [row for family in self.families for row in family.rows()]

    def __repr__(self) -> str:
        most = 45  # pairs that a reader still reads
        many = f"{len(self):,} pairs; table() and to_frame() show them."
        return f"{self.systems()}\n\n{self.table() if len(self) <= most else many}"

    def facts(self) -> Row:
        """Return letters, methods, signatures and findings."""
        return {
            "test": self.test,
            "correction": self.correction,
            "interval": self.interval,
            "alpha": self.alpha,
            "baseline": list(self.baseline),
            "letters": {family.measure: family.letters for family in self.families},
            "tied_with_best": {f.measure: list(f.tied_with_best) for f in self.families},
            "methods": self.methods,
            "signatures": [str(signature) for signature in self.signatures],
            "findings": [str(finding) for finding in self.findings],
        }

    def tables(self) -> dict[str, Table]:
        """Return the table of systems and the table of pairs."""
        return {"systems": self.systems(), "pairs": self.table()}


def compare(
    scores: Scores | Estimates | Frame | PathLike,
    *,
    baseline: str | Sequence[str] | None = None,
    measures: Sequence[str | Measure] | None = None,
    test: str = AUTO,
    correction: str = AUTO,
    alpha: float = 0.05,
    interval: str = AUTO,
    seed: int = 0,
    draws: int = DRAWS,
    zeros: str = "dropped",
    digits: int = DIGITS,
    threads: int = 0,
    engine: str | Drawing | None = None,
    cluster: Clusters | None = None,
) -> Comparison:
    """Compare all pairs of systems, or each system with one or more baselines.

    Items are paired by id, and tests are two-sided. Corrections count the pairs of one measure.

    Parameters
    ----------
    scores : Scores, Estimates, path or data frame
        The score table. `Estimates` are tested with "t" (default), "z" or "bootstrap"; other tests need
        a score of every item.
    baseline : str or sequence of str, optional
        Compare every other system with these. By default all pairs are compared.
    measures : sequence of str or Measure, optional
        The measures to compare; by default all.
    test : str
        One of the paired tests of `TESTS`. "auto" is the permutation test, which flips the signs of
        the differences. Measures made of summed statistics, such as BLEU, take "permutation"
        (approximate randomisation), "bootstrap" and "bootstrap-sacrebleu".
    correction : {"auto", "none", "bonferroni", "holm", "hochberg", "bh", "by", "max-t"}
        Correction for multiple comparisons. "auto" is that by the largest |t| of each flip ("max-t")
        for a complete table, and otherwise Holm's; none for a single pair or a test that covers the
        family.
    alpha : float
        Significance level.
    interval : {"auto", "t", "percentile", "bca", "studentised"}
        Kind of confidence interval. "auto" are those that belong to the test, if it has them: those of
        the permutation test by the largest |t| exclude 0 exactly if p ≤ alpha; with another
        correction they come from each pair's own flips, at level alpha divided by the number of
        pairs where the correction is for the whole family. Otherwise Student's t, one per pair.
    seed, draws : int
        Seed and number of random draws.
    zeros : {"dropped", "pratt", "putter"}
        How Wilcoxon's test treats differences of 0.
    digits : int
        Differences are rounded to this many digits of the pair's largest score.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.
    engine : str or engine, optional
        Where draws are made: "local", "ray" or an engine of `tare.engines`. The numbers are the same.
    cluster : str, mapping, path or data frame, optional
        The clusters of the items, as for `Scores.clustered`; whole clusters are flipped.

    Returns
    -------
    Comparison
        Differences, intervals, p-values, effect sizes, letters and a methods paragraph.

    Raises
    ------
    OptionError
        If an option has an unknown value or is out of range, options exclude each other, the test does
        not fit the measures, or the table has no such baseline or measure.
    MismatchError
        If there are fewer than two systems, no measure or no common item, or a score is infinite.

    Examples
    --------
    >>> import polars as pl
    >>> ids = {"system": ["a"] * 4 + ["b"] * 4, "item": [1, 2, 3, 4] * 2, "measure": ["AP"] * 8}
    >>> frame = pl.DataFrame(ids | {"value": [0.5, 0.6, 0.7, 0.9, 0.4, 0.4, 0.5, 0.6]})
    >>> compare(frame).pair("a", "b")["p"]  # all 16 swaps
    0.125
    """
    if isinstance(scores, Estimates) or is_saved(scores):
        from tare._decide.ppi.comparison import compare_estimates, refuse_options

        refuse_options(interval, zeros, digits, engine)
        if cluster is not None:
            raise OptionError(
                "cluster= needs a score of every item; the clusters of estimates are given to `tare estimate`."
            )
        return compare_estimates(
            scores,
            baseline=baseline,
            measures=measures,
            test=test,
            correction=correction,
            alpha=alpha,
            draws=draws,
            seed=seed,
        )
    table = scores if isinstance(scores, Scores) else Scores.load(scores)
    if measures is not None:
        table = table.select(measures=measures)
    if cluster is not None:
        table = table.clustered(cluster)
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha} is out of range; it must lie between 0 and 1.")
    check_draws(draws, seed)
    choose("test", test, (AUTO, *PAIRED_TESTS))
    choose("correction", correction, (AUTO, *CORRECTIONS, "max-t"))
    choose("interval", interval, (AUTO, *INTERVALS))
    if not table.measures:
        raise MismatchError("the score table holds no measure; there is nothing to compare.")
    pairs, findings = pairs_of(table, baseline, digits)
    tested = [p for m, p in zip(table.measures, pairs, strict=True) if not no_net_test(table, m)]
    choice = decide(test, correction, tested, draws=draws)
    if table.cluster:
        refuse_with_clusters(choice.test, interval, tested)
    test, correction = choice.test, choice.correction
    findings += choice.findings
    with opened_engine(engine) as place:
        options = TestOptions(
            choice.draws, seed, alpha, zeros, correction == "max-t", threads, place
        )
        families = []
        for measure, family in zip(table.measures, pairs, strict=True):
            why = no_net_test(table, measure)
            if why:
                families.append(untested_family(table, measure, family, why, alpha))
                findings.append(Finding("not tested", f"{measure} was not compared: {why}."))
                continue
            made, found = tested_family(
                measure.text,
                family,
                test,
                correction,
                interval,
                options,
                all_pairs=baseline is None,
            )
            families.append(made)
            findings += found
    names = (
        () if baseline is None else (baseline,) if isinstance(baseline, str) else tuple(baseline)
    )
    kinds = list(dict.fromkeys(family.interval for family in families))
    kind = kinds[0]
    if len(kinds) > 1:
        kind = ", ".join(f"{family.interval} ({family.measure})" for family in families)
    return Comparison(
        tuple(families),
        test,
        correction,
        alpha,
        kind,
        names,
        replace(options, engine=None),  # a result does not hold on to a cluster
        digits,
        table.signatures,
        tuple(findings),
        choice.chosen,
        sum(finding.severity != "note" for finding in table.findings),
        cluster=table.cluster,
    )
