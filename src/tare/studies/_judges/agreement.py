"""Agreement of judges with people on labels, with intervals over queries, and what chance would give."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.labels import LabelSet
from tare._result import Rows
from tare.stats._intervals import correlation_interval
from tare.studies._judges.confusion import (
    WEIGHTS,
    by_query,
    confusion_of,
    confusion_statistics,
    flipped_p,
    intervals,
    kappa_totals,
    query_weights,
    rank_statistics,
    resampled,
)
from tare.studies._judges.data import CommonPairs, common_pairs

__all__ = ["BASE_RATES", "CONSTANT", "LabelAudit", "baseline_rows", "ceiling_rows"]

CONSTANT, BASE_RATES = "(constant)", "(base rates)"
Floats = NDArray[np.float64]
MANY_LABELS = 20  # distinct labels of a judge whose confusion matrix is still shown


class LabelAudit:
    """The statistics of pairs of label sets; all use the same resamples of the same queries."""

    def __init__(self, draws: int, confidence: float, seed: int) -> None:
        self.draws, self.confidence, self.seed = draws, confidence, seed
        self.weights = lru_cache(maxsize=4)(lambda queries: query_weights(queries, draws, seed))

    def _drawn(self, counts: Floats, compute: Any) -> tuple[dict[str, Any], dict[str, Floats]]:
        """Return the statistics of all pairs, and those of resampled queries (none for one query)."""
        whole = compute(counts.sum(axis=0))
        several = len(counts) > 1
        return whole, resampled(counts, self.weights(len(counts)), compute) if several else {}

    def _with_intervals(
        self, whole: dict[str, Any], drawn: dict[str, Floats], names: Sequence[str]
    ) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name in names:
            if name not in whole:
                continue
            made[name] = float(whole[name])
            ends: tuple[float | None, float | None] = (None, None)
            if name in drawn and made[name] == made[name]:
                ends = (
                    correlation_interval(made[name], drawn[name], self.confidence)
                    if name == "tau_b"
                    else intervals(drawn[name], self.confidence)
                )
            made[f"{name}_low"], made[f"{name}_high"] = ends
        return made

    def agreement(self, pairs: CommonPairs) -> tuple[dict[str, Any], Rows]:
        """Return share equal, κ, α and leniency, and leniency by human grade.

        Labels on other scales have none of them.
        """
        row: dict[str, Any] = {
            "judge": pairs.judge,
            "against": pairs.against,
            "scale": pairs.scale,
            "pairs": len(pairs),
            "queries": len(pairs.queries),
        }
        if pairs.scale != "same":
            return row, []
        counts, levels = confusion_of(pairs)
        nominal = pairs.categories is not None

        def compute(tables: Floats) -> dict[str, Floats]:
            return confusion_statistics(tables, levels, nominal=nominal)

        whole, drawn = self._drawn(counts, compute)
        names = ("equal", *WEIGHTS, "alpha", "leniency")
        row["by_chance"] = float(whole["by_chance"])
        row |= self._with_intervals(whole, drawn, names)
        row["kappa_p"] = flipped_p(kappa_totals(counts), self.seed)
        if not nominal:
            shift = levels[None, :] - levels[:, None]
            row["leniency_p"] = flipped_p((counts * shift).sum(axis=(1, 2)), self.seed)
        lenient: Rows = []
        given = counts.sum(axis=(0, 2))
        for k in np.flatnonzero(given) if not nominal else ():
            one = {"leniency": whole["leniency_by_grade"][k]}
            many = {"leniency": drawn["leniency_by_grade"][:, k]} if drawn else {}
            lenient.append(
                {"judge": pairs.judge, "grade": float(levels[k]), "pairs": int(given[k])}
                | self._with_intervals(one, many, ("leniency",))
            )
        return row, lenient

    def ranks(self, pairs: CommonPairs, rel: float) -> dict[str, Any]:
        """Return τ-b of the labels and AUC against grades of at least `rel`."""
        if pairs.categories is not None:
            return {}
        shape = (len(pairs.queries), len(pairs.first_levels), len(pairs.second_levels))
        counts = by_query(pairs.query, pairs.first, pairs.second, shape)
        relevant = pairs.first_levels >= rel

        def compute(tables: Floats) -> dict[str, Floats]:
            return rank_statistics(tables, relevant)

        row = {"judge": pairs.judge, "scale": pairs.scale, "pairs": len(pairs), "rel": rel}
        return row | self._with_intervals(*self._drawn(counts, compute), ("tau_b", "auc"))

    def binary(self, pairs: CommonPairs, rel: float, cut: float) -> dict[str, Any]:
        """Return the agreement on "relevant or not": human ≥ `rel` and judge ≥ `cut`."""
        if pairs.categories is not None:
            return {}
        first = (pairs.first_levels >= rel)[pairs.first].astype(np.int64)
        second = (pairs.second_levels >= cut)[pairs.second].astype(np.int64)
        counts = by_query(pairs.query, first, second, (len(pairs.queries), 2, 2))

        def compute(tables: Floats) -> dict[str, Floats]:
            with np.errstate(invalid="ignore", divide="ignore"):
                rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
                hits = tables[..., 1, 1]
                return confusion_statistics(tables, np.array([0.0, 1.0])) | {
                    "sensitivity": hits / rows[..., 1],
                    "specificity": tables[..., 0, 0] / rows[..., 0],
                    "precision": hits / columns[..., 1],
                }

        whole = counts.sum(axis=0)
        row = {
            "judge": pairs.judge,
            "pairs": len(pairs),
            "rel": rel,
            "cut": cut,
            "relevant_human": float(whole[1].sum() / whole.sum()),
            "relevant_judge": float(whole[:, 1].sum() / whole.sum()),
        }
        names = ("equal", "kappa", "sensitivity", "specificity", "precision")
        return row | self._with_intervals(*self._drawn(counts, compute), names)

    def confusion(self, pairs: CommonPairs) -> Rows:
        """Return the number of pairs by human and judge label, and its share of the human label."""
        if len(pairs.second_levels) > MANY_LABELS or len(pairs.first_levels) > MANY_LABELS:
            return []
        shape = (len(pairs.first_levels), len(pairs.second_levels))
        table = np.bincount(pairs.first * shape[1] + pairs.second, minlength=shape[0] * shape[1])
        table = table.reshape(shape)
        return [
            {
                "judge": pairs.judge,
                "human_label": _named(pairs, x),
                "judge_label": _named(pairs, y),
                "count": int(table[i, j]),
                "share": float(table[i, j] / table[i].sum()),
            }
            for i, x in enumerate(pairs.first_levels)
            for j, y in enumerate(pairs.second_levels)
        ]

    def base_rates(self, pairs: CommonPairs) -> Rows:
        """Return the share of each label among those of people and those of the judge."""
        if pairs.scale != "same" or len(pairs.second_levels) > MANY_LABELS:
            return []
        counts, levels = confusion_of(pairs)
        table = counts.sum(axis=0) / len(pairs)
        return [
            {
                "judge": pairs.judge,
                "label": _named(pairs, level),
                "share_human": float(table[k].sum()),
                "share_judge": float(table[:, k].sum()),
            }
            for k, level in enumerate(levels)
        ]

    def queries(self, pairs: CommonPairs) -> Rows:
        """Return the agreement on each query."""
        if pairs.scale != "same":
            return []
        counts, levels = confusion_of(pairs)
        found = confusion_statistics(counts, levels, nominal=pairs.categories is not None)
        lenient = found.get("leniency", np.full(len(counts), np.nan))
        return [
            {
                "judge": pairs.judge,
                "query": query,
                "pairs": int(counts[k].sum()),
                "equal": float(found["equal"][k]),
                "kappa": float(found["kappa"][k]),
                "leniency": float(lenient[k]),
            }
            for k, query in enumerate(pairs.queries)
        ]


def _named(pairs: CommonPairs, label: float) -> str:
    return f"{label:g}" if pairs.categories is None else pairs.categories[int(label)]


def baseline_rows(human: LabelSet) -> Rows:
    """Return two judges without skill: the most frequent label, and draws from the base rates."""
    levels, codes = np.unique(list(human.values.values()), return_inverse=True)
    shares = np.bincount(codes) / len(codes)
    nominal = human.categories is not None
    constant = np.zeros((len(levels), len(levels)))
    constant[:, int(np.argmax(shares))] = shares
    made: Rows = []
    for name, table in ((CONSTANT, constant), (BASE_RATES, np.outer(shares, shares))):
        found = confusion_statistics(table * len(codes), levels, nominal=nominal)
        made.append(
            {
                "judge": name,
                "against": human.name,
                "scale": "same",
                "pairs": len(codes),
                "queries": len(human.queries),
            }
            | {k: round(float(v), 12) + 0.0 for k, v in found.items() if v.ndim == 0}
        )
    return made


def _kappa(tables: Floats, levels: Floats) -> dict[str, Floats]:
    return {"kappa": confusion_statistics(tables, levels)["kappa"]}


def ceiling_rows(people: Sequence[LabelSet], judges: Sequence[LabelSet], audit: LabelAudit) -> Rows:
    """Return how well each judge agrees with the first person, next to how well other people do.

    Both κ are computed on the pairs that all three labelled, and resampled together.
    """
    made: Rows = []
    first = people[0]
    for person in people[1:]:
        for judge in judges:
            shared = [p for p in first.values if p in person.values and p in judge.values]
            if not shared:
                continue
            own = first.mapped({p: first.values[p] for p in shared})
            both = [common_pairs(own, other) for other in (judge, person)]
            if both[0].scale != "same":
                continue
            tables = [confusion_of(p) for p in both]
            whole, drawn = [], []
            for counts, levels in tables:
                compute = partial(_kappa, levels=levels)
                whole.append(float(compute(counts.sum(axis=0))["kappa"]))
                drawn.append(resampled(counts, audit.weights(len(counts)), compute)["kappa"])
            low, high = intervals(drawn[0] - drawn[1], audit.confidence)
            parts = [kappa_totals(counts) for counts, _ in tables]
            made.append(
                {
                    "judge": judge.name,
                    "person": person.name,
                    "against": first.name,
                    "pairs": len(shared),
                    "kappa_judge": whole[0],
                    "kappa_person": whole[1],
                    "difference": whole[0] - whole[1],
                    "low": low,
                    "high": high,
                    "p": flipped_p(parts[0] - parts[1], audit.seed),
                }
            )
    return made
