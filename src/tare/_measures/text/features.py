"""Thirteen features of a summary: its form and its content, for models of human scores.

1–7 look at the summary alone, by X, the terms that each pair of its sentences shares; 8–13 at what
it has in common with references. For update tasks the content features are computed against both
the base and the update references.

Rankel, P. (2016). Statistical analysis of text summarization evaluation. University of Maryland.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text, cohesion, rouge_counts
from tare._measures.text.profiles import Profile, profile
from tare._measures.text.references import combine, padded

__all__ = ["CONTENT", "FEATURES", "FORM", "content_features", "features", "form_features"]

Values = NDArray[np.float64]

FORM = (
    "sentences",
    "cohesion-1",
    "cohesion-2",
    "term-entropy",
    "sentence-entropy",
    "links",
    "links-normalised",
)
CONTENT = (
    "rouge-2",
    "rouge-su4",
    "coverage",
    "matches",
    "coverage-best",
    "matches-mean",
)
FEATURES = (*FORM, *CONTENT)


def features(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    *,
    base: Sequence[Sequence[Text]] | None = None,
    profile: Profile = profile(),  # noqa: B008 (immutable)
    threads: int = 0,
) -> dict[str, Values]:
    """Return all thirteen features by name; `base` references add content features named base-….

    >>> found = features(["A cat sat.\\nThe cat ran."], [["A cat sat."]])
    >>> found["sentences"].tolist(), found["links"].tolist(), found["matches"].tolist()
    ([-1.0], [1.0], [2.0])
    """
    found = form_features(candidates, profile=profile, threads=threads)
    found |= content_features(candidates, references, profile=profile, threads=threads)
    if base is not None:
        against = content_features(candidates, base, profile=profile, threads=threads)
        found |= {f"base-{name}": values for name, values in against.items()}
    return found


def form_features(
    candidates: Sequence[Text],
    *,
    profile: Profile = profile(),  # noqa: B008 (immutable)
    threads: int = 0,
) -> dict[str, Values]:
    """Return the seven features of form; empty sentences do not count, and an empty text has zeros.

    sentences         −log2(number of sentences)
    cohesion-1, -2    Σ σ_i² over the singular values of X, without the first, without the first two
    term-entropy      −Σ p log2 p over the terms
    sentence-entropy  the same over the lengths of sentences
    links             log2(1 + Σ X_{i,i+1})
    links-normalised  Σ X_{i,i+1} / (√X_ii √X_jj)
    """
    found = cohesion(candidates, profile.for_texts(candidates), threads=threads)
    sizes = found.sentences
    first, second, links, normalised = (np.zeros(len(sizes)) for _ in range(4))
    for size in np.unique(sizes[sizes > 0]).tolist():
        places = np.flatnonzero(sizes == size)
        cells = found.offsets[places][:, None] + np.arange(size * size)
        x = found.shared[cells].reshape(-1, size, size)
        # X is symmetric and positive semidefinite: its eigenvalues are its singular values.
        squares = np.linalg.eigvalsh(x)[:, ::-1] ** 2
        first[places] = squares[:, 1:].sum(axis=1)
        second[places] = squares[:, 2:].sum(axis=1)
        place = np.arange(size - 1)
        neighbours = x[:, place, place + 1]
        roots = np.sqrt(np.maximum(np.diagonal(x, axis1=1, axis2=2), 1))
        links[places] = np.log2(1 + neighbours.sum(axis=1))
        normalised[places] = (neighbours / (roots[:, :-1] * roots[:, 1:])).sum(axis=1)
    return {
        "sentences": -np.log2(np.maximum(sizes, 1)) + 0.0,
        "cohesion-1": first,
        "cohesion-2": second,
        "term-entropy": found.term_entropy,
        "sentence-entropy": found.sentence_entropy,
        "links": links,
        "links-normalised": normalised,
    }


def content_features(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    *,
    profile: Profile = profile(),  # noqa: B008 (immutable)
    threads: int = 0,
) -> dict[str, Values]:
    """Return the six content features.

    rouge-2, rouge-su4  recall against the best reference
    coverage            each distinct bigram counts the share of references that have it
    matches             clipped bigram matches with the best reference: ROUGE-2 before division
    coverage-best       the best coverage by a single reference
    matches-mean        the mean of the matches with each reference
    """
    kernel = profile.for_texts([*candidates, *(r for group in references for r in group)])
    skips = "skip_but_last" if profile.name == "lin2004" else "skip_unigrams"
    counts = rouge_counts(
        candidates,
        references,
        kernel,
        [("ngrams", 2, 1.0), (skips, 4, 1.0), ("distinct_ngrams", 2, 1.0)],
        threads=threads,
    )
    sizes = np.array([len(group) for group in references], dtype=np.int64)
    bigrams, skip, distinct = (padded(row, sizes) for row in counts)
    return {
        "rouge-2": combine(bigrams, "max", by_recall=True).recall,
        "rouge-su4": combine(skip, "max", by_recall=True).recall,
        "coverage": _mean(distinct),
        "matches": _best(bigrams),
        "coverage-best": _best(distinct),
        "matches-mean": _mean(bigrams),
    }


def _mean(counts: Values) -> Values:
    """Return the mean number of hits over references; NaN without a reference."""
    known = np.isfinite(counts[:, :, 0])
    number = known.sum(axis=1)
    total = np.where(known, counts[:, :, 0], 0).sum(axis=1)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def _best(counts: Values) -> Values:
    """Return the largest number of hits with a reference; NaN without a reference."""
    hits = np.where(np.isfinite(counts[:, :, 0]), counts[:, :, 0], -1)
    best = hits.max(axis=1, initial=-1)
    return np.where(best >= 0, best, np.nan)
