"""ExactMatch and TokenF1 in the registry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tare._measures.definition import Definition
from tare._measures.measure import Measure
from tare._measures.parameter import Parameter
from tare._measures.text.answers.normalisation import gold_tokens, tokens
from tare._measures.text.references import combine, padded

if TYPE_CHECKING:
    from tare._measures.text.evaluation import TextEvaluation, Values
    from tare._measures.text.parts import TextParts

__all__ = ["DEFINITIONS", "Tokens", "Words", "overlap", "parts_of_counts", "tokens_of"]

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
    """Return the words of every text, and those of its references."""
    cells = evaluation.cells
    return evaluation.shared(
        "answers",
        lambda: (
            [tokens(text) for text in cells.candidates],
            [gold_tokens(group) for group in cells.references],
        ),
    )


def overlap(words: Words, gold: Words) -> tuple[float, float, float]:
    """Return the shared words, those of the text and those of the reference.

    Two empty texts are equal: they share their only, empty word.
    """
    if not words and not gold:
        return 1.0, 1.0, 1.0
    shared = (Counter(words) & Counter(gold)).total()
    return float(shared), float(len(words)), float(len(gold))


def parts_of_counts(counts: Sequence[Sequence[tuple[float, float, float]]], rule: str) -> TextParts:
    """Return precision, recall and F from the counts against each reference."""
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
