"""Nugget measures as they are defined, in a few lines each.

The four scores of nuggetizer 0.0.5 count okay nuggets like vital ones in `all_score`, and leave them out
of `vital_score`; a topic without a nugget that counts scores 0.
"""

from __future__ import annotations

from collections.abc import Sequence

CREDIT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
Row = tuple[str, str]  # importance and assignment


def score(rows: Sequence[Row], *, vital_only: bool, strict: bool) -> float:
    """vital_score, strict_vital_score, all_score or strict_all_score."""
    kept = [
        assignment for importance, assignment in rows if importance == "vital" or not vital_only
    ]
    if not kept:
        return 0.0
    if strict:
        return kept.count("support") / len(kept)
    return (kept.count("support") + kept.count("partial_support") / 2) / len(kept)


def weighted(rows: Sequence[Row], vital: float = 1.0, okay: float = 0.5) -> float:
    """Weighted recall; NaN where nothing has weight."""
    weight = {"vital": vital, "okay": okay}
    total = sum(weight[importance] for importance, _ in rows)
    found = sum(weight[importance] * CREDIT[assignment] for importance, assignment in rows)
    return found / total if total else float("nan")


def density(rows: Sequence[Row], words: int) -> float:
    """Nuggets per 100 words."""
    return 100 * sum(CREDIT[assignment] for _, assignment in rows) / words


MEASURES = {
    "NuggetVital": lambda rows: score(rows, vital_only=True, strict=False),
    "NuggetVitalStrict": lambda rows: score(rows, vital_only=True, strict=True),
    "NuggetAll": lambda rows: score(rows, vital_only=False, strict=False),
    "NuggetAllStrict": lambda rows: score(rows, vital_only=False, strict=True),
    "NuggetWeighted": weighted,
}
