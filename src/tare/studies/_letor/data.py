"""The data of the learning-to-rank study: training and test parts, or a folder of folds."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tare._data.letor import Letor, read_letor
from tare._data.qrels import Qrels
from tare.errors import MismatchError, OptionError, UnreadableError

__all__ = ["Fold", "LetorSource", "count_rows", "folds_of", "half", "joined"]

PARTS = {"train": ("train",), "valid": ("vali", "valid", "validation"), "test": ("test",)}

LetorSource: TypeAlias = "Letor | str | os.PathLike[str] | Sequence[Letor | str | os.PathLike[str]]"
"""LETOR data, the path of a file, or several of these, which are joined."""


@dataclass(frozen=True)
class Fold:
    """Training, test and, if there are any, validation data."""

    name: str
    train: Letor
    test: Letor
    valid: Letor | None = None


def joined(sources: LetorSource, name: str | None = None) -> Letor:
    """Return several parts as one; no two parts may share a query."""
    if isinstance(sources, Letor | str | os.PathLike):
        return read_letor(sources)
    parts = [read_letor(source) for source in sources]
    if not parts:
        raise OptionError("no LETOR data were given. Name at least one file.")
    if len(parts) == 1:
        return parts[0]
    first = min(part.first_feature for part in parts)
    last = max(part.first_feature + part.n_features for part in parts)
    features = np.zeros((sum(map(len, parts)), last - first), dtype=np.float32)
    at = 0
    for part in parts:
        shift = part.first_feature - first
        features[at : at + len(part), shift : shift + part.n_features] = part.features
        at += len(part)
    queries = tuple(query for part in parts for query in part.queries)
    if len(set(queries)) < len(queries):
        twice = next(query for query in queries if queries.count(query) > 1)
        raise MismatchError(
            f"query {twice!r} is in more than one of {', '.join(p.name for p in parts)}. "
            "Parts can be joined only if they share no query."
        )
    ends = np.cumsum([0, *(len(part) for part in parts)])
    offsets = np.concatenate(
        [[0], *(part.offsets[1:] + end for part, end in zip(parts, ends, strict=False))]
    )
    grades = np.concatenate([part.grades for part in parts])
    label = name or "+".join(part.name for part in parts)
    return Letor(label, features, grades, queries, offsets.astype(np.int64), first)


def folds_of(folder: str | os.PathLike[str]) -> list[Fold]:
    """Read the folds of a LETOR folder: Fold1/train.txt, Fold1/vali.txt, Fold1/test.txt, Fold2/…"""
    root = Path(folder)
    if not root.is_dir():
        raise UnreadableError(f"{root}: no such folder.")
    made = []
    for place in sorted(p for p in root.iterdir() if p.is_dir()):
        found = {part: _file_of(place, names) for part, names in PARTS.items()}
        if found["train"] is None or found["test"] is None:
            continue
        valid = found["valid"]
        made.append(
            Fold(
                place.name,
                read_letor(found["train"]),
                read_letor(found["test"]),
                None if valid is None else read_letor(valid),
            )
        )
    if not made:
        raise UnreadableError(
            f"{root}: no fold found. A fold is a folder with train.txt, test.txt and, optionally, "
            "vali.txt; the files may end in .gz or .zst."
        )
    return made


def count_rows(folds: Sequence[Fold]) -> list[dict[str, Any]]:
    """Return one dictionary per part of each fold: counts of queries, documents, features, grades."""
    parts = [
        (fold.name, part, data)
        for fold in folds
        for part, data in (("train", fold.train), ("valid", fold.valid), ("test", fold.test))
        if data is not None
    ]
    grades = sorted({float(g) for _, _, data in parts for g in np.unique(data.grades)})
    made = []
    for fold_name, part, data in parts:
        counts = np.diff(data.offsets)
        best = [data.grades[a:b].max(initial=0) for a, b in itertools.pairwise(data.offsets)]
        made.append(
            {
                "fold": fold_name,
                "part": part,
                "queries": len(data.queries),
                "documents": len(data),
                "features": data.n_features,
                "documents_per_query": float(counts.mean()) if len(counts) else 0.0,
                "without_relevant": sum(bool(b <= 0) for b in best),
                **{f"grade_{g:g}": int((data.grades == g).sum()) for g in grades},
            }
        )
    return made


def _file_of(folder: Path, names: Sequence[str]) -> Path | None:
    for name in names:
        for suffix in (".txt", ".txt.gz", ".txt.zst", ".gz", ".zst", ""):
            path = folder / (name + suffix)
            if path.is_file():
                return path
    return None


def half(letor: Letor, side: Qrels) -> tuple[Letor, np.ndarray[Any, np.dtype[np.bool_]]]:
    """Return the rows whose documents are on one side of a split, and the mask of these rows."""
    inside = {(query, name) for query, documents in side.by_query() for name, _ in documents}
    counts = np.diff(letor.offsets)
    of_query = [q for q, n in zip(letor.queries, counts.tolist(), strict=True) for _ in range(n)]
    names = letor.documents
    mask = np.array([pair in inside for pair in zip(of_query, names, strict=True)], dtype=bool)
    left = np.add.reduceat(mask, letor.offsets[:-1]) if len(mask) else counts
    kept = left > 0
    made = Letor(
        letor.name,
        letor.features[mask],
        letor.grades[mask],
        tuple(q for q, k in zip(letor.queries, kept, strict=True) if k),
        np.concatenate([[0], np.cumsum(left[kept])]),
        letor.first_feature,
        tuple(n for n, m in zip(names, mask, strict=True) if m),
    )
    return made, mask
