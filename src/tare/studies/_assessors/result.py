"""The answers of the study of assessors: who repeats himself, and what changes without the worst."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tare._result import MultiTableResult, Rows
from tare._tables import Column, Table
from tare.stats._consistency import SelfConsistency

__all__ = ["AssessorStudy"]


@dataclass(frozen=True, eq=False, repr=False)
class AssessorStudy(MultiTableResult):
    """Self-consistency, manual − automatic pyramid, and what leaving out the worst changes.

    `worst_first` is the order in which assessors are left out.
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.assessors"

    consistency: SelfConsistency
    rows_by_name: dict[str, Rows]
    worst_first: tuple[str, ...]
    worst_by: str
    seed: int

    def contingency_rows(self) -> Rows:
        """One dictionary an assessor and two values: how often one was said first, the other later."""
        values = self.consistency.values
        return [
            {"assessor": a, "first": values[i], "later": values[j], "count": int(table[i, j])}
            for a, table in self.consistency.contingency.items()
            for i in range(len(values))
            for j in range(len(values))
        ]

    def all_rows(self) -> dict[str, Rows]:
        """Rows by name: consistency, contingency, differences, pyramids, rankings, measures, learned."""
        made: dict[str, Rows] = {
            "consistency": self.consistency.to_frame().to_dicts(),
            "contingency": self.contingency_rows(),
        }
        return made | {name: rows for name, rows in self.rows_by_name.items() if rows}

    def facts(self) -> dict[str, Any]:
        """The order in which assessors are left out, and why."""
        return {"worst_first": list(self.worst_first), "worst_by": self.worst_by, "seed": self.seed}

    def tables(self) -> dict[str, Table]:
        """Self-consistency, contingency tables, differences of pyramids, effects of leaving out."""
        made = {"consistency": self.consistency.table(), "contingency": self._contingency()}
        if self.rows_by_name["differences"]:
            made["differences"] = _table(
                self.rows_by_name["differences"],
                ("assessor",),
                "Manual − automatic",
                ["Of all outputs that an assessor judged; 95 % interval over items."],
            )
        if self.rows_by_name["rankings"]:
            by = {
                "alpha": "self-consistency",
                "difference": "manual − automatic, the lowest first",
            }[self.worst_by]
            made["rankings"] = _table(
                self.rows_by_name["rankings"],
                ("without",),
                "Rankings of systems without the worst assessors",
                [
                    f"Correlation of the systems' means with those of all assessors; the worst by {by}."
                ],
            )
        for name, title in (("measures", "Measures"), ("learned", "Learned measures")):
            if self.rows_by_name[name]:
                made[name] = _table(
                    self.rows_by_name[name],
                    ("without", "measure", "level", "coefficient"),
                    f"{title} and people without the worst assessors",
                    ["change: against all assessors. Level assessor: all outputs of one assessor "
                     "together, the mean over assessors."],
                )  # fmt: skip
        return made

    def _contingency(self) -> Table:
        values = [f"{v:.4g}" if isinstance(v, float) else str(v) for v in self.consistency.values]
        columns: list[Column | str] = ["assessor", "first", *(Column(f"later {v}") for v in values)]
        rows: list[list[Any]] = [
            [a, values[i], *(int(c) for c in table[i])]
            for a, table in self.consistency.contingency.items()
            for i in range(len(values))
        ]
        notes = ["A row: what was said first; a column: what was said later of the same."]
        notes += [self.consistency.binned] if self.consistency.binned else []
        return Table.of(columns, rows, title="The same twice", notes=notes)


def _table(rows: Rows, words: tuple[str, ...], title: str, notes: list[str]) -> Table:
    keys = [k for k in rows[0] if k != "left_out"]
    columns: list[Column | str] = [
        k.replace("_", " ") if k in words else Column(k.replace("_", " ")) for k in keys
    ]
    return Table.of(columns, [[r[k] for k in keys] for r in rows], title=title, notes=notes)
