"""The result of a test on pairs of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._result import Result, Row, Rows
from tare._tables import Column, Table
from tare.stats._p_values import PColumn
from tare.stats._pairs import Pairs

if TYPE_CHECKING:
    pass

__all__ = ["PairTest"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class PairTest(Result):
    """Statistic and two-sided p-value of each pair; simulated p-values have a standard error."""

    rows_key: ClassVar[str] = "pairs"

    test: str
    pairs: Pairs
    statistic: Floats
    p: Floats
    n: NDArray[np.int64]
    methods: tuple[str, ...]
    freedom: Floats | None = None
    error: Floats | None = None
    family_wise: bool = False
    adjusted: Floats | None = None
    half_width: Floats | None = None
    note: str = ""
    centre: Floats | None = None  # differences that the test adjusted, if it did

    def __len__(self) -> int:
        return len(self.p)

    def rows(self) -> Rows:
        """Return one dictionary per pair."""
        made = []
        for k in range(len(self)):
            a, b = self.pairs.name(k)
            made.append(
                {
                    "system": a,
                    "against": b,
                    "n": int(self.n[k]),
                    "difference": float(self.pairs.means[k]),
                    "statistic": float(self.statistic[k]),
                    "p": float(self.p[k]),
                    "error": None if self.error is None else float(self.error[k]),
                    "method": self.methods[k],
                }
            )
        return made

    def table(self) -> Table:
        """Return one row per pair."""
        columns = [
            Column("system", align="left"),
            Column("against", align="left"),
            Column("n"),
            Column("difference"),
            Column("statistic"),
            PColumn("p"),
            PColumn("error"),
            Column("method", align="left"),
        ]
        notes = [self.note] if self.note else []
        return Table.of(
            columns, [tuple(row.values()) for row in self.rows()], title=self.test, notes=notes
        )

    def facts(self) -> Row:
        """Return the test and its note."""
        return {"test": self.test, "note": self.note}
