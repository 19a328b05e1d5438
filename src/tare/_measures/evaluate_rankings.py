"""Evaluation of rankings (`tare.evaluate`): from qrels, runs and measures to scores."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tare._choices import MISSING, Missing, Order, Precision, SystemNames, Ties, Unjudged
from tare._data.findings import Finding, listed
from tare._data.judged import Judged, Policies, check_judged, check_qrels, judge, refuse_foreign_ids
from tare._data.pairs import both_of, is_record
from tare._data.pools import Pool, Pools, RetrievedUnion
from tare._data.qrels import Qrels, read_qrels
from tare._data.recognised_files import is_trec_text
from tare._data.runs import Run, expand, read_runs, stem_of
from tare._data.tables import is_frame
from tare._files.addresses import is_address, shown_path
from tare._files.opening import PathLike, name_of
from tare._measures.aggregation import without_room
from tare._measures.definition import Value
from tare._measures.evaluation import Assembled, Block, assemble, inside, options_of
from tare._measures.measure import Measure
from tare._measures.names import parse, parse_all
from tare._measures.one_system import (
    ListingEngine,
    RankingEngine,
    RankingEvaluation,
    Sampling,
    opened_engine,
)
from tare._measures.ranking.positions import reads_groups
from tare._measures.ranking_findings import (
    check_pools,
    fractional_grades,
    pool_findings,
    refuse_outside_candidates,
    refuse_unretrieved,
    uses,
)
from tare._measures.scores import Rescoring, Scores
from tare._plain_text import plain
from tare._signature import Signature, tare_version
from tare.errors import MeasureError, MismatchError, OptionError, choose

if TYPE_CHECKING:
    from tare._measures.inputs import CandidatesInput, MeasuresInput, QrelsInput, RunsInput

__all__ = [
    "Judgements",
    "evaluate",
    "findings_of",
    "join",
    "judged_runs",
    "judgements_of",
    "need_of",
    "read_judgements",
    "read_kind",
    "score_judged",
    "union_of",
    "with_unique_names",
]


# Judgements of every kind: which a measure needs, how they are read and joined with runs.


class Judgements(Protocol):
    """The common interface of qrels, subtopics, preferences and assessor groups."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings made while reading."""
        ...

    @property
    def items(self) -> tuple[str, ...]:
        """The queries, in ascending order."""
        ...

    def __len__(self) -> int:
        """Return the number of judgements."""
        ...

    @property
    def digest(self) -> str:
        """A digest of the judgements."""
        ...


def need_of(measure: Measure) -> str:
    """Return the kind of judgements that a ranking measure needs, or the innermost one inside it."""
    while measure.inner is not None:
        measure = measure.inner
    return measure.definition.needs


def read_judgements(
    source: Any, measures: Iterable[Measure], *, allow_extra_fields: bool = False
) -> Judgements:
    """Read the judgements that the ranking measures need, which must be of one kind."""
    by_need: dict[str, Measure] = {}
    for measure in measures:
        by_need.setdefault(need_of(measure), measure)
    if len(by_need) > 1:
        needs = ", ".join(f"{measure} needs {need}" for need, measure in by_need.items())
        raise MeasureError(
            f"these measures need different judgements ({needs}). Score them separately, each with "
            "its own file, and join the tables with Scores.join."
        )
    return read_kind(source, next(iter(by_need)), allow_extra_fields=allow_extra_fields)


def read_kind(source: Any, need: str, *, allow_extra_fields: bool = False) -> Judgements:
    """Read judgements of one kind: grades, subtopics, preferences or groups of assessors."""
    if need == "subtopics":
        from tare._data.subtopics import read_subtopics

        return read_subtopics(source, allow_extra_fields=allow_extra_fields)
    if need == "preferences":
        from tare._data.preferences import Utilities, read_preferences

        return source if isinstance(source, Utilities) else read_preferences(source)
    if need == "groups":
        from tare._data.assessor_groups import read_assessor_groups

        return read_assessor_groups(source)
    return read_qrels(source, allow_extra_fields=allow_extra_fields)


def join(judgements: Judgements, run: Any, policies: Policies) -> Judged:
    """Join a run with judgements of any kind."""
    if isinstance(judgements, Qrels):
        return judge(judgements, run, policies)
    documents: Qrels = judgements.documents  # type: ignore[attr-defined]
    return judge(documents, run, policies).replace(judgements=judgements)


def union_of(judged: Judged, runs: Any) -> RetrievedUnion:
    """Return the documents that the runs of a call retrieved beyond the judged ones."""
    return RetrievedUnion.of(judged.qrels, read_runs(runs))


def judgements_of(judged: Judged) -> Judgements:
    """Return the judgements (qrels or another kind) that the rankings of a run were joined with."""
    found: Judgements = judged.qrels if judged.judgements is None else judged.judgements
    return found


def findings_of(judgements: Judgements) -> list[Finding]:
    """Return findings about the judgements alone."""
    if isinstance(judgements, Qrels):
        return check_qrels(judgements)
    return list(judgements.findings)


# Runs joined with judgements.


def judged_runs(
    judgements: Judgements,
    runs: RunsInput,
    policies: Policies,
    progress: Callable[[str], None] | None = None,
) -> list[Judged]:
    """Return every run joined with the judgements; TREC text files are joined while they are read."""
    rankings = []
    for source in _sources(runs, policies):
        if progress is not None:
            progress(source.system if isinstance(source, Run) else name_of(source))
        judged = join(judgements, source, policies)
        if isinstance(judgements, Qrels):
            refuse_foreign_ids(judged, source)
        rankings.append(judged)
    return with_unique_names(rankings)


def _sources(runs: RunsInput, policies: Policies) -> list[Run | PathLike]:
    """Return the paths of runs in TREC text files, and the runs read from everything else."""
    order, names = policies.order, policies.system_names
    if isinstance(runs, str):
        found: list[Run | PathLike] = []
        for path in expand(runs):
            found += [path] if is_trec_text(path) else read_runs(path, order=order)
        return found
    if isinstance(runs, os.PathLike) and is_trec_text(runs):
        return [runs]
    if isinstance(runs, list | tuple) and all(isinstance(path, str | os.PathLike) for path in runs):
        return [source for path in runs for source in _sources(path, policies)]
    if isinstance(runs, Iterable) and not isinstance(runs, Mapping) and not is_frame(runs):
        given = list(runs)
        if not given or not is_record(given[0]):
            return [source for part in given for source in _sources(part, policies)]
        runs = given
    return list(read_runs(runs, order=order, system_names=names))


def _path_of(source: str) -> str:
    """Return the path of a run without the suffixes of its format, as a name of the system.

    >>> _path_of("v1/bm25.run.gz")
    'v1/bm25'
    """
    return str(shown_path(source).with_name(stem_of(source)))


def with_unique_names(rankings: list[Judged]) -> list[Judged]:
    """Give every system a unique name.

    A tag that several runs share is replaced by the name of the file, and a name that several files
    share by the path.
    """
    if not rankings:
        raise OptionError("no run was given; name at least one.")
    given = Counter(judged.system for judged in rankings)
    paths = {judged.source for judged in rankings if judged.source}
    files = Counter(map(stem_of, paths))
    seen: Counter[str] = Counter()
    out = []
    for judged in rankings:
        name = judged.system
        if given[name] > 1 and judged.source:
            name = stem_of(judged.source)
            name = name if files[name] == 1 else _path_of(judged.source)
        seen[name] += 1
        name = name if seen[name] == 1 else f"{name}#{seen[name]}"
        out.append(judged.replace(system=name))
    return out


# The score table of judged rankings.


def score_judged(
    rankings: list[Judged],
    measures: tuple[Measure, ...],
    *,
    missing: Missing = "zero",
    sampling: Sampling | None = None,
    pools: Pools | None = None,
) -> Scores:
    """Return the score table of judged rankings, which must all use the same judgements."""
    sampling = sampling or Sampling()
    pools = (pools or Pools()).known_from(rankings[0].qrels)
    check_pools(measures, pools)
    qrels, policies = judgements_of(rankings[0]), rankings[0].policies
    findings = findings_of(qrels)
    if isinstance(qrels, Qrels):
        findings += fractional_grades(qrels, measures)

    def blocks() -> Iterator[Block]:
        shared: dict[Hashable, Any] = {}
        size = len(qrels.items)
        for s, judged in enumerate(rankings):
            evaluation = RankingEvaluation(judged, sampling, pools, shared)
            evaluation.prepare(measures)
            refuse_unretrieved(evaluation, measures, missing)
            columns = [evaluation.column(inside(measure)) for measure in measures]
            findings.extend((*check_judged(judged), *evaluation.noted))
            if missing == "error":
                _refuse_missing(judged)
            gone = ~judged.present if missing == "skip" else None
            yield Block(slice(s * size, (s + 1) * size), columns, gone)

    def sign(made: Assembled) -> Iterator[Signature]:
        drawn = sampling if made.errors else None
        for measure, facts, n in zip(measures, made.facts, made.counts(), strict=True):
            signature = _signature(measure, policies, missing, qrels, drawn)
            yield signature.with_facts(**facts, n=n)

    def report(made: Assembled) -> list[Finding]:
        return [
            *findings,
            *_undefined(made.values, measures, rankings[0]),
            *without_room(made.ratios),
            *pool_findings(rankings, measures, pools, missing),
            *made.sampled(f"seed {sampling.seed}, {sampling.samples:,} orders"),
        ]

    def again(more: tuple[Measure, ...], some: list[Judged] = rankings) -> Scores:
        _refuse_text_measures(more)
        return score_judged(some, more, missing=missing, sampling=sampling, pools=pools)

    systems = tuple(judged.system for judged in rankings)
    rescoring = Rescoring(again, pools.default is not None, tuple(rankings), pools)
    return assemble(
        systems, qrels.items, measures, blocks(), sign, report, rescoring, sampling.seed
    )


def _refuse_missing(judged: Judged) -> None:
    """Refuse a run without some of the judged queries."""
    lacking = [
        plain(item) for item, there in zip(judged.items, judged.present, strict=True) if not there
    ]
    if lacking:
        raise MismatchError(
            f"{plain(judged.system)}: {len(lacking):,} judged queries are missing from the run "
            f"({', '.join(lacking[:5])}…). missing='zero' counts them as 0, missing='skip' leaves them out."
        )


def _undefined(
    values: NDArray[np.float64], measures: tuple[Measure, ...], judged: Judged
) -> list[Finding]:
    """Report queries on which V1, V2, MeanRank and similar measures are undefined."""
    published = [
        m
        for m, x in enumerate(measures)
        if x.aggregate != "ratio" and (x.definition.wraps or x.better == "lower")
    ]
    if not published:
        return []
    empty = np.asarray(np.isnan(values[:, :, published]).all(axis=0)).any(axis=1)
    if not empty.any():
        return []
    names = [judged.items[i] for i in np.flatnonzero(empty)]
    affected = [str(measures[m]) for m in published if np.isnan(values[:, :, m]).all(axis=0).any()]
    message = (
        f"{len(names):,} of {len(judged.items):,} queries have nothing to gain; {', '.join(affected)} "
        "are undefined there, and their means leave these queries out."
        if len(affected) > 1
        else f"{len(names):,} of {len(judged.items):,} queries have nothing to gain; {affected[0]} is "
        "undefined there, and its mean leaves these queries out."
    )
    return [Finding("undefined net of chance", message, len(names), examples=listed(names))]


def _signature(
    measure: Measure, policies: Policies, missing: str, qrels: Judgements, sampling: Sampling | None
) -> Signature:
    facts: dict[str, object] = {k: _plain(value) for k, value in options_of(measure).items()}
    facts |= {
        "ties": policies.ties,
        "missing": missing,
        "unjudged": policies.unjudged,
        "depth": policies.depth,
        "precision": policies.precision if policies.precision != 64 else None,
        "order": policies.order if policies.order != "score" else None,
        "seed": None if sampling is None else sampling.seed,
        "samples": None if sampling is None else sampling.samples,
        "n": len(qrels.items),
        "qrels": qrels.digest,
        "tare": tare_version(),
    }
    return Signature.of(str(measure), facts)


def _plain(value: Value) -> str:
    if isinstance(value, tuple):
        return "{" + ",".join(f"{a:g}={b:g}" for a, b in value) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value)


# Evaluation of rankings: from qrels, runs and measures to scores.


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
