"""Human scores of several scales put on one."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from tare._data.ratings import Ratings
from tare._data.rescaling import rescaled
from tare._measures.scores import Scores
from tare.errors import OptionError

__all__ = ["rescale"]

Given = TypeVar("Given", Scores, Ratings)


def rescale(
    given: Given,
    scale: tuple[float, float],
    to: tuple[float, float],
    *,
    where: tuple[str, str] | None = None,
) -> Given:
    """Scores or ratings from one scale on another: y = (x − a)·(d − c)/(b − a) + c.

    scale: its ends (a, b), such as (1, 10); to: the ends (c, d), such as (1, 5). where: (attribute,
    value): only the items or units that have it, such as those of one year. All measures of a score
    table are rescaled; select those that are meant first.

    >>> import polars as pl
    >>> table = pl.DataFrame({"system": ["a", "a"], "item": ["x", "y"], "people": [1.0, 10.0]})
    >>> rescale(Scores.load(table), (1, 10), (1, 5)).matrix().tolist()
    [[1.0, 5.0]]
    """
    if isinstance(given, Ratings):
        return given.rescaled(scale, to, where=where)
    chosen = np.ones(len(given.items), dtype=bool)
    if where is not None:
        given.filter(where[0], None)  # says what attributes there are
        chosen = np.array([str(v) == where[1] for v in given.attributes[where[0]]], dtype=bool)
        if not chosen.any():
            raise OptionError(f"no item has {where[0]} {where[1]!r}.")
    values = given.values.copy()
    part = values[:, chosen]
    known = ~np.isnan(part)
    part[known] = rescaled(part[known], scale, to)
    values[:, chosen] = part
    return replace(given, values=values)
