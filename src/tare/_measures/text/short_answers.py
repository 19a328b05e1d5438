"""Measures of short answers: exact match and token F1, as SQuAD defines them, and both under chance."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text, expected_ngrams, text_profile
from tare._kernels.random_numbers import uniforms
from tare._measures.definition import Definition, Moments, Parameter, RandomText
from tare._measures.measure import Measure
from tare._measures.text.cells import TextEvaluation
from tare._measures.text.random_texts import Block, Draw, Draws, moments_of, samples_of, tails_of
from tare._measures.text.rouge import combine, padded

if TYPE_CHECKING:
    from tare._measures.text.cells import Values
    from tare._measures.text.rouge import TextParts

__all__ = [
    "DEFINITIONS",
    "AnswerChance",
    "Tokens",
    "Words",
    "gold_tokens",
    "normalised",
    "overlap",
    "parts_of_counts",
    "tokens",
    "tokens_of",
]


# SQuAD's normalisation of answers.


_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def normalised(text: Text) -> str:
    """Return a short answer in lower case, without ASCII punctuation and articles, with single spaces.

    >>> normalised("The  Eiffel-Tower, a tower!")
    'eiffeltower tower'
    """
    whole = text if isinstance(text, str) else "\n".join(text)
    return " ".join(_ARTICLES.sub(" ", whole.lower().translate(_PUNCTUATION)).split())


def tokens(text: Text) -> tuple[str, ...]:
    """Return the words of a normalised text."""
    return tuple(normalised(text).split())


def gold_tokens(references: Sequence[Text]) -> list[tuple[str, ...]]:
    """Return the words of the reference answers; empty ones count only if all are empty.

    A question whose only answers are empty has no answer, and an empty text is right.
    """
    words = [tokens(reference) for reference in references]
    full = [one for one in words if one]
    return full or words[:1]


# ExactMatch and TokenF1 in the registry.


Words = tuple[str, ...]
Tokens = tuple[list[Words], list[list[Words]]]
RAJPURKAR = (
    "Rajpurkar, Zhang, Lopyrev, Liang. SQuAD: 100,000+ Questions for Machine Comprehension of Text. "
    "EMNLP 2016."
)
REFS = Parameter(
    "refs", "choice", "max", "Several references: the best, or the mean.", choices=("max", "mean")
)
NOTES = (
    "Texts are compared in lower case, without ASCII punctuation and without a, an and the, as in SQuAD's "
    "evaluation script. An empty reference is a question without an answer: only an empty text is right."
)


def tokens_of(evaluation: TextEvaluation) -> Tokens:
    """Return the words of every short answer, and those of its references."""
    cells = evaluation.cells
    return evaluation.shared(
        "answers",
        lambda: (
            [tokens(text) for text in cells.candidates],
            [gold_tokens(group) for group in cells.references],
        ),
    )


def overlap(words: Words, gold: Words) -> tuple[float, float, float]:
    """Return the words that a short answer shares with the reference, those of the answer and those of the reference.

    Two empty texts are equal: they share their only, empty word.
    """
    if not words and not gold:
        return 1.0, 1.0, 1.0
    shared = (Counter(words) & Counter(gold)).total()
    return float(shared), float(len(words)), float(len(gold))


def parts_of_counts(counts: Sequence[Sequence[tuple[float, float, float]]], rule: str) -> TextParts:
    """Return precision, recall and F1 of a short answer from the counts against each reference."""
    sizes = np.array([len(group) for group in counts], dtype=np.int64)
    flat = np.array([row for group in counts for row in group], dtype=np.float64).reshape(-1, 3)
    return combine(padded(flat, sizes), rule)


def _exact_match(evaluation: TextEvaluation, measure: Measure) -> Values:
    texts, golds = tokens_of(evaluation)
    _tell(evaluation, measure)
    matches = [
        [float(words == gold) for gold in group] for words, group in zip(texts, golds, strict=True)
    ]
    best = max if measure["refs"] == "max" else _mean
    return np.array([best(row) if row else np.nan for row in matches], dtype=np.float64)


def _token_f1(evaluation: TextEvaluation, measure: Measure) -> Values:
    texts, golds = tokens_of(evaluation)
    _tell(evaluation, measure)
    counts = [
        [overlap(words, gold) for gold in group] for words, group in zip(texts, golds, strict=True)
    ]
    return parts_of_counts(counts, measure["refs"]).part(measure.part or "f")


def _mean(row: list[float]) -> float:
    return sum(row) / len(row)


def _tell(evaluation: TextEvaluation, measure: Measure) -> None:
    facts = {"norm": "squad", "refs": measure["refs"]}
    evaluation.set_facts(measure, facts, evaluation.without("references", "references"))


DEFINITIONS = (
    Definition(
        "ExactMatch",
        "ExactMatch: the text equals a reference",
        "1 if the text equals a reference after SQuAD's normalisation, else 0",
        RAJPURKAR,
        (REFS,),
        family="text",
        needs="references",
        aliases=("EM", "exact_match"),
        derive=_exact_match,
        notes=NOTES,
    ),
    Definition(
        "TokenF1",
        "TokenF1: shared words of an answer and a reference",
        "P, R = shared words / words of the text, of the reference; F = 2PR/(P + R)",
        RAJPURKAR,
        (REFS,),
        family="text",
        needs="references",
        aliases=("token_f1",),
        parts=("f", "p", "r"),
        derive=_token_f1,
        notes=NOTES,
    ),
)


# Exact match and token F1 under chance: a text of L words, each drawn from the words of the
# source.
#
# Exact match is exact: the probability that the L words are those of a reference. So is F1 against one
# reference, or with refs=mean: with fixed lengths it is a multiple of Σ over words of E[min(count, the
# reference's count)], and a word's count is binomial. The best of several references is not a sum, and
# is sampled.


Array = NDArray[np.float64]
Codes = NDArray[np.int64]
SAMPLES = 1_000


@dataclass(frozen=True)
class _Answer:
    """A random short answer: words of the source, references, length, and the rule for several references."""

    words: Words
    golds: tuple[Words, ...]
    length: int
    rule: str

    @classmethod
    def of(cls, draw: Draw, rule: str) -> _Answer:
        words = tokens(draw.source)
        length = draw.length if words else 0
        return cls(words, tuple(gold_tokens(draw.references)), length, rule)

    @cached_property
    def shares(self) -> dict[str, float]:
        """The probability of each word."""
        return {word: n / len(self.words) for word, n in Counter(self.words).items()}

    def matches(self) -> list[tuple[float, float]]:
        """Return for each distinct reference the probability that a random answer equals it, and the exact match that it earns."""
        weights = Counter(self.golds)
        return [
            (
                math.prod(self.shares.get(word, 0.0) for word in gold),
                1.0 if self.rule == "max" else count / len(self.golds),
            )
            for gold, count in weights.items()
            if len(gold) == self.length
        ]

    @property
    def linear(self) -> bool:
        """Whether F1 is a sum over words."""
        return self.rule == "mean" or len({tuple(sorted(gold)) for gold in self.golds}) == 1

    def expected_parts(self, part: str) -> float:
        """Return the expected precision, recall or F1 of a random short answer, if it is linear."""
        counts = [(self._expected_overlap(gold), *self._sizes(gold)) for gold in self.golds]
        return float(parts_of_counts([counts], "mean").part(part)[0])

    def _sizes(self, gold: Words) -> tuple[float, float]:
        both_empty = not gold and not self.length
        return (1.0, 1.0) if both_empty else (float(self.length), float(len(gold)))

    def _expected_overlap(self, gold: Words) -> float:
        """Return the expected overlap of a random answer: Σ over words of E[min(count in L words, count in the reference)]."""
        if not gold and not self.length:
            return 1.0
        codes = {word: f"w{k}" for k, word in enumerate(dict.fromkeys((*self.words, *gold)))}
        source, reference = (" ".join(codes[w] for w in words) for words in (self.words, gold))
        lengths = np.array([self.length])
        found = expected_ngrams([source], [[reference]], lengths, text_profile("google"), [1])
        return float(found[0, 0, 0])

    def sampled(self, name: str, part: str, picks: Array) -> Array:
        """Return the score of each sampled random answer; `picks` are uniform numbers, samples × L."""
        codes = {word: k for k, word in enumerate(dict.fromkeys(self.words))}
        drawn = np.array([codes[word] for word in self.words], dtype=np.int64)
        places = (picks * len(self.words)).astype(np.int64)
        texts = drawn[places] if self.length else places
        if name == "ExactMatch":
            hits = [self._equal(texts, gold, codes) for gold in self.golds]
            return np.asarray(np.max(hits, axis=0) if self.rule == "max" else np.mean(hits, axis=0))
        counts = np.stack([self._counts(texts, gold, codes) for gold in self.golds], axis=1)
        return parts_of_counts(counts.tolist(), self.rule).part(part)

    def _equal(self, texts: Codes, gold: Words, codes: dict[str, int]) -> Array:
        if len(gold) != self.length:
            return np.zeros(len(texts))
        wanted = np.array([codes.get(word, -1) for word in gold], dtype=np.int64)
        return np.asarray((texts == wanted).all(axis=1), dtype=np.float64)

    def _counts(self, texts: Codes, gold: Words, codes: dict[str, int]) -> Array:
        shared = np.zeros(len(texts))
        for word, count in Counter(gold).items():
            shared += np.minimum((texts == codes.get(word, -1)).sum(axis=1), count)
        if not gold and not self.length:
            shared += 1.0
        return np.stack([shared, *(np.full(len(texts), n) for n in self._sizes(gold))], axis=1)


@dataclass(frozen=True)
class AnswerChance:
    """Expected exact match and token F1 of random short answers under the unigram model of the source."""

    def ways(self) -> tuple[str, ...]:
        """Return the available methods."""
        return ("exact", "sampled", "published")

    def usual_samples(self) -> int:
        """Return the default number of sampled texts."""
        return SAMPLES

    def moments(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, *, variance: bool
    ) -> Moments:
        """Return the exact moments of exact match or token F1 where they are known, and the rest from samples."""
        draws = _draws(evaluation, text)
        answers = [_Answer.of(draw, measure["refs"]) for draw in draws.each]
        exact = np.full((2, len(answers)), np.nan)  # mean and variance
        for k, answer in enumerate(answers if text.expected == "exact" else ()):
            if measure.name == "ExactMatch":
                found = answer.matches()
                mean = math.fsum(p * v for p, v in found)
                exact[:, k] = mean, math.fsum(p * v * v for p, v in found) - mean**2
            elif answer.linear:
                exact[0, k] = answer.expected_parts(measure.part or "f")
        nothing = np.full(len(draws.of_cell), np.nan)
        made = Moments(nothing, np.zeros(len(nothing)), nothing, nothing, np.zeros(len(nothing)))
        if np.isnan(exact[: 1 + variance]).any():
            made = moments_of(draws, _sampled(evaluation, measure, text, draws))
        assert made.variance is not None
        assert made.variance_error is not None
        means, spread = draws.spread(exact[0]), draws.spread(exact[1])
        known, sure = ~np.isnan(means), ~np.isnan(spread)
        return replace(
            made,
            expected=np.where(known, means, made.expected),
            expected_error=np.where(known, 0.0, made.expected_error),
            variance=np.where(sure, spread, made.variance),
            variance_error=np.where(sure, 0.0, made.variance_error),
        )

    def tails(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, observed: Array
    ) -> tuple[Array, Array]:
        """Return P(a random answer scores at least as high); exact for ExactMatch, else sampled."""
        draws = _draws(evaluation, text)
        if measure.name != "ExactMatch" or text.expected != "exact":
            return tails_of(draws, _sampled(evaluation, measure, text, draws), observed)
        out = np.full(len(observed), np.nan)
        for cell, (place, value) in enumerate(zip(draws.of_cell, observed, strict=True)):
            if place >= 0 and not np.isnan(value):
                found = _Answer.of(draws.each[place], measure["refs"]).matches()
                reached = math.fsum(p for p, v in found if v >= value - 1e-12)
                out[cell] = 1.0 if value <= 0 else reached
        return out, np.zeros(len(observed))


def _draws(evaluation: TextEvaluation, text: RandomText) -> Draws:
    texts, golds = tokens_of(evaluation)
    mean = [round(float(np.mean([len(g) for g in group]))) if group else 0 for group in golds]
    return Draws.of(evaluation, text, [len(words) for words in texts], mean)


def _sampled(
    evaluation: TextEvaluation, measure: Measure, text: RandomText, draws: Draws
) -> Iterator[Block]:
    samples = samples_of(evaluation, text, SAMPLES)
    for k, draw in enumerate(draws.each):
        answer = _Answer.of(draw, measure["refs"])
        cells = np.arange(samples * answer.length)
        picks = uniforms(evaluation.seed, draw.stream, cells).reshape(samples, answer.length)
        values = answer.sampled(measure.name, measure.part or "f", picks)
        yield np.array([k]), values[None, :]
