"""How often a measure agrees with people: on pairs of systems, on significant differences, on ties."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels.statistics import uniforms
from tare.errors import MismatchError
from tare.stats._pairs import rounded

__all__ = [
    "Contingency",
    "one_sided",
    "pairwise_accuracy",
    "significance_agreement",
    "soft_pairwise_accuracy",
    "tie_calibrated_accuracy",
]

Floats = NDArray[np.float64]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


@dataclass(frozen=True)
class Contingency:
    """Pairs of systems by what people found and what a measure found.

    hits: both found the same significant difference; opposite: both found one, in opposite directions;
    false_alarms: only the measure; misses: only people; rejections: neither.
    """

    hits: int
    false_alarms: int
    misses: int
    rejections: int
    opposite: int = 0

    @property
    def pairs(self) -> int:
        """All pairs."""
        return self.hits + self.false_alarms + self.misses + self.rejections + self.opposite

    @property
    def accuracy(self) -> float:
        """The share of pairs on which both agree."""
        return _share(self.hits + self.rejections, self.pairs)

    @property
    def precision(self) -> float:
        """Of the differences that the measure finds, the share that people find too."""
        return _share(self.hits, self.hits + self.false_alarms + self.opposite)

    @property
    def recall(self) -> float:
        """Of the differences that people find, the share that the measure finds too."""
        return _share(self.hits, self.hits + self.misses + self.opposite)

    @property
    def specificity(self) -> float:
        """Of the pairs where people find no difference, the share where the measure finds none either."""
        return _share(self.rejections, self.rejections + self.false_alarms)

    @property
    def negative_precision(self) -> float:
        """Of the pairs where the measure finds no difference, the share where people find none either."""
        return _share(self.rejections, self.rejections + self.misses)

    @property
    def balanced(self) -> float:
        """Balanced accuracy: the mean of recall and specificity.

        >>> Contingency(hits=36, false_alarms=11, misses=64, rejections=206).balanced
        0.6546543778801843
        """
        return (self.recall + self.specificity) / 2

    @property
    def balanced_predictions(self) -> float:
        """The mean of precision and negative precision, which Rankel (2016) calls balanced accuracy.

        >>> round(Contingency(hits=36, false_alarms=11, misses=64, rejections=206).balanced_predictions, 2)
        0.76
        """
        return (self.precision + self.negative_precision) / 2

    def to_dict(self) -> dict[str, float]:
        """Counts and shares."""
        names = ("pairs", "accuracy", "precision", "recall", "specificity", "balanced")
        return asdict(self) | {n: getattr(self, n) for n in (*names, "balanced_predictions")}


def significance_agreement(people: ArrayLike, measure: ArrayLike) -> Contingency:
    """Count pairs by two sets of findings: 1 and −1 for significant differences, 0 for none.

    >>> significance_agreement([1, -1, 0, 0, 1], [1, 0, 0, 1, -1])
    Contingency(hits=1, false_alarms=1, misses=1, rejections=1, opposite=1)
    """
    truth, said = np.asarray(people), np.asarray(measure)
    if truth.shape != said.shape:
        raise MismatchError(f"findings of shapes {truth.shape} and {said.shape} are not aligned.")
    counts = (
        (truth != 0) & (said == truth),
        (truth == 0) & (said != 0),
        (truth != 0) & (said == 0),
        (truth == 0) & (said == 0),
        (truth != 0) & (said == -truth),
    )
    return Contingency(*(int(c.sum()) for c in counts))


def pairwise_accuracy(people: ArrayLike, measure: ArrayLike) -> float:
    """The share of differences with the same sign; pairs that people tie are left out.

    A pair that only the measure ties counts as wrong (Kocmi et al. 2021).

    >>> pairwise_accuracy([0.2, -0.1, 0.3, 0.0], [1.0, 0.5, 0.0, 0.7])
    0.3333333333333333
    """
    truth, said = (np.sign(rounded(x)) for x in (people, measure))
    known = (truth != 0) & ~np.isnan(truth) & ~np.isnan(said)
    return _share(int((truth == said)[known].sum()), int(known.sum()))


def tie_calibrated_accuracy(
    people: ArrayLike, measure: ArrayLike, groups: ArrayLike | None = None
) -> tuple[float, float]:
    """The best share of pairs that a measure gets right, ties included, and the ε that gives it.

    Differences of a measure of at most ε are ties; a tie is right if people tie too. Pairs are averaged
    within groups (items) first (Deutsch, Foster and Freitag 2023, with ε from the same data, as WMT does).

    >>> tie_calibrated_accuracy([0, 1, -1], [0.1, 0.9, -0.5])
    (1.0, 0.1)
    """
    truth, said = np.sign(rounded(people)), rounded(measure)
    known = ~np.isnan(truth) & ~np.isnan(said)
    truth, said = truth[known], said[known]
    if not len(truth):
        return float("nan"), float("nan")
    group = np.zeros(len(truth), dtype=np.int64)
    if groups is not None:
        group = np.unique(np.asarray(groups)[known], return_inverse=True)[1]
    sizes = np.bincount(group)
    weight = 1 / (sizes[group] * len(sizes))
    right = weight * (np.sign(said) == truth)  # unless it is a tie
    tied = weight * (truth == 0)
    size = np.abs(said)
    order = np.argsort(size, kind="stable")
    levels, last = np.unique(size[order][::-1], return_index=True)
    # With ε = a level, all differences up to it are ties; 0 alone ties what is tied anyway.
    upto = len(size) - last
    gained = np.concatenate([[0.0], np.cumsum((tied - right * (size > 0))[order])])
    total = float((right * (size > 0)).sum())
    if levels[0] > 0:
        levels, upto = np.concatenate([[0.0], levels]), np.concatenate([[0], upto])
    scores = total + gained[upto]
    best = int(np.argmax(scores > scores.max() - 1e-12))  # the smallest ε among the best
    return float(scores[best]), float(levels[best])


def one_sided(
    differences: ArrayLike, *, draws: int = 1000, seed: int = 0, threads: int = 0
) -> Floats:
    """One-sided p-value of each row of differences by random swaps; ties count half, so all zeros give ½."""
    rows = np.nan_to_num(np.atleast_2d(np.asarray(differences, dtype=np.float64)))
    signs = _swaps(draws, rows.shape[1], seed, threads)
    sums = rows.sum(axis=1)
    drawn = signs @ rows.T
    near = 1e-9 * np.maximum(np.abs(rows).sum(axis=1), 1e-300)
    above = (drawn > sums + near).mean(axis=0)
    at = (np.abs(drawn - sums) <= near).mean(axis=0)
    return np.asarray(above + at / 2, dtype=np.float64)


@lru_cache(maxsize=4)
def _swaps(draws: int, items: int, seed: int, threads: int) -> Floats:
    """Draws × items of −1 and 1; every column of scores asks for the same ones."""
    return np.where(uniforms(draws, items, seed=seed, threads=threads) < 0.5, -1.0, 1.0)


def soft_pairwise_accuracy(people: ArrayLike, measure: ArrayLike) -> float:
    """1 − the mean absolute difference of the one-sided p-values of people and measure.

    Thompson et al. (2024). Improving statistical significance in human evaluation.

    >>> soft_pairwise_accuracy([0.0, 0.5], [0.5, 1.0])
    0.5
    """
    gaps = np.abs(np.asarray(people, dtype=np.float64) - np.asarray(measure, dtype=np.float64))
    return float(1 - np.nanmean(gaps)) if np.isfinite(gaps).any() else float("nan")
