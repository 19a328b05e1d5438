"""Models of a battle with ties: probabilities of the outcomes, and derivatives of the log-likelihood.

η is the difference of the two systems in strength, covariates included. τ is the tie parameter: log ν of
Davidson, the threshold δ of Rao and Kupper. "half" has none: a tie is half a win for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["TIES", "Derivatives", "TieRule", "derivatives", "log_likelihood", "probabilities"]

Floats = NDArray[np.float64]
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
    """Return the probabilities that a wins, of a tie, and that b wins; τ None means no ties.

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
    """Return the log-likelihood of each outcome: 1 a won, −1 b won, 0 tie."""
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
