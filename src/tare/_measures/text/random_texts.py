"""Measures of texts under chance: random texts of L words, drawn from the words of the source."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text, expected_ngrams, random_rouge_counts, stream_ids
from tare._kernels.random_numbers import uniforms
from tare._kernels.threads_and_blocks import seams
from tare._measures.definition import Moments, RandomText
from tare._measures.measure import Measure
from tare._measures.text.cells import TextEvaluation
from tare._measures.text.profiles import alpha_of_measure
from tare._measures.text.rouge import (
    RougeCounts,
    combine,
    counts_of,
    member_of,
    padded,
    rule_of,
    splitter_of,
)
from tare._measures.text.sentences import split_all
from tare.errors import MeasureError, OptionError

__all__ = [
    "Block",
    "Draw",
    "Draws",
    "ResampledChance",
    "RougeChance",
    "in_blocks",
    "moments_of",
    "samples_of",
    "tails_of",
    "words_of",
]


# Random texts: their sources and lengths, and the moments of their sampled scores.


MOST_SAMPLES = 10_000_000  # random texts, each with three counts per reference in memory

Values = NDArray[np.float64]
Block = tuple[NDArray[np.int64], Values]


@dataclass(frozen=True)
class Draw:
    """Source, references and length of a random text to draw; equal cells share one draw."""

    source: Text
    references: tuple[Text, ...]
    length: int
    stream: int
    person: bool = False


@dataclass(frozen=True)
class Draws:
    """The distinct draws of random texts, and the draw of each cell (−1: none)."""

    each: tuple[Draw, ...]
    of_cell: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        evaluation: TextEvaluation,
        text: RandomText,
        candidate: Sequence[int] | NDArray[np.int64],
        reference: Sequence[int] | NDArray[np.int64],
    ) -> Draws:
        """Return the draws of random texts of all cells, given the lengths of candidates and (mean) of references."""
        cells = evaluation.cells
        streams, item_of = stream_ids(cells.items).tolist(), cells.item_of.tolist()
        made: dict[Hashable, int] = {}
        each: list[Draw] = []
        places = np.full(len(cells.candidates), -1, dtype=np.int64)
        for place, (source, group) in enumerate(zip(cells.sources, cells.references, strict=True)):
            if not source or not group:
                continue
            item = item_of[place]
            length = _length(text.length, int(candidate[place]), int(reference[place]))
            person = bool(cells.person[place])
            key = (item, source, group, length, person)
            if key not in made:
                made[key] = len(each)
                each.append(Draw(source, group, length, streams[item], person))
            places[place] = made[key]
        return cls(tuple(each), places)

    def spread(self, values: Values) -> Values:
        """Return the values of draws of random texts as values of cells; NaN if nothing can be drawn."""
        out = np.full(len(self.of_cell), np.nan)
        known = self.of_cell >= 0
        out[known] = values[self.of_cell[known]]
        return out


def _length(asked: str | int, candidate: int, reference: int) -> int:
    if asked == "candidate":
        return candidate
    return reference if asked == "reference" else int(asked)


def samples_of(evaluation: TextEvaluation, text: RandomText, usual: int) -> int:
    """Return the number of random texts to sample; one for expected=published."""
    if text.expected == "published":
        return 1
    samples = usual if evaluation.samples is None else evaluation.samples
    if not 2 <= samples <= MOST_SAMPLES:
        raise OptionError(
            f"samples={samples} is not possible: 2 to {MOST_SAMPLES:,} random texts can be drawn."
        )
    return samples


def moments_of(draws: Draws, blocks: Iterable[Block]) -> Moments:
    """Return mean, error, variance and its error of the scores of random texts; the caller adds the upper bound."""
    out = np.full((4, len(draws.each)), np.nan)
    for places, values in blocks:
        count = values.shape[1]
        mean = values.mean(axis=1)
        variance = values.var(axis=1, ddof=1) if count > 1 else np.zeros(len(values))
        fourth = ((values - mean[:, None]) ** 4).mean(axis=1)
        out[0, places], out[1, places], out[2, places] = mean, np.sqrt(variance / count), variance
        out[3, places] = np.sqrt(np.maximum(fourth - variance**2, 0.0) / count)
    mean, error, variance, variance_error = (draws.spread(row) for row in out)
    return Moments(mean, error, np.full(len(mean), np.nan), variance, variance_error)


def tails_of(draws: Draws, blocks: Iterable[Block], observed: Values) -> tuple[Values, Values]:
    """Return (b + 1)/(B + 1) and its standard error, b of B random texts scoring at least as high."""
    out, errors = np.full(len(observed), np.nan), np.zeros(len(observed))
    cells: dict[int, list[int]] = {}
    for cell, place in enumerate(draws.of_cell.tolist()):
        cells.setdefault(place, []).append(cell)
    for places, values in blocks:
        for place, row in zip(places.tolist(), values, strict=True):
            for cell in cells[place]:
                reached = int((row >= observed[cell] - 1e-12).sum())
                out[cell] = (reached + 1) / (len(row) + 1)
                errors[cell] = np.sqrt(out[cell] * (1 - out[cell]) / len(row))
    gone = np.isnan(observed)
    return np.where(gone, np.nan, out), np.where(gone, 0.0, errors)


def in_blocks(
    draws: Draws, most: int, cost: Sequence[int]
) -> Iterator[tuple[NDArray[np.int64], list[Draw]]]:
    """Yield draws of random texts in blocks whose total cost stays below `most`."""
    start, total = 0, 0
    for place in range(len(draws.each) + 1):
        full = place == len(draws.each) or (total + cost[place] > most and place > start)
        if full and place > start:
            yield np.arange(start, place), list(draws.each[start:place])
            start, total = place, 0
        if place < len(draws.each):
            total += cost[place]


# Chance for any text measure with references: random texts are generated and scored.


SAMPLES = 100


@dataclass(frozen=True)
class ResampledChance:
    """The mean score of random texts whose words are drawn from the words of the source."""

    samples: int = SAMPLES

    def ways(self) -> tuple[str, ...]:
        """Return the available methods for random texts that are resampled; there is no closed form."""
        return ("exact", "sampled", "published")

    def usual_samples(self) -> int:
        """Return the default number of sampled texts."""
        return self.samples

    def moments(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, *, variance: bool
    ) -> Moments:
        """Return mean and variance, all from samples."""
        draws = _resampled_draws(evaluation, measure, text)
        return moments_of(draws, self._sampled(evaluation, measure, text, draws))

    def tails(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, observed: Values
    ) -> tuple[Values, Values]:
        """Return the share of resampled random texts that score at least as high, and its standard error."""
        draws = _resampled_draws(evaluation, measure, text)
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
    """Return the words of a text, split at white space, for the draws of random texts."""
    lines = [text] if isinstance(text, str) else text or []
    return [word for line in lines for word in line.split()]


def _resampled_draws(evaluation: TextEvaluation, measure: Measure, text: RandomText) -> Draws:
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


# ROUGE under chance: a text of L words, each drawn from the words of the source.
#
# Exact for ROUGE-N against one reference, or with refs=mean or micro: E[min(count, reference's count)]
# of each n-gram by dynamic programming over matched prefix and count, including overlaps. The best of
# several references is not a sum, and neither are L, W, S and SU; these are sampled.
#
# Feng, D. (2023). Upper and expected value normalization for evaluating information retrieval and text
# generation systems. Auburn University.


ROUGE_SAMPLES = 1_000
LINEAR = ("mean", "micro", "jackknife-micro")


@dataclass(frozen=True)
class RougeChance:
    """Expected ROUGE of random texts under the unigram model of the source."""

    def ways(self) -> tuple[str, ...]:
        """Return the available methods."""
        return ("exact", "sampled", "published")

    def usual_samples(self) -> int:
        """Return the default number of sampled texts."""
        return ROUGE_SAMPLES

    def moments(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, *, variance: bool
    ) -> Moments:
        """Return the exact mean ROUGE of random texts if there is one, and sample the rest."""
        draws = _rouge_draws(evaluation, measure, text)
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
        """Return the share of random texts whose ROUGE is at least as high, and its standard error."""
        draws = _rouge_draws(evaluation, measure, text)
        return tails_of(draws, _sampled(evaluation, measure, text, draws), observed)


def _rouge_draws(evaluation: TextEvaluation, measure: Measure, text: RandomText) -> Draws:
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
    """Return whether a ROUGE score is a sum over n-grams, so that its mean over random texts is exact."""
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
    samples = samples_of(evaluation, text, ROUGE_SAMPLES)
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
