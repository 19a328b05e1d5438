"""Comparing systems (`tare.compare`): which differ, by how much, and how certain that is; as tables and in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from tare._data.findings import Finding, Frame
from tare._decide.estimates import Estimates
from tare._decide.families import (
    AUTO,
    Family,
    Leader,
    comparable_pairs,
    decide,
    leader,
    no_net_test,
    refuse_with_clusters,
    tested_family,
    untested_family,
)
from tare._decide.saved_estimates import is_saved
from tare._files.opening import PathLike
from tare._measures.clusters import Clusters, singular, unit_name
from tare._measures.measure import Measure
from tare._measures.names import canonical, column_measure
from tare._measures.one_system import opened_engine
from tare._measures.scores import Scores
from tare._plain_text import plain
from tare._result import PaperResult, Row, Rows
from tare._signature import Signature, tare_version
from tare._tables import Column, PColumn, Table, interval_column, p_stated
from tare._tables.table import Cell
from tare.errors import MismatchError, OptionError, check_share, choose
from tare.stats._corrections import CORRECTIONS
from tare.stats._draws import Drawing
from tare.stats._intervals import INTERVALS
from tare.stats._named_tests import PAIRED_TESTS, TESTS, TestOptions
from tare.stats._paired_differences import DIGITS, SummedPairs
from tare.stats._randomisation import DRAWS, check_draws

__all__ = [
    "MARKS",
    "Comparison",
    "compare",
    "deciding",
    "legend",
    "long_table",
    "methods_paragraph",
    "pair_columns",
    "pair_table",
    "paper_table",
    "per_pair",
    "system_table",
    "tested_families",
]


# A comparison in words: the legend of its tables and a paragraph for a paper.


CORRECTION_WORDS = {
    "none": "without a correction",
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's correction (Holm 1979)",
    "hochberg": "Hochberg's correction (Hochberg 1988)",
    "bh": "the Benjamini–Hochberg control of the false discovery rate (1995)",
    "by": "the Benjamini–Yekutieli control of the false discovery rate (2001)",
    "max-t": "the correction by the largest |t| of each draw (Westfall and Young 1993; Romano and Wolf 2005)",
}
INTERVAL_WORDS = {
    "t": "Student's t intervals",
    "percentile": "percentile bootstrap intervals",
    "bca": "bias-corrected and accelerated bootstrap intervals",
    "studentised": "studentised bootstrap intervals",
    "simultaneous": "the simultaneous intervals that belong to the test",
    "flips": "the intervals that belong to the flips of each pair",
    "flips, alpha/pairs": "the intervals that belong to the flips of each pair, at level α divided by the number of pairs",
}
FAMILY_WIDE = ("simultaneous", "flips, alpha/pairs", "none")  # cover all pairs of a measure
EXACT = ("all ", "no item differs", "one item differs", "not tested", "too few clusters")
FLIPS = "The test assumes that, if two systems do not differ, the difference of {a} is as likely to be +x as −x."


def tested_families(comparison: Comparison) -> list[Family]:
    """Return the families whose pairs were compared."""
    return [family for family in comparison.families if not family.untested]


def _unit(comparison: Comparison) -> str:
    """Return what the items of a comparison are called: queries, if all measures are those of rankings."""
    found = {unit_name(column_measure(family.measure)) for family in comparison.families}
    return found.pop() if len(found) == 1 else "items"


def _sizes(comparison: Comparison) -> str:
    families = tested_families(comparison)
    found = [int(n) for family in families for n in family.result.pairs.n]
    low, high, unit = min(found), max(found), _unit(comparison)
    text = f"{low:,} {unit if low != 1 else singular(unit)}"
    text = text if low == high else f"{low:,} to {high:,} common {unit}"
    if comparison.cluster:
        units = [int(n) for f in families if f.result.units is not None for n in f.result.units]
        text += f" in {max(units):,} clusters ({plain(comparison.cluster)})"
    return text


def _words(comparison: Comparison) -> str:
    """The test of a comparison in words, also for measures that are made of summed statistics."""
    words = TESTS[comparison.test].words
    summed = [f for f in comparison.families if isinstance(f.result.pairs, SummedPairs)]
    other = {
        "permutation": "approximate randomisation of the summed statistics",
        "bootstrap": "the paired bootstrap of the summed statistics",
    }.get(comparison.test)
    if not summed or other is None:
        return words
    if len(summed) == len(comparison.families):
        return other
    return f"{words} ({', '.join(f.measure for f in summed)}: {other})"


def _exact(comparison: Comparison) -> list[str]:
    """How the randomised test of a comparison got its p-values without random draws, such as 'all 256 swaps'."""
    methods = {m for family in comparison.families for m in family.result.methods}
    return sorted(method for method in methods if method.startswith(EXACT))


def _drawn(comparison: Comparison) -> bool:
    """Return whether the test of a comparison made random draws for a pair."""
    methods = {m for family in comparison.families for m in family.result.methods}
    return TESTS[comparison.test].random and len(methods) > len(_exact(comparison))


def _of_p_values(comparison: Comparison) -> str:
    drawn = (
        f"come from B = {comparison.options.draws:,} draws (seed {comparison.options.seed}) as "
        "(b + 1)/(B + 1) (Phipson and Smyth 2010)"
    )
    exact = " or ".join(_exact(comparison))
    if not _drawn(comparison):
        return f"P-values are exact ({exact})."
    return f"P-values are exact ({exact}) or {drawn}." if exact else f"P-values {drawn}."


def per_pair(comparison: Comparison) -> str:
    """Say that each interval of a comparison covers its own pair only, where a table has several."""
    families = tested_families(comparison)
    several = any(len(family) > 1 for family in families)
    own = several and all(_kind(comparison, f) not in FAMILY_WIDE for f in families)
    return ", per pair" if own else ""


def _kind(comparison: Comparison, family: Family) -> str:
    """Return the kind of the intervals of one family of a comparison; those of estimates are alike."""
    return comparison.interval if comparison.interval in INTERVAL_WORDS else family.interval


def _interval_names(comparison: Comparison) -> str:
    """The kind of the intervals of a comparison; a single pair has that of its test."""
    single = comparison.interval == "simultaneous" and len(comparison) == len(comparison.families)
    return "of the test" if single else comparison.interval


def _intervals(comparison: Comparison) -> str:
    """The intervals of a comparison in words, measure by measure if they differ."""
    words: dict[str, list[str]] = {}
    for family in tested_families(comparison):
        kind = _kind(comparison, family)
        text = INTERVAL_WORDS[kind]
        if len(family) == 1:
            text = text.replace("simultaneous intervals that belong", "intervals that belong")
        elif kind not in FAMILY_WIDE:
            text += ", one per pair"
        words.setdefault(text, []).append(family.measure)
    if len(words) == 1:
        return next(iter(words))
    return " and ".join(f"{text} ({', '.join(measures)})" for text, measures in words.items())


def legend(comparison: Comparison) -> str:
    """Every choice behind a table, in one line."""
    test = TESTS[comparison.test]
    parts = [
        f"test: {comparison.test} (null hypothesis: {test.null})",
        f"correction: {comparison.correction}"
        + (" (the test covers the family)" if test.family_wise else ""),
        f"alpha: {comparison.alpha:g}, two-sided, paired by item id"
        + (f", in clusters ({plain(comparison.cluster)})" if comparison.cluster else ""),
        f"intervals: {_interval_names(comparison)}{per_pair(comparison)}",
    ]
    if _drawn(comparison) or comparison.interval in ("percentile", "bca", "studentised"):
        parts.append(f"draws: {comparison.options.draws:,}, seed {comparison.options.seed}")
    if comparison.test.startswith("wilcoxon"):
        parts.append(f"zeros: {comparison.options.zeros}")
    parts.append(f"rounded to {comparison.digits} digits")
    if comparison.chosen:
        parts.append(f"chosen by default: {', '.join(comparison.chosen)}")
    return "; ".join(parts) + "."


def methods_paragraph(comparison: Comparison) -> str:
    """What was done to compare systems, in sentences that can be pasted into a paper."""
    test = TESTS[comparison.test]
    words = _words(comparison)
    first = comparison.families[0]
    systems = len(first.means)
    count = len(first)
    measures = ", ".join(family.measure for family in tested_families(comparison))
    if len(comparison.baseline) == 1:
        others = systems - 1
        what = f"{others:,} system{'s' if others > 1 else ''} with {comparison.baseline[0]}"
    elif comparison.baseline:
        what = f"{count:,} pairs of a system and a baseline ({' and '.join(comparison.baseline)})"
    elif systems == 2:
        what = "two systems"
    else:
        what = f"all {count:,} pairs of {systems} systems"
    families = tested_families(comparison)
    if not families:
        return " ".join([*_untested(comparison), f"Computed with tare {tare_version()}."])
    first = families[0]
    count = len(first)
    unit = "cluster" if comparison.cluster else singular(_unit(comparison))
    sentences = [
        f"We compared {what} on {_sizes(comparison)} by {measures}, paired by {singular(_unit(comparison))}, "
        f"with {words} ({test.citation}), two-sided at α = {comparison.alpha:g}."
    ]
    if comparison.cluster:
        sentences.append(
            "The signs of whole clusters were flipped, and intervals are those of a ratio of cluster totals "
            "(Fieller 1954)."
        )
    elif any(f.result.pairs.rooms is not None for f in families):
        sentences.append("Intervals of differences of net scores are Fieller's (1954).")
    sentences += _replicates(comparison)
    if comparison.test == "permutation" and any(f.result.units is not None for f in families):
        sentences.append(FLIPS.format(a=f"a {unit}" if unit != "item" else "an item"))
    if test.random:
        sentences.append(_of_p_values(comparison))
    if comparison.test.startswith("wilcoxon"):
        sentences.append(
            f"Zero differences were treated as '{comparison.options.zeros}'; ties share mean ranks; "
            f"p is {' or '.join(sorted(set(first.result.methods)))}."
        )
    if test.family_wise:
        sentences.append("The test controls the family-wise error of all pairs of a measure.")
    elif comparison.correction != "none":
        sentences.append(
            f"Within each measure we applied {CORRECTION_WORDS[comparison.correction]} "
            f"to {count:,} comparisons."
        )
    elif count > 1:
        sentences.append(f"No correction was made for the {count:,} comparisons.")
    sentences.append(
        f"Differences are given with {_intervals(comparison)} "
        f"({100 * (1 - comparison.alpha):g} %) and Cohen's d_z as effect size."
    )
    found = [
        f"{int(family.significant.sum()):,} of {int((~np.isnan(family.adjusted)).sum()):,} tested pairs differ "
        f"significantly by {family.measure}"
        for family in families
    ]
    sentences.append(f"{'; '.join(found)}.")
    sentences += _untested(comparison)
    sentences.append(f"Computed with tare {tare_version()}.")
    return " ".join(sentences)


def _untested(comparison: Comparison) -> list[str]:
    """Say which measures were not compared, and why."""
    return [
        f"{family.measure} was not compared: {family.untested}."
        for family in comparison.families
        if family.untested
    ]


def _replicates(comparison: Comparison) -> list[str]:
    """Say over how many runs of a system the compared scores were averaged."""
    counts = {
        dict(s.facts)["replicates"] for s in comparison.signatures if "replicates" in dict(s.facts)
    }
    return (
        [f"Scores are means of {' or '.join(sorted(counts))} runs of each system."]
        if counts
        else []
    )


# A comparison as tables: pairs, and systems with letters.


def pair_table(comparison: Comparison) -> Table:
    """The pairs of a comparison, one row per pair and measure; significant corrected p-values are marked."""
    families = [f for f in comparison.families if not f.untested] or list(comparison.families)
    several = len(families) > 1
    columns = pair_columns(comparison)
    return Table.of_rows(
        [Column("measure", align="left"), *columns] if several else columns,
        [row for family in families for row in family.rows()],
        title=families[0].measure if not several else "Comparisons",
        notes=_notes(comparison),
        marks={deciding(comparison): "significant"},
    )


def pair_columns(comparison: Comparison) -> list[Column | None]:
    """Return the columns of a table of pairs."""
    corrected = comparison.correction != "none"
    return [
        Column("system", align="left"),
        Column("against", align="left"),
        Column("n"),
        Column("difference"),
        interval_column(f"{100 * (1 - comparison.alpha):g} % interval{per_pair(comparison)}"),
        PColumn("p"),
        PColumn(deciding(comparison), of="p_adjusted") if corrected else None,
        Column("d_z", digits=2),
        Column("rank-biserial", digits=2, of="rank_biserial"),
        Column(
            "W/T/L", parts=("wins", "ties", "losses"), between="/", of=("wins", "ties", "losses")
        ),
        PColumn("direction risk"),
    ]


def deciding(comparison: Comparison) -> str:
    """Return the heading of the p-values that decide which compared systems differ significantly."""
    return "p" if comparison.correction == "none" else f"p ({comparison.correction})"


def long_table(comparison: Comparison) -> Table:
    """A comparison as a long table: one row per pair and measure, one column per field."""
    rows = comparison.rows()
    columns = [
        Column(name, align="left" if isinstance(cell, str) else "right")
        for name, cell in rows[0].items()
    ]
    return Table.of(columns, [tuple(row.values()) for row in rows], notes=_notes(comparison))


def system_table(comparison: Comparison) -> Table:
    """The compared systems, one row each, best first by the first measure; the best mean of each measure is marked."""
    first = comparison.families[0]
    columns = [Column("system", align="left")]
    for family in comparison.families:
        of = f" ({family.measure})" if len(comparison.families) > 1 else ""
        columns.append(Column(family.measure))
        if family.untested:
            columns.append(interval_column(f"{100 * (1 - comparison.alpha):g} % interval{of}"))
        elif family.all_pairs:
            columns += [Column(f"letters{of}", align="left")] if family.lettered else []
        else:
            columns += [PColumn(f"p against {name}{of}") for name in comparison.baseline]
    rows: list[tuple[Cell, ...]] = []
    marks = set()
    lookup = [_against(comparison, k) for k in range(len(comparison.families))]
    for system in first.ranking:
        cells: list[Cell] = [system]
        for k, family in enumerate(comparison.families):
            if system == family.ranking[0]:
                marks.add((len(rows), len(cells)))
            cells.append(family.means[system])
            if family.untested:
                cells.append(_level(family, system))
            elif family.all_pairs:
                cells += [family.letters[system]] if family.lettered else []
            else:
                for name in comparison.baseline:
                    p, significant = lookup[k].get((system, name), (None, False))
                    if significant:
                        marks.add((len(rows), len(cells)))
                    cells.append(p)
        rows.append(tuple(cells))
    return Table.of(
        columns, rows, title="Systems", notes=_summary(comparison), marks=frozenset(marks)
    )


def _level(family: Family, system: str) -> Cell:
    """Return the interval of the mean of one compared system."""
    assert family.levels is not None
    low, high = family.levels[list(family.means).index(system)].tolist()
    return None if math.isnan(low) else (low, high)


def _against(comparison: Comparison, k: int) -> dict[tuple[str, str], tuple[float, bool]]:
    """p of each compared pair in both directions, and whether it is significant."""
    made = {}
    for row in comparison.families[k].rows():
        found = row["p_adjusted"], bool(row["significant"])
        made[row["system"], row["against"]] = made[row["against"], row["system"]] = found
    return made


def _summary(comparison: Comparison) -> list[str]:
    """The comparison in words: systems tied with the best, and expected errors of direction."""
    notes = []
    for family in comparison.families:
        if np.isnan(family.adjusted).all():
            notes.append(f"{family.measure}: no pair was tested.")
            continue
        best = family.ranking[0]
        tied = family.tied_with_best
        found = int(family.significant.sum())
        names = ", ".join(tied[:8]) + (", …" if len(tied) > 8 else "")
        tested = int((~np.isnan(family.adjusted)).sum())
        text = f"{family.measure}: {found:,} of {tested:,} pairs differ significantly"
        if family.all_pairs and tied:
            are = "system is" if len(tied) == 1 else "systems are"
            text += (
                f"; {len(tied):,} {are} not significantly different from the best, {best}: {names}"
            )
        elif family.lettered:
            text += f"; the best, {best}, differs significantly from all others"
        text += "."
        if found:
            risk = float(np.sum(family.direction_risk[family.significant]))
            text += f" Expected errors of direction among the significant pairs: {risk:.2g}."
        notes.append(text)
    if any(family.lettered for family in comparison.families):
        notes.append("Systems that share a letter do not differ significantly.")
    star = "best mean" if comparison.families[0].all_pairs else "best mean, or significant p"
    return notes + _notes(comparison, star)


def _notes(comparison: Comparison, star: str = "significant") -> list[str]:
    notes = [f"{comparison.legend()} * {star}."]
    notes += [f"! {finding}" for finding in comparison.findings if finding.severity != "note"]
    if comparison.inherited:
        notes.append(f"! {comparison.inherited} warnings about the scores: see scores.findings.")
    return notes + [f"signature: {signature}" for signature in comparison.signatures]


# A comparison as a table for a paper: systems × measures, with marks of significance.


MARKS = ("superscript", "dagger", "bold")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
BETTER, WORSE = "†", "‡"


def paper_table(comparison: Comparison, marks: str, digits: int) -> Table:
    """Return the table of a comparison for a paper: one row per system, best first by the first measure, and one column per measure."""
    choose("marks", marks, MARKS)
    if marks == "dagger" and len(comparison.baseline) > 1:
        raise OptionError(
            f"marks='dagger' needs one baseline or none, found {len(comparison.baseline)}: "
            f"{', '.join(comparison.baseline)}. Use marks='superscript'."
        )
    systems = comparison.families[0].ranking
    named = _names(systems)
    columns = [Column("", align="left")] if marks == "superscript" else []
    columns += [Column("system", align="left")]
    first = len(columns)
    columns += [Column(f.measure, digits, align="left") for f in comparison.families]
    rows: list[tuple[Cell, ...]] = []
    bold: set[tuple[int, int]] = set()
    superscripts: dict[tuple[int, int], str] = {}
    for r, system in enumerate(systems):
        before: tuple[Cell, ...] = (named[system],) if marks == "superscript" else ()
        rows.append((*before, system, *(f.means[system] for f in comparison.families)))
        for c, family in enumerate(comparison.families, first):
            if marks == "superscript":
                worse = [named[s] for s in systems if s in _worse(family, system)]
                text = ("" if len(systems) <= len(LETTERS) else ",").join(worse)
            else:
                text = _dagger(comparison, family, system) if marks == "dagger" else ""
            if text:
                superscripts[r, c] = text
            if _is_bold(comparison, family, system, marks):
                bold.add((r, c))
    notes = [_explained(comparison, marks), _tested(comparison)]
    return Table.of(columns, rows, notes=notes, marks=frozenset(bold), superscripts=superscripts)


def _names(systems: tuple[str, ...]) -> dict[str, str]:
    """Return a letter for each compared system, or a number if there are not enough letters."""
    if len(systems) <= len(LETTERS):
        return dict(zip(systems, LETTERS, strict=False))
    return {system: str(k) for k, system in enumerate(systems, 1)}


def _worse(family: Family, system: str) -> set[str]:
    """Return the compared systems that are significantly worse than a given one."""
    place = {name: k for k, name in enumerate(family.ranking)}
    apart = {b if a == system else a for a, b in family.different if system in (a, b)}
    return {other for other in apart if place[other] > place[system]}


def _dagger(comparison: Comparison, family: Family, system: str) -> str:
    if comparison.baseline:
        baseline = comparison.baseline[0]
        if baseline in _worse(family, system):
            return BETTER
        return WORSE if system in _worse(family, baseline) else ""
    return BETTER if system in _worse(family, family.ranking[0]) else ""


def _is_bold(comparison: Comparison, family: Family, system: str, marks: str) -> bool:
    best = family.means[family.ranking[0]]
    if not np.isnan(best) and round(family.means[system], 12) == round(best, 12):
        return True
    return marks == "bold" and not comparison.baseline and system in family.tied_with_best


def _explained(comparison: Comparison, marks: str) -> str:
    """Say what the marks mean."""
    if marks == "superscript":
        return (
            "Superscripts name the systems that a score is significantly better than. "
            "The best score of each measure is in bold."
        )
    if marks == "bold":
        if comparison.baseline:
            return "The best score of each measure is in bold."
        return (
            "The best score of each measure, and those that do not differ significantly from it, "
            "are in bold."
        )
    if comparison.baseline:
        name = comparison.baseline[0]
        text = f"{BETTER} significantly better than {name}; {WORSE} significantly worse."
    else:
        text = f"{BETTER} significantly worse than the best score of the measure."
    return f"{text} The best score of each measure is in bold."


def _tested(comparison: Comparison) -> str:
    """Name the test, the correction, the level and the number of items of a comparison."""
    test = TESTS[comparison.test]
    corrected = "" if comparison.correction == "none" else f", {comparison.correction} correction"
    families = tested_families(comparison)
    if not families:
        return "The systems were not compared."
    counts = sorted({int(n) for f in families for n in f.result.pairs.n})
    items = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    two = ""
    if sum(map(len, families)) == 1:
        row = families[0].rows()[0]
        difference = f"{row['difference']:.3f}".replace("-", "−")
        two = f"; {row['system']} − {row['against']} = {difference}, {p_stated(row['p_adjusted'])}"
    return (
        f"Test: {test.words}{corrected}, two-sided, α = {comparison.alpha:g}, {items} items{two}."
    )


# Comparing systems: which differ, by how much, and how certain that is.


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

    def leaders(self) -> list[Leader]:
        """Return what is said about the best system by each measure that has means."""
        made = (leader(f.measure, f.means, f.ranking, f) for f in self.families)
        return [each for each in made if each is not None]

    def headlines(self) -> list[str]:
        """Return the best system by each measure, and whether it is significantly better."""
        return [f"{each.title} {each.text}".strip() for each in self.leaders()]

    def answer(self) -> str:
        """Return the best system by the first measure, and its difference from the next."""
        return next((each.answer for each in self.leaders()), "No system has a mean.")

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

        return methods_paragraph(self)

    def legend(self) -> str:
        """Return every choice behind a table, in one line."""

        return legend(self)

    def table(self) -> Table:
        """Return one row per pair."""

        return pair_table(self)

    def long_table(self) -> Table:
        """Return one row per pair and measure with every field, for programs."""

        return long_table(self)

    def systems(self) -> Table:
        """Return one row per system: its means, and letters shared by systems that do not differ."""

        return system_table(self)

    def paper_table(self, *, marks: str | None = None, digits: int = 3) -> Table:
        """Return systems × measures with marks of significance.

        Parameters
        ----------
        marks, digits
            As for `to_latex`.
        """

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
        from tare._decide.compare_estimates import compare_estimates, refuse_options

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
    check_share("alpha", alpha)
    check_draws(draws, seed)
    choose("test", test, (AUTO, *PAIRED_TESTS))
    choose("correction", correction, (AUTO, *CORRECTIONS, "max-t"))
    choose("interval", interval, (AUTO, *INTERVALS))
    if not table.measures:
        raise MismatchError("the score table holds no measure; there is nothing to compare.")
    pairs, findings = comparable_pairs(table, baseline, digits)
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
