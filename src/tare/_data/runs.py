"""The runs of several systems, from any source."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tare._choices import Order, SystemNames
from tare._data.columns import COLUMNS, Chosen, as_chosen
from tare._data.inputs import RunSource
from tare._data.rows import TABLES, first_row
from tare._data.run import Run, json_runs, read_run, run_of_table
from tare._files.addresses import exists, is_address
from tare._files.opening import PathLike, name_of, plain_suffix
from tare.errors import FormatError, UnreadableError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["expand", "read_runs", "system_column"]

LONGEST = 4096  # letters of a pattern; no path is longer


def read_runs(
    sources: RunSource | Run | Mapping[str, RunSource] | Iterable[RunSource | Run],
    *,
    order: Order = "score",
    system_names: SystemNames = "file",
    system: str | None = None,
    query: str | None = None,
    document: str | None = None,
    score: str | None = None,
    rank: str | None = None,
) -> list[Run]:
    """Read the runs of several systems.

    Parameters
    ----------
    sources : path, glob pattern, data frame, dict, rows, or a list of these
        A dictionary is {system: source}, {query: {document: score}} or {query: [documents]}. A
        table with a column `system` (or run, tag, run_id) contains several runs, and so does a
        .json file {system: {query: {document: score}}}.
    order : {"score", "rank"}, default "score"
        See `read_run`.
    system_names : {"file", "tag"}, default "file"
        See `read_run`.
    system, query, document, score, rank : str, optional
        The columns of a table, if their names are not recognised.

    Returns
    -------
    list of Run
        One run per system.

    Raises
    ------
    FormatError
        If a line, a column or a value does not follow the format.
    UnreadableError
        If a file cannot be read, or no file matches the pattern.

    Examples
    --------
    >>> read_runs({"bm25": {"q1": {"d1": 2.5}}, "dense": {"q1": {"d2": 0.5}}})
    [Run('bm25': 1 documents, 1 queries), Run('dense': 1 documents, 1 queries)]
    """
    chosen = {
        "system": system,
        "query": query,
        "document": document,
        "score": score,
        "rank": rank,
    }
    return _runs(sources, order, chosen, system_names)


def _runs(sources: Any, order: Order, chosen: Chosen, names: SystemNames) -> list[Run]:
    if isinstance(sources, str):
        return [run for path in expand(sources) for run in _runs_of(path, order, chosen, names)]
    if isinstance(sources, os.PathLike):
        return _runs_of(sources, order, chosen, names)
    if isinstance(sources, Run):
        return [sources]
    from tare._data import frames
    from tare._data.native import is_ranking, is_record

    columns: dict[str, Any] = {part: column for part, column in chosen.items() if part != "system"}
    if isinstance(sources, Mapping):
        if is_ranking(sources):  # {query: {document: score}} or {query: [documents]}
            return [read_run(sources, order=order, **columns)]
        return [
            read_run(source, system=str(name), order=order, **columns)
            for name, source in sources.items()
        ]
    if frames.is_frame(sources):
        return _by_system(frames.to_polars(sources), "data frame", order=order, chosen=chosen)
    if isinstance(sources, Iterable):
        given = list(sources)
        if given and is_record(given[0]):
            return _of_records(given, order, chosen)
        return [run for source in given for run in _runs(source, order, chosen, names)]
    raise FormatError(f"runs cannot be read from a {type(sources).__name__}.")


def _of_records(given: list[Any], order: Order, chosen: Chosen) -> list[Run]:
    """Read rows, which have a column for the system or are those of one."""
    from tare._data.records import frame_of_records

    columns: dict[str, Any] = {part: column for part, column in chosen.items() if part != "system"}
    if isinstance(given[0], Mapping):
        frame = frame_of_records(given, "score")
        if (chosen.get("system") or system_column(frame.columns)) is not None:
            return _by_system(frame, "rows", order=order, chosen=chosen)
    return [read_run(given, order=order, **columns)]


def expand(pattern: str) -> list[str]:
    """Return the sorted files or objects of a glob pattern; others are returned as they are."""
    if is_address(pattern) and not pattern.startswith("https://") and glob.has_magic(pattern):
        from tare._files.cloud import addresses_like

        return _some(addresses_like(pattern), pattern)
    if (
        is_address(pattern)
        or not glob.has_magic(pattern)
        or exists(pattern)
        or len(pattern) > LONGEST
    ):
        return [pattern]
    return _some(sorted(glob.glob(pattern, recursive=True)), pattern)  # noqa: PTH207 (absolute too)


def _some(found: list[str], pattern: str) -> list[str]:
    if not found:
        raise UnreadableError(f"{name_of(pattern)}: no file matches.")
    return found


def _runs_of(path: PathLike, order: Order, chosen: Chosen, names: SystemNames) -> list[Run]:
    if plain_suffix(path) == ".json":
        return json_runs(path)
    columns: dict[str, Any] = {part: column for part, column in chosen.items() if part != "system"}
    module = TABLES.get(plain_suffix(path))
    if module is not None:
        frame = module.read(path)
        if (chosen.get("system") or system_column(frame.columns)) is not None:
            return _by_system(frame, name_of(path), first_row(path), order=order, chosen=chosen)
        return [run_of_table(frame, path, order, columns)]
    return [read_run(path, order=order, system_names=names, **columns)]


def system_column(columns: Sequence[str]) -> str | None:
    """Return the column with the names of the systems, if there is one."""
    return next((c for c in columns if c.strip().lower() in COLUMNS["system"]), None)


def _by_system(
    frame: pl.DataFrame, name: str, first: int = 1, *, order: Order, chosen: Chosen
) -> list[Run]:
    from tare._data import frames

    column = as_chosen(frame.columns, "system", chosen, name) or system_column(frame.columns)
    if column is None:
        rows, findings = frames.rows_of(frame, order, name, first, chosen)
        if frame.height == 0:
            raise FormatError(f"{name}: no ranked documents found; the table is empty.")
        return [Run(rows, "run", name, findings, unit="row")]
    if frame[column].null_count():
        row = first + int(frame[column].is_null().arg_true()[0])
        raise FormatError(f"{name}, row {row}: the system is missing (column {column!r}).")
    table, findings = frames.table_of(frame, order, name, first, chosen, group=column)
    groups = table["group"]
    runs = []
    for system, part in frames.parts_of(table.drop("group"), groups, first):
        runs.append(Run(part, system, name, findings, unit="row"))
    if not runs:
        raise FormatError(f"{name}: no ranked documents found; the table is empty.")
    return runs
