"""Systems under the labels of people and of model judges: scores, rank changes, bias, significance, and what may be concluded."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.answers import Answers, read_answers
from tare._data.labels import SEPARATOR, LabelSet
from tare._data.nuggets import AnswerKey, Nugget
from tare._data.runs import read_runs
from tare._data.tables import is_frame
from tare._kernels.statistics import uniforms
from tare._measures.aggregation import better_end
from tare._measures.answers import evaluate_answers
from tare._measures.evaluate_rankings import evaluate
from tare._measures.inputs import RunsInput
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare._measures.scores import Scores
from tare._result import Rows
from tare._tables import p_stated
from tare.chance._net_measures import with_chance
from tare.errors import MismatchError
from tare.stats._corrections import adjust
from tare.stats._correlation import COEFFICIENTS, rbo_of_rows, resampled_means
from tare.stats._draws import monte_carlo
from tare.stats._intervals import correlation_interval, mean_intervals
from tare.stats._meta_evaluation import significance_agreement
from tare.stats._named_tests import TestOptions, run_test
from tare.stats._paired_differences import Pairs, rounded, rounded_rows
from tare.stats._ranks_with_ties import mean_ranks

__all__ = [
    "CELLS",
    "SHOWN",
    "ConclusionAudit",
    "Decisions",
    "ScoredSystems",
    "SystemPair",
    "assigned_systems",
    "bias_rows",
    "correlation_row",
    "group_rows",
    "halves",
    "measures_answers",
    "pair_rows",
    "paragraph",
    "scored_systems",
]


# Systems under the labels of people and of judges: scores, correlations, rank changes and bias.


Floats = NDArray[np.float64]
SHOWN = ("tau_b", "tau_ap", "rbo", "pearson")


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
    """Scores of systems under the labels of people and judges: a table of every label set on the queries of the reference."""

    def __init__(self, human: Scores, judges: dict[str, Scores], plain: Sequence[str]) -> None:
        self.human, self.judges, self.plain = human, judges, tuple(plain)
        names = [m.text if hasattr(m, "text") else str(m) for m in human.measures]
        self.measures = tuple(n for n in names if not n.startswith(("E(", "Ideal(")))

    def pair(self, judge: str, measure: str) -> SystemPair:
        """Return the scores of systems by people's and one judge's labels on their common queries."""
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
        """Return gross score, expected value and net score of each system by each label set, people's and judges'."""
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
    """Score the systems' runs with each label set; with a pool, also the expected and the net scores."""
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
    """Return the correlations of the rankings of systems by people and by a judge, with intervals over queries."""
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
    for kind in SHOWN:
        value = float(_coefficients(x[None, :], y[None, :], kind)[0])
        found = _coefficients(drawn_x, drawn_y, kind)
        least = COEFFICIENTS[kind].least
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
    if kind == "rbo":  # thousands of rows of the same systems at once
        return rbo_of_rows(rounded_rows(x), rounded_rows(y))
    return COEFFICIENTS[kind].of_rows(x, y)


def _ranks(scores: Floats) -> Floats:
    """Return ranks of systems under one label set from 1, the best first; ties share their mean rank."""
    return mean_ranks(-rounded(scores))


def bias_rows(pair: SystemPair, confidence: float) -> Rows:
    """Return the bias of a judge by system: the mean by both label sets, and their difference with interval and p."""
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
    """Return the two-sided p of Student's test of a judge's mean bias that varies."""
    from scipy.special import stdtr

    known = values[~np.isnan(values)]
    t = known.mean() / (known.std(ddof=1) / np.sqrt(len(known)))
    return float(2 * stdtr(len(known) - 1, -abs(t)))


def group_rows(
    pair: SystemPair, groups: Mapping[str, str], attribute: str, *, draws: int, seed: int
) -> Rows:
    """Return a judge's mean bias for each group of systems, tested by permuting the attribute.

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


# Systems under the assignments of people and of models: answers scored by their nuggets.


Pair = tuple[str, str]  # topic, and system with nugget


def measures_answers(measures: Sequence[str | Measure]) -> bool:
    """Return whether all measures are measures of answers."""
    return all(m.innermost.definition.family == "answers" for m in parse_all(measures))


def assigned_systems(
    human: LabelSet,
    judges: Sequence[LabelSet],
    measures: Sequence[str | Measure],
    sources: Iterable[Any],
    nuggets: Any = None,
) -> ScoredSystems:
    """Score the answers of each system by the nugget assignments of each label set.

    All are scored on the nuggets that everybody assigned. The importance of nuggets is that of `nuggets`,
    or else that of the sources of the labels.
    """
    if human.kind != "units":
        raise MismatchError(
            f"measures of answers need assignments of nuggets; the labels of {human.name} are {human.kind}."
        )
    common = set(human.values)
    for judge in judges:
        common &= set(judge.values)
    if not common:
        raise MismatchError("no nugget of an answer was assigned by people and by all judges.")
    known = _importance(sources, nuggets)
    first, *others = (
        evaluate_answers(_answers(labels, common, known), measures, unassigned="skip")
        for labels in (human, *judges)
    )
    if len(first.systems) < 2:
        raise MismatchError(
            f"{human.name}: answers of {len(first.systems)} system; judges are compared on 2 or more."
        )
    tables = {judge.name: table for judge, table in zip(judges, others, strict=True)}
    return ScoredSystems(first, tables, [str(m) for m in parse_all(measures)])


def _importance(sources: Iterable[Any], nuggets: Any) -> dict[tuple[str, str], Nugget]:
    """Return the nuggets of answers whose importance the sources tell, by topic and id."""
    found: dict[tuple[str, str], Nugget] = {}
    for source in sources:
        if isinstance(source, str | os.PathLike) or is_frame(source):
            given = read_answers(source, nuggets=nuggets)
            found |= {(item, n.id): n for item, own in given.nuggets.items() for n in own}
    return found


def _answers(labels: LabelSet, common: set[Pair], known: dict[tuple[str, str], Nugget]) -> Answers:
    """Return the answers with the nuggets that a label set assigns, on the common pairs."""
    credits: dict[AnswerKey, dict[str, float | None]] = {}
    nuggets: dict[str, dict[str, Nugget]] = {}
    for item, pair in sorted(common):
        system, _, name = pair.partition(SEPARATOR)
        credits.setdefault(AnswerKey(system, item, "", item), {})[name] = labels.values[item, pair]
        nuggets.setdefault(item, {})[name] = known.get((item, name), Nugget(name, name))
    return Answers(
        labels.name, {item: tuple(own.values()) for item, own in nuggets.items()}, credits
    )


# Significant differences under the labels of people and of a judge, with random halves as a
# yardstick.


ALL, JUDGED, PEOPLE = "all queries", "people and judge, two halves", "people, two halves"
WORDS = {1: "better", 0: "none", -1: "worse"}
CELLS = tuple((WORDS[h], WORDS[j]) for h in (1, 0, -1) for j in (1, 0, -1))
SHARES = ("accuracy", "precision", "recall", "balanced")


@dataclass(frozen=True, eq=False)
class Decisions:
    """What a test under one label set finds for each pair of systems: sign (0: no difference), p-value, mean difference."""

    signs: NDArray[np.int64]
    p: Floats
    means: Floats

    @classmethod
    def of(cls, values: Floats, test: str, correction: str, options: TestOptions) -> Decisions:
        """Test all pairs of systems under one label set, the rows of a matrix systems × queries."""
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
    """Return random splits of the queries into two halves, to compare conclusions of people with themselves; an odd one is left out."""
    orders = np.argsort(uniforms(splits, queries, seed=seed, substream=11), axis=1)
    half = queries // 2
    return [(np.sort(o[:half]), np.sort(o[half : 2 * half])) for o in orders]


def _row(
    judge: str, measure: str, comparison: str, rounds: list[tuple[Decisions, Decisions]]
) -> dict[str, Any]:
    """Return the mean number of pairs of systems in each of the nine cells of conclusions, and the mean of each share."""
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
    """Audit of conclusions about systems: tests under each label set; those of people on halves are made once per measure."""

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
        """Return the nine cells of conclusions with the yardsticks, and one row per pair of systems."""
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
    """Return one row per pair of systems under people and judge; `flips` if the sign changes and either is significant."""
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


# What may be concluded about a judge: one paragraph, each sentence with the numbers that it rests
# on.


def paragraph(judge: str, rows: dict[str, Rows], alpha: float, confidence: float) -> str:
    """Return the conclusions about one judge; a claim needs a p-value, adjusted over the judges."""
    parts = [
        *agreement_sentences(judge, rows, alpha),
        *_ceiling(judge, rows, alpha),
        *_systems(judge, rows, alpha),
        f"Brackets: {100 * confidence:g} % intervals for query sets of this size, each on its own.",
        _family(rows),
    ]
    tested = [r for r in rows.get("groups", []) if r["judge"] == judge]
    if not tested:
        parts.append(
            "This is about these systems, and about queries like these. It does not show how the judge treats systems "
            "that were built with the same model."
            if rows.get("correlations")
            else "Without runs, nothing follows about the order of systems."
        )
    return " ".join(p for p in parts if p)


def _own(rows: dict[str, Rows], table: str, judge: str) -> Rows:
    return [r for r in rows.get(table, []) if r["judge"] == judge]


def _interval(row: dict[str, Any], name: str, signed: bool = False) -> str:
    form = "+.3f" if signed else ".3f"
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    ends = "" if low is None or high is None else f" [{low:{form}}, {high:{form}}]"
    return f"{row[name]:{form}}{ends}".replace("-", "−")


def _side(value: float, p: float | None, alpha: float) -> int:
    """Return the sign of a judge's κ, leniency or bias that is shown to differ from 0; 0 if it is not."""
    if p is None or not p <= alpha or value == 0:
        return 0
    return 1 if value > 0 else -1


def _p(p: float | None) -> str:
    return "not tested" if p is None or p != p else p_stated(p)


def _family(rows: dict[str, Rows]) -> str:
    """Say what the p-values are adjusted over."""
    count = len({r["judge"] for r in rows["agreement"] if "failed" in r})
    if count < 2:
        return ""
    return f"Each p is adjusted over those of the {count} judges that have one (Holm)."


def agreement_sentences(judge: str, rows: dict[str, Rows], alpha: float) -> list[str]:
    """Return how far the labels of a judge and of people agree, κ first, and the judge's leniency."""
    row = _own(rows, "agreement", judge)[0]
    pairs = f"{row['pairs']:,} pairs of {row['queries']:,} queries"
    if row["scale"] != "same":
        ranked = _own(rows, "ranks", judge)
        auc = (
            [f"AUC {_interval(ranked[0], 'auc')}."]
            if ranked and ranked[0]["auc"] == ranked[0]["auc"]
            else []
        )
        return [
            f"{judge} labels on another scale than people ({pairs}), so κ of grades and leniency are not "
            "defined.",
            *auc,
        ]
    p = row.get("kappa_p_adjusted")
    against = {1: "above chance", 0: "not shown to differ from chance", -1: "below chance"}
    made = [
        f"{judge} and people agree on {_share(row['equal'])} of {pairs}; labels drawn with the same "
        f"frequencies would agree on {_share(row['by_chance'])}.",
        f"Cohen's κ is {_interval(row, 'kappa')}, "
        f"{against[_side(row['kappa'], p, alpha)]} ({_p(p)}).",
    ]
    if "leniency" in row:
        p = row.get("leniency_p_adjusted")
        said = {
            1: "the judge is more lenient than people",
            -1: "the judge is stricter than people",
            0: "neither leniency nor strictness is shown",
        }
        made.append(
            f"The mean difference of grades, judge − people, is {_interval(row, 'leniency', True)}: "
            f"{said[_side(row['leniency'], p, alpha)]} ({_p(p)})."
        )
    return made


def _ceiling(judge: str, rows: dict[str, Rows], alpha: float) -> list[str]:
    made = []
    for row in _own(rows, "ceiling", judge):
        p = row.get("p_adjusted")
        said = {
            1: "the judge agrees better with the first person than the second person does",
            -1: "the judge agrees less with the first person than the second person does",
            0: "which of the two is higher is not shown",
        }[_side(row["difference"], p, alpha)]
        made.append(
            f"On {row['pairs']:,} pairs labelled by {row['against']} and {row['person']}, κ with "
            f"{row['against']} is {row['kappa_judge']:.3f} for the judge and {row['kappa_person']:.3f} for "
            f"{row['person']}: {said} ({_p(p)})."
        )
    return made


def _systems(judge: str, rows: dict[str, Rows], alpha: float) -> list[str]:
    made = []
    for row in _own(rows, "correlations", judge)[:1]:
        measure = row["measure"]
        change = (
            f"the largest change is {row['largest_change']:g} ranks ({row['changed_system']}, from "
            f"{row['rank_human']:g} to {row['rank_judge']:g})"
            if row["largest_change"]
            else "no system changes its rank"
        )
        made.append(
            f"By {measure}, τ-b between the rankings of {row['systems']} systems is "
            f"{_interval(row, 'tau_b')}; {change}."
        )
        own = [r for r in _own(rows, "systems", judge) if r["measure"] == measure]
        sides = [_side(r["bias"], r.get("p_adjusted"), alpha) for r in own]
        made.append(
            f"For {sides.count(1)} of {len(own)} systems the mean by the judge is shown to be higher than by "
            f"people, and for {sides.count(-1)} lower (t-tests, adjusted for the systems of all judges)."
        )
        found = {
            r["comparison"]: r for r in _own(rows, "conclusions", judge) if r["measure"] == measure
        }
        made += _decisions(
            found, [r for r in _own(rows, "pairs", judge) if r["measure"] == measure]
        )
        for group in [r for r in _own(rows, "groups", judge) if r["measure"] == measure][:1]:
            p = group["p_all_adjusted"]
            made.append(
                f"The bias {'differs' if p <= alpha else 'is not shown to differ'} between the values of "
                f"{group['attribute']} (permutation test, {_p(p)})."
            )
    return made


def _decisions(found: dict[str, dict[str, Any]], pairs: Sequence[dict[str, Any]]) -> list[str]:
    row = found[ALL]
    reversed_ = sum(r["reversed"] for r in pairs)
    made = [
        f"Of the differences between systems that are significant under labels of people, the judge finds "
        f"{_share(row['recall'])}; of those that it finds, {_share(row['precision'])} are significant for "
        f"people; {reversed_} of {row['pairs']} pairs are significant in opposite directions."
    ]
    if JUDGED in found:
        ours, theirs = found[JUDGED], found[PEOPLE]
        made.append(
            f"Yardstick: from one random half of the queries to the other, {_share(ours['recall'])} of the "
            f"differences found by people are found by the judge, and {_share(theirs['recall'])} by "
            f"people (means of {ours['splits']} splits)."
        )
    return made


def _share(value: float) -> str:
    return "none (there are none)" if value != value else f"{100 * value:.1f} %"
