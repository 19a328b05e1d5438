"""Pairs of outputs that two measures order differently, and which order people prefer."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tare._data.preferences import Preferences
from tare._result import Rows
from tare.stats._corrections import adjust
from tare.stats._meta_evaluation import orders_of_pairs, wins_of_pairs
from tare.studies._people.correlations import enough_draws
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


def win_rows(
    data: SideBySide,
    human: str,
    people: Floats | None = None,
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    draws: int,
    seed: int,
    threads: int,
) -> Rows:
    """Return one dictionary per pair of measures, counting pairs of outputs they order differently.

    By default all pairs. win: people agree with the first measure; lose: with the second; tie: people see
    no difference. p exchanges the measures of whole systems; Holm's correction is over the pairs.
    """
    orders = orders_of_pairs(data.judged[human]) if people is None else people
    if pairs is None:
        pairs = list(itertools.combinations(data.measures, 2))
    draws = enough_draws(len(pairs), draws)
    made: Rows = []
    for first, second in pairs:
        x, y = data.measured[first], data.measured[second]
        found = wins_of_pairs(x, y, orders, draws=draws, seed=seed, threads=threads)
        made.append(
            {
                "human": human,
                "first": first,
                "second": second,
                "pairs": found.pairs,
                "disagreements": found.wins + found.losses + found.ties,
                "win": found.wins,
                "lose": found.losses,
                "tie": found.ties,
                "p": found.pvalue,
                "exact": found.exact,
            }
        )
    adjusted = adjust([row["p"] for row in made], "holm").tolist()
    return [row | {"p_adjusted": p} for row, p in zip(made, adjusted, strict=True)]
