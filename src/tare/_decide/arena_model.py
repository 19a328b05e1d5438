"""The model of battles: battles as arrays, outcomes with ties, maximum likelihood of the ratings, their covariance, and the test of all pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tare._data.battles import Battles
from tare.errors import MismatchError, OptionError, nearest
from tare.stats._flips import SLACK
from tare.stats._student import student_quantile, student_tail

__all__ = [
    "PRIOR",
    "TIES",
    "BattleDesign",
    "Derivatives",
    "Fit",
    "PairFlips",
    "Spread",
    "TieRule",
    "by_unit",
    "components_of",
    "derivatives",
    "design_of",
    "fit_ratings",
    "hessian_of",
    "linear_parts",
    "log_likelihood",
    "newton_step",
    "pair_flips",
    "probabilities",
    "sandwich",
    "sums",
    "unit_blocks",
    "unit_scores",
    "with_constraints",
]


# Battles as arrays: systems, outcomes, covariates, what is resampled, and which systems are
# connected.


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
POSITION = "position"
BATTLE = "battle"


@dataclass(frozen=True, eq=False)
class BattleDesign:
    """Distinct battles, sorted: a before b in the order of systems, and how often each occurs.

    A unit is what is resampled: a prompt, or a kind of battle that occurs `times` times if battles are
    independent. `within` counts a row in its unit, so a row occurs within × times of its unit times.
    """

    systems: tuple[str, ...]
    a: Integers
    b: Integers
    outcome: Floats
    z: Floats  # rows × covariates, scaled to a standard deviation of 1
    names: tuple[str, ...]
    scales: Floats
    unit: Integers
    within: Floats
    times: Floats
    cluster: str
    component: Integers  # of each system
    source: str = "battles"

    @property
    def size(self) -> int:
        """The number of systems."""
        return len(self.systems)

    @property
    def units(self) -> int:
        """The number of things that are resampled."""
        return int(self.times.sum())

    @cached_property
    def counts(self) -> Floats:
        """How often each row occurs."""
        made: Floats = self.within * self.times[self.unit]
        return made

    @cached_property
    def tied(self) -> bool:
        """Whether there are ties."""
        return bool((self.outcome == 0).any())

    @property
    def components(self) -> list[Integers]:
        """The systems of each connected component."""
        return [np.flatnonzero(self.component == c) for c in range(int(self.component.max()) + 1)]

    def without_covariates(self) -> BattleDesign:
        """Return the same battles without covariates."""
        from dataclasses import replace

        return replace(self, z=self.z[:, :0], names=(), scales=self.scales[:0])

    @cached_property
    def collapsed(self) -> BattleDesign:
        """The same battles without their units, if equal battles are then counted together."""
        from dataclasses import replace

        if set(self.names) - {POSITION} or self.cluster == BATTLE:
            return self
        cells, rows, place = np.unique(self._cells(), return_index=True, return_inverse=True)
        counts = sums(place, self.counts, len(cells))
        return replace(
            self,
            a=self.a[rows],
            b=self.b[rows],
            outcome=self.outcome[rows],
            z=self.z[rows],
            unit=np.arange(len(rows)),
            within=np.ones(len(rows)),
            times=counts,
            cluster=BATTLE,
        )

    def _cells(self) -> Integers:
        """Return the number of each kind of battle: both systems, outcome and position."""
        first = self.z[:, 0] if self.names else np.zeros(len(self.a))
        codes = (self.a * self.size + self.b) * 3 + self.outcome + 1
        return np.asarray(codes * 3 + first + 1, dtype=np.int64)

    @cached_property
    def separable(self) -> tuple[int, ...]:
        """The systems without which no finite ratings exist: they never lost, or never won, to the rest.

        Finite ratings exist if every system can be reached from every other one of its component along
        wins and ties.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        wins, losses = self.outcome >= 0, self.outcome <= 0
        start = np.concatenate([self.a[wins], self.b[losses]])
        end = np.concatenate([self.b[wins], self.a[losses]])
        graph = coo_array((np.ones(len(start)), (start, end)), shape=(self.size, self.size))
        _, strong = connected_components(graph.tocsr(), directed=True, connection="strong")
        found: list[int] = []
        for members in self.components:
            labels, sizes = np.unique(strong[members], return_counts=True)
            if len(labels) > 1:
                main = labels[np.argmax(sizes)]
                found += [int(k) for k in members if strong[k] != main]
        return tuple(found)


def sums(places: Integers, values: Floats, size: int) -> Floats:
    """Return the sum over battles of the values at each place, such as each system's."""
    made: Floats = np.asarray(np.bincount(places, values, size), dtype=np.float64)
    return made


def design_of(
    battles: Battles, covariates: Sequence[str] = (), cluster: str = "auto"
) -> BattleDesign:
    """Return battles as arrays for the model; `cluster` is "prompt", "judge", "battle" or "auto"."""
    frame = battles.frame
    chosen = _cluster(battles, cluster)
    names = battles.systems
    known = [POSITION, *battles.covariates]
    for name in covariates:
        if name not in known:
            raise OptionError(
                f"covariates={name!r}: {battles.name} has no such covariate; it has {', '.join(known)}. "
                f"A covariate has a column for each system, such as length_a and length_b."
                f"{nearest(name, known)}"
            )
    if len(set(covariates)) < len(covariates):
        raise OptionError(f"covariates: {', '.join(covariates)} names one of them twice.")
    kind = pl.Enum(list(names))
    ka, kb = (frame[c].cast(kind).to_physical().to_numpy().astype(np.int64) for c in ("a", "b"))
    sign = np.where(ka > kb, -1.0, 1.0)
    a, b = np.minimum(ka, kb), np.maximum(ka, kb)
    outcome = frame["outcome"].to_numpy() * sign + 0.0  # no negative zero
    z = np.empty((frame.height, len(covariates)))
    for k, name in enumerate(covariates):
        column = frame["first" if name == POSITION else f"x:{name}"].cast(pl.Float64)
        values = column.fill_null(np.nan).to_numpy()
        missing = int((~np.isfinite(values)).sum())
        if missing:
            raise MismatchError(
                f"{battles.name}: {missing:,} battles have no {name}. Remove these battles, or the covariate."
            )
        z[:, k] = values * sign + 0.0
    unit = np.zeros(frame.height, dtype=np.int64)
    if chosen != BATTLE:  # numbered in the order of their names
        unit = frame[chosen].fill_null("").rank("dense").to_numpy().astype(np.int64) - 1
    ones = np.ones(frame.height)
    scales = np.array([_scale(z[:, k], ones, name) for k, name in enumerate(covariates)])
    z = z / scales if len(scales) else z
    rows, counts = _distinct(unit, a, b, outcome, z, len(names))
    unit, a, b, outcome, z = unit[rows], a[rows], b[rows], outcome[rows], z[rows]
    if chosen == BATTLE:
        unit, within, times = np.arange(len(rows)), np.ones(len(rows)), counts
    else:
        within, times = counts, np.ones(int(unit[-1]) + 1)
    return BattleDesign(
        names,
        a,
        b,
        outcome,
        z,
        tuple(covariates),
        scales,
        unit,
        within,
        times,
        chosen,
        components_of(a, b, len(names)),
        battles.name,
    )


def _distinct(
    unit: Integers, a: Integers, b: Integers, outcome: Floats, z: Floats, size: int
) -> tuple[Integers, Floats]:
    """Return the first row of each distinct battle, sorted, and how often it occurs."""
    key = ((unit * size + a) * size + b) * 3 + outcome.astype(np.int64) + 1
    order = np.argsort(key, kind="stable")
    if z.shape[1]:  # equal keys are few: only these rows are sorted by covariates
        same = key[order][1:] == key[order][:-1]
        shared = np.append(same, False) | np.append(False, same)
        rows = order[shared]
        order[shared] = rows[np.lexsort((*z[rows].T[::-1], key[rows]))]
    key, sorted_z = key[order], z[order]
    new = np.ones(len(key), dtype=bool)
    new[1:] = (key[1:] != key[:-1]) | (sorted_z[1:] != sorted_z[:-1]).any(axis=1)
    places = np.flatnonzero(new)
    return order[places], np.diff(np.append(places, len(key))).astype(np.float64)


def _cluster(battles: Battles, cluster: str) -> str:
    """Return what is resampled among battles: prompts if they are known, and single battles otherwise."""
    has_judges = battles.frame["judge"].null_count() == 0
    known = [*(["prompt"] if battles.prompts else []), *(["judge"] if has_judges else []), BATTLE]
    if cluster == "auto":
        return known[0] if battles.prompts else BATTLE
    if cluster not in known:
        raise OptionError(
            f"cluster={cluster!r} is not possible: {battles.name} names {', '.join(known[:-1]) or 'neither prompts nor judges'}. "
            f"Accepted: {', '.join(known)}."
        )
    return cluster


def _scale(values: Floats, counts: Floats, name: str) -> float:
    """Return the root mean square of a covariate of the battles; positions are not scaled."""
    with np.errstate(over="ignore"):  # refused below
        scale = float(np.sqrt((counts * values**2).sum() / counts.sum()))
    if scale == 0.0 or not np.isfinite(scale):
        what = (
            "nothing is known about who was shown first (option first)"
            if name == POSITION
            else "it is the same for both systems in every battle, or not finite"
        )
        raise OptionError(f"covariates={name!r} cannot be used: {what}.")
    return 1.0 if name == POSITION else scale


def components_of(a: Integers, b: Integers, size: int) -> Integers:
    """Return the component of each system, linked by battles, numbered by their first system."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(a)), (a, b)), shape=(size, size)).tocsr()
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


# Models of a battle with ties: probabilities of the outcomes, and derivatives of the log-
# likelihood.
#
# η is the difference of the two systems in strength, covariates included. τ is the tie parameter: log ν of
# Davidson, the threshold δ of Rao and Kupper. "half" has none: a tie is half a win for each.


TieRule = Literal["davidson", "rao-kupper", "half"]
TIES: tuple[TieRule, ...] = ("davidson", "rao-kupper", "half")


@dataclass(frozen=True)
class Derivatives:
    """First derivatives by η and τ of each battle, and second derivatives with their sign changed."""

    eta: Floats
    tau: Floats
    eta_eta: Floats
    eta_tau: Floats
    tau_tau: Floats


def _logistic(x: Floats) -> Floats:
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def _log_logistic(x: Floats) -> Floats:
    return np.minimum(x, 0.0) - np.log1p(np.exp(-np.abs(x)))


def probabilities(eta: Floats, tau: float | None, rule: str) -> tuple[Floats, Floats, Floats]:
    """Return the probabilities that a wins a battle, of a tie, and that b wins; τ None means no ties.

    >>> [float(p) for p in probabilities(np.array(0.0), 0.0, "davidson")]  # ν = 1
    [0.3333333333333333, 0.3333333333333333, 0.3333333333333333]
    """
    if rule == "half" or tau is None:
        win = _logistic(eta)
        return win, np.zeros_like(win), 1 - win
    if rule == "rao-kupper":
        win, loss = _logistic(eta - tau), _logistic(-eta - tau)
        return win, win * loss * np.expm1(2 * tau), loss
    top = np.maximum(np.abs(eta) / 2, tau)
    parts = [np.exp(x - top) for x in (eta / 2, np.full_like(eta, tau), -eta / 2)]
    total = parts[0] + parts[1] + parts[2]
    return parts[0] / total, parts[1] / total, parts[2] / total


def log_likelihood(outcome: Floats, eta: Floats, tau: float | None, rule: str) -> Floats:
    """Return the log-likelihood of each outcome of a battle: 1 a won, −1 b won, 0 tie."""
    if rule == "half" or tau is None:
        share = (outcome + 1) / 2
        return share * _log_logistic(eta) + (1 - share) * _log_logistic(-eta)
    if rule == "rao-kupper":
        win, loss = _log_logistic(eta - tau), _log_logistic(-eta - tau)
        tie = win + loss + np.log(np.expm1(2 * tau))
        return np.where(outcome > 0, win, np.where(outcome < 0, loss, tie))
    top = np.maximum(np.abs(eta) / 2, tau)
    total = top + np.log(np.exp(eta / 2 - top) + np.exp(tau - top) + np.exp(-eta / 2 - top))
    return np.asarray(np.where(outcome == 0, tau, outcome * eta / 2) - total)


def derivatives(outcome: Floats, eta: Floats, tau: float | None, rule: str) -> Derivatives:
    """Return the derivatives of the log-likelihood of each battle by η and τ."""
    zero = np.zeros_like(eta)
    if rule == "half" or tau is None:
        win = _logistic(eta)
        return Derivatives((outcome + 1) / 2 - win, zero, win * (1 - win), zero, zero)
    tied = outcome == 0
    if rule == "rao-kupper":
        win, loss = _logistic(eta - tau), _logistic(-eta - tau)
        # A tie is F·G·(exp 2δ − 1), so its derivatives are sums of those of a win and a loss.
        has_win, has_loss = outcome >= 0, outcome <= 0
        f, g = has_win * win * (1 - win), has_loss * loss * (1 - loss)
        grown = np.exp(2 * tau) / np.expm1(2 * tau)
        bend = 4 * np.exp(2 * tau) / np.expm1(2 * tau) ** 2
        return Derivatives(
            has_win * (1 - win) - has_loss * (1 - loss),
            tied * 2 * grown - has_win * (1 - win) - has_loss * (1 - loss),
            f + g,
            g - f,
            f + g + tied * bend,
        )
    win, tie, loss = probabilities(eta, tau, rule)
    lead = win - loss
    return Derivatives(
        (outcome - lead) / 2,
        tied - tie,
        (win + loss - lead**2) / 4,
        -lead * tie / 2,
        tie * (1 - tie),
    )


# Maximum likelihood of the ratings, covariates and the tie parameter by Newton's method.


PRIOR = 3.0  # standard deviation of ratings where a system won or lost everything
STEPS = 200
TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Fit:
    """The fitted model of battles: ratings, coefficients of covariates, and the tie parameter if there are ties."""

    design: BattleDesign
    rule: str
    parameters: Floats
    hessian: Floats
    """Of the negative log-likelihood, with the prior and with Σθ = 0 of each component added."""
    precision: float
    has_ties: bool
    log_likelihood: float

    @property
    def ratings(self) -> Floats:
        """The ratings of the systems from their battles; they sum to 0 in each component."""
        return self.parameters[: self.design.size]

    @property
    def coefficients(self) -> Floats:
        """The coefficients of the scaled covariates."""
        start = self.design.size
        return self.parameters[start : start + self.design.z.shape[1]]

    @property
    def tau(self) -> float | None:
        """The tie parameter, None without ties."""
        return float(self.parameters[-1]) if self.has_ties else None

    def eta(self) -> Floats:
        """Return the difference in strength of each row."""
        return _eta(self.design, self.parameters)

    def parts(self) -> Derivatives:
        """Return the derivatives of the log-likelihood of each row of battles."""
        return derivatives(self.design.outcome, self.eta(), self.tau, self.rule)


def _eta(design: BattleDesign, parameters: Floats) -> Floats:
    ratings = parameters[: design.size]
    q = design.z.shape[1]
    made: Floats = ratings[design.a] - ratings[design.b]
    if q:
        made = made + design.z @ parameters[design.size : design.size + q]
    return made


def linear_parts(design: BattleDesign, values: Floats) -> Floats:
    """Return Σ values × (e_a − e_b) over rows of battles: one number per system."""
    size = design.size
    made: Floats = sums(design.a, values, size) - sums(design.b, values, size)
    return made


def hessian_of(design: BattleDesign, weights: Floats, parts: Derivatives, ties: bool) -> Floats:
    """Return the Hessian of the negative log-likelihood of weighted rows of battles."""
    size, q = design.size, design.z.shape[1]
    made = np.zeros((size + q + ties,) * 2)
    curve = weights * parts.eta_eta
    cells = sums(design.a * size + design.b, curve, size * size).reshape(size, size)
    cells = cells + cells.T
    made[:size, :size] = np.diag(cells.sum(axis=1)) - cells
    for k in range(q):
        made[:size, size + k] = linear_parts(design, curve * design.z[:, k])
    made[size : size + q, size : size + q] = design.z.T @ (curve[:, None] * design.z)
    if ties:
        mixed = weights * parts.eta_tau
        made[:size, -1] = linear_parts(design, mixed)
        made[size : size + q, -1] = design.z.T @ mixed
        made[-1, -1] = (weights * parts.tau_tau).sum()
    upper = np.triu(made, 1)
    made[size:, :size] = upper[:size, size:].T
    if ties:
        made[-1, :-1] = made[:-1, -1]
    return made


def _gradient(design: BattleDesign, weights: Floats, parts: Derivatives, ties: bool) -> Floats:
    slope = weights * parts.eta
    last = [float((weights * parts.tau).sum())] if ties else []
    return np.concatenate([linear_parts(design, slope), design.z.T @ slope, last])


def with_constraints(design: BattleDesign, hessian: Floats, precision: float) -> Floats:
    """Add the prior of the ratings, and Σθ = 0 of each component, which the likelihood of battles leaves free."""
    made = hessian.copy()
    size = design.size
    made[np.arange(size), np.arange(size)] += precision
    for members in design.components:
        weight = max(float(np.trace(hessian[np.ix_(members, members)])), 1e-12) / len(members) ** 2
        made[np.ix_(members, members)] += weight
    return made


def fit_ratings(
    design: BattleDesign,
    rule: str = "davidson",
    *,
    prior: float | None = None,
    weights: Floats | None = None,
    start: Floats | None = None,
) -> Fit:
    """Estimate the ratings from battles by maximum likelihood; `prior` is the standard deviation of a normal prior of the ratings.

    Without `prior`, it is 3 where a system won or lost all its battles, because no finite ratings exist
    otherwise, and there is none in all other cases.
    """
    whole = design
    if weights is None:
        design = design.collapsed
    counts = design.counts if weights is None else weights
    ties = design.tied and rule != "half"
    if prior is None and design.separable:
        prior = PRIOR
    precision = 0.0 if prior is None else prior**-2
    size = design.size
    tied = float(counts[design.outcome == 0].sum())
    decisive = float(counts.sum()) - tied
    if decisive == 0:
        raise MismatchError(f"{design.source}: all battles are ties, so there is nothing to rate.")
    if start is None:
        start = np.zeros(size + design.z.shape[1] + ties)
        if ties:
            ratio = tied / decisive
            start[-1] = np.log(2 * ratio) if rule == "davidson" else np.log1p(ratio)
    x = start.copy()
    outcome = design.outcome

    def value(at: Floats) -> float:
        tau = float(at[-1]) if ties else None
        if ties and rule == "rao-kupper" and at[-1] <= 0:
            return -np.inf
        found = log_likelihood(outcome, _eta(design, at), tau, rule)
        return float(counts @ found) - precision / 2 * float(at[:size] @ at[:size])

    best = value(x)
    rounding = 1e-13 * max(1.0, abs(best))
    for _ in range(STEPS):
        parts = derivatives(outcome, _eta(design, x), float(x[-1]) if ties else None, rule)
        gradient = _gradient(design, counts, parts, ties)
        gradient[:size] -= precision * x[:size]
        hessian = with_constraints(design, hessian_of(design, counts, parts, ties), precision)
        try:
            step = np.linalg.solve(hessian, gradient)
        except np.linalg.LinAlgError:
            raise _unidentified(design) from None
        length = 1.0
        while length > 1e-9:
            tried = value(x + length * step)
            if tried >= best - rounding:
                break
            length /= 2
        else:
            break
        x = x + length * step
        best = max(tried, best)
        if np.abs(step).max() < TOLERANCE * max(1.0, float(np.abs(x).max())) * 100:
            break
    parts = derivatives(outcome, _eta(design, x), float(x[-1]) if ties else None, rule)
    plain = hessian_of(design, counts, parts, ties)
    hessian = with_constraints(design, plain, precision)
    scale = np.sqrt(np.abs(np.diag(hessian)))
    if design.z.shape[1]:
        with np.errstate(all="ignore"):
            scaled = hessian / np.outer(scale, scale)
        if not np.isfinite(scaled).all() or np.linalg.cond(scaled) > 1e10:
            raise _unidentified(design)
    for members in design.components:
        x[members] -= x[members].mean()
    return Fit(whole, rule, x, hessian, precision, ties, best)


def newton_step(fit: Fit, weights: Floats, parameters: Floats) -> Floats:
    """Return the Newton step towards the ratings that are most likely for weighted rows of battles, from given parameters."""
    design, size = fit.design, fit.design.size
    tau = float(parameters[-1]) if fit.has_ties else None
    if tau is not None and fit.rule == "rao-kupper" and tau <= 0:
        return np.full_like(parameters, np.inf)
    parts = derivatives(design.outcome, _eta(design, parameters), tau, fit.rule)
    gradient = _gradient(design, weights, parts, fit.has_ties)
    gradient[:size] -= fit.precision * parameters[:size]
    hessian = with_constraints(
        design, hessian_of(design, weights, parts, fit.has_ties), fit.precision
    )
    ridge = 1e-9 * np.trace(hessian) / len(hessian)
    made: Floats = np.linalg.solve(hessian + ridge * np.eye(len(hessian)), gradient)
    return made


def _unidentified(design: BattleDesign) -> MismatchError:
    return MismatchError(
        f"{design.source}: the effects of {', '.join(design.names) or 'the systems'} cannot be separated from the ratings: a "
        "covariate is the same in all battles of a system, or a combination of others. Remove it."
    )


# How uncertain the parameters are: the sandwich covariance over prompts.


BLOCK = 4_000_000  # cells of a dense block
SPARSE = 30  # a dense product is this much faster per cell than a sparse one


def unit_blocks(design: BattleDesign, width: int) -> Iterator[tuple[slice, int, int]]:
    """Yield the rows of battles, and the first and last unit, of blocks of whole units."""
    units = len(design.times)
    step = max(1, BLOCK // max(1, width))
    edges = np.searchsorted(design.unit, np.arange(0, units + step, step))
    for k, first in enumerate(range(0, units, step)):
        yield slice(int(edges[k]), int(edges[k + 1])), first, min(first + step, units)


def by_unit(design: BattleDesign, rows: slice, first: int, last: int, values: Floats) -> Any:
    """Return Σ values × (e_a − e_b) over the battles of each unit, units × systems; sparse if most cells are 0."""
    size, units = design.size, last - first
    a, b, unit = design.a[rows], design.b[rows], design.unit[rows] - first
    if units * size > 2 * SPARSE * len(a):
        from scipy.sparse import coo_array

        cells = np.concatenate([values, -values])
        places = (np.concatenate([unit, unit]), np.concatenate([a, b]))
        return coo_array((cells, places), shape=(units, size)).tocsr()
    flat = np.bincount(unit * size + a, values, units * size)
    flat -= np.bincount(unit * size + b, values, units * size)
    return flat.reshape(units, size)


def unit_scores(fit: Fit, rows: slice, first: int, last: int, parts: Any) -> tuple[Any, Floats]:
    """Return the scores (gradients of the log-likelihood of battles) of each unit in a block: of the systems, and of all other parameters."""
    design = fit.design
    within, unit, units = design.within[rows], design.unit[rows] - first, last - first
    slope = within * parts.eta[rows]
    columns = [slope * z for z in design.z[rows].T]
    if fit.has_ties:
        columns.append(within * parts.tau[rows])
    rest = np.array([np.bincount(unit, c, units) for c in columns]).T.reshape(units, len(columns))
    return by_unit(design, rows, first, last, slope), rest


class Spread:
    """The covariance of the ratings and other parameters, and intervals by Student's t with (units − 1) degrees of freedom."""

    def __init__(self, covariance: Floats, freedom: int, confidence: float) -> None:
        self.covariance = covariance
        self.freedom = freedom
        self.quantile = student_quantile(0.5 + confidence / 2, freedom)

    @property
    def errors(self) -> Floats:
        """The standard errors of the parameters."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    def difference_errors(self, size: int) -> Floats:
        """Return the standard errors of the differences of ratings, systems × systems."""
        own = self.covariance[:size, :size]
        variance = np.diag(own)
        return np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * own, 0.0))

    def p_value(self, estimate: float, error: float) -> float:
        """Return the two-sided p-value of an estimate of the model of battles, such as a covariate's coefficient, being 0."""
        if error <= 0:
            return 1.0 if estimate == 0 else 0.0
        return min(1.0, 2 * student_tail(abs(estimate) / error, self.freedom))


def sandwich(fit: Fit, confidence: float = 0.95) -> Spread:
    """Return the sandwich covariance of the ratings, A⁻¹ (Σ gg′) A⁻¹ × U/(U − 1) over U units of battles."""
    design = fit.design
    units = design.units
    if units < 2:
        raise MismatchError(
            f"{design.source}: all battles belong to one {design.cluster}, so no interval can be computed. Use "
            "cluster=battle if battles are independent."
        )
    parts, size = fit.parts(), design.size
    total = len(fit.parameters)
    meat = np.zeros((total, total))
    for rows, first, last in unit_blocks(design, size):
        mine, rest = unit_scores(fit, rows, first, last, parts)
        times = design.times[first:last, None]
        if isinstance(mine, np.ndarray):
            whole = np.hstack([mine, rest])
            meat += whole.T @ (whole * times)
        else:
            weighted = mine.multiply(times).tocsr()
            meat[:size, :size] += (mine.T @ weighted).toarray()
            meat[:size, size:] += weighted.T @ rest
            meat[size:, size:] += rest.T @ (rest * times)
            meat[size:, :size] = meat[:size, size:].T
    if fit.precision:  # the scores do not sum to 0 under a prior
        sums = np.zeros(total)
        sums[:size] = fit.precision * fit.ratings
        meat -= np.outer(sums, sums) / units
    inverse = np.linalg.inv(fit.hessian)
    covariance = inverse @ meat @ inverse * (units / (units - 1))
    return Spread((covariance + covariance.T) / 2, units - 1, confidence)


# The test of all pairs of a component: sign flips of whole units.
#
# A unit's pseudo-value of the difference of two ratings is gap + U·ψ, with ψ the influence of the unit on the
# difference: their mean is the gap, and their standard error that of the sandwich. The signs of whole units
# are flipped, as in `tare.stats.max_t`, and all pairs of a component are tested by the largest |t|.


STREAM = 41
CELLS = 4_000_000  # numbers of one block


@dataclass(frozen=True, eq=False)
class PairFlips:
    """The p-values of all pairs of rated systems, adjusted for their component, and what intervals need.

    Attributes
    ----------
    p : ndarray
        Systems × systems; 1 where two systems are not in one component.
    critical : ndarray
        Of each component: the number of standard errors that a difference must exceed; NaN if none can
        be significant.
    patterns : int
        The number of sign patterns that were tried.
    exact : bool
        Whether these are all patterns.
    """

    p: Floats
    critical: Floats
    patterns: int
    exact: bool


def pair_flips(fit: Fit, spread: Spread, *, draws: int, seed: int, alpha: float) -> PairFlips:
    """Test the ratings of all pairs of systems of each component by flips of whole units of battles."""
    design, units = fit.design, fit.design.units
    exact = bool((design.times == 1).all()) and units < 64 and 2 ** (units - 1) <= draws
    patterns = 2 ** (units - 1) if exact else draws
    balance, moved = _flipped(fit, patterns, seed, exact)
    errors = spread.difference_errors(design.size)
    p = np.ones((design.size, design.size))
    critical = np.full(len(design.components), math.nan)
    for number, members in enumerate(design.components):
        if len(members) < 2:
            continue
        first, second = (members[k] for k in np.triu_indices(len(members), 1))
        gaps = fit.ratings[first] - fit.ratings[second]
        squares = errors[first, second] ** 2 * (units - 1) / units  # Σψ² of each pair
        length = np.sqrt(units * (units * gaps**2 + units**2 * squares))
        with np.errstate(divide="ignore"):
            scale = np.where(length > 0, 1 / length, 0.0)
        largest = np.zeros(patterns)
        block = max(1, CELLS // len(first))
        for begin in range(0, patterns, block):
            here = slice(begin, begin + block)
            sums = balance[here, None] * gaps
            sums += units * (moved[here, first] - moved[here, second])
            largest[here] = (np.abs(sums) * scale).max(axis=1)
        largest.sort()
        seen = np.abs(gaps) * units * scale
        added = 0 if exact else 1
        reached = patterns - np.searchsorted(largest, seen - SLACK, side="left")
        found = np.where(seen > 0, (reached + added) / (patterns + added), 1.0)
        p[first, second] = p[second, first] = found
        critical[number] = _critical(largest, exact, units, alpha)
    return PairFlips(p, critical, patterns, exact)


def _critical(largest: Floats, exact: bool, units: int, alpha: float) -> float:
    """Return the critical value of the test of all pairs of ratings, on the scale of t; NaN if no difference can be significant."""
    count = len(largest)
    rank = (
        math.floor(alpha * count + SLACK) if exact else math.floor(alpha * (count + 1) + SLACK) - 1
    )
    if rank < (1 if exact else 0):
        return math.nan
    u = float(largest[count - 1 - rank])
    return u * math.sqrt((units - 1) / (1 - u * u)) if u < 1 - 1e-12 else math.nan


def _flipped(fit: Fit, patterns: int, seed: int, exact: bool) -> tuple[Floats, Floats]:
    """Return Σε and Σεψ of the rated systems for each pattern ε of signs of the units of battles."""
    design, parts = fit.design, fit.parts()
    size, total = design.size, len(fit.parameters)
    random = np.random.Generator(np.random.Philox(key=[seed, STREAM]))
    balance, moved = np.zeros(patterns), np.zeros((patterns, total))
    for rows, first, last in unit_blocks(design, max(size, patterns)):
        mine, rest = unit_scores(fit, rows, first, last, parts)
        signs = _signs(design, first, last, patterns, exact, random)
        balance += signs.sum(axis=1)
        moved[:, :size] += signs @ mine
        moved[:, size:] += signs @ rest
    if fit.precision:  # the scores do not sum to 0 under a prior
        moved[:, :size] -= balance[:, None] * (fit.precision * fit.ratings / design.units)
    return balance, moved @ np.linalg.inv(fit.hessian)[:, :size]


def _signs(
    design: BattleDesign,
    first: int,
    last: int,
    patterns: int,
    exact: bool,
    random: np.random.Generator,
) -> Floats:
    """Return the sum of the signs of each unit of battles in a block, patterns × units.

    The first unit of all keeps its sign where all patterns are tried: mirror images have the same ratio.
    """
    if exact:
        bits = np.arange(patterns)[:, None] >> np.maximum(np.arange(first, last) - 1, 0) & 1
        signs = np.asarray(1.0 - 2.0 * bits, dtype=np.float64)
        if first == 0:
            signs[:, 0] = 1.0
        return signs
    times = design.times[first:last]
    if (times == 1).all():
        drawn: NDArray[np.integer] = random.integers(0, 2, (patterns, last - first), dtype=np.int8)
    else:
        drawn = random.binomial(times.astype(np.int64), 0.5, (patterns, last - first))
    return np.asarray(times - 2.0 * drawn, dtype=np.float64)
