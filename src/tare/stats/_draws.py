"""Random draws in blocks: draw b is the same in any block, so blocks can be made anywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tare._kernels import bootstrap_means

__all__ = ["Drawing", "drawn", "resampled_means", "summed", "summed_and_drawn"]

Arrays = tuple[NDArray[Any], ...]


class Drawing(Protocol):
    """What tests and intervals need of an engine."""

    def map_blocks(
        self, task: Callable[[Any, int, int], Any], shared: Any, draws: int, *, what: str = ""
    ) -> list[Any]:
        """One result a block of draws, task(shared, first, last), in order."""
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
    """Counts over all draws, from a kernel that counts over some."""
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
    """All draws, along the last axis, from a kernel that makes some."""
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
    """Counts over all draws, and a value of each draw, from a kernel that makes some."""
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
    """Means of each row over resampled columns, rows × draws, made on the engine if there is one."""
    return drawn(
        bootstrap_means, draws=draws, threads=threads, engine=engine, values=values, seed=seed
    )
