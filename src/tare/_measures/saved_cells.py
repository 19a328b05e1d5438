"""The cells of a file that `Scores.save` wrote, read without a data frame.

Tables of other programs have other columns, types and orders, and need one. Its library takes longer to import than
such a file to read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.formats.parquet import ParquetTable
from tare._measures.column_measure import column_measures
from tare._measures.score_cells import MAX_VALUE, Axes, Cells
from tare._measures.score_rows import JUDGED, PARTS

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["saved_cells"]

IDS = ("system", "item", "measure")


def saved_cells(file: ParquetTable, about: dict[str, Any]) -> tuple[Axes, Cells] | None:
    """Return the axes and the cells; None unless columns, types and the order of rows are those of `save`."""
    names = [about.get(axis, []) for axis in ("systems", "items", "measures")]
    shape = tuple(map(len, names))
    numbers = file.columns[len(IDS) :]
    expected = [
        "value",
        *(PARTS if "gross" in numbers else ()),
        *([JUDGED] if JUDGED in about else []),
    ]
    if (
        about.get("attributes")
        or file.columns != [*IDS, *expected]
        or file.rows != shape[0] * shape[1] * shape[2]
        or file.rows == 0
        or any(len(set(axis)) < len(axis) for axis in names)
    ):
        return None
    measures = column_measures(tuple(names[2]))
    if any(m.registered and m.aggregate == "statistics" for m in measures):
        return None
    table = file.table()
    repeats = (shape[1] * shape[2], shape[2], 1)
    for column, axis, times in zip(IDS, names, repeats, strict=True):
        if not _in_order(table[column], axis, times):
            return None
    found = {}
    for column in expected:
        cells = _cells(table[column])
        if cells is None:
            return None
        found[column] = cells.reshape(shape)
    parts = np.stack([found[part] for part in PARTS]) if PARTS[0] in found else None
    axes = (tuple(names[0]), tuple(names[1]), measures)
    return axes, Cells(found["value"], parts, found.get(JUDGED))


def _in_order(column: pa.ChunkedArray, names: list[str], times: int) -> bool:
    """Return whether a column has each name `times` times in a row, and then all of them again."""
    import pyarrow as pa

    places = {name: place for place, name in enumerate(names)}
    first = 0
    for chunk in column.chunks:
        expected = np.arange(first, first + len(chunk)) // times % len(names)
        first += len(chunk)
        if chunk.null_count:
            return False
        if pa.types.is_dictionary(chunk.type):
            codes = [places.get(name, -1) for name in chunk.dictionary.to_pylist()]
            found = np.array(codes, dtype=np.intp)[_plain(chunk.indices)]
        elif pa.types.is_string(chunk.type) or pa.types.is_large_string(chunk.type):
            found = np.array([places.get(name, -1) for name in chunk.to_pylist()], dtype=np.intp)
        else:
            return False
        if not np.array_equal(found, expected):
            return False
    return True


def _cells(column: pa.ChunkedArray) -> NDArray[np.float64] | None:
    """Return the numbers of a column, NaN for null; None if another reader has to say what is wrong."""
    import pyarrow as pa

    if not pa.types.is_float64(column.type):
        return None
    chunks = [
        chunk.to_numpy(zero_copy_only=False) if chunk.null_count else _plain(chunk)
        for chunk in column.chunks
    ]
    numbers = np.concatenate(chunks)
    return None if (np.abs(numbers) > MAX_VALUE).any() else numbers


def _plain(numbers: pa.Array) -> NDArray[Any]:
    """Return an array without nulls; `to_numpy` would import pandas wherever it is installed."""
    return np.from_dlpack(numbers)
