"""Human scores on different scales, mapped to one scale."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from tare._data.ratings import Ratings, rescaled
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
    """Map scores or ratings from one scale to another: y = (x − a)·(d − c)/(b − a) + c.

    Parameters
    ----------
    given : Scores or Ratings
        The table. All measures of a score table are rescaled; select the ones you need first.
    scale : tuple of two float
        The ends (a, b) of the present scale, such as (1, 10).
    to : tuple of two float
        The ends (c, d) of the new scale, such as (1, 5).
    where : tuple of two str, optional
        (attribute, value): rescale only the items or units with this value, such as those of one year.

    Returns
    -------
    Scores or Ratings
        A new table.

    Raises
    ------
    OptionError
        If the two ends of a scale are equal or not finite, the ratings are categories, or `where` names an
        attribute or a value that does not exist.
    MismatchError
        If a value lies outside `scale`.

    Examples
    --------
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
