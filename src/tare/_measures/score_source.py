"""Score tables as studies accept them: a table, a path or a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tare._measures.scores import Scores

if TYPE_CHECKING:
    from tare._data.findings import Frame
    from tare._files.opening import PathLike

__all__ = ["ScoreSource", "scores_of"]

ScoreSource: TypeAlias = "Scores | PathLike | Frame"
"""A score table, the path of one, or a data frame with the columns system, item, measure, value."""


def scores_of(source: ScoreSource) -> Scores:
    """Return the score table of a source."""
    return source if isinstance(source, Scores) else Scores.load(source)
