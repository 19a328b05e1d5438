"""The tables of the study of discriminative power."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._tables import Column, Table
from tare.stats._named_tests import TESTS

if TYPE_CHECKING:
    from tare.studies._discrimination.result import Discrimination

__all__ = ["corrected", "tables_of"]


def corrected(found: Discrimination) -> str:
    """Return what the p-values are corrected for."""
    if TESTS[found.test].family_wise:
        return "for all pairs of systems of one measure and set of items together"
    if found.correction == "none":
        return "each pair of systems on its own, without a correction"
    return (
        f"correction {found.correction} over the pairs of systems of one measure and set of items"
    )


def tables_of(found: Discrimination) -> dict[str, Table]:
    """Return the tables of families, of measures at each cutoff, and of conflicts."""
    rows = found.family_rows()
    numbers = ("cutoffs", "items", "pairs", "significant", "power")
    columns: list[Column | str] = ["set", "measure", *map(Column, numbers)]
    columns += [Column("PAD", digits=2), Column("PAD as published", digits=2)]
    shown = [[row[k] for k in row if k != "pad_undefined"] for row in rows]
    notes = [
        f"Significant: test {found.test}, {corrected(found)}, α = {found.alpha:g}, "
        f"{len(found.systems)} systems, {found.draws:,} draws, seed {found.seed}. Power: the share "
        "of significant pairs over all cutoffs. It shows sensitivity, not validity. Whether measures differ "
        "in it was not tested.",
        "PAD: 100·|a₁ − a₂|/max(|a₁|, |a₂|), where a is the mean over cutoffs. The published PAD "
        "is divided by max(a₁, a₂), which is misleading if means are not positive.",
        *found.notes,
    ]
    undefined = sum(row["pad_undefined"] for row in rows)
    if undefined:
        notes.append(f"PAD is undefined for {undefined:,} pairs in which both means are 0.")
    made = {
        "families": Table.of(columns, shown, title="Discriminative power by measure", notes=notes)
    }
    if any(len(measures) > 1 for measures in found.families.values()):
        columns = ["set", "measure", *map(Column, ("items", "pairs", "significant", "power"))]
        shown = [
            [r[k] for k in ("set", "measure", "items", "pairs", "significant", "power")]
            for r in found.measure_rows()
        ]
        made["measures"] = Table.of(
            columns, shown, title="Discriminative power by measure and cutoff"
        )
    conflicts = found.conflict_rows()
    if conflicts:
        names = [name.replace("_", " ") for name in conflicts[0]]
        columns = [*names[:3], *map(Column, names[3:])]
        note = (
            "Number of comparisons (pairs × cutoffs) that are significant by both measures, by only "
            "one, or by neither. Conflicts: significant by only one. Opposite: significant by both, "
            "with opposite signs. τ: τ-b of the system means over cutoffs."
        )
        made["conflicts"] = Table.of(
            columns,
            [list(r.values()) for r in conflicts],
            title="Significance conflicts between measures",
            notes=[note],
        )
    return made
