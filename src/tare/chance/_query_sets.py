"""Sets of queries, and halves of judged documents, drawn from the judgements alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tare._data.qrels import Qrels, read_qrels
from tare._kernels import stream_ids

if TYPE_CHECKING:
    from tare._measures.inputs import GradesInput

__all__ = ["broad_and_focused", "halves"]


def broad_and_focused(
    qrels: GradesInput, *, share: float = 0.5, grade: float = 2, seed: int = 0
) -> dict[str, tuple[str, ...]]:
    """Split queries into broad and focused ones.

    A query is broad if at least `share` of its judged documents have `grade` or above. The larger
    set is reduced to the size of the smaller one at random.

    Parameters
    ----------
    qrels
        What `tare.read_qrels` takes or returns.
    share, grade
        The thresholds of a broad query.
    seed
        Seed of the random selection.

    Returns
    -------
    dict
        ``{"broad": queries, "focused": queries}``, both of the same size.

    Raises
    ------
    DataError
        If the qrels cannot be read.

    Examples
    --------
    >>> import tare
    >>> qrels = {"q1": {"a": 2, "b": 2}, "q2": {"a": 0, "b": 0, "c": 2}}
    >>> tare.chance.broad_and_focused(qrels)
    {'broad': ('q1',), 'focused': ('q2',)}
    """
    given = read_qrels(qrels)
    good = (given.levels >= grade)[given.pool]
    total = np.concatenate([[0], np.cumsum(good)])
    counts = np.diff(given.pool_offsets)
    found = total[given.pool_offsets[1:]] - total[given.pool_offsets[:-1]]
    broad = found >= share * np.maximum(counts, 1)
    sets = {"broad": np.flatnonzero(broad), "focused": np.flatnonzero(~broad)}
    size = min(len(places) for places in sets.values())
    random = np.random.Generator(np.random.Philox(key=[seed, 2]))
    return {
        name: tuple(given.items[i] for i in np.sort(random.choice(places, size, replace=False)))
        for name, places in sets.items()
    }


def halves(qrels: GradesInput, *, seed: int = 0) -> tuple[Qrels, Qrels]:
    """Split the judged documents of each query at random into two halves.

    The halves differ by at most one document per query. With the same seed a document always falls
    into the same half, whatever else the qrels contain.

    Parameters
    ----------
    qrels
        What `tare.read_qrels` takes or returns.
    seed
        Seed of the split.

    Returns
    -------
    tuple of Qrels
        The left and the right half.

    Raises
    ------
    DataError
        If the qrels cannot be read.

    Examples
    --------
    >>> import tare
    >>> left, right = tare.chance.halves({"q": {"a": 1, "b": 0, "c": 2}})
    >>> len(left), len(right)
    (2, 1)
    """
    given = read_qrels(qrels)
    left: dict[str, dict[str, float]] = {}
    right: dict[str, dict[str, float]] = {}
    for query, documents in given.by_query():
        names = sorted(name for name, _ in documents)
        keys = stream_ids([f"{seed}\t{query}\t{name}" for name in names])
        order = np.argsort(keys, kind="stable")
        first = {names[i] for i in order[: (len(names) + 1) // 2]}
        left[query] = {d: g for d, g in documents if d in first}
        right[query] = {d: g for d, g in documents if d not in first}
    right = {query: documents for query, documents in right.items() if documents}
    return read_qrels(left), read_qrels(right)
