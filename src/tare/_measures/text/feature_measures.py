"""The thirteen features of a summary in the registry."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tare._measures.definition import Definition
from tare._measures.measure import Measure
from tare._measures.parameter import Parameter, Value
from tare._measures.text.parameters import PROFILE_PARAMETERS, SENTENCES, profile_key, settle

if TYPE_CHECKING:
    from tare._measures.text.cell_findings import Noted
    from tare._measures.text.evaluation import TextEvaluation, Values

__all__ = ["DEFINITIONS", "GROUP"]

RANKEL = (
    "Rankel. Statistical Analysis of Text Summarization Evaluation. PhD thesis, University of "
    "Maryland, 2016."
)
SPLIT = replace(SENTENCES, default="rules")
X = "X_ij the terms that sentences i and j share"
AGAINST = Parameter(
    "against",
    "choice",
    "references",
    "For update tasks: the references of the update, or those of the base.",
    choices=("references", "base"),
)


def _form(evaluation: TextEvaluation, measure: Measure) -> Values:
    from tare._measures.text.features import form_features

    profile, splitter = evaluation.profile(measure), str(measure["sentences"])
    found = evaluation.shared(
        ("form", profile_key(measure), splitter),
        lambda: form_features(
            evaluation.candidates(splitter), profile=profile, threads=evaluation.threads
        ),
    )
    findings: tuple[Noted, ...] = (
        *profile.findings,
        *evaluation.unsplit(splitter, references=False),
    )
    evaluation.set_facts(measure, {**profile.facts, "sentences": splitter}, findings)
    return found[_key(measure)]


def _content(evaluation: TextEvaluation, measure: Measure) -> Values:
    from tare._measures.text.features import content_features

    profile, against = evaluation.profile(measure), str(measure["against"])
    references = evaluation.references() if against == "references" else evaluation.cells.base
    found = evaluation.shared(
        ("content", profile_key(measure), against),
        lambda: content_features(
            evaluation.candidates(), references, profile=profile, threads=evaluation.threads
        ),
    )
    what = "references" if against == "references" else "base references"
    findings: tuple[Noted, ...] = (*profile.findings, *evaluation.without(against, what))
    evaluation.set_facts(measure, {**profile.facts, "against": against}, findings)
    return np.where(evaluation.cells.has(against), found[_key(measure)], np.nan)


def _settle_form(name: str, given: dict[str, Value]) -> dict[str, Value]:
    """Drop a parameter that has no effect on form and exists for the group only."""
    return {k: v for k, v in settle(name, given).items() if k != "against"}


def _settle_content(name: str, given: dict[str, Value]) -> dict[str, Value]:
    """Drop a parameter that has no effect on content and exists for the group only."""
    return {k: v for k, v in settle(name, given).items() if k != "sentences"}


def _key(measure: Measure) -> str:
    return measure.name.removeprefix("Feature-")


def _entry(
    number: int, name: str, title: str, formula: str, bounds: tuple[float | None, float | None]
) -> Definition:
    content = number >= 8
    return Definition(
        f"Feature-{name}",
        f"Feature {number}: {title}",
        formula,
        RANKEL,
        (*PROFILE_PARAMETERS, SPLIT, AGAINST),
        bounds=bounds,
        family="text",
        needs="references" if content else "texts",
        settle=_settle_content if content else _settle_form,
        derive=_content if content else _form,
        notes=f"Feature {number} of 13; the group `features` asks for all.",
    )


DEFINITIONS = (
    _entry(1, "sentences", "number of sentences", "−log2(number of sentences)", (None, 0)),
    _entry(
        2,
        "cohesion-1",
        "singular values from the second",
        f"Σ_{{i≥2}} σ_i², σ the singular values of X in descending order, {X}",
        (0, None),
    ),
    _entry(
        3,
        "cohesion-2",
        "singular values from the third",
        f"Σ_{{i≥3}} σ_i², σ the singular values of X in descending order, {X}",
        (0, None),
    ),
    _entry(
        4,
        "term-entropy",
        "term entropy",
        "−Σ p log2 p, p the share of each term in all words",
        (0, None),
    ),
    _entry(
        5,
        "sentence-entropy",
        "sentence entropy",
        "−Σ p log2 p, p the share of each sentence in all words",
        (0, None),
    ),
    _entry(6, "links", "shared terms of neighbours", f"log2(1 + Σ_i X_{{i,i+1}}), {X}", (0, None)),
    _entry(
        7,
        "links-normalised",
        "shared terms of neighbours, normalised",
        f"Σ_i X_{{i,i+1}} / (√X_ii √X_jj), j = i + 1, {X}",
        (0, None),
    ),
    _entry(8, "rouge-2", "ROUGE-2", "recall of bigrams, best reference", (0, 1)),
    _entry(9, "rouge-su4", "ROUGE-SU4", "recall of skip-bigrams and words, best reference", (0, 1)),
    _entry(
        10,
        "coverage",
        "bigram coverage",
        "Σ over distinct bigrams of the summary: references that hold it / references",
        (0, None),
    ),
    _entry(
        11,
        "matches",
        "ROUGE-2, not divided",
        "clipped matches of bigrams with the best reference",
        (0, None),
    ),
    _entry(
        12,
        "coverage-best",
        "bigram coverage, point to point",
        "distinct bigrams of the summary in a reference, the best of all",
        (0, None),
    ),
    _entry(
        13,
        "matches-mean",
        "ROUGE-2, not divided, point to point",
        "clipped matches of bigrams with each reference, their mean",
        (0, None),
    ),
)

GROUP = tuple(definition.name for definition in DEFINITIONS)
