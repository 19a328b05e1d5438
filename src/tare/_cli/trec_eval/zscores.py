"""z-scores: values told as distances from a mean, in standard deviations, by a table of both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tare._data.source import read_text
from tare.errors import raise_all

__all__ = ["ZScores", "read_zscores"]

UNKNOWN = -1000000.0
"""What trec_eval gives where the table lacks a value, or where nothing may differ and does."""


class ZScores:
    """Means and standard deviations by query and printed name."""

    def __init__(self, table: dict[tuple[str, str], tuple[float, float]]) -> None:
        self._table = table

    def convert(
        self, name: str, queries: Sequence[str], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The z-scores of one column."""
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
    """Reads `query name mean deviation` lines."""
    table: dict[tuple[str, str], tuple[float, float]] = {}
    wrong = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        fields = line.split()
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
