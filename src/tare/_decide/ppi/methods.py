"""A comparison of estimates in words, and as a table of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._decide.methods import CORRECTION_WORDS
from tare._decide.ppi.tables import DifferenceColumn, assumption
from tare._signature import tare_version
from tare._tables import Column, PColumn, Table, interval_column
from tare._tables.table import Cell

if TYPE_CHECKING:
    from tare._decide.ppi.comparison import EstimateComparison
    from tare._decide.ppi.estimates import Estimates

__all__ = ["estimate_paragraph", "legend", "methods_paragraph", "pair_table"]

WORDS = {
    "t": "Student's t of the estimated difference and its own standard error",
    "z": "the normal distribution of the estimated difference and its own standard error",
    "bootstrap": "the studentised bootstrap over queries",
}


def _estimates(comparison: EstimateComparison) -> Estimates:
    assert comparison.estimates is not None
    return comparison.estimates


def pair_table(comparison: EstimateComparison) -> Table:
    """One row per pair and measure; significant corrected p-values are marked."""
    several = len(comparison.families) > 1
    corrected = comparison.correction != "none"
    level = f"{100 * (1 - comparison.alpha):g} % interval"
    columns = [Column("measure", align="left")] if several else []
    columns += [
        Column("system", align="left"),
        Column("against", align="left"),
        DifferenceColumn("difference"),
        interval_column(level),
        PColumn("p"),
    ]
    columns += [PColumn(f"p ({comparison.correction})")] if corrected else []
    place = len(columns) - 1
    columns += [
        Column("detectable"),
        DifferenceColumn("people only"),
        interval_column(f"{level} (people)"),
        DifferenceColumn("judge only"),
    ]
    rows: list[tuple[Cell, ...]] = []
    marks = set()
    for row in comparison.rows():
        if row["significant"]:
            marks.add((len(rows), place))
        cells: list[Cell] = [row["measure"]] if several else []
        cells += [row["system"], row["against"], row["difference"], (row["low"], row["high"])]
        cells += [row["p"], row["p_adjusted"]] if corrected else [row["p"]]
        cells += [row["detectable"], row["people"], (row["people_low"], row["people_high"])]
        rows.append((*cells, row["judge"]))
    notes = [f"{legend(comparison)} * significant.", assumption(_estimates(comparison))]
    notes += [f"! {finding}" for finding in comparison.findings]
    return Table.of(columns, rows, title="Differences", notes=notes, marks=frozenset(marks))


def legend(comparison: EstimateComparison) -> str:
    """Return every choice behind a table, in one line."""
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
    """Return what was estimated, in sentences that can be pasted into a paper."""
    sentences = [*estimate_words(estimates), assumption(estimates)]
    return " ".join([*sentences, f"Computed with tare {tare_version()}."])


def methods_paragraph(comparison: EstimateComparison) -> str:
    """Return what was done, in sentences that can be pasted into a paper."""
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
