"""The history of a gate: one row per look and measure, kept in a Parquet file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tare._data.formats import parquet
from tare._decide.gate.result import Gate
from tare._places import exists, written_at
from tare._result import Result, Row, Rows
from tare._result.formats import frame_of, write_frame
from tare._tables import Column, Table
from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["GateHistory"]

NUMBERS = ("candidate", "baseline", "difference", "low", "high", "margin", "p", "alpha")
COLUMNS = ("look", "time", "system", "baseline_system", "measure", *NUMBERS, "n", "verdict")


@dataclass(frozen=True, eq=False, repr=False)
class GateHistory(Result):
    """All looks of a gate, in their order.

    Attributes
    ----------
    entries : tuple of dict
        One dictionary per look and measure.

    Examples
    --------
    >>> import tare
    >>> qrels = {f"q{k}": {"a": 1, "b": 0} for k in range(8)}
    >>> good = {f"q{k}": {"a": 2.0, "b": 1.0} for k in range(8)}
    >>> scores = tare.evaluate(qrels, good, "RR")
    >>> found = tare.gate(scores, scores, {"RR": 0.05})
    >>> history = GateHistory().with_gate(found, "2026-01-31")
    >>> history.looks, history.entries[0]["verdict"]
    (1, 'not worse')
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.gate"

    entries: tuple[Row, ...] = ()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> GateHistory:
        """Read a history; a file that does not exist yet is an empty one.

        Parameters
        ----------
        path : path
            A Parquet file that `write` wrote.

        Returns
        -------
        GateHistory
            The looks so far.

        Raises
        ------
        FormatError
            If the file is not a history.
        """
        if not exists(written_at(path)):  # it is replaced there
            return cls()
        frame = parquet.read(path)
        _check(frame, os.fspath(path))
        return cls(tuple(frame.select(COLUMNS).to_dicts()))

    @property
    def looks(self) -> int:
        """The number of looks so far."""
        return max((int(entry["look"]) for entry in self.entries), default=0)

    def with_gate(self, gate: Gate, time: str) -> GateHistory:
        """Return the history with one more look.

        Parameters
        ----------
        gate : Gate
            The result of the look.
        time : str
            When it was made.

        Returns
        -------
        GateHistory
            A new history; this one stays as it is.
        """
        look = gate.look or self.looks + 1
        added = [
            {
                "look": look,
                "time": time,
                "system": gate.system,
                "baseline_system": gate.baseline_system,
                **{key: row[key] for key in ("measure", *NUMBERS, "n", "verdict")},
            }
            for row in gate.rows()
        ]
        return GateHistory((*self.entries, *added))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the history; the file is replaced as a whole.

        Parameters
        ----------
        path : path
            The Parquet file.
        """
        write_frame(frame_of(list(self.entries)), Path(path))

    def rows(self) -> Rows:
        """Return one dictionary per look and measure."""
        return [dict(entry) for entry in self.entries]

    def table(self) -> Table:
        """Return one row per look and measure."""
        columns = [Column("look", 0), Column("time", align="left"), Column("measure", align="left")]
        columns += [Column(name) for name in ("difference", "low", "high", "margin")]
        columns += [Column("verdict", align="left")]
        names = ("look", "time", "measure", "difference", "low", "high", "margin", "verdict")
        rows = [tuple(entry[name] for name in names) for entry in self.entries]
        note = "Bounds are one-sided; their level is corrected for the number of looks."
        return Table.of(columns, rows, title="History of the gate", notes=[note])


def _check(frame: pl.DataFrame, name: str) -> None:
    import polars as pl

    lacking = [column for column in COLUMNS if column not in frame.columns]
    numeric = all(
        frame[c].dtype.is_numeric() for c in ("look", "n", *NUMBERS) if c in frame.columns
    )
    texts = ("time", "system", "baseline_system", "measure", "verdict")
    written = all(frame[c].dtype == pl.String for c in texts if c in frame.columns)
    if lacking or not numeric or not written or frame.null_count().sum_horizontal().sum():
        raise FormatError(
            f"{name} is not a history that `tare gate --history` wrote. Name a new file to begin one."
        )
