"""Citations and refusals in the registry: is an answer supported by what it cites, and is it one?"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, listed
from tare._measures.definition import Definition
from tare._measures.measure import Measure
from tare._measures.parameter import Parameter
from tare.errors import MismatchError

if TYPE_CHECKING:
    from tare._measures.answers.evaluation import AnswerEvaluation

__all__ = ["DEFINITIONS"]

Values = NDArray[np.float64]
Supports = list[list[float]]  # of each statement, the support by each citation
THAKUR = (
    "Thakur, Pradeep, Upadhyay, Campos, Craswell, Lin. Support Evaluation for the TREC 2024 RAG Track: "
    "Comparing Human versus LLM Judges. SIGIR 2025."
)
GAO = "Gao, Yen, Yu, Chen. Enabling Large Language Models to Generate Text with Citations. EMNLP 2023."
RAJPURKAR = (
    "Rajpurkar, Jia, Liang. Know What You Don't Know: Unanswerable Questions for SQuAD. ACL 2018."
)
STRICT = Parameter("strict", "flag", False, "Partial support counts as no support.")
UNKNOWN = "support by chance is not known: no citation was drawn at random"
SCORED = "s is 1 for support, ½ for partial support and 0 otherwise."


def _best_of_cited(supports: Supports) -> float:
    cited = [max(own) for own in supports if own]
    return sum(cited) / len(cited) if cited else float("nan")


def _mean_of_citations(supports: Supports) -> float:
    every = [support for own in supports for support in own]
    return sum(every) / len(every) if every else float("nan")


def _best_of_all(supports: Supports) -> float:
    return (
        sum(max(own, default=0.0) for own in supports) / len(supports) if supports else float("nan")
    )


RULES: dict[str, Callable[[Supports], float]] = {
    "Support": _best_of_cited,
    "CitationPrecision": _mean_of_citations,
    "CitationRecall": _best_of_all,
}


def _derive(evaluation: AnswerEvaluation, measure: Measure) -> Values:
    answers = evaluation.answers
    if not answers.citations:
        raise MismatchError(
            f"{measure} needs citations with their support, and {answers.name} has none. Give a table with "
            "system, item, statement, citation and support."
        )
    rule, strict = RULES[measure.name], bool(measure["strict"])
    pairs = []
    for key, statements in answers.citations.items():
        supports = [
            [float(s == 1) if strict else s for s in own.values()] for own in statements.values()
        ]
        pairs.append((key, rule(supports)))
    without = sorted({f"{key.system} {key.item}" for key, value in pairs if np.isnan(value)})
    findings = []
    if without:
        message = f"{len(without):,} answers cite nothing; {measure} has no value there."
        findings.append(Finding("no citations", message, len(without), examples=listed(without)))
    evaluation.set_facts(measure, evaluation.options.facts(answers), findings)
    return evaluation.averaged(pairs)


def _refusal(evaluation: AnswerEvaluation, measure: Measure) -> Values:
    """Return 1 for refusals and 0 for other answers; NaN if it is not known."""
    answers = evaluation.answers
    if not answers.refused:
        raise MismatchError(
            f"{measure} needs to know which answers are refusals, and {answers.name} does not say. Give the "
            "answers with a column refused."
        )
    pairs = [(s, i) for s in evaluation.systems for i in evaluation.items]
    flags = [answers.refused.get(pair) for pair in pairs]
    return np.array([np.nan if flag is None else float(flag) for flag in flags])


def _abstention(evaluation: AnswerEvaluation, measure: Measure) -> Values:
    """Return 1 if exactly the unanswerable topics are refused."""
    answers = evaluation.answers
    if not answers.answerable:
        raise MismatchError(
            f"{measure} needs to know which topics have an answer, and {answers.name} does not say. Give a "
            "column answerable with the lists of nuggets or with the answers."
        )
    refused = _refusal(evaluation, measure)
    known = [answers.answerable.get(item) for item in evaluation.items] * len(evaluation.systems)
    answerable = np.array([np.nan if flag is None else float(flag) for flag in known])
    right = (refused == 1 - answerable).astype(np.float64)
    return np.where(np.isnan(refused) | np.isnan(answerable), np.nan, right)


def _entry(name: str, title: str, formula: str, citation: str, notes: str) -> Definition:
    return Definition(
        name,
        title,
        formula,
        citation,
        (STRICT,),
        family="answers",
        needs="citations",
        derive=_derive,
        without_net=UNKNOWN,
        notes=notes,
    )


DEFINITIONS = (
    _entry(
        "Support",
        "Support of cited statements",
        "Σ over statements with a citation of the best s of its citations / number of such statements",
        THAKUR,
        SCORED + " TREC's weighted precision, where one citation per statement was judged.",
    ),
    _entry(
        "CitationPrecision",
        "Citation precision",
        "Σ s over citations / number of citations",
        GAO,
        SCORED + " Each citation is judged alone. An answer without citations has no value.",
    ),
    _entry(
        "CitationRecall",
        "Citation recall",
        "Σ over all statements of the best s of its citations / number of statements",
        THAKUR,
        SCORED + " A statement without citation counts as 0. TREC's weighted recall.",
    ),
    Definition(
        "Refusal",
        "Refusals",
        "1 if the answer is a refusal, else 0",
        RAJPURKAR,
        family="answers",
        needs="refusals",
        better="neither",
        derive=_refusal,
        without_net="it counts, and does not rate, answers",
        notes="Refusals are counted apart: nugget measures score a refusal 0 (refusals=score) or "
        "leave it out (refusals=skip).",
    ),
    Definition(
        "Abstention",
        "Right decisions to answer or to abstain",
        "1 if the system refuses an unanswerable topic or answers an answerable one, else 0",
        RAJPURKAR,
        family="answers",
        needs="refusals",
        derive=_abstention,
        without_net="the share of refusals that chance would make is not defined",
        notes="Needs the columns refused and answerable.",
    ),
)
