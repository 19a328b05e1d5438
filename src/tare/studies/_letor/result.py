"""The result of the learning-to-rank study, next to the numbers and claims of Feng and Karmaker (2023)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tare._kernels import bootstrap_means
from tare._kernels.statistics import correlations
from tare._measures.scores import Scores
from tare._result import MultiTableResult, Row, Rows
from tare._tables import Column, Table
from tare._tables.table import Cell
from tare.chance._kinds_of_queries import Kinds
from tare.stats._intervals import bias_corrected, correlation_interval
from tare.stats._paired_differences import rounded
from tare.studies._consistency import Consistency
from tare.studies._discrimination import Discrimination
from tare.studies._letor.data import PUBLISHED_NAMES, StudiedMeasure
from tare.studies._published import fk23

__all__ = [
    "CONFIDENCE",
    "VERDICTS",
    "LetorStudy",
    "Resampled",
    "Resamples",
    "claim_rows",
    "difference_rows",
    "difference_table",
    "letor_tables",
    "published_rows",
    "published_table",
    "verdict",
]


# Bootstrap resamples of the queries, behind the verdicts on claims.


CONFIDENCE = 0.95
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Resampled:
    """A statistic of the LETOR study on the observed queries and on each resample."""

    observed: float
    drawn: Floats

    @classmethod
    def of(cls, values: Floats) -> Self:
        """Make a resampled statistic of the study from an array whose first element is the observed value."""
        return cls(float(values[0]), values[1:])

    def __sub__(self, other: Resampled) -> Resampled:
        return Resampled(self.observed - other.observed, self.drawn - other.drawn)

    def interval(self) -> tuple[float, float]:
        """Return the union of the bias-corrected and the percentile interval of a resampled statistic of the study.

        Counts of significant pairs and of swaps vary strongly between resamples. Each interval alone
        is then too narrow, at opposite ends. Return (NaN, NaN) if the statistic is undefined.
        """
        if np.isnan(self.observed) or np.isnan(self.drawn).all():
            return float("nan"), float("nan")
        low, high = bias_corrected(self.observed, self.drawn, CONFIDENCE)
        tails = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
        first, last = np.nanquantile(self.drawn, tails).tolist()
        return min(low, first), max(high, last)


class ResampledTau(Resampled):
    """Kendall's τ of rankers on the observed queries and on each resample."""

    def interval(self) -> tuple[float, float]:
        """Return the interval of the rankers' expected τ for query sets of this size; NaN if τ does not vary."""
        low, high = correlation_interval(self.observed, self.drawn, CONFIDENCE)
        return (float("nan"), float("nan")) if low is None or high is None else (low, high)


@dataclass
class Resamples:
    """Resampled statistics of the LETOR study by (measure, set of queries), and swap rates by (measure, pair of sets).

    All measures use the same resampled queries, so differences between measures are paired.
    Significance is that of a paired t-test, which the studentised bootstrap test approximates.
    """

    draws: int
    seed: int
    alpha: float = 0.05
    significant: dict[tuple[str, str], Resampled] = field(default_factory=dict)
    conflicts: dict[tuple[str, str], Resampled] = field(default_factory=dict)
    distances: dict[tuple[str, str], Resampled] = field(default_factory=dict)
    taus: dict[tuple[str, str], ResampledTau] = field(default_factory=dict)
    swaps: dict[tuple[str, str], Resampled] = field(default_factory=dict)

    def add_set(
        self, name: str, scores: Scores, measures: Sequence[StudiedMeasure], cutoffs: Sequence[int]
    ) -> None:
        """Resample the queries of one set."""
        means: dict[str, Floats] = {}
        apart: dict[str, NDArray[np.bool_]] = {}
        for measure in measures:
            columns = [scores.matrix(measure.at(k)) for k in cutoffs]
            means[measure.label] = rounded(self._means(np.mean(columns, axis=0)))
            apart[measure.label] = np.concatenate([self._significant(c) for c in columns])
        for measure in measures:
            key = (measure.label, name)
            self.significant[key] = Resampled.of(
                apart[measure.label].sum(axis=0).astype(np.float64)
            )
            self.distances[key] = Resampled.of(_distances(means[measure.label]))
            if measure.original is None:
                continue
            conflict = apart[measure.label] != apart[measure.original]
            self.conflicts[key] = Resampled.of(conflict.sum(axis=0).astype(np.float64))
            both = [np.ascontiguousarray(means[m].T) for m in (measure.original, measure.label)]
            self.taus[key] = ResampledTau.of(correlations(both[0], both[1], "tau_b"))

    def add_swaps(
        self, between: str, one: Scores, other: Scores, measures: Sequence[StudiedMeasure]
    ) -> None:
        """Resample both sets of queries for swap rates of rankers; the tables hold means over cutoffs."""
        systems = [s for s in one.systems if s in other.systems]
        one, other = one.select(systems=systems), other.select(systems=systems)
        for measure in measures:
            x = rounded(self._means(one.matrix(measure.name)))
            y = rounded(self._means(other.matrix(measure.name), shift=1))
            a, b = np.triu_indices(len(systems), 1)
            turned = np.sign(x[a] - x[b]) * np.sign(y[a] - y[b]) < 0
            self.swaps[measure.label, between] = Resampled.of(turned.mean(axis=0))

    def _means(self, rows: Floats, shift: int = 0) -> Floats:
        """Return rows × (1 + draws): the observed mean over queries of each row, then the resampled means."""
        rows = np.ascontiguousarray(rows)
        drawn = bootstrap_means(rows, self.draws, self.seed + shift)
        return np.concatenate([rows.mean(axis=1)[:, None], drawn], axis=1)

    def _significant(self, values: Floats) -> NDArray[np.bool_]:
        """Return pairs of rankers × (1 + draws): whether a paired t-test finds a difference."""
        from scipy.special import stdtrit

        a, b = np.triu_indices(len(values), 1)
        gaps, n = values[a] - values[b], values.shape[1]
        mean, square = self._means(gaps), self._means(gaps**2)
        variance = np.maximum(square - mean**2, 0.0) * n / (n - 1)
        critical = float(stdtrit(n - 1, 1 - self.alpha / 2))
        return np.asarray(np.abs(mean) * np.sqrt(n) > critical * np.sqrt(variance) + 1e-12)


def _distances(means: Floats) -> Floats:
    """Return the PAD of each column of rankers' means; pairs of two zeros are skipped."""
    a, b = np.triu_indices(len(means), 1)
    below = np.maximum(np.abs(means[a]), np.abs(means[b]))
    gaps = 100 * np.abs(means[a] - means[b])
    shares = np.divide(gaps, below, out=np.full(gaps.shape, np.nan), where=below > 0)
    counts = (~np.isnan(shares)).sum(axis=0)
    total = np.nansum(shares, axis=0)
    made: Floats = np.divide(total, counts, out=np.full(len(total), np.nan), where=counts > 0)
    return made


# The claims of Feng and Karmaker (2023) about normalised measures, tested on the data of a study.


MIN_TAU = 0.75  # the lowest τ of the article on all queries is 0.785
VERDICTS = ("holds", "does not hold", "not decided")


def verdict(interval: tuple[float, float], bound: float, *, strict: bool) -> str:
    """Return the verdict on a claim: whether a statistic is at least `bound` (or above it, if strict), given its interval.

    >>> [verdict(x, 0, strict=True) for x in ((0.1, 0.3), (-0.2, 0.0), (-0.1, 0.1))]
    ['holds', 'does not hold', 'not decided']
    """
    low, high = interval
    if low > bound or (low == bound and not strict):
        return "holds"
    if high < bound or (high == bound and strict):
        return "does not hold"
    return "not decided"


def claim_rows(study: LetorStudy) -> Rows:
    """Return one dictionary per claim of the article and normalised measure: the finding, its interval, the verdict.

    The interval is that of the difference in the claim: the measure minus its original,
    uninformative minus ideal queries for conflicts, or τ itself. The verdict is "not decided" if the
    interval contains values on both sides of the claim.
    """
    agreement = {(r["second"], r["set"]): r for r in study.agreement_rows()}
    power = {(r["family"], r["set"]): r for r in study.power_rows()}
    swaps: dict[str, dict[str, Any]] = {}
    for row in study.swap_rows():
        swaps.setdefault(row["between"], {})[row["measure"]] = row["swap_rate"]
    drawn = study.resamples
    made: Rows = []

    def add(
        claim: str,
        family: Any,
        found: str,
        of: Resampled,
        bound: float = 0.0,
        *,
        strict: bool = False,
        at_most: bool = False,
    ) -> None:
        low, high = of.interval()
        read = (-high, -low) if at_most else (low, high)
        made.append(
            {
                "claim": claim,
                "measure": family.label,
                "baseline": "exact" if family.baseline == "both" else family.baseline,
                "found": found,
                "low": low,
                "high": high,
                "verdict": verdict(read, bound, strict=strict),
            }
        )

    for family in study.families:
        if family.original is None:
            continue
        label, original = family.label, family.original
        if (label, "all") in agreement:
            tau = agreement[label, "all"]["tau"]
            add(
                f"ranks the rankers like {original} (τ ≥ {MIN_TAU:g}), on all queries",
                family,
                f"τ {tau:.3f}",
                drawn.taus[label, "all"],
                MIN_TAU,
            )
        if (label, "uninformative") in agreement and (label, "ideal") in agreement:
            low, high = (agreement[label, s]["conflicts"] for s in ("uninformative", "ideal"))
            add(
                f"conflicts with {original} more on uninformative queries than on ideal ones",
                family,
                f"{low} vs {high}",
                drawn.conflicts[label, "uninformative"] - drawn.conflicts[label, "ideal"],
                strict=True,
            )
        for name in ("all", "uninformative", "ideal"):
            if (label, name) not in power:
                continue
            mine, theirs = power[label, name], power[original, name]
            add(
                f"finds at least as many significant pairs as {original}, on {name} queries",
                family,
                f"{mine['significant']} vs {theirs['significant']}",
                drawn.significant[label, name] - drawn.significant[original, name],
            )
            add(
                f"separates rankers further (PAD) than {original}, on {name} queries",
                family,
                f"{mine['pad']:.2f} vs {theirs['pad']:.2f}",
                drawn.distances[label, name] - drawn.distances[original, name],
                strict=True,
            )
        for between, rates in swaps.items():
            if rates.get(label) is None or rates.get(original) is None:
                continue
            add(
                f"swaps rankers no more often than {original}, {between}",
                family,
                f"{rates[label]:.3f} vs {rates[original]:.3f}",
                drawn.swaps[label, between] - drawn.swaps[original, between],
                at_most=True,
            )
    return made


# The numbers published by Feng and Karmaker (2023), next to those of a study.


# Tables of means, by system and cutoff: nDCG, V1 and V2 of DCG, MAP, V1 and V2 of SP.
MEANS = (3, 4, 5, 6, 15, 16, 17, 18)
Key = tuple[str, str, str, str]


def published_rows(study: LetorStudy) -> Rows:
    """Return one dictionary per number published by Feng and Karmaker (2023) that the study has also measured."""
    if study.published is None:
        return []
    measured = _measured(study)
    made = []
    for p in fk23():
        if p.dataset != study.published:
            continue
        found = measured.get((p.system, p.set, p.cutoff, p.measure))
        if found is not None:
            kept, counted = found
            made.append(
                {
                    "table": p.table,
                    "system": p.system,
                    "set": p.set,
                    "cutoff": p.cutoff,
                    "measure": p.measure,
                    "published": p.value,
                    "measured": kept,
                    "counted": counted,
                }
            )
    return made


def _measured(study: LetorStudy) -> dict[Key, tuple[float, float | None]]:
    """Return the study's numbers under the names of the article; means also with empty queries as 0."""
    found: dict[Key, tuple[float, float | None]] = {}
    every = "-".join(str(k) for k in (study.cutoffs[0], study.cutoffs[-1]))
    for row in study.mean_rows():
        for name in PUBLISHED_NAMES.get(row["measure"], ()):
            found[row["system"], "all", str(row["cutoff"]), name] = (row["mean"], row["counted"])
    for row in study.agreement_rows():
        for one in PUBLISHED_NAMES.get(row["first"], ()):
            for other in PUBLISHED_NAMES.get(row["second"], ()):
                key = (f"{one} vs {other}", row["set"], every)
                found[(*key, "kendall")] = (row["tau"], None)
                found[(*key, "conflicts of 140")] = (float(row["conflicts"]), None)
    for row in study.power_rows():
        for name in PUBLISHED_NAMES.get(row["family"], ()):
            significant = float(row["significant"])
            found[name, row["set"], every, "significant of 140"] = (significant, None)
            found[name, row["set"], every, "PAD %"] = (row["pad"], None)
    for row in study.swap_rows():
        for name in PUBLISHED_NAMES.get(row["measure"], ()):
            if row["swap_rate"] is not None:
                found[name, row["between"], every, "swap rate"] = (row["swap_rate"], None)
    return found


def difference_rows(rows: Rows) -> Rows:
    """Return one dictionary per published table of means and measure, with the mean absolute difference.

    Measured means count queries without a relevant document as 0, like the published means.
    """
    groups: dict[tuple[int, str], list[float]] = {}
    for row in rows:
        if row["table"] in MEANS and row["counted"] is not None:
            gap = row["counted"] - row["published"]
            groups.setdefault((row["table"], row["measure"]), []).append(gap)
    return [
        {
            "table": table,
            "measure": measure,
            "cells": len(gaps),
            "mean_absolute_difference": sum(map(abs, gaps)) / len(gaps),
            "mean_difference": sum(gaps) / len(gaps),
        }
        for (table, measure), gaps in groups.items()
    ]


def published_table(study: LetorStudy) -> Table:
    """Return the table of published and measured numbers."""
    columns = [
        Column("printed table", of="table"),
        Column("system or measure", align="left", of="system"),
        Column("set", align="left"),
        Column("cutoff", align="left"),
        Column("quantity", align="left", of="measure"),
        Column("published", 3),
        Column("measured", 3),
        Column("empty as 0", 3, of="counted"),
    ]
    note = (
        "Published by Feng and Karmaker (2023). Measured means are over queries with a relevant "
        "document; the last column counts the other queries as 0, like RankLib and the article. The "
        "article calls its MAP SP/k, but its tables fit SP@k/min(k,R), with the expected value "
        "k(R/n)² and the upper bound min(k,R) for V1(SP) and V2(SP). The study uses these."
    )
    return Table.of_rows(
        columns,
        published_rows(study),
        title=f"Published and measured numbers: {study.published}",
        notes=[note],
    )


def difference_table(study: LetorStudy) -> Table:
    """Return the table of differences between the means measured on LETOR data and the published ones."""
    columns: list[Column | str] = [
        Column("printed table", of="table"),
        "measure",
        Column("cells"),
        Column("mean |difference|", 3, of="mean_absolute_difference"),
        Column("mean difference", 3),
    ]
    rows = difference_rows(published_rows(study))
    note = "Measured minus published, over systems and cutoffs. Queries without a relevant document count as 0."
    return Table.of_rows(columns, rows, title="Differences from the published means", notes=[note])


# The tables of the learning-to-rank study.


def letor_tables(study: LetorStudy) -> dict[str, Table]:
    """Return all tables of the study by name."""
    made = {
        "means": _means(study),
        "data": _counts(study),
        "agreement": _agreement(study),
        "power": _power(study),
        "swaps": _swaps(study),
        "claims": _claims(study),
    }
    if study.published:
        made["published"] = published_table(study)
        made["differences"] = difference_table(study)
    return made


def _means(study: LetorStudy) -> Table:
    columns: list[Column | str] = ["measure", "system"]
    columns += [Column(f"k={k}", digits=3) for k in study.cutoffs]
    cells: dict[tuple[str, str], dict[int, float]] = {}
    for row in study.mean_rows():
        cells.setdefault((row["measure"], row["system"]), {})[row["cutoff"]] = row["mean"]
    rows: list[tuple[Cell, ...]] = [
        (*key, *(found.get(k, math.nan) for k in study.cutoffs)) for key, found in cells.items()
    ]
    notes = [
        f"{study.name}: means over {len(study.items):,} of {len(study.scores.items):,} test "
        "queries; the other queries have no relevant document.",
        *study.notes,
    ]
    return Table.of(columns, rows, title="Means", notes=notes)


def _counts(study: LetorStudy) -> Table:
    names = [name.replace("_", " ") for name in study.counts[0]]
    columns: list[Column | str] = [*names[:2], *(Column(name, 1) for name in names[2:])]
    return Table.of_rows(columns, study.counts, title="Data")


def _agreement(study: LetorStudy) -> Table:
    columns: list[Column | str] = [
        "set",
        Column("measure", align="left", of="first"),
        Column("normalised", align="left", of="second"),
        Column("τ", 3, of="tau"),
        Column("conflicts"),
        Column("comparisons"),
    ]
    return Table.of_rows(
        columns, study.agreement_rows(), title="Agreement of original and normalised measures"
    )


def _power(study: LetorStudy) -> Table:
    columns: list[Column | str] = [
        "set",
        Column("measure", align="left", of="family"),
        Column("queries", of="items"),
        Column("comparisons", of="pairs"),
        Column("significant"),
        Column("PAD", 2, of="pad"),
    ]
    d = next(iter(study.discrimination.values()))
    note = (
        f"{d.test} test, α = {d.alpha:g}, {d.draws:,} draws, seed {d.seed}, no correction. PAD: "
        "100·|a₁ − a₂|/max(|a₁|, |a₂|) of means over cutoffs, averaged over pairs. Uninformative "
        "and ideal queries are chosen by nDCG@k for the measures of DCG, and by AP@k for those of SP."
    )
    return Table.of_rows(
        columns, study.power_rows(), title="Discriminative power by measure", notes=[note]
    )


def _swaps(study: LetorStudy) -> Table:
    columns: list[Column | str] = [
        "between",
        "measure",
        Column("queries", of="items_first"),
        Column("and", of="items_second"),
        Column("swaps"),
        Column("swap rate", 3),
        Column("τ", 3, of="coefficient"),
        Column("low", 3),
        Column("high", 3),
    ]
    return Table.of_rows(
        columns,
        study.swap_rows(),
        title="Consistency across data: swap rates and rank correlations",
    )


def _claims(study: LetorStudy) -> Table:
    columns: list[Column | str] = ["claim", "measure", "baseline", "found"]
    columns += [Column("low", 3), Column("high", 3), "verdict"]
    note = (
        f"Low, high: {100 * CONFIDENCE:g} % bootstrap interval over queries (the union of the "
        f"percentile and the bias-corrected interval, {study.resamples.draws:,} draws, seed "
        f"{study.resamples.seed}) of the difference in the claim: the measure minus its original, "
        "uninformative minus ideal queries for conflicts. For τ: τ ± 1.96 standard deviations of the "
        "resampled τ, the interval of its expected value for query sets of this size. Each interval is on "
        "its own, without a correction for the number of claims. A claim is not decided if the "
        "interval contains values on both sides of it. Significance in resamples is that of a paired "
        "t-test."
    )
    return Table.of_rows(
        columns, study.claim_rows(), title="Claims of Feng and Karmaker (2023)", notes=[note]
    )


# The result of the learning-to-rank study.


@dataclass(frozen=True, eq=False, repr=False)
class LetorStudy(MultiTableResult):
    """Scores of rankers, and how reliable each measure is.

    Attributes
    ----------
    name : str
        The name of the data.
    scores : Scores
        The scores of all test queries.
    kinds, sets, discrimination : dict
        By case study (nDCG, MAP): the kinds of queries, the sets of queries, and the discriminative
        power on these sets.
    families : tuple of StudiedMeasure
        The measures of both case studies.
    cutoffs : tuple of int
        The cutoffs.
    swaps : dict of str to Consistency
        Swap rates by comparison of two sets of queries or documents.
    chances, counts : list of dict
        The expected value of each query, and counts that describe the data.
    resamples : Resamples
        Bootstrap resamples, behind the verdicts on claims.
    published : str or None
        The data set whose published numbers are shown.
    options : dict
        Digests of the data, and the options.
    notes : tuple of str
        Remarks on the data.

    Examples
    --------
    >>> import random, tempfile
    >>> from pathlib import Path
    >>> import tare
    >>> draw = random.Random(1).random
    >>> lines = [
    ...     f"{grade} qid:{query} 1:{grade + 3 * draw():.3f} 2:{draw():.3f}\\n"
    ...     for query in range(20) for grade in (0, 0, 0, 1, 2)
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train, test = Path(folder) / "train.txt", Path(folder) / "test.txt"
    ...     _ = train.write_text("".join(lines[:50])), test.write_text("".join(lines[50:]))
    ...     options = {"rankers": ["rankboost", "listnet"], "cutoffs": [3, 5], "draws": 100}
    ...     found = tare.studies.letor(train, test, **options)
    >>> found.cutoffs, list(found.discrimination)
    ((3, 5), ['nDCG', 'MAP'])
    """

    name: str
    scores: Scores
    kinds: dict[str, Kinds]
    sets: dict[str, dict[str, tuple[str, ...]]]
    families: tuple[StudiedMeasure, ...]
    cutoffs: tuple[int, ...]
    discrimination: dict[str, Discrimination]
    swaps: dict[str, Consistency]
    chances: Rows
    counts: Rows
    resamples: Resamples
    published: str | None = None
    options: dict[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def items(self) -> tuple[str, ...]:
        """The test queries with a relevant document."""
        return self.sets["nDCG"]["all"]

    def mean_rows(self) -> Rows:
        """Return one dictionary per system, measure and cutoff, with means over two sets of queries.

        `mean` is over the queries with a relevant document. `counted` is over all queries; as in
        RankLib, a query without a relevant document counts as 0.
        """
        inside = self.scores.select(items=self.items)
        made = []
        plain = [m for m in self.scores.measure_names if m not in self._places]
        rows = [(label, cutoff, measure) for measure, (label, cutoff) in self._places.items()]
        rows += [(m.split("@")[0], int(m.split("@")[1]), m) for m in plain]
        for label, cutoff, measure in rows:
            kept, every = inside.matrix(measure), self.scores.matrix(measure)
            for s, system in enumerate(self.scores.systems):
                made.append(
                    {
                        "measure": label,
                        "cutoff": cutoff,
                        "system": system,
                        "mean": float(kept[s].mean()),
                        "counted": float(np.nan_to_num(every[s]).mean()),
                        "queries": len(inside.items),
                        "all_queries": len(self.scores.items),
                    }
                )
        return made

    @property
    def _places(self) -> dict[str, tuple[str, int]]:
        return {f.at(k): (f.label, k) for f in self.families for k in self.cutoffs}

    @property
    def _labels(self) -> dict[str, str]:
        return {f.name: f.label for f in self.families}

    def agreement_rows(self) -> Rows:
        """Return τ and conflicts of each normalised measure with its original, by set of queries."""
        pairs = {(f.original, f.label) for f in self.families if f.original}
        made = []
        for found in self.discrimination.values():
            for row in found.conflict_rows():
                first, second = self._labels[row["first"]], self._labels[row["second"]]
                if (first, second) in pairs:
                    made.append({**row, "first": first, "second": second})
        return made

    def power_rows(self) -> Rows:
        """Return significant pairs and PAD of each measure, by set of queries."""
        return [
            {**row, "family": self._labels[row["family"]]}
            for found in self.discrimination.values()
            for row in found.family_rows()
        ]

    def swap_rows(self) -> Rows:
        """Return the swap rates of each measure, by comparison."""
        return [
            {"between": what, **row, "measure": self._labels[row["measure"]]}
            for what, found in self.swaps.items()
            for row in found.measure_rows()
        ]

    def query_rows(self) -> Rows:
        """Return the mean score, the expected value and the kind of each query, by case study."""
        return [
            {"case": case, **row}
            for case, found in self.kinds.items()
            for row in found.to_frame().to_dicts()
        ]

    def headlines(self) -> list[str]:
        """Return one sentence per normalised measure: agreement, power and claims."""
        rows = self.claim_rows()
        agreement = {(r["second"], r["set"]): r for r in self.agreement_rows()}
        power = {(r["family"], r["set"]): r for r in self.power_rows()}
        made = []
        for family in self.families:
            if family.original is None:
                continue
            own = [r for r in rows if r["measure"] == family.label]
            one, other = power[family.label, "all"], power[family.original, "all"]
            made.append(
                f"{family.label} and {family.original} rank the rankers with "
                f"τ = {agreement[family.label, 'all']['tau']:.3f}. {family.label} finds "
                f"{one['significant']} of {one['pairs']} comparisons significant, {family.original} "
                f"{other['significant']}. {_claims_that_hold(own)}"
            )
        return made

    def answer(self) -> str:
        """Return how many of the published claims hold on these data."""
        return _claims_that_hold(self.claim_rows())

    def claim_rows(self) -> Rows:
        """Return the claims of Feng and Karmaker (2023) with a verdict on these data."""
        return claim_rows(self)

    def published_rows(self) -> Rows:
        """Return published and measured numbers, where both exist."""
        return published_rows(self)

    def difference_rows(self) -> Rows:
        """Return the differences between measured and published means, by published table."""
        return difference_rows(self.published_rows())

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows by name; `queries` and `chances` are for figures."""
        made = {
            "means": self.mean_rows(),
            "agreement": self.agreement_rows(),
            "power": self.power_rows(),
            "swaps": self.swap_rows(),
            "claims": self.claim_rows(),
            "queries": self.query_rows(),
            "chances": self.chances,
            "data": self.counts,
        }
        if self.published:
            made |= {"published": self.published_rows(), "differences": self.difference_rows()}
        return made

    def facts(self) -> Row:
        """Return the data, options, set sizes, signatures and notes."""
        return {
            "name": self.name,
            "options": self.options,
            "sets": {
                case: {name: len(items) for name, items in own.items()}
                for case, own in self.sets.items()
            },
            "signatures": [str(s) for s in self.scores.signatures],
            "notes": list(self.notes),
        }

    def tables(self) -> dict[str, Table]:
        """Return means, data, agreement, power, swap rates, claims, and published numbers."""
        return letor_tables(self)


def _claims_that_hold(rows: Rows) -> str:
    held, failed, undecided = (sum(r["verdict"] == v for r in rows) for v in VERDICTS)
    return f"Of {len(rows)} published claims, {held} hold, {failed} do not hold, and {undecided} are not decided."
