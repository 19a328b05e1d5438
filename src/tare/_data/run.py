"""Runs: the documents that a system retrieved for each query, with their scores."""

from __future__ import annotations

import copy
import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare._choices import ORDERS, SYSTEM_NAMES, Order, SystemNames
from tare._data import frames
from tare._data.columns import COLUMNS
from tare._data.findings import Finding
from tare._data.formats import trec
from tare._data.inputs import Source
from tare._data.problems import describe_duplicates, raise_sorted
from tare._data.rows import TABLES, RowTable, first_row, read_rows, rows_from_mapping
from tare._data.source import PathLike, name_of, plain_suffix
from tare._data.system_names import system_of
from tare._kernels import Rows, join_chunks, split_rows
from tare.errors import FormatError, UnreadableError, choose

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Run",
    "expand",
    "read_run",
    "read_runs",
    "system_column",
]


class Run(RowTable):
    """The ranked documents of one system, by query. Made by `read_run` and `read_runs`.

    Attributes
    ----------
    system : str
        The name of the system.
    name : str
        The source, as named in messages.
    findings : tuple of Finding
        Properties of the data that users should know.

    Examples
    --------
    >>> run = read_run({"q1": {"d1": 2.5, "d2": 1.5}}, system="bm25")
    >>> run.queries, run.to_dict()
    (('q1',), {'q1': {'d1': 2.5, 'd2': 1.5}})
    """

    _value = "score"

    def __init__(
        self, rows: Rows, system: str, name: str, findings: list[Finding], *, unit: str = "line"
    ) -> None:
        super().__init__(rows, name, findings)
        self.system = system
        raise_sorted(*describe_duplicates(rows, name, "run", unit))

    def renamed(self, system: str) -> Run:
        """Return the same rankings under another system name.

        Parameters
        ----------
        system : str
            The new name.

        Returns
        -------
        Run
            A run that shares its rows with this one.
        """
        other = copy.copy(self)
        other.system = system
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the rows as bytes, in the given order."""
        return _restored, (split_rows(self.rows, 1), self.system, self.name, self.findings)

    def __copy__(self) -> Run:
        """Share the rows, which never change."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Run:
        return self.__copy__()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file, best score first.

        Parameters
        ----------
        path : path-like
            The suffix selects the format: .jsonl, .csv, .tsv or .parquet; others are TREC text.
        """
        path = Path(path)
        if not self._write_table(path):
            trec.write_run(self._ranked(), path, self.system)

    def text(self) -> str:
        """Return the run as TREC text, best score first.

        Returns
        -------
        str
            Lines `query Q0 document rank score tag`.
        """
        return trec.run_text(self._ranked(), self.system)

    def _ranked(self) -> Iterable[tuple[str, list[tuple[str, float]]]]:
        for query, documents in self.by_query():
            yield query, sorted(sorted(documents, reverse=True), key=lambda d: -d[1])

    def __repr__(self) -> str:
        return f"Run({self.system!r}: {len(self):,} documents, {len(self.queries):,} queries)"


def _restored(chunks: list[bytes], system: str, name: str, findings: tuple[Finding, ...]) -> Run:
    """Restore a pickled run, whose rows were checked when it was read."""
    run = Run.__new__(Run)
    RowTable.__init__(run, join_chunks(chunks), name, list(findings))
    run.system = system
    return run


def read_run(
    source: Source | Run,
    *,
    system: str | None = None,
    order: Order = "score",
    system_names: SystemNames = "file",
) -> Run:
    """Read the run of one system.

    Parameters
    ----------
    source : path, data frame or dict
        A file (TREC text, .jsonl, .csv, .tsv, .parquet; text also as .gz or .zst; "-" is standard
        input), a data frame, or a dictionary {query: {document: score}}. Columns are recognised by
        name.
    system : str, optional
        The name of the system. The default is the file name without its suffixes.
    order : {"score", "rank"}, default "score"
        Order documents by score, as trec_eval does, or by the rank column, as ndeval does. With
        "rank" the scores are the negated ranks.
    system_names : {"file", "tag"}, default "file"
        Name the system of a TREC file after the file, without its suffixes, or after the tag in its
        lines.

    Returns
    -------
    Run
        The ranked documents.

    Raises
    ------
    FormatError
        If a line, a column or a value does not follow the format.
    UnreadableError
        If the file cannot be read.

    Examples
    --------
    >>> read_run({"q1": {"d1": 2.5, "d2": 1.5}}, system="bm25")
    Run('bm25': 2 documents, 1 queries)
    """
    choose("order", order, ORDERS)
    choose("system_names", system_names, SYSTEM_NAMES)
    if isinstance(source, Run):
        return source if system is None else source.renamed(system)
    if isinstance(source, str | os.PathLike):
        rows, reading, findings = read_rows(source, "run" if order == "score" else "ranks")
        unit = "row" if reading is None else "line"
        name = name_of(source)
        return Run(
            rows, system or system_of(source, reading, system_names), name, findings, unit=unit
        )
    if isinstance(source, Mapping):
        rows = rows_from_mapping(source, "score", "dictionary")
        return Run(rows, system or "run", "dictionary", [], unit="entry")
    if frames.is_frame(source):
        rows, findings = frames.rows_of(frames.to_polars(source), order, "data frame")
        return Run(rows, system or "run", "data frame", findings, unit="row")
    raise FormatError(
        f"a run cannot be read from a {type(source).__name__}. "
        "Accepted: a path, a data frame, a dictionary {query: {document: score}}."
    )


def read_runs(
    sources: Source | Run | Mapping[str, Source] | Iterable[Source | Run],
    *,
    order: Order = "score",
    system_names: SystemNames = "file",
) -> list[Run]:
    """Read the runs of several systems.

    Parameters
    ----------
    sources : path, glob pattern, data frame, dict, or a list of these
        A dictionary is {system: source} or {query: {document: score}}. A table with a column
        `system` (or run, tag, run_id) contains several runs.
    order : {"score", "rank"}, default "score"
        See `read_run`.
    system_names : {"file", "tag"}, default "file"
        See `read_run`.

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
    if isinstance(sources, str):
        return [run for path in expand(sources) for run in _runs_of(path, order, system_names)]
    if isinstance(sources, os.PathLike):
        return _runs_of(sources, order, system_names)
    if isinstance(sources, Run):
        return [sources]
    if isinstance(sources, Mapping):
        given: Mapping[Any, Any] = sources
        if all(_is_ranking(v) for v in given.values()):  # {query: {document: score}}
            return [read_run(given)]
        return [read_run(source, system=str(name), order=order) for name, source in given.items()]
    if frames.is_frame(sources):
        return _by_system(frames.to_polars(sources), "data frame", order=order)
    if isinstance(sources, Iterable):
        return [
            run
            for source in sources
            for run in read_runs(source, order=order, system_names=system_names)
        ]
    raise FormatError(f"runs cannot be read from a {type(sources).__name__}.")


def expand(pattern: str) -> list[str]:
    """Return the sorted files of a glob pattern; a path without wildcards is returned as it is."""
    if not glob.has_magic(pattern) or Path(pattern).exists():
        return [pattern]
    found = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 (absolute patterns too)
    if not found:
        raise UnreadableError(f"{pattern}: no file matches.")
    return found


def _is_ranking(value: object) -> bool:
    return isinstance(value, Mapping) and not any(isinstance(v, Mapping) for v in value.values())


def _runs_of(path: PathLike, order: Order, system_names: SystemNames) -> list[Run]:
    module = TABLES.get(plain_suffix(path))
    if module is not None:
        frame = module.read(path)
        if system_column(frame.columns) is not None:
            return _by_system(frame, name_of(path), first_row(path), order=order)
    return [read_run(path, order=order, system_names=system_names)]


def system_column(columns: Sequence[str]) -> str | None:
    """Return the column with the names of the systems, if there is one."""
    return next((c for c in columns if c.strip().lower() in COLUMNS["system"]), None)


def _by_system(frame: pl.DataFrame, name: str, first: int = 1, *, order: Order) -> list[Run]:
    column = system_column(frame.columns)
    if column is None:
        rows, findings = frames.rows_of(frame, order, name, first)
        return [Run(rows, "run", name, findings, unit="row")]
    if frame[column].null_count():
        row = first + int(frame[column].is_null().arg_true()[0])
        raise FormatError(f"{name}, row {row}: the system is missing (column {column!r}).")
    table, findings = frames.table_of(frame, order, name, first)
    runs = []
    for system, part in frames.parts_of(table, frame[column], first):
        runs.append(Run(part, system, name, findings, unit="row"))
    if not runs:
        raise FormatError(f"{name}: no ranked documents found; the table is empty.")
    return runs
