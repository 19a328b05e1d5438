"""A comparison as a table for a paper: systems × measures, with marks of significance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tare._decide.methods import tested_families
from tare._tables import Column, Table, p_stated
from tare._tables.table import Cell
from tare.errors import OptionError, choose
from tare.stats._named_tests import TESTS

if TYPE_CHECKING:
    from tare._decide.comparison import Comparison
    from tare._decide.families import Family

__all__ = ["MARKS", "paper_table"]

MARKS = ("superscript", "dagger", "bold")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
BETTER, WORSE = "†", "‡"


def paper_table(comparison: Comparison, marks: str, digits: int) -> Table:
    """Return one row per system, best first by the first measure, and one column per measure."""
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
    """Return a letter per system, or a number if there are not enough letters."""
    if len(systems) <= len(LETTERS):
        return dict(zip(systems, LETTERS, strict=False))
    return {system: str(k) for k, system in enumerate(systems, 1)}


def _worse(family: Family, system: str) -> set[str]:
    """Return the systems that are significantly worse than a system."""
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
    """Name the test, the correction, the level and the number of items."""
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
