"""Maximum likelihood of the ratings, covariates and the tie parameter by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._decide.arena.design import BattleDesign, sums
from tare._decide.arena.ties import Derivatives, derivatives, log_likelihood
from tare.errors import MismatchError

__all__ = [
    "PRIOR",
    "Fit",
    "fit_ratings",
    "hessian_of",
    "linear_parts",
    "newton_step",
    "with_constraints",
]

Floats = NDArray[np.float64]
PRIOR = 3.0  # standard deviation of ratings where a system won or lost everything
STEPS = 200
TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Fit:
    """Estimated parameters: ratings, coefficients of covariates, and the tie parameter if there are ties."""

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
        """The ratings; they sum to 0 in each component."""
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
        """Return the derivatives of the log-likelihood of each row."""
        return derivatives(self.design.outcome, self.eta(), self.tau, self.rule)


def _eta(design: BattleDesign, parameters: Floats) -> Floats:
    ratings = parameters[: design.size]
    q = design.z.shape[1]
    made: Floats = ratings[design.a] - ratings[design.b]
    if q:
        made = made + design.z @ parameters[design.size : design.size + q]
    return made


def linear_parts(design: BattleDesign, values: Floats) -> Floats:
    """Return Σ values × (e_a − e_b) over rows: one number per system."""
    size = design.size
    made: Floats = sums(design.a, values, size) - sums(design.b, values, size)
    return made


def hessian_of(design: BattleDesign, weights: Floats, parts: Derivatives, ties: bool) -> Floats:
    """Return the Hessian of the negative log-likelihood of weighted rows."""
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
    """Add the prior, and Σθ = 0 of each component, which the likelihood leaves free."""
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
    """Estimate the parameters; `prior` is the standard deviation of a normal prior of the ratings.

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
    """Return the Newton step of weighted rows from given parameters."""
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
