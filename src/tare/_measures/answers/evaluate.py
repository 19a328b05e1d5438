"""Evaluation of answers: from nuggets, citations and measures to scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tare._choices import Missing
from tare._data.answers import Answers, read_answers
from tare._data.findings import Finding, listed
from tare._measures.answers.evaluation import AnswerEvaluation
from tare._measures.answers.options import AnswerOptions, Refusals, Unassigned
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare._measures.ratio import Ratio, without_room
from tare._measures.rescoring import Rescoring
from tare._measures.scores import Scores
from tare._signature import Signature, tare_version
from tare.errors import MeasureError

if TYPE_CHECKING:
    from tare._data.nuggets import AnswerSource
    from tare._measures.inputs import MeasuresInput

__all__ = ["evaluate_answers", "usual_measures"]

NO_ROOM = (
    "on every topic the answers to other topics score as high as possible. Are they really answers to other "
    "topics?"
)


def evaluate_answers(
    answers: Answers | AnswerSource,
    measures: MeasuresInput | None = None,
    *,
    missing: Missing = "skip",
    unassigned: Unassigned = "error",
    refusals: Refusals = "score",
    attributes: Mapping[str, Mapping[str, object]] | None = None,
    seed: int = 0,
) -> Scores:
    """Score answers by the nuggets they contain, the support of their citations, and refusals.

    Parameters
    ----------
    answers
        What `tare.read_answers` takes or returns.
    measures
        One or several measures, such as ``["NuggetVital", "Net(NuggetAll)"]``. By default those that
        the data allow.
    missing
        A topic that a system has no answer for is left out of its mean ("skip"), counts 0 ("zero"), or
        raises an error ("error"). An answer whose text is known but to which nothing was assigned is
        always left out.
    unassigned
        A nugget without assignment raises an error ("error"), is left out ("skip"), or counts as not
        supported ("zero").
    refusals
        Refusals are scored like other answers, and get 0 if nothing was assigned ("score"), or are left
        out of all measures but Refusal and Abstention ("skip").
    attributes
        Attributes of the topics, as {name: {topic: value}}.
    seed
        Seed that is kept with the table.

    Returns
    -------
    Scores
        One value per system, topic and measure.

    Raises
    ------
    MeasureError
        If a measure is unknown or does not measure answers.
    MismatchError
        If the answers lack what a measure needs, such as answers to other topics for Net.

    Examples
    --------
    >>> import tare
    >>> def answer(run, first, second):
    ...     return {"qid": "q1", "run_id": run, "nuggets": [
    ...         {"text": "Paris", "importance": "vital", "assignment": first},
    ...         {"text": "Seine", "importance": "okay", "assignment": second}]}
    >>> rows = [answer("a", "support", "not_support"), answer("b", "partial_support", "support")]
    >>> tare.evaluate_answers(rows, ["NuggetVital", "NuggetAll"]).means()
    {'a': {'NuggetVital': 1.0, 'NuggetAll': 0.5}, 'b': {'NuggetVital': 0.5, 'NuggetAll': 0.75}}
    """
    given = read_answers(answers)
    options = AnswerOptions(missing, unassigned, refusals)
    options.check(given)
    wanted = parse_all(usual_measures(given) if measures is None else measures)
    scores = _scored(given, wanted, options, seed)
    for name, values in (attributes or {}).items():
        scores = scores.with_attribute(name, values)

    def again(more: tuple[Measure, ...]) -> Scores:
        return _scored(given, more, options, seed)

    return replace(scores, rescoring=Rescoring(again, given.has_chance))


def usual_measures(answers: Answers) -> list[str]:
    """Return the measures that the data allow."""
    made = []
    if answers.credits:
        if answers.importance == "words":
            made += ["NuggetVital", "NuggetVitalStrict"]
        made += ["NuggetAll", "NuggetAllStrict"]
        if answers.importance is not None:
            made.append("NuggetWeighted")
    if answers.citations:
        made += ["Support", "CitationPrecision", "CitationRecall"]
    if answers.refused:
        made.append("Refusal")
        if answers.answerable:
            made.append("Abstention")
    return made


def _scored(
    answers: Answers, wanted: tuple[Measure, ...], options: AnswerOptions, seed: int
) -> Scores:
    evaluation = AnswerEvaluation(answers, options)
    shape = (len(evaluation.systems), len(evaluation.items))
    values = np.empty((*shape, len(wanted)))
    ratios: dict[Measure, Ratio] = {}
    for m, measure in enumerate(wanted):
        inner = _inside(measure)
        values[:, :, m] = evaluation.values(inner).reshape(shape)
        if measure.aggregate == "ratio":
            parts = evaluation.ratios[inner]
            gone = np.isnan(sum(parts))
            ratios[measure] = Ratio(*(np.where(gone, np.nan, x).reshape(shape) for x in parts))
        if measure.definition.across is not None:
            values[:, :, m] = measure.definition.across(values[:, :, m], measure)
    return Scores(
        evaluation.systems,
        evaluation.items,
        wanted,
        values,
        tuple(_signature(measure, evaluation) for measure in wanted),
        (
            *answers.findings,
            *_findings(evaluation),
            *evaluation.findings,
            *without_room(ratios, NO_ROOM),
        ),
        seed=seed,
        ratios=ratios,
    )


def _inside(measure: Measure) -> Measure:
    """Return the measure itself, or the one inside a comparison of systems."""
    inner = measure.inner if measure.definition.across is not None else measure
    assert inner is not None
    if inner.innermost.definition.family == "answers":
        return inner
    needs = inner.innermost.definition.needs
    raise MeasureError(
        f"{measure} does not measure answers: it needs {needs}. `tare list measures` lists the measures of "
        "the family answers."
    )


def _findings(evaluation: AnswerEvaluation) -> list[Finding]:
    """Count refusals apart, and report missing answers."""
    answers, options = evaluation.answers, evaluation.options
    made = []
    refused = [f"{s} {i}" for (s, i), flag in answers.refused.items() if flag]
    if refused:
        then = (
            "they are scored like other answers"
            if options.refusals == "score"
            else "they are left out"
        )
        message = f"{len(refused):,} of {len(answers):,} answers are refusals; {then}."
        made.append(Finding("refusals", message, len(refused), "note", listed(refused)))
    there = {*answers.pairs, *answers.known}
    lacking = [
        f"{s} {i}" for s in evaluation.systems for i in evaluation.items if (s, i) not in there
    ]
    if lacking:
        then = (
            "count 0"
            if options.missing == "zero"
            else "are left out of the means, not counted as 0"
        )
        message = f"{len(lacking):,} answers are missing; they {then}."
        made.append(Finding("missing answers", message, len(lacking), examples=listed(lacking)))
    if len(answers.assigners) > 1:
        names = ", ".join(repr(name) for name in answers.assigners)
        message = f"{len(answers.assigners)} assigners ({names}): the score of an answer is the mean of theirs."
        made.append(Finding("assigners", message, len(answers.assigners), severity="note"))
    return made


def _signature(measure: Measure, evaluation: AnswerEvaluation) -> Signature:
    facts = evaluation.facts(_inside(measure))
    last = {
        "missing": evaluation.options.missing,
        "n": len(evaluation.items),
        "answers": evaluation.answers.digest,
        "tare": tare_version(),
    }
    return Signature.of(str(measure), {**facts, **last})
