"""Texts given as parallel lists, or as dictionaries with the same keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tare._data.summaries import Summaries, read_summaries
from tare.errors import MismatchError, OptionError

if TYPE_CHECKING:
    from tare._measures.inputs import PredictionsInput, ReferencesInput

__all__ = ["parallel_texts"]


def parallel_texts(
    predictions: PredictionsInput, references: ReferencesInput, sources: PredictionsInput | None
) -> Summaries:
    """Return the predictions of one system with their references and sources.

    Lists are aligned by position and must have the same length; dictionaries are aligned by key.

    >>> parallel_texts(["a cat", "a dog"], ["the cat", ["the dog", "a hound"]], None)
    Summaries('list': 2 texts, 1 systems, 2 items)
    """
    given = {"predictions": predictions, "references": references}
    if sources is not None:
        given["sources"] = sources
    keyed = {name: _by_item(name, texts) for name, texts in given.items()}
    kinds = {isinstance(texts, Mapping) for texts in given.values()}
    if len(kinds) > 1:
        raise OptionError(
            f"{', '.join(given)}: give lists for all of them, or {{item: text}} for all of them."
        )
    items = list(keyed["predictions"])
    for name, texts in keyed.items():
        _same_items(items, name, list(texts), aligned_by_key=True in kinds)
    columns = {"predictions": "text", "references": "references", "sources": "source"}
    return read_summaries(
        [
            {"item": item, **{columns[name]: texts[item] for name, texts in keyed.items()}}
            for item in items
        ]
    )


def _by_item(name: str, texts: object) -> dict[str, object]:
    if isinstance(texts, Mapping):
        return {str(item): text for item, text in texts.items()}
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise OptionError(
            f"{name} is a {type(texts).__name__}; expected a list of texts or {{item: text}}."
        )
    return {str(number): text for number, text in enumerate(texts, 1)}


def _same_items(items: list[str], name: str, found: list[str], *, aligned_by_key: bool) -> None:
    if not aligned_by_key and len(found) != len(items):
        raise MismatchError(
            f"{len(items):,} predictions and {len(found):,} {name}; the lists must have the same length."
        )
    lacking = set(items) - set(found) if name != "predictions" else set()
    if lacking:
        raise MismatchError(
            f"{name} has no text for item {min(lacking)!r}; every prediction needs one."
        )
