"""Summaries with human ratings on several dimensions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tare._data.formats import jsonl
from tare._data.summaries import Summaries, read_summaries
from tare._files.opening import name_of, plain_suffix, read_all
from tare.errors import FormatError

__all__ = ["RatedSummaries", "read_rated_summaries"]

Rating = tuple[str, str, str, float]


@dataclass(frozen=True)
class RatedSummaries:
    """Texts, and ratings as (system, item, dimension, value)."""

    texts: Summaries
    ratings: tuple[Rating, ...]

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The rated dimensions, in order of appearance."""
        return tuple(dict.fromkeys(dimension for _, _, dimension, _ in self.ratings))


def read_rated_summaries(source: Any) -> RatedSummaries:
    """Read JSON lines, or a list of dictionaries, with texts and ratings.

    Either one document per line, as in SummEval: doc_id, src, ref_summs and sys_summs, which has
    sys_summ and scores for each system. Or one text per line, as for `read_summaries`, with `scores`
    as {dimension: value}. Other tables of summaries are read without ratings.

    >>> row = {"doc_id": "d", "src": "a b", "ref_summs": ["a"],
    ...        "sys_summs": {"x": {"sys_summ": "b", "scores": {"fluency": 4}}}}
    >>> read_rated_summaries([row]).ratings
    (('x', 'd', 'fluency', 4.0),)
    """
    if isinstance(source, str | os.PathLike):
        name = name_of(source)
        if plain_suffix(source) not in jsonl.SUFFIXES:
            return RatedSummaries(read_summaries(source), ())
        objects: list[Any] = jsonl.objects(read_all(source), name, "doc_id")
    elif isinstance(source, Iterable) and not isinstance(source, Mapping | Summaries):
        name, objects = "list", list(source)
    else:
        return RatedSummaries(read_summaries(source), ())
    rows: list[dict[str, Any]] = []
    ratings: list[Rating] = []
    for number, given in enumerate(objects, 1):
        where = f"{name}, row {number}"
        if not isinstance(given, Mapping):
            raise FormatError(f"{where}: expected columns, found {type(given).__name__}.")
        for row in _of_document(given, where) if "sys_summs" in given else [dict(given)]:
            scores = row.pop("scores", None) or {}
            rows.append(row)
            key = str(row.get("system", "system")), str(row.get("item", len(rows)))
            ratings += [(*key, *rating) for rating in _ratings(scores, where)]
    texts = read_summaries(rows)
    return RatedSummaries(_named(texts, name), tuple(ratings))


def _of_document(given: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """Return one row per system of a document."""
    systems = given["sys_summs"]
    item = given.get("doc_id", given.get("id"))
    if not isinstance(systems, Mapping) or item is None:
        raise FormatError(
            f"{where}: a document has doc_id, src, ref_summs and sys_summs, {{system: {{sys_summ: "
            "text, scores: {dimension: value}}}."
        )
    references = given.get("ref_summs", [given["ref_summ"]] if "ref_summ" in given else [])
    rows = []
    for system, one in systems.items():
        if not isinstance(one, Mapping) or "sys_summ" not in one:
            raise FormatError(f"{where}: system {system!r} has no sys_summ.")
        rows.append(
            {
                "system": str(system),
                "item": str(item),
                "text": one["sys_summ"],
                "references": list(references),
                "source": given.get("src"),
                "scores": one.get("scores"),
            }
        )
    return rows


def _ratings(scores: Any, where: str) -> list[tuple[str, float]]:
    try:
        return [(str(k), float(v)) for k, v in scores.items() if v is not None]
    except (AttributeError, TypeError, ValueError):
        raise FormatError(
            f"{where}: scores must be {{dimension: number}}; found {scores!r:.80}."
        ) from None


def _named(texts: Summaries, name: str) -> Summaries:
    from dataclasses import replace

    return replace(texts, name=name)
