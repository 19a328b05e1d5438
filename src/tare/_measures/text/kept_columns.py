"""Finished parts of a text evaluation, kept in a folder, so that a job that was stopped continues.

The name of a file is a digest of all that its values depend on: texts, measures, options and the version of tare.
So a file of another job is never used, and a folder can hold the parts of several jobs.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

import numpy as np
from numpy.typing import NDArray

from tare._data.array_files import DAMAGES, read_arrays, write_arrays
from tare._data.findings import Finding, Severity
from tare._measures.measure import Measure
from tare._measures.text.cell_findings import CellFinding, Noted
from tare._measures.text.columns import TextColumn
from tare._signature import tare_version
from tare._stores.addresses import as_path, is_address
from tare.errors import FormatError

__all__ = ["check_fit", "kept_array", "kept_columns", "name_of_part", "text_parts_in"]

FORMAT = "tare texts 1"
Values = NDArray[np.float64]
T = TypeVar("T")
Folder = str | os.PathLike[str]


def name_of_part(facts: Iterable[object]) -> str:
    """Return the name of the file of a part; facts are what its values depend on."""
    whole = hashlib.sha256(f"{FORMAT} {tare_version()}".encode())
    for fact in facts:
        if isinstance(fact, np.ndarray):
            whole.update(f"\n{fact.dtype} {fact.shape} ".encode())
            whole.update(np.ascontiguousarray(fact).tobytes())
        else:
            whole.update(f"\n{fact!r}".encode("utf-8", "backslashreplace"))
    return f"texts-{whole.hexdigest()[:40]}.npz"


def text_parts_in(folder: Folder) -> int:
    """Return the number of finished parts in a folder."""
    if is_address(folder):
        from tare._stores.listing import addresses_like

        return len(addresses_like(f"{os.fspath(folder).rstrip('/')}/texts-*.npz"))
    return sum(1 for _ in Path(folder).glob("texts-*.npz"))


def kept_columns(
    folder: Folder, name: str, shape: tuple[int, int], score: Callable[[], list[TextColumn]]
) -> list[TextColumn]:
    """Return the columns of a part (measures, cells) from its file, or score it and write the file."""
    path = as_path(folder) / name
    found = _read(path, lambda facts, arrays: _columns_of(facts, arrays, shape))
    if found is not None:
        return found
    made = score()
    arrays: dict[str, NDArray[Any]] = {}
    columns = [_described(column, f"{k}", arrays) for k, column in enumerate(made)]
    write_arrays(path, {"format": FORMAT, "columns": columns}, arrays)
    return made


def kept_array(
    folder: Folder, name: str, shape: tuple[int, ...], score: Callable[[], Values]
) -> Values:
    """Return the values of a part from its file, or score it and write the file."""
    path = as_path(folder) / name
    found = _read(path, lambda _, arrays: _numbers(arrays["values"], shape))
    if found is not None:
        return found
    made = score()
    write_arrays(path, {"format": FORMAT}, {"values": made})
    return made


def _read(path: Path, make: Callable[[dict[str, Any], dict[str, NDArray[Any]]], T]) -> T | None:
    """Return what a file contains; None if there is none, or if it is damaged."""
    if not _is_there(path):
        return None
    try:
        found = read_arrays(path)
        return None if found is None or found[0]["format"] != FORMAT else make(*found)
    except DAMAGES:
        return None


def _is_there(path: Path) -> bool:
    if not is_address(path):
        return path.is_file()
    from tare._stores.listing import addresses_like

    return bool(addresses_like(str(path)))


def _described(column: TextColumn, key: str, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Return the facts of a column, and add its arrays."""
    arrays |= {f"{key}.values": column.values, f"{key}.errors": column.errors}
    arrays |= {f"{key}.ratio.{k}": values for k, values in enumerate(column.ratio)}
    if column.statistics is not None:
        arrays[f"{key}.statistics"] = column.statistics
    noted = []
    for n, one in enumerate(column.noted):
        if isinstance(one, CellFinding):
            arrays |= {f"{key}.cases.{n}.{k}": cells for k, cells in enumerate(one.cases)}
            plain = {f.name: getattr(one, f.name) for f in fields(one) if f.name != "cases"}
            noted.append(plain | {"cases": len(one.cases)})
        else:
            noted.append(asdict(one))
    facts = {name: _plain(fact) for name, fact in column.facts.items()}
    return {"facts": facts, "ratio": len(column.ratio), "noted": noted}


def check_fit(
    parts: Sequence[Sequence[TextColumn]], measures: Sequence[Measure], folder: Folder
) -> None:
    """Refuse parts that cannot be joined; their files have correct checksums and other content."""
    for measure, alike in zip(measures, zip(*parts, strict=True), strict=True):
        first = alike[0]
        complete = (measure.aggregate != "ratio" or len(first.ratio) == 3) and (
            measure.aggregate != "statistics" or first.statistics is not None
        )
        if not complete or any(_shape(column) != _shape(first) for column in alike):
            raise FormatError(
                f"{as_path(folder)}: the finished parts in this folder do not fit together. Remove the folder, and "
                "start the job again."
            )


def _shape(column: TextColumn) -> tuple[object, ...]:
    """Return what the columns of a measure have in common in all parts."""
    width = None if column.statistics is None else column.statistics.shape[1:]
    noted = [len(one.cases) if isinstance(one, CellFinding) else None for one in column.noted]
    return len(column.ratio), width, "nrefs" in column.facts, noted


def _columns_of(
    facts: dict[str, Any], arrays: dict[str, NDArray[Any]], shape: tuple[int, int]
) -> list[TextColumn]:
    measures, cells = shape
    if len(facts["columns"]) != measures:
        raise ValueError(f"{len(facts['columns'])} columns of {measures} measures")
    return [_column_of(given, f"{k}", arrays, cells) for k, given in enumerate(facts["columns"])]


def _column_of(
    given: dict[str, Any], key: str, arrays: dict[str, NDArray[Any]], cells: int
) -> TextColumn:
    statistics = arrays.get(f"{key}.statistics")
    noted = enumerate(given["noted"])
    return TextColumn(
        _numbers(arrays[f"{key}.values"], (cells,)),
        _numbers(arrays[f"{key}.errors"], (cells,)),
        tuple(_numbers(arrays[f"{key}.ratio.{k}"], (cells,)) for k in range(given["ratio"])),
        None if statistics is None else _numbers(statistics, (cells, statistics.shape[1])),
        {str(k): _plain(v) for k, v in given["facts"].items()},
        tuple(_noted(one, f"{key}.cases.{n}", arrays, cells) for n, one in noted),
    )


def _numbers(array: NDArray[Any], shape: tuple[int, ...]) -> Values:
    if array.dtype != np.float64 or array.shape != shape:
        raise ValueError(f"{array.dtype} {array.shape} in the place of {shape} numbers")
    return array


def _plain(fact: object) -> object:
    if not isinstance(fact, str | int | float | None):
        raise ValueError(f"{fact!r} is not a fact of a measure")
    return fact


def _noted(given: dict[str, Any], key: str, arrays: dict[str, NDArray[Any]], most: int) -> Noted:
    kind, message, severity = (str(given[name]) for name in ("kind", "message", "severity"))
    if severity not in get_args(Severity):
        raise ValueError(f"severity {severity!r}")
    if "cases" not in given:
        examples: Sequence[Any] = given["examples"]
        return Finding(
            kind, message, int(given["count"]), cast(Severity, severity), tuple(map(str, examples))
        )
    cases = tuple(arrays[f"{key}.{k}"] for k in range(given["cases"]))
    for cells in cases:
        if cells.dtype != np.int64 or cells.ndim != 1 or ((cells < 0) | (cells >= most)).any():
            raise ValueError(f"cells {cells}")
    return CellFinding(kind, message, cases, cast(Severity, severity), bool(given["named"]))
