"""Where each system stands: intervals, win rates, ranks; and the rows of covariates and pairs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tare._decide.arena.design import sums
from tare._decide.arena.fit import Fit
from tare._decide.arena.pair_flips import PairFlips
from tare._decide.arena.result import RatedSystem
from tare._decide.arena.spread import Spread
from tare._decide.arena.ties import probabilities
from tare._result import Rows
from tare.stats._rank_intervals import rank_intervals
from tare.stats._tests_of_all_systems import letters

__all__ = ["covariate_rows", "pair_rows", "rated_systems"]

Floats = NDArray[np.float64]
ELO = 400 / math.log(10)


def rated_systems(
    fit: Fit, spread: Spread, flips: PairFlips, plain: Fit, alpha: float
) -> tuple[RatedSystem, ...]:
    """Return the systems of each component, best first."""
    design = fit.design
    names = design.systems
    ratings, errors = fit.ratings, spread.errors[: design.size]
    rates, rate_errors = _win_rates(fit, spread)
    record = _record(fit)
    made = []
    for number, members in enumerate(design.components, 1):
        own = ratings[members]
        found = rank_intervals(
            own[:, None] - own[None, :], flips.p[np.ix_(members, members)], alpha=alpha
        )
        order = sorted(range(len(members)), key=lambda k: (-ratings[members[k]], names[members[k]]))
        different = [(names[members[a]], names[members[b]]) for a, b in np.argwhere(found.better)]
        shared = letters([names[members[k]] for k in order], different)
        for k in order:
            s = int(members[k])
            half, width = spread.quantile * errors[s], spread.quantile * rate_errors[s]
            wins, ties, losses = (int(record[s, c]) for c in range(3))
            made.append(
                RatedSystem(
                    names[s],
                    number,
                    float(ratings[s]),
                    float(ratings[s] - half),
                    float(ratings[s] + half),
                    float(plain.ratings[s]),
                    float(ELO * ratings[s] + 1000),
                    float(rates[s]),
                    float(max(0.0, rates[s] - width)),
                    float(min(1.0, rates[s] + width)),
                    1 + int((ratings[members] > ratings[s]).sum()),
                    int(found.low[k]),
                    int(found.high[k]),
                    float(flips.p[members[order[0]], s]),
                    shared[names[s]],
                    wins + ties + losses,
                    wins,
                    ties,
                    losses,
                )
            )
    return tuple(made)


def _record(fit: Fit) -> Floats:
    """Return the wins, ties and losses of each system."""
    design = fit.design
    made = np.zeros((design.size, 3))
    for k, outcome in enumerate((1, 0, -1)):
        made[:, k] += np.bincount(
            design.a, design.counts * (design.outcome == outcome), design.size
        )
        made[:, 2 - k] += np.bincount(
            design.b, design.counts * (design.outcome == outcome), design.size
        )
    return made


def _win_rates(fit: Fit, spread: Spread) -> tuple[Floats, Floats]:
    """Return the expected score against the other systems of the component, and its error (delta method)."""
    design = fit.design
    size, ratings = design.size, fit.ratings
    rates, errors = np.full(size, 0.5), np.zeros(size)
    for members in design.components:
        own = ratings[members]
        eta = own[:, None] - own[None, :]
        win, tie, _ = probabilities(eta, fit.tau, fit.rule)
        score = win + tie / 2
        step = 1e-5
        up, tie_up, _ = probabilities(eta + step, fit.tau, fit.rule)
        slope = (up + tie_up / 2 - score) / step
        np.fill_diagonal(slope, 0.0)
        np.fill_diagonal(score, 0.0)
        others = len(members) - 1
        rates[members] = score.sum(axis=1) / others
        gradient = np.zeros((len(members), len(fit.parameters)))
        gradient[:, members] = -slope / others
        gradient[np.arange(len(members)), members] = slope.sum(axis=1) / others
        if fit.tau is not None:
            more, tie_more, _ = probabilities(eta, fit.tau + step, fit.rule)
            change = (more + tie_more / 2 - win - tie / 2) / step
            gradient[:, -1] = change.sum(axis=1) / others
        variance = np.einsum("ij,jk,ik->i", gradient, spread.covariance, gradient)
        errors[members] = np.sqrt(np.maximum(variance, 0.0))
    return rates, errors


def covariate_rows(fit: Fit, spread: Spread) -> Rows:
    """Return the effect of each covariate with its test."""
    made: Rows = []
    for k, name in enumerate(fit.design.names):
        value, error = float(fit.coefficients[k]), float(spread.errors[fit.design.size + k])
        half = spread.quantile * error
        made.append(
            {
                "covariate": name,
                "effect": value,
                "effect_low": value - half,
                "effect_high": value + half,
                "per_unit": value / float(fit.design.scales[k]),
                "p_value": spread.p_value(value, error),
            }
        )
    return made


def pair_rows(fit: Fit) -> Rows:
    """Return one row per pair of systems with battles: outcomes, win rate and expected win rate.

    A tie counts half.
    """
    design = fit.design
    seen, place = np.unique(design.a * design.size + design.b, return_inverse=True)

    def summed(values: Floats) -> Floats:
        return sums(place, design.counts * values, len(seen))

    win, tie, _ = probabilities(fit.eta(), fit.tau, fit.rule)
    outcome = design.outcome
    counted = (summed(outcome == k) for k in (1, 0, -1))
    names = design.systems
    return [
        {
            "a": names[pair // design.size],
            "b": names[pair % design.size],
            "battles": round(wins + ties + losses),
            "wins": round(wins),
            "ties": round(ties),
            "losses": round(losses),
            "win_rate": (wins + ties / 2) / (wins + ties + losses),
            "expected_win_rate": expected / (wins + ties + losses),
        }
        for pair, wins, ties, losses, expected in zip(
            seen.tolist(),
            *(column.tolist() for column in counted),
            summed(win + tie / 2).tolist(),
            strict=True,
        )
    ]
