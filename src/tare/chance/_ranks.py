"""Scores of ranks: one relevant item per query, its rank, and the number of candidates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._choices import RANK_TIES, RANKS_ABOVE, RanksAbove, RankTies
from tare._data.findings import Finding, listed
from tare._data.judged import Judged, Policies
from tare._data.pools import Candidates, Pool, Pools
from tare._data.qrels import read_qrels
from tare._data.ranks import RankTable, SystemRanks, read_ranks
from tare._kernels import JudgedRankings
from tare._measures.aggregation import PARTS, Ratio, without_room
from tare._measures.defaults import RANK_MEASURES
from tare._measures.evaluation import Assembled, Block, Column, assemble, inside, options_of
from tare._measures.geometric_ranks import parts_of
from tare._measures.measure import Measure, make
from tare._measures.names import parse_all
from tare._measures.one_system import RankingEvaluation, Sampling
from tare._measures.ranking.positions import value_at
from tare._measures.scores import Rescoring, Scores
from tare._signature import Signature, tare_version
from tare.chance._net_measures import with_chance, without_trivial_ideals
from tare.errors import MeasureError, choose

if TYPE_CHECKING:
    from tare._measures.inputs import CandidateCounts, MeasuresInput, RanksInput

__all__ = ["RankEvaluation", "missing_queries", "places_of", "pool_finding", "ranks", "tied_places"]


# Findings about scores of ranks: the pool, missing queries, tied places.


def pool_finding(table: RankTable) -> Finding:
    """Report the pool and its mean size."""
    sizes = np.concatenate([one.candidates for one in table.systems])
    size = f"{float(sizes.mean()):,.1f}".removesuffix(".0")
    message = (
        f"pool candidates: chance ranks the candidates of each query ({size} per query on average)."
    )
    return Finding("pool", message, severity="note")


def missing_queries(table: RankTable) -> list[Finding]:
    """Report systems without some of the queries."""
    every = len(table.queries)
    lacking = [
        f"{one.system} {every - len(one.queries):,}"
        for one in table.systems
        if len(one.queries) < every
    ]
    if not lacking:
        return []
    message = f"{len(lacking):,} of {len(table.systems):,} systems lack some of the {every:,} queries; each is scored on its own."
    return [Finding("missing queries", message, len(lacking), examples=listed(lacking))]


def tied_places(table: RankTable, ties: RankTies) -> list[Finding]:
    """Report the number of items whose one relevant item has tied ranks, and how they are scored."""
    count = sum(int(one.tied.sum()) for one in table.systems)
    total = sum(len(one.queries) for one in table.systems)
    if count == 0:
        return []
    how = {
        "expected": "measures are averaged over these places",
        "realistic": "measures are those of the mean place",
        "optimistic": "measures are those of the best place",
        "pessimistic": "measures are those of the worst place",
    }[ties]
    message = f"{count:,} of {total:,} items have tied places; {how}."
    return [Finding("tied places", message, count, severity="note")]


# Evaluation of one system's ranks: rankings of which only the place of the relevant item is
# known.


ITEM = "item"
DEEPEST = np.iinfo(np.int32).max


class RankEvaluation(RankingEvaluation):
    """The values of measures at one system's ranks of the one relevant item per query.

    Expected values depend only on the number of candidates, so a rank above that number does not
    change them.
    """

    def __init__(self, ranks: SystemRanks, ties: RankTies, sampling: Sampling) -> None:
        qrels = read_qrels({query: {ITEM: 1} for query in ranks.queries})
        place = {query: q for q, query in enumerate(ranks.queries)}
        order = np.array([place[query] for query in qrels.items])
        candidates = ranks.candidates[order]
        low, high = (places[order] for places in places_of(ranks, ties))
        judged = Judged(
            ranks.system,
            qrels,
            Policies(ties="expected"),
            _rankings(low, high, np.maximum(candidates, np.ceil(high)).astype(np.int64)),
        )
        counts = dict(zip(qrels.items, candidates.tolist(), strict=True))
        given = Candidates("ranks", counts=counts)
        under_chance = judged.replace(rankings=replace(judged.rankings, retrieved=candidates))
        super().__init__(under_chance, sampling, Pools(Pool("candidates", candidates=given), given))
        self.places = low, high, candidates.astype(np.float64)
        self._at_ranks = RankingEvaluation(judged, sampling)

    def prepare(self, measures: Iterable[Measure]) -> None:
        """Compute the innermost measures at the ranks, in one call if the ranks are whole numbers."""
        inner = list(dict.fromkeys(measure.innermost for measure in measures))
        low = self.places[0]
        whole = bool((low == np.floor(low)).all())
        if whole:
            self._at_ranks.prepare(inner)
        for measure in inner:
            values = self._at_ranks.values(measure) if whole else value_at(measure, low)
            self.set_values(measure, values, self._at_ranks.errors(measure))

    def compute(self, measure: Measure) -> NDArray[np.float64]:
        """Compute a measure of ranks under chance; one of geometric mean ranks has a value for a set only."""
        if measure.innermost.name != "GMR":
            return super().compute(measure)
        self.set_facts(measure, {**self.pools.require(measure).facts(), "mean": "geometric"})
        return np.full(self.size, np.nan)

    def column(self, measure: Measure) -> Column:
        """Return a measure of ranks with its parts; those of geometric mean ranks are the ranks."""
        made = super().column(measure)
        if parts_of(measure) in (None, Ratio):
            return made
        return replace(made, parts=dict(zip(PARTS, self.places, strict=True)))


def places_of(
    ranks: SystemRanks, ties: RankTies
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the best and the worst rank of each relevant item under the policy for ties."""
    return {
        "expected": (ranks.low, ranks.high),
        "realistic": (ranks.middle, ranks.middle),
        "optimistic": (ranks.low, ranks.low),
        "pessimistic": (ranks.high, ranks.high),
    }[ties]


def _rankings(
    low: NDArray[np.float64], high: NDArray[np.float64], retrieved: NDArray[np.int64]
) -> JudgedRankings:
    """Return ranks as rankings for the core: one judged document in each, between two places."""
    count = len(low)
    return JudgedRankings(
        offsets=np.arange(count + 1, dtype=np.int64),
        ranks=np.minimum(low, DEEPEST).astype(np.int32),
        codes=np.zeros(count, dtype=np.int32),
        lows=low.astype(np.int64),
        highs=high.astype(np.int64),
        retrieved=retrieved,
        tied=(low < high).astype(np.int64),
        present=np.ones(count, dtype=np.uint8),
    )


def ranks(
    ranks: RanksInput,
    candidates: CandidateCounts | None = None,
    measures: MeasuresInput = RANK_MEASURES,
    *,
    ties: RankTies = "expected",
    ranks_above: RanksAbove = "refuse",
    seed: int = 0,
    samples: int = 10_000,
) -> Scores:
    """Score the ranks of one relevant item per query, with expected value and net score.

    Net(MeanRank) is the adjusted mean rank index (AMRI). Net(RR) and Net(Success@k) are the adjusted
    mean reciprocal rank and the adjusted hits at k.

    Parameters
    ----------
    ranks
        A path or data frame with the columns query, rank (or rank_min and rank_max), candidates and,
        for several systems, system; a dictionary {query: rank}, {query: (best, worst)} or
        {system: {query: rank}}; or a list of ranks, whose queries are numbered from 1.
    candidates
        The number of candidates that were ranked for each query, including the relevant item: one
        number, {query: number}, a list as long as `ranks`, or a file. None if the table has them.
    measures
        Measures of rankings with one relevant document of grade 1.
    ties
        For items with tied places: the mean of the measure over these places ("expected"), the
        measure at the mean place ("realistic", as in PyKEEN), at the best place ("optimistic") or at
        the worst place ("pessimistic").
    ranks_above
        A rank above the number of candidates raises an error ("refuse"), or is kept and reported in
        a finding ("keep").
    seed, samples
        Seed and number of random orders for expected values without a closed form.

    Returns
    -------
    Scores
        Each measure is followed by its expected value and its net score.

    Raises
    ------
    MeasureError
        If a measure is unknown, or cannot be computed from ranks.
    OptionError
        If an option has an unknown value, or the table and `candidates` both give the candidates.
    FormatError
        If the ranks cannot be read.
    MismatchError
        If a query has no number of candidates, or a rank is above it and `ranks_above` is "refuse".

    Examples
    --------
    >>> import tare
    >>> found = tare.ranks([1, 2, 10], candidates=100, measures="MeanRank")
    >>> found.measures
    (MeanRank, E(MeanRank), Net(MeanRank))
    >>> round(found["Net(MeanRank)"].mean, 4)
    0.9327
    """
    choose("ties", ties, RANK_TIES)
    choose("ranks_above", ranks_above, RANKS_ABOVE)
    asked = parse_all(measures)
    wanted = _columns(asked)
    table = read_ranks(ranks, candidates)
    if ties != "realistic":
        table.refuse_halves(ties)
    policies = _RankPolicies(ties, ranks_above, Sampling(seed, samples))
    scores = _scored(table, wanted, asked, policies)
    return without_trivial_ideals(_without_empty_nets(scores, asked))


def _without_empty_nets(scores: Scores, asked: tuple[Measure, ...]) -> Scores:
    """Drop net scores of ranks that were not asked for and that are undefined for every query."""
    none = [
        m
        for m, ratio in scores.ratios.items()
        if type(ratio) is Ratio and m not in asked and not np.nansum(np.abs(ratio.room))
    ]
    if not none:
        return scores
    message = f"{', '.join(map(str, none))} left out: on no query is there room between chance and the ideal."
    finding = Finding("no room above chance", message, len(none), severity="note")
    kept = scores.select(measures=[m for m in scores.measures if m not in none])
    return replace(kept, findings=(*scores.findings, finding))


def _columns(measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Return each measure of ranks followed by its columns of chance."""
    made: dict[Measure, None] = {}
    for measure in measures:
        _refuse_unfit(measure)
        if measure.name == "GMR":
            made |= dict.fromkeys([measure, *(make(w, inner=measure) for w in ("E", "Net"))])
        else:
            made |= dict.fromkeys(with_chance([measure]))
    return tuple(made)


def _refuse_unfit(measure: Measure) -> None:
    inner = measure.innermost
    definition = inner.definition
    if definition.family != "ranking" or definition.arguments is None:
        raise MeasureError(
            f"{measure} cannot be computed from ranks, which give only the place of one relevant item. "
            "Use a measure of rankings, such as RR, Success@10, MeanRank or nDCG@10."
        )
    if any(p.name == "rel" for p in definition.parameters) and inner["rel"] > 1:
        raise MeasureError(f"{measure}: the ranked item has grade 1; leave rel out.")
    outer: Measure | None = measure
    while outer is not None:
        if any(p.kind == "pool" for p in outer.definition.parameters) and outer["pool"] not in (
            None,
            "candidates",
        ):
            raise MeasureError(
                f"{measure}: with ranks, chance orders the candidates; leave pool={outer['pool']} out."
            )
        outer = outer.inner
    if (
        inner.name == "GMR"
        and measure.name != "GMR"
        and (parts_of(measure) is None or measure.parameters)
    ):
        raise MeasureError(
            f"{measure}: GMR can only be wrapped as E(GMR) and Net(GMR), for a set of queries."
        )


@dataclass(frozen=True)
class _RankPolicies:
    """How ranks become values."""

    ties: RankTies
    above: RanksAbove
    sampling: Sampling


def _scored(
    table: RankTable,
    measures: tuple[Measure, ...],
    asked: tuple[Measure, ...],
    policies: _RankPolicies,
) -> Scores:
    items, ties = table.queries, policies.ties
    place = {item: i for i, item in enumerate(items)}
    noted: list[Finding] = []

    def blocks() -> Iterator[Block]:
        for s, one in enumerate(table.systems):
            evaluation = RankEvaluation(one, ties, policies.sampling)
            evaluation.prepare(measures)
            here = np.array([place[query] for query in evaluation.judged.items])
            columns = [evaluation.column(inside(measure)) for measure in measures]
            noted.extend(evaluation.noted)
            yield Block(s * len(items) + here, columns)

    def sign(made: Assembled) -> Iterator[Signature]:
        drawn = bool(made.errors)
        for measure, facts, n in zip(measures, made.facts, made.counts(), strict=True):
            yield _signature(table, measure, facts, n, policies, drawn=drawn)

    def report(made: Assembled) -> list[Finding]:
        plain = {m: r for m, r in made.ratios.items() if type(r) is Ratio and m in asked}
        sampling = policies.sampling
        return [
            pool_finding(table),
            *table.above(keep=policies.above == "keep"),
            *missing_queries(table),
            *tied_places(table, ties),
            *noted,
            *made.sampled(f"seed {sampling.seed}, {sampling.samples:,} orders"),
            *without_room(plain),
        ]

    def again(more: tuple[Measure, ...]) -> Scores:
        for measure in more:
            _refuse_unfit(measure)
        return _scored(table, more, more, policies)

    systems = tuple(one.system for one in table.systems)
    behind = Rescoring(again, pool_known=True)
    return assemble(
        systems, items, measures, blocks(), sign, report, behind, policies.sampling.seed
    )


def _signature(
    table: RankTable,
    measure: Measure,
    facts: Mapping[str, object],
    n: str,
    policies: _RankPolicies,
    *,
    drawn: bool,
) -> Signature:
    known: dict[str, object] = dict(options_of(measure))
    above = policies.above if policies.above != "refuse" else None
    known |= {"ties": policies.ties, "ranks_above": above, "pool": None}
    # The candidates are part of the ranks.
    known |= {key: fact for key, fact in facts.items() if key != "candidates"}
    if drawn:
        known |= {"seed": policies.sampling.seed, "samples": policies.sampling.samples}
    known |= {"n": n, "ranks": table.digest, "tare": tare_version()}
    return Signature.of(str(measure), known)
