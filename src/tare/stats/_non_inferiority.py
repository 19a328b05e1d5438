"""Paired tests of non-inferiority: is a candidate worse than its baseline by a margin or more?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tare._measures.student_interval import student_quantile, student_tail
from tare.errors import MismatchError, OptionError

__all__ = ["NonInferiority", "Verdict", "check_margin", "non_inferiority", "verdicts"]

Verdict = Literal["not worse", "worse", "cannot tell"]

POWER = 0.8  # the probability to pass that the number of queries is computed for


@dataclass(frozen=True)
class NonInferiority:
    """A paired comparison of a candidate with its baseline.

    Attributes
    ----------
    n : int
        Number of items.
    difference : float
        Mean of candidate − baseline.
    deviation : float
        Standard deviation of the differences.
    low, high : float
        The one-sided lower and upper bounds of the difference, each with confidence 1 − alpha.
    p : float
        One-sided p-value of "the candidate is not worse than the baseline".
    margin : float
        The largest loss that is accepted.
    alpha : float
        Error rate of each bound.
    """

    n: int
    difference: float
    deviation: float
    low: float
    high: float
    p: float
    margin: float
    alpha: float

    @property
    def items_needed(self) -> int | None:
        """Items that pass with probability 0.8 if nothing changed; None if no number would do.

        ⌈((z_{1−α} + z_{0.8})·s/m)²⌉. If the observed loss is the margin or more, no number would do.
        """
        if self.difference <= -self.margin:
            return None
        z = NormalDist().inv_cdf(1 - self.alpha) + NormalDist().inv_cdf(POWER)
        return max(2, math.ceil((z * self.deviation / self.margin) ** 2))


def non_inferiority(
    differences: ArrayLike, margin: float, *, alpha: float = 0.05
) -> NonInferiority:
    """Compare a candidate with its baseline by the differences of items.

    Parameters
    ----------
    differences : array_like
        Candidate − baseline for each item; positive is better. NaN is left out.
    margin : float
        The largest mean loss that is accepted.
    alpha : float
        Error rate of each one-sided bound.

    Returns
    -------
    NonInferiority

    Raises
    ------
    OptionError
        If the margin is not positive, or alpha is not between 0 and 0.5.
    MismatchError
        If there are fewer than two differences.

    Notes
    -----
    The bounds are d̄ ± t_{1−α, n−1}·s/√n. If all differences are equal, both bounds are that difference.

    Examples
    --------
    >>> found = non_inferiority([0.0, 0.02, -0.01, 0.01], margin=0.05)
    >>> round(found.low, 4), round(found.high, 4)
    (-0.0102, 0.0202)
    """
    check_margin(margin, alpha)
    given = np.asarray(differences, dtype=np.float64).ravel()
    given = given[~np.isnan(given)]
    n = len(given)
    if n < 2:
        raise MismatchError(f"{n} common items; a comparison needs at least 2.")
    mean = math.fsum(given) / n
    deviation = math.sqrt(math.fsum((given - mean) ** 2) / (n - 1))
    if deviation <= 1e-12 * max(1.0, float(np.abs(given).max())):
        p = 1.0 if mean >= 0 else 0.5**n  # no spread: the signs alone
        return NonInferiority(n, mean, 0.0, mean, mean, p, margin, alpha)
    error = deviation / math.sqrt(n)
    half = student_quantile(1 - alpha, n - 1) * error
    t = mean / error
    tail = student_tail(abs(t), n - 1)
    p = tail if t < 0 else 1 - tail
    return NonInferiority(n, mean, deviation, mean - half, mean + half, p, margin, alpha)


def check_margin(margin: float, alpha: float) -> None:
    """Raise if a margin is not positive, or an error rate is out of range."""
    if not (margin > 0 and math.isfinite(margin)):
        raise OptionError(f"a margin of {margin:g} is not positive; give the loss that you accept.")
    if not 0 < alpha < 0.5:
        raise OptionError(f"alpha={alpha:g} is out of range; it must lie between 0 and 0.5.")


def verdicts(compared: list[NonInferiority]) -> list[Verdict]:
    """Return the verdict of each measure of one gate.

    *not worse*: low > −margin. *worse*: low ≤ −margin, and the difference is below 0 at the level α
    after Holm's correction over the measures. *cannot tell* otherwise. "Not worse" needs no
    correction: all measures must pass (an intersection–union test).
    """
    from tare.stats._corrections import adjust

    adjusted = adjust([one.p for one in compared], "holm")
    found: list[Verdict] = []
    for one, p in zip(compared, adjusted, strict=True):
        if one.low > -one.margin:
            found.append("not worse")
        else:
            found.append("worse" if p < one.alpha and one.high < 0 else "cannot tell")
    return found
