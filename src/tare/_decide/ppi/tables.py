"""Estimates as a table, and the assumptions behind them in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tare._tables import Column, Table, interval_column
from tare._tables.table import Cell

if TYPE_CHECKING:
    from tare._decide.ppi.estimates import Estimates

__all__ = ["DifferenceColumn", "assumption", "estimate_table", "interval_words", "long_table"]


@dataclass(frozen=True)
class DifferenceColumn(Column):
    """A column of differences; one that rounds to 0 has no sign."""

    def show(self, cell: Cell) -> str:
        """Return the number with its sign; 0 without."""
        text = super().show(cell)
        return text.lstrip("−") if isinstance(cell, float) and not text.strip("−0.") else text


def assumption(estimates: Estimates) -> str:
    """Return what the estimates assume: data can contradict it, and never confirm it."""
    if estimates.by_documents:
        text = (
            "Assumption: in every query the documents that people labelled were drawn at random with the "
            "stated probabilities."
        )
        if estimates.target == "these-queries":
            how = (
                "a fixed number without replacement within each query"
                if estimates.sampling == "fixed"
                else "each document independently (Poisson sampling)"
            )
            text += f" The intervals are for these queries only, for documents drawn as {how}."
        return f"{text} Data can contradict this but never confirm it."
    what, labelled, total = "queries", estimates.labelled, len(estimates.queries)
    if estimates.clusters is not None:
        labelled, others = estimates.clusters
        what, total = f"clusters ({estimates.labelled:,} queries)", labelled + others
    return (
        f"Assumption: the {labelled:,} {what} with human labels were drawn at random from all {total:,}. "
        "Data can contradict this but never confirm it."
    )


def estimate_table(estimates: Estimates) -> Table:
    """One row per measure and system; the estimate that is best by each measure is marked."""
    several = len(estimates.estimators) > 1
    level = f"{100 * estimates.confidence:g} % interval"
    columns = [Column("measure", align="left")] if several else []
    columns += [
        Column("system", align="left"),
        Column("estimate" if several else estimates.measures[0]),
        interval_column(level),
        Column("people only"),
        interval_column(f"{level} (people)"),
        Column("judge only"),
        DifferenceColumn("bias of judge"),
        interval_column(f"{level} (bias)"),
        Column("λ", digits=2),
        Column("n_eff", digits=0),
    ]
    rows: list[tuple[Cell, ...]] = []
    marks = set()
    seen = set()
    for row in estimates.rows():
        if row["measure"] not in seen:
            seen.add(row["measure"])
            marks.add((len(rows), 2 if several else 1))
        cells: list[Cell] = [row["measure"]] if several else []
        cells += [
            row["system"],
            row["estimate"],
            (row["low"], row["high"]),
            row["people"],
            (row["people_low"], row["people_high"]),
            row["judge"],
            row["bias"],
            (row["bias_low"], row["bias_high"]),
            row["weight"],
            row["n_eff"],
        ]
        rows.append(tuple(cells))
    return Table.of(
        columns, rows, title="Estimates", notes=_notes(estimates), marks=frozenset(marks)
    )


def long_table(estimates: Estimates) -> Table:
    """One row per measure and system, one column per field."""
    rows = estimates.rows()
    columns = [
        Column(name, align="left" if isinstance(cell, str) else "right")
        for name, cell in rows[0].items()
    ]
    return Table.of(columns, [tuple(row.values()) for row in rows], notes=_notes(estimates))


def interval_words(estimates: Estimates) -> str:
    """Return how the intervals of the systems are computed."""
    freedom = estimates.estimators[0].fit.freedom
    if estimates.method == "z":
        words = "the normal distribution"
    elif estimates.method == "bootstrap":
        words = f"the studentised bootstrap over queries ({estimates.draws:,} draws, seed {estimates.seed})"
    else:
        over = "clusters" if estimates.clusters is not None else "queries"
        if estimates.target == "these-queries":
            over = "the documents drawn"
        words = f"Student's t over {over} ({freedom:.4g} degrees of freedom)"
        bounded = [e.measure for e in estimates.estimators if e.bounds is not None]
        if bounded:
            which = "" if len(bounded) == len(estimates.measures) else f" for {', '.join(bounded)}"
            words += f", in Wilson's form for bounded means{which}"
    return words


def _notes(estimates: Estimates) -> list[str]:
    n, total = estimates.labelled, len(estimates.queries)
    if estimates.by_documents:
        seen = f"people labelled some documents of each of {n:,} queries, the judge all ranked documents"
    else:
        seen = f"people labelled {n:,} queries, the judge {total:,}"
    about = "these queries" if estimates.target == "these-queries" else "queries like these"
    notes = [
        f"Design {estimates.design}: {seen}. * best estimate; the differences show what is significant.",
        f"Each {100 * estimates.confidence:g} % interval is for the mean of one system over {about}, not for "
        f"all systems together. Method: {interval_words(estimates)}.",
        assumption(estimates),
        "λ is the weight of the judge's labels, one per measure. n_eff is the number of queries that people "
        "alone would have to label for the same standard error.",
    ]
    notes += [f"! {finding}" for finding in estimates.findings if finding.severity != "note"]
    notes += [str(finding) for finding in estimates.findings if finding.severity == "note"]
    return notes + [f"signature: {signature}" for signature in estimates.signatures]
