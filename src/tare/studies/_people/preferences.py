"""Where two measures disagree about which of two outputs is better: who sides with people?"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.preferences import Preferences
from tare._result import Rows
from tare.stats._pairs import rounded
from tare.studies._people.data import SideBySide

__all__ = ["majority", "win_rows"]

Floats = NDArray[np.float64]


def majority(data: SideBySide, preferences: Preferences) -> Floats:
    """Pairs of systems × items: 1 where most assessors prefer the first, −1 the second, 0 a draw.

    The documents of the preferences are the systems, their queries the items; NaN where nobody was
    asked.
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
    """One dictionary a couple of measures: of the pairs of outputs they order differently, who is right.

    win: people side with the first; lose: with the second; tie: people see no difference. p is the
    sign test's.
    """
    from scipy.stats import binomtest

    truth = _signs(data.judged[human]) if people is None else people
    made: Rows = []
    said = {m: _signs(data.measured[m]) for m in data.measures}
    for first, second in itertools.combinations(data.measures, 2):
        x, y = said[first], said[second]
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
            "p": float(binomtest(win, win + lose).pvalue) if win + lose else float("nan"),
        }
        made.append(row)
    return made
