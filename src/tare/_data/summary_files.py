"""Summaries in text files: one text per line, or one file per text as at DUC and TAC."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tare._data.summary_rows import Row, Text
from tare._files.opening import PathLike, name_of, read_text
from tare._plain_text import lines_of
from tare.errors import FormatError, MismatchError, UnreadableError

__all__ = ["read_folder", "read_parallel"]

PEERS = ("peers", "peer", "systems", "system", "candidates")
MODELS = ("models", "model", "references", "reference")
SOURCES = ("docs", "documents", "sources", "source")
ENDINGS = (".txt", ".text", ".sum", ".html")

SENTENCE = re.compile(r"<S\b[^>]{0,200}>([^<]*)</S>", re.IGNORECASE)
SEE_SENTENCE = re.compile(r'<a href="#\d+" id=\d+>([^<]+)', re.IGNORECASE)


def read_parallel(texts: Mapping[Any, PathLike], references: Any, sources: Any) -> list[Row]:
    """Read text files with one text per line; items are the line numbers, from 1."""
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
    """Read a folder with the folders peers and models, and optionally docs.

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
