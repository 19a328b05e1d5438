"""The options --rescale and --rescale-where of verbs that read human scores."""

from __future__ import annotations

from typing import Annotated, TypeVar

from cyclopts import Parameter

from tare._data.ratings import Ratings
from tare._measures.scores import Scores
from tare.errors import OptionError

__all__ = ["Rescale", "RescaleWhere", "rescaled"]

Given = TypeVar("Given", Scores, Ratings)
Rescale = Annotated[
    tuple[float, float, float, float] | None,
    Parameter(
        name="--rescale",
        help="Put human scores on another scale: its two ends, and those wanted, such as 1 10 1 5.",
    ),
]
RescaleWhere = Annotated[
    str | None,
    Parameter(name="--rescale-where", help="Only where an attribute has a value: year=2008."),
]


def rescaled(
    given: Given, ends: tuple[float, float, float, float] | None, where: str | None
) -> Given:
    """What was read, rescaled as was asked."""
    if ends is None:
        if where is not None:
            raise OptionError("--rescale-where needs --rescale, such as --rescale 1 10 1 5.")
        return given
    from tare.stats._rescaling import rescale

    name, sign, value = (where or "").partition("=")
    if where is not None and not (name and sign and value):
        raise OptionError(f"--rescale-where {where}: attribute=value is needed, such as year=2008.")
    chosen = (name, value) if where is not None else None
    return rescale(given, (ends[0], ends[1]), (ends[2], ends[3]), where=chosen)
