"""Checks of preferences: cycles and disagreement, as findings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tare._data.findings import Finding

if TYPE_CHECKING:
    from tare._data.preferences import Preferences

__all__ = ["PreferenceConsistency", "check_preferences", "consistency"]


@dataclass(frozen=True)
class PreferenceConsistency:
    """Counts of complete and cyclic triads, and of pairs that were judged repeatedly or differently."""

    triads: int
    cyclic: int
    pairs: int
    repeated: int
    disputed: int
    queries: int


def consistency(preferences: Preferences) -> PreferenceConsistency:
    """Count cycles and disagreements of simple judgements; a pair is decided by majority."""
    triads = cyclic = pairs = repeated = disputed = queries = 0
    for judgements in preferences.by_query.values():
        simple = [j for j in judgements if not j.given]
        names = sorted({d for j in simple for d in (j.left, j.right)})
        place = {d: i for i, d in enumerate(names)}
        wins = np.zeros((len(names), len(names)))
        for j in simple:
            a, b = place[j.left], place[j.right]
            wins[a, b] += j.share
            wins[b, a] += 1 - j.share
        beats = (wins > wins.T).astype(np.int64)
        decided = beats + beats.T
        triads += int(np.trace(decided @ decided @ decided)) // 6
        found = int(np.trace(beats @ beats @ beats)) // 3
        cyclic += found
        queries += found > 0
        seen = Counter(frozenset((j.left, j.right)) for j in simple)
        pairs += len(seen)
        repeated += sum(n > 1 for n in seen.values())
        disputed += int(np.triu((wins > 0) & (wins.T > 0), 1).sum())
    return PreferenceConsistency(triads, cyclic, pairs, repeated, disputed, queries)


def check_preferences(preferences: Preferences) -> list[Finding]:
    """Return findings about cyclic triads and pairs with different judgements."""
    c, name = consistency(preferences), preferences.name
    findings = []
    if c.cyclic:
        findings.append(
            Finding(
                "cyclic preferences",
                f"{name}: {c.cyclic:,} of {c.triads:,} complete triads ({c.cyclic / c.triads:.1%}) "
                f"are cycles, in {c.queries:,} of {len(preferences.items):,} queries; no ranking "
                "agrees with all of them.",
                c.cyclic,
            )
        )
    if c.disputed:
        of = f"{c.repeated:,} pairs judged more than once" if c.repeated else f"{c.pairs:,} pairs"
        findings.append(
            Finding(
                "disagreement",
                f"{name}: judgements differ on {c.disputed:,} of {of}; every judgement counts.",
                c.disputed,
                severity="note",
            )
        )
    return findings
