"""The state of a study, computed from its design and its log of events alone."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tare._judging.design import Study, stream_id
from tare._judging.order import BattlePolicy, InformativePolicy, Queue
from tare._kernels.random_numbers import uniforms

__all__ = ["KINDS", "Assessor", "Event", "Lease", "RecordedAnswer", "Slots", "State", "duration"]


# Events of a study in order; they are never changed or removed.


KINDS = (
    "invited",  # an assessor was added, with the digest of their token
    "joined",  # signed in for the first time, perhaps with an external id
    "gate",  # answered the comprehension questions
    "assigned",  # a task was leased to the assessor until some time
    "expired",  # the lease ended without an answer
    "released",  # the assessor returned the task
    "judged",  # answered
    "undone",  # the last answer was removed, and its task leased again
    "revoked",  # the invitation was withdrawn, perhaps with its answers
    "paused",
    "resumed",
    "stopped",  # the interval is narrow enough; no further tasks are assigned
    "extended",  # more overlap, budget, or tasks per assessor
)


@dataclass(frozen=True)
class Event:
    """One event in the log of a study: time in seconds, kind, assessor and data.

    `submission` is the id that the client gave an answer; the same id counts only once.
    """

    at: float
    kind: str
    assessor: str = ""
    submission: str | None = None
    data: dict[str, Any] = field(default_factory=dict)


# Slots: one for each answer that a task needs; every other one swaps left and right.


SIDES = 24  # substream


class Slots:
    """The slots of a task; when all are filled, the numbers of swapped and unswapped displays differ by at
    most one.

    >>> slots = Slots("t", 1, 2)
    >>> first = slots.choose(0)
    >>> slots.take(first)
    >>> slots.swapped(slots.choose(0)) == slots.swapped(first)
    False
    """

    def __init__(self, task: str, seed: int, overlap: int) -> None:
        self.coin = int(uniforms(seed, stream_id(task), [0], SIDES)[0] < 0.5)
        self.places = [False] * overlap
        self.taken = 0

    @property
    def full(self) -> bool:
        """Whether no further answer is needed."""
        return self.taken >= len(self.places)

    def swapped(self, slot: int) -> bool:
        """Return whether this slot shows the second text on the left."""
        return (slot + self.coin) % 2 == 1

    def choose(self, swapped_balance: int) -> int:
        """Return the free slot of a task on the side shown less often; for equal counts, the one the assessor saw less.

        swapped_balance: swapped minus unswapped displays that the assessor has seen.
        """
        seen, first = [0, 0], [-1, -1]  # of each side: answers, and the first free slot
        for slot, taken in enumerate(self.places):
            side = (slot + self.coin) % 2
            if taken:
                seen[side] += 1
            elif first[side] < 0:
                first[side] = slot
        plain, swapped = first
        if plain < 0 and swapped < 0:
            raise ValueError("no slot is free")
        if plain < 0 or swapped < 0:
            return max(plain, swapped)
        # On equal terms, the earlier slot.
        is_plain = (seen[0], -swapped_balance, plain) < (seen[1], swapped_balance, swapped)
        return plain if is_plain else swapped

    def take(self, slot: int) -> None:
        """Fill a slot."""
        self.taken += not self.places[slot]
        self.places[slot] = True

    def free(self, slot: int) -> None:
        """Empty a slot."""
        self.taken -= self.places[slot]
        self.places[slot] = False

    def widen(self, overlap: int) -> None:
        """Add slots."""
        self.places += [False] * (overlap - len(self.places))


CLOCK_TOLERANCE = 300.0  # seconds by which the clocks of servers with a shared database may differ


def duration(seconds: float, longest: float) -> float | None:
    """Return how long an answer took, in seconds; None if a changed clock makes it negative or too long.

    >>> duration(12.3456, 600.0), duration(-31_535_999.9, 600.0)
    (12.346, None)
    """
    return round(seconds, 3) if 0 <= seconds <= longest else None


@dataclass(frozen=True)
class Lease:
    """A task leased to an assessor; `number` counts the tasks shown to them, from 1."""

    number: int
    task: str
    role: str  # fresh, repeat or gold
    slot: int
    swapped: bool
    since: float
    until: float


@dataclass(frozen=True)
class RecordedAnswer:
    """A valid answer."""

    assessor: str
    lease: Lease
    submission: str
    answer: dict[str, Any]
    at: float
    seconds: float | None = None  # from display to answer, if known
    place: int = 0  # position among all answers, in the order of the log
    shown: int = 0  # tasks shown to the assessor until the answer was recorded


@dataclass
class Assessor:
    """What the log contains about one assessor."""

    id: str
    label: str = ""
    external: str = ""
    joined: bool = False
    gate_passed: bool = False
    gate_attempts: int = 0
    revoked: bool = False
    lease: Lease | None = None
    lapsed: dict[int, Lease] = field(default_factory=dict)  # expired leases by number
    shown: int = 0
    history: list[RecordedAnswer] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)  # tasks judged by or leased to the assessor
    repeated: set[str] = field(default_factory=set)
    swapped_balance: int = 0  # swapped minus unswapped displays
    fresh: int = 0
    gold: int = 0


class State:
    """The state of a study as a fold over the events of its log; `apply` adds the next event."""

    def __init__(self, study: Study, events: Iterable[Event] = ()) -> None:
        self.study = study
        self.overlap = study.design.overlap
        self.budget = study.design.budget
        self.per_assessor = study.design.per_assessor
        self.paused = False
        self.stopped = 0  # units in use when the interval was narrow enough
        self.looked = 0  # units at the last look that stopped the study
        self.assessors: dict[str, Assessor] = {}
        self.tokens: dict[str, str] = {}
        self.external: dict[str, str] = {}
        self.submissions: dict[str, RecordedAnswer | Event] = {}
        self.judged = 0  # valid fresh answers
        self.enrolled = 0  # assessors who enrolled with the open link
        self.seconds: deque[float] = deque(maxlen=100)
        self.slots = {t.id: Slots(t.id, study.design.seed, self.overlap) for t in study.tasks}
        self.leased: dict[tuple[str, int], Lease] = {}
        self.queue = Queue(study)
        self.informed: InformativePolicy | BattlePolicy | None = None
        if study.design.policy == "informative":
            self.informed = InformativePolicy(study)
        elif study.design.policy == "battles":
            self.informed = BattlePolicy(study)
        self._deadlines: list[tuple[float, str, int]] = []
        self._newest, self._answers = 0.0, 0
        for event in events:
            self.apply(event)

    def apply(self, event: Event) -> None:
        """Apply one event."""
        getattr(self, f"_{event.kind}")(event)
        self._newest = max(self._newest, event.at)

    def due(self, now: float) -> list[tuple[str, Lease]]:
        """Return the leases of tasks that have expired, earliest first; the caller records `expired` events.

        If the clock was set back, leases that start in the future count as expired; otherwise they would
        block their tasks until then.
        """
        found = []
        if now < self._newest - CLOCK_TOLERANCE:
            found = [
                (a.id, a.lease)
                for a in self.assessors.values()
                if a.lease is not None and a.lease.since > now + CLOCK_TOLERANCE
            ]
        while self._deadlines and self._deadlines[0][0] <= now:
            _, assessor, number = heapq.heappop(self._deadlines)
            lease = self.assessors[assessor].lease
            if lease is not None and lease.number == number:
                found.append((assessor, lease))
        return found

    @property
    def outstanding(self) -> int:
        """Number of fresh tasks that are leased."""
        return len(self.leased)

    def _invited(self, event: Event) -> None:
        data = event.data
        self.assessors[event.assessor] = Assessor(event.assessor, data.get("label", ""))
        self.tokens[data["token"]] = event.assessor
        self.enrolled += bool(data.get("door"))

    def _joined(self, event: Event) -> None:
        assessor = self.assessors[event.assessor]
        assessor.joined = True
        if event.data.get("external"):
            assessor.external = event.data["external"]
            self.external.setdefault(assessor.external, event.assessor)

    def _gate(self, event: Event) -> None:
        assessor = self.assessors[event.assessor]
        assessor.gate_attempts += 1
        assessor.gate_passed |= bool(event.data["passed"])
        if event.submission:
            self.submissions[event.submission] = event

    def _assigned(self, event: Event) -> None:
        data = event.data
        lease = Lease(
            data["number"],
            data["task"],
            data["role"],
            data["slot"],
            data["swapped"],
            event.at,
            data["until"],
        )
        self._take(self.assessors[event.assessor], lease)

    def _take(self, assessor: Assessor, lease: Lease) -> None:
        assessor.lease, assessor.shown = lease, max(assessor.shown, lease.number)
        assessor.seen.add(lease.task)
        assessor.swapped_balance += 1 if lease.swapped else -1
        heapq.heappush(self._deadlines, (lease.until, assessor.id, lease.number))
        if lease.role == "fresh":
            self.slots[lease.task].take(lease.slot)
            self.leased[lease.task, lease.slot] = lease
            self._requeue(lease.task)

    def _release(self, assessor: Assessor) -> Lease | None:
        """Free the assessor's current task; it can be assigned to them again."""
        lease = assessor.lease
        assessor.lease = None
        if lease is None:
            return None
        assessor.swapped_balance -= 1 if lease.swapped else -1
        if lease.role != "repeat":
            assessor.seen.discard(lease.task)
        if lease.role == "fresh":
            self.slots[lease.task].free(lease.slot)
            self.leased.pop((lease.task, lease.slot), None)
            self._requeue(lease.task)
        return lease

    def _expired(self, event: Event) -> None:
        assessor = self.assessors[event.assessor]
        if (lease := self._release(assessor)) is not None:
            assessor.lapsed[lease.number] = lease

    def _released(self, event: Event) -> None:
        self._release(self.assessors[event.assessor])

    def _judged(self, event: Event) -> None:
        assessor, data = self.assessors[event.assessor], event.data
        lease = assessor.lease
        longest = self.study.design.lease
        if lease is None or lease.number != data["number"]:  # late, but still needed
            self._release(assessor)
            took = data.get("seconds")
            since = event.at - (took or 0.0)
            lease = Lease(
                data["number"],
                data["task"],
                data["role"],
                data["slot"],
                data["swapped"],
                since,
                event.at,
            )
            self._take(assessor, lease)
            seconds = None if took is None else duration(took, longest)
        else:
            seconds = duration(event.at - lease.since, longest)
        assessor.lease = None
        self._answers += 1
        made = RecordedAnswer(
            assessor.id,
            lease,
            event.submission or "",
            data["answer"],
            event.at,
            seconds,
            self._answers,
            assessor.shown,
        )
        assessor.history.append(made)
        self.submissions[made.submission] = made
        if seconds is not None:
            self.seconds.append(seconds)
        if lease.role == "fresh":
            self.leased.pop((lease.task, lease.slot), None)
            assessor.fresh += 1
            self.judged += 1
            if self.informed is not None:
                self.informed.answered(self.study.by_id[lease.task], lease.swapped, made.answer, 1)
        elif lease.role == "repeat":
            assessor.repeated.add(lease.task)
        else:
            assessor.gold += 1

    def _undone(self, event: Event) -> None:
        """Remove the last answer and lease its task to the assessor again."""
        assessor = self.assessors[event.assessor]
        self._release(assessor)
        self._withdraw(assessor, assessor.history.pop())
        if event.submission:
            self.submissions[event.submission] = event
        data = event.data
        lease = Lease(
            data["number"],
            data["task"],
            data["role"],
            data["slot"],
            data["swapped"],
            event.at,
            data["until"],
        )
        self._take(assessor, lease)

    def _withdraw(self, assessor: Assessor, made: RecordedAnswer) -> None:
        lease = made.lease
        assessor.swapped_balance -= 1 if lease.swapped else -1
        if lease.role != "repeat":
            assessor.seen.discard(lease.task)
        if lease.role == "fresh":
            self.slots[lease.task].free(lease.slot)
            assessor.fresh -= 1
            self.judged -= 1
            self._requeue(lease.task)
            if self.informed is not None:
                self.informed.answered(self.study.by_id[lease.task], lease.swapped, made.answer, -1)
        elif lease.role == "repeat":
            assessor.repeated.discard(lease.task)
        else:
            assessor.gold -= 1

    def _revoked(self, event: Event) -> None:
        assessor = self.assessors[event.assessor]
        assessor.revoked = True
        self._release(assessor)
        if event.data.get("discard"):
            for made in reversed(assessor.history):
                self._withdraw(assessor, made)
            assessor.history.clear()

    def _paused(self, event: Event) -> None:
        self.paused = True

    def _resumed(self, event: Event) -> None:
        self.paused, self.stopped = False, 0

    def _stopped(self, event: Event) -> None:
        self.stopped = self.looked = int(event.data["n"])

    def _extended(self, event: Event) -> None:
        more = event.data
        self.overlap += more.get("overlap", 0)
        if self.budget is not None:
            self.budget += more.get("budget", 0)
        if self.per_assessor is not None:
            self.per_assessor += more.get("per_assessor", 0)
        if more.get("overlap"):
            for task, slots in self.slots.items():
                slots.widen(self.overlap)
                self._requeue(task)

    def _requeue(self, task: str) -> None:
        slots = self.slots[task]
        self.queue.move(task, slots.taken, full=slots.full)
