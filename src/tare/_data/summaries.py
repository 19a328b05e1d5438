"""Summaries: texts of systems by item, with references and sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from tare._data.findings import Finding
from tare._data.inputs import Table
from tare._data.summary_digests import content_digest, digest_of_rows
from tare._data.summary_rows import Row, Text, checked
from tare._data.summary_sources import rows_of_source
from tare._files.opening import PathLike
from tare.errors import MismatchError

if TYPE_CHECKING:
    import polars as pl

    from tare._data.scus import Scus, ScusSource

__all__ = [
    "Summaries",
    "SummaryReferences",
    "SummarySources",
    "read_summaries",
    "summaries_at",
    "summaries_of_rows",
]

SummaryReferences: TypeAlias = PathLike | Iterable[PathLike] | Mapping[Any, Any]
"""Files with one text per line, or {item: references}."""

SummarySources: TypeAlias = PathLike | Mapping[Any, Any]
"""A file with one text per line, or {item: source}."""


COLUMNS = ("systems", "items", "texts", "references", "sources", "base", "scus", "authors")


@dataclass(frozen=True, repr=False)
class Summaries:
    """Texts of systems, with references and sources. Made by `read_summaries`.

    All columns have one entry per text. A text is a string, whose lines are sentences, or a tuple
    of sentences.

    Attributes
    ----------
    systems, items : tuple of str
        The system and the item of each text.
    texts : tuple of text
        The texts.
    references : tuple of tuple of text
        The references of each text.
    sources : tuple of text or None
        The source of each text.
    name : str
        The source of the data, as named in messages.
    findings : tuple of Finding
        Properties of the data that users should know.
    base : tuple of tuple of text
        The base references of an update task; empty if there are none.
    scus : tuple of Pyramid, PeerAnnotation or None
        The content units; empty if there are none.
    authors : tuple of tuple of str
        The authors of the references ("" if unknown); empty if none is known.

    Examples
    --------
    >>> given = {"x": {"d1": "A cat."}, "y": {"d1": "Cats."}}
    >>> texts = read_summaries(given, references={"d1": "The cat."})
    >>> texts.systems, texts.texts, texts.references[0]
    (('x', 'y'), ('A cat.', 'Cats.'), ('The cat.',))
    >>> texts.of("y")
    Summaries('dictionary': 1 texts, 1 systems, 1 items)
    """

    systems: tuple[str, ...]
    items: tuple[str, ...]
    texts: tuple[Text, ...]
    references: tuple[tuple[Text, ...], ...]
    sources: tuple[Text | None, ...]
    name: str
    findings: tuple[Finding, ...] = ()
    base: tuple[tuple[Text, ...], ...] = ()
    scus: tuple[Scus | None, ...] = ()
    authors: tuple[tuple[str, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify the texts, in any order."""
        none: tuple[Any, ...] = ((),) * len(self)
        columns = (self.texts, self.references, self.sources, self.base or none)
        more = (self.scus or none, self.authors or none)
        contents = map(content_digest, *columns, *more)
        return digest_of_rows(zip(self.systems, self.items, contents, strict=True))

    @cached_property
    def people(self) -> frozenset[str]:
        """The systems that are also authors of references: people."""
        return frozenset(name for group in self.authors for name in group) & set(self.systems)

    def of(self, *systems: str) -> Summaries:
        """Return the texts of some systems.

        Parameters
        ----------
        *systems : str
            Names of systems.

        Returns
        -------
        Summaries
            The selected texts.

        Raises
        ------
        MismatchError
            If there is no text of such a system.
        """
        for system in systems:
            if system not in self.systems:
                known = ", ".join(sorted(set(self.systems)))
                raise MismatchError(f"{self.name}: no system {system!r}. There are: {known}.")
        places = [i for i, name in enumerate(self.systems) if name in systems]
        return replace(summaries_at(self, places), findings=self.findings)

    def to_frame(self) -> pl.DataFrame:
        """Return a polars frame; sentences are joined by line feeds."""
        import polars as pl

        return pl.DataFrame(
            {
                "system": self.systems,
                "item": self.items,
                "text": [_joined(t) for t in self.texts],
                "references": [[_joined(r) for r in group] for group in self.references],
                "source": [None if s is None else _joined(s) for s in self.sources],
            },
            schema={
                "system": pl.String,
                "item": pl.String,
                "text": pl.String,
                "references": pl.List(pl.String),
                "source": pl.String,
            },
        )

    def __repr__(self) -> str:
        return (
            f"Summaries({self.name!r}: {len(self):,} texts, {len(set(self.systems)):,} systems, "
            f"{len(set(self.items)):,} items)"
        )


def read_summaries(
    source: Table | Summaries,
    *,
    references: SummaryReferences | None = None,
    sources: SummarySources | None = None,
    scus: ScusSource | None = None,
    system: str | None = None,
) -> Summaries:
    """Read summaries, with their references and sources.

    Parameters
    ----------
    source : path, data frame, dataset, dict or iterable of dict
        A table (.jsonl, .csv, .tsv, .parquet, a data frame, a Hugging Face dataset, or
        dictionaries) with the column text and, optionally, references, authors, system, item,
        source, base (references of the base task) and scus (a list of {scu, weight, present}).
        References are one text, a list, {author: text}, or columns reference_1, reference_2, ….
        Other sources: a text file with one text per line, {system: file},
        {system: {item: text}}, or a folder with the folders peers and models, as at DUC and TAC.
    references : path, list of paths or dict, optional
        The references of text files, with one text per line, or {item: references}.
    sources : path or dict, optional
        The sources of text files, with one text per line, or {item: source}.
    scus : path or list of paths, optional
        Files of content units (.pyr, .pan, tables of answers).
    system : str, optional
        The name of the system, if no column names it.

    Returns
    -------
    Summaries
        The texts.

    Raises
    ------
    FormatError
        If a row does not follow the format.
    MismatchError
        If texts and references do not fit together.
    UnreadableError
        If a file cannot be read.

    Examples
    --------
    >>> read_summaries([{"item": "d1", "text": "A cat.", "references": ["The cat."]}])
    Summaries('list': 1 texts, 1 systems, 1 items)
    """
    if isinstance(source, Summaries):
        return source if scus is None else _with_scus(source, scus)
    name, rows, findings = rows_of_source(source, references, sources, system)
    more = checked(rows, name)
    made = summaries_of_rows(rows, name, (*findings, *more))
    return made if scus is None else _with_scus(made, scus)


def summaries_of_rows(rows: list[Row], name: str, findings: tuple[Finding, ...] = ()) -> Summaries:
    """Return the texts of rows, without a check."""
    return Summaries(
        tuple(row.system for row in rows),
        tuple(row.item for row in rows),
        tuple(row.text for row in rows),
        tuple(row.references for row in rows),
        tuple(row.source for row in rows),
        name,
        findings,
        tuple(row.base for row in rows) if any(row.base for row in rows) else (),
        tuple(row.scus for row in rows) if any(row.scus for row in rows) else (),
        _authors(rows),
    )


def summaries_at(texts: Summaries, rows: Sequence[int]) -> Summaries:
    """Return the texts of some rows, without findings."""
    taken: dict[str, Any] = {
        column: tuple(given[row] for row in rows)
        for column in COLUMNS
        if (given := getattr(texts, column))
    }
    return replace(texts, findings=(), **taken)


def _with_scus(texts: Summaries, given: Any) -> Summaries:
    """Add content units to texts by item; annotations belong to the text of one system."""
    from tare._data.pyramid import PeerAnnotation
    from tare._data.scus import read_scus

    pyramids: dict[str, Scus] = {}
    peers: dict[tuple[str, str], Scus] = {}
    for one in read_scus(given):
        if isinstance(one, PeerAnnotation):
            peers[one.system, one.item] = one
            pyramids.setdefault(one.item, one.pyramid)
        else:
            pyramids[one.item] = one
    found = tuple(
        peers.get((system, item)) or pyramids.get(item)
        for system, item in zip(texts.systems, texts.items, strict=True)
    )
    if not any(found):
        known = ", ".join(repr(item) for item in list(pyramids)[:5])
        raise MismatchError(
            f"{texts.name}: no content units for its items. The units are for {known}; the texts "
            f"are for {', '.join(map(repr, list(dict.fromkeys(texts.items))[:5]))}."
        )
    return replace(texts, scus=found)


def _authors(rows: list[Row]) -> tuple[tuple[str, ...], ...]:
    """Return the author of each reference; empty if no author is known."""
    if not any(name for row in rows for name in row.authors):
        return ()
    return tuple(row.authors or ("",) * len(row.references) for row in rows)


def _joined(text: str | Sequence[str]) -> str:
    return text if isinstance(text, str) else "\n".join(text)
