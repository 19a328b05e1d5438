"""Summaries: texts of systems by item, with references and sources, from files, folders, frames and objects."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tare._data.columns import column_of, recognise
from tare._data.findings import Finding, TableSource, listed
from tare._data.pyramids import PeerAnnotation, read_scus, scus_of_objects
from tare._data.table_files import TABLES, TableFile, table_in
from tare._data.tables import is_frame, records_of, to_polars
from tare._files.opening import STDIN, PathLike, name_of, plain_suffix, read_text
from tare._plain_text import LONE_SURROGATE, lines_of
from tare.errors import FormatError, MismatchError, UnreadableError, raise_all

if TYPE_CHECKING:
    import polars as pl

    from tare._data.pyramids import Scus, ScusSource

__all__ = [
    "Row",
    "Summaries",
    "SummaryReferences",
    "SummarySources",
    "Text",
    "authors_of",
    "checked",
    "content_digest",
    "digest_of_rows",
    "group_of",
    "read_folder",
    "read_parallel",
    "read_summaries",
    "references_of",
    "rows_of_objects",
    "rows_of_source",
    "rows_of_table",
    "summaries_at",
    "summaries_of_rows",
    "text_of",
]


# References in a table cell: one text or several, and their authors.


Text = str | tuple[str, ...]


def references_of(value: Any) -> tuple[tuple[Text, ...], tuple[str, ...]]:
    """Return the references of a summary and their authors, if given as {author: text} or [{author, text}, …].

    >>> references_of({"A": "The cat.", "B": "A cat."})
    (('The cat.', 'A cat.'), ('A', 'B'))
    """
    if isinstance(value, str) and value.lstrip().startswith("[{"):
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):  # a text that begins with a bracket
            return (value,), ()
        if any(set(one) != {"author", "text"} for one in found):
            return (value,), ()
        value = found
    if isinstance(value, Mapping):
        known = {str(author): text_of(text) for author, text in value.items() if text is not None}
        return tuple(known.values()), tuple(known)
    if isinstance(value, list | tuple) and value and all(isinstance(v, Mapping) for v in value):
        if any("text" not in one for one in value):
            raise TypeError("expected references as texts or as {author, text}; 'text' is missing.")
        authors = tuple(str(one.get("author") or "") for one in value)
        return tuple(text_of(one["text"]) for one in value), authors if any(authors) else ()
    return group_of(value), ()


def authors_of(value: Any, references: tuple[Text, ...]) -> tuple[str, ...]:
    """Return the author of each reference of a summary, from a list or JSON in a cell."""
    if value is None:
        return ()
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.lstrip().startswith("[") else [value]
        except ValueError:
            value = [value]
    if not isinstance(value, list | tuple):
        raise TypeError(f"expected an author or a list of authors, found {value!r:.60}.")
    if len(value) != len(references):
        raise ValueError(
            f"{len(references)} references and {len(value)} authors; expected one per reference, in the "
            "same order."
        )
    return tuple("" if one is None else str(one) for one in value)


def group_of(value: Any) -> tuple[Text, ...]:
    """Return the references of a summary from one text, a list, or a JSON list in a cell."""
    if value is None:
        return ()
    if isinstance(value, str):
        if not value.lstrip().startswith("["):
            return (value,)
        try:
            listed_texts = json.loads(value)
            return tuple(text_of(one) for one in listed_texts)
        except (ValueError, TypeError, RecursionError):  # a text that begins with a bracket
            return (value,)
    if not isinstance(value, list | tuple):
        raise TypeError(f"expected a reference or a list of references, found {value!r:.60}.")
    return tuple(text_of(one) for one in value)


def text_of(value: Any) -> Text:
    """Return the text of a summary or reference, or its sentences; None is an empty text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return tuple(value)
    raise TypeError(f"expected a text or a list of sentences, found {value!r:.60}.")


# Rows of summaries from tables and objects, with checks.


NUMBERED = re.compile(r"(?:reference|ref|target)s?[ _-]?\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    """The text of one system for one item."""

    system: str
    item: str
    text: Text
    references: tuple[Text, ...]
    source: Text | None = None
    base: tuple[Text, ...] = ()
    scus: Scus | None = None
    authors: tuple[str, ...] = ()


def rows_of_table(source: PathLike, system: str | None) -> tuple[list[Row], list[Finding]]:
    """Read the rows of a table file."""
    name = name_of(source)
    fallback = system or Path(name).name.split(".")[0]
    table = table_in(source)
    if table is None and os.fspath(source) == STDIN:
        table = TableFile(source, "jsonl")
    if table is not None:
        return rows_of_objects(records_of(table, "text"), fallback, name)
    raise FormatError(
        f"{name}: a table of summaries is .jsonl, .csv, .tsv or .parquet. For text files with one "
        "summary per line, also give the files of the references."
    )


def rows_of_objects(
    objects: Iterable[tuple[int, Any]], system: str | None, name: str
) -> tuple[list[Row], list[Finding]]:
    """Return the summaries of numbered dictionaries with recognised keys as rows; one error lists all problems.

    A row without an item has the number of the text among those of its system.
    """
    rows: list[Row] = []
    problems: list[str] = []
    parts: dict[str, str] = {}
    numbered: list[str] = []
    counts: dict[str, int] = {}
    keys: tuple[str, ...] | None = None
    for number, row in objects:
        if not isinstance(row, Mapping):
            problems.append(f"{name}, row {number}: expected columns, found {type(row).__name__}.")
            continue
        if keys != tuple(row):
            keys = tuple(row)
            numbered = [key for key in keys if NUMBERED.fullmatch(str(key))]
            parts = _recognised(keys, name)
        try:
            by = str(row[parts["system"]]) if "system" in parts else system or "system"
            counts[by] = counts.get(by, 0) + 1
            item = row[parts["item"]] if "item" in parts else counts[by]
            given = row[parts["references"]] if "references" in parts else None
            references, authors = references_of(given)
            for key in numbered:
                references += group_of(row[key])
            if "authors" in parts:
                authors = authors_of(row[parts["authors"]], references)
            about = text_of(row[parts["source"]]) if row.get(parts.get("source")) else None
            base = group_of(row[parts["base"]]) if "base" in parts else ()
            units = row.get(parts.get("scus"))
            scus = _scus(units, by, str(item), len(references)) if units else None
            text = text_of(row[parts["text"]])
            rows.append(Row(by, str(item), text, references, about, base, scus, authors))
        except (TypeError, ValueError) as error:
            problems.append(f"{name}, row {number}: {error}")
    raise_all(problems)
    recognised = ", ".join(f"{part} = {column!r}" for part, column in parts.items())
    note = Finding("columns", f"{name}: columns recognised: {recognised}.", severity="note")
    return rows, [note]


def checked(rows: list[Row], name: str) -> list[Finding]:
    """Raise an error for rows of summaries that cannot be scored; return findings about empty ones."""
    if not rows:
        raise FormatError(f"{name}: no summaries found.")
    problems: list[str] = []
    seen: set[tuple[str, str]] = set()
    for row in rows:
        known = len(seen)
        seen.add((row.system, row.item))
        if len(seen) == known:
            problems.append(
                f"{name}: duplicate item {row.item!r} of system {row.system!r}. "
                "A system has one text per item; remove one of the rows."
            )
        for text in (row.system, row.item, row.text, *row.references, row.source or "", *row.base):
            if not all(_is_text(part) for part in ([text] if isinstance(text, str) else text)):
                problems.append(f"{name}: a text or id of item {row.item!r} {LONE_SURROGATE}")
                break
    raise_all(problems)
    findings = []
    for what, some, outcome in (
        ("empty texts", [r for r in rows if not _has_words(r.text)], "score 0 or have no value"),
        ("no references", [r for r in rows if not r.references], "have no value"),
    ):
        if some:
            message = f"{name}: {len(some):,} rows have {what}; they {outcome}."
            names = [f"{row.system} {row.item}" for row in some[:6]]
            findings.append(Finding(what, message, len(some), examples=listed(names)))
    return findings


def _recognised(keys: tuple[str, ...], name: str) -> dict[str, str]:
    parts = recognise(keys, ["text"], name)
    for part in ("references", "system", "item", "source", "authors", "base", "scus"):
        found = column_of(map(str, keys), part, parts.values())
        if found is not None:
            parts[part] = found
    return parts


def _scus(units: Any, system: str, item: str, references: int) -> Scus:
    return scus_of_objects(units, system, item, references)


def _is_text(part: str) -> bool:
    if part.isascii():
        return True
    try:
        part.encode()
    except UnicodeEncodeError:
        return False
    return True


def _has_words(text: Text) -> bool:
    """Return whether the text of a summary or reference contains more than white space."""
    return any(part.strip() for part in ([text] if isinstance(text, str) else text))


# Summaries in text files: one text per line, or one file per text as at DUC and TAC.


PEERS = ("peers", "peer", "systems", "system", "candidates")
MODELS = ("models", "model", "references", "reference")
SOURCES = ("docs", "documents", "sources", "source")
ENDINGS = (".txt", ".text", ".sum", ".html")

SENTENCE = re.compile(r"<S\b[^>]{0,200}>([^<]*)</S>", re.IGNORECASE)
SEE_SENTENCE = re.compile(r'<a href="#\d+" id=\d+>([^<]+)', re.IGNORECASE)


def read_parallel(texts: Mapping[Any, PathLike], references: Any, sources: Any) -> list[Row]:
    """Read summaries from text files with one text per line; items are the line numbers, from 1."""
    authors: tuple[str, ...] = ()
    if isinstance(references, Mapping):
        authors, references = tuple(map(str, references)), list(references.values())
    elif isinstance(references, str | os.PathLike):
        references = [references]
    if not references and sources is None:
        raise FormatError("text files need at least one file of references.")
    groups = {name_of(path): _lines(path) for path in references or ()}
    abouts = _lines(sources) if sources is not None else None
    rows = []
    for system, path in texts.items():
        name, lines = name_of(path), _lines(path)
        for other, given in groups.items():
            _same_length(name, lines, other, given)
        if abouts is not None:
            _same_length(name, lines, name_of(sources), abouts)
        for i, line in enumerate(lines):
            group = tuple(given[i] for given in groups.values())
            about = abouts[i] if abouts is not None else None
            by = str(system) or Path(name).stem
            rows.append(Row(by, str(i + 1), line, group, about, authors=authors))
    return rows


def read_folder(folder: PathLike) -> list[Row]:
    """Read a folder of summaries with the folders peers and models, and optionally docs.

    Files are named item.system and item.author (D0701.M.250.A.13: the last part is the system), or
    are in one folder per system and named by the item. A peer with the name of a model's author is
    the same person. Sentences are lines, or marked as in ISI's and SEE's files.
    """
    root = Path(folder)
    peers, models = _part(root, PEERS), _part(root, MODELS)
    texts, references = _files(peers), _files(models)
    sources = _files(found) if (found := _find(root, SOURCES)) else {}
    abouts = {item: text for (_, item), text in sorted(sources.items())}
    groups: dict[str, list[tuple[str, Text]]] = {}
    for (author, item), text in sorted(references.items()):
        groups.setdefault(item, []).append((author, text))
    rows = []
    for (system, item), text in sorted(texts.items()):
        if item not in groups:
            raise MismatchError(
                f"{peers}: item {item!r} of system {system!r} has no model in {models}. "
                f"There are models for {', '.join(sorted(groups)[:5])}."
            )
        authors, given = zip(*groups[item], strict=True)
        rows.append(Row(system, item, text, given, abouts.get(item), authors=authors))
    return rows


def _same_length(name: str, lines: list[str], other: str, given: list[str]) -> None:
    if len(lines) == len(given):
        return
    short, missing = (other, len(given) + 1) if len(given) < len(lines) else (name, len(lines) + 1)
    raise MismatchError(
        f"{name} has {len(lines):,} lines and {other} has {len(given):,}: item {missing} is "
        f"missing in {short}. Line n of each file belongs to item n."
    )


def _lines(path: PathLike) -> list[str]:
    lines = lines_of(read_text(path))
    if not lines:
        raise FormatError(f"{name_of(path)} is empty; expected one text per line.")
    return lines


def _find(root: Path, names: tuple[str, ...]) -> Path | None:
    return next((root / name for name in names if (root / name).is_dir()), None)


def _part(root: Path, names: tuple[str, ...]) -> Path:
    found = _find(root, names)
    if found is None:
        raise UnreadableError(
            f"{root}: no folder {' or '.join(names[:3])} found. A folder of summaries has the "
            "folders peers and models."
        )
    return found


def _files(folder: Path) -> dict[tuple[str, str], Text]:
    """{(system or author, item): text}."""
    found: dict[tuple[str, str], Text] = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name.startswith("."):
            continue
        name = path.name
        for ending in ENDINGS:
            name = name.removesuffix(ending)
        if path.parent != folder:
            key = (path.parent.relative_to(folder).as_posix(), name)
        else:
            item, _, by = name.rpartition(".")
            key = (by, item) if item else ("", by)
        if key in found:
            raise FormatError(f"{path}: item {key[1]!r} of {key[0]!r} is also in another file.")
        found[key] = _sentences(read_text(path))
    if not found:
        raise UnreadableError(f"{folder}: the folder is empty.")
    return found


def _sentences(text: str) -> Text:
    marked = SENTENCE.findall(text) or SEE_SENTENCE.findall(text)
    return tuple(marked) if marked else text


# Rows of summaries from any source: files, folders, frames, datasets and dictionaries.


def rows_of_source(
    source: Any, references: Any, sources: Any, system: str | None
) -> tuple[str, list[Row], list[Finding]]:
    """Return the name of a source of summaries, its rows and findings."""
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        if os.path.isdir(name):  # noqa: PTH112 (a string)
            return name, read_folder(name), []
        table = plain_suffix(source) in TABLES
        if table and (references is not None or sources is not None):
            raise FormatError(
                f"{name} is a table, which contains its own references and sources: give only the "
                "table, or text files with one summary per line."
            )
        if references is not None or sources is not None:
            return name, read_parallel({system or "": source}, references, sources), []
        return name, *rows_of_table(source, system)
    if isinstance(source, Mapping):
        if source and all(isinstance(v, str | os.PathLike) for v in source.values()):
            return "text files", read_parallel(source, references, sources), []
        if source and all(hasattr(v, "column_names") for v in source.values()):
            splits = ", ".join(repr(key) for key in source)
            raise FormatError(f"found a dataset with the splits {splits}; pass one of them.")
        return "dictionary", _of_mapping(source, references, sources), []
    if hasattr(source, "column_names") and hasattr(source, "features"):
        return "dataset", *rows_of_objects(enumerate(source, 1), system, "dataset")
    if is_frame(source):
        numbered = enumerate(to_polars(source).iter_rows(named=True), 1)
        return "data frame", *rows_of_objects(numbered, system, "data frame")
    if isinstance(source, Iterable):
        return "list", *rows_of_objects(enumerate(source, 1), system, "list")
    raise FormatError(
        f"summaries cannot be read from a {type(source).__name__}. Accepted: a path, a folder, a "
        "data frame, a dataset, a list of dictionaries, or {system: {item: text}}."
    )


def _of_mapping(source: Mapping[Any, Any], references: Any, sources: Any) -> list[Row]:
    if references is not None and not isinstance(references, Mapping):
        raise FormatError(
            "summaries from a dictionary {system: {item: text}} need references={item: text or "
            "list of texts}."
        )
    rows = []
    for system, texts in source.items():
        if not isinstance(texts, Mapping):
            raise FormatError(f"dictionary: system {system!r} does not hold {{item: text}}.")
        for item, text in texts.items():
            if references is not None and item not in references:
                raise MismatchError(f"item {item!r} of system {system!r} has no references.")
            given = references[item] if references is not None else ()
            try:
                group, authors = references_of(
                    given if isinstance(given, str | Mapping) else list(given)
                )
            except TypeError as error:
                raise FormatError(f"dictionary: item {item!r}: {error}") from None
            about = None if sources is None else sources.get(item)
            rows.append(Row(str(system), str(item), text, group, about, authors=authors))
    return rows


# Digests of texts, made row by row.


def content_digest(
    text: Text,
    references: tuple[Text, ...],
    source: Text | None,
    base: tuple[Text, ...] = (),
    scus: Scus | None = None,
    authors: tuple[str, ...] = (),
) -> bytes:
    """Return the digest of a summary's row without its system and item; extra columns count if they are given."""
    more = [("base", base), ("scus", scus), ("authors", authors if any(authors) else ())]
    whole = repr((text, references, source, *(pair for pair in more if pair[1])))
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).digest()


def digest_of_rows(rows: Iterable[tuple[str, str, bytes]]) -> str:
    """Return eight hexadecimal digits for rows of summaries (system, item, digest of the content) in any order."""
    each = []
    for system, item, content in rows:
        row = hashlib.sha256(repr((system, item)).encode("utf-8", "surrogatepass"))
        row.update(content)
        each.append(row.digest())
    return hashlib.sha256(b"".join(sorted(each))).hexdigest()[:8]


# Summaries: texts of systems by item, with references and sources.


SummaryReferences: TypeAlias = PathLike | Iterable[PathLike] | Mapping[Any, Any]
"""Files with one text per line, or {item: references}."""

SummarySources: TypeAlias = PathLike | Mapping[Any, Any]
"""A file with one text per line, or {item: source}."""


STORED_COLUMNS = ("systems", "items", "texts", "references", "sources", "base", "scus", "authors")


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
    source: TableSource | Summaries,
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
        for column in STORED_COLUMNS
        if (given := getattr(texts, column))
    }
    return replace(texts, findings=(), **taken)


def _with_scus(texts: Summaries, given: Any) -> Summaries:
    """Add content units to summaries by item; annotations belong to the summary of one system."""
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
    """Return the authors of the references of each summary; empty if no author is known."""
    if not any(name for row in rows for name in row.authors):
        return ()
    return tuple(row.authors or ("",) * len(row.references) for row in rows)


def _joined(text: str | Sequence[str]) -> str:
    return text if isinstance(text, str) else "\n".join(text)
