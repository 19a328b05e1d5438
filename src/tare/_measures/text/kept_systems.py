"""Finished systems of a text evaluation, kept in a folder, so that a job that was stopped continues.

The name of a file is a digest of all that its values depend on: texts, measures, options and the version of tare.
So a file of another job is never used, and a folder can hold the systems of several jobs.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._files.addresses import as_path, is_address
from tare._files.finished_parts import DAMAGES, Arrays, read_arrays, write_arrays
from tare._measures.text.cell_findings import CellFinding
from tare._measures.text.columns import TextColumn
from tare._signature import tare_version

__all__ = ["finished_systems_in", "kept_system", "packed_columns", "unpacked_columns"]

Folder = str | os.PathLike[str]


def finished_systems_in(folder: Folder) -> int:
    """Return the number of files of finished systems in a folder."""
    if is_address(folder):
        from tare._files.cloud import addresses_like

        return len(addresses_like(f"{os.fspath(folder).rstrip('/')}/texts-*.npz"))
    return sum(1 for _ in Path(folder).glob("texts-*.npz"))


def kept_system(
    folder: Folder, depends_on: Iterable[object], score: Callable[[], tuple[Any, Arrays]]
) -> tuple[Any, Arrays]:
    """Return facts and arrays of a system from its file, or score it and write the file."""
    path = as_path(folder) / _name(depends_on)
    found = _read(path)
    if found is not None:
        return found
    facts, arrays = score()
    write_arrays(path, facts, arrays)
    return facts, arrays


def _name(depends_on: Iterable[object]) -> str:
    whole = hashlib.sha256(tare_version().encode())
    for fact in depends_on:
        if isinstance(fact, np.ndarray):
            whole.update(f"\n{fact.dtype} {fact.shape} ".encode())
            whole.update(np.ascontiguousarray(fact).tobytes())
        else:
            whole.update(f"\n{fact!r}".encode("utf-8", "backslashreplace"))
    return f"texts-{whole.hexdigest()[:40]}.npz"


def _read(path: Path) -> tuple[Any, Arrays] | None:
    """Return the content of a file; None if there is none, or if it is damaged."""
    if is_address(path):
        from tare._files.cloud import addresses_like

        there = bool(addresses_like(str(path)))
    else:
        there = path.is_file()
    try:
        return read_arrays(path) if there else None
    except DAMAGES:
        return None


def packed_columns(columns: Sequence[TextColumn]) -> tuple[Any, Arrays]:
    """Return columns as facts and arrays."""
    arrays: dict[str, NDArray[Any]] = {}
    described = []
    for k, column in enumerate(columns):
        arrays |= {f"{k}.values": column.values, f"{k}.errors": column.errors}
        arrays |= {f"{k}.ratio.{r}": values for r, values in enumerate(column.ratio)}
        if column.statistics is not None:
            arrays[f"{k}.statistics"] = column.statistics
        noted = []
        for n, one in enumerate(column.noted):
            if isinstance(one, CellFinding):
                arrays |= {f"{k}.cases.{n}.{c}": cells for c, cells in enumerate(one.cases)}
                noted.append(asdict(replace(one, cases=())) | {"cases": len(one.cases)})
            else:
                noted.append(asdict(one))
        described.append({"facts": column.facts, "ratio": len(column.ratio), "noted": noted})
    return described, arrays


def unpacked_columns(described: Any, arrays: Arrays) -> list[TextColumn]:
    """Return the columns of facts and arrays."""
    return [
        TextColumn(
            arrays[f"{k}.values"],
            arrays[f"{k}.errors"],
            tuple(arrays[f"{k}.ratio.{r}"] for r in range(given["ratio"])),
            arrays.get(f"{k}.statistics"),
            given["facts"],
            tuple(_noted(one, f"{k}.cases.{n}", arrays) for n, one in enumerate(given["noted"])),
        )
        for k, given in enumerate(described)
    ]


def _noted(given: dict[str, Any], key: str, arrays: Arrays) -> Finding | CellFinding:
    if "cases" in given:
        cases = tuple(arrays[f"{key}.{c}"] for c in range(given["cases"]))
        return CellFinding(**given | {"cases": cases})
    return Finding(**given | {"examples": tuple(given["examples"])})
