"""The tokens of a source, by how near they stand to the whole of it (Feng 2023, algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare.data.counter_random import uniforms
from tare.measures.text.embedding.encoder import Encoder, Tokens, Vectors

__all__ = ["RankedSource", "rank_source"]


@dataclass(frozen=True)
class RankedSource:
    """Tokens of a source with their cosine to its mean vector, and their order by it."""

    tokens: Tokens
    similarity: NDArray[np.float32]
    order: NDArray[np.int64]

    def best(self, k: int) -> Tokens:
        """The k most similar tokens, the most similar first."""
        return tuple(self.tokens[i] for i in self.order[:k])

    def worst(self, k: int) -> Tokens:
        """The k least similar tokens, the least similar first."""
        return tuple(self.tokens[i] for i in self.order[::-1][:k])

    def random(self, k: int, seed: int, stream: int, sample: int) -> Tokens:
        """k tokens in random order, each place of the source at most once."""
        keys = uniforms(seed, stream, np.arange(len(self.tokens)), sample)
        return tuple(self.tokens[i] for i in np.argsort(keys, kind="stable")[:k])


def rank_source(encoder: Encoder, tokens: Tokens, vectors: Vectors) -> RankedSource:
    """The document's vector is the mean of its tokens' vectors; of equals the first comes first."""
    before, behind = (len(part) for part in encoder.special)
    own = vectors[before : len(vectors) - behind]
    if not len(own):
        return RankedSource((), np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.int64))
    whole = own.mean(axis=0, dtype=np.float64)
    whole /= max(float(np.linalg.norm(whole)), 1e-12)
    similarity = (own * whole.astype(np.float32)).sum(axis=1)
    # In six decimals, so that the order does not hang on how texts were batched.
    order = np.argsort(-np.round(similarity, 6), kind="stable")
    return RankedSource(tokens, similarity, order)
