"""Sets of items that a study looks at one by one: all, uninformative, ideal, hard, easy, …"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tare._measures.scores import Scores
from tare.chance._kinds import Kinds
from tare.errors import MismatchError, OptionError

__all__ = ["item_sets"]

SMALLEST = 2  # items that a paired test needs


def item_sets(
    scores: Scores, sets: Mapping[str, Sequence[str]] | Kinds | None, by: str | None
) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """The sets by name, `all` first, and notes on what was left out.

    sets: {name: items}, or what `tare.chance.kinds` found; by: an attribute of the items.
    """
    if sets is not None and by is not None:
        raise OptionError("sets= and by= both say which items belong together; give one of them.")
    given: dict[str, Sequence[Any]] = {}
    if by is not None:
        scores.filter(by, None)  # says what attributes there are, if not this one
        column = scores.attributes[by]
        for item, value in zip(scores.items, column, strict=True):
            if value is not None:
                given[str(value)] = [*given.get(str(value), []), item]
    elif sets is not None:
        given = dict(sets.sets() if isinstance(sets, Kinds) else sets)
    known = set(scores.items)
    found = {"all": tuple(scores.items)}
    notes = []
    for name, items in given.items():
        inside = tuple(dict.fromkeys(str(item) for item in items if str(item) in known))
        missing = len(set(map(str, items)) - known)
        if missing:
            notes.append(f"{name}: {missing:,} items have no scores and were left out.")
        if len(inside) < SMALLEST:
            notes.append(f"{name}: {len(inside)} items are too few; the set was left out.")
        else:
            found[name] = inside
    if len(found["all"]) < SMALLEST:
        raise MismatchError(
            f"the table has {len(scores.items)} item; a study needs at least {SMALLEST}."
        )
    return found, notes
