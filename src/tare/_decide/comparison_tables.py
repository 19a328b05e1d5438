"""A comparison as tables: pairs, and systems with letters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._decide.methods import per_pair
from tare._tables import Column, PColumn, Table, interval_column
from tare._tables.table import Cell

if TYPE_CHECKING:
    from tare._decide.comparison import Comparison
    from tare._decide.families import Family

__all__ = ["long_table", "pair_cells", "pair_columns", "pair_table", "system_table"]


def pair_table(comparison: Comparison) -> Table:
    """One row per pair and measure; significant corrected p-values are marked."""
    families = [f for f in comparison.families if not f.untested] or list(comparison.families)
    several = len(families) > 1
    columns, place = pair_columns(comparison)
    if several:
        columns, place = [Column("measure", align="left"), *columns], place + 1
    rows: list[tuple[Cell, ...]] = []
    marks = set()
    for family in families:
        for row in family.rows():
            if row["significant"]:
                marks.add((len(rows), place))
            cells = pair_cells(comparison, row)
            rows.append((family.measure, *cells) if several else cells)
    title = families[0].measure if not several else "Comparisons"
    return Table.of(columns, rows, title=title, notes=_notes(comparison), marks=frozenset(marks))


def pair_columns(comparison: Comparison) -> tuple[list[Column], int]:
    """Return the columns of a table of pairs, and the place of the p-values that decide."""
    corrected = comparison.correction != "none"
    columns = [
        Column("system", align="left"),
        Column("against", align="left"),
        Column("n"),
        Column("difference"),
        interval_column(f"{100 * (1 - comparison.alpha):g} % interval{per_pair(comparison)}"),
        PColumn("p"),
    ]
    columns += [PColumn(f"p ({comparison.correction})")] if corrected else []
    place = len(columns) - 1
    columns += [
        Column("d_z", digits=2),
        Column("rank-biserial", digits=2),
        Column("W/T/L", parts=("wins", "ties", "losses"), between="/"),
        PColumn("direction risk"),
    ]
    return columns, place


def pair_cells(comparison: Comparison, row: dict[str, Any]) -> tuple[Cell, ...]:
    """Return the cells of one pair in the order of `pair_columns`."""
    cells: list[Cell] = [row["system"], row["against"], row["n"], row["difference"]]
    cells += [(row["low"], row["high"]), row["p"]]
    cells += [row["p_adjusted"]] if comparison.correction != "none" else []
    cells += [row["d_z"], row["rank_biserial"]]
    cells += [(row["wins"], row["ties"], row["losses"]), row["direction_risk"]]
    return tuple(cells)


def long_table(comparison: Comparison) -> Table:
    """One row per pair and measure, one column per field."""
    rows = comparison.rows()
    columns = [
        Column(name, align="left" if isinstance(cell, str) else "right")
        for name, cell in rows[0].items()
    ]
    return Table.of(columns, [tuple(row.values()) for row in rows], notes=_notes(comparison))


def system_table(comparison: Comparison) -> Table:
    """One row per system, best first by the first measure; the best mean of each measure is marked."""
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
    """Return the interval of the mean of one system."""
    assert family.levels is not None
    low, high = family.levels[list(family.means).index(system)].tolist()
    return None if math.isnan(low) else (low, high)


def _against(comparison: Comparison, k: int) -> dict[tuple[str, str], tuple[float, bool]]:
    """p of each pair in both directions, and whether it is significant."""
    made = {}
    for row in comparison.families[k].rows():
        found = row["p_adjusted"], bool(row["significant"])
        made[row["system"], row["against"]] = made[row["against"], row["system"]] = found
    return made


def _summary(comparison: Comparison) -> list[str]:
    """The table in words: systems tied with the best, and expected errors of direction."""
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
