"""Nuggets: the facts that answers to a topic should hold, with their importance.

Content units of pyramids are nuggets whose importance is a weight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tare._data.answers.fields import Field, cell, flag_of, id_of, importance_of, is_missing
from tare._data.answers.records import Record, list_cell
from tare.errors import FormatError, raise_all

__all__ = ["Nugget", "NuggetLists", "nugget_of", "refuse_mixed_importance"]


@dataclass(frozen=True)
class Nugget:
    """A fact: vital or okay, or with a weight; both are None if its importance is not known."""

    id: str
    text: str
    vital: bool | None = None
    weight: float | None = None

    @property
    def importance(self) -> bool | float | None:
        """Whether it is vital, its weight, or None."""
        return self.weight if self.vital is None else self.vital


class NuggetLists:
    """The nuggets of each topic, collected from lists and from assignments."""

    def __init__(self) -> None:
        self.of_item: dict[str, dict[str, Nugget]] = {}
        self.answerable: dict[str, bool] = {}
        self.name = "the list of nuggets"
        self.fixed: frozenset[str] = frozenset()  # topics whose lists are complete

    def add(self, item: str, nugget: Nugget) -> None:
        """Add a nugget; raise ValueError if it is known with another importance."""
        known = self.of_item.setdefault(item, {})
        if nugget.id not in known and item in self.fixed:
            raise ValueError(f"topic {item!r} has no nugget {nugget.id!r:.80} in {self.name}")
        before = known.setdefault(nugget.id, nugget)
        if nugget.importance is None or before == nugget:
            return
        if before.importance is None:
            known[nugget.id] = Nugget(nugget.id, before.text, nugget.vital, nugget.weight)
        elif before.importance != nugget.importance or (before.vital is None) != (
            nugget.vital is None
        ):
            raise ValueError(
                f"nugget {nugget.id!r:.80} of topic {item!r} has the importance {shown(nugget)}, and "
                f"{shown(before)} elsewhere"
            )

    def add_lists(self, records: Iterable[Record], fields: Field, name: str) -> None:
        """Add lists: one object per topic with its nuggets, or one row per nugget."""
        problems: list[str] = []
        for where, row in records:
            try:
                self._add_row(row, fields)
            except ValueError as error:
                problems.append(f"{where}: {error}.")
        raise_all(problems)
        if not self.of_item:
            raise FormatError(f"{name}: no nuggets found.")
        self.fixed = frozenset(self.of_item)
        self.name = name

    def _add_row(self, row: Mapping[str, Any], fields: Field) -> None:
        item = id_of(cell(row, fields, "item"), "topic (such as qid)")
        answerable = flag_of(cell(row, fields, "answerable"), "answerable")
        if answerable is not None:
            self.answerable[item] = answerable
        nested = cell(row, fields, "nuggets")
        if nested is None:
            rows = [row]
            if is_missing(cell(row, fields, "nugget")) and is_missing(
                cell(row, fields, "nugget_text")
            ):
                raise ValueError("a list of nuggets has nuggets, or a column nugget; found neither")
        else:
            rows = list(list_cell(nested, "nuggets"))
        own = self.of_item.setdefault(item, {})
        for number, one in enumerate(rows, 1):
            nugget = nugget_of(one, fields, number, own)
            if nugget.id in own:
                raise ValueError(f"duplicate nugget {nugget.id!r:.80} of topic {item!r}")
            own[nugget.id] = nugget


def nugget_of(
    row: Mapping[str, Any], fields: Field, number: int, seen: Iterable[str] = ()
) -> Nugget:
    """Return the nugget of an object or row; without an id it is named by its text.

    A text that a list repeats gets the number of its place, so that each nugget counts.
    """
    name, text = cell(row, fields, "nugget"), cell(row, fields, "nugget_text")
    if not is_missing(name):
        key = id_of(name, "nugget")
    elif not is_missing(text):
        key = str(text).strip()
        key = f"{key} ({number})" if key in seen else key
    else:
        key = str(number)
    importance = importance_of(cell(row, fields, "importance"))
    label = key if is_missing(text) else str(text).strip()
    if isinstance(importance, bool):
        return Nugget(key, label, vital=importance)
    return Nugget(key, label, weight=importance)


def refuse_mixed_importance(lists: Mapping[str, Mapping[str, Nugget]], name: str) -> None:
    """Raise an error if only some nuggets have an importance, or words and weights are mixed."""
    every = [(item, nugget) for item, own in lists.items() for nugget in own.values()]
    without = [pair for pair in every if pair[1].importance is None]
    if without and len(without) < len(every):
        raise_all(
            [
                f"{name}: nugget {nugget.id!r:.80} of topic {item!r} has no importance. Each nugget is "
                "vital or okay, or has a weight."
                for item, nugget in without
            ]
        )
    words = next((pair for pair in every if pair[1].vital is not None), None)
    weights = next((pair for pair in every if pair[1].weight is not None), None)
    if words is not None and weights is not None:
        raise FormatError(
            f"{name}: nugget {words[1].id!r:.80} of topic {words[0]!r} is {shown(words[1])}, and nugget "
            f"{weights[1].id!r:.80} of topic {weights[0]!r} has a weight. Use words for all nuggets, or "
            "weights for all."
        )


def shown(nugget: Nugget) -> str:
    """Return the importance in words."""
    if nugget.vital is None:
        return "no importance" if nugget.weight is None else f"weight {nugget.weight:g}"
    return "vital" if nugget.vital else "okay"
