"""Bootstrap draws of the parameters: Newton steps from the estimate.

A draw gives each unit a weight. The step uses the gradient and the Hessian of the weighted battles, so a
draw is the first iterate of its own refit. Where it moves far and the battles are few, a second step
follows. Tests hold the quantiles against full refits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._decide.arena.design import BattleDesign
from tare._decide.arena.fit import Fit, newton_step, with_constraints
from tare._decide.arena.spread import by_unit, unit_blocks, unit_scores
from tare._kernels.statistics import resampled_indices

__all__ = ["draw_weights", "replicates"]

Floats = NDArray[np.float64]
CELLS = 32_000_000  # weights of one batch of draws
SOLVED = 8_000_000  # cells of Hessians that are solved at once
FAR = 0.05  # steps below this are accurate enough
AGAIN = 100_000_000  # rows × draws up to which second steps are made
STREAM = 41


def draw_weights(design: BattleDesign, draws: int, seed: int, batch: int = 0) -> Floats:
    """Return how often each unit is drawn, draws × units."""
    units = len(design.times)
    if (design.times == 1).all():
        drawn = resampled_indices(units, draws, seed=seed, substream=STREAM + batch)
        made = np.empty((draws, units))
        for row, chosen in zip(made, drawn, strict=True):
            row[:] = np.bincount(chosen, minlength=units)
        return made
    random = np.random.Generator(np.random.Philox(key=[seed, STREAM + batch]))
    shares = design.times / design.times.sum()
    return random.multinomial(design.units, shares, size=draws).astype(np.float64)


def replicates(fit: Fit, draws: int, seed: int) -> Floats:
    """Return bootstrap replicates of the parameters, draws × parameters."""
    design = fit.design
    size = max(1, min(draws, CELLS // len(design.times)))
    made = [
        _steps(fit, draw_weights(design, min(size, draws - start), seed, k))
        for k, start in enumerate(range(0, draws, size))
    ]
    return np.vstack(made)


def _steps(fit: Fit, weights: Floats) -> Floats:
    """Return the estimate after one Newton step for each row of weights of the units."""
    design, parts = fit.design, fit.parts()
    size, q = design.size, design.z.shape[1]
    draws, extra = len(weights), q + fit.has_ties
    total = size + extra
    gradient = np.zeros((draws, total))
    cross = np.zeros((draws, extra, size))
    rest_rest = np.zeros((draws, extra * extra))
    pairs, pair = np.unique(design.a * size + design.b, return_inverse=True)
    pair_curve = np.zeros((draws, len(pairs)))
    for rows, first, last in unit_blocks(design, size * (1 + extra)):
        within = design.within[rows]
        curve, mixed = within * parts.eta_eta[rows], within * parts.eta_tau[rows]
        w = weights[:, first:last]
        mine, rest = unit_scores(fit, rows, first, last, parts)
        gradient[:, :size] += w @ mine
        gradient[:, size:] += w @ rest
        pair_curve += w @ _by_pair(design, rows, first, last, pair[rows], curve, len(pairs))
        columns = [curve * z for z in design.z[rows].T] + ([mixed] if fit.has_ties else [])
        for k, column in enumerate(columns):
            cross[:, k] += w @ by_unit(design, rows, first, last, column)
        if extra:
            rest_rest += w @ _rest_curve(fit, rows, first, last, curve, mixed, parts)
    gradient[:, :size] -= fit.precision * fit.ratings
    made = fit.parameters + _solved(fit, gradient, pairs, pair_curve, cross, rest_rest)
    if len(design.a) * draws <= AGAIN:
        _second_steps(fit, weights, made)
    return made


def _second_steps(fit: Fit, weights: Floats, made: Floats) -> None:
    """Replace draws that moved far by their second Newton step, unless it moves farther."""
    moved = np.abs(made - fit.parameters).max(axis=1)
    for k in np.flatnonzero(moved > FAR):
        step = newton_step(fit, weights[k][fit.design.unit] * fit.design.within, made[k])
        if np.abs(step).max() < moved[k]:
            made[k] += step


def _by_pair(
    design: BattleDesign, rows: slice, first: int, last: int, pair: Any, curve: Floats, pairs: int
) -> Any:
    """Return the curvature of each unit and pair of systems, sparse or dense."""
    unit, units = design.unit[rows] - first, last - first
    if units * pairs > 20 * len(pair):
        from scipy.sparse import coo_array

        return coo_array((curve, (unit, pair)), shape=(units, pairs)).tocsr()
    return np.bincount(unit * pairs + pair, curve, units * pairs).reshape(units, pairs)


def _rest_curve(
    fit: Fit, rows: slice, first: int, last: int, curve: Floats, mixed: Floats, parts: Any
) -> Floats:
    """Return the curvature of the covariates and the tie parameter of each unit, flattened."""
    design = fit.design
    z, unit, units = design.z[rows], design.unit[rows] - first, last - first
    q = z.shape[1]
    extra = q + fit.has_ties
    made = np.zeros((units, extra, extra))
    for j in range(q):
        for k in range(q):
            made[:, j, k] = np.bincount(unit, curve * z[:, j] * z[:, k], units)
        if fit.has_ties:
            made[:, j, -1] = made[:, -1, j] = np.bincount(unit, mixed * z[:, j], units)
    if fit.has_ties:
        made[:, -1, -1] = np.bincount(unit, design.within[rows] * parts.tau_tau[rows], units)
    return made.reshape(units, extra * extra)


def _solved(
    fit: Fit, gradient: Floats, pairs: Any, pair_curve: Floats, cross: Floats, rest: Floats
) -> Floats:
    """Solve one system per draw; each component keeps Σθ = 0."""
    from scipy.linalg.lapack import dposv

    design = fit.design
    size, total = design.size, gradient.shape[1]
    extra = total - size
    a, b = pairs // size, pairs % size
    constraint = with_constraints(design, np.zeros((total, total)), fit.precision)
    scale = np.trace(fit.hessian) / total
    constraint[:size, :size] = np.where(
        design.component[:, None] == design.component[None, :], scale / size, 0.0
    ) + fit.precision * np.eye(size)
    # A draw can lack all battles of a system: a tiny ridge leaves its rating where it was.
    constraint += 1e-9 * scale * np.eye(total)
    steps = np.empty_like(gradient)
    batch = max(1, SOLVED // total**2)
    for start in range(0, len(gradient), batch):
        chosen = slice(start, min(start + batch, len(gradient)))
        count = chosen.stop - start
        whole = np.zeros((count, total, total))
        whole[:, a, b] = whole[:, b, a] = -pair_curve[chosen]
        diagonal = -whole[:, :size, :size].sum(axis=2)
        whole[:, np.arange(size), np.arange(size)] = diagonal
        if extra:
            whole[:, size:, :size] = cross[chosen]
            whole[:, :size, size:] = cross[chosen].transpose(0, 2, 1)
            whole[:, size:, size:] = rest[chosen].reshape(count, extra, extra)
        whole += constraint
        for k in range(count):  # one by one: threads make small systems slow
            _, solution, failed = dposv(whole[k], gradient[start + k])
            if failed:
                solution = np.linalg.lstsq(whole[k], gradient[start + k])[0]
            steps[start + k] = solution
    return steps
