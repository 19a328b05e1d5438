"""The score table of judged rankings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._choices import Missing
from tare._data.findings import Finding, listed
from tare._data.judged import Judged, Policies, check_judged
from tare._data.pools import Pools
from tare._data.qrels import Qrels
from tare._measures.aggregation import number_of
from tare._measures.evaluation import Evaluation, Sampling
from tare._measures.fractional_grades import fractional_grades
from tare._measures.judgements import Judgements, findings_of, judgements_of
from tare._measures.measure import Measure
from tare._measures.parameter import Value
from tare._measures.pool_checks import check_pools
from tare._measures.pool_findings import pool_findings
from tare._measures.ratio import Ratio, without_room
from tare._measures.rescoring import Rescoring
from tare._measures.scores import Scores
from tare._measures.unretrieved import refuse_unretrieved
from tare._plain_text import plain
from tare._signature import Signature, tare_version
from tare.errors import MismatchError

__all__ = ["score_judged"]


def score_judged(
    rankings: list[Judged],
    measures: tuple[Measure, ...],
    *,
    missing: Missing = "zero",
    sampling: Sampling | None = None,
    pools: Pools | None = None,
) -> Scores:
    """Return the score table of judged rankings, which must all use the same qrels."""
    sampling = sampling or Sampling()
    pools = (pools or Pools()).known_from(rankings[0].qrels)
    check_pools(measures, pools)
    qrels, policies = judgements_of(rankings[0]), rankings[0].policies
    findings = findings_of(qrels)
    if isinstance(qrels, Qrels):
        findings += fractional_grades(qrels, measures)
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
            sampling_errors = evaluation.errors(inside)
            if sampling_errors.any():  # memory that is not written is not used
                errors[s, :, m] = sampling_errors
            facts[m] = evaluation.facts(inside)
            if measure in ratios:
                for whole, part in zip(
                    ratios[measure].parts, evaluation.ratios[inside], strict=True
                ):
                    whole[s] = part
        findings += check_judged(judged) + evaluation.findings
        absent = ~judged.present
        if absent.any() and missing == "error":
            names = ", ".join(plain(qrels.items[i]) for i in np.flatnonzero(absent)[:5])
            raise MismatchError(
                f"{plain(judged.system)}: {int(absent.sum()):,} judged queries are missing from the run "
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
    findings += without_room(ratios)
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
    )
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
            lambda more, some=rankings: score_judged(
                some, more, missing=missing, sampling=sampling, pools=pools
            ),
            pools.default is not None,
            tuple(rankings),
            pools,
        ),
    )


def _inside(measure: Measure) -> Measure:
    """The measure of a single system; measures that compare systems are derived from it later."""
    if measure.definition.across is None:
        return measure
    assert measure.inner is not None
    return measure.inner


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


def _plain(value: Value) -> str:
    if isinstance(value, tuple):
        return "{" + ",".join(f"{a:g}={b:g}" for a, b in value) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value)
