"""The study of battles: ratings with ranks, covariates, goodness of fit, and judges against people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from tare._data.battles import Battles, BattleSource, read_battles
from tare._data.findings import Finding, listed
from tare._data.source import name_of
from tare._result import Rows
from tare.errors import MismatchError, OptionError, choose
from tare.stats._randomisation import check_draws
from tare.studies._arena.agreement import (
    bias_rows,
    compared,
    conclusion_rows,
    decisive_agreement,
    split_judges,
)
from tare.studies._arena.design import BattleDesign, design_of
from tare.studies._arena.draws import replicates
from tare.studies._arena.fit import PRIOR, Fit, fit_ratings
from tare.studies._arena.goodness import cyclic_triads, goodness_of_fit, pair_counts
from tare.studies._arena.position import both_orders
from tare.studies._arena.result import Arena
from tare.studies._arena.spread import Spread, sandwich
from tare.studies._arena.standing import covariate_rows, next_rows, pair_rows, rated_systems
from tare.studies._arena.ties import TIES, TieRule
from tare.studies._arena.win_rates import win_rate_rows

if TYPE_CHECKING:
    from tare.studies._judges.result import JudgeStudy

__all__ = ["arena"]

FEW = 13


def arena(
    battles: BattleSource,
    judges: Mapping[str, BattleSource] | Sequence[BattleSource] = (),
    *,
    covariates: Sequence[str] = (),
    cluster: str = "auto",
    ties: TieRule = "davidson",
    both_bad: Literal["tie", "drop"] = "tie",
    people: Sequence[str] = (),
    winner: str | Sequence[str] | None = None,
    first: str | None = None,
    unknown: Literal["refuse", "drop"] = "refuse",
    prior: float | None = None,
    next: int = 0,
    alpha: float = 0.05,
    draws: int = 1000,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Arena:
    """Rate systems from battles, with rank intervals, and check what the ratings rest on.

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
    judges : {name: source} or sequence of sources
        Battles judged by models on the same prompts and systems, to be compared with people.
    covariates : sequence of str
        Covariates to test and to remove, such as "length" and "position".
    cluster : {"auto", "prompt", "judge", "battle"}
        What is a sample. "auto" is prompts if they are known, otherwise single battles.
    ties : {"davidson", "rao-kupper", "half"}
        The model of ties.
    both_bad : {"tie", "drop"}
        Battles in which both answers were bad count as ties, or are left out.
    people : sequence of str
        The judges in `battles` that are people. The ratings are theirs; the other judges are compared
        with them. By default names such as human, annotator1 or expert.
    winner : str or sequence of str, optional
        The column of winners; several columns are one judge each.
    first : str, optional
        "a" or "b" if that system was always shown first, or the column that names it.
    unknown : {"refuse", "drop"}
        Winners that cannot be read raise an error, or are counted and left out.
    prior : float, optional
        Standard deviation of a normal prior of the ratings. By default there is none, except 3 where a
        system won or lost everything, because its rating would be infinite.
    next : int
        Number of next battles to choose.
    alpha : float
        Error rate of the intervals.
    draws, seed : int
        Number and seed of the bootstrap draws.
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
    >>> round(found.pair("x", "y").p_value, 5)
    0.00222
    """
    choose("ties", ties, TIES)
    choose("both_bad", both_bad, ("tie", "drop"))
    check_draws(draws, seed)
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha:g} is out of range; it must lie between 0 and 1.")
    if prior is not None and not 0 < prior <= 1e6:
        raise OptionError(f"prior={prior:g} is out of range; a standard deviation is positive.")
    if next < 0:
        raise OptionError(f"next={next} is out of range; it must be 0 or more.")
    notify = progress or (lambda _: None)
    given = read_battles(battles, winner=winner, first=first, unknown=unknown)
    mine, others = split_judges(given, people)
    for name, source in _named(judges).items():
        if name in others:
            raise OptionError(f"two judges are named {name!r}. Name them: {{name: source}}.")
        others[name] = read_battles(source, first=first, unknown=unknown)
    bad = int(mine.frame["bad"].sum())
    if both_bad == "drop" and bad:
        mine = _without_bad(mine)
        others = {name: _without_bad(b) for name, b in others.items()}
    if not len(mine):
        raise MismatchError("no battle is left.")
    notify("ratings")
    design = design_of(mine, tuple(covariates), cluster)
    plain = fit_ratings(design.without_covariates(), ties, prior=prior)
    fit = (
        fit_ratings(design, ties, prior=prior, start=_start(plain, design)) if covariates else plain
    )
    spread = sandwich(fit, 1 - alpha)
    notify("bootstrap")
    drawn = replicates(fit, draws, seed)
    pairs = pair_counts(fit)
    notify("goodness of fit")
    judge_rows, audit, notes = _judged(mine, others, ties, cluster, alpha, draws, seed)
    findings = (
        *given.findings,
        *(
            f
            for b in others.values()
            if b is not given
            for f in b.findings
            if f not in given.findings
        ),
        *_findings(mine, fit, spread, bad, both_bad),
        *notes,
    )
    names = design.systems
    return Arena(
        rated_systems(fit, spread, drawn, plain, alpha),
        covariate_rows(fit, spread),
        pair_rows(pairs, names),
        goodness_of_fit(fit, pairs, seed),
        cyclic_triads(fit, pairs, seed),
        both_orders(mine),
        audit,
        judge_rows,
        next_rows(mine, fit, spread, next, seed) if next else [],
        tuple(tuple(names[k] for k in members) for members in design.components),
        ties,
        _tie_parameter(fit),
        design.cluster,
        design.units,
        len(mine),
        bad,
        fit.precision**-0.5 if fit.precision else None,
        alpha,
        draws,
        seed,
        findings,
        fit=fit,
        spread=spread,
    )


def _named(judges: Mapping[str, BattleSource] | Sequence[BattleSource]) -> dict[str, BattleSource]:
    """Return sources by name; files are named after themselves."""
    import os
    from pathlib import Path

    if isinstance(judges, Mapping):
        return dict(judges)
    if isinstance(judges, str | os.PathLike):
        judges = [judges]
    made: dict[str, BattleSource] = {}
    for k, source in enumerate(judges, 1):
        path = isinstance(source, str | os.PathLike)
        name = Path(name_of(source)).name.split(".")[0] if path else f"judge {k}"  # type: ignore[arg-type]
        if name in made:
            raise OptionError(f"two judges are named {name!r}. Name them: {{name: source}}.")
        made[name] = source
    return made


def _without_bad(battles: Battles) -> Battles:
    from dataclasses import replace

    return replace(battles, frame=battles.frame.filter(~battles.frame["bad"]))


def _start(plain: Fit, design: BattleDesign) -> NDArray[np.float64]:
    size, q = design.size, design.z.shape[1]
    return np.concatenate([plain.ratings, np.zeros(q), plain.parameters[size:]])


def _tie_parameter(fit: Fit) -> float | None:
    import math

    return None if fit.tau is None else math.exp(fit.tau)


def _judged(
    people: Battles,
    others: Mapping[str, Battles],
    ties: str,
    cluster: str,
    alpha: float,
    draws: int,
    seed: int,
) -> tuple[dict[str, Rows], JudgeStudy | None, list[Finding]]:
    """Return the rows that compare judges with people, and the audit of the judges."""
    if not others:
        return {}, None, []
    audit = compared(people, others, draws=draws, confidence=1 - alpha, seed=seed)
    kappa = {r["judge"]: r for r in audit.rows_by_name["agreement"]}
    rows = []
    for name, battles in others.items():
        row = decisive_agreement(people, battles, name)
        own = {k: kappa[name].get(k) for k in ("equal", "kappa", "kappa_low", "kappa_high")}
        rows.append(row | own)
    biases, notes = bias_rows(
        {"people": people, **others}, rule=ties, cluster=cluster, confidence=1 - alpha
    )
    return (
        {
            "judges": rows,
            "biases": biases,
            "conclusions": conclusion_rows(people, others, rule=ties, cluster=cluster, alpha=alpha),
            "win rates": [
                r for n, b in others.items() for r in win_rate_rows(people, b, n, 1 - alpha)
            ],
        },
        audit,
        notes,
    )


def _findings(battles: Battles, fit: Fit, spread: Spread, bad: int, both_bad: str) -> list[Finding]:
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
    if design.cluster != "battle" and design.units < 40:
        what = "prompts" if design.cluster == "prompt" else "judges"
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
