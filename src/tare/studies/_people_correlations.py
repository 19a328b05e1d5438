"""Measures and human scores of the same systems: correlations, preferences, and significant differences found by both."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from tare._data.preferences import Preferences
from tare._kernels.statistics import uniforms
from tare._measures.names import parse
from tare._measures.scores import Scores
from tare._result import Rows
from tare.errors import MeasureError, MismatchError, OptionError, nearest
from tare.stats._corrections import adjust
from tare.stats._correlation import COEFFICIENTS, WITH_PEOPLE
from tare.stats._intervals import correlation_interval
from tare.stats._meta_evaluation import (
    LEVELS,
    correlation_draws,
    correlation_with_people,
    exchange_test,
    one_sided,
    orders_of_pairs,
    pairwise_accuracy,
    row_correlations,
    significance_agreement,
    soft_pairwise_accuracy,
    tie_calibrated_accuracy,
    wins_of_pairs,
)
from tare.stats._named_tests import TestOptions, run_test
from tare.stats._paired_differences import Pairs

__all__ = [
    "CHANCE",
    "CONSTANT",
    "RandomMeasures",
    "SideBySide",
    "SignificantPairs",
    "agreement_row",
    "assessor_rows",
    "consensus_rows",
    "correlation_rows",
    "difference_rows",
    "enough_draws",
    "gap_rows",
    "improvement_rows",
    "majority",
    "pooled_by_assessor",
    "side_by_side",
    "win_rows",
]


# Measures and human scores of the same systems and items, and groups of systems.


Floats = NDArray[np.float64]
MIN_SYSTEMS = 3  # for a correlation over systems


class CorrelationRow(TypedDict):
    """The correlation of one measure with one human score: its value, and intervals over systems, items and both."""

    set: NotRequired[str]
    peers: str
    human: str
    level: str
    coefficient: str
    measure: str
    systems: int
    items: int
    value: float
    low_systems: float | None
    high_systems: float | None
    low_items: float | None
    high_items: float | None
    low_both: float | None
    high_both: float | None


class DifferenceRow(TypedDict):
    """The test of two measures: the difference of their correlations with people."""

    peers: str
    human: str
    level: str
    coefficient: str
    first: str
    second: str
    difference: float
    p: float
    exact: bool
    p_adjusted: float


class ImprovementRow(TypedDict):
    """The correlation of a normalised measure with people next to that of the measure inside it, and PAI."""

    set: NotRequired[str]
    peers: str
    human: str
    level: str
    coefficient: str
    measure: str
    inside: str
    value: float
    inside_value: float
    pai: float | None


class AssessorRow(TypedDict):
    """The correlation of one measure with people over all outputs of one assessor."""

    peers: str
    human: str
    assessor: str
    coefficient: str
    measure: str
    items: int
    outputs: int
    value: float


class GapRow(TypedDict):
    """One system by one measure and by people: both means, the line fitted to the machines, and the gap to it."""

    human: str
    measure: str
    system: str
    model: bool
    measured: float
    judged: float
    fitted: float
    gap: float


class WinRow(TypedDict):
    """Pairs of outputs that two measures order differently, and with which of them people agree."""

    set: NotRequired[str]
    human: str
    first: str
    second: str
    pairs: int
    disagreements: int
    win: int
    lose: int
    tie: int
    p: float
    exact: bool
    p_adjusted: float


def is_known(value: object) -> bool:
    """Return whether a cell is a finite number."""
    return isinstance(value, int | float) and math.isfinite(value)


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Aligned scores of measures and people: `measured[m]` and `judged[h]` are matrices of systems × items."""

    systems: tuple[str, ...]
    items: tuple[str, ...]
    measures: tuple[str, ...]
    people: tuple[str, ...]
    measured: dict[str, Floats]
    judged: dict[str, Floats]
    models: tuple[str, ...] = ()
    assessors: tuple[str | None, ...] = ()
    notes: tuple[str, ...] = ()

    def peers(self, human: str, top: Sequence[int] = ()) -> dict[str, NDArray[np.int64]]:
        """Return the indices of the systems in each group of peers: all, machines only, the top k for people."""
        everyone = np.arange(len(self.systems))
        written = np.array([s in self.models for s in self.systems])
        groups = {"all systems": everyone}
        if self.models:
            groups = {"all peers": everyone, "no models": everyone[~written]}
        machines = everyone[~written]
        means = np.nan_to_num(_means(self.judged[human])[machines], nan=-np.inf)
        order = machines[np.argsort(-means, kind="stable")]
        for k in top:
            if k < MIN_SYSTEMS:
                raise OptionError(
                    f"top={k} is not valid. At least {MIN_SYSTEMS} systems are needed."
                )
            if k < len(machines):
                groups[f"top {k}"] = np.sort(order[:k])
        return {name: places for name, places in groups.items() if len(places) >= MIN_SYSTEMS}


def _means(values: Floats) -> Floats:
    counts = (~np.isnan(values)).sum(axis=1)
    made: Floats = np.divide(
        np.nansum(values, axis=1), counts, out=np.full(len(values), np.nan), where=counts > 0
    )
    return made


def side_by_side(
    scores: Scores, human: Scores, *, models: Sequence[str] = (), assessor: str = "assessor"
) -> SideBySide:
    """Align the tables of measures and of human scores by the ids of systems and items; notes name what was skipped."""
    rated = set(human.systems)
    systems = [s for s in scores.systems if s in rated]
    items = sorted(set(scores.items) & set(human.items))
    if len(systems) < MIN_SYSTEMS or not items:
        raise MismatchError(
            f"measures and human scores have {len(systems)} systems and {len(items)} items in common, "
            f"but at least {MIN_SYSTEMS} systems and 1 item are needed. They are matched by id."
        )
    both = set(scores.measure_names) & set(human.measure_names)
    if both:
        raise MismatchError(
            f"{min(both)!r} is the name of both a measure and a human score. Rename one of them."
        )
    for name in models:
        if name not in systems:
            raise OptionError(
                f"models={name!r} is not a system of both tables.{nearest(name, systems)}"
            )
    notes = []
    for what, ours, theirs, kept in (
        ("systems", scores.systems, human.systems, systems),
        ("items", scores.items, human.items, items),
    ):
        gone = len((set(ours) | set(theirs)) - set(kept))
        if gone:
            notes.append(f"{gone:,} {what} are in only one table and were skipped.")
    parts = [t.select(systems=systems, items=items) for t in (scores, human)]
    for table in parts:
        if np.isinf(table.values).any():
            raise MismatchError("a score is infinite, but correlations need finite scores.")
    for whose, table in zip(("measure", "human score"), parts, strict=True):
        for m, name in enumerate(table.measure_names):
            if np.isnan(table.values[:, :, m]).all():
                raise MismatchError(
                    f"the {whose} {name!r} has no value for the {len(systems)} systems and {len(items)} items "
                    "that both tables have. Does a row of its table lack a cell, such as the item?"
                )
    coders = parts[1].attributes.get(assessor, parts[0].attributes.get(assessor, ()))
    return SideBySide(
        tuple(systems),
        tuple(items),
        scores.measure_names,
        human.measure_names,
        {m: np.ascontiguousarray(parts[0].contributions(m)) for m in scores.measure_names},
        {h: np.ascontiguousarray(parts[1].matrix(h)) for h in human.measure_names},
        tuple(models),
        tuple(None if c is None else str(c) for c in coders),
        tuple(notes),
    )


# Correlations of measures with people: intervals, tests between measures, improvements.


Places = NDArray[np.int64]
DRAWS_PER_TEST = 40


def correlation_rows(
    data: SideBySide,
    human: str,
    peers: str,
    places: Places,
    measure: str,
    *,
    draws: int,
    confidence: float,
    seed: int,
    threads: int,
) -> list[CorrelationRow]:
    """Return correlations of measures with human scores by level and coefficient, with intervals over systems, items and both."""
    x, y = data.measured[measure][places], data.judged[human][places]
    made: list[CorrelationRow] = []
    for level, kind in itertools.product(LEVELS, WITH_PEOPLE):
        value = correlation_with_people(x, y, level=level, kind=kind)
        drawn = correlation_draws(
            x, y, level=level, kind=kind, draws=draws, seed=seed, threads=threads
        )
        ends = {over: correlation_interval(value, drawn[over], confidence) for over in drawn}
        made.append(
            {
                "peers": peers,
                "human": human,
                "level": level,
                "coefficient": kind,
                "measure": measure,
                "systems": len(places),
                "items": len(data.items),
                "value": value,
                "low_systems": ends["systems"][0],
                "high_systems": ends["systems"][1],
                "low_items": ends["items"][0],
                "high_items": ends["items"][1],
                "low_both": ends["both"][0],
                "high_both": ends["both"][1],
            }
        )
    return made


def enough_draws(tests: int, draws: int) -> int:
    """Return as many draws as Holm's correction over so many tests of two measures needs to find anything."""
    return max(draws, DRAWS_PER_TEST * tests)


def difference_rows(
    data: SideBySide,
    human: str,
    peers: str,
    places: Places,
    *,
    kind: str,
    draws: int,
    seed: int,
    threads: int,
) -> list[DifferenceRow]:
    """Return, per level and pair of measures, the difference of their correlations with people and its p-values."""
    y = data.judged[human][places]
    draws = enough_draws(math.comb(len(data.measures), 2), draws)
    made: list[DifferenceRow] = []
    pairs = list(itertools.combinations(data.measures, 2))
    for level in LEVELS:
        tests = [
            exchange_test(
                data.measured[first][places],
                data.measured[second][places],
                y,
                level=level,
                kind=kind,
                draws=draws,
                seed=seed,
                threads=threads,
            )
            for first, second in pairs
        ]
        adjusted = adjust([found.pvalue for found in tests], "holm").tolist()
        for (first, second), found, p in zip(pairs, tests, adjusted, strict=True):
            made.append(
                {
                    "peers": peers,
                    "human": human,
                    "level": level,
                    "coefficient": kind,
                    "first": first,
                    "second": second,
                    "difference": found.difference,
                    "p": found.pvalue,
                    "exact": found.exact,
                    "p_adjusted": p,
                }
            )
    return made


def improvement_rows(correlations: Sequence[CorrelationRow]) -> list[ImprovementRow]:
    """Return the PAI, in correlation with people, of each normalised measure over the measure that it normalises.

    PAI, the percentage improvement of the correlation, is (r_V − r)/|r| · 100; undefined at r = 0.
    """
    known = {_key(row): row["value"] for row in correlations}
    made: list[ImprovementRow] = []
    for row in correlations:
        try:
            inner = parse(row["measure"]).inner
        except MeasureError:
            continue
        original = known.get(_key(row | {"measure": str(inner)})) if inner is not None else None
        if original is None:
            continue
        gain = 100 * (row["value"] - original) / abs(original) if original else None
        made.append(
            {
                "peers": row["peers"],
                "human": row["human"],
                "level": row["level"],
                "coefficient": row["coefficient"],
                "measure": row["measure"],
                "inside": str(inner),
                "value": row["value"],
                "inside_value": original,
                "pai": gain,
            }
        )
    return made


def _key(row: Mapping[str, object]) -> tuple[object, ...]:
    return tuple(row[k] for k in ("peers", "human", "level", "coefficient", "measure"))


def assessor_rows(data: SideBySide, human: str, peers: str, places: Places) -> list[AssessorRow]:
    """Return correlations with people per assessor, coefficient and measure, over all outputs the assessor judged."""
    made: list[AssessorRow] = []
    for assessor in sorted({a for a in data.assessors if a is not None}):
        mine = np.array([a == assessor for a in data.assessors])
        y = data.judged[human][np.ix_(places, np.flatnonzero(mine))].reshape(1, -1)
        for measure, kind in itertools.product(data.measures, WITH_PEOPLE):
            x = data.measured[measure][np.ix_(places, np.flatnonzero(mine))].reshape(1, -1)
            a, b = (COEFFICIENTS[kind].cleared(values) for values in (x, y))
            made.append(
                {
                    "peers": peers,
                    "human": human,
                    "assessor": assessor,
                    "coefficient": kind,
                    "measure": measure,
                    "items": int(mine.sum()),
                    "outputs": int((~(np.isnan(x) | np.isnan(y))).sum()),
                    "value": float(row_correlations(a, b, kind)[0]),
                }
            )
    return made


def pooled_by_assessor(rows: Sequence[AssessorRow]) -> dict[tuple[str, str], float]:
    """Return the mean correlation of `assessor_rows` over assessors, by measure and coefficient.

    This is the assessor level of Rankel (2016, Table 6.4): all outputs that one person judged are
    compared with each other, whatever their items. Undefined correlations are skipped.
    """
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        own = found.setdefault((row["measure"], row["coefficient"]), [])
        if not np.isnan(row["value"]):
            own.append(row["value"])
    return {key: float(np.mean(v)) if v else float("nan") for key, v in found.items()}


def gap_rows(data: SideBySide, human: str, measures: Sequence[str] | None = None) -> list[GapRow]:
    """Return, per system and measure, the means by the measure and by people, the line fitted to the machines, and the gap to it.

    The line is fitted to the machines. The gap of a model (a human author) shows how much better
    people rate it than the measure predicts.
    """
    made: list[GapRow] = []
    machine = np.array([s not in data.models for s in data.systems])
    for measure in measures or data.measures:
        gone = np.isnan(data.measured[measure]) | np.isnan(data.judged[human])
        counts = np.maximum((~gone).sum(axis=1), 1)
        x, y = (
            np.where(gone, 0.0, z).sum(axis=1) / counts
            for z in (data.measured[measure], data.judged[human])
        )
        known = np.asarray(~gone.all(axis=1))
        fit = machine & known
        spread = x[fit] - x[fit].mean() if fit.any() else np.zeros(1)
        square = float((spread**2).sum())
        slope = float((spread * (y[fit] - y[fit].mean())).sum() / square) if square > 0 else 0.0
        for s, system in enumerate(data.systems):
            if known[s]:
                line = float(y[fit].mean() + slope * (x[s] - x[fit].mean()))
                made.append(
                    {
                        "human": human,
                        "measure": measure,
                        "system": system,
                        "model": not bool(machine[s]),
                        "measured": float(x[s]),
                        "judged": float(y[s]),
                        "fitted": line,
                        "gap": float(y[s]) - line,
                    }
                )
    return made


# Pairs of outputs that two measures order differently, and which order people prefer.


def majority(data: SideBySide, preferences: Preferences) -> Floats:
    """Return the majority preference of the assessors by pair of systems and item.

    1: most assessors prefer the first system; −1: the second; 0: a draw; NaN: no judgements. The
    documents of the preferences are systems, and their queries are items.
    """
    pairs = list(itertools.combinations(range(len(data.systems)), 2))
    place = {pair: k for k, pair in enumerate(pairs)}
    system = {name: k for k, name in enumerate(data.systems)}
    votes = np.full((len(pairs), len(data.items)), np.nan)
    for i, item in enumerate(data.items):
        for judgement in preferences.by_query.get(item, ()):
            if judgement.left not in system or judgement.right not in system:
                continue
            a, b = system[judgement.left], system[judgement.right]
            vote = 2 * judgement.share - 1
            k, vote = (place[a, b], vote) if a < b else (place[b, a], -vote)
            votes[k, i] = np.nan_to_num(votes[k, i]) + vote
    return np.asarray(np.sign(votes), dtype=np.float64)


def win_rows(
    data: SideBySide,
    human: str,
    people: Floats | None = None,
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    draws: int,
    seed: int,
    threads: int,
) -> list[WinRow]:
    """Return one dictionary per pair of measures, counting pairs of outputs they order differently.

    By default all pairs. win: people agree with the first measure; lose: with the second; tie: people see
    no difference. p exchanges the measures of whole systems; Holm's correction is over the pairs.
    """
    orders = orders_of_pairs(data.judged[human]) if people is None else people
    if pairs is None:
        pairs = list(itertools.combinations(data.measures, 2))
    draws = enough_draws(len(pairs), draws)
    tests = [
        wins_of_pairs(
            data.measured[first],
            data.measured[second],
            orders,
            draws=draws,
            seed=seed,
            threads=threads,
        )
        for first, second in pairs
    ]
    adjusted = adjust([found.pvalue for found in tests], "holm").tolist()
    return [
        {
            "human": human,
            "first": first,
            "second": second,
            "pairs": found.pairs,
            "disagreements": found.wins + found.losses + found.ties,
            "win": found.wins,
            "lose": found.losses,
            "tie": found.ties,
            "p": found.pvalue,
            "exact": found.exact,
            "p_adjusted": p,
        }
        for (first, second), found, p in zip(pairs, tests, adjusted, strict=True)
    ]


# Significant differences found by measures and by people, with chance and constant baselines.
#
# Rankel (2016, ch. 7); Kocmi et al. (2021); Deutsch et al. (2023); Thompson et al. (2024); Perrella
# et al. (2024).


CHANCE, CONSTANT = "(chance)", "(constant)"
SHARES = (
    *("accuracy", "precision", "recall", "specificity", "balanced", "balanced_predictions"),
    *("pairwise", "pairwise_significant", "tie_calibrated", "soft"),
)


@dataclass(frozen=True, eq=False)
class SignificantPairs:
    """The significant differences between all pairs of systems by one measure or human score."""

    signs: NDArray[np.int64]
    means: Floats
    differences: Floats
    one_sided: Floats

    @classmethod
    def of(
        cls, values: Floats, test: str, correction: str, options: TestOptions, swaps: int
    ) -> SignificantPairs:
        """Test all pairs of systems by one measure or human score; pairs with fewer than two common items are not significant."""
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
    """Return all accuracies of a measure on pairs of systems, with human judgements as the reference."""
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
    """Random measures to compare agreement with people with, drawn once for all human scores of the same systems and items."""

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
        """Return the accuracies of random measures (mean and central 95 %), and of a constant measure."""
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
    """Return the consensus per subset of measures: a pair of systems is significant if all find it, with one sign."""
    made: Rows = []
    for size in range(1, len(found) + 1):
        for subset in itertools.combinations(found, size):
            signs = np.stack([found[m].signs for m in subset])
            agreed = np.where((signs == signs[0]).all(axis=0), signs[0], 0)
            table = significance_agreement(truth.signs, agreed).to_dict()
            made.append({"measures": " + ".join(subset), "size": size} | table)
    return made
