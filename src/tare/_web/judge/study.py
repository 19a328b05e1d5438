"""The judging study that is being served, with everything that the routes share, and its charts for the owner."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from datetime import UTC, datetime
from time import monotonic, time
from typing import Any

from starlette.requests import Request

from tare._judging import Event, Refusal, State
from tare._judging.decisions import stop
from tare._judging.outcomes import Outcomes
from tare._judging.quality import (
    AssessorQuality,
    GrownAgreement,
    Pace,
    Quality,
    Standing,
    agreement_so_far,
    pace,
    quality,
    standings,
)
from tare._judging.slices import SliceFigures, answers_needed, look_at, slice_figures
from tare._web.judge.store import StudyStore
from tare._web.judge.writer import Writer
from tare._web.requests import FailedAttempts, network_of

__all__ = [
    "ActionResult",
    "Overview",
    "ServedStudy",
    "assessor_of",
    "day_of",
    "overview",
    "places",
    "served_study_of",
]


# What the owner sees at a glance: progress, agreement, assessors and the current order, as small
# charts.
#
# Coordinates are percentages of a chart: x from the left, y from the top.


@dataclass(frozen=True)
class Overview:
    """The figures behind the small charts of the owner's page."""

    pace: Pace
    growth: list[GrownAgreement]
    standings: list[Standing]

    def progress(self) -> dict[str, Any] | None:
        """Return the curve of answers over time for the owner's page, continued to the day of the forecast."""
        times, counts = self.pace.times, self.pace.counts
        if len(times) < 2:
            return None
        ahead = self.pace.forecast
        first, last = times[0], max(times[-1], 0.0 if ahead is None else ahead.late)
        high = max(self.pace.wanted, counts[-1])
        x, y = _scale(first, last), _scale(high, 0)
        ends = [day_of(first), day_of(last)]
        if ends[0] == ends[1]:
            ends = [clock_of(first), clock_of(last)]
        made: dict[str, Any] = {
            "line": _points(x, y, times, counts),
            "left": ends[0],
            "right": ends[1],
            "top": f"{high:,}",
            "bottom": "0",
            "ahead": "",
            "range": None,
        }
        if ahead is not None:
            made["ahead"] = _points(x, y, (times[-1], ahead.day), (counts[-1], self.pace.wanted))
            made["range"] = (x(ahead.early), x(ahead.late))
        return made

    def agreements(self) -> list[dict[str, Any]]:
        """Return α of the assessors with its interval by the number of answers, one curve per dimension, for the owner's page."""
        made = []
        for grown in self.growth:
            low = min(0.0, *grown.low)
            x, y = _scale(0, grown.answers[-1]), _scale(1, low)
            back = list(zip(grown.answers, grown.low, strict=True))[::-1]
            edge = [*zip(grown.answers, grown.high, strict=True), *back]
            made.append(
                {
                    "dimension": grown.dimension,
                    "line": _points(x, y, grown.answers, grown.alpha),
                    "band": _points(x, y, [a for a, _ in edge], [v for _, v in edge]),
                    "dots": [
                        (x(a), y(v), y(down), y(up))
                        for a, v, down, up in zip(
                            grown.answers, grown.alpha, grown.low, grown.high, strict=True
                        )
                    ],
                    "zero": y(0),
                    "left": "0",
                    "right": f"{grown.answers[-1]:,} answers",
                    "top": "1",
                    "bottom": f"{low:.2f}".replace("-", "−"),
                    "now": (grown.alpha[-1], grown.low[-1], grown.high[-1]),
                }
            )
        return made

    def orders(self) -> list[dict[str, Any]]:
        """Return the current order of systems or documents for the owner's page, with the places of their intervals."""
        made = []
        for standing in self.standings:
            ends = [v for row in standing.rows for v in (row.low, row.high, row.value) if v == v]
            x = _scale(min(ends), max(ends))
            rows = [
                {
                    "name": row.name,
                    "value": row.value,
                    "low": row.low,
                    "high": row.high,
                    "n": row.n,
                    "at": x(row.value),
                    "from": x(row.low if row.low == row.low else row.value),
                    "to": x(row.high if row.high == row.high else row.value),
                }
                for row in standing.rows
            ]
            made.append(
                {
                    "title": standing.title,
                    "rows": rows,
                    "note": standing.note,
                    "ends": (min(ends), max(ends)),
                }
            )
        return made


def overview(outcomes: Outcomes, quality: Quality, now: float) -> Overview:
    """Compute the figures from all answers so far."""
    return Overview(
        pace(outcomes, quality.wanted, quality.seconds, now),
        agreement_so_far(outcomes),
        standings(outcomes),
    )


def places(assessors: Sequence[AssessorQuality]) -> list[dict[str, Any]]:
    """Return each assessor's place among the others by time, side and disagreement, for the owner's page."""
    asked = (
        ("Median time", "seconds", "{:.1f} s", None),
        ("Chose left", "left", "{:.0%}", (0.0, 1.0)),
        ("Disagreement with others (1: chance)", "disagreement", "{:.2f}", None),
    )
    made = []
    for title, field, form, ends in asked:
        known = [(a, float(v)) for a in assessors if (v := getattr(a, field)) is not None]
        if len(known) < 2:
            continue
        low, high = ends or (0.0, max(v for _, v in known) or 1.0)
        x = _scale(low, high)
        dots = [
            {"name": a.assessor, "at": x(v), "value": form.format(v), "flagged": bool(a.flags)}
            for a, v in known
        ]
        middle = statistics.median(v for _, v in known)
        made.append(
            {
                "title": title,
                "dots": dots,
                "left": form.format(low),
                "right": form.format(high),
                "middle": x(middle),
            }
        )
    return made


def day_of(time: float) -> str:
    """Return the day of a time in UTC.

    >>> day_of(0.0)
    '1 Jan 1970'
    """
    found = datetime.fromtimestamp(time, UTC)
    return f"{found.day} {found:%b %Y}"


def clock_of(time: float) -> str:
    """Return the hour and minute of a time on the owner's page in UTC.

    >>> clock_of(3660.0)
    '01:01 UTC'
    """
    return f"{datetime.fromtimestamp(time, UTC):%H:%M} UTC"


def _scale(low: float, high: float) -> Any:
    """Return a function from values of the owner's small charts to percentages, with a margin of 2 on both sides."""
    width = (high - low) or 1.0
    return lambda value: round(2 + 96 * min(1.0, max(0.0, (value - low) / width)), 2)


def _points(x: Any, y: Any, across: Sequence[float], down: Sequence[float]) -> str:
    return " ".join(f"{x(a)},{y(b)}" for a, b in zip(across, down, strict=True))


# The study that is being served, with everything that the routes share.


MAX_AGE = 3.0  # seconds for which figures on the owner's page are reused
MAX_CHART_AGE = 30.0  # seconds for which its charts are reused, if they take longer than QUICK
MAX_SAME_AGE = 300.0  # seconds for which they are reused without new answers
QUICK = 0.5


@dataclass(frozen=True)
class _KnownOverview:
    """The owner's charts after `judged` answers, computed at a time, in `took` seconds."""

    at: float
    took: float
    judged: int
    overview: Overview


@dataclass
class ServedStudy:
    """The judging study that is being served, the writer of its log, and its public address."""

    store: StudyStore
    writer: Writer
    base: str = ""
    secure: bool = False
    attempts: FailedAttempts = dataclass_field(default_factory=FailedAttempts)
    _quality: tuple[float, Quality] | None = None
    _overview: _KnownOverview | None = None
    _slice: tuple[float, SliceFigures] | None = None
    _looked: int = 0  # units at the last look at the interval
    _looks: set[asyncio.Task[None]] = dataclass_field(default_factory=set)
    _lock: asyncio.Lock = dataclass_field(default_factory=asyncio.Lock)

    async def quality(self) -> Quality:
        """Return progress and quality of the served study, computed again every few seconds."""
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
        """Return agreement of people with the model and estimates for the owner, computed again every few seconds; None without a slice."""
        if self.store.study.slice is None:
            return None
        async with self._lock:
            if self._slice is None or monotonic() - self._slice[0] > MAX_AGE:
                found = await asyncio.to_thread(lambda: slice_figures(self.store.outcomes()))
                self._slice = (monotonic(), found)
            return self._slice[1]

    def look_later(self) -> None:
        """Look at the interval in the background, if the served study stops when it is narrow enough."""
        drawn = self.store.study.slice
        if drawn is not None and drawn.width is not None and not self._looks:
            task = asyncio.create_task(self._look())
            self._looks.add(task)
            task.add_done_callback(self._looks.discard)

    async def _look(self) -> None:
        """Stop the served study if its interval is narrow enough at a look that has not been taken."""
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
        """Discard the computed figures of the served study, so that the owner sees a change at once."""
        self._quality = self._slice = self._overview = None

    def unknown_link(self, request: Request) -> Refusal:
        """Return the refusal of an unknown link to the study; an address with too many of them must wait.

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
    """Return the assessor of the served study who holds the token with this digest."""
    name = state.tokens.get(digest)
    if name is None:
        raise Refusal(401, "this invitation is not valid. Please open your link again.")
    if state.assessors[name].revoked:
        raise Refusal(403, "this invitation was withdrawn.")
    return name


ActionResult = tuple[list[Event], Any]
