"""Evaluation of rankings: from qrels, runs and measures to scores."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tare._choices import MISSING, Missing, Order, Precision, SystemNames, Ties, Unjudged
from tare._data.judged import Judged, Policies, refuse_foreign_ids
from tare._data.pools import Pool, Pools
from tare._data.runs import read_runs
from tare._files.addresses import is_address
from tare._measures.engine import ListingEngine, RankingEngine, opened_engine
from tare._measures.evaluation import Sampling
from tare._measures.judged_runs import judged_runs
from tare._measures.judgements import read_judgements, union_of
from tare._measures.measure import Measure
from tare._measures.names import parse, parse_all
from tare._measures.pool_checks import check_pools, refuse_outside_candidates, uses
from tare._measures.ranking.label_ranking import reads_groups
from tare._measures.score_judged import score_judged
from tare._measures.scores import Scores
from tare.errors import MeasureError, OptionError, choose

if TYPE_CHECKING:
    from tare._measures.inputs import CandidatesInput, MeasuresInput, QrelsInput, RunsInput

__all__ = ["evaluate"]

TEXTS = (
    "texts are scored with tare.evaluate_texts(texts, measures) or "
    "tare.evaluate_texts(predictions, references, measures)"
)


def evaluate(
    qrels: QrelsInput,
    runs: RunsInput | None = None,
    measures: MeasuresInput | None = None,
    *,
    ties: Ties = "trec",
    missing: Missing = "zero",
    unjudged: Unjudged = "nonrelevant",
    depth: int | None = None,
    precision: Precision = 64,
    order: Order = "score",
    system_names: SystemNames = "file",
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: CandidatesInput | None = None,
    seed: int = 0,
    samples: int | None = None,
    engine: str | RankingEngine | None = None,
    progress: Callable[[str], None] | None = None,
) -> Scores:
    """Score runs against relevance judgements.

    Texts are scored with `tare.evaluate_texts`.

    Parameters
    ----------
    qrels
        Relevance judgements: what `tare.read_qrels` takes or returns. Measures of diversity need
        what `tare.read_subtopics` takes, and measures of preferences what `tare.read_preferences`
        takes.
    runs
        One or several runs: what `tare.read_runs` takes or returns. May be left out if `qrels` are
        rows or a data frame with retrieved and relevant documents, such as `retrieved_ids` and
        `expected_ids`, or `retrieved_context_ids` and `reference_context_ids`.
    measures
        One or several measures, such as ``["nDCG@10", "Net(nDCG@10)"]``.
    ties
        How documents with equal scores are ordered: by document id, descending, as in trec_eval
        ("trec"); as given ("order"); or not at all: the score is the mean over all orders of the
        tied documents ("expected").
    missing
        A judged query that a run does not have counts as an empty ranking ("zero"), is left out of
        the means ("skip"), or raises an error ("error").
    unjudged
        Unjudged documents are not relevant ("nonrelevant"), or are removed from the rankings before
        scoring ("condensed").
    depth
        Use only the first documents of each ranking.
    precision
        Compare scores as 64-bit numbers, or as 32-bit numbers like trec_eval 9.
    order
        Rank documents by "score", or by "rank", the rank column of the runs, like ndeval.
    system_names
        Name the systems of TREC files after the "file", or after the "tag" in its lines.
    pool
        The documents that a system without skill could have ranked. Measures of chance (Net, E, V2
        and so on) need it unless they name a pool themselves: "judged" if the systems order the
        judged documents, "union" for documents that are judged or retrieved by any of the runs,
        "retrieved" for re-ranking. There is no default, except for LETOR data ("judged").
    corpus
        The number of documents in the collection, as an alternative to `pool`; unjudged documents
        are not relevant. "inf" is the limit of a growing collection.
    candidates
        The documents that could have been ranked for each query, as an alternative to `pool`:
        ``{query: [documents]}``, ``{query: number}``, one number for all queries, a data frame or a
        file.
    seed
        Seed of sampled expected values.
    samples
        Number of random orders for expected values without a closed form (default: 10,000).
    engine
        Where the runs are read: None for this process, "local" for runs larger than memory, "ray"
        for a cluster, or an engine of `tare.engines`. The numbers are the same.
    progress
        Called with the name of each run before it is scored.

    Returns
    -------
    Scores
        One value per system, query and measure.

    Raises
    ------
    MeasureError
        If a measure is unknown or does not fit the data.
    OptionError
        If an option has an unknown value, or a pool is needed and not given.
    DataError
        If qrels or runs cannot be read, or do not fit together.

    Examples
    --------
    >>> import tare
    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 2}}
    >>> tare.evaluate(qrels, {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "RR").mean
    1.0
    """
    texts = sys.modules.get("tare._data.summaries")  # loaded if there is a table of texts
    if texts is not None and isinstance(qrels, texts.Summaries):
        raise OptionError(f"evaluate() scores rankings, and {qrels!r} was given; {TEXTS}.")
    if runs is None and measures is not None:  # rows with retrieved and relevant documents
        from tare._data.native import both_of

        qrels, runs = both_of(qrels)
    if runs is None or measures is None:
        lacking = " and ".join(n for n, x in (("runs", runs), ("measures", measures)) if x is None)
        raise OptionError(f"no {lacking} given: call evaluate(qrels, runs, measures).")
    if isinstance(runs, Iterator):
        runs = list(runs)  # some options read them twice
    choose("missing", missing, MISSING)
    sampling = Sampling(seed) if samples is None else Sampling(seed, samples)
    wanted = parse_all(measures)
    policies = Policies(ties, unjudged, depth, precision, order, reads_groups(wanted), system_names)
    _refuse_text_measures(wanted)
    with opened_engine(engine) as place:
        pools = Pools.of(pool, corpus, candidates)
        if place is None:
            judgements = read_judgements(qrels, wanted)
            pools = pools.known_from(judgements)
            check_pools(wanted, pools)
            if uses(wanted, pools, "union"):
                # read once, for the pool and the scores
                runs = list(read_runs(runs, order=order, system_names=system_names))
            rankings = judged_runs(judgements, runs, policies, progress)
            if uses(wanted, pools, "union"):
                pools = pools.with_union(union_of(rankings[0], runs))
        else:
            pools = pools.known_from(qrels)
            check_pools(wanted, pools)
            if uses(wanted, pools, "union"):
                raise OptionError(
                    "pool=union needs the documents of all runs at once, which an engine does not hold. "
                    "Give pool=judged, corpus=N or candidates."
                )
            rankings = place.rankings(qrels, wanted, runs, policies, progress)
            for judged in rankings:
                # The name of an object has no signature; engines compare the ids of objects.
                refuse_foreign_ids(judged, None if is_address(judged.source) else judged.source)
        _check_candidates(rankings, wanted, pools, runs, place)
    return score_judged(rankings, wanted, missing=missing, sampling=sampling, pools=pools)


def _check_candidates(
    rankings: list[Judged],
    measures: tuple[Measure, ...],
    pools: Pools,
    runs: RunsInput,
    place: RankingEngine | None,
) -> None:
    """Refuse runs that rank documents outside the candidates."""
    lists = None if pools.candidates is None else pools.candidates.lists
    if lists is None or not uses(measures, pools, "candidates"):
        return
    plain = Policies()
    if place is None:
        inside = judged_runs(lists, runs, plain)
    elif isinstance(place, ListingEngine):
        inside = place.listed(lists, runs)
    else:
        inside = place.rankings(lists, (parse("P@1"),), runs, plain)
    refuse_outside_candidates(rankings, inside, lists.name)


def _refuse_text_measures(measures: tuple[Measure, ...]) -> None:
    for measure in measures:
        if measure.innermost.definition.family == "text":
            raise MeasureError(f"{measure} measures texts, not rankings; {TEXTS}, or `tare text`.")
        if measure.innermost.definition.family == "answers":
            raise MeasureError(
                f"{measure} measures answers, not rankings; use tare.evaluate_answers, or `tare answers`."
            )
