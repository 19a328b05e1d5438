"""Is one number per system enough? Deviance, residuals of pairs, and cyclic triads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare.studies._arena.design import sums
from tare.studies._arena.fit import Fit
from tare.studies._arena.ties import probabilities

__all__ = ["Goodness", "PairCounts", "Triads", "cyclic_triads", "goodness_of_fit", "pair_counts"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
SIMULATED = 999
FEW_SYSTEMS = 40  # with more, fewer worlds are simulated
LARGE = 30.0  # battles per pair from which χ² is used
STREAM, TRIADS = 51, 52


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Outcomes of each pair of systems with battles, observed and expected: a wins, tie, b wins."""

    a: Integers
    b: Integers
    observed: Floats  # pairs × 3
    expected: Floats
    variance: Floats  # of the score: wins + ties/2
    design_effect: float

    @property
    def total(self) -> Floats:
        """The battles of each pair."""
        return np.asarray(self.observed.sum(axis=1))

    @property
    def residuals(self) -> Floats:
        """Observed − expected score of a, in standard deviations."""
        gap = (self.observed - self.expected) @ np.array([1.0, 0.5, 0.0])
        return np.asarray(gap / np.sqrt(np.maximum(self.variance * self.design_effect, 1e-300)))


@dataclass(frozen=True)
class Goodness:
    """The fit against the saturated model of pairs.

    Attributes
    ----------
    deviance : float
        Twice the gain in log-likelihood of one probability per outcome and pair.
    freedom : int
        Free parameters of the saturated model minus those of the fit.
    design_effect : float
        How much more the scores of pairs vary than independent battles would; divides the deviance.
    p_value : float
        Of the deviance; NaN without degrees of freedom.
    """

    deviance: float
    freedom: int
    design_effect: float
    p_value: float


@dataclass(frozen=True)
class Triads:
    """Cyclic triads: a beats b, b beats c, and c beats a, by the majority of their battles.

    Attributes
    ----------
    triads : int
        Triads whose three pairs have a majority.
    cyclic : int
        How many of them are cyclic.
    expected : float
        Expected number under the fit, with as many battles per pair.
    coin : float
        Expected number if every pair were decided by a coin: a quarter.
    p_value : float
        Probability of as many cyclic triads or more under the fit.
    """

    triads: int
    cyclic: int
    expected: float
    coin: float
    p_value: float


def pair_counts(fit: Fit) -> PairCounts:
    """Count the outcomes of each pair, with their expectation under the fit."""
    design, counts = fit.design, fit.design.counts
    win, tie, loss = probabilities(fit.eta(), fit.tau, fit.rule)
    outcome = design.outcome
    seen, place = np.unique(design.a * design.size + design.b, return_inverse=True)
    size = len(seen)

    def summed(values: Floats) -> Floats:
        return sums(place, counts * values, size)

    half = fit.rule == "half"  # a tie is half a win and half a loss
    observed = np.array(
        [summed(outcome == 1), summed(outcome == 0), summed(outcome == -1)], dtype=float
    ).T
    if half:
        observed = np.array(
            [
                observed[:, 0] + observed[:, 1] / 2,
                0 * observed[:, 1],
                observed[:, 2] + observed[:, 1] / 2,
            ]
        ).T
    expected = np.array([summed(win), summed(tie), summed(loss)]).T
    score = win + tie / 2
    variance = summed(win + tie / 4 - score**2)
    effect = 1.0
    if design.cluster != "battle" or half:
        residual = (outcome + 1) / 2 - score
        codes = design.unit * size + place if design.cluster != "battle" else np.arange(len(place))
        cells, at = np.unique(codes, return_inverse=True)
        if design.cluster != "battle":
            squares = sums(at, design.within * residual, len(cells)) ** 2
            per_pair = sums(cells % size, squares, size)
        else:
            per_pair = summed(residual**2)
        effect = float(np.mean(per_pair / np.maximum(variance, 1e-300)))
        effect = effect if half else max(1.0, effect)
    return PairCounts(seen // design.size, seen % design.size, observed, expected, variance, effect)


def _deviance(observed: Floats, expected: Floats) -> Floats:
    """Return 2 Σ o·log(o/e) over the last two axes."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(observed > 0, observed * np.log(observed / expected), 0.0)
    return np.asarray(2 * terms.sum(axis=(-2, -1)))


def goodness_of_fit(fit: Fit, pairs: PairCounts, seed: int) -> Goodness:
    """Compare the fit with one free probability per outcome and pair.

    Prompts make battles dependent, so the deviance is divided by the design effect (Rao and Scott 1981).
    Its distribution is simulated if pairs have few battles, and χ² otherwise.
    """
    outcomes = 2 if fit.has_ties else 1
    components = int(fit.design.component.max()) + 1
    used = fit.design.size - components + fit.design.z.shape[1] + int(fit.has_ties)
    freedom = outcomes * len(pairs.a) - used
    deviance = float(_deviance(pairs.observed, pairs.expected))
    if freedom < 1:
        return Goodness(deviance, max(freedom, 0), pairs.design_effect, float("nan"))
    reached = deviance / pairs.design_effect
    if float(pairs.total.mean()) >= LARGE:
        from scipy.special import chdtrc

        return Goodness(deviance, freedom, pairs.design_effect, float(chdtrc(freedom, reached)))
    random = np.random.Generator(np.random.Philox(key=[seed, STREAM]))
    shares = pairs.expected / pairs.expected.sum(axis=1, keepdims=True)
    drawn = _drawn(random, pairs.total, shares, SIMULATED)
    made = _deviance(drawn.astype(np.float64), pairs.expected) - used
    p = (1 + int((made >= reached).sum())) / (SIMULATED + 1)
    return Goodness(deviance, freedom, pairs.design_effect, p)


def _drawn(random: np.random.Generator, total: Floats, shares: Floats, count: int) -> Integers:
    """Return simulated outcomes, count × pairs × 3."""
    whole = np.maximum(1, np.rint(total)).astype(np.int64)
    return random.multinomial(whole, shares, size=(count, len(whole)))


def _cyclic(lead: Floats, pairs: PairCounts, size: int) -> tuple[Integers, Integers]:
    """Return the cyclic and all triads with a majority in each pair, from leads (draws × pairs)."""
    beats = np.zeros((len(lead), size, size), dtype=np.float32)
    beats[:, pairs.a, pairs.b] = lead > 0
    beats[:, pairs.b, pairs.a] = lead < 0
    either = beats + beats.transpose(0, 2, 1)
    cyclic = np.einsum("nij,nji->n", beats @ beats, beats) / 3
    all_ = np.einsum("nij,nji->n", either @ either, either) / 6
    return np.rint(cyclic).astype(np.int64), np.rint(all_).astype(np.int64)


def cyclic_triads(fit: Fit, pairs: PairCounts, seed: int, simulations: int | None = None) -> Triads:
    """Count cyclic triads, and simulate how many the fit expects.

    Battles that depend on each other count as fewer independent ones (design effect).
    """
    size = fit.design.size
    simulations = simulations or (499 if size <= FEW_SYSTEMS else 199)
    cyclic, triads = _cyclic((pairs.observed[:, 0] - pairs.observed[:, 2])[None], pairs, size)
    if not triads[0]:
        return Triads(0, 0, 0.0, 0.0, float("nan"))
    random = np.random.Generator(np.random.Philox(key=[seed, TRIADS]))
    shares = pairs.expected / pairs.expected.sum(axis=1, keepdims=True)
    found = []
    step = max(1, 20_000_000 // size**2)
    for start in range(0, simulations, step):
        number = min(step, simulations - start)
        drawn = _drawn(random, pairs.total / pairs.design_effect, shares, number)
        found.append(_cyclic((drawn[:, :, 0] - drawn[:, :, 2]).astype(np.float64), pairs, size))
    drawn_cyclic = np.concatenate([f[0] for f in found])
    with np.errstate(invalid="ignore"):
        share = drawn_cyclic / np.concatenate([f[1] for f in found])
    share = np.nan_to_num(share)  # ties leave some pairs without a majority, so shares are compared
    at_least = int((share >= cyclic[0] / triads[0] - 1e-12).sum())
    return Triads(
        int(triads[0]),
        int(cyclic[0]),
        float(share.mean() * triads[0]),
        float(triads[0]) / 4,
        (1 + at_least) / (simulations + 1),
    )
