"""Random draws in blocks: draw b is the same in any block, so blocks can be made anywhere; percentiles and p-values of draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels import bootstrap_means
from tare.errors import OptionError

__all__ = [
    "Drawing",
    "drawn",
    "middle",
    "monte_carlo",
    "resampled_means",
    "summed",
    "summed_and_drawn",
]


# Random draws in blocks: draw b is the same in any block, so blocks can be made anywhere.


Arrays = tuple[NDArray[Any], ...]


class Drawing(Protocol):
    """What tests and intervals need of an engine."""

    def map_blocks(
        self, task: Callable[[Any, int, int], Any], shared: Any, draws: int, *, what: str = ""
    ) -> list[Any]:
        """Blocks of random draws on an engine: one result a block, task(shared, first, last), in order."""
        ...

    def threads_for(self, partitions: int) -> int:
        """How many threads a block may use."""
        ...


def _block(shared: tuple[Callable[..., Any], Mapping[str, Any]], first: int, last: int) -> Any:
    kernel, arguments = shared
    return kernel(**arguments, draws=last - first, first_draw=first)


def _blocks(
    kernel: Callable[..., Any], draws: int, threads: int, engine: Drawing | None, arguments: Any
) -> list[Any]:
    if engine is None:
        return [_block((kernel, {**arguments, "threads": threads}), 0, draws)]
    if isinstance(engine, str):
        raise OptionError(
            f"engine={engine!r}: functions of tare.stats take an open engine, such as "
            "tare.engines.Local()."
        )
    shared = (kernel, {**arguments, "threads": engine.threads_for(1)})
    return engine.map_blocks(_block, shared, draws, what="draws")


def summed(
    kernel: Callable[..., Arrays],
    *,
    draws: int,
    threads: int = 0,
    engine: Drawing | None = None,
    **arguments: Any,
) -> Arrays:
    """Counts summed over all random draws, from a kernel that counts over a block of them."""
    blocks = _blocks(kernel, draws, threads, engine, arguments)
    parts = zip(*blocks, strict=True)
    return tuple(np.asarray(np.sum(counts, axis=0, dtype=np.int64)) for counts in parts)


def drawn(
    kernel: Callable[..., NDArray[np.float64]],
    *,
    draws: int,
    threads: int = 0,
    engine: Drawing | None = None,
    **arguments: Any,
) -> NDArray[np.float64]:
    """All random draws, along the last axis, joined from the blocks that a kernel makes."""
    blocks = _blocks(kernel, draws, threads, engine, arguments)
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=-1)


def summed_and_drawn(
    kernel: Callable[..., Arrays],
    *,
    draws: int,
    threads: int = 0,
    engine: Drawing | None = None,
    **arguments: Any,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Counts over all random draws, and a value of each draw, from a kernel that makes blocks of them."""
    blocks = _blocks(kernel, draws, threads, engine, arguments)
    counts = np.sum([block[0] for block in blocks], axis=0, dtype=np.int64)
    return np.asarray(counts), np.concatenate([block[1] for block in blocks])


def resampled_means(
    values: NDArray[np.float64],
    draws: int,
    seed: int,
    threads: int = 0,
    *,
    engine: Drawing | None = None,
) -> NDArray[np.float64]:
    """Bootstrap means of each row over resampled columns, rows × draws, made on the engine if there is one."""
    return drawn(
        bootstrap_means, draws=draws, threads=threads, engine=engine, values=values, seed=seed
    )


# Percentiles of draws. NumPy's own function takes longer than many kernels do.


def middle(drawn: NDArray[np.float64], confidence: float) -> tuple[float, float, int]:
    """Return the percentiles that enclose the middle part of random draws, and how many draws are missing.

    The ends have the same bits as those of `numpy.nanquantile`; they are NaN if all draws are missing.

    >>> middle(np.array([4.0, 1.0, np.nan, 2.0, 3.0]), 0.5)
    (1.75, 3.25, 1)
    """
    known = np.sort(drawn)  # NaN come last
    missing = int(np.isnan(known).sum())
    count = len(known) - missing
    low, high = (
        _interpolated(known, count, p) for p in ((1 - confidence) / 2, (1 + confidence) / 2)
    )
    return low, high, missing


def _interpolated(known: NDArray[np.float64], count: int, level: float) -> float:
    if count == 0:
        return math.nan
    place = (count - 1) * level
    before = int(place)
    a, b = float(known[before]), float(known[min(before + 1, count - 1)])
    share = place - before
    return b - (b - a) * (1 - share) if share >= 0.5 else a + (b - a) * share


# The p-values of draws, and their error.


def monte_carlo(counts: ArrayLike, draws: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The p-value of random draws, (b + 1)/(B + 1), which is never 0 and never too small, and its standard error.

    The error is √(p(1 − p)/(B + 1)) (Phipson and Smyth 2010).
    """
    p = (np.asarray(counts, dtype=np.float64) + 1) / (draws + 1)
    return p, np.sqrt(p * (1 - p) / (draws + 1))
