"""Pace: the answers of a study over time, and the day on which it is expected to be complete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tare.studies._judging.outcomes import Outcomes

__all__ = ["Forecast", "Pace", "forecast", "pace"]

DAY = 86_400.0
WINDOW = 14  # days that a forecast rests on, at most
MIN_DAYS = 3  # days without which there is no forecast
MAX_DAYS = 1000
SIMULATIONS = 2000
POINTS = 60  # of the curve


@dataclass(frozen=True)
class Forecast:
    """The day on which the last answer is expected, as a time, with a 90 % range."""

    day: float
    early: float
    late: float
    days: int  # that it rests on
    answers: int  # in these days


@dataclass(frozen=True)
class Pace:
    """The number of answers at some times, and what remains.

    `problem` says why there is no forecast. `hours` is the work that remains at the median time.
    """

    times: tuple[float, ...]
    counts: tuple[int, ...]
    wanted: int
    remaining: int
    hours: float | None
    forecast: Forecast | None
    problem: str


def pace(outcomes: Outcomes, wanted: int, seconds: float | None, now: float) -> Pace:
    """Return how the answers came in, and when the study is expected to be complete.

    wanted: the number of answers. seconds: the median time of an answer, if known.
    """
    times = sorted(judged.at for judged in outcomes.judged if judged.lease.role == "fresh")
    remaining = max(0, wanted - len(times))
    found, problem = forecast(times, remaining, now) if remaining else (None, "")
    kept = np.unique(np.linspace(0, len(times) - 1, min(POINTS, len(times))).astype(int))
    return Pace(
        tuple(times[k] for k in kept),
        tuple(int(k) + 1 for k in kept),
        wanted,
        remaining,
        None if seconds is None else remaining * seconds / 3600,
        found,
        problem,
    )


def forecast(times: Sequence[float], remaining: int, now: float) -> tuple[Forecast | None, str]:
    """Return when the remaining answers are expected, or why this cannot be said.

    Every coming day is drawn at random from the last whole days before now, at most 14 of them, as
    often as needed. Days are periods of 24 hours that end now.

    >>> forecast([0.0, 86400.0, 180000.0], 10, now=200000.0)[1]
    'The forecast starts after 3 full days of answers.'
    """
    days = min(WINDOW, int((now - times[0]) // DAY)) if times else 0
    if days < MIN_DAYS:
        return None, f"The forecast starts after {MIN_DAYS} full days of answers."
    ages = (now - np.asarray(times)) // DAY
    counts = np.bincount(ages[(ages >= 0) & (ages < days)].astype(int), minlength=days)
    if not counts.sum():
        return None, f"There is no forecast, because there was no answer in the last {days} days."
    if remaining / counts.mean() > MAX_DAYS:
        return None, f"At the pace of the last {days} days, more than {MAX_DAYS:,} days remain."
    ends = _simulated_ends(counts, remaining)
    early, middle, late = np.quantile(ends, [0.05, 0.5, 0.95])
    return (
        Forecast(
            now + float(middle) * DAY,
            now + float(early) * DAY,
            now + float(late) * DAY,
            days,
            int(counts.sum()),
        ),
        "",
    )


def _simulated_ends(counts: np.ndarray, remaining: int) -> np.ndarray:
    """Return after how many days each simulated continuation has the remaining answers."""
    random = np.random.Generator(np.random.Philox(0))
    ends = np.zeros(SIMULATIONS)
    left = np.full(SIMULATIONS, float(remaining))
    day = 0
    while (left > 0).any() and day < 10 * MAX_DAYS:
        made = random.choice(counts, SIMULATIONS).astype(float)
        share = np.where(made > 0, np.clip(left / np.maximum(made, 1), 0, 1), 1.0)
        ends += np.where(left > 0, share, 0.0)
        left -= made
        day += 1
    return ends
