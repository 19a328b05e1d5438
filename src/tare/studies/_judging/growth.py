"""Growth: Krippendorff's α with its interval after more and more answers."""

from __future__ import annotations

from dataclasses import dataclass

from tare._data.ratings import Ratings
from tare.errors import MismatchError
from tare.stats import agreement
from tare.studies._judging.outcomes import Outcomes

__all__ = ["GrownAgreement", "agreement_so_far"]

POINTS = 10
DRAWS = 500
MAX_DIMENSIONS = 4
MIN_UNITS = 5  # with two answers, before α is shown


@dataclass(frozen=True)
class GrownAgreement:
    """α of one dimension after `answers` answers, with a 95 % interval over units."""

    dimension: str
    answers: tuple[int, ...]
    alpha: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def agreement_so_far(outcomes: Outcomes) -> list[GrownAgreement]:
    """Return how α and its interval developed; dimensions without an α are left out."""
    rows = [r for r in outcomes.rows() if r["value"] is not None and r["role"] == "fresh"]
    made = []
    for name in list(dict.fromkeys(r["dimension"] for r in rows))[:MAX_DIMENSIONS]:
        given = [(r["unit"], r["coder"], r["value"]) for r in rows if r["dimension"] == name]
        points = [_after(given[:count]) for count in _counts(len(given))]
        known = [point for point in points if point is not None]
        if known:
            answers, alpha, low, high = zip(*known, strict=True)
            made.append(GrownAgreement(name, answers, alpha, low, high))
    return made


def _counts(total: int) -> list[int]:
    """Return at most ten numbers of answers, the same ones while the study grows, and the last."""
    step = 10
    while total / step > POINTS:
        step *= 2
    return sorted({*range(step, total + 1, step), total}) if total else []


def _after(given: list[tuple[str, str, object]]) -> tuple[int, float, float, float] | None:
    try:
        found = agreement(Ratings.of(given), draws=DRAWS, threads=1)
    except MismatchError:  # one assessor, or no unit with two answers
        return None
    if found.units < MIN_UNITS or found.low is None or found.high is None:
        return None
    return len(given), found.alpha, found.low, found.high
