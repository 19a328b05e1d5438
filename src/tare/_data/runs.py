"""Runs: the documents that systems retrieved for each query, with their scores, from any source."""

from __future__ import annotations

import copy
import glob
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tare._choices import ORDERS, SYSTEM_NAMES, Order, SystemNames
from tare._data import rows as trec
from tare._data.columns import Chosen, as_chosen, column_of
from tare._data.findings import Finding, RunSource
from tare._data.formats import nested_json
from tare._data.pairs import (
    frame_of_pairs,
    is_pair_columns,
    is_ranking,
    is_record,
    pairs_by_group,
    pairs_of_rows,
    pairs_of_table,
    read_pairs,
    table_of_columns,
)
from tare._data.recognised_files import SUFFIXES, form_of
from tare._data.rows import RowTable, describe_duplicates, raise_sorted, refuse_columns
from tare._data.table_files import table_in, write_table
from tare._data.tables import InputTable, is_frame, read_table, to_polars
from tare._files.addresses import as_path, exists, is_address, shown_path
from tare._files.cloud import addresses_like
from tare._files.opening import COMPRESSED, PathLike, name_of
from tare._kernels import Rows, TextReading, join_chunks, pack_rows
from tare.errors import FormatError, UnreadableError, choose

__all__ = [
    "Run",
    "expand",
    "json_runs",
    "read_run",
    "read_runs",
    "stem_of",
    "system_of",
]


# Names of systems: after the file of a run, or after the tag in its lines.


OF_FILES = (*COMPRESSED, *SUFFIXES, ".run", ".txt", ".trec")


def system_of(
    source: PathLike, reading: TextReading | None, system_names: SystemNames = "file"
) -> str:
    """Return the system of a run: the name of its file without suffixes, or its tag; standard input has only a tag."""
    tagged = system_names == "tag" or os.fspath(source) == "-"
    return reading.tag if tagged and reading is not None and reading.tag else stem_of(source)


def stem_of(source: PathLike) -> str:
    """Return the name of a run's file without the suffixes of its format.

    >>> stem_of("runs/bm25+rm3.run.gz")
    'bm25+rm3'
    """
    path = shown_path(source)
    while path.suffix.lower() in OF_FILES and path.stem:
        path = Path(path.stem)
    return path.name.encode("utf-8", "backslashreplace").decode()  # bytes that are not UTF-8


# Runs: the documents that a system retrieved for each query, with their scores.


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
        self,
        rows: Rows,
        system: str,
        name: str,
        findings: list[Finding],
        *,
        unit: str = "line",
        unique: bool = False,
    ) -> None:
        super().__init__(rows, name, findings)
        self.system = system
        if not unique:  # the source, such as a dictionary, may exclude duplicates
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
        return _restored, (pack_rows(self.rows), self.system, self.name, self.findings)

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
        path = as_path(path)
        if not write_table(self.to_frame, path):
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


def _restored(packed: bytes, system: str, name: str, findings: tuple[Finding, ...]) -> Run:
    """Restore a pickled run, whose rows were checked when it was read."""
    run = Run.__new__(Run)
    RowTable.__init__(run, join_chunks([packed]), name, list(findings))
    run.system = system
    return run


def _run_of_table(table: InputTable, source: PathLike, order: Order, chosen: Chosen | None) -> Run:
    """Return the one run of a table file, which has no column of systems."""
    read = pairs_of_table(table, order, chosen)
    return Run(read.rows, stem_of(source), read.name, read.findings, unit=read.unit)


def read_run(
    source: RunSource | Run,
    *,
    system: str | None = None,
    order: Order = "score",
    system_names: SystemNames = "file",
    query: str | None = None,
    document: str | None = None,
    score: str | None = None,
    rank: str | None = None,
) -> Run:
    """Read the run of one system.

    Parameters
    ----------
    source : path, data frame, dict or rows
        A file (TREC text, .json, .jsonl, .csv, .tsv, .parquet; text also as .gz or .zst; "-" is
        standard input); a data frame; a dictionary {query: {document: score}} or
        {query: [documents, best first]}; or rows: (named) tuples (query, document, score), or
        dictionaries and objects with such fields or with a list `retrieved_ids` or
        `retrieved_context_ids`. Columns are recognised by name. The findings of the run contain
        what was recognised.
    system : str, optional
        The name of the system. The default is the file name without its suffixes.
    order : {"score", "rank"}, default "score"
        Order documents by score, as trec_eval does, or by the rank column, as ndeval does. With
        "rank" the scores are the negated ranks. A table without scores is ordered by rank.
    system_names : {"file", "tag"}, default "file"
        Name the system of a TREC file after the file, without its suffixes, or after the tag in its
        lines.
    query, document, score, rank : str, optional
        The columns of a table, if their names are not recognised.

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
    >>> read_run({"q1": ["d1", "d2"]}).to_dict()
    {'q1': {'d1': -1.0, 'd2': -2.0}}
    """
    choose("order", order, ORDERS)
    choose("system_names", system_names, SYSTEM_NAMES)
    if isinstance(source, Run):
        return source if system is None else source.renamed(system)
    chosen = {"query": query, "document": document, "score": score, "rank": rank}
    path = source if isinstance(source, str | os.PathLike) else None
    if path is not None and form_of(path) == "json":
        refuse_columns(chosen, name_of(path))
        return nested_json.only(json_runs(path, system=system), name_of(path))
    read = read_pairs(source, order, chosen)
    system = system or ("run" if path is None else system_of(path, read.reading, system_names))
    return Run(read.rows, system, read.name, read.findings, unit=read.unit, unique=read.unique)


def json_runs(source: PathLike, *, system: str | None = None) -> list[Run]:
    """Read the runs of a .json file, one per part; several parts are named by their keys."""
    parts, findings = nested_json.read(source, "score")
    name = name_of(source)
    return [
        Run(
            part.rows,
            system or (part.label if len(parts) > 1 else part.system or stem_of(source)),
            name,
            findings + part.findings,
            unit="entry",
            unique=part.unique,
        )
        for part in parts
    ]


# The runs of several systems, from any source.


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

    columns: dict[str, Any] = {part: column for part, column in chosen.items() if part != "system"}
    if isinstance(sources, Mapping) and is_pair_columns(sources, chosen):
        return _by_system(table_of_columns(sources), order, chosen)
    if isinstance(sources, Mapping):
        if is_ranking(sources):  # {query: {document: score}} or {query: [documents]}
            return [read_run(sources, order=order, **columns)]
        return [
            read_run(source, system=str(name), order=order, **columns)
            for name, source in sources.items()
        ]
    if is_frame(sources):
        return _by_system(InputTable("data frame", to_polars(sources)), order, chosen)
    if isinstance(sources, Iterable):
        given = list(sources)
        if given and is_record(given[0]):
            return _of_records(given, order, chosen)
        return [run for source in given for run in _runs(source, order, chosen, names)]
    raise FormatError(f"runs cannot be read from a {type(sources).__name__}.")


def _of_records(given: list[Any], order: Order, chosen: Chosen) -> list[Run]:
    """Read runs from rows, which have a column for the system or are those of one system."""
    if isinstance(given[0], Mapping):
        table = InputTable("rows", frame_of_pairs(given, "score", chosen))
        if (chosen.get("system") or column_of(table.frame.columns, "system")) is not None:
            return _by_system(table, order, chosen)
    read = read_pairs(given, order, chosen)
    return [Run(read.rows, "run", read.name, read.findings, unit=read.unit, unique=read.unique)]


def expand(pattern: str) -> list[str]:
    """Expand a glob pattern of runs to the sorted files or objects; other sources are returned as they are."""
    if is_address(pattern) and not pattern.startswith("https://") and glob.has_magic(pattern):
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
    if form_of(path) == "json":
        return json_runs(path)
    columns: dict[str, Any] = {part: column for part, column in chosen.items() if part != "system"}
    file = table_in(path)
    if file is not None:
        table = read_table(file)
        if (chosen.get("system") or column_of(table.frame.columns, "system")) is not None:
            return _by_system(table, order, chosen)
        return [_run_of_table(table, path, order, columns)]
    return [read_run(path, order=order, system_names=names, **columns)]


def _by_system(table: InputTable, order: Order, chosen: Chosen) -> list[Run]:
    """Return the run of each system of a table; one run if no column names systems."""
    columns = table.frame.columns
    column = as_chosen(columns, "system", chosen, table.name) or column_of(columns, "system")
    if column is None:
        read = pairs_of_table(table, order, chosen)
        return [Run(read.rows, "run", read.name, read.findings, unit=read.unit)]
    table.refuse_missing(table.as_text(table.frame[column]), "system")
    pairs, findings = pairs_of_rows(table, order, chosen, group=column)
    if not len(pairs):
        raise FormatError(f"{table.name}: no ranked documents found; the table is empty.")
    return [
        Run(rows, system, table.name, findings, unit=table.unit)
        for system, rows in pairs_by_group(pairs)
    ]
