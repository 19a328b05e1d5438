"""The writer of a study's log: one thread that decides, writes the resulting events, and then responds.

Pending requests are handled in batches and share one commit, so that one disk sync serves many. The
state is updated from the log within the transaction, so that several servers can share a database.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from tare._judging import Event, Refusal, State
from tare._judging.decisions import expire
from tare._web.judge.store import StudyStore, writing

__all__ = ["Clock", "Writer"]


# A clock that starts with the machine's time and never jumps.


BOOT = getattr(time, "CLOCK_BOOTTIME", None)  # also counts while the machine sleeps


class Clock:
    """The clock of the writer: seconds since 1970 that do not jump when the machine's clock is set.

    >>> clock = Clock()
    >>> clock.now() <= clock.now()
    True
    """

    def __init__(self) -> None:
        self._began, self._steady = time.time(), self._elapsed()

    def now(self) -> float:
        """Return the current time."""
        return self._began + (self._elapsed() - self._steady)

    @staticmethod
    def _elapsed() -> float:
        return time.monotonic() if BOOT is None else time.clock_gettime(BOOT)


T = TypeVar("T")
Action = Callable[[State, float], tuple[list[Event], Any]]
MAX_BATCH = 256


class PendingRequest(NamedTuple):
    """A request that waits for the writer: its action, the future of its result, and whether to write a heartbeat."""

    action: Action
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    heartbeat: bool


class Writer:
    """The writer of a study's log: serialises requests; each gets its result after its events are on disk."""

    def __init__(self, store: StudyStore) -> None:
        self.store = store
        self.clock = Clock()
        self._state: State | None = None
        self._last = 0
        self._requests: SimpleQueue[PendingRequest | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    async def do(
        self, action: Callable[[State, float], tuple[list[Event], T]], *, heartbeat: bool = False
    ) -> T:
        """Run an action on the current state of the study, let the writer write its events, and return its result.

        heartbeat: write and commit something even without events, to check that this is possible.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._requests.put(PendingRequest(action, loop, future, heartbeat))
        return await future

    def close(self) -> None:
        """Handle all pending requests, then stop."""
        self._requests.put(None)
        self._thread.join(timeout=10)

    def _run(self) -> None:
        ended = False
        while not ended:
            batch: list[PendingRequest] = []
            item = self._requests.get()
            while item is not None:
                batch.append(item)
                if len(batch) >= MAX_BATCH or self._requests.empty():
                    break
                item = self._requests.get()
            ended = item is None
            while batch:
                batch = self._commit(batch)

    def _commit(self, batch: list[PendingRequest]) -> list[PendingRequest]:
        """Handle a batch of the writer in one transaction; return the requests to try again without the one that failed."""
        done: list[tuple[PendingRequest, Any, BaseException | None]] = []
        culprit: tuple[PendingRequest, BaseException] | None = None
        try:
            self.store.check_file()
            with writing(self.store.engine) as connection:
                last, missed = self.store.read(connection, self._last)
                if self._state is None:
                    self._state = State(self.store.study)
                state = self._state
                for event in missed:
                    state.apply(event)
                made: list[Event] = []
                for request in batch:
                    now = self.clock.now()
                    made += expire(state, now)
                    try:
                        events, answer = request.action(state, now)
                        made += events
                        done.append((request, answer, None))
                    except Refusal as refusal:
                        done.append((request, None, refusal))
                    except Exception as error:
                        culprit = (request, error)
                        raise
                last = self.store.append(connection, last, made)
                if any(request.heartbeat for request in batch):
                    self.store.write_heartbeat(connection, self.clock.now())
        except Exception as error:
            self._state, self._last = None, 0  # the transaction was rolled back
            if culprit is None:
                _deliver([(request, None, error) for request in batch])
                return []
            _deliver([(culprit[0], None, culprit[1])])
            return [request for request in batch if request is not culprit[0]]
        self._last = last
        _deliver(done)
        return []


def _deliver(done: list[tuple[PendingRequest, Any, BaseException | None]]) -> None:
    for request, answer, error in done:
        if not request.loop.is_closed():
            request.loop.call_soon_threadsafe(_settle, request.future, answer, error)


def _settle(future: asyncio.Future[Any], answer: Any, error: BaseException | None) -> None:
    if future.done():  # the client has gone
        return
    if error is None:
        future.set_result(answer)
    else:
        future.set_exception(error)
