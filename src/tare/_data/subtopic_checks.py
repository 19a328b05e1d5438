"""Checks of subtopic judgements, as findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, listed
from tare._data.problems import SHOWN, raise_sorted
from tare._data.text_rows import fields_of
from tare._kernels import Rows

if TYPE_CHECKING:
    from tare._data.subtopics import Subtopics

__all__ = ["check_subtopics", "duplicate_cells"]


def duplicate_cells(rows: Rows, name: str) -> list[Finding]:
    """Raise an error for duplicates with different grades; return a finding for equal ones."""
    conflicts, found = rows.duplicates(0, SHOWN, True)
    messages = []
    for query, cell, line, earlier in found:
        subtopic, _, document = (part.strip(" \t\r\v\f") for part in _parted(cell))
        text = (
            f"{name}, line {line}: document {document!r} of query {query!r}, subtopic "
            f"{subtopic!r}, has a different grade on line {earlier}. Keep one of the two."
        )
        messages.append((line, text))
    raise_sorted(conflicts, messages)
    count, found = rows.duplicates(0, 3, False)
    if count == 0:
        return []
    message = f"{name}: {count:,} duplicate judgements with the same grade; one of each was kept."
    examples = tuple(f"{query} {' '.join(fields_of(cell))}" for query, cell, *_ in found)
    return [Finding("duplicate judgements", message, count, examples=examples)]


def _parted(cell: str) -> tuple[str, str, str]:
    """Cut a cell at the tab that tables put there, else at the first blank."""
    if "\t" in cell:
        return cell.partition("\t")
    return cell.partition(next(c for c in cell if c in " \r\v\f"))


def check_subtopics(subtopics: Subtopics, *, rel: float = 1) -> list[Finding]:
    """Return findings about unusual codes, missing queries, and subtopics that cannot be covered."""
    a, name = subtopics.arrays, subtopics.name
    grades: NDArray[np.float64] = a.cell_grades
    cells = np.diff(a.cell_offsets)
    query = np.repeat(
        np.repeat(np.arange(len(subtopics.items)), np.diff(a.document_offsets)), cells
    )
    subtopic = a.subtopic_offsets[query] + a.cell_subtopics
    relevant = np.bincount(subtopic[grades >= rel], minlength=len(a.probabilities))
    names = subtopics.subtopic_names
    findings = []

    zero = np.flatnonzero([n == "0" and r == 0 for n, r in zip(names, relevant, strict=True)])
    if len(zero):
        count = int(np.isin(subtopic, zero).sum())
        findings.append(
            Finding(
                "subtopic 0",
                f"{name}: {count:,} judgements of {len(zero):,} queries have subtopic 0 and no "
                "relevant grade, as in Web 2009: documents that are not relevant to any subtopic. They "
                "are in the pool, and 0 is not counted as a subtopic.",
                count,
                severity="note",
            )
        )
    without_any = set(zero.tolist())
    empty = [j for j in np.flatnonzero(relevant == 0).tolist() if j not in without_any]
    if empty:
        of = np.repeat(np.arange(len(subtopics.items)), np.diff(a.subtopic_offsets))
        examples = [f"{subtopics.items[of[j]]}/{names[j]}" for j in empty]
        findings.append(
            Finding(
                "subtopics without a relevant document",
                f"{name}: {len(empty):,} subtopics have no document of grade {rel:g} or more; they "
                "are not counted, as in ndeval.",
                len(empty),
                severity="note",
                examples=listed(examples),
            )
        )
    negative = int((grades < 0).sum())
    if negative:
        findings.append(
            Finding(
                "negative grades",
                f"{name}: {negative:,} judgements have a negative grade, the lowest "
                f"{grades.min():g} (spam); they are in the pool and not relevant. ndeval rejects "
                "such files.",
                negative,
                severity="note",
            )
        )
    if len(grades) and (grades >= rel).all():
        findings.append(
            Finding(
                "only relevant documents",
                f"{name}: every judgement has grade {rel:g} or more. The other judged documents are "
                "unknown, so the pool 'judged' contains only relevant documents. For measures net of "
                "chance use pool=union, retrieved or corpus=N.",
                len(grades),
            )
        )
    with_any = np.zeros(len(subtopics.items), dtype=bool)
    with_any[query[grades >= rel]] = True
    without = [subtopics.items[q] for q in np.flatnonzero(~with_any)]
    if without:
        findings.append(
            Finding(
                "no relevant document",
                f"{name}: {len(without):,} of {len(subtopics.items):,} queries have no document of "
                f"grade {rel:g} or more; they score 0 and are counted.",
                len(without),
                examples=listed(without),
            )
        )
    return findings + _gaps(subtopics.items, name)


def _gaps(items: tuple[str, ...], name: str) -> list[Finding]:
    """Return a finding about missing topic numbers; Web 2010 lacks two."""
    if not items or not all(item.isdecimal() and len(item) < 9 for item in items):
        return []
    numbers = {int(item) for item in items}
    low, high = min(numbers), max(numbers)
    missing = [str(n) for n in range(low, high + 1) if n not in numbers]
    if not missing or len(missing) > len(items) // 4:
        return []
    message = (
        f"{name}: the queries are numbered {low} to {high}, but {len(missing):,} of these numbers "
        "are missing; such queries of a run are left out."
    )
    return [
        Finding("queries missing", message, len(missing), severity="note", examples=listed(missing))
    ]
