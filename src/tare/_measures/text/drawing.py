"""Random texts: their sources and lengths, and the moments of their sampled scores."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text, stream_ids
from tare._measures.moments import Moments, RandomText
from tare._measures.text.evaluation import TextEvaluation
from tare.errors import OptionError

__all__ = ["Block", "Draw", "Draws", "in_blocks", "moments_of", "samples_of", "tails_of"]

MOST_SAMPLES = 10_000_000  # random texts, each with three counts per reference in memory

Values = NDArray[np.float64]
Block = tuple[NDArray[np.int64], Values]


@dataclass(frozen=True)
class Draw:
    """Source, references and length of a random text; equal cells share one draw."""

    source: Text
    references: tuple[Text, ...]
    length: int
    stream: int
    person: bool = False


@dataclass(frozen=True)
class Draws:
    """The distinct draws, and the draw of each cell (−1: none)."""

    each: tuple[Draw, ...]
    of_cell: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        evaluation: TextEvaluation,
        text: RandomText,
        candidate: Sequence[int] | NDArray[np.int64],
        reference: Sequence[int] | NDArray[np.int64],
    ) -> Draws:
        """Return the draws of all cells, given the lengths of candidates and (mean) of references."""
        cells = evaluation.cells
        streams, item_of = stream_ids(cells.items).tolist(), cells.item_of.tolist()
        made: dict[Hashable, int] = {}
        each: list[Draw] = []
        places = np.full(len(cells.candidates), -1, dtype=np.int64)
        for place, (source, group) in enumerate(zip(cells.sources, cells.references, strict=True)):
            if not source or not group:
                continue
            item = item_of[place]
            length = _length(text.length, int(candidate[place]), int(reference[place]))
            person = bool(cells.person[place])
            key = (item, source, group, length, person)
            if key not in made:
                made[key] = len(each)
                each.append(Draw(source, group, length, streams[item], person))
            places[place] = made[key]
        return cls(tuple(each), places)

    def spread(self, values: Values) -> Values:
        """Return the values of draws as values of cells; NaN if nothing can be drawn."""
        out = np.full(len(self.of_cell), np.nan)
        known = self.of_cell >= 0
        out[known] = values[self.of_cell[known]]
        return out


def _length(asked: str | int, candidate: int, reference: int) -> int:
    if asked == "candidate":
        return candidate
    return reference if asked == "reference" else int(asked)


def samples_of(evaluation: TextEvaluation, text: RandomText, usual: int) -> int:
    """Return the number of sampled texts; one for expected=published."""
    if text.expected == "published":
        return 1
    samples = usual if evaluation.samples is None else evaluation.samples
    if not 2 <= samples <= MOST_SAMPLES:
        raise OptionError(
            f"samples={samples} is not possible: 2 to {MOST_SAMPLES:,} random texts can be drawn."
        )
    return samples


def moments_of(draws: Draws, blocks: Iterable[Block]) -> Moments:
    """Return mean, error, variance and its error of sampled scores; the caller adds the upper bound."""
    out = np.full((4, len(draws.each)), np.nan)
    for places, values in blocks:
        count = values.shape[1]
        mean = values.mean(axis=1)
        variance = values.var(axis=1, ddof=1) if count > 1 else np.zeros(len(values))
        fourth = ((values - mean[:, None]) ** 4).mean(axis=1)
        out[0, places], out[1, places], out[2, places] = mean, np.sqrt(variance / count), variance
        out[3, places] = np.sqrt(np.maximum(fourth - variance**2, 0.0) / count)
    mean, error, variance, variance_error = (draws.spread(row) for row in out)
    return Moments(mean, error, np.full(len(mean), np.nan), variance, variance_error)


def tails_of(draws: Draws, blocks: Iterable[Block], observed: Values) -> tuple[Values, Values]:
    """Return (b + 1)/(B + 1) and its standard error, b sampled scores being at least as high."""
    out, errors = np.full(len(observed), np.nan), np.zeros(len(observed))
    cells: dict[int, list[int]] = {}
    for cell, place in enumerate(draws.of_cell.tolist()):
        cells.setdefault(place, []).append(cell)
    for places, values in blocks:
        for place, row in zip(places.tolist(), values, strict=True):
            for cell in cells[place]:
                reached = int((row >= observed[cell] - 1e-12).sum())
                out[cell] = (reached + 1) / (len(row) + 1)
                errors[cell] = np.sqrt(out[cell] * (1 - out[cell]) / len(row))
    gone = np.isnan(observed)
    return np.where(gone, np.nan, out), np.where(gone, 0.0, errors)


def in_blocks(
    draws: Draws, most: int, cost: Sequence[int]
) -> Iterator[tuple[NDArray[np.int64], list[Draw]]]:
    """Yield draws in blocks whose total cost stays below `most`."""
    start, total = 0, 0
    for place in range(len(draws.each) + 1):
        full = place == len(draws.each) or (total + cost[place] > most and place > start)
        if full and place > start:
            yield np.arange(start, place), list(draws.each[start:place])
            start, total = place, 0
        if place < len(draws.each):
            total += cost[place]
