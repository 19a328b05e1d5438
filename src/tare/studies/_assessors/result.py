"""The result of the study of assessors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tare._result import MultiTableResult, Row, Rows
from tare._tables import Column, Table
from tare.stats._self_consistency import SelfConsistency

__all__ = ["AssessorStudy"]


@dataclass(frozen=True, eq=False, repr=False)
class AssessorStudy(MultiTableResult):
    """Self-consistency of assessors, and the effect of leaving out the worst.

    Attributes
    ----------
    consistency : SelfConsistency
        The self-consistency of each assessor.
    rows_by_name : dict of str to list of dict
        Differences between manual and automatic pyramids, rankings, and correlations.
    worst_first : tuple of str
        The order in which assessors are left out.
    worst_by : {"alpha", "difference"}
        The criterion of this order.
    seed : int
        Seed of random draws.

    Examples
    --------
    >>> import polars as pl
    >>> import tare
    >>> rows = [("t1", "ann", 2), ("t1", "ann", 2), ("t2", "ann", 1), ("t2", "ann", 1)]
    >>> rows += [("t1", "bob", 1), ("t1", "bob", 2), ("t2", "bob", 2), ("t2", "bob", 1)]
    >>> ratings = pl.DataFrame(rows, schema=["unit", "coder", "value"], orient="row")
    >>> found = tare.studies.assessors(ratings)
    >>> found.worst_by, found.consistency.same
    ('alpha', {'ann': 1.0, 'bob': 0.0})
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.assessors"

    consistency: SelfConsistency
    rows_by_name: dict[str, Rows]
    worst_first: tuple[str, ...]
    worst_by: str
    seed: int

    def contingency_rows(self) -> Rows:
        """Return one dictionary per assessor and pair of values: how often one followed the other."""
        values = self.consistency.values
        return [
            {"assessor": a, "first": values[i], "later": values[j], "count": int(table[i, j])}
            for a, table in self.consistency.contingency.items()
            for i in range(len(values))
            for j in range(len(values))
        ]

    def all_rows(self) -> dict[str, Rows]:
        """Return rows: consistency, contingency, differences, pyramids, rankings, measures, learned."""
        made: dict[str, Rows] = {
            "consistency": self.consistency.to_frame().to_dicts(),
            "contingency": self.contingency_rows(),
        }
        return made | {name: rows for name, rows in self.rows_by_name.items() if rows}

    def facts(self) -> Row:
        """Return the order in which assessors are left out, its criterion, and the seed."""
        return {"worst_first": list(self.worst_first), "worst_by": self.worst_by, "seed": self.seed}

    def tables(self) -> dict[str, Table]:
        """Return self-consistency, contingency, pyramid differences, and effects of leaving out."""
        made = {"consistency": self.consistency.table(), "contingency": self._contingency()}
        if self.rows_by_name["differences"]:
            made["differences"] = _table(
                self.rows_by_name["differences"],
                ("assessor",),
                "Manual minus automatic pyramid score",
                [
                    "Mean over all outputs that an assessor judged, with Student's 95 % interval of the mean "
                    "over items, each on its own. Whether assessors differ was not tested."
                ],
            )
        if self.rows_by_name["rankings"]:
            by = {
                "alpha": "self-consistency",
                "difference": "manual − automatic, lowest first",
            }[self.worst_by]
            made["rankings"] = _table(
                self.rows_by_name["rankings"],
                ("without",),
                "Rankings of systems without the worst assessors",
                [f"Correlation of system means with those of all assessors. Worst by {by}."],
            )
        for name, title in (("measures", "Measures"), ("learned", "Learned measures")):
            if self.rows_by_name[name]:
                made[name] = _table(
                    self.rows_by_name[name],
                    ("without", "measure", "level", "coefficient"),
                    f"{title}: correlation with people without the worst assessors",
                    [
                        "change: difference from the value with all assessors. Level assessor: "
                        "correlation over all outputs of one assessor, averaged over assessors."
                    ],
                )
        return made

    def _contingency(self) -> Table:
        values = [f"{v:.4g}" if isinstance(v, float) else str(v) for v in self.consistency.values]
        columns: list[Column | str] = ["assessor", "first", *(Column(f"later {v}") for v in values)]
        rows: list[list[Any]] = [
            [a, values[i], *(int(c) for c in table[i])]
            for a, table in self.consistency.contingency.items()
            for i in range(len(values))
        ]
        notes = ["Rows: the first judgement. Columns: a later judgement of the same output."]
        notes += [self.consistency.binned] if self.consistency.binned else []
        return Table.of(columns, rows, title="Repeated judgements", notes=notes)


def _table(rows: Rows, words: tuple[str, ...], title: str, notes: list[str]) -> Table:
    keys = [k for k in rows[0] if k != "left_out"]
    columns: list[Column | str] = [
        k.replace("_", " ") if k in words else Column(k.replace("_", " ")) for k in keys
    ]
    return Table.of(columns, [[r[k] for k in keys] for r in rows], title=title, notes=notes)
