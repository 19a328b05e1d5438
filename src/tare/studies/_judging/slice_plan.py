"""The table [judge] of a plan: a model's labels, and the slice of the tasks that people judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tare._decide.estimate_labels import refuse_not_linear
from tare._measures.names import parse
from tare.errors import MismatchError, OptionError, TareError, choose
from tare.studies._judging.blind_slice import DRAWS, Stratum, draw_slice
from tare.studies._judging.design import Study, StudyDesign
from tare.studies._judging.model_answers import read_model_answers
from tare.studies._judging.outcomes import AnswerSet
from tare.studies._judging.plan_values import check_values
from tare.studies._judging.slice_answers import SliceAnswers
from tare.studies._judging.slice_figures import slice_estimates
from tare.studies._judging.systems import DEPTH

__all__ = ["with_slice"]

KEYS = {"labels": "text", "slice": "integer", "draw": "text", "measure": "text", "width": "number"}
DEFAULTS = {
    "grades": {"queries": "nDCG@10", "documents": "DCG@10", "stratified": "DCG@10"},
    "preference": {"queries": "nPrf@10"},
    "conditional": {"queries": "nPrf@10"},
}


def with_slice(study: Study, given: Mapping[str, Any], folder: Path) -> Study:
    """Return the study with the tasks of a blind slice, drawn as [judge] says."""
    check_values(given, KEYS, "judge", ("labels", "slice"))
    draw = choose("judge.draw", given.get("draw", "queries"), DRAWS)
    size, width = given["slice"], given.get("width")
    design = study.design
    if draw != "queries" and design.kind != "grades":
        raise OptionError(
            f"judge.draw = {draw!r} draws documents to be graded, and this study is of kind "
            f"{design.kind!r}. Use draw = 'queries', which draws whole queries or items."
        )
    if size < 1:
        raise OptionError(f"judge.slice = {size}: expected 1 or more.")
    if width is not None and not 0 < width < float("inf"):
        raise OptionError(f"judge.width = {width}: expected a number above 0.")
    if design.budget is not None:
        raise OptionError("budget and [judge] cannot be combined; judge.slice limits the tasks.")
    measure = _measure(study, draw, given.get("measure"))
    answers = read_model_answers(design, study.tasks, folder / given["labels"])
    tasks, drawn = draw_slice(
        study.tasks, answers, draw=draw, size=size, seed=design.seed, measure=measure, width=width
    )
    made = replace(study, tasks=tasks, slice=drawn)
    _check_estimates(made)
    return made


def _measure(study: Study, draw: str, given: str | None) -> str:
    """Return the measure to estimate; empty for all measures of ratings, or if there are no runs."""
    design = study.design
    names = _columns(design)
    if names:
        if given is not None and given not in names:
            raise OptionError(f"judge.measure = {given!r}: expected one of {', '.join(names)}.")
        return given or ""
    if not study.rankings:
        if given is not None:
            raise OptionError(f"judge.measure = {given!r} scores runs; name them in data.runs.")
        return ""
    measure = parse(given or DEFAULTS[design.kind][draw])
    if draw != "queries":
        refuse_not_linear(measure)
    if measure.innermost.cutoff is None or measure.innermost.cutoff > DEPTH:
        raise OptionError(
            f"judge.measure = '{measure}': expected a cutoff of at most {DEPTH}, such as nDCG@10, because the "
            "study keeps the first documents of each run."
        )
    return str(measure)


def _columns(design: StudyDesign) -> list[str]:
    """Return the measures of a study that scores systems without runs."""
    return {
        "ratings": [dimension.name for dimension in design.dimensions],
        "headtohead": ["preferred"],
        "scus": ["present"],
    }.get(design.kind, [])


def _check_estimates(study: Study) -> None:
    """Raise if the measure could not be estimated even from answers to all tasks."""
    slice_ = study.slice
    assert slice_ is not None
    if slice_.draw == "queries":
        by_query: dict[str, list[str]] = {}
        for task in slice_.frame:
            by_query.setdefault(task.query, []).append(task.id)
        strata = [Stratum("", len(by_query), tuple(map(tuple, by_query.values())))]
    else:
        strata = [Stratum(task.query, 1, ((task.id,),)) for task in slice_.frame]
    whole = replace(slice_, strata=tuple(strata))
    everything = replace(study, tasks=slice_.frame, slice=whole)
    once = everything.with_design(overlap=1)
    model = SliceAnswers(AnswerSet(once, ())).model
    try:
        slice_estimates(SliceAnswers(AnswerSet(once, model.judged)))
    except TareError as error:
        raise MismatchError(
            f"judge.measure: with the model's labels of all tasks: {error}"
        ) from None
