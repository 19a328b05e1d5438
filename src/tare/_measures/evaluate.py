"""From qrels, runs and measures to scores."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.checks import check_judged
from tare._data.findings import Finding, listed
from tare._data.frames import is_frame
from tare._data.judged import Judged, Policies
from tare._data.pool import Pool
from tare._data.pools import Pools
from tare._data.rows import is_trec_text
from tare._data.run import Run, expand, read_runs
from tare._data.summaries import Summaries
from tare._measures.aggregation import number_of
from tare._measures.engine import RankingEngine, resolve_engine
from tare._measures.evaluation import Evaluation, Sampling
from tare._measures.judgements import (
    Judgements,
    findings_of,
    join,
    judgements_of,
    read_judgements,
    union_of,
)
from tare._measures.measure import Measure
from tare._measures.names import parse, parse_all
from tare._measures.pool_checks import check_pools, refuse_outside_candidates, uses
from tare._measures.pool_findings import pool_findings
from tare._measures.ranking.label_ranking import reads_groups
from tare._measures.ratio import Ratio, refuse_without_room
from tare._measures.scores import Rescoring, Scores
from tare._measures.unretrieved import refuse_unretrieved
from tare._signature import Signature, tare_version
from tare.errors import MeasureError, MismatchError, OptionError, choose

__all__ = ["MISSING", "evaluate", "judged_runs", "score_judged", "told_apart"]

MISSING = ("zero", "skip", "error")


def evaluate(
    qrels: Any,
    runs: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    ties: str = "trec",
    missing: str | None = None,
    unjudged: str = "nonrelevant",
    depth: int | None = None,
    precision: int = 64,
    order: str = "score",
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: Any = None,
    seed: int = 0,
    samples: int | None = None,
    engine: str | RankingEngine | None = None,
    progress: Callable[[str], None] | None = None,
) -> Scores:
    """Scores runs against qrels, as evaluate(qrels, runs, measures); texts as evaluate(texts, measures).

    qrels, runs: what `read_qrels` and `read_runs` take, or what they return; for measures of
    diversity what `read_subtopics` takes.
    texts: what `read_summaries` returns; of the options `missing`, `seed` and `samples` are for texts too.
    ties: "trec" (by document id, descending), "order" (as given) or "expected" (the mean over all
    orders of tied documents).
    missing: a judged query that the run lacks counts as an empty ranking ("zero"), is left out
    ("skip"), or is refused ("error"); so does an item that a system wrote no text about. "zero" by
    default; people who wrote references too skip items that they did not write about.
    unjudged: "nonrelevant", or "condensed" to take unjudged documents out before ranking.
    depth: use only the first documents of each ranking.
    precision: 64, or 32 to compare scores as trec_eval 9 does.
    order: by "score", or by "rank": the rank column of the runs, as ndeval does.
    pool: what a system without skill could have ranked, for measures that need chance (Net, E, V2 and
    the like) and name no pool: "judged" if the systems order the judged documents, "union" for judged
    or retrieved by any of these runs, "retrieved" for re-ranking studies. There is no default where the
    data do not say; LETOR data do (judged).
    corpus: the number of documents that the systems search; those not judged are not relevant. "inf"
    is the limit.
    candidates: what could have been ranked for each query: {query: [documents]}, {query: number}, one
    number for all queries, a data frame or a file.
    seed, samples: for expected values that have no closed form; 10,000 orders of documents, 1,000
    texts, and 10 texts where each must be embedded, unless said.
    engine: where the runs are judged: None for this process as it is, "local" for runs larger than
    memory, "ray" for a cluster, or an engine of `tare.engines`. The numbers are the same. Of texts,
    BERTScore works on engines.

    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 2}}
    >>> evaluate(qrels, {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "RR").mean
    1.0
    """
    if isinstance(qrels, Summaries):
        given = (ties, unjudged, depth, precision, order, pool, corpus, candidates)
        if measures is not None or given != ("trec", "nonrelevant", None, 64, "score", None, None, None):  # fmt: skip
            raise OptionError(
                "texts are scored as evaluate(texts, measures): no runs, no pool, and no policies for "
                "ties, unjudged documents, depth, precision or order."
            )
        return _texts(qrels, runs, missing, seed, samples, resolve_engine(engine))
    if measures is None:
        raise OptionError(
            "rankings are scored as evaluate(qrels, runs, measures), texts as evaluate(texts, "
            "measures) with the texts from read_summaries."
        )
    missing = choose("missing", missing or "zero", MISSING)
    sampling = Sampling(seed) if samples is None else Sampling(seed, samples)
    wanted = parse_all(measures)
    policies = Policies(ties, unjudged, depth, precision, order, groups=reads_groups(wanted))
    _check_families(wanted)
    place = resolve_engine(engine)
    pools = Pools.of(pool, corpus, candidates)
    if place is None:
        judgements = read_judgements(qrels, wanted)
        pools = pools.known_from(judgements)
        check_pools(wanted, pools)
        if uses(wanted, pools, "union"):
            runs = list(read_runs(runs, order=order))  # once, for the pool and for the scores
        rankings = judged_runs(judgements, runs, policies, progress)
        if uses(wanted, pools, "union"):
            pools = pools.with_union(union_of(rankings[0], runs))
    else:
        pools = pools.known_from(qrels)
        check_pools(wanted, pools)
        if uses(wanted, pools, "union"):
            raise OptionError(
                "pool=union needs the documents of all runs at once; an engine holds a part of them. "
                "Give pool=judged, corpus=N or candidates."
            )
        rankings = place.rankings(qrels, wanted, runs, policies, progress)
    _check_candidates(rankings, wanted, pools, runs, place)
    return score_judged(rankings, wanted, missing=missing, sampling=sampling, pools=pools)


def _check_candidates(
    rankings: list[Judged],
    measures: tuple[Measure, ...],
    pools: Pools,
    runs: Any,
    place: RankingEngine | None,
) -> None:
    lists = None if pools.candidates is None else pools.candidates.lists
    if lists is None or not uses(measures, pools, "candidates"):
        return
    plain = Policies()
    if place is None:
        inside = judged_runs(lists, runs, plain)
    else:
        inside = place.rankings(lists, (parse("P@1"),), runs, plain)
    refuse_outside_candidates(rankings, inside, lists.name)


def _texts(
    texts: Summaries,
    measures: Any,
    missing: str | None,
    seed: int,
    samples: int | None,
    engine: Any,
) -> Scores:
    from tare._measures.text.evaluate import evaluate_texts

    if measures is None:
        raise OptionError("no measure was asked for; name at least one, such as 'ROUGE-2'.")
    return evaluate_texts(
        texts, measures, missing=missing, seed=seed, samples=samples, engine=engine
    )


def _check_families(measures: tuple[Measure, ...]) -> None:
    """Refuses measures of texts, however deep inside."""
    for measure in measures:
        inside = measure
        while inside.inner is not None:
            inside = inside.inner
        if inside.definition.family == "text":
            raise MeasureError(
                f"{measure} measures texts, not rankings: evaluate(texts, measures) with the texts "
                "from read_summaries, or `tare text`."
            )


def judged_runs(
    judgements: Judgements,
    runs: Any,
    policies: Policies,
    progress: Callable[[str], None] | None = None,
) -> list[Judged]:
    """Every run joined with the judgements; text files are judged while they are read."""
    rankings = []
    for source in _sources(runs, policies.order):
        if progress is not None:
            progress(source.system if isinstance(source, Run) else os.fspath(source))
        rankings.append(join(judgements, source, policies))
    return told_apart(rankings)


def _sources(runs: Any, order: str) -> list[Any]:
    """Paths of text files as they are, everything else read."""
    if isinstance(runs, str):
        found: list[Any] = []
        for path in expand(runs):
            found += [path] if is_trec_text(path) else read_runs(path, order=order)
        return found
    if isinstance(runs, os.PathLike) and is_trec_text(runs):
        return [runs]
    if isinstance(runs, Iterable) and not isinstance(runs, Mapping) and not is_frame(runs):
        return [source for part in runs for source in _sources(part, order)]
    return list(read_runs(runs, order=order))


def told_apart(rankings: list[Judged]) -> list[Judged]:
    """Names by which systems can be told apart: a tag that comes twice gives way to the file's."""
    if not rankings:
        raise OptionError("no run was given; name at least one.")
    tags = Counter(judged.system for judged in rankings)
    seen: Counter[str] = Counter()
    out = []
    for judged in rankings:
        name = judged.system if tags[judged.system] == 1 else judged.source or judged.system
        seen[name] += 1
        name = name if seen[name] == 1 else f"{name}#{seen[name]}"
        out.append(judged.replace(system=name))
    return out


def score_judged(
    rankings: list[Judged],
    measures: tuple[Measure, ...],
    *,
    missing: str = "zero",
    sampling: Sampling | None = None,
    pools: Pools | None = None,
) -> Scores:
    """The score table of judged rankings; all must come from the same qrels."""
    sampling = sampling or Sampling()
    pools = (pools or Pools()).known_from(rankings[0].qrels)
    check_pools(measures, pools)
    qrels, policies = judgements_of(rankings[0]), rankings[0].policies
    findings = findings_of(qrels)
    shape = (len(rankings), len(qrels.items), len(measures))
    values, errors = np.empty(shape), np.zeros(shape)
    ratios = {m: Ratio.empty(shape[:2]) for m in measures if m.aggregate == "ratio"}
    shared: dict[Any, Any] = {}
    facts: list[dict[str, object]] = [{} for _ in measures]
    for s, judged in enumerate(rankings):
        evaluation = Evaluation(judged, sampling, pools, shared)
        evaluation.compute(measures)
        refuse_unretrieved(evaluation, measures, missing)
        for m, measure in enumerate(measures):
            inside = _inside(measure)
            values[s, :, m] = evaluation.values(inside)
            errors[s, :, m] = evaluation.errors(inside)
            facts[m] = evaluation.facts(inside)
            if measure in ratios:
                for whole, part in zip(
                    ratios[measure].parts, evaluation.ratios[inside], strict=True
                ):
                    whole[s] = part
        findings += check_judged(judged) + evaluation.findings
        absent = ~judged.present
        if absent.any() and missing == "error":
            names = ", ".join(qrels.items[i] for i in np.flatnonzero(absent)[:5])
            raise MismatchError(
                f"{judged.system}: {int(absent.sum()):,} judged queries are missing from the run "
                f"({names}…). missing='zero' counts them as 0, missing='skip' leaves them out."
            )
        if missing == "skip":
            values[s, absent] = np.nan
            for ratio in ratios.values():
                for part in ratio.parts:
                    part[s, absent] = np.nan
    for m, measure in enumerate(measures):
        if measure.definition.across is not None:
            values[:, :, m] = measure.definition.across(values[:, :, m], measure)
    findings += _undefined(values, measures, rankings[0])
    refuse_without_room(ratios)
    findings += pool_findings(rankings, measures, pools, missing)
    sampled = errors.max(initial=0.0)
    if sampled > 0:
        findings.append(
            Finding(
                "sampled values",
                f"some values under chance have no closed form and were sampled (seed {sampling.seed}, "
                f"{sampling.samples:,} orders); the largest standard error is {sampled:.2g}.",
                int((errors > 0).sum()),
                severity="note",
            )
        )
    counts = (~np.isnan(values)).sum(axis=1)
    signatures = tuple(
        _signature(measure, policies, missing, qrels, sampling, sampled)
        .with_facts(**facts[m])
        .with_facts(n=number_of(ratios[measure].counts() if measure in ratios else counts[:, m]))
        for m, measure in enumerate(measures)
    )  # fmt: skip
    return Scores(
        tuple(judged.system for judged in rankings),
        qrels.items,
        measures,
        values,
        signatures,
        tuple(findings),
        errors=errors if sampled > 0 else None,
        seed=sampling.seed,
        ratios=ratios,
        rescoring=Rescoring(
            lambda more: score_judged(
                rankings, more, missing=missing, sampling=sampling, pools=pools
            ),
            pools.default is not None,
            tuple(rankings),
            pools,
        ),
    )


def _inside(measure: Measure) -> Measure:
    """What one system is scored with; a measure that compares systems is made of that later."""
    if measure.definition.across is None:
        return measure
    assert measure.inner is not None
    return measure.inner


def _undefined(
    values: NDArray[np.float64], measures: tuple[Measure, ...], judged: Judged
) -> list[Finding]:
    """Queries on which V1, V2, MeanRank and the like are not defined, and which their means leave out."""
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
    told = [str(measures[m]) for m in published if np.isnan(values[:, :, m]).all(axis=0).any()]
    message = (
        f"{len(names):,} of {len(judged.items):,} queries have nothing to gain; {', '.join(told)} "
        "are undefined there and their means leave them out."
        if len(told) > 1
        else f"{len(names):,} of {len(judged.items):,} queries have nothing to gain; {told[0]} is "
        "undefined there and its mean leaves them out."
    )
    return [Finding("undefined net of chance", message, len(names), examples=listed(names))]


def _signature(
    measure: Measure,
    policies: Policies,
    missing: str,
    qrels: Judgements,
    sampling: Sampling,
    sampled: float,
) -> Signature:
    facts: dict[str, object] = {}
    inside: Measure | None = measure
    while inside is not None:
        for parameter in inside.definition.parameters:
            value = inside[parameter.name]
            if value is not None:
                facts.setdefault(parameter.name, _plain(value))
        inside = inside.inner
    facts |= {
        "ties": policies.ties,
        "missing": missing,
        "unjudged": policies.unjudged,
        "depth": policies.depth,
        "precision": policies.precision if policies.precision != 64 else None,
        "order": policies.order if policies.order != "score" else None,
        "seed": sampling.seed if sampled > 0 else None,
        "samples": sampling.samples if sampled > 0 else None,
        "n": len(qrels.items),
        "qrels": qrels.digest,
        "tare": tare_version(),
    }
    return Signature.of(str(measure), facts)


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return "{" + ",".join(f"{a:g}={b:g}" for a, b in value) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value)
