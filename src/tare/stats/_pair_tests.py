"""The result of a test on pairs of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._result import Result, Row, Rows
from tare._tables import Column, PColumn, Table
from tare.stats._pairs import Pairs

if TYPE_CHECKING:
    pass

__all__ = ["PairTest"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class PairTest(Result):
    """Statistic and two-sided p-value of each pair; simulated p-values have a standard error.

    Attributes
    ----------
    test : str
        The name of the test, as in `TESTS`.
    pairs : Pairs
        The pairs that were tested.
    statistic, p, n : ndarray
        The statistic, the p-value and the number of items of each pair.
    methods : tuple of str
        How the p-value of each pair was computed.
    freedom : ndarray or None
        Degrees of freedom, if the test has them.
    error : ndarray or None
        Standard errors of simulated p-values.
    family_wise : bool
        Whether the p-values are already corrected for the number of pairs.
    adjusted : ndarray or None
        P-values of the largest |t| of the family, if they were asked for.
    half_width : ndarray or None
        Half the widths of simultaneous intervals, for tests that have them.
    note : str
        Remarks on the data.
    centre : ndarray or None
        Differences that the test adjusted for missing scores, if it did.
    ends : ndarray or None
        Pairs × 2: intervals that belong to the test; NaN for a pair without one.
    units, unit_t, differing : ndarray or None
        Of tests by flips: the number of units (items, or clusters of items) of each pair, Student's t over
        them, and how many of them differ.

    Examples
    --------
    >>> from tare.stats import paired_t
    >>> found = paired_t(Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.5, 0.6]))
    >>> found.statistic.round(3).tolist(), found.p.round(3).tolist()
    ([3.464], [0.074])
    >>> found.freedom.tolist(), found.methods
    ([2.0], ('t distribution',))
    """

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
    ends: Floats | None = None
    units: NDArray[np.int64] | None = None
    unit_t: Floats | None = None
    differing: NDArray[np.int64] | None = None

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
