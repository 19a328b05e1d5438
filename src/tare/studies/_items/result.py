"""The answers of the study of items: omnibus tests, and the intervals of every level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tare._result import MultiTableResult, Rows
from tare._signature import Signature
from tare._tables import Column, Table, interval_column
from tare.stats._p_values import PColumn, shown

__all__ = ["ItemStudy"]


@dataclass(frozen=True, eq=False, repr=False)
class ItemStudy(MultiTableResult):
    """Tests of systems, items and groups of items, and simultaneous intervals of their levels."""

    figure_module: ClassVar[str] = "tare.report._chapters.studies.items"

    omnibus: Rows
    levels: Rows
    measure: str
    method: str
    alpha: float
    systems: int
    items: int
    signatures: tuple[Signature, ...]
    notes: tuple[str, ...] = ()

    @property
    def factors(self) -> tuple[str, ...]:
        """system, item, and the attributes that group items."""
        return tuple(dict.fromkeys(row["factor"] for row in self.omnibus))

    def all_rows(self) -> dict[str, Rows]:
        """Rows by name: omnibus, levels."""
        return {"omnibus": self.omnibus, "levels": self.levels}

    def facts(self) -> dict[str, Any]:
        """Measure, method, level, sizes and signatures."""
        names = ("measure", "method", "alpha", "systems", "items")
        return {n: getattr(self, n) for n in names} | {
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def headlines(self) -> list[str]:
        """Which factors matter, and how many of their levels differ from the one compared with."""
        made = []
        for factor in self.factors:
            first = next(r for r in self.omnibus if r["factor"] == factor)
            own = [r for r in self.levels if r["factor"] == factor]
            apart = sum(bool(r["differs"]) for r in own)
            says = "differ" if first["p"] <= self.alpha else "do not differ significantly"
            made.append(
                f"Levels of {factor} {says} (F = {first['statistic']:.2f}, p = {shown(first['p'])}); "
                f"{apart} of {len(own) - 1} differ from {own[0]['against']}."
            )
        return made

    def tables(self) -> dict[str, Table]:
        """The omnibus tests, then the levels of each factor, the best first."""
        columns: list[Column | str] = [
            "factor",
            "test",
            Column("statistic"),
            Column("df", digits=0),
        ]
        columns += [Column("df error", digits=0), PColumn("p"), Column("levels"), Column("n")]
        made = {
            "omnibus": Table.of(
                columns,
                [tuple(row.values()) for row in self.omnibus],
                title=f"Does anything differ? {self.measure}",
                notes=[
                    "statistic: F of the analysis of variance, H of Kruskal–Wallis, Q of Friedman. "
                    "Kruskal–Wallis takes all scores as independent; Friedman keeps items (for items: "
                    "systems) together. Groups of items have one value per item: its mean over "
                    "systems, adjusted where scores are missing.",
                    *self.notes,
                    *(f"signature: {s}" for s in self.signatures),
                ],
            )
        }
        what = "mean" if self.method == "means" else "mean rank"
        for factor in self.factors:
            own = [r for r in self.levels if r["factor"] == factor]
            if not own:
                continue
            against = own[0]["against"]
            marks = frozenset((k, 4) for k, r in enumerate(own) if r["differs"])
            made[factor] = Table.of(
                [factor, Column("n"), Column(what), interval_column("interval"), PColumn(f"p against {against}")],
                [(r["level"], r["n"], r["mean"], (r["low"], r["high"]), r["p"]) for r in own],
                title=f"{factor}: {self.measure}",
                notes=[
                    f"Intervals for comparison ({100 * (1 - self.alpha):g} %, all levels at once): two "
                    "levels whose intervals do not overlap differ significantly (Hochberg and Tamhane "
                    "1987), exactly so with equal n. p: Tukey and Kramer's test"
                    + (" on ranks" if self.method == "ranks" else "")
                    + f"; * differs from {against}.",
                ],
                marks=marks,
            )  # fmt: skip
        return made
