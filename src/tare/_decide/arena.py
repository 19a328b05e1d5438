"""Battles between systems (`tare.arena`): ratings with rank intervals, net of covariates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tare._data.battles import Battles, BattleSource, read_battles
from tare._data.findings import Finding, listed
from tare._decide.arena_model import (
    PRIOR,
    TIES,
    BattleDesign,
    Fit,
    PairFlips,
    Spread,
    TieRule,
    design_of,
    fit_ratings,
    pair_flips,
    probabilities,
    sandwich,
    sums,
)
from tare._decide.arena_result import Arena, CovariateEffect, PairOfSystems, RatedSystem
from tare.errors import MismatchError, OptionError, check_share, choose
from tare.stats._flips import least_units
from tare.stats._randomisation import check_draws
from tare.stats._rank_intervals import rank_intervals
from tare.stats._tests_of_all_systems import letters

__all__ = ["arena", "covariate_rows", "pair_rows", "rated_systems"]


# Where each system stands: intervals, win rates, ranks; and the rows of covariates and pairs.


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
    """Return the battles that each system of an arena won, tied and lost."""
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
    """Return the expected win rate of each system of an arena against the others of its component, and its error (delta method)."""
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


def covariate_rows(fit: Fit, spread: Spread) -> list[CovariateEffect]:
    """Return the effect of each covariate of the battles on who wins, with its test."""
    made: list[CovariateEffect] = []
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


def pair_rows(fit: Fit) -> list[PairOfSystems]:
    """Return one row per pair of systems that met in battles: outcomes, win rate and expected win rate.

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


# The study of battles: ratings with rank intervals, net of covariates.


FEW = 13


def arena(
    battles: BattleSource,
    *,
    covariates: Sequence[str] = (),
    cluster: str = "auto",
    ties: TieRule = "davidson",
    both_bad: Literal["tie", "drop"] = "tie",
    winner: str | Sequence[str] | None = None,
    first: str | None = None,
    unknown: Literal["refuse", "drop"] = "refuse",
    prior: float | None = None,
    alpha: float = 0.05,
    draws: int = 1000,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Arena:
    """Rate systems from battles, with rank intervals.

    The logit that a beats b is θ_a − θ_b + γ·position + β·(x_a − x_b) (Bradley and Terry 1952), with ties
    by Davidson (1970) or Rao and Kupper (1967). Intervals use the sandwich covariance over prompts,
    because battles of one prompt are not independent. Systems that no chain of battles connects are
    never compared.

    Parameters
    ----------
    battles : path, data frame or rows
        One row per battle: system_a, system_b, winner (a, b, tie, both bad, or a name), and optionally
        prompt, judge, first (the system shown first), and pairs of covariates such as length_a and
        length_b. Common names of columns are recognised, and tables with one column per judge.
    covariates : sequence of str
        Covariates to test and to remove, such as "length" and "position".
    cluster : {"auto", "prompt", "judge", "battle"}
        What is a sample. "auto" is prompts if they are known, otherwise single battles.
    ties : {"davidson", "rao-kupper", "half"}
        The model of ties.
    both_bad : {"tie", "drop"}
        Battles in which both answers were bad count as ties, or are left out.
    winner : str or sequence of str, optional
        The column of winners; several columns are one judge each. The battles of all judges are rated
        together.
    first : str, optional
        "a" or "b" if that system was always shown first, or the column that names it.
    unknown : {"refuse", "drop"}
        Winners that cannot be read raise an error, or are counted and left out.
    prior : float, optional
        Standard deviation of a normal prior of the ratings. By default there is none, except 3 where a
        system won or lost everything, because its rating would be infinite.
    alpha : float
        Error rate of the intervals.
    draws, seed : int
        All sign patterns of the units are tried if there are at most so many, up to mirror images;
        otherwise so many are drawn.
    progress : callable, optional
        Called with a short description of each step.

    Returns
    -------
    Arena

    Raises
    ------
    FormatError
        If a battle cannot be read, such as a system that battles itself.
    MismatchError
        If nothing can be rated: all battles are ties, or all have one prompt.
    OptionError
        If an option is unknown or out of range.

    Examples
    --------
    >>> rows = [(f"p{k}", "x", "y", "a" if k % 4 else "b") for k in range(40)]
    >>> found = arena(rows, draws=200)
    >>> [(s.system, round(s.rating, 3), s.rank_low) for s in found.systems]
    [('x', 0.549, 1), ('y', -0.549, 2)]
    >>> round(found.difference("x", "y").p_value, 5)
    0.01493
    """
    choose("ties", ties, TIES)
    choose("both_bad", both_bad, ("tie", "drop"))
    check_draws(draws, seed)
    check_share("alpha", alpha)
    if prior is not None and not 0 < prior <= 1e6:
        raise OptionError(f"prior={prior:g} is out of range; a standard deviation is positive.")
    notify = progress or (lambda _: None)
    given = read_battles(battles, winner=winner, first=first, unknown=unknown)
    bad = int(given.frame["bad"].sum())
    if both_bad == "drop" and bad:
        given = replace(given, frame=given.frame.filter(~given.frame["bad"]))
    if not len(given):
        raise MismatchError("no battle is left.")
    notify("ratings")
    design = design_of(given, tuple(covariates), cluster)
    plain = fit_ratings(design.without_covariates(), ties, prior=prior)
    fit = (
        fit_ratings(design, ties, prior=prior, start=_start(plain, design)) if covariates else plain
    )
    spread = sandwich(fit, 1 - alpha)
    notify("sign flips")
    flips = pair_flips(fit, spread, draws=draws, seed=seed, alpha=alpha)
    names = design.systems
    return Arena(
        rated_systems(fit, spread, flips, plain, alpha),
        covariate_rows(fit, spread),
        pair_rows(fit),
        tuple(tuple(names[k] for k in members) for members in design.components),
        ties,
        _tie_parameter(fit),
        design.cluster,
        design.units,
        len(given),
        bad,
        fit.precision**-0.5 if fit.precision else None,
        alpha,
        draws,
        seed,
        (*given.findings, *_findings(given, fit, spread, bad, both_bad, alpha)),
        fit=fit,
        spread=spread,
        flips=flips,
    )


def _start(plain: Fit, design: BattleDesign) -> NDArray[np.float64]:
    size, q = design.size, design.z.shape[1]
    return np.concatenate([plain.ratings, np.zeros(q), plain.parameters[size:]])


def _tie_parameter(fit: Fit) -> float | None:
    return None if fit.tau is None else math.exp(fit.tau)


def _findings(
    battles: Battles, fit: Fit, spread: Spread, bad: int, both_bad: str, alpha: float
) -> list[Finding]:
    """Return what readers of the ratings should know."""
    design = fit.design
    made = []
    if len(design.components) > 1:
        shown = "; ".join(
            ", ".join(listed([design.systems[k] for k in members], 4))
            for members in design.components[:6]
        )
        made.append(
            Finding(
                "not connected",
                f"{len(design.components):,} groups of systems are not connected by battles and are ranked apart: {shown}.",
                len(design.components),
            )
        )
    if design.separable:
        names = [design.systems[k] for k in design.separable]
        made.append(
            Finding(
                "infinite ratings",
                f"{len(names):,} systems won or lost everything against the rest; a normal prior with standard deviation {PRIOR if not fit.precision else fit.precision**-0.5:g} keeps the ratings finite.",
                len(names),
                examples=listed(names),
            )
        )
    if not battles.prompts:
        made.append(
            Finding(
                "no prompts",
                "the battles name no prompts, so they are taken as independent; intervals are too narrow if prompts repeat.",
            )
        )
    if len(battles.judges) > 1:
        made.append(
            Finding(
                "judges",
                f"{len(battles.judges):,} judges are rated together.",
                len(battles.judges),
                severity="note",
                examples=listed(list(battles.judges), 4),
            )
        )
    what = {"prompt": "prompts", "judge": "judges", "battle": "battles"}[design.cluster]
    least = least_units(alpha)
    if design.units < least:
        text = f"{design.units:,} {what} cannot separate ranks: at least {least} are needed."
        made.append(Finding("few units", text))
    if design.cluster != "battle" and design.units < 40:
        some = " Intervals are approximate." if design.units <= FEW else ""
        made.append(
            Finding(
                "few clusters",
                f"{design.units:,} {what} carry the uncertainty (Student's t with {spread.freedom} degrees of freedom).{some}",
                severity="note",
            )
        )
    if bad:
        made.append(
            Finding(
                "both bad",
                f"both answers were bad in {bad:,} battles; they {'count as ties' if both_bad == 'tie' else 'are left out'}.",
                bad,
                severity="note",
            )
        )
    return made
