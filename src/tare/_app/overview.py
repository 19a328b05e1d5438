"""What the owner sees at a glance: progress, agreement, assessors and the current order, as small charts.

Coordinates are percentages of a chart: x from the left, y from the top.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tare._judging.outcomes import Outcomes
from tare._judging.quality import (
    AssessorQuality,
    GrownAgreement,
    Pace,
    Quality,
    Standing,
    agreement_so_far,
    pace,
    standings,
)

__all__ = ["Overview", "day_of", "overview", "places"]


@dataclass(frozen=True)
class Overview:
    """The figures behind the small charts of the owner's page."""

    pace: Pace
    growth: list[GrownAgreement]
    standings: list[Standing]

    def progress(self) -> dict[str, Any] | None:
        """Return the curve of answers over time, continued to the day of the forecast."""
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
        """Return α with its interval by the number of answers, one curve per dimension."""
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
        """Return the current order of systems or documents, with the places of their intervals."""
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
    """Return each assessor's place among the others by time, side and disagreement."""
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
    """Return the hour and minute of a time in UTC.

    >>> clock_of(3660.0)
    '01:01 UTC'
    """
    return f"{datetime.fromtimestamp(time, UTC):%H:%M} UTC"


def _scale(low: float, high: float) -> Any:
    """Return a function from values to percentages with a margin of 2 on both sides."""
    width = (high - low) or 1.0
    return lambda value: round(2 + 96 * min(1.0, max(0.0, (value - low) / width)), 2)


def _points(x: Any, y: Any, across: Sequence[float], down: Sequence[float]) -> str:
    return " ".join(f"{x(a)},{y(b)}" for a, b in zip(across, down, strict=True))
