"""Pairs of outputs that two measures order differently, and which order people prefer."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.preferences import Preferences
from tare._result import Rows
from tare.stats._pairs import rounded
from tare.stats._shares import sign_p
from tare.studies._people.data import SideBySide

__all__ = ["majority", "win_rows"]

Floats = NDArray[np.float64]


def majority(data: SideBySide, preferences: Preferences) -> Floats:
    """Return the majority preference by pair of systems and item.

    1: most assessors prefer the first system; −1: the second; 0: a draw; NaN: no judgements. The
    documents of the preferences are systems, and their queries are items.
    """
    pairs = list(itertools.combinations(range(len(data.systems)), 2))
    place = {pair: k for k, pair in enumerate(pairs)}
    system = {name: k for k, name in enumerate(data.systems)}
    votes = np.full((len(pairs), len(data.items)), np.nan)
    for i, item in enumerate(data.items):
        for judgement in preferences.by_query.get(item, ()):
            if judgement.left not in system or judgement.right not in system:
                continue
            a, b = system[judgement.left], system[judgement.right]
            vote = 2 * judgement.share - 1
            k, vote = (place[a, b], vote) if a < b else (place[b, a], -vote)
            votes[k, i] = np.nan_to_num(votes[k, i]) + vote
    return np.asarray(np.sign(votes), dtype=np.float64)


def _signs(values: Floats) -> Floats:
    a, b = np.triu_indices(len(values), 1)
    cleared = rounded(values)
    return np.asarray(np.sign(cleared[a] - cleared[b]), dtype=np.float64)


def win_rows(data: SideBySide, human: str, people: Floats | None = None) -> Rows:
    """Return one dictionary per pair of measures, counting pairs of outputs they order differently.

    win: people agree with the first measure; lose: with the second; tie: people see no difference.
    p is that of the sign test.
    """
    truth = _signs(data.judged[human]) if people is None else people
    made: Rows = []
    signs = {m: _signs(data.measured[m]) for m in data.measures}
    for first, second in itertools.combinations(data.measures, 2):
        x, y = signs[first], signs[second]
        known = ~(np.isnan(x) | np.isnan(y) | np.isnan(truth))
        apart = known & (x * y < 0)
        win, lose, tie = (int((apart & c).sum()) for c in (truth == x, truth == y, truth == 0))
        row: dict[str, Any] = {
            "human": human,
            "first": first,
            "second": second,
            "pairs": int(known.sum()),
            "disagreements": int(apart.sum()),
            "win": win,
            "lose": lose,
            "tie": tie,
            "p": float(sign_p(win, lose)) if win + lose else float("nan"),
        }
        made.append(row)
    return made
