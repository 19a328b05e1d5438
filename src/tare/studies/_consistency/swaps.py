"""Swaps of pairs of systems between two score tables, or between resamples of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._kernels import bootstrap_means
from tare._kernels.threads_and_blocks import seams
from tare._measures.scores import Scores
from tare.errors import OptionError, choose
from tare.stats._correlation import KINDS, correlate
from tare.stats._draws import Drawing, summed
from tare.stats._paired_differences import DIGITS, Pairs
from tare.stats._randomisation import check_draws

__all__ = ["SwapOptions", "swaps_between"]

Floats = NDArray[np.float64]
BINS = 21  # as in Sakai (2006): twenty of equal width, and an open one


@dataclass(frozen=True)
class SwapOptions:
    """The validated options of `consistency`."""

    kind: str = "tau_b"
    level: float = 0.05
    width: float | None = None
    draws: int = 1000
    confidence: float = 0.95
    seed: int = 0
    digits: int = DIGITS
    threads: int = 0
    engine: Drawing | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        choose("kind", self.kind, KINDS)
        check_draws(self.draws, self.seed)
        if not 0 < self.level < 1:
            raise OptionError(
                f"level={self.level} is out of range; a swap rate must lie between 0 and 1."
            )
        if self.width is not None and self.width <= 0:
            raise OptionError(f"width={self.width} is not valid. It must be greater than 0.")


def swaps_between(a: Scores, b: Scores, same: bool, options: SwapOptions) -> dict[str, Any]:
    """Return the fields of `Swaps` for one measure on two tables, or on resamples of the same one."""
    kind, width, draws, confidence, seed, digits = (
        options.kind,
        options.width,
        options.draws,
        options.confidence,
        options.seed,
        options.digits,
    )
    one, other = Pairs.of(a, digits=digits), Pairs.of(b, digits=digits)
    known = (one.n > 0) & (other.n > 0)
    x, y = _signs(one.means, one.quantum)[known], _signs(other.means, other.quantum)[known]
    if width is None:
        largest = max(float(np.nanmax(np.abs(t.values), initial=0.0)) for t in (a, b))
        width = 0.01 if largest <= 1 else largest / 100
    several = len(a.items) > 1 and len(b.items) > 1  # one item has one resample
    counts, swapped = summed(
        count_swaps,
        draws=draws,
        threads=options.threads,
        engine=options.engine,
        one=one.differences[known & several],
        other=other.differences[known & several],
        quanta=(one.quantum[known & several], other.quantum[known & several]),
        width=width,
        seed=seed,
    )
    made: dict[str, Any] = {
        "systems": len(a.systems),
        "items": [len(a.items), len(b.items)],
        "pairs": int(known.sum()),
        "swaps": None if same else int((x * y < 0).sum()),
        "tied": None if same else int(((x == 0) != (y == 0)).sum()),
        "width": width,
        "counts": counts.tolist(),
        "swapped": swapped.tolist(),
        "coefficient": None,
    }
    if not same:
        found = correlate(
            a,
            b,
            kind=kind,
            over="items",
            confidence=confidence,
            draws=draws,
            seed=seed,
            threads=options.threads,
            engine=options.engine,
        )
        made["coefficient"] = [found.value, found.low, found.high]
    return made


def _signs(means: Floats, quantum: Floats) -> Floats:
    return np.where(np.abs(means) < quantum / 2, 0.0, np.sign(means))


def count_swaps(
    one: Floats,
    other: Floats,
    quanta: tuple[Floats, Floats],
    width: float,
    seed: int,
    threads: int,
    draws: int,
    first_draw: int = 0,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count resampled pairs and swaps by the absolute difference in the first resample.

    `one` and `other` are pairs × items of differences. As in Sakai's algorithm, a pair that is tied in
    only one resample counts as a swap. Draws are numbered from `first_draw`; a task of engines.
    """
    counts = np.zeros(BINS, dtype=np.int64)
    swapped = np.zeros(BINS, dtype=np.int64)
    step = max(1, seams().resampled_cells // max(1, draws))
    for start in range(0, len(one), step):
        part = slice(start, start + step)
        # Both sets of items are resampled independently.
        x = bootstrap_means(one[part], draws, seed, threads, first_draw)
        y = bootstrap_means(other[part], draws, seed + 1, threads, first_draw)
        x, y = (
            np.where(np.abs(z) < q[part, None] / 2, 0.0, z)
            for z, q in zip((x, y), quanta, strict=True)
        )
        there = ~(np.isnan(x) | np.isnan(y))  # a resample may contain no item of a pair
        bins = np.minimum(np.nan_to_num(np.abs(x)) / width + 1e-9, BINS - 1).astype(np.int64)
        counts += np.bincount(bins[there], minlength=BINS)
        swapped += np.bincount(bins[there & (np.sign(x) != np.sign(y))], minlength=BINS)
    return counts, swapped
