"""The result of the study of consistency: swap rates and rank correlations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tare._measures.scores import Scores
from tare._result import MultiTableResult, Row, Rows
from tare._signature import Signature
from tare._tables import Column, Table
from tare.studies._cutoffs import family_of

__all__ = ["Consistency", "Swaps"]


@dataclass(frozen=True)
class Swaps:
    """Swaps of one measure between two sets of items.

    `swaps` of the `pairs` of systems are ordered differently; `tied` pairs are tied on one set only.
    `counts` and `swapped` count resampled pairs and swaps by absolute difference, in bins of `width`;
    the last bin is open. If a set is compared with itself, only the resamples are known.
    """

    first: str
    second: str
    measure: str
    systems: int
    items: tuple[int, int]
    pairs: int
    swaps: int | None
    tied: int | None
    width: float
    counts: tuple[int, ...]
    swapped: tuple[int, ...]
    coefficient: tuple[float, float | None, float | None] | None

    @property
    def rate(self) -> float | None:
        """The swap rate: the share of pairs that are ordered differently."""
        return self.swaps / self.pairs if self.swaps is not None and self.pairs else None

    @property
    def resampled_rate(self) -> float | None:
        """The swap rate of resamples, over all differences."""
        total = sum(self.counts)
        return sum(self.swapped) / total if total else None

    def needed(self, level: float = 0.05) -> float | None:
        """Return the smallest difference from which the swap rate stays at or below `level`."""
        needed = None
        for k in reversed(range(len(self.counts))):
            if self.counts[k] == 0:
                continue
            if self.swapped[k] > level * self.counts[k]:
                break
            needed = k * self.width
        return needed

    def reached(self, level: float = 0.05) -> float | None:
        """Return the share of resampled differences that are at least as large as `needed()`."""
        needed, total = self.needed(level), sum(self.counts)
        if total == 0:
            return None
        if needed is None:
            return 0.0
        return sum(self.counts[round(needed / self.width) :]) / total


@dataclass(frozen=True, repr=False)
class Consistency(MultiTableResult):
    """Swap rates and rank correlations of every measure between every two sets of items.

    Attributes
    ----------
    found : tuple of Swaps
        The swaps by measure and pair of sets.
    kind : str
        The rank correlation coefficient.
    level : float
        The swap rate for which the needed difference is determined.
    draws, seed : int
        Number of resamples, and their seed.
    confidence : float
        Confidence level of the intervals.
    signatures : tuple of Signature
        The signatures of the scores.
    notes : tuple of str
        Remarks on the data.
    scores : Scores or None
        The score table with the sets as attributes, if the study scored the runs.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, ["nDCG@10"])
    >>> sets = {"first half": scores.items[:10], "second half": scores.items[10:]}
    >>> found = tare.studies.consistency(scores, sets=sets, draws=100)
    >>> swaps = found.get("nDCG@10")
    >>> swaps.pairs, swaps.swaps, round(swaps.rate, 2)
    (10, 0, 0.0)
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.consistency"

    found: tuple[Swaps, ...]
    kind: str
    level: float
    draws: int
    confidence: float
    seed: int
    signatures: tuple[Signature, ...] = ()
    notes: tuple[str, ...] = ()
    scores: Scores | None = None

    def get(self, measure: str, first: str | None = None, second: str | None = None) -> Swaps:
        """Return the swaps of one measure between two sets.

        Parameters
        ----------
        measure : str
            The measure.
        first, second : str, optional
            The two sets; by default the first comparison of the measure.

        Returns
        -------
        Swaps
            The first match.

        Raises
        ------
        KeyError
            If there is no such comparison.
        """
        for s in self.found:
            if s.measure == measure and first in (None, s.first) and second in (None, s.second):
                return s
        raise KeyError(f"no comparison of {first} and {second} by {measure}")

    def measure_rows(self) -> Rows:
        """Return one dictionary per pair of sets and measure."""
        made = []
        for s in self.found:
            value, low, high = s.coefficient or (None, None, None)
            family, cutoff = family_of(s.measure)
            made.append(
                {
                    "first": s.first,
                    "second": s.second,
                    "measure": s.measure,
                    "family": family,
                    "cutoff": cutoff,
                    "systems": s.systems,
                    "items_first": s.items[0],
                    "items_second": s.items[1],
                    "pairs": s.pairs,
                    "swaps": s.swaps,
                    "tied": s.tied,
                    "swap_rate": s.rate,
                    "coefficient": value,
                    "low": low,
                    "high": high,
                    "resampled_rate": s.resampled_rate,
                    "needed": s.needed(self.level),
                    "reached": s.reached(self.level),
                }
            )
        return made

    def curve_rows(self) -> Rows:
        """Return swap rates by difference: one dictionary per pair of sets, measure and bin."""
        return [
            {
                "first": s.first,
                "second": s.second,
                "measure": s.measure,
                "from": k * s.width,
                "to": (k + 1) * s.width if k + 1 < len(s.counts) else None,
                "count": count,
                "swapped": swapped,
                "swap_rate": swapped / count,
            }
            for s in self.found
            for k, (count, swapped) in enumerate(zip(s.counts, s.swapped, strict=True))
            if count
        ]

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows by name: measures, curves."""
        return {"measures": self.measure_rows(), "curves": self.curve_rows()}

    def facts(self) -> Row:
        """Return the coefficient, level, draws, seed, signatures and notes."""
        return {
            "kind": self.kind,
            "level": self.level,
            "draws": self.draws,
            "confidence": self.confidence,
            "seed": self.seed,
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def tables(self) -> dict[str, Table]:
        """Return one table with one row per pair of sets and measure."""
        numbers = ("pairs", "swaps", "tied", "swap rate")
        columns: list[Column | str] = ["first", "second", "measure", *map(Column, numbers)]
        columns += [Column(self.kind), Column("low"), Column("high")]
        columns += [Column("resampled"), Column("needed"), Column("reached")]
        keys = (
            *("first", "second", "measure", "pairs", "swaps", "tied", "swap_rate", "coefficient"),
            *("low", "high", "resampled_rate", "needed", "reached"),
        )
        rows = [[row[k] for k in keys] for row in self.measure_rows()]
        notes = [
            f"Swap rate: share of pairs of systems that are ordered differently. {self.kind}: rank "
            f"correlation, with the {100 * self.confidence:g} % interval of its expected value for item sets "
            f"of this size, each on its own; it need not contain the correlation of the true rankings. "
            f"Resampled: swap rate of resamples of both sets ({self.draws:,} draws, seed {self.seed}). "
            f"Needed: the difference from which this rate stays at or below {self.level:g}; – if no "
            "difference does. Reached: share of differences at least that large.",
            *self.notes,
        ]
        return {
            "measures": Table.of(columns, rows, title="Consistency of system rankings", notes=notes)
        }
