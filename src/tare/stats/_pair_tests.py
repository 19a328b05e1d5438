"""The result of a test on pairs of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._reportable import Reportable
from tare._tables import Column, Table
from tare.stats._p_values import PColumn
from tare.stats._pairs import Pairs

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PairTest"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PairTest(Reportable):
    """Statistic and two-sided p-value of each pair; simulated p-values have a standard error."""

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

    def rows(self) -> list[dict[str, Any]]:
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

    def to_frame(self) -> pl.DataFrame:
        """A polars frame, one row per pair."""
        import polars as pl

        return pl.DataFrame(self.rows(), infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """The test and its rows."""
        return {"test": self.test, "pairs": self.rows(), "note": self.note}

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().to_html()
