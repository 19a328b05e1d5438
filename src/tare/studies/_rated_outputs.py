"""Ratings of outputs as a score table: the mean rating of each output."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tare._data.ratings import Ratings
from tare._measures.names import column_measure
from tare._measures.scores import Scores
from tare._signature import Signature, tare_version
from tare.errors import MismatchError

__all__ = ["rated_outputs"]


def rated_outputs(
    ratings: Ratings,
    *,
    system: str = "system",
    item: str = "item",
    without: Sequence[str] = (),
    name: str = "people",
) -> Scores:
    """Return the mean rating of each output over assessors and repetitions, as a score table.

    The units of the ratings are outputs; two of their attributes hold the system and the item. The
    ratings of the assessors in `without` are left out. The item attribute `assessor` of the table is
    the assessor with most ratings of that item.
    """
    if ratings.labels is not None:
        raise MismatchError(f"{ratings.name}: the ratings are words, but means need numbers.")
    for attribute in (system, item):
        ratings.filter(attribute, None)  # raises an error that lists the attributes
    of_system = [str(v) for v in ratings.attributes[system]]
    of_item = [str(v) for v in ratings.attributes[item]]
    systems, items = tuple(dict.fromkeys(of_system)), tuple(sorted(set(of_item)))
    s = np.array([systems.index(v) for v in of_system])[ratings.unit]
    i = np.array([items.index(v) for v in of_item])[ratings.unit]
    out = [ratings.coders.index(c) for c in without]
    keep = ~np.isin(ratings.coder, out)
    shape = (len(systems), len(items))
    total, count = np.zeros(shape), np.zeros(shape)
    np.add.at(total, (s[keep], i[keep]), ratings.values[keep])
    np.add.at(count, (s[keep], i[keep]), 1)
    values = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    votes = np.zeros((len(items), len(ratings.coders)), dtype=np.int64)
    np.add.at(votes, (i[keep], ratings.coder[keep]), 1)
    asked = tuple(ratings.coders[int(row.argmax())] if row.any() else None for row in votes)
    facts = {
        "source": ratings.name,
        "coders": len(ratings.coders) - len(out),
        "n": len(items),
        "tare": tare_version(),
    }
    return Scores(
        systems,
        items,
        (column_measure(name),),
        values[:, :, None],
        (Signature.of(name, facts),),
        attributes={"assessor": asked},
    )
