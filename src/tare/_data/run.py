"""Runs: the documents that a system retrieved for each query, with their scores."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tare._choices import ORDERS, SYSTEM_NAMES, Order, SystemNames
from tare._data.columns import Chosen
from tare._data.findings import Finding
from tare._data.formats import trec
from tare._data.inputs import RunSource
from tare._data.problems import describe_duplicates, raise_sorted
from tare._data.rows import Layout, RowTable, read_rows, refuse_columns, rows_of_table
from tare._data.system_names import stem_of, system_of
from tare._files.addresses import as_path
from tare._files.opening import PathLike, name_of, plain_suffix
from tare._kernels import Rows, join_chunks, pack_rows
from tare.errors import choose

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Run", "json_runs", "read_run", "run_of_table"]

LAYOUTS: dict[Order, Layout] = {"score": "run", "rank": "ranks"}


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


def _restored(packed: bytes, system: str, name: str, findings: tuple[Finding, ...]) -> Run:
    """Restore a pickled run, whose rows were checked when it was read."""
    run = Run.__new__(Run)
    RowTable.__init__(run, join_chunks([packed]), name, list(findings))
    run.system = system
    return run


def run_of_table(frame: pl.DataFrame, source: PathLike, order: Order, chosen: Chosen | None) -> Run:
    """Return the run of a table without a column of systems, which was read from a file."""
    rows, findings = rows_of_table(frame, source, LAYOUTS[order], chosen)
    return Run(rows, system_of(source, None, "file"), name_of(source), findings, unit="row")


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
    if isinstance(source, str | os.PathLike):
        if plain_suffix(source) == ".json":
            from tare._data.formats import nested_json

            refuse_columns(chosen, name_of(source))
            return nested_json.only(json_runs(source, system=system), name_of(source))
        rows, reading, findings = read_rows(source, LAYOUTS[order], chosen)
        unit = "row" if reading is None else "line"
        name = name_of(source)
        system = system or system_of(source, reading, system_names)
        return Run(rows, system, name, findings, unit=unit)
    from tare._data.native import read_native

    read = read_native(source, order, chosen)
    return Run(
        read.rows, system or "run", read.name, read.findings, unit=read.unit, unique=read.unique
    )


def json_runs(source: PathLike, *, system: str | None = None) -> list[Run]:
    """Read the runs of a .json file, one per part; several parts are named by their keys."""
    from tare._data.formats import nested_json

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
