"""The documents of runs in their order, one run in memory at a time if each has its own file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path

from tare._data.runs import Run, read_runs

__all__ = ["ranked", "runs_of_systems"]


def runs_of_systems(paths: Sequence[Path], systems: Sequence[str]) -> Iterator[tuple[str, Run]]:
    """Yield each system with its run, in the order of the systems."""
    if len(paths) == len(systems):
        for system, path in zip(systems, paths, strict=True):
            for run in read_runs([str(path)]):
                yield system, run
    else:  # files with several systems
        found = {run.system: run for run in read_runs([str(path) for path in paths])}
        yield from ((system, found[system]) for system in systems)


def ranked(
    run: Run, depth: int, queries: frozenset[str] | None = None
) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Yield the first documents of every query with their scores, ranked as trec_eval does."""
    order = {query: k for k, query in enumerate(run.rows.queries)}
    for query in run.queries:
        if queries is None or query in queries:
            names, values = run.rows.documents(order[query])
            pairs = list(zip(names, values.tolist(), strict=True))
            if not (values[1:] < values[:-1]).all():  # most runs are written in this order
                pairs.sort(key=itemgetter(1, 0), reverse=True)
            yield query, pairs[:depth]
