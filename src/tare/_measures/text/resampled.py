"""Chance for any text measure with references: random texts are generated and scored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._data.simulation import uniforms
from tare._kernels import Text
from tare._kernels.threads_and_blocks import seams
from tare._measures.measure import Measure
from tare._measures.moments import Moments, RandomText
from tare._measures.text.drawing import (
    Block,
    Draw,
    Draws,
    in_blocks,
    moments_of,
    samples_of,
    tails_of,
)
from tare._measures.text.evaluation import TextEvaluation
from tare.errors import MeasureError

__all__ = ["ResampledChance", "words_of"]

Values = NDArray[np.float64]
SAMPLES = 100


@dataclass(frozen=True)
class ResampledChance:
    """The mean score of texts whose words are drawn from the words of the source."""

    samples: int = SAMPLES

    def ways(self) -> tuple[str, ...]:
        """Return the available methods; there is no closed form."""
        return ("exact", "sampled", "published")

    def usual_samples(self) -> int:
        """Return the default number of sampled texts."""
        return self.samples

    def moments(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, *, variance: bool
    ) -> Moments:
        """Return mean and variance, all from samples."""
        draws = _draws(evaluation, measure, text)
        return moments_of(draws, self._sampled(evaluation, measure, text, draws))

    def tails(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, observed: Values
    ) -> tuple[Values, Values]:
        """Return the share of sampled texts that score at least as high, and its standard error."""
        draws = _draws(evaluation, measure, text)
        return tails_of(draws, self._sampled(evaluation, measure, text, draws), observed)

    def _sampled(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, draws: Draws
    ) -> Iterator[Block]:
        samples = samples_of(evaluation, text, self.samples)
        for places, block in in_blocks(draws, seams().drawn_texts, [samples] * len(draws.each)):
            texts = [_written(draw, evaluation.seed, s) for draw in block for s in range(samples)]
            references = [draw.references for draw in block for _ in range(samples)]
            person = np.repeat(np.array([draw.person for draw in block], dtype=bool), samples)
            values = evaluation.rescored(measure, texts, references, person)
            yield places, values.reshape(len(block), samples)


def words_of(text: Text | None) -> list[str]:
    """Return the words of a text, split at white space."""
    lines = [text] if isinstance(text, str) else text or []
    return [word for line in lines for word in line.split()]


def _draws(evaluation: TextEvaluation, measure: Measure, text: RandomText) -> Draws:
    if dict(measure.parameters).get("triples") == "given":
        raise MeasureError(
            f"{measure}: random texts consist of words, and these texts consist of triples."
        )
    cells = evaluation.cells
    candidate = [len(words_of(t)) for t in cells.candidates]
    reference = [
        round(float(np.mean([len(words_of(r)) for r in group]))) if group else 0
        for group in cells.references
    ]
    return Draws.of(evaluation, text, candidate, reference)


def _written(draw: Draw, seed: int, sample: int) -> str:
    words = words_of(draw.source)
    if not words:
        return ""
    picks = uniforms(seed, draw.stream, np.arange(draw.length), sample) * len(words)
    return " ".join(words[int(pick)] for pick in picks)
