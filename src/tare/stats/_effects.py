"""Effect sizes of pairs of systems: how large the difference of two systems is."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import cliffs_delta, signed_ranks
from tare.stats._paired_differences import Pairs, SummedPairs

__all__ = ["Effects", "effects"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Effects:
    """Effect sizes of each pair; all are 0 if the two systems have equal scores.

    Attributes
    ----------
    difference : ndarray
        d̄, in units of the measure.
    d_z : ndarray
        d̄ / s_d; infinite if all differences are equal and not 0 (Cohen 1988).
    rank_biserial : ndarray
        (W⁺ − W⁻)/(W⁺ + W⁻), from −1 to 1 (Kerby 2014).
    cliffs_delta : ndarray
        P(X > Y) − P(X < Y) over all pairs of items (Cliff 1993).
    superiority : ndarray
        Share of items won, with ties counted as half.
    wins, ties, losses : ndarray
        Number of items on which the first system scores higher, equally and lower.

    Examples
    --------
    >>> found = effects(Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.8, 0.6]))
    >>> found.d_z.round(3).tolist(), found.cliffs_delta.round(3).tolist()
    ([0.5], [0.333])
    >>> found.wins.tolist(), found.losses.tolist()
    ([2], [1])
    """

    difference: Floats
    d_z: Floats
    rank_biserial: Floats
    cliffs_delta: Floats
    superiority: Floats
    wins: NDArray[np.int64]
    ties: NDArray[np.int64]
    losses: NDArray[np.int64]


def effects(pairs: Pairs) -> Effects:
    """Return the effect sizes of each pair, over its common items.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.

    Returns
    -------
    Effects
        One value per pair and effect size. For measures made of summed statistics, wins and ranks are
        those of the items' own values, and the deviation in d_z is the jackknife's.

    Examples
    --------
    >>> effects(Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.8, 0.6])).superiority.round(4).tolist()
    [0.6667]
    """
    if isinstance(pairs, SummedPairs):
        assert pairs.sentences is not None
        return replace(effects(pairs.sentences), difference=pairs.means, d_z=_d_z(pairs))
    with np.errstate(invalid="ignore", divide="ignore"):
        wins = (pairs.differences > 0).sum(axis=1)
        losses = (pairs.differences < 0).sum(axis=1)
        ties = pairs.n - wins - losses
        ranks = signed_ranks(pairs.differences, zeros="dropped", most_exact=0, seed=0)
        total = ranks.plus + ranks.minus
        biserial = np.where(total > 0, (ranks.plus - ranks.minus) / total, 0.0)
        superiority = (wins + ties / 2) / np.where(pairs.n == 0, np.nan, pairs.n)
    delta = cliffs_delta(pairs.scores, pairs.first, pairs.second, pairs.quantum)
    return Effects(pairs.means, _d_z(pairs), biserial, delta, superiority, wins, ties, losses)


def _d_z(pairs: Pairs) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = (pairs.means == 0) & (pairs.deviations == 0)
        return np.where(alike, 0.0, pairs.means / pairs.deviations)
