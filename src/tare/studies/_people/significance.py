"""Significant differences found by measures and by people, with chance and constant baselines.

Rankel (2016, ch. 7); Kocmi et al. (2021); Deutsch et al. (2023); Thompson et al. (2024); Perrella
et al. (2024).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import uniforms
from tare._result import Rows
from tare.stats._corrections import adjust
from tare.stats._meta_evaluation import (
    one_sided,
    pairwise_accuracy,
    significance_agreement,
    soft_pairwise_accuracy,
    tie_calibrated_accuracy,
)
from tare.stats._named_tests import TestOptions, run_test
from tare.stats._paired_differences import Pairs

__all__ = [
    "CHANCE",
    "CONSTANT",
    "RandomMeasures",
    "SignificantPairs",
    "agreement_row",
    "consensus_rows",
]

Floats = NDArray[np.float64]
CHANCE, CONSTANT = "(chance)", "(constant)"
SHARES = (
    *("accuracy", "precision", "recall", "specificity", "balanced", "balanced_predictions"),
    *("pairwise", "pairwise_significant", "tie_calibrated", "soft"),
)


@dataclass(frozen=True, eq=False)
class SignificantPairs:
    """The differences between all pairs of systems by one column of scores."""

    signs: NDArray[np.int64]
    means: Floats
    differences: Floats
    one_sided: Floats

    @classmethod
    def of(
        cls, values: Floats, test: str, correction: str, options: TestOptions, swaps: int
    ) -> SignificantPairs:
        """Test a matrix of systems × items; pairs with fewer than two common items are not significant."""
        pairs = Pairs.of_matrix(values)
        signs = np.zeros(len(pairs), dtype=np.int64)
        # A test needs two items and a difference: equal scores are never significant.
        keep = (pairs.n >= 2) & (np.nan_to_num(np.abs(pairs.differences)).sum(axis=1) > 0)
        if keep.any():
            p = np.full(len(pairs), np.nan)
            p[keep] = run_test(pairs.take(keep), test, options).p
            found = adjust(p, correction) <= options.alpha * (1 + 1e-9)
            signs = np.where(found, np.sign(np.nan_to_num(pairs.means)), 0).astype(np.int64)
        sided = one_sided(
            pairs.differences, draws=swaps, seed=options.seed, threads=options.threads
        )
        return cls(signs, np.nan_to_num(pairs.means), pairs.differences, sided)


def agreement_row(people: SignificantPairs, measure: SignificantPairs) -> dict[str, Any]:
    """Return all accuracies of a measure, with human judgements as the reference."""
    table = significance_agreement(people.signs, measure.signs)
    found = people.signs != 0
    items = np.broadcast_to(np.arange(people.differences.shape[1]), people.differences.shape)
    tied, epsilon = tie_calibrated_accuracy(
        people.differences.ravel(), measure.differences.ravel(), items.ravel()
    )
    return table.to_dict() | {
        "pairwise": pairwise_accuracy(people.means, measure.means),
        "pairwise_significant": pairwise_accuracy(people.means[found], measure.means[found])
        if found.any()
        else float("nan"),
        "tie_calibrated": tied,
        "epsilon": epsilon,
        "soft": soft_pairwise_accuracy(people.one_sided, measure.one_sided),
    }


class RandomMeasures:
    """Random measures, drawn once for all human scores of the same systems and items."""

    def __init__(
        self, test: str, correction: str, options: TestOptions, swaps: int, repeats: int
    ) -> None:
        self.make = (test, correction, options, swaps)
        self.options, self.repeats = options, repeats
        self.drawn: dict[tuple[int, int, bytes], list[SignificantPairs]] = {}

    def _random(self, values: Floats) -> list[SignificantPairs]:
        gone = np.isnan(values)
        systems, items = values.shape
        key = (systems, items, gone.tobytes())
        if key not in self.drawn:
            self.drawn[key] = []
            for repeat in range(self.repeats):
                u = uniforms(systems, items, seed=self.options.seed, substream=1000 + repeat)
                u[gone] = np.nan
                self.drawn[key].append(SignificantPairs.of(u, *self.make))
        return self.drawn[key]

    def rows(self, truth: SignificantPairs, values: Floats) -> Rows:
        """Return the mean and the central 95 % of random measures, and a constant measure."""
        found = [agreement_row(truth, f) for f in self._random(values)]
        row: dict[str, Any] = {"measure": CHANCE}
        for share in SHARES:
            column = np.array([d[share] for d in found], dtype=np.float64)
            known = column[~np.isnan(column)]
            row[share] = float(known.mean()) if len(known) else float("nan")
            low, high = np.quantile(known, [0.025, 0.975]).tolist() if len(known) else (None, None)
            row |= {f"{share}_low": low, f"{share}_high": high}
        flat = SignificantPairs.of(np.where(np.isnan(values), np.nan, 0.0), *self.make)
        return [row, {"measure": CONSTANT} | agreement_row(truth, flat)]


def consensus_rows(truth: SignificantPairs, found: dict[str, SignificantPairs]) -> Rows:
    """Return one dictionary per subset of measures: significant if all find it, with one sign."""
    made: Rows = []
    for size in range(1, len(found) + 1):
        for subset in itertools.combinations(found, size):
            signs = np.stack([found[m].signs for m in subset])
            agreed = np.where((signs == signs[0]).all(axis=0), signs[0], 0)
            table = significance_agreement(truth.signs, agreed).to_dict()
            made.append({"measures": " + ".join(subset), "size": size} | table)
    return made
