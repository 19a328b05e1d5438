"""Estimates from two score tables: the same systems under people's labels and under the judge's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tare._decide.estimate.findings import estimate_findings
from tare._decide.estimate.score_values import aligned_tables, query_samples
from tare._decide.ppi.estimates import Estimates
from tare._decide.ppi.estimators import Estimator
from tare._measures.names import parse_all
from tare._measures.scores import Scores
from tare._signature import Signature, tare_version
from tare.errors import MismatchError, OptionError

if TYPE_CHECKING:
    from tare._measures.inputs import MeasuresInput

__all__ = ["estimate_tables"]


def estimate_tables(
    human: Any,
    judge: Any,
    measures: MeasuresInput | None,
    design: str,
    settings: dict[str, Any],
    extra: dict[str, Any],
) -> Estimates:
    """Return the estimates of two score tables: the queries design."""
    if design == "documents" or settings["method"] == "rogan-gladen":
        raise OptionError("the documents design and the method rogan-gladen need labels and runs.")
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
    samples = query_samples(mine, theirs, both, alone)
    names = mine.measure_names
    estimators = tuple(
        Estimator(name, sample, None, **settings)
        for name, sample in zip(names, samples, strict=True)
    )
    weight = "estimated" if settings["weight"] is None else settings["weight"]
    facts = {"estimate": settings["method"], "design": "queries", "lambda": weight}
    signatures = tuple(
        Signature.of(n, facts | {"n": f"{len(both)}+{len(alone)}", "tare": tare_version()})
        for n in names
    )
    all_findings = (*findings, *estimate_findings(estimators, "queries"))
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
