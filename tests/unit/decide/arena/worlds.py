"""Simulated worlds of battles with known ratings."""

from __future__ import annotations

import numpy as np

from tare._decide.arena_model import BattleDesign, components_of, probabilities

PAIRS = np.array([(a, b) for a in range(4) for b in range(a + 1, 4)])


def design(systems, a, b, outcome, prompt, z=None, cluster="prompt"):
    """Battles as a design, one row per battle; a is before b."""
    order = np.argsort(prompt, kind="stable")
    prompt = np.unique(prompt[order], return_inverse=True)[1]
    n = len(order)
    z = np.zeros((n, 0)) if z is None else z[order]
    unit = prompt if cluster == "prompt" else np.arange(n)
    return BattleDesign(
        tuple(f"s{k}" for k in range(systems)),
        a[order],
        b[order],
        outcome[order].astype(float),
        z,
        tuple(f"x{k}" for k in range(z.shape[1])),
        np.ones(z.shape[1]),
        unit,
        np.ones(n),
        np.ones(int(unit.max()) + 1),
        cluster,
        components_of(a, b, systems),
    )


def drawn(eta, log_nu, rng):
    """Outcomes of Davidson's model."""
    win, tie, _ = probabilities(eta, log_nu, "davidson")
    u = rng.random(len(eta))
    return np.where(u < win, 1, np.where(u < win + tie, 0, -1))


def world(kind, prompts, rng, ratings, log_nu=-0.5, per_prompt=10, spread=0.7):
    """Battles of four systems.

    independent: nothing is shared. copies: half of the votes of a prompt and pair repeat the first one, so
    the marginal model holds and battles depend on each other. effects: each prompt has its own ratings.
    """
    p = np.repeat(np.arange(prompts), per_prompt)
    chosen = rng.integers(0, 6, len(p))
    if kind == "copies":  # two pairs per prompt, five votes each
        chosen = np.repeat(rng.integers(0, 6, (prompts, 2)), per_prompt // 2, axis=1).ravel()
    a, b = PAIRS[chosen].T
    eta = ratings[a] - ratings[b]
    if kind == "effects":
        shift = rng.normal(0, spread, (prompts, 4))
        eta = eta + shift[p, a] - shift[p, b]
    outcome = drawn(eta, log_nu, rng)
    if kind == "copies":
        first = outcome.reshape(prompts, 2, -1)[:, :, :1]
        copied = rng.random((prompts, 2, per_prompt // 2)) < 0.5
        outcome = np.where(copied, first, outcome.reshape(prompts, 2, -1)).ravel()
    return design(4, a, b, outcome, p)


def marginal_ratings(ratings, log_nu=-0.5, spread=0.7):
    """The ratings that fit the outcomes of prompts with their own ratings best, by quadrature."""
    from tare._decide.arena_model import fit_ratings

    points, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    a, b = np.repeat(PAIRS, 3, axis=0).T
    outcome = np.tile([1, 0, -1], 6)
    shares = []
    for i, j in PAIRS:
        eta = ratings[i] - ratings[j] + np.sqrt(2) * spread * points
        shares += [float(weights @ p) for p in probabilities(eta, log_nu, "davidson")]
    made = design(4, a, b, outcome, np.arange(18))
    return fit_ratings(made, weights=1000 * np.array(shares)).ratings


def tied_world(systems, prompts, per_prompt, rng, spread=0.7):
    """Battles of systems that are equal on average; each prompt has its own ratings."""
    pairs = np.array([(a, b) for a in range(systems) for b in range(a + 1, systems)])
    p = np.repeat(np.arange(prompts), per_prompt)
    a, b = pairs[rng.integers(0, len(pairs), len(p))].T
    shift = rng.normal(0, spread, (prompts, systems))
    return design(systems, a, b, drawn(shift[p, a] - shift[p, b], -0.5, rng), p)
