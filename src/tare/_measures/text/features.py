"""Thirteen features of a summary: its form and its content, for models of human scores.

1–7 look at the summary alone, by X, the terms that each pair of its sentences shares; 8–13 at what
it has in common with references. For update tasks the content features are computed against both
the base and the update references.

Rankel, P. (2016). Statistical analysis of text summarization evaluation. University of Maryland.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text, cohesion, rouge_counts
from tare._measures.definition import Definition, Parameter, Value
from tare._measures.measure import Measure
from tare._measures.text.profiles import (
    PROFILE_PARAMETERS,
    SENTENCES,
    Profile,
    profile,
    profile_key,
    settle,
)
from tare._measures.text.rouge import combine, padded

if TYPE_CHECKING:
    from tare._measures.text.cells import TextEvaluation
    from tare._measures.text.findings_by_cell import Noted

__all__ = [
    "CONTENT",
    "DEFINITIONS",
    "FEATURES",
    "FORM",
    "GROUP",
    "content_features",
    "features",
    "form_features",
]


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
    """Return all thirteen features of summaries by name; `base` references add content features named base-….

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
    """Return the seven features of a summary's form; empty sentences do not count, and an empty text has zeros.

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
    """Return the mean number of hits over references, a content feature; NaN without a reference."""
    known = np.isfinite(counts[:, :, 0])
    number = known.sum(axis=1)
    total = np.where(known, counts[:, :, 0], 0).sum(axis=1)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def _best(counts: Values) -> Values:
    """Return the largest number of hits with a reference, a content feature; NaN without a reference."""
    hits = np.where(np.isfinite(counts[:, :, 0]), counts[:, :, 0], -1)
    best = hits.max(axis=1, initial=-1)
    return np.where(best >= 0, best, np.nan)


# The thirteen features of a summary in the registry.


RANKEL = (
    "Rankel. Statistical Analysis of Text Summarization Evaluation. PhD thesis, University of "
    "Maryland, 2016."
)
SPLIT = replace(SENTENCES, default="rules")
X = "X_ij the terms that sentences i and j share"
AGAINST = Parameter(
    "against",
    "choice",
    "references",
    "For update tasks: the references of the update, or those of the base.",
    choices=("references", "base"),
)


def _form(evaluation: TextEvaluation, measure: Measure) -> Values:

    profile, splitter = evaluation.profile(measure), str(measure["sentences"])
    found = evaluation.shared(
        ("form", profile_key(measure), splitter),
        lambda: form_features(
            evaluation.candidates(splitter), profile=profile, threads=evaluation.threads
        ),
    )
    findings: tuple[Noted, ...] = (
        *profile.findings,
        *evaluation.unsplit(splitter, references=False),
    )
    evaluation.set_facts(measure, {**profile.facts, "sentences": splitter}, findings)
    return found[_key(measure)]


def _content(evaluation: TextEvaluation, measure: Measure) -> Values:

    profile, against = evaluation.profile(measure), str(measure["against"])
    references = evaluation.references() if against == "references" else evaluation.cells.base
    found = evaluation.shared(
        ("content", profile_key(measure), against),
        lambda: content_features(
            evaluation.candidates(), references, profile=profile, threads=evaluation.threads
        ),
    )
    what = "references" if against == "references" else "base references"
    findings: tuple[Noted, ...] = (*profile.findings, *evaluation.without(against, what))
    evaluation.set_facts(measure, {**profile.facts, "against": against}, findings)
    return np.where(evaluation.cells.has(against), found[_key(measure)], np.nan)


def _settle_form(name: str, given: dict[str, Value]) -> dict[str, Value]:
    """Drop a parameter that has no effect on features of form and exists for the group only."""
    return {k: v for k, v in settle(name, given).items() if k != "against"}


def _settle_content(name: str, given: dict[str, Value]) -> dict[str, Value]:
    """Drop a parameter that has no effect on features of content and exists for the group only."""
    return {k: v for k, v in settle(name, given).items() if k != "sentences"}


def _key(measure: Measure) -> str:
    return measure.name.removeprefix("Feature-")


def _entry(
    number: int, name: str, title: str, formula: str, bounds: tuple[float | None, float | None]
) -> Definition:
    content = number >= 8
    return Definition(
        f"Feature-{name}",
        f"Feature {number}: {title}",
        formula,
        RANKEL,
        (*PROFILE_PARAMETERS, SPLIT, AGAINST),
        bounds=bounds,
        family="text",
        needs="references" if content else "texts",
        settle=_settle_content if content else _settle_form,
        derive=_content if content else _form,
        notes=f"Feature {number} of 13; the group `features` asks for all.",
    )


DEFINITIONS = (
    _entry(1, "sentences", "number of sentences", "−log2(number of sentences)", (None, 0)),
    _entry(
        2,
        "cohesion-1",
        "singular values from the second",
        f"Σ_{{i≥2}} σ_i², σ the singular values of X in descending order, {X}",
        (0, None),
    ),
    _entry(
        3,
        "cohesion-2",
        "singular values from the third",
        f"Σ_{{i≥3}} σ_i², σ the singular values of X in descending order, {X}",
        (0, None),
    ),
    _entry(
        4,
        "term-entropy",
        "term entropy",
        "−Σ p log2 p, p the share of each term in all words",
        (0, None),
    ),
    _entry(
        5,
        "sentence-entropy",
        "sentence entropy",
        "−Σ p log2 p, p the share of each sentence in all words",
        (0, None),
    ),
    _entry(6, "links", "shared terms of neighbours", f"log2(1 + Σ_i X_{{i,i+1}}), {X}", (0, None)),
    _entry(
        7,
        "links-normalised",
        "shared terms of neighbours, normalised",
        f"Σ_i X_{{i,i+1}} / (√X_ii √X_jj), j = i + 1, {X}",
        (0, None),
    ),
    _entry(8, "rouge-2", "ROUGE-2", "recall of bigrams, best reference", (0, 1)),
    _entry(9, "rouge-su4", "ROUGE-SU4", "recall of skip-bigrams and words, best reference", (0, 1)),
    _entry(
        10,
        "coverage",
        "bigram coverage",
        "Σ over distinct bigrams of the summary: references that hold it / references",
        (0, None),
    ),
    _entry(
        11,
        "matches",
        "ROUGE-2, not divided",
        "clipped matches of bigrams with the best reference",
        (0, None),
    ),
    _entry(
        12,
        "coverage-best",
        "bigram coverage, point to point",
        "distinct bigrams of the summary in a reference, the best of all",
        (0, None),
    ),
    _entry(
        13,
        "matches-mean",
        "ROUGE-2, not divided, point to point",
        "clipped matches of bigrams with each reference, their mean",
        (0, None),
    ),
)

GROUP = tuple(definition.name for definition in DEFINITIONS)
