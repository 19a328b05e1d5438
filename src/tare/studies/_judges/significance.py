"""Significant differences under the labels of people and of a judge, with random halves as a yardstick."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import uniforms
from tare._result import Rows
from tare.stats._corrections import adjust
from tare.stats._meta_evaluation import significance_agreement
from tare.stats._named_tests import TestOptions, run_test
from tare.stats._paired_differences import Pairs
from tare.studies._judges.systems import SystemPair

__all__ = ["CELLS", "ConclusionAudit", "Decisions", "halves", "pair_rows"]

Floats = NDArray[np.float64]
ALL, JUDGED, PEOPLE = "all queries", "people and judge, two halves", "people, two halves"
WORDS = {1: "better", 0: "none", -1: "worse"}
CELLS = tuple((WORDS[h], WORDS[j]) for h in (1, 0, -1) for j in (1, 0, -1))
SHARES = ("accuracy", "precision", "recall", "balanced")


@dataclass(frozen=True, eq=False)
class Decisions:
    """What a test finds for each pair of systems: sign (0: no difference), p-value, mean difference."""

    signs: NDArray[np.int64]
    p: Floats
    means: Floats

    @classmethod
    def of(cls, values: Floats, test: str, correction: str, options: TestOptions) -> Decisions:
        """Test all pairs of the rows of a matrix systems × queries."""
        pairs = Pairs.of_matrix(values)
        p = np.ones(len(pairs))
        keep = (pairs.n >= 2) & (np.nan_to_num(np.abs(pairs.differences)).sum(axis=1) > 0)
        if keep.any():
            p[keep] = run_test(pairs.take(keep), test, options).p
        found = adjust(p, correction)
        means = np.nan_to_num(pairs.means)
        signs = np.where(found <= options.alpha * (1 + 1e-9), np.sign(means), 0).astype(np.int64)
        return cls(signs, found, means)


def halves(queries: int, splits: int, seed: int) -> list[tuple[Any, Any]]:
    """Return random splits of the queries into two halves of equal size; an odd query is left out."""
    orders = np.argsort(uniforms(splits, queries, seed=seed, substream=11), axis=1)
    half = queries // 2
    return [(np.sort(o[:half]), np.sort(o[half : 2 * half])) for o in orders]


def _row(
    judge: str, measure: str, comparison: str, rounds: list[tuple[Decisions, Decisions]]
) -> dict[str, Any]:
    """Return the mean number of pairs in each of the nine cells, and the mean of each share."""
    tables = [significance_agreement(a.signs, b.signs).to_dict() for a, b in rounds]
    row: dict[str, Any] = {
        "judge": judge,
        "measure": measure,
        "comparison": comparison,
        "splits": len(rounds),
        "pairs": tables[0]["pairs"],
    }
    for name in SHARES:
        column = np.array([t[name] for t in tables], dtype=np.float64)
        known = column[~np.isnan(column)]
        row[name] = float(known.mean()) if len(known) else float("nan")
        row[f"{name}_deviation"] = float(known.std(ddof=1)) if len(known) > 1 else None
    for human, said in CELLS:
        signs = {word: sign for sign, word in WORDS.items()}
        counts = [((a.signs == signs[human]) & (b.signs == signs[said])).sum() for a, b in rounds]
        row[f"{human}_{said}"] = float(np.mean(counts))
    return row


class ConclusionAudit:
    """Tests under each label set; those of people on halves are made once per measure."""

    def __init__(self, test: str, correction: str, options: TestOptions, splits: int) -> None:
        self.make = (test, correction, options)
        self.splits, self.seed = splits, options.seed
        self.cache: dict[Any, list[tuple[Decisions, Decisions]]] = {}

    def _people(self, pair: SystemPair) -> list[tuple[Decisions, Decisions]]:
        key = (pair.measure, pair.queries, pair.systems)
        if key not in self.cache:
            self.cache[key] = [
                (
                    Decisions.of(_cut(pair.human, a), *self.make),
                    Decisions.of(_cut(pair.human, b), *self.make),
                )
                for a, b in halves(len(pair.queries), self.splits, self.seed)
            ]
        return self.cache[key]

    def rows(self, pair: SystemPair) -> tuple[Rows, Rows]:
        """Return the nine cells with the yardsticks, and one row per pair of systems."""
        human = Decisions.of(pair.human, *self.make)
        judge = Decisions.of(pair.labelled, *self.make)
        made = [_row(pair.judge, pair.measure, ALL, [(human, judge)])]
        if len(pair.queries) >= 4:
            people = self._people(pair)
            mixed = [
                (people[k][0], Decisions.of(_cut(pair.labelled, b), *self.make))
                for k, (_, b) in enumerate(halves(len(pair.queries), self.splits, self.seed))
            ]
            made.append(_row(pair.judge, pair.measure, JUDGED, mixed))
            made.append(_row(pair.judge, pair.measure, PEOPLE, people))
        return made, pair_rows(pair, human, judge)


def _cut(values: Floats, places: Any) -> Floats:
    return np.ascontiguousarray(values[:, places])


def pair_rows(pair: SystemPair, human: Decisions, judge: Decisions) -> Rows:
    """Return one row per pair of systems; `flips` if the sign changes and either is significant."""
    first, second = np.triu_indices(len(pair.systems), 1)
    opposite = np.sign(human.means) * np.sign(judge.means) < 0
    return [
        {
            "judge": pair.judge,
            "measure": pair.measure,
            "system": pair.systems[int(first[k])],
            "against": pair.systems[int(second[k])],
            "difference_human": float(human.means[k]),
            "p_human": float(human.p[k]),
            "difference_judge": float(judge.means[k]),
            "p_judge": float(judge.p[k]),
            "human": WORDS[int(human.signs[k])],
            "labelled": WORDS[int(judge.signs[k])],
            "flips": bool(opposite[k] and (human.signs[k] or judge.signs[k])),
            "reversed": bool(human.signs[k] * judge.signs[k] < 0),
        }
        for k in range(len(first))
    ]
