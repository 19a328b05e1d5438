"""Measures of trec_eval that are averaged over assessors: the mean over groups of judgements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tare._data.assessor_groups import twice
from tare._measures.assessors.ranks import groups_of, ranks_of
from tare._measures.definition import Definition
from tare._measures.evaluation import Evaluation
from tare._measures.measure import Measure
from tare._measures.parameter import Parameter

__all__ = ["DEFINITIONS"]

CITATION = "Buckley, trec_eval 10 (2022), measures averaged over judgement groups."
REL = Parameter("rel", "integer", 1, "The lowest grade that counts as relevant.", low=1)
Places = NDArray[np.int64]  # ranks of relevant documents that were retrieved, ascending
OfGroup = Callable[[Measure, Places, int], float]


def _average_precision(measure: Measure, places: Places, relevant: int) -> float:
    return float(np.sum(np.arange(1, len(places) + 1) / places)) / relevant if relevant else 0.0


def _precision(measure: Measure, places: Places, relevant: int) -> float:
    cutoff = int(measure.cutoff or 1)
    return int((places <= cutoff).sum()) / cutoff


def _r_precision(measure: Measure, places: Places, relevant: int) -> float:
    cutoff = int(float(measure["multiple"]) * relevant + 0.9)
    return int((places <= cutoff).sum()) / cutoff if cutoff else 0.0


def _averaged(of_group: OfGroup) -> Callable[[Evaluation, Measure], NDArray[np.float64]]:
    def derive(evaluation: Evaluation, measure: Measure) -> NDArray[np.float64]:
        judged = evaluation.judged
        groups = groups_of(judged, measure)
        values = np.zeros(len(groups.items))
        for q, query in enumerate(groups.items):
            number = {name: i for i, name in enumerate(groups.document_names[query])}
            ranks = ranks_of(judged, q)
            grades: dict[str, dict[int, float]] = {}
            for level in groups.by_query[query]:
                own = grades.setdefault(level.group, {})
                if number[level.document] in own:
                    raise twice(groups.name, query, level)
                own[number[level.document]] = level.level
            values[q] = np.mean(
                [
                    of_group(measure, *_relevant(own, ranks, float(measure["rel"])))
                    for own in grades.values()
                ]
            )
        return values

    return derive


def _relevant(own: dict[int, float], ranks: dict[int, int], rel: float) -> tuple[Places, int]:
    relevant = [document for document, grade in own.items() if grade >= rel]
    places = sorted(ranks[document] for document in relevant if document in ranks)
    return np.array(places, dtype=np.int64), len(relevant)


def _entry(
    name: str, title: str, formula: str, of_group: OfGroup, *parameters: Parameter
) -> Definition:
    return Definition(
        name,
        title,
        formula,
        CITATION,
        (*parameters, REL),
        "required" if name == "P_avgjg" else "none",
        family="assessors",
        needs="groups",
        derive=_averaged(of_group),
    )


DEFINITIONS = (
    _entry(
        "map_avgjg",
        "Average precision, averaged over groups of assessors",
        "mean over groups of AP by the group's grades",
        _average_precision,
    ),
    _entry(
        "P_avgjg",
        "Precision, averaged over groups of assessors",
        "mean over groups of P@k by the group's grades",
        _precision,
    ),
    _entry(
        "Rprec_mult_avgjg",
        "Precision at a multiple of R, averaged over groups of assessors",
        "mean over groups of r_m / m, m = ⌊multiple·R + 0.9⌋",
        _r_precision,
        Parameter("multiple", "number", 1, "The cutoff as a multiple of R.", low=0),
    ),
)
