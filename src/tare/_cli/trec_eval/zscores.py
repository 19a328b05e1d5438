"""z-scores: distances from a mean in standard deviations, with both from a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tare._data.rows import fields_of
from tare._files.opening import read_text
from tare._plain_text import lines_of
from tare.errors import raise_all

__all__ = ["ZScores", "read_zscores"]

UNKNOWN = -1000000.0
"""Value of trec_eval for missing entries, and for any difference if the deviation is 0."""


class ZScores:
    """Means and standard deviations by query and printed name."""

    def __init__(self, table: dict[tuple[str, str], tuple[float, float]]) -> None:
        self._table = table

    def convert(
        self, name: str, queries: Sequence[str], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the z-scores of one column."""
        return np.array(
            [
                self._one(value, self._table.get((query, name)))
                for query, value in zip(queries, values.tolist(), strict=True)
            ]
        )

    @staticmethod
    def _one(value: float, known: tuple[float, float] | None) -> float:
        if known is None:
            return UNKNOWN
        mean, deviation = known
        if deviation == 0:
            return 0.0 if value == mean else UNKNOWN
        return (value - mean) / deviation


def read_zscores(path: str) -> ZScores:
    """Read lines `query name mean deviation`."""
    table: dict[tuple[str, str], tuple[float, float]] = {}
    wrong = []
    for number, line in enumerate(lines_of(read_text(path)), 1):
        fields = fields_of(line)
        try:
            query, name, mean, deviation = fields
            table[query, name] = (float(mean), float(deviation))
        except ValueError:
            wrong.append(
                f"{path}, line {number}: found {line.strip()[:80]!r}. "
                "A line of z-scores is 'query measure mean deviation'."
            )
    raise_all(wrong)
    return ZScores(table)
