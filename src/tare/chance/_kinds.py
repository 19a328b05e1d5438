"""Kinds of queries: by how far systems get above chance on them (Feng and Karmaker 2023).

For each query: u, the mean of U(A) over systems and measures, and e, the mean of E(A)/IUB. The
distance d = u − e tells how much a query can say about systems.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._data.judged import Judged, Policies
from tare._data.pool import Pool
from tare._data.pools import Pools
from tare._data.qrels import Qrels, read_qrels
from tare._measures.evaluation import Evaluation, Sampling
from tare._measures.judged_runs import judged_runs
from tare._measures.judgements import read_judgements, union_of
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare._measures.ranking.label_ranking import reads_groups
from tare._reportable import Reportable
from tare.chance._chances import chances_of
from tare.errors import MeasureError, OptionError

if TYPE_CHECKING:
    import polars as pl

    from tare._tables import Table

__all__ = ["Kinds", "broad_and_focused", "halves", "kinds"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Kinds(Reportable):
    """Every query's place between chance and perfection, and the sets that follow.

    uninformative: the `size` queries with the smallest u − e; ideal: those with the largest.
    hard: uninformative with u and e below `low`; easy: uninformative with both above `high`.
    informative: u above e by at least `margin`. Queries with nothing relevant are in no set.
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.kinds"

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
        """The queries on which systems are nearest to chance."""
        return self._chosen(self._extreme(1.0))

    @property
    def ideal(self) -> tuple[str, ...]:
        """The queries on which systems are farthest above chance."""
        return self._chosen(self._extreme(-1.0))

    @property
    def hard(self) -> tuple[str, ...]:
        """Uninformative because nobody finds anything."""
        return self._chosen(self._extreme(1.0) & (self.u < self.low) & (self.e < self.low))

    @property
    def easy(self) -> tuple[str, ...]:
        """Uninformative because everybody does, chance included."""
        return self._chosen(self._extreme(1.0) & (self.u > self.high) & (self.e > self.high))

    @property
    def informative(self) -> tuple[str, ...]:
        """Systems stand well above chance."""
        return self._chosen(self.distance >= self.margin)

    def sets(self) -> dict[str, tuple[str, ...]]:
        """All sets by name; `all` holds every query on which something can be gained."""
        names = ("uninformative", "ideal", "hard", "easy", "informative")
        return {"all": self.items, **{name: getattr(self, name) for name in names}}

    def attributes(self) -> dict[str, dict[str, str]]:
        """The kinds as attributes of items: {attribute: {query: value}}.

        kind: uninformative or ideal; difficulty: hard or easy; informative: yes or no. A query that is
        in both sets, or in neither, has no value.
        """
        made = {
            "kind": _either(uninformative=self.uninformative, ideal=self.ideal),
            "difficulty": _either(hard=self.hard, easy=self.easy),
        }
        inside = set(self.informative)
        return made | {"informative": {q: "yes" if q in inside else "no" for q in self.items}}

    def to_frame(self) -> pl.DataFrame:
        """A polars frame: query, u, e, distance, and one column a set."""
        import polars as pl

        columns: dict[str, Any] = {
            "query": list(self.items),
            "u": self.u,
            "e": self.e,
            "distance": self.distance,
        }
        for name, queries in self.sets().items():
            if name != "all":
                inside = set(queries)
                columns[name] = [item in inside for item in self.items]
        return pl.DataFrame(columns)

    def to_dict(self) -> dict[str, Any]:
        """The sets, and each query's u and e."""
        return {"sets": {k: list(v) for k, v in self.sets().items()}, "queries": self.to_frame().to_dicts()}  # fmt: skip

    def table(self) -> Table:
        """One row a set."""
        from tare._tables import Column, Table

        place = {item: i for i, item in enumerate(self.items)}
        rows = []
        for name, queries in self.sets().items():
            chosen = [place[q] for q in queries]
            mean_u = float(self.u[chosen].mean()) if chosen else float("nan")
            mean_e = float(self.e[chosen].mean()) if chosen else float("nan")
            shown = ", ".join(queries[:4]) + (", …" if len(queries) > 4 else "")
            rows.append((name, len(queries), mean_u, mean_e, mean_u - mean_e, shown))
        notes = [
            f"u: mean of U over systems and {', '.join(map(str, self.measures))}; e: mean of E/IUB. "
            f"Sets of {self.size}; hard below {self.low:g}, easy above {self.high:g}, informative "
            f"from u − e = {self.margin:g} on."
        ]
        if self.undefined:
            notes.append(
                f"{len(self.undefined):,} queries have no relevant document and are left out."
            )
        columns: list[Column | str] = [
            "kind",
            Column("queries"),
            Column("u"),
            Column("e"),
            Column("u − e"),
            "such as",
        ]
        return Table.of(columns, rows, notes=notes)

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().to_html()


def _either(**sets: tuple[str, ...]) -> dict[str, str]:
    """{query: the set that it is in}, for queries in just one."""
    (first, a), (second, b) = sets.items()
    both = set(a) & set(b)
    return {q: name for name, own in ((first, a), (second, b)) for q in own if q not in both}


def kinds(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = ("nDCG@5", "nDCG@10", "nDCG@20"),
    *,
    size: int | float = 0.1,
    low: float = 0.3,
    high: float = 0.7,
    margin: float = 0.2,
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: Any = None,
    seed: int = 0,
) -> Kinds:
    """Sorts queries into kinds by what systems and chance score on them.

    pool, corpus, candidates: what could have been ranked, as for `tare.evaluate`.

    size: how many queries the uninformative and ideal sets hold, or their share if below 1.
    low, high, margin: thresholds of hard, easy and informative.
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
    """The same for judged rankings."""
    for measure in measures:
        if measure.better == "lower":
            raise MeasureError(
                f"{measure}: kinds of queries need a measure where higher is better."
            )
    items = rankings[0].items
    u = np.zeros(len(items))
    e = np.zeros(len(items))
    seen = np.ones(len(items), dtype=bool)
    for judged in rankings:
        evaluation = Evaluation(judged, Sampling(seed))
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
            f"size={size}: sets of {wanted:g} queries cannot be made of {len(kept)} queries."
        )
    wanted = int(wanted)
    return Kinds(
        measures,
        tuple(items[i] for i in kept),
        u[kept] / count,
        e[kept] / count,
        wanted,
        low,
        high,
        margin,
        tuple(items[i] for i in np.flatnonzero(~seen)),
    )


def broad_and_focused(
    qrels: Any, *, share: float = 0.5, grade: float = 2, seed: int = 0
) -> dict[str, tuple[str, ...]]:
    """Broad queries have at least `share` of their judged documents at `grade` or above.

    qrels: what `read_qrels` takes. The larger of the two sets is cut down to the size of the smaller
    by seeded sampling.
    """
    qrels = read_qrels(qrels)
    good = (qrels.levels >= grade)[qrels.pool]
    total = np.concatenate([[0], np.cumsum(good)])
    counts = np.diff(qrels.pool_offsets)
    found = total[qrels.pool_offsets[1:]] - total[qrels.pool_offsets[:-1]]
    broad = found >= share * np.maximum(counts, 1)
    sets = {"broad": np.flatnonzero(broad), "focused": np.flatnonzero(~broad)}
    size = min(len(places) for places in sets.values())
    random = np.random.Generator(np.random.Philox(key=[seed, 2]))
    return {
        name: tuple(qrels.items[i] for i in np.sort(random.choice(places, size, replace=False)))
        for name, places in sets.items()
    }


def halves(qrels: Any, *, seed: int = 0) -> tuple[Qrels, Qrels]:
    """Splits each query's judged documents at random in two: left and right.

    The halves differ by at most one document a query. The same seed splits a document the same way
    whatever else the qrels hold.
    """
    given = read_qrels(qrels)
    left: dict[str, dict[str, float]] = {}
    right: dict[str, dict[str, float]] = {}
    from tare._kernels import stream_ids

    for query, documents in given.by_query():
        names = sorted(name for name, _ in documents)
        keys = stream_ids([f"{seed}\t{query}\t{name}" for name in names])
        order = np.argsort(keys, kind="stable")
        first = {names[i] for i in order[: (len(names) + 1) // 2]}
        left[query] = {d: g for d, g in documents if d in first}
        right[query] = {d: g for d, g in documents if d not in first}
    right = {query: documents for query, documents in right.items() if documents}
    return read_qrels(left), read_qrels(right)
