"""Kinds of queries: by how far systems score above chance on them; broad and focused queries; halves of judgements."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._data.judged import Judged, Policies
from tare._data.pools import Pool, Pools
from tare._data.qrels import Qrels, read_qrels
from tare._kernels import stream_ids
from tare._measures.defaults import CUTOFF_MEASURES
from tare._measures.evaluate_rankings import judged_runs, read_judgements, union_of
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare._measures.one_system import RankingEvaluation, Sampling
from tare._measures.ranking.positions import reads_groups
from tare._result import Result, Row, Rows
from tare._tables import Column, Table
from tare.chance._expected_values import chances_of
from tare.errors import MeasureError, OptionError

if TYPE_CHECKING:
    from tare._measures.inputs import (
        CandidatesInput,
        GradesInput,
        MeasuresInput,
        QrelsInput,
        RunsInput,
    )

__all__ = [
    "Kinds",
    "broad_and_focused",
    "halves",
    "kinds",
    "kinds_of",
]


# Sets of queries, and halves of judged documents, drawn from the judgements alone.


def broad_and_focused(
    qrels: GradesInput, *, share: float = 0.5, grade: float = 2, seed: int = 0
) -> dict[str, tuple[str, ...]]:
    """Split queries into broad and focused ones.

    A query is broad if at least `share` of its judged documents have `grade` or above. The larger
    set is reduced to the size of the smaller one at random.

    Parameters
    ----------
    qrels
        What `tare.read_qrels` takes or returns.
    share, grade
        The thresholds of a broad query.
    seed
        Seed of the random selection.

    Returns
    -------
    dict
        ``{"broad": queries, "focused": queries}``, both of the same size.

    Raises
    ------
    DataError
        If the qrels cannot be read.

    Examples
    --------
    >>> import tare
    >>> qrels = {"q1": {"a": 2, "b": 2}, "q2": {"a": 0, "b": 0, "c": 2}}
    >>> tare.chance.broad_and_focused(qrels)
    {'broad': ('q1',), 'focused': ('q2',)}
    """
    given = read_qrels(qrels)
    good = (given.levels >= grade)[given.pool]
    total = np.concatenate([[0], np.cumsum(good)])
    counts = np.diff(given.pool_offsets)
    found = total[given.pool_offsets[1:]] - total[given.pool_offsets[:-1]]
    broad = found >= share * np.maximum(counts, 1)
    sets = {"broad": np.flatnonzero(broad), "focused": np.flatnonzero(~broad)}
    size = min(len(places) for places in sets.values())
    random = np.random.Generator(np.random.Philox(key=[seed, 2]))
    return {
        name: tuple(given.items[i] for i in np.sort(random.choice(places, size, replace=False)))
        for name, places in sets.items()
    }


def halves(qrels: GradesInput, *, seed: int = 0) -> tuple[Qrels, Qrels]:
    """Split the judged documents of each query at random into two halves.

    The halves differ by at most one document per query. With the same seed a document always falls
    into the same half, whatever else the qrels contain.

    Parameters
    ----------
    qrels
        What `tare.read_qrels` takes or returns.
    seed
        Seed of the split.

    Returns
    -------
    tuple of Qrels
        The left and the right half.

    Raises
    ------
    DataError
        If the qrels cannot be read.

    Examples
    --------
    >>> import tare
    >>> left, right = tare.chance.halves({"q": {"a": 1, "b": 0, "c": 2}})
    >>> len(left), len(right)
    (2, 1)
    """
    given = read_qrels(qrels)
    left: dict[str, dict[str, float]] = {}
    right: dict[str, dict[str, float]] = {}
    for query, documents in given.by_query():
        names = sorted(name for name, _ in documents)
        keys = stream_ids([f"{seed}\t{query}\t{name}" for name in names])
        order = np.argsort(keys, kind="stable")
        first = {names[i] for i in order[: (len(names) + 1) // 2]}
        left[query] = {d: g for d, g in documents if d in first}
        right[query] = {d: g for d, g in documents if d not in first}
    right = {query: documents for query, documents in right.items() if documents}
    return read_qrels(left), read_qrels(right)


# Kinds of queries: by how far systems score above chance on them (Feng and Karmaker 2023).
#
# For each query, u is the mean of U(A) over systems and measures, and e the mean of E(A)/IUB. The larger
# the distance u − e, the more a query reveals about systems.


Array = NDArray[np.float64]
# The kinds in tables, from the most to the least informative queries.
ORDER = ("ideal", "informative", "other", "uninformative", "hard", "easy")


@dataclass(frozen=True, repr=False)
class Kinds(Result):
    """Queries by how far systems score above chance, and the sets that follow.

    Attributes
    ----------
    measures
        The measures behind u and e.
    items
        The queries that have a relevant document.
    u
        The mean score of each query over systems and measures, as a share of the upper bound.
    e
        The mean expected value of each query under chance, as a share of the upper bound.
    size
        The number of queries in `uninformative` (smallest u − e) and in `ideal` (largest u − e).
    low, high
        An uninformative query is `hard` if u and e are below `low`, `easy` if both are above `high`.
    margin
        A query is `informative` if u − e is at least `margin`.
    undefined
        The queries without a relevant document, which are in no set.

    Examples
    --------
    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 0, "b": 1, "c": 0}}
    >>> run = {q: {"a": 3.0, "b": 2.0, "c": 1.0} for q in qrels}
    >>> found = kinds(qrels, run, "RR", size=1, pool="judged")
    >>> found.distance.round(3).tolist(), found.kind_by_query()
    ([0.389, -0.111], {'q1': 'ideal', 'q2': 'uninformative'})
    """

    rows_key: ClassVar[str] = "queries"

    measures: tuple[Measure, ...]
    items: tuple[str, ...]
    u: Array
    e: Array
    size: int
    low: float
    high: float
    margin: float
    undefined: tuple[str, ...]

    @property
    def distance(self) -> Array:
        """u − e."""
        return self.u - self.e

    def _chosen(self, mask: NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple(self.items[i] for i in np.flatnonzero(mask))

    def _extreme(self, sign: float) -> NDArray[np.bool_]:
        order = np.lexsort((np.arange(len(self.items)), sign * self.distance))
        mask = np.zeros(len(self.items), dtype=bool)
        mask[order[: self.size]] = True
        return mask

    @property
    def uninformative(self) -> tuple[str, ...]:
        """The queries on which systems are least above chance, or below it."""
        return self._chosen(self._extreme(1.0))

    @property
    def ideal(self) -> tuple[str, ...]:
        """The queries on which systems are farthest above chance."""
        return self._chosen(self._extreme(-1.0))

    @property
    def hard(self) -> tuple[str, ...]:
        """Uninformative queries on which every system scores low."""
        return self._chosen(self._extreme(1.0) & (self.u < self.low) & (self.e < self.low))

    @property
    def easy(self) -> tuple[str, ...]:
        """Uninformative queries on which every system scores high, and chance too."""
        return self._chosen(self._extreme(1.0) & (self.u > self.high) & (self.e > self.high))

    @property
    def informative(self) -> tuple[str, ...]:
        """The queries on which systems score well above chance."""
        return self._chosen(self.distance >= self.margin)

    def sets(self) -> dict[str, tuple[str, ...]]:
        """Return all sets by name; `all` has every query with a relevant document."""
        names = ("uninformative", "ideal", "hard", "easy", "informative")
        return {"all": self.items, **{name: getattr(self, name) for name in names}}

    def attributes(self) -> dict[str, dict[str, str]]:
        """Return the kinds as attributes of items: {attribute: {query: value}}.

        The attributes are kind (uninformative or ideal), difficulty (hard or easy) and informative
        (yes or no). A query that is in both sets, or in neither, has no value.
        """
        made = {
            "kind": _either(uninformative=self.uninformative, ideal=self.ideal),
            "difficulty": _either(hard=self.hard, easy=self.easy),
        }
        inside = set(self.informative)
        return made | {"informative": {q: "yes" if q in inside else "no" for q in self.items}}

    def answer(self) -> str:
        """Return on how many queries the systems are well above chance."""
        return f"{self.well_above_chance()} {self.above_chance()}"

    def well_above_chance(self) -> str:
        """Return the share of informative queries as a sentence."""
        share = len(self.informative) / len(self.items) if self.items else math.nan
        return f"On {100 * share:.0f} % of the queries the systems are well above chance."

    def above_chance(self) -> str:
        """Return on how many queries the mean score is above its expected value, and by how much."""
        below = int((self.distance <= 0).sum())
        text = (
            f"On {len(self.informative):,} of {len(self.items):,} queries, the mean score of the systems is at "
            f"least {self.margin:g} (as a share of the ideal) above its expected value"
        )
        return text + (f"; on {below:,}, it is not above its expected value." if below else ".")

    def rows(self) -> Rows:
        """Return one dictionary per query: u, e, their distance, and whether it is in each set."""
        inside = {name: set(queries) for name, queries in self.sets().items() if name != "all"}
        return [
            {"query": item, "u": u, "e": e, "distance": u - e}
            | {name: item in queries for name, queries in inside.items()}
            for item, u, e in zip(self.items, self.u.tolist(), self.e.tolist(), strict=True)
        ]

    def facts(self) -> Row:
        """Return the sets of queries."""
        return {"sets": {name: list(queries) for name, queries in self.sets().items()}}

    def kind_by_query(self) -> dict[str, str]:
        """Return one kind per query, the most specific of its sets; "other" if it is in none."""
        sets = self.sets()
        kind_of = dict.fromkeys(self.items, "other")
        for kind in ("informative", "ideal", "uninformative", "hard", "easy"):
            kind_of |= dict.fromkeys(sets[kind], kind)
        return kind_of

    def table(self) -> Table:
        """Return a table with one row per kind; each query is counted once, in its most specific kind."""
        place = {item: i for i, item in enumerate(self.items)}
        kind_of = self.kind_by_query()
        groups = {kind: [q for q in self.items if kind_of[q] == kind] for kind in ORDER}
        rows = []
        for name, queries in {"all": list(self.items), **groups}.items():
            chosen = [place[q] for q in queries]
            score = float(self.u[chosen].mean()) if chosen else float("nan")
            chance = float(self.e[chosen].mean()) if chosen else float("nan")
            shown = ", ".join(queries[:4]) + (", …" if len(queries) > 4 else "")
            rows.append((name, len(queries), score, chance, score - chance, shown))
        measures = ", ".join(map(str, self.measures))
        notes = [
            f"Score: mean {measures} of all systems, as a share of the ideal. By chance: the expected score of "
            "a random ranking, as a share of the ideal. Difference: score minus expected score.",
            f"Ideal: the {self.size:,} queries with the largest difference. Informative: other queries with a "
            f"difference of at least {self.margin:g}. Uninformative: the {self.size:,} queries with the smallest "
            f"difference; of these, hard: both scores below {self.low:g}, and easy: both above {self.high:g}. "
            "Each query is counted in one kind, the most specific.",
        ]
        if self.undefined:
            notes.append(
                f"{len(self.undefined):,} queries have no relevant document and are left out."
            )
        numbers = [Column(name) for name in ("queries", "score", "by chance", "difference")]
        return Table.of(["kind", *numbers, "examples"], rows, notes=notes)


def _either(**sets: tuple[str, ...]) -> dict[str, str]:
    """Return {query: kind} for queries that are in only one of two kinds, such as easy or hard."""
    (first, a), (second, b) = sets.items()
    both = set(a) & set(b)
    return {q: name for name, own in ((first, a), (second, b)) for q in own if q not in both}


def kinds(
    qrels: QrelsInput,
    runs: RunsInput,
    measures: MeasuresInput = CUTOFF_MEASURES,
    *,
    size: int | float = 0.1,
    low: float = 0.3,
    high: float = 0.7,
    margin: float = 0.2,
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: CandidatesInput | None = None,
    seed: int = 0,
) -> Kinds:
    """Sort queries into kinds by what systems and chance score on them.

    Parameters
    ----------
    qrels, runs, measures
        As for `tare.evaluate`; higher values of the measures must be better.
    size
        The number of queries in the uninformative and in the ideal set, or their share if below 1.
    low, high, margin
        Thresholds of hard, easy and informative queries; see `Kinds`.
    pool, corpus, candidates
        The documents that could have been ranked, as for `tare.evaluate`.
    seed
        Seed of expected values without a closed form.

    Returns
    -------
    Kinds
        The queries, and the sets that they are in.

    Raises
    ------
    MeasureError
        If a measure is unknown or has no value under chance, or lower values of it are better.
    OptionError
        If no pool is given, or there are not enough queries for `size`.
    DataError
        If qrels, runs and pool cannot be read, or do not fit together.

    Examples
    --------
    >>> import tare
    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 0, "b": 1, "c": 0}}
    >>> run = {q: {"a": 3.0, "b": 2.0, "c": 1.0} for q in qrels}
    >>> found = tare.chance.kinds(qrels, run, "RR", size=1, pool="judged")
    >>> found.ideal, found.uninformative
    (('q1',), ('q2',))
    """
    wanted = parse_all(measures)
    judgements = read_judgements(qrels, wanted)
    pools = Pools.of(pool, corpus, candidates).known_from(judgements)
    pools.require("the kinds of queries")
    judged = judged_runs(judgements, runs, Policies(groups=reads_groups(wanted)))
    if pools.require("kinds").kind == "union":
        pools = pools.with_union(union_of(judged[0], runs))
    return kinds_of(judged, wanted, pools.require("kinds"), size, low, high, margin, seed)


def kinds_of(
    rankings: list[Judged],
    measures: tuple[Measure, ...],
    pool: Pool,
    size: int | float = 0.1,
    low: float = 0.3,
    high: float = 0.7,
    margin: float = 0.2,
    seed: int = 0,
) -> Kinds:
    """Return the same for judged rankings."""
    for measure in measures:
        if measure.better == "lower":
            raise MeasureError(
                f"{measure}: kinds of queries need a measure for which higher is better."
            )
    items = rankings[0].items
    u, e = np.zeros((2, len(items)))
    seen = np.ones(len(items), dtype=bool)
    for judged in rankings:
        evaluation = RankingEvaluation(judged, Sampling(seed))
        for measure in measures:
            found = chances_of(judged, measure, pool, sampling=Sampling(seed))
            seen &= found.defined
            upper = np.where(found.defined, found.upper, 1.0)
            u += evaluation.values(measure) / upper
            e += np.nan_to_num(found.expected) / upper
    count = len(rankings) * len(measures)
    kept = np.flatnonzero(seen)
    wanted = round(size * len(kept)) if 0 < size < 1 else size
    if not 1 <= wanted <= len(kept):  # neither holds for NaN
        raise OptionError(
            f"size={size}: cannot make sets of {wanted:g} queries from {len(kept)} queries."
        )
    undefined = tuple(items[i] for i in np.flatnonzero(~seen))
    return Kinds(
        measures,
        tuple(items[i] for i in kept),
        u[kept] / count,
        e[kept] / count,
        int(wanted),
        low,
        high,
        margin,
        undefined,
    )
