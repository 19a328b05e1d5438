"""Systems under the labels of people and of judges: scores, correlations, rank changes and bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.labels import LabelSet
from tare._data.runs import read_runs
from tare._kernels.statistics import correlations, uniforms
from tare._measures.aggregation import better_end
from tare._measures.evaluate_rankings import evaluate
from tare._measures.inputs import RunsInput
from tare._measures.measure import Measure
from tare._measures.scores import Scores
from tare._result import Rows
from tare.chance._net_measures import with_chance
from tare.errors import MismatchError
from tare.stats._correlation import rbo_of_rows, resampled_means
from tare.stats._draws import monte_carlo
from tare.stats._intervals import correlation_interval, mean_intervals
from tare.stats._paired_differences import rounded, rounded_rows
from tare.stats._ranks_with_ties import mean_ranks

__all__ = [
    "ScoredSystems",
    "SystemPair",
    "bias_rows",
    "correlation_row",
    "group_rows",
    "scored_systems",
]

Floats = NDArray[np.float64]
COEFFICIENTS = ("tau_b", "tau_ap", "rbo", "pearson")
CORE = {"tau_b": "tau_b", "tau_ap": "tau_ap_a", "pearson": "pearson"}


@dataclass(frozen=True, eq=False)
class SystemPair:
    """Scores of the same systems and queries by people and by one judge, systems × queries.

    `linear` are the differences judge − human whose spread gives the interval of the bias.
    """

    judge: str
    measure: str
    systems: tuple[str, ...]
    queries: tuple[str, ...]
    human: Floats
    labelled: Floats
    linear: Floats
    sign: float = 1.0  # −1 if lower is better


class ScoredSystems:
    """The score table of every label set on the queries of the reference."""

    def __init__(self, human: Scores, judges: dict[str, Scores], plain: Sequence[str]) -> None:
        self.human, self.judges, self.plain = human, judges, tuple(plain)
        names = [m.text if hasattr(m, "text") else str(m) for m in human.measures]
        self.measures = tuple(n for n in names if not n.startswith(("E(", "Ideal(")))

    def pair(self, judge: str, measure: str) -> SystemPair:
        """Return the scores of both label sets on their common queries."""
        other = self.judges[judge]
        queries = sorted(set(self.human.items) & set(other.items))
        judged = set(other.systems)
        systems = [s for s in self.human.systems if s in judged]
        one, two = (t.select(systems=systems, items=queries) for t in (self.human, other))
        x, y = (np.ascontiguousarray(t.contributions(measure)) for t in (one, two))
        linear = two.contributions(measure, linearised=True) - one.contributions(
            measure, linearised=True
        )
        sign = -1.0 if better_end(measure) == "lower" else 1.0
        return SystemPair(judge, measure, tuple(systems), tuple(queries), x, y, linear, sign)

    def score_rows(self) -> Rows:
        """Return gross score, expected value and net score of each system by each label set."""
        made: Rows = []
        for name, table in {"human": self.human, **self.judges}.items():
            means = table.means()
            for system in table.systems:
                for measure in self.plain:
                    found = means[system]
                    made.append(
                        {
                            "labels": name,
                            "system": system,
                            "measure": measure,
                            "gross": found.get(measure),
                            "tare": found.get(f"E({measure})"),
                            "net": found.get(f"Net({measure})"),
                        }
                    )
        return made


def scored_systems(
    human: LabelSet,
    judges: Sequence[LabelSet],
    runs: RunsInput,
    measures: Sequence[str | Measure],
    **pools: Any,
) -> ScoredSystems:
    """Score the runs with each label set; with a pool, also the expected and the net scores."""
    given = any(v is not None for v in pools.values())
    wanted = with_chance(measures) if given else tuple(measures)
    read = list(read_runs(runs))
    if len(read) < 2:
        raise MismatchError(f"{len(read)} run found; judges are compared on 2 systems or more.")
    tables = {
        s.name: evaluate(s.to_qrels(human.queries), read, wanted, **pools) for s in (human, *judges)
    }
    first = tables.pop(human.name)
    return ScoredSystems(first, tables, [str(m) for m in with_chance(measures) if m.inner is None])


def correlation_row(
    pair: SystemPair, *, top: int, draws: int, confidence: float, seed: int, threads: int
) -> dict[str, Any]:
    """Return the correlations of both rankings of systems, with intervals over queries."""
    x, y = (pair.sign * np.nanmean(m, axis=1) for m in (pair.human, pair.labelled))
    drawn_x, drawn_y = resampled_means(
        pair.sign * pair.human, pair.sign * pair.labelled, True, "items", draws, seed, threads
    )
    row: dict[str, Any] = {
        "judge": pair.judge,
        "measure": pair.measure,
        "systems": len(pair.systems),
        "queries": len(pair.queries),
    }
    for kind in COEFFICIENTS:
        value = float(_coefficients(x[None, :], y[None, :], kind)[0])
        found = _coefficients(drawn_x, drawn_y, kind)
        least = 0.0 if kind == "rbo" else -1.0
        low, high = correlation_interval(value, found, confidence, least=least)
        row |= {kind: value, f"{kind}_low": low, f"{kind}_high": high}
    ranks = [_ranks(v) for v in (x, y)]
    change = ranks[1] - ranks[0]
    most = int(np.argmax(np.abs(change)))
    best = [set(np.argsort(r, kind="stable")[:top].tolist()) for r in ranks]
    k = min(top, len(x))
    row |= {
        "largest_change": float(abs(change[most])),
        "changed_system": pair.systems[most],
        "rank_human": float(ranks[0][most]),
        "rank_judge": float(ranks[1][most]),
        "top": k,
        "top_agreement": len(best[0] & best[1]) / k,
        "top_by_chance": k / len(x),
        "same_best": bool(np.argmin(ranks[0]) == np.argmin(ranks[1])),
    }
    return row


def _coefficients(x: Floats, y: Floats, kind: str) -> Floats:
    if kind == "pearson":
        return correlations(x, y, "pearson")
    x, y = rounded_rows(x), rounded_rows(y)
    return rbo_of_rows(x, y) if kind == "rbo" else correlations(x, y, CORE[kind])


def _ranks(scores: Floats) -> Floats:
    """Return ranks from 1, the best first; ties share their mean rank."""
    return mean_ranks(-rounded(scores))


def bias_rows(pair: SystemPair, confidence: float) -> Rows:
    """Return the mean of each system by both label sets, and their difference with interval and p."""
    x, y = (np.nanmean(m, axis=1) for m in (pair.human, pair.labelled))
    ends = mean_intervals(pair.linear, method="t", confidence=confidence)
    # One query has no interval, nor have differences that are all alike.
    largest = np.nanmax(np.abs(pair.linear), axis=1, initial=0.0)
    flat = ~(ends[:, 1] - ends[:, 0] > 1e-9 * largest)
    ranks = [_ranks(pair.sign * v) for v in (x, y)]
    return [
        {
            "judge": pair.judge,
            "measure": pair.measure,
            "system": system,
            "human": float(x[k]),
            "labelled": float(y[k]),
            "bias": float(y[k] - x[k]),
            "low": None if flat[k] else float(ends[k, 0]),
            "high": None if flat[k] else float(ends[k, 1]),
            "p": None if flat[k] else _p_of_mean(pair.linear[k]),
            "rank_human": float(ranks[0][k]),
            "rank_judge": float(ranks[1][k]),
        }
        for k, system in enumerate(pair.systems)
    ]


def _p_of_mean(values: Floats) -> float:
    """Return the two-sided p of Student's test of a mean that varies."""
    from scipy.special import stdtr

    known = values[~np.isnan(values)]
    t = known.mean() / (known.std(ddof=1) / np.sqrt(len(known)))
    return float(2 * stdtr(len(known) - 1, -abs(t)))


def group_rows(
    pair: SystemPair, groups: Mapping[str, str], attribute: str, *, draws: int, seed: int
) -> Rows:
    """Return the mean bias of each group of systems, tested by permuting the attribute.

    Each group is tested against the other systems; `p_all` tests all groups at once, by the spread of
    their means. `corrected_over_judges` adjusts both.
    """
    names = np.array([groups[s] for s in pair.systems])
    kinds = sorted(set(names.tolist()))
    bias = np.nanmean(pair.labelled, axis=1) - np.nanmean(pair.human, axis=1)
    orders = np.argsort(uniforms(draws, len(names), seed=seed, substream=7), axis=1)
    inside = np.stack([names == kind for kind in kinds]).astype(np.float64)
    sizes = inside.sum(axis=1)

    def gaps(values: Floats) -> tuple[Floats, Floats]:
        sums = values @ inside.T
        rest = (values.sum(axis=-1, keepdims=True) - sums) / (len(names) - sizes)
        means = sums / sizes
        spread = (sizes * (means - values.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
        return means - rest, spread

    observed, spread = gaps(bias[None, :])
    drawn, spreads = gaps(bias[orders])
    near = 1e-12 * max(1.0, float(np.abs(bias).max()))
    p = monte_carlo((np.abs(drawn) >= np.abs(observed) - near).sum(axis=0), draws)[0]
    whole = float(monte_carlo(np.array([(spreads >= spread - near).sum()]), draws)[0][0])
    return [
        {
            "judge": pair.judge,
            "measure": pair.measure,
            "attribute": attribute,
            "group": kind,
            "systems": int(sizes[k]),
            "bias": float(bias[names == kind].mean()),
            "difference": float(observed[0, k]),
            "p": float(p[k]),
            "p_all": whole,
        }
        for k, kind in enumerate(kinds)
    ]
