"""The queue of open tasks: ordered by the policy, tasks with the fewest answers first."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

from tare.studies._judging.design import Study
from tare.studies._judging.tasks import random_order, stream_id

__all__ = ["Queue"]


class Queue:
    """Open tasks, grouped by stratum and by number of answers.

    random: one stratum; every task gets its first answer before any task gets its second.
    pooled: the stratum of a task is its depth in the pool; shallow tasks are completed first.
    """

    def __init__(self, study: Study) -> None:
        ids = [task.id for task in study.tasks]
        self.place = random_order(ids, study.design.seed)
        self.tasks = [""] * len(ids)
        for task, place in self.place.items():
            self.tasks[place] = task
        pooled = study.design.policy == "pooled"
        self.stratum = {t.id: t.depth if pooled else 0 for t in study.tasks}
        self.rotate = not pooled
        self.seed = study.design.seed
        self.starts: dict[str, int] = {}  # of each assessor
        self.where: dict[str, tuple[int, int] | None] = {}
        self.buckets: dict[tuple[int, int], list[int]] = {}
        for place, task in enumerate(self.tasks):
            key = (self.stratum[task], 0)
            self.where[task] = key
            self.buckets.setdefault(key, []).append(place)

    def __len__(self) -> int:
        return sum(map(len, self.buckets.values()))

    def move(self, task: str, taken: int, *, full: bool) -> None:
        """Update the position of a task."""
        key = None if full else (self.stratum[task], taken)
        old = self.where[task]
        if key == old:
            return
        place = self.place[task]
        if old is not None:
            bucket = self.buckets[old]
            del bucket[bisect_left(bucket, place)]
            if not bucket:
                del self.buckets[old]
        if key is not None:
            insort(self.buckets.setdefault(key, []), place)
        self.where[task] = key

    def open(self) -> Iterator[str]:
        """Yield all tasks that need an answer."""
        return (self.tasks[place] for bucket in self.buckets.values() for place in bucket)

    def first(self, assessor: str, seen: set[str]) -> str | None:
        """Return the next task that an assessor has not seen; each assessor starts at a different place."""
        start = self.starts.get(assessor)
        if start is None:
            start = stream_id(f"{self.seed}\x1f{assessor}") % len(self.tasks) if self.rotate else 0
            self.starts[assessor] = start
        for key in sorted(self.buckets):
            bucket = self.buckets[key]
            middle = bisect_left(bucket, start)
            for i in range(middle - len(bucket), middle):  # negative: from the middle to the end
                task = self.tasks[bucket[i]]
                if task not in seen:
                    return task
        return None
