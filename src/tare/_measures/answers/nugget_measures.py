"""Nugget measures in the registry: how many of the facts that matter an answer holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._data.nuggets import Nugget
from tare._measures.definition import Definition
from tare._measures.measure import Measure
from tare._measures.parameter import Parameter
from tare.errors import MismatchError

if TYPE_CHECKING:
    from tare._measures.answers.evaluation import AnswerEvaluation, NuggetScore

__all__ = ["DEFINITIONS", "SCORES"]

Values = NDArray[np.float64]
Weights = Callable[[Measure, tuple[Nugget, ...]], Values]
PRADEEP = (
    "Pradeep, Thakur, Upadhyay, Campos, Craswell, Lin. Initial Nugget Evaluation Results for the TREC "
    "2024 RAG Track with the AutoNuggetizer Framework. arXiv 2411.09607, 2024."
)
EMPTY = Parameter(
    "empty",
    "choice",
    "undefined",
    "A topic without a nugget that counts: undefined (left out), or zero, as in nuggetizer.",
    choices=("undefined", "zero"),
)
MIN_WEIGHT = Parameter(
    "min_weight",
    "number",
    None,
    "For nuggets with weights: the lowest weight that counts as vital.",
    low=0,
)
VITAL = Parameter("vital", "number", 1, "The weight of vital nuggets.", low=0)
OKAY = Parameter("okay", "number", 0.5, "The weight of okay nuggets.", low=0)
PARTIAL = "s is 1 for support, ½ for partial support and 0 otherwise."
STRICT = "Partial support counts as no support."


def _all(measure: Measure, nuggets: tuple[Nugget, ...]) -> Values:
    return np.ones(len(nuggets))


def _vital(measure: Measure, nuggets: tuple[Nugget, ...]) -> Values:
    least = measure["min_weight"]
    flags = []
    for nugget in nuggets:
        if nugget.weight is not None:
            if least is None:
                raise MismatchError(
                    f"{measure} needs vital nuggets, and these have weights. Say which are vital, as in "
                    f"{measure.name}(min_weight={nugget.weight:g})."
                )
            flags.append(nugget.weight >= float(least))
        elif nugget.vital is None:
            raise _unknown(measure, nugget)
        elif least is not None:
            raise MismatchError(
                f"{measure}: min_weight applies to nuggets with weights; these are vital or okay. Use "
                f"{measure.name}."
            )
        else:
            flags.append(nugget.vital)
    return np.array(flags, dtype=np.float64)


def _weighted(measure: Measure, nuggets: tuple[Nugget, ...]) -> Values:
    by_word = {True: float(measure["vital"]), False: float(measure["okay"])}
    by_name = ("vital", "okay")
    made = []
    for nugget in nuggets:
        if nugget.weight is None and nugget.vital is None:
            raise _unknown(measure, nugget)
        if nugget.weight is not None and (
            chosen := [n for n, _ in measure.parameters if n in by_name]
        ):
            raise MismatchError(
                f"{measure}: {chosen[0]} applies to nuggets that are vital or okay; these have weights. Use "
                f"{measure.name}."
            )
        made.append(
            by_word[nugget.vital] if nugget.vital is not None else float(nugget.weight or 0)
        )
    return np.array(made, dtype=np.float64)


def _unknown(measure: Measure, nugget: Nugget) -> MismatchError:
    return MismatchError(
        f"{measure} needs the importance of each nugget, and nugget {nugget.id!r:.80} has none. Give lists "
        "of nuggets that are vital or okay, or have weights."
    )


def _recall(weights: Weights, *, strict: bool) -> NuggetScore:
    def score(measure: Measure, nuggets: tuple[Nugget, ...], credits: Values) -> float:
        weight = weights(measure, nuggets)
        total = float(weight.sum())
        if total == 0:
            return 0.0 if measure["empty"] == "zero" else float("nan")
        earned = (credits == 1).astype(np.float64) if strict else credits
        return float(weight @ earned) / total

    return score


SCORES: dict[str, NuggetScore] = {
    "NuggetVital": _recall(_vital, strict=False),
    "NuggetVitalStrict": _recall(_vital, strict=True),
    "NuggetAll": _recall(_all, strict=False),
    "NuggetAllStrict": _recall(_all, strict=True),
    "NuggetWeighted": _recall(_weighted, strict=False),
}


def _derive(evaluation: AnswerEvaluation, measure: Measure) -> Values:
    return evaluation.of_nuggets(measure, SCORES[measure.name])


def _density(evaluation: AnswerEvaluation, measure: Measure) -> Values:
    """Return the credit of all nuggets per 100 words."""
    found = evaluation.of_nuggets(measure, lambda m, nuggets, credits: float(credits.sum()))
    words = np.full(evaluation.size, np.nan)
    places = [(s, i) for s in evaluation.systems for i in evaluation.items]
    for place, pair in enumerate(places):
        words[place] = evaluation.answers.words.get(pair, np.nan)
    lacking = [
        pair for pair, n, f in zip(places, words, found, strict=True) if np.isnan(n) and f > 0
    ]
    odd = [pair for pair, n, f in zip(places, words, found, strict=True) if n == 0 and f > 0]
    if lacking or odd:
        system, item = (lacking or odd)[0]
        what = "has no known length" if lacking else "has no words, but supports nuggets"
        raise MismatchError(
            f"{measure}: the answer of {system!r} to topic {item!r} {what}. Give the texts of the answers, "
            "or a column words (response_length)."
        )
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(found == 0, 0.0, 100 * found / np.where(words == 0, 1.0, words)))


def _entry(
    name: str,
    title: str,
    formula: str,
    parameters: tuple[Parameter, ...],
    notes: str,
    alias: str = "",
) -> Definition:
    return Definition(
        name,
        title,
        formula,
        PRADEEP,
        parameters,
        family="answers",
        needs="nuggets",
        aliases=(alias,) if alias else (),
        derive=_derive,
        notes=notes,
        expected="the mean score of given answers to other topics, held against the nuggets of the topic",
        upper="1",
    )


DEFINITIONS = (
    _entry(
        "NuggetVital",
        "Vital nuggets found",
        "Σ over vital nuggets of s / number of vital nuggets",
        (EMPTY, MIN_WEIGHT),
        PARTIAL,
        "vital_score",
    ),
    _entry(
        "NuggetVitalStrict",
        "Vital nuggets fully found",
        "vital nuggets with full support / number of vital nuggets",
        (EMPTY, MIN_WEIGHT),
        STRICT,
        "strict_vital_score",
    ),
    _entry(
        "NuggetAll",
        "Nuggets found",
        "Σ over nuggets of s / number of nuggets",
        (EMPTY,),
        PARTIAL,
        "all_score",
    ),
    _entry(
        "NuggetAllStrict",
        "Nuggets fully found",
        "nuggets with full support / number of nuggets",
        (EMPTY,),
        STRICT,
        "strict_all_score",
    ),
    _entry(
        "NuggetWeighted",
        "Weighted nugget recall",
        "Σ w·s / Σ w, w the importance",
        (VITAL, OKAY, EMPTY),
        PARTIAL + " Content units of a pyramid keep their weights.",
    ),
    Definition(
        "NuggetDensity",
        "Nuggets per 100 words",
        "100·Σ s / words of the answer",
        PRADEEP,
        bounds=(0, None),
        family="answers",
        needs="nuggets",
        derive=_density,
        without_net="it has no upper bound",
        notes=PARTIAL + " An answer that supports no nugget scores 0, whatever its length.",
    ),
)
