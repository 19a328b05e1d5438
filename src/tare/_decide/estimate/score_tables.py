"""Estimates from two score tables: the same systems under people's labels and under the judge's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tare._decide.estimate.bounds import bounds_of, check_range
from tare._decide.estimate.clustering import cluster_fact
from tare._decide.estimate.findings import estimate_findings
from tare._decide.estimate.score_values import aligned_tables, query_samples
from tare._decide.ppi.estimates import Estimates
from tare._decide.ppi.estimators import Estimator
from tare._measures.names import parse_all
from tare._measures.scores import Scores
from tare._signature import Signature, tare_version
from tare.errors import MismatchError, OptionError

if TYPE_CHECKING:
    from tare._measures.clusters import Clusters
    from tare._measures.inputs import MeasuresInput

__all__ = ["estimate_tables"]


def estimate_tables(
    human: Any,
    judge: Any,
    measures: MeasuresInput | None,
    design: str,
    cluster: Clusters | None,
    range: tuple[float, float] | None,
    settings: dict[str, Any],
    extra: dict[str, Any],
) -> Estimates:
    """Return the estimates of two score tables: the queries design."""
    if design == "documents":
        raise OptionError("the documents design needs labels and runs.")
    if settings["target"] == "these-queries":
        raise OptionError("the target these-queries needs labels and runs.")
    tables = [x if isinstance(x, Scores) else Scores.load(x) for x in (human, judge)]
    if measures is not None:
        tables = [table.select(measures=parse_all(measures)) for table in tables]
    mine, theirs, both, alone, findings = aligned_tables(tables[0], tables[1])
    if len(both) < 3:
        raise MismatchError(
            f"{len(both)} items have scores of people and judge; at least 3 are needed."
        )
    check_range(mine.measures, range)
    samples = query_samples(mine, theirs, both, alone, cluster)
    names = mine.measure_names
    estimators = tuple(
        Estimator(str(measure), sample, bounds=bounds_of(measure, sample, range), **settings)
        for measure, sample in zip(mine.measures, samples, strict=True)
    )
    weight = "estimated" if settings["weight"] is None else settings["weight"]
    facts = {"estimate": settings["method"], "design": "queries", "lambda": weight}
    facts |= cluster_fact(cluster)
    signatures = tuple(
        Signature.of(n, facts | {"n": f"{len(both)}+{len(alone)}", "tare": tare_version()})
        for n in names
    )
    all_findings = (
        *findings,
        *estimate_findings(estimators, mine.systems, extra["seed"]),
    )
    return Estimates(
        mine.systems,
        (*both, *alone),
        estimators,
        "queries",
        settings["method"],
        settings["target"],
        "",
        **extra,
        signatures=signatures,
        findings=all_findings,
    )
