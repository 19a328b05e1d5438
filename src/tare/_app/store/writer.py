"""The writer: one thread that decides, writes what followed, and only then says so.

Requests that wait are taken together and share one commit, so that a sync of the disk serves many. The
state is caught up with the log inside the transaction: several servers may share a database.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from tare._app.store.clock import Clock
from tare._app.store.database import writing
from tare._app.store.store import Store
from tare.studies._judging import Event, Refusal, State
from tare.studies._judging.decisions import expire

__all__ = ["Writer"]

T = TypeVar("T")
Action = Callable[[State, float], tuple[list[Event], Any]]
MOST = 256


class Waiting(NamedTuple):
    """A request: what it does, where its answer goes, and whether something must be written."""

    action: Action
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    beat: bool


class Writer:
    """Puts requests in a row; each gets its answer after what it caused is on disk."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.clock = Clock()
        self._state: State | None = None
        self._last = 0
        self._waiting: SimpleQueue[Waiting | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    async def do(
        self, action: Callable[[State, float], tuple[list[Event], T]], *, beat: bool = False
    ) -> T:
        """Lets an action look at the state and say what follows; returns what it answers.

        beat: write and commit something even if no event follows, to show that it can be done.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._waiting.put(Waiting(action, loop, future, beat))
        return await future

    def close(self) -> None:
        """Ends after all that waits."""
        self._waiting.put(None)
        self._thread.join(timeout=10)

    def _run(self) -> None:
        ended = False
        while not ended:
            batch: list[Waiting] = []
            item = self._waiting.get()
            while item is not None:
                batch.append(item)
                if len(batch) >= MOST or self._waiting.empty():
                    break
                item = self._waiting.get()
            ended = item is None
            while batch:
                batch = self._commit(batch)

    def _commit(self, batch: list[Waiting]) -> list[Waiting]:
        """Serves a batch in one transaction; returns what must be tried again without a culprit."""
        done: list[tuple[Waiting, Any, BaseException | None]] = []
        culprit: tuple[Waiting, BaseException] | None = None
        try:
            with writing(self.store.engine) as connection:
                last, missed = self.store.read(connection, self._last)
                if self._state is None:
                    self._state = State(self.store.study)
                state = self._state
                for event in missed:
                    state.apply(event)
                made: list[Event] = []
                for waiting in batch:
                    now = self.clock.now()
                    made += expire(state, now)
                    try:
                        events, answer = waiting.action(state, now)
                        made += events
                        done.append((waiting, answer, None))
                    except Refusal as refusal:
                        done.append((waiting, None, refusal))
                    except Exception as error:
                        culprit = (waiting, error)
                        raise
                last = self.store.append(connection, last, made)
                if any(waiting.beat for waiting in batch):
                    self.store.beat(connection, self.clock.now())
        except Exception as error:
            self._state, self._last = None, 0  # nothing of this batch happened
            if culprit is None:
                self._tell([(waiting, None, error) for waiting in batch])
                return []
            self._tell([(culprit[0], None, culprit[1])])
            return [waiting for waiting in batch if waiting is not culprit[0]]
        self._last = last
        self._tell(done)
        return []

    def _tell(self, done: list[tuple[Waiting, Any, BaseException | None]]) -> None:
        loops: dict[int, tuple[asyncio.AbstractEventLoop, list[Any]]] = {}
        for waiting, answer, error in done:
            _, told = loops.setdefault(id(waiting.loop), (waiting.loop, []))
            told.append((waiting.future, answer, error))
        for loop, answers in loops.values():
            if not loop.is_closed():
                loop.call_soon_threadsafe(_resolve, answers)


def _resolve(answers: list[tuple[asyncio.Future[Any], Any, BaseException | None]]) -> None:
    for future, answer, error in answers:
        if future.done():  # the client has gone
            continue
        if error is None:
            future.set_result(answer)
        else:
            future.set_exception(error)
