"""ROUGE under chance: a text of L words, each drawn from the words of the source.

Exact for ROUGE-N against one reference, or with refs=mean or micro: E[min(count, reference's count)]
of each n-gram by dynamic programming over matched prefix and count, including overlaps. The best of
several references is not a sum, and neither are L, W, S and SU; these are sampled.

Feng, D. (2023). Upper and expected value normalization for evaluating information retrieval and text
generation systems. Auburn University.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text, expected_ngrams, random_rouge_counts
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
from tare._measures.text.parameters import alpha_of_measure
from tare._measures.text.references import combine, padded
from tare._measures.text.rouge import RougeCounts
from tare._measures.text.rouge_measures import counts_of, member_of, rule_of, splitter_of
from tare._measures.text.sentences import split_all

__all__ = ["RougeChance"]

Values = NDArray[np.float64]
SAMPLES = 1_000
LINEAR = ("mean", "micro", "jackknife-micro")


@dataclass(frozen=True)
class RougeChance:
    """Expected ROUGE under the unigram model of the source."""

    def ways(self) -> tuple[str, ...]:
        """Return the available methods."""
        return ("exact", "sampled", "published")

    def usual_samples(self) -> int:
        """Return the default number of sampled texts."""
        return SAMPLES

    def moments(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, *, variance: bool
    ) -> Moments:
        """Return the exact mean if there is one, and sample the rest."""
        draws = _draws(evaluation, measure, text)
        closed = np.array([_is_linear(evaluation, measure, d) for d in draws.each], dtype=bool)
        if text.expected != "exact":
            closed[:] = False
        if not closed.all() or variance:
            found = moments_of(draws, _sampled(evaluation, measure, text, draws))
        else:
            nothing = np.full(len(draws.of_cell), np.nan)
            found = Moments(nothing, np.zeros(len(nothing)), nothing)
        if not closed.any():
            return found
        exact = np.full(len(draws.each), np.nan)
        exact[closed] = _expected(
            evaluation, measure, [d for d, c in zip(draws.each, closed, strict=True) if c]
        )
        known = draws.spread(closed.astype(float)) == 1
        return replace(
            found,
            expected=np.where(known, draws.spread(exact), found.expected),
            expected_error=np.where(known, 0.0, found.expected_error),
        )

    def tails(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, observed: Values
    ) -> tuple[Values, Values]:
        """Return the share of sampled texts that score at least as high, and its standard error."""
        draws = _draws(evaluation, measure, text)
        return tails_of(draws, _sampled(evaluation, measure, text, draws), observed)


def _draws(evaluation: TextEvaluation, measure: Measure, text: RandomText) -> Draws:
    counts = counts_of(evaluation, measure)
    totals = padded(counts.tokens, counts.sizes)
    if totals.shape[1] == 0:
        lengths = np.zeros((2, len(counts.sizes)), dtype=np.int64)
        return Draws.of(evaluation, text, *lengths)
    candidate = np.nan_to_num(totals[:, 0, 1]).astype(np.int64)
    known = ~np.isnan(totals[:, :, 2])
    mean = np.nansum(totals[:, :, 2], axis=1) / np.maximum(known.sum(axis=1), 1)
    return Draws.of(evaluation, text, candidate, np.rint(mean).astype(np.int64))


def _is_linear(evaluation: TextEvaluation, measure: Measure, draw: Draw) -> bool:
    """Return whether the score is a sum over n-grams, so that its mean is exact."""
    by_sum = len(draw.references) == 1 or rule_of(evaluation, measure) in LINEAR
    return member_of(measure).kind == "N" and by_sum


def _expected(evaluation: TextEvaluation, measure: Measure, draws: list[Draw]) -> Values:
    sources, references, lengths = _columns(measure, draws)
    kernel = evaluation.profile(measure).for_texts([*sources, *(r for g in references for r in g)])
    counts = expected_ngrams(
        sources, references, lengths, kernel, [member_of(measure).n], threads=evaluation.threads
    )[0]
    sizes = np.array([len(group) for group in references], dtype=np.int64)
    rule, alpha = rule_of(evaluation, measure), alpha_of_measure(measure)
    person = np.array([draw.person for draw in draws], dtype=bool)
    parts = combine(padded(counts, sizes), rule, alpha, person=person)
    return parts.part(measure.part or "f")


def _sampled(
    evaluation: TextEvaluation, measure: Measure, text: RandomText, draws: Draws
) -> Iterator[Block]:
    profile, member = evaluation.profile(measure), member_of(measure)
    samples = samples_of(evaluation, text, SAMPLES)
    cost = [samples * max(len(draw.references), 1) for draw in draws.each]
    for places, block in in_blocks(draws, seams().drawn_pairs, cost):
        sources, references, lengths = _columns(measure, block)
        counts = random_rouge_counts(
            sources,
            references,
            lengths,
            np.array([draw.stream for draw in block], dtype=np.uint64),
            profile.for_texts([*sources, *(r for g in references for r in g)]),
            [member.counting(profile)],
            samples=samples,
            seed=evaluation.seed,
            threads=evaluation.threads,
        )
        sizes = np.repeat(np.array([len(g) for g in references], dtype=np.int64), samples)
        made = RougeCounts(profile, sizes, {member: counts[0]}, counts[0])
        person = np.repeat(np.array([draw.person for draw in block], dtype=bool), samples)
        parts = made.parts(member, rule_of(evaluation, measure), alpha_of_measure(measure), person)
        yield places, parts.part(measure.part or "f").reshape(len(block), samples)


def _columns(
    measure: Measure, draws: list[Draw]
) -> tuple[list[Text], list[list[Text]], NDArray[np.int64]]:
    splitter = splitter_of(measure)
    references: list[list[Text]] = [list(split_all(d.references, splitter)) for d in draws]
    lengths = np.array([draw.length for draw in draws], dtype=np.int64)
    return [draw.source for draw in draws], references, lengths
