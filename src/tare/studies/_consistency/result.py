"""The answers of the study of consistency: swap rates, curves over the difference, correlations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tare._measures.scores import Scores
from tare._result import MultiTableResult, Rows
from tare._signature import Signature
from tare._tables import Column, Table
from tare.studies._cutoffs import family_of

__all__ = ["Consistency", "Swaps"]


@dataclass(frozen=True)
class Swaps:
    """One measure on two sets of items.

    `swaps` of `pairs` of systems are ordered differently, `tied` are tied on one set only. `counts`
    and `swapped` are those of resamples, by the absolute difference in steps of `width`; the last
    bin is open. What compares a set with itself has resamples only.
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
        """The swap rate: pairs in another order ÷ pairs."""
        return self.swaps / self.pairs if self.swaps is not None and self.pairs else None

    @property
    def resampled_rate(self) -> float | None:
        """The swap rate of resamples, whatever the difference."""
        total = sum(self.counts)
        return sum(self.swapped) / total if total else None

    def needed(self, level: float = 0.05) -> float | None:
        """The smallest difference from which on the swap rate stays at `level` or below."""
        needed = None
        for k in reversed(range(len(self.counts))):
            if self.counts[k] == 0:
                continue
            if self.swapped[k] > level * self.counts[k]:
                break
            needed = k * self.width
        return needed

    def reached(self, level: float = 0.05) -> float | None:
        """The share of resampled differences that are as large as the one needed."""
        needed, total = self.needed(level), sum(self.counts)
        if total == 0:
            return None
        if needed is None:
            return 0.0
        return sum(self.counts[round(needed / self.width) :]) / total


@dataclass(frozen=True, repr=False)
class Consistency(MultiTableResult):
    """Swap rates and correlations of every measure on every two sets of items.

    scores: where runs were scored for the study, the score table, with the sets as attributes.
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
        """The answer for one measure (and two sets, where there are several)."""
        for s in self.found:
            if s.measure == measure and first in (None, s.first) and second in (None, s.second):
                return s
        raise KeyError(f"{measure} of {first} and {second} was not compared")

    def measure_rows(self) -> Rows:
        """One dictionary a couple of sets and measure."""
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
        """Swap rate against difference: one dictionary a couple of sets, measure and bin."""
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
        """Rows by name: measures, curves."""
        return {"measures": self.measure_rows(), "curves": self.curve_rows()}

    def facts(self) -> dict[str, Any]:
        """Coefficient, level, draws, seed and signatures."""
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
        """One row a couple of sets and measure."""
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
            f"Swap rate: pairs of systems in another order ÷ pairs. {self.kind} of the rankings with "
            f"a {100 * self.confidence:g} % interval over items. Resampled: the same for resamples of "
            f"both sets ({self.draws:,} draws, seed {self.seed}); needed: the difference from which on "
            f"their swap rate stays at {self.level:g}; reached: the share of differences that large.",
            *self.notes,
        ]
        return {"measures": Table.of(columns, rows, title="Consistency", notes=notes)}
