"""Texts of one or several systems with references and sources, aligned by position or by item; and texts that are missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data.columns import COLUMNS, recognise
from tare._data.findings import Finding, listed
from tare._data.summaries import Summaries, read_summaries
from tare._data.tables import is_frame, to_polars
from tare._measures.text.cells import TextGrid
from tare.errors import MismatchError, OptionError

if TYPE_CHECKING:
    from tare._measures.inputs import PredictionsInput, ReferencesInput, SourcesInput, SystemsInput

__all__ = [
    "columns_of",
    "is_table",
    "missing_findings",
    "parallel_texts",
    "people_findings",
    "policy_of",
    "systems_of_frame",
]


# Data frames as predictions, references or sources.


def is_table(texts: object) -> bool:
    """Return whether predictions, references or sources are a data frame; a series is a list."""
    return hasattr(type(texts), "columns") and is_frame(texts)


def columns_of(what: str, frame: Any, part: str) -> tuple[dict[str, Any], bool]:
    """Return {item: text} from a data frame of texts, and whether it has a column of items."""
    table = to_polars(frame)
    column = _column(what, table.columns, part)
    items = _optional(table.columns, "item", column)
    if items is None:
        return {str(k): text for k, text in enumerate(table[column].to_list(), 1)}, False
    found: dict[str, Any] = {}
    for item, text in zip(table[items].to_list(), table[column].to_list(), strict=True):
        if str(item) in found:
            raise MismatchError(
                f"{what}: duplicate item {str(item)!r} in the column {items!r}; expected one row per item."
            )
        found[str(item)] = text
    return found, True


def systems_of_frame(frame: Any, system: str) -> dict[str, Any]:
    """Return {system: its rows} of a data frame of predictions; one system if no column names it."""
    table = to_polars(frame)
    column = _column("predictions", table.columns, "text")
    named = _optional(table.columns, "system", column)
    if named is None:
        return {system: table}
    parts = table.partition_by(named, maintain_order=True)
    return {str(part[named][0]): part.drop(named) for part in parts}


def _column(what: str, columns: list[str], part: str) -> str:
    """Return the column of the texts in a data frame; a frame of references may call it text."""
    lowered = {column.strip().lower() for column in columns}
    known = part if part == "text" or lowered & set(COLUMNS[part]) else "text"
    return recognise(columns, [known], f"{what} (a data frame)")[known]


def _optional(columns: list[str], part: str, taken: str) -> str | None:
    lowered = {column.strip().lower(): column for column in reversed(columns) if column != taken}
    return next((lowered[name] for name in COLUMNS[part] if name in lowered), None)


# Texts of one or several systems with references and sources, aligned by position or by item.


ByItem = dict[str, Any]
TEXT_COLUMNS = {"references": "references", "sources": "source"}


def parallel_texts(
    predictions: PredictionsInput | SystemsInput,
    references: ReferencesInput,
    sources: SourcesInput | None = None,
    items: Iterable[object] | None = None,
    system: str | None = None,
) -> Summaries:
    """Return predictions with their references and sources.

    Lists are aligned by position and must have the same length; dictionaries and tables with a
    column of items are aligned by item. `items` names the positions of lists.

    >>> parallel_texts(["a cat", "a dog"], ["the cat", ["the dog", "a hound"]])
    Summaries('list': 2 texts, 1 systems, 2 items)
    >>> parallel_texts({"x": ["a cat"], "y": ["a dog"]}, ["the cat"])
    Summaries('list': 2 texts, 2 systems, 1 items)
    """
    names = None if items is None else _names(items)
    by_system = _by_system(predictions, references, system or "system", names)
    given = {f"the predictions of {name!r}": texts for name, texts in by_system.items()}
    if len(by_system) == 1:
        given = {"predictions": next(iter(by_system.values()))}
    texts = {what: _Aligned.of(what, one, names) for what, one in given.items()}
    about = {
        what: _Aligned.of(what, one, names)
        for what, one in (("references", references), ("sources", sources))
        if one is not None
    }
    _check_alignment([*texts.values(), *about.values()])
    wanted = list(dict.fromkeys(item for one in texts.values() for item in one.by_item))
    for one in about.values():
        lacking = set(wanted) - set(one.by_item)
        if lacking:
            raise MismatchError(
                f"{one.what} has no text for item {min(lacking)!r}; every prediction needs one."
            )
    made = read_summaries(
        {  # one at a time: all of them together would be work for Python's garbage collector
            "system": name,
            "item": item,
            "text": text,
            **{TEXT_COLUMNS[what]: _cell(what, one.by_item[item]) for what, one in about.items()},
        }
        for name, one in zip(by_system, texts.values(), strict=True)
        for item, text in one.by_item.items()
    )
    return replace(made, findings=(*made.findings, *_unused(wanted, about["references"])))


@dataclass(frozen=True)
class _Aligned:
    """Predictions, references or sources by item; `by_key` if they were given with items, not by position."""

    what: str
    by_item: ByItem
    by_key: bool

    @classmethod
    def of(cls, what: str, texts: Any, names: list[str] | None) -> _Aligned:
        """Read texts to align from a dictionary, a table, or a list whose positions are named."""
        if is_table(texts):
            found, keyed = columns_of(what, texts, TEXT_COLUMNS.get(what, "text"))
            if keyed:
                return cls(what, found, True)
            texts = list(found.values())
        if isinstance(texts, Mapping):
            return cls(what, {str(item): text for item, text in texts.items()}, True)
        if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
            raise OptionError(
                f"{what} is a {type(texts).__name__}; expected a list of texts, a dictionary {{item: text}} "
                "or a data frame."
            )
        values = list(texts)
        if names is None:
            return cls(what, {str(k): text for k, text in enumerate(values, 1)}, False)
        if len(values) != len(names):
            raise MismatchError(
                f"{len(values):,} {_plural(what)} and {len(names):,} items; the lists must have the same length."
            )
        return cls(what, dict(zip(names, values, strict=True)), True)


def _by_system(
    predictions: Any, references: Any, system: str, names: list[str] | None
) -> dict[str, Any]:
    """Return {system: its texts}."""
    if is_table(predictions):
        return systems_of_frame(predictions, system)
    if not isinstance(predictions, Mapping) or not predictions:
        return {system: predictions}
    values = list(predictions.values())
    if all(isinstance(one, str) for one in values):
        return {system: predictions}  # {item: text}
    if all(isinstance(one, Mapping) for one in values):
        return {str(name): texts for name, texts in predictions.items()}
    if isinstance(references, Mapping) and names is None:
        known = {str(item) for item in references}
        if all(str(item) in known for item in predictions):
            return {system: predictions}  # {item: sentences}
    if any(isinstance(one, str) for one in values):
        raise OptionError(
            "predictions mixes texts and lists of texts; give {item: text}, {system: [texts]} or "
            "{system: {item: text}}."
        )
    return {str(name): texts for name, texts in predictions.items()}


def _names(items: Iterable[object]) -> list[str]:
    names = [str(item) for item in items]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise MismatchError(f"items has {twice!r} twice; every item needs its own id.")
    return names


def _check_alignment(given: Sequence[_Aligned]) -> None:
    if len({one.by_key for one in given}) > 1:
        named = ", ".join(one.what for one in given)
        raise OptionError(
            f"{named}: give lists for all of them, or {{item: text}} for all of them; items= names the "
            "positions of lists."
        )
    if given[0].by_key:
        return
    first = given[0]
    for other in given[1:]:
        if len(other.by_item) != len(first.by_item):
            raise MismatchError(
                f"{len(first.by_item):,} {_plural(first.what)} and {len(other.by_item):,} "
                f"{_plural(other.what)}; the lists must have the same length.{_hint(first, other)}"
            )


def _plural(what: str) -> str:
    return what.removeprefix("the ")


def _hint(first: _Aligned, other: _Aligned) -> str:
    """Recognise references as sacrebleu takes them: one list per reference, not per item."""
    streams = other.what == "references" and all(
        isinstance(one, list | tuple) and len(one) == len(first.by_item)
        for one in other.by_item.values()
    )
    return " One list of references per item is needed: list(zip(*references))." if streams else ""


def _cell(what: str, value: Any) -> Any:
    """Return the predictions, references or source of an item; a single reference becomes a list, an array too."""
    if hasattr(value, "tolist") and not isinstance(value, str):
        value = value.tolist()
    return [value] if what == "references" and isinstance(value, str) else value


def _unused(wanted: list[str], references: _Aligned) -> list[Finding]:
    predicted = set(wanted)
    unused = [item for item in references.by_item if item not in predicted]
    if not unused:
        return []
    message = f"{len(unused):,} items have references and no prediction; they are left out."
    return [Finding("no predictions", message, len(unused), examples=listed(unused[:6]))]


# Texts that are missing, and people who are both systems and authors of references.


def policy_of(grid: TextGrid, system: str, missing: str | None) -> str:
    """Return the policy for missing texts, items without a text of a system; people write on some items only."""
    return missing or ("skip" if system in grid.people else "zero")


def people_findings(grid: TextGrid) -> list[Finding]:
    """Report systems that are scored only against the references of others."""
    if not grid.people:
        return []
    names = sorted(grid.people)
    message = (
        f"{len(names):,} of the systems also wrote references; each is scored only against the references "
        "of others. To compare them with systems, use refs=jackknife or refs=jackknife-micro."
    )
    examples = listed(names)
    return [Finding("people", message, len(names), severity="note", examples=examples)]


def missing_findings(grid: TextGrid, missing: str | None) -> list[Finding]:
    """Report systems whose texts on some items are missing, and how these are counted."""
    found = []
    gone = grid.missing.reshape(len(grid.systems), len(grid.items))
    for s, system in enumerate(grid.systems):
        names = [grid.items[i] for i in np.flatnonzero(gone[s])]
        if not names:
            continue
        policy = policy_of(grid, system, missing)
        if policy == "error":
            raise MismatchError(
                f"{system}: no text on item {names[0]!r} and {len(names) - 1:,} others. "
                "missing='zero' counts them as empty texts, missing='skip' leaves them out."
            )
        outcome = "count as empty texts" if policy == "zero" else "are left out"
        message = (
            f"{system}: no text on {len(names):,} of {len(grid.items):,} items; they {outcome}."
        )
        if missing is None and policy == "skip":
            message += " (This person also wrote references; missing='zero' counts them.)"
        found.append(Finding("missing texts", message, len(names), examples=listed(names)))
    return found
