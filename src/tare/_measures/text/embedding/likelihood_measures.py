"""Likelihood in the registry: candidate given reference, reference given candidate, or given the source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data.findings import Finding
from tare._measures.definition import Definition
from tare._measures.measure import Measure
from tare._measures.parameter import Parameter
from tare._measures.text.embedding.bertscore_measures import MODEL_PARAMETERS

if TYPE_CHECKING:
    from tare._measures.text.cell_findings import Noted
    from tare._measures.text.embedding.likelihood import LanguageModel
    from tare._measures.text.evaluation import TextEvaluation, Values

__all__ = ["DEFINITIONS"]

YUAN = "Yuan, Neubig, Liu. BARTScore: Evaluating Generated Text as Text Generation. NeurIPS 2021."
SCALE = Parameter(
    "scale",
    "choice",
    "probability",
    "probability: the geometric mean of the tokens' probabilities, from 0 to 1; log: its logarithm, "
    "as BARTScore has it.",
    choices=("probability", "log"),
)


def _model_of(evaluation: TextEvaluation, measure: Measure) -> LanguageModel:
    from tare._measures.text.embedding.likelihood import load_language_model

    options: dict[str, Any] = {p.name: measure[p.name] for p in MODEL_PARAMETERS}

    def load() -> LanguageModel:
        return load_language_model(options.pop("model"), progress=evaluation.progress, **options)

    return evaluation.resource(("language model", tuple(options.items())), load)


def _likelihood(evaluation: TextEvaluation, measure: Measure) -> Values:
    model, cells = _model_of(evaluation, measure), evaluation.cells
    owner = np.repeat(np.arange(len(cells.candidates)), [len(g) for g in cells.references])
    candidates = [cells.candidates[i] for i in owner]
    references = [r for group in cells.references for r in group]
    part = measure.part or "f"
    key = ("likelihood", model.model.place)
    there, cut = evaluation.shared(
        (*key, "p"), lambda: model.log_probabilities(references, candidates)
    )
    if part != "p":
        back, more = evaluation.shared(
            (*key, "r"), lambda: model.log_probabilities(candidates, references)
        )
        there = back if part == "r" else (there + back) / 2
        cut += more
    # The best of several references counts; an empty text has the lowest possible value.
    best = np.full(len(cells.candidates), -np.inf)
    np.maximum.at(best, owner, there)
    message = (
        f"{cut:,} pairs of texts are longer than the {model.limit:,} tokens that "
        f"{model.model.name} reads at once; the rest was left out."
    )
    findings: list[Noted] = [Finding("long texts", message, cut)] if cut else []
    findings += evaluation.without("references", "references")
    evaluation.set_facts(
        measure, {**model.facts, "scale": measure["scale"], "refs": "max"}, findings
    )
    values = np.exp(best) if measure["scale"] == "probability" else best
    return np.where(cells.has("references") & np.isfinite(values), values, np.nan)


DEFINITIONS = (
    Definition(
        "Likelihood",
        "Likelihood of one text after the other",
        "P: exp of the mean log-probability of the candidate's tokens after the reference, R: of the "
        "reference's after the candidate; F: the geometric mean of both",
        YUAN,
        (*MODEL_PARAMETERS, SCALE),
        bounds=(None, 1),
        family="text",
        needs="references",
        parts=("f", "p", "r"),
        derive=_likelihood,
        all_texts=True,
        notes="Needs the extra bert and a causal or sequence-to-sequence model. With scale=log it is "
        "BARTScore's sum of logarithms, divided by the number of tokens.",
    ),
)
