"""Kernels of texts: tokens, ROUGE counts, cohesion, fragments of a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare import _core

__all__ = [
    "Cohesion",
    "Text",
    "TextProfile",
    "cohesion",
    "drand48_means",
    "expected_ngrams",
    "fragment_counts",
    "random_rouge_counts",
    "rouge_counts",
    "text_profile",
]

Text = str | Sequence[str]
"""A text: one string with one sentence per line, or a sequence of sentences."""

TextProfile = _core.TextProfile

ALL_THREADS = 0


def text_profile(
    splitting: str,
    stemmer: str = "none",
    *,
    longest_unstemmed: int = 3,
    lexicon: Mapping[str, str] | None = None,
    stop_words: Sequence[str] = (),
    most_words: int = 0,
    most_bytes: int = 0,
) -> TextProfile:
    """Return a tokeniser; words longer than `longest_unstemmed` bytes are stemmed."""
    return _core.TextProfile(
        splitting,
        stemmer,
        longest_unstemmed,
        dict(lexicon or {}),
        list(stop_words),
        most_words,
        most_bytes,
    )


def rouge_counts(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    profile: TextProfile,
    measures: Sequence[tuple[str, int, float]],
    *,
    threads: int = ALL_THREADS,
) -> NDArray[np.float64]:
    """Return hits, candidate total and reference total, measures × pairs × 3, ordered by item."""
    return _core.rouge_counts(
        _listed(candidates), _listed(references), profile, list(measures), threads
    )


def expected_ngrams(
    sources: Sequence[Text],
    references: Sequence[Sequence[Text]],
    lengths: NDArray[np.int64],
    profile: TextProfile,
    sizes: Sequence[int],
    *,
    threads: int = ALL_THREADS,
) -> NDArray[np.float64]:
    """Return expected hits and both totals of texts drawn word by word, sizes × pairs × 3."""
    return _core.expected_ngrams(
        _listed(sources), _listed(references), lengths, profile, list(sizes), threads
    )


def random_rouge_counts(
    sources: Sequence[Text],
    references: Sequence[Sequence[Text]],
    lengths: NDArray[np.int64],
    streams: NDArray[np.uint64],
    profile: TextProfile,
    measures: Sequence[tuple[str, int, float]],
    *,
    samples: int,
    seed: int,
    threads: int = ALL_THREADS,
) -> NDArray[np.float64]:
    """Return hits and totals of sampled texts, measures × (items, samples, references) × 3."""
    return _core.random_rouge_counts(
        _listed(sources),
        _listed(references),
        lengths,
        streams,
        profile,
        list(measures),
        samples,
        seed,
        threads,
    )


@dataclass(frozen=True, eq=False)
class Cohesion:
    """Entropies and lengths of texts, and the terms shared by each pair of sentences.

    shared: a matrix of sentences × sentences per text, one after the other; text i begins at
    offsets[i].
    """

    term_entropy: NDArray[np.float64]
    sentence_entropy: NDArray[np.float64]
    tokens: NDArray[np.int64]
    distinct: NDArray[np.int64]
    sentences: NDArray[np.int64]
    shared: NDArray[np.float64]
    offsets: NDArray[np.int64]


def cohesion(
    texts: Sequence[Text], profile: TextProfile, *, threads: int = ALL_THREADS
) -> Cohesion:
    """Return entropies, lengths and the terms shared by pairs of sentences, for each text."""
    return Cohesion(**_core.cohesion(_listed(texts), profile, threads))


def fragment_counts(
    summaries: Sequence[Text],
    sources: Sequence[Text],
    profile: TextProfile,
    sizes: Sequence[int],
    *,
    threads: int = ALL_THREADS,
) -> NDArray[np.float64]:
    """Return lengths, fragments of the source and n-grams, items × (4 + 3 per size)."""
    return _core.fragment_counts(
        _listed(summaries), _listed(sources), profile, list(sizes), threads
    )


def drand48_means(values: NDArray[np.float64], draws: int) -> NDArray[np.float64]:
    """Return the means of each row over the resamples of ROUGE-1.5.5, rows × draws."""
    return _core.drand48_means(np.ascontiguousarray(values, dtype=np.float64), draws)


def _listed(items: Sequence[Any]) -> list[Any]:
    return items if isinstance(items, list) else list(items)
