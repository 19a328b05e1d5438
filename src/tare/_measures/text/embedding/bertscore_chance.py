"""BERTScore under chance: a text of k tokens of the source.

Feng, D. (2023). Upper and expected value normalization for evaluating information retrieval and text
generation systems. Auburn University. Algorithm 1 takes the k distinct tokens that are most similar to the
document, or least similar; k tokens at random are the true analogue of a random ranking.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._measures.measure import Measure
from tare._measures.moments import Moments, RandomText
from tare._measures.text.drawing import Block, Draws, in_blocks, moments_of, samples_of, tails_of
from tare._measures.text.embedding.bertscore import score_tokens
from tare._measures.text.embedding.bertscore_measures import encoder_of, scoring_of, tokens_of
from tare._measures.text.embedding.encoder import Encoder, Tokens
from tare._measures.text.embedding.source_tokens import RankedSource, rank_source
from tare._measures.text.evaluation import TextEvaluation

__all__ = ["BertChance", "ranked_sources"]

Values = NDArray[np.float64]
SAMPLES = 10
MOST_TEXTS = 2_000


@dataclass(frozen=True)
class BertChance:
    """Expected BERTScore: k tokens of the source at random, or the best or worst k distinct ones."""

    def ways(self) -> tuple[str, ...]:
        """Return the available methods; the published one takes the best k."""
        return ("exact", "sampled", "published", "best", "worst")

    def usual_samples(self) -> int:
        """Return the default number of sampled texts; each must be embedded."""
        return SAMPLES

    def moments(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, *, variance: bool
    ) -> Moments:
        """Return mean and variance from samples, or from the single text of best and worst."""
        draws = _draws(evaluation, measure, text)
        return moments_of(draws, _scored(evaluation, measure, text, draws))

    def tails(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, observed: Values
    ) -> tuple[Values, Values]:
        """Return the share of random texts that score at least as high, and its standard error."""
        draws = _draws(evaluation, measure, text)
        return tails_of(draws, _scored(evaluation, measure, text, draws), observed)


def _draws(evaluation: TextEvaluation, measure: Measure, text: RandomText) -> Draws:
    candidates, references = tokens_of(evaluation, encoder_of(evaluation, measure))
    means = [round(float(np.mean([len(r) for r in g]))) if g else 0 for g in references]
    return Draws.of(evaluation, text, [len(c) for c in candidates], means)


def ranked_sources(evaluation: TextEvaluation, encoder: Encoder) -> dict[object, RankedSource]:
    """Return the tokens of each distinct source by similarity."""

    def make() -> dict[object, RankedSource]:
        sources = [s for s in dict.fromkeys(evaluation.cells.sources) if s]
        tokens = encoder.tokens(sources)
        vectors = encoder.embed(tokens)
        return {
            source: rank_source(encoder, own, vectors[own])
            for source, own in zip(sources, tokens, strict=True)
        }

    return evaluation.shared(("ranked", encoder.model.place, encoder.layer, encoder.dtype), make)


def _scored(
    evaluation: TextEvaluation, measure: Measure, text: RandomText, draws: Draws
) -> Iterator[Block]:
    encoder = encoder_of(evaluation, measure)
    idf, baseline = scoring_of(evaluation, measure, encoder)
    _, references = tokens_of(evaluation, encoder)
    known = dict(zip(evaluation.cells.references, references, strict=True))
    ranked = ranked_sources(evaluation, encoder)
    one = text.expected in ("best", "worst", "published")
    samples = 1 if one else samples_of(evaluation, text, SAMPLES)
    for places, block in in_blocks(draws, MOST_TEXTS, [samples] * len(draws.each)):
        texts: list[Tokens] = []
        for draw in block:
            source = ranked[draw.source]
            if text.expected == "worst":
                texts.append(source.worst(draw.length))
            elif one:
                texts.append(source.best(draw.length))
            else:
                texts += [
                    source.random(draw.length, evaluation.seed, draw.stream, s)
                    for s in range(samples)
                ]
        held = [known[draw.references] for draw in block for _ in range(samples)]
        parts = score_tokens(encoder, texts, held, idf, baseline, keep=False)
        yield places, parts.part(measure.part or "f").reshape(len(block), samples)
