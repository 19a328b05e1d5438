"""LETOR text: its rows as arrays, the queries they belong to, and findings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.findings import Finding
from tare._data.groups import Groups, group_file, offsets_of
from tare._data.problems import raise_problems
from tare._files.opening import PathLike, blocks, name_of
from tare._kernels import LETOR_MOST_CELLS, LetorArrays, LetorReading
from tare.errors import DataError, FormatError, OptionError

__all__ = ["LetorText", "read_text"]


class LetorText(NamedTuple):
    """The arrays of a file, its queries, the first row of each query, and findings."""

    arrays: LetorArrays
    queries: tuple[str, ...]
    offsets: NDArray[np.int64]
    findings: list[Finding]


def read_text(source: PathLike, groups: Groups | None, documents: bool) -> LetorText:
    """Read a file; `groups` are the numbers of rows per query, if lines do not name queries."""
    name = name_of(source)
    try:
        reading = kernels.read_letor(blocks(source), documents=documents)
    except MemoryError:
        raise DataError(
            f"{name}: not enough memory for the dense matrix of its features. "
            "Read the file in parts, or number its features from 1 without gaps."
        ) from None
    raise_problems(name, reading, "letor")
    arrays = _usable(reading, name)
    findings = _findings(arrays, name, documents)
    queries, offsets = tuple(arrays.queries), arrays.offsets
    if queries and groups is not None:
        raise OptionError(
            f"{name}: groups= is for lines without qid:, but these lines name their queries. "
            "Remove groups=."
        )
    if not queries:
        found = groups if groups is not None else group_file(source)
        offsets = offsets_of(found, reading.rows, name)
        queries = tuple(str(number) for number in range(1, len(offsets)))
        findings.append(
            Finding(
                "queries by groups",
                f"{name}: the lines do not name queries; {len(queries):,} groups of rows are "
                "numbered from 1.",
                len(queries),
                severity="note",
            )
        )
    return LetorText(arrays, queries, offsets, findings)


def _usable(reading: LetorReading, name: str) -> LetorArrays:
    if reading.too_large:
        raise FormatError(
            f"{name}: {reading.rows:,} rows with {reading.width:,} features would be a matrix of "
            f"{reading.rows * reading.width:,} cells; at most {LETOR_MOST_CELLS:,} (16 GiB) are accepted. "
            "Number the features from 1 without gaps, or read the file in parts."
        )
    if reading.arrays is None:
        raise FormatError(f"{name}: no rows found; the file is empty or contains only comments.")
    return reading.arrays


def _findings(arrays: LetorArrays, name: str, documents: bool) -> list[Finding]:
    findings = []
    if arrays.scattered:
        message = (
            f"{name}: the rows of {arrays.scattered:,} queries are not consecutive; they were grouped "
            "in their order."
        )
        findings.append(Finding("scattered queries", message, arrays.scattered))
    if arrays.first_feature == 0:
        message = f"{name}: features are numbered from 0; feature 0 is column 0 of the matrix."
        findings.append(Finding("features from 0", message, severity="note"))
    unnamed = sum(not document for document in arrays.documents)
    if documents and unnamed:
        message = f"{name}: {unnamed:,} rows have no comment 'docid = …'; they are named by row."
        findings.append(Finding("documents without an id", message, unnamed, severity="note"))
    return findings
