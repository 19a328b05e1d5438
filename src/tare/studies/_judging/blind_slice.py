"""The blind slice: a random sample of tasks with known inclusion probabilities, for people to judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tare._data.simulation import uniforms
from tare.errors import OptionError
from tare.studies._judging.tasks import Task, stream_id

__all__ = ["DRAWS", "BlindSlice", "Stratum", "draw_slice"]

DRAWS = ("queries", "documents", "stratified")
SLICE = 26  # substream


@dataclass(frozen=True)
class Stratum:
    """What was drawn from a part of the tasks, in the order of the draw.

    `units` are tasks that are drawn together: all tasks of a query, or one document. `size` is the number
    of units that could have been drawn, so the first k units have the inclusion probability k/size.
    """

    query: str
    size: int
    units: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class BlindSlice:
    """The tasks that people judge, and the model's answers to all tasks.

    `frame` holds all tasks and `answers` the model's answer to each of them, by task id. They are for the
    owner only: no page for assessors reads them. `measure` is what is estimated, and `width` the width of
    its interval at which the study stops.
    """

    draw: str
    strata: tuple[Stratum, ...]
    frame: tuple[Task, ...] = field(repr=False)
    answers: Mapping[str, Mapping[str, Any]] = field(repr=False)
    measure: str = ""
    width: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for the database."""
        return {
            "draw": self.draw,
            "measure": self.measure,
            "width": self.width,
            "strata": [[s.query, s.size, [list(unit) for unit in s.units]] for s in self.strata],
            "frame": [task.to_dict() for task in self.frame],
            "answers": self.answers,
        }

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> BlindSlice:
        """Create a slice from plain values."""
        strata = tuple(
            Stratum(query, size, tuple(map(tuple, units))) for query, size, units in given["strata"]
        )
        frame = tuple(map(Task.of, given["frame"]))
        return cls(given["draw"], strata, frame, given["answers"], given["measure"], given["width"])


def draw_slice(
    tasks: Sequence[Task],
    answers: Mapping[str, Mapping[str, Any]],
    *,
    draw: str,
    size: int,
    seed: int = 0,
    measure: str = "",
    width: float | None = None,
) -> tuple[tuple[Task, ...], BlindSlice]:
    """Draw a slice; return its tasks, with their turn as depth, and the slice.

    queries: `size` queries with all their tasks. documents: `size` documents of every query. stratified:
    the same, spread evenly over the model's grades, so that every grade is drawn.

    The draw depends on the seed and the ids only; a stratified draw also depends on the model's grades.
    """
    by_query: dict[str, list[Task]] = {}
    for task in tasks:
        by_query.setdefault(task.query, []).append(task)
    strata: list[Stratum] = []
    if draw == "queries":
        if size > len(by_query):
            raise OptionError(
                f"judge.slice = {size:,}: there are {len(by_query):,} queries. Draw at most as many."
            )
        order = _shuffled({query: query for query in by_query}, seed)
        units = tuple(tuple(task.id for task in by_query[query]) for query in order[:size])
        strata.append(Stratum("", len(by_query), units))
    largest = max(map(len, by_query.values()))
    if draw != "queries" and size > largest:
        raise OptionError(
            f"judge.slice = {size:,}: no query has more than {largest:,} documents. Draw at most as many."
        )
    for query, own in by_query.items() if draw != "queries" else ():
        groups: dict[Any, list[Task]] = {}
        for task in own:
            grade = answers[task.id]["grade"] if draw == "stratified" else None
            groups.setdefault(grade, []).append(task)
        if size < len(groups):
            raise OptionError(
                f"judge.slice = {size}: the model gave {len(groups)} different grades in query {query}, and a "
                "stratified draw needs at least one document of each. Draw more documents per query."
            )
        ordered = sorted(groups, reverse=True) if draw == "stratified" else list(groups)
        counts = _spread(size, [len(groups[grade]) for grade in ordered])
        for grade, count in zip(ordered, counts, strict=True):
            group = groups[grade]
            drawn = _shuffled({task.id: f"{query}\x1f{task.id}" for task in group}, seed)[:count]
            strata.append(Stratum(query, len(group), tuple((task,) for task in drawn)))
    turn = {
        task: number
        for stratum in strata
        for number, unit in enumerate(stratum.units, 1)
        for task in unit
    }
    chosen = tuple(replace(task, depth=turn[task.id]) for task in tasks if task.id in turn)
    return chosen, BlindSlice(draw, tuple(strata), tuple(tasks), answers, measure, width)


def _shuffled(names: Mapping[str, str], seed: int) -> list[str]:
    """Return keys in a random order that does not depend on how they are listed."""
    draws = {
        key: float(uniforms(seed, stream_id(name), [0], SLICE)[0]) for key, name in names.items()
    }
    return sorted(draws, key=lambda key: (draws[key], key))


def _spread(total: int, sizes: Sequence[int]) -> list[int]:
    """Spread a total over groups, one to each in turn, as far as their sizes allow.

    >>> _spread(5, [1, 9, 3])
    [1, 2, 2]
    """
    counts = [0] * len(sizes)
    while total > 0 and any(c < s for c, s in zip(counts, sizes, strict=True)):
        for k, size in enumerate(sizes):
            if counts[k] < size and total > 0:
                counts[k] += 1
                total -= 1
    return counts
