"""Estimates as a table, and the assumptions behind them in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tare._tables import Column, Table, interval_column
from tare._tables.table import Cell

if TYPE_CHECKING:
    from tare._decide.ppi.estimates import Estimates

__all__ = ["DifferenceColumn", "assumption", "estimate_table", "long_table"]


@dataclass(frozen=True)
class DifferenceColumn(Column):
    """A column of differences; one that rounds to 0 has no sign."""

    def show(self, cell: Cell) -> str:
        """Return the number with its sign; 0 without."""
        text = super().show(cell)
        return text.lstrip("−") if isinstance(cell, float) and not text.strip("−0.") else text


def assumption(estimates: Estimates) -> str:
    """Return what the estimates assume and no data can show."""
    if estimates.by_documents:
        text = (
            "Assumption: in every query the documents that people labelled were drawn at random with the "
            "stated probabilities. The data cannot show whether this is true."
        )
        if estimates.target == "these-queries":
            how = (
                "a fixed number without replacement within each query"
                if estimates.sampling == "fixed"
                else "each document independently (Poisson sampling)"
            )
            text += f" The intervals are for these queries only, for documents drawn as {how}."
    else:
        text = (
            f"Assumption: the {estimates.labelled:,} queries with human labels are a random sample of "
            f"all {len(estimates.queries):,} queries. The data cannot show whether this is true."
        )
    if estimates.method == "rogan-gladen":
        text += (
            " Rogan and Gladen's estimate also assumes that the judge has the same sensitivity and "
            "specificity for the documents of every system."
        )
    return text


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


def _notes(estimates: Estimates) -> list[str]:
    n, total = estimates.labelled, len(estimates.queries)
    if estimates.by_documents:
        seen = f"people labelled some documents of each of {n:,} queries, the judge all ranked documents"
    else:
        seen = f"people labelled {n:,} queries, the judge {total:,}"
    how = {
        "t": "Student's t with the jackknife over queries",
        "z": "normal",
        "bootstrap": f"studentised bootstrap, {estimates.draws:,} draws, seed {estimates.seed}",
        "rogan-gladen": "Rogan and Gladen's estimate, jackknife over queries",
    }[estimates.method]
    if estimates.by_documents and estimates.method == "t":
        how = "Student's t over queries"
        if estimates.target == "these-queries":
            how = "Student's t with the design variance"
    notes = [f"Design {estimates.design}: {seen}. Intervals: {how}.", assumption(estimates)]
    worth = "n_eff is the number of queries that people alone would have to label for the same interval."
    if estimates.method != "rogan-gladen":
        worth = f"λ is the weight of the judge's labels, one per measure. {worth}"
    notes.append(worth)
    notes += [f"! {finding}" for finding in estimates.findings if finding.severity != "note"]
    notes += [str(finding) for finding in estimates.findings if finding.severity == "note"]
    return notes + [f"signature: {signature}" for signature in estimates.signatures]
