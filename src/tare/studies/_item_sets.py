"""Sets of items on which a study is repeated, such as uninformative and ideal queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tare._measures.scores import Scores
from tare.chance._kinds_of_queries import Kinds
from tare.errors import MismatchError, OptionError

__all__ = ["item_sets"]

MIN_ITEMS = 2  # of a paired test


def item_sets(
    scores: Scores, sets: Mapping[str, Sequence[str]] | Kinds | None, by: str | None
) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Return the sets of items by name, "all" first, and notes on skipped items and sets.

    Parameters
    ----------
    scores
        The score table.
    sets
        {name: items}, or the result of `tare.chance.kinds`.
    by
        An attribute of the items; each of its values is a set.
    """
    if sets is not None and by is not None:
        raise OptionError("sets= and by= cannot be combined. Give one of them.")
    given: dict[str, Sequence[Any]] = {}
    if by is not None:
        scores.filter(by, None)  # raises an error that lists the attributes
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
            notes.append(f"{name}: {missing:,} items have no scores and were skipped.")
        if len(inside) < MIN_ITEMS:
            notes.append(f"{name}: {len(inside)} items are too few; the set was skipped.")
        else:
            found[name] = inside
    if len(found["all"]) < MIN_ITEMS:
        raise MismatchError(
            f"the table has {len(scores.items)} item(s), but a study needs at least {MIN_ITEMS}."
        )
    return found, notes
