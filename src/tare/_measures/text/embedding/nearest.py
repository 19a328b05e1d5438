"""The nearest tokens of two texts, as BERTScore matches them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text
from tare._measures.text.embedding.baseline import BertBaseline
from tare._measures.text.embedding.bertscore import Idf, cosines_of, parts_of, weights_of
from tare._measures.text.embedding.encoder import Encoder, Tokens, Vectors, joined

__all__ = ["SPECIAL", "Nearest", "Span", "nearest_tokens", "token_spans"]

Span = tuple[int, int]
SPECIAL = -1  # the place of a token that the model adds before or after a text


@dataclass(frozen=True)
class Nearest:
    """Each token of one text with the nearest token of another text.

    `places` are those of the nearest tokens, or SPECIAL; `cosines` are at least 0; `weights` are 1
    without idf. P and R of BERTScore are the weighted means of these cosines.
    """

    places: NDArray[np.int32]
    cosines: NDArray[np.float32]
    weights: NDArray[np.float64]


def nearest_tokens(
    encoder: Encoder,
    candidate: Tokens,
    references: Sequence[Tokens],
    vectors: dict[Tokens, Vectors],
    idf: Idf | None = None,
    baseline: BertBaseline | None = None,
) -> list[tuple[Nearest, Nearest, NDArray[np.float64]]]:
    """Return, for each reference, the matches of the candidate's tokens, its own, and P, R and F."""
    before, behind = (len(part) for part in encoder.special)
    cosines, starts = cosines_of(candidate, references, vectors)
    made = []
    for k, reference in enumerate(references):
        part = cosines[:, starts[k] : starts[k + 1]]
        inner = (slice(before, len(candidate) + before), slice(before, len(reference) + before))
        own = _nearest(part[inner[0]], before, behind, weights_of(candidate, idf))
        other = _nearest(part.T[inner[1]], before, behind, weights_of(reference, idf))
        values = np.zeros(3)
        if candidate and reference:
            values = parts_of(own.cosines, own.weights, other.cosines, other.weights)
        made.append((own, other, values if baseline is None else baseline.rescale(values)))
    return made


def _nearest(cosines: Vectors, before: int, behind: int, weights: NDArray[np.float64]) -> Nearest:
    """Return the largest cosine of each row, and its place among the tokens of the text."""
    if not cosines.size:
        nothing = np.zeros(len(cosines), dtype=np.float32)
        return Nearest(np.full(len(cosines), SPECIAL, dtype=np.int32), nothing, weights)
    places = cosines.argmax(axis=1)
    best = np.maximum(cosines[np.arange(len(cosines)), places], 0)
    own = (places >= before) & (places < cosines.shape[1] - behind)
    return Nearest(np.where(own, places - before, SPECIAL).astype(np.int32), best, weights)


def token_spans(encoder: Encoder, texts: Sequence[Text]) -> list[list[Span]] | None:
    """Return where each token is in its text, or None if the tokenizer does not report it.

    Places count characters of the text whose sentences are joined by one character.
    """
    if not getattr(encoder.tokenizer, "is_fast", False):
        return None
    whole = [joined(text) for text in texts]
    prefix = encoder.prefix
    strings = [f"{prefix}{text.strip()}" if text.strip() else "" for text in whole]
    if not strings:
        return []
    found = encoder.tokenizer(
        strings, add_special_tokens=False, verbose=False, return_offsets_mapping=True
    )
    shifts = [len(text) - len(text.lstrip()) - len(prefix) for text in whole]
    return [
        [(max(0, a + shift), max(0, b + shift)) for a, b in spans]
        for spans, shift in zip(found["offset_mapping"], shifts, strict=True)
    ]
