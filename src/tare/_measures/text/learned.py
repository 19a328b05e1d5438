"""A learned measure: a weighted sum of other measures, fitted to human scores and saved."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._files.opening import name_of, read_all
from tare._files.writing import write_text
from tare._measures.definition import Definition, Parameter, Value
from tare._measures.measure import Measure
from tare._measures.names import column_measure, parse
from tare._measures.saved_scores import MAX_VALUE
from tare._measures.scores import Scores
from tare._signature import Signature, tare_version
from tare.errors import FormatError, MeasureError, MismatchError, UnreadableError

if TYPE_CHECKING:
    from tare._measures.text.cells import TextEvaluation, Values

__all__ = ["DEFINITIONS", "LearnedModel", "features_of", "formula_of"]

MARK = "tare learned measure"
EDITION = 1


@dataclass(frozen=True)
class LearnedModel:
    """A learned measure: score = intercept + Σ coefficient · feature; `about` describes how it was learned.

    >>> model = LearnedModel(("ROUGE-1", "ROUGE-2"), (1.0, 2.0), 0.5)
    >>> model.digest
    '207b2bba'
    """

    features: tuple[str, ...]
    coefficients: tuple[float, ...]
    intercept: float
    human: str = ""
    about: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not self.features or len(self.features) != len(self.coefficients):
            raise MismatchError(
                f"{len(self.features)} features and {len(self.coefficients)} coefficients; each feature "
                "needs one coefficient."
            )
        for number in (self.intercept, *self.coefficients):
            if not math.isfinite(number):
                raise MismatchError("a coefficient of the learned measure is not a finite number.")
            if abs(number) > MAX_VALUE:
                raise MismatchError(
                    f"the coefficient {number!r} of the learned measure is too large; numbers from "
                    "-1e150 to 1e150 are accepted."
                )

    @property
    def digest(self) -> str:
        """A digest of the formula of a learned measure with eight characters, for signatures."""
        formula = json.dumps([self.features, self.coefficients, self.intercept])
        return hashlib.sha256(formula.encode()).hexdigest()[:8]

    def score(self, scores: Scores, name: str = "Learned") -> Scores:
        """Return the learned measure of a table that has its features, as a table of one measure."""
        chosen = scores.select(measures=self.features)
        values = self.intercept + chosen.values @ np.array(self.coefficients)
        facts = {"model": self.digest, "n": len(chosen.items), "tare": tare_version()}
        return replace(
            chosen,
            measures=(column_measure(name),),
            values=values[:, :, None],
            signatures=(Signature.of(name, facts),),
            columns={},
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the learned measure as JSON; use it as `Learned(path=…)`."""
        whole = {
            "kind": MARK,
            "edition": EDITION,
            "human": self.human,
            "intercept": self.intercept,
            "coefficients": dict(zip(self.features, self.coefficients, strict=True)),
            "about": dict(self.about),
            "tare": tare_version(),
        }
        text = json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False)
        write_text(path, text + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LearnedModel:
        """Read a file that `save` wrote."""
        name = name_of(path)
        try:
            text = read_all(path).decode("utf-8")
        except UnreadableError as error:
            raise UnreadableError(f"{error} `tare learn -o` writes a learned measure.") from None
        except UnicodeDecodeError:
            text = ""
        try:
            found = json.loads(text)
            json.dumps(found, ensure_ascii=False).encode()  # JSON can contain lone surrogates
            if found["kind"] != MARK or found["edition"] != EDITION:
                raise KeyError
            weights = {str(k): float(v) for k, v in found["coefficients"].items()}
            intercept, human = float(found["intercept"]), str(found["human"])
            about = dict(found.get("about", {}))
            return cls(tuple(weights), tuple(weights.values()), intercept, human, about)
        except MismatchError as error:
            raise FormatError(f"{name}: {error}") from None
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
            raise FormatError(
                f"{name}: not a learned measure of edition {EDITION}. `tare learn -o` writes one."
            ) from None


def _model(measure: Measure) -> LearnedModel:
    return LearnedModel.load(Path(str(measure["path"])))


def features_of(measure: Measure) -> tuple[Measure, ...]:
    """Return the features of a learned measure; none for any other measure."""
    if measure.name != "Learned":
        return ()
    made = tuple(parse(feature) for feature in _model(measure).features)
    for feature in made:
        innermost = feature.innermost
        if innermost.definition.family != "text" or innermost.name == "Learned":
            raise MeasureError(f"{measure}: its feature {feature} is not a plain text measure.")
        if ("download", True) in innermost.parameters:
            raise MeasureError(
                f"{measure}: its feature {feature} has download=true, and a file that was given never "
                "causes a download. Download the model, score the texts with model= and its folder, and "
                "learn the measure from these scores."
            )
    return made


def formula_of(measure: Measure) -> tuple[object, ...]:
    """Return the content of the file of a learned measure; nothing for any other measure."""
    if measure.name != "Learned":
        return ()
    model = _model(measure)
    return (model.features, model.coefficients, model.intercept, model.human)


def _derive(evaluation: TextEvaluation, measure: Measure) -> Values:
    model = _model(measure)
    total = np.full(len(evaluation.cells.candidates), model.intercept)
    for feature, weight in zip(features_of(measure), model.coefficients, strict=True):
        total = total + weight * evaluation.values(feature)
    evaluation.set_facts(measure, {"model": model.digest, "human": model.human or None})
    return total


def _settle(name: str, given: dict[str, Value]) -> dict[str, Value]:
    if not given.get("path"):
        raise MeasureError(
            f"{name} needs the file that `tare learn -o` wrote: write {name}(path=model.json)."
        )
    return given


DEFINITIONS = (
    Definition(
        "Learned",
        "a measure learned from human scores",
        "b₀ + Σ_j b_j · feature_j, with the coefficients of a saved model",
        "Rankel. Statistical Analysis of Text Summarization Evaluation. PhD thesis, University of "
        "Maryland, 2016.",
        (Parameter("path", "word", None, "The model that `tare learn -o` wrote."),),
        bounds=(None, None),
        family="text",
        needs="texts",
        settle=_settle,
        derive=_derive,
        notes="What it needs beyond the texts is what its features need.",
    ),
)
