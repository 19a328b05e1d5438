"""The study that is being served, with everything that the routes share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import monotonic, time
from typing import Any

from starlette.requests import Request

from tare._app.limits import FailedAttempts, network_of
from tare._app.overview import Overview, overview
from tare._app.store import StudyStore, Writer
from tare._judging import Event, Refusal, State
from tare._judging.decisions import stop
from tare._judging.quality import Quality, quality
from tare._judging.slices import SliceFigures, answers_needed, look_at, slice_figures

__all__ = ["ActionResult", "ServedStudy", "assessor_of", "served_study_of"]

MAX_AGE = 3.0  # seconds for which figures on the owner's page are reused
MAX_CHART_AGE = 30.0  # seconds for which its charts are reused, if they take longer than QUICK
MAX_SAME_AGE = 300.0  # seconds for which they are reused without new answers
QUICK = 0.5


@dataclass(frozen=True)
class _KnownOverview:
    """The charts after `judged` answers, computed at a time, in `took` seconds."""

    at: float
    took: float
    judged: int
    overview: Overview


@dataclass
class ServedStudy:
    """A study, the writer of its log, and its public address."""

    store: StudyStore
    writer: Writer
    base: str = ""
    secure: bool = False
    attempts: FailedAttempts = field(default_factory=FailedAttempts)
    _quality: tuple[float, Quality] | None = None
    _overview: _KnownOverview | None = None
    _slice: tuple[float, SliceFigures] | None = None
    _looked: int = 0  # units at the last look at the interval
    _looks: set[asyncio.Task[None]] = field(default_factory=set)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def quality(self) -> Quality:
        """Return progress and quality of the study, computed again every few seconds."""
        async with self._lock:
            if self._quality is None or monotonic() - self._quality[0] > MAX_AGE:
                found = await asyncio.to_thread(lambda: quality(self.store.outcomes()))
                self._quality = (monotonic(), found)
            return self._quality[1]

    async def overview(self, judged: int) -> Overview:
        """Return the figures of the owner's charts after `judged` answers.

        If they take long to compute, they are computed again every half minute.
        """
        found = await self.quality()
        async with self._lock:
            known = self._overview
            if known is not None:
                age, quick = monotonic() - known.at, known.took < QUICK
                limit = MAX_SAME_AGE if known.judged == judged else 0 if quick else MAX_CHART_AGE
                if age <= limit:
                    return known.overview
            start = monotonic()
            made = await asyncio.to_thread(lambda: overview(self.store.outcomes(), found, time()))
            self._overview = _KnownOverview(monotonic(), monotonic() - start, judged, made)
            return made

    async def slice_figures(self) -> SliceFigures | None:
        """Return agreement with the model and estimates, computed again every few seconds; None without a slice."""
        if self.store.study.slice is None:
            return None
        async with self._lock:
            if self._slice is None or monotonic() - self._slice[0] > MAX_AGE:
                found = await asyncio.to_thread(lambda: slice_figures(self.store.outcomes()))
                self._slice = (monotonic(), found)
            return self._slice[1]

    def look_later(self) -> None:
        """Look at the interval in the background, if the study stops when it is narrow enough."""
        drawn = self.store.study.slice
        if drawn is not None and drawn.width is not None and not self._looks:
            task = asyncio.create_task(self._look())
            self._looks.add(task)
            task.add_done_callback(self._looks.discard)

    async def _look(self) -> None:
        """Stop the study if its interval is narrow enough at a look that has not been taken."""
        drawn, overlap = self.store.study.slice, self.store.study.design.overlap
        assert drawn is not None
        known: tuple[int, int] = await self.writer.do(
            lambda state, now: ([], (max(state.looked, self._looked), state.judged))
        )
        done, judged = known
        needed = answers_needed(drawn, overlap, done)
        if needed is None or judged < needed:
            return
        look, narrow = await asyncio.to_thread(lambda: look_at(self.store.outcomes(), done))
        self._looked = max(self._looked, look)
        if narrow:
            await self.writer.do(lambda state, now: (stop(state, now, look), None))
            self.invalidate()

    def invalidate(self) -> None:
        """Discard the computed figures, so that the owner sees a change at once."""
        self._quality = self._slice = self._overview = None

    def unknown_link(self, request: Request) -> Refusal:
        """Return the refusal of an unknown link; an address with too many of them must wait.

        Known links always work: other people may share the address.
        """
        address = network_of(request.client.host if request.client else "?")
        if self.attempts.blocked(address):
            return Refusal(
                429, "too many unknown links were opened from this address. Please wait a minute."
            )
        self.attempts.record(address)
        return Refusal(404, "this link is not valid.")


def served_study_of(request: Request) -> ServedStudy:
    """Return the study that a request belongs to."""
    served: ServedStudy = request.app.state.served
    return served


def assessor_of(state: State, digest: str) -> str:
    """Return the assessor who holds the token with this digest."""
    name = state.tokens.get(digest)
    if name is None:
        raise Refusal(401, "this invitation is not valid. Please open your link again.")
    if state.assessors[name].revoked:
        raise Refusal(403, "this invitation was withdrawn.")
    return name


ActionResult = tuple[list[Event], Any]
