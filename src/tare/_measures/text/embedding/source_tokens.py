"""The tokens of a source by their similarity to the whole source (Feng 2023, algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._data.simulation import uniforms
from tare._measures.text.embedding.encoder import Encoder, Tokens, Vectors

__all__ = ["RankedSource", "rank_source"]


@dataclass(frozen=True)
class RankedSource:
    """Tokens of a source with their cosine to its mean vector, and its dictionary.

    The dictionary holds each distinct token once, the most similar to the source first; a token that
    occurs more than once has the mean similarity of its occurrences.
    """

    tokens: Tokens
    similarity: NDArray[np.float32]
    dictionary: Tokens

    def best(self, k: int) -> Tokens:
        """Return the k most similar distinct tokens, most similar first; all if there are fewer."""
        return self.dictionary[:k]

    def worst(self, k: int) -> Tokens:
        """Return the k least similar distinct tokens, least similar first; all if there are fewer."""
        return self.dictionary[::-1][:k]

    def random(self, k: int, seed: int, stream: int, sample: int) -> Tokens:
        """Return k tokens in random order, each position of the source at most once."""
        keys = uniforms(seed, stream, np.arange(len(self.tokens)), sample)
        return tuple(self.tokens[i] for i in np.argsort(keys, kind="stable")[:k])


def rank_source(encoder: Encoder, tokens: Tokens, vectors: Vectors) -> RankedSource:
    """Return the tokens by similarity to the document, the mean of its token vectors."""
    before, behind = (len(part) for part in encoder.special)
    own = vectors[before : len(vectors) - behind]
    if not len(own):
        return RankedSource((), np.zeros(0, dtype=np.float32), ())
    whole = own.mean(axis=0, dtype=np.float64)
    whole /= max(float(np.linalg.norm(whole)), 1e-12)
    similarity = (own * whole.astype(np.float32)).sum(axis=1)
    places: dict[int, list[int]] = {}
    for place, token in enumerate(tokens):
        places.setdefault(token, []).append(place)
    # Rounded to six decimals, so that the order does not depend on how texts were batched.
    means = {t: round(float(similarity[at].mean(dtype=np.float64)), 6) for t, at in places.items()}
    return RankedSource(tokens, similarity, tuple(sorted(places, key=lambda t: -means[t])))
