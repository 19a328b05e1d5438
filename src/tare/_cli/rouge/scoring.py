"""Counts and scores of one peer, before averaging."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._cli.rouge.basic_elements import count_elements, elements_of, read_elements
from tare._cli.rouge.measures import Wanted
from tare._cli.rouge.options import Options
from tare._cli.rouge.settings import Evaluation
from tare._cli.rouge.texts import BLANKS, Texts
from tare._kernels import rouge_counts
from tare._measures.text.profiles import Profile
from tare._measures.text.rouge import divided, in_five_decimals, padded, totals

__all__ = ["Scored", "score_peer"]

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Scored:
    """One measure of one peer: counts by evaluation; recall, precision and F in five decimals.

    The columns of `counts` are hits, the peer's total and the models' total.
    """

    ids: tuple[str, ...]
    counts: Values
    values: Values


def score_peer(
    peer: str,
    evaluations: list[Evaluation],
    wanted: list[Wanted],
    options: Options,
    profile: Profile,
    texts: Texts,
) -> list[Scored]:
    """Return all measures of a peer, over the evaluations in which it takes part."""
    ids = tuple(f"{evaluation.id}.{peer}" for evaluation in evaluations)
    sizes = np.array([len(evaluation.models) for evaluation in evaluations], dtype=np.int64)
    counted = _counted(peer, evaluations, wanted, options, profile, texts)
    found = []
    for measure, pairs in zip(wanted, counted, strict=True):
        counts = totals(
            padded(pairs, sizes), best=options.best, root=measure.root, rounded=measure.rounded
        )
        parts = in_five_decimals(divided(counts, options.alpha, measure.root), options.alpha)
        values = np.array([parts.recall, parts.precision, parts.f])
        found.append(Scored(ids, counts, values))
    return found


def _counted(
    peer: str,
    evaluations: list[Evaluation],
    wanted: list[Wanted],
    options: Options,
    profile: Profile,
    texts: Texts,
) -> list[Values]:
    """Return the counts of every pair of peer and model, per measure."""
    countings = [measure.counting for measure in wanted if measure.counting is not None]
    pairs = sum(len(evaluation.models) for evaluation in evaluations)
    rows = iter(())
    if countings and pairs:
        candidates = [_text(texts, e.peers[peer], e, options) for e in evaluations]
        references = [[_text(texts, m, e, options) for m in e.models] for e in evaluations]
        rows = iter(rouge_counts(candidates, references, profile.kernel, countings))
    return [
        _elements(peer, evaluations, options, profile)
        if measure.counting is None
        else next(rows, np.zeros((0, 3)))
        for measure in wanted
    ]


def _text(texts: Texts, path: bytes, evaluation: Evaluation, options: Options) -> list[str]:
    """Return the sentences; with a word limit, blank lines are dropped because the core would count them."""
    found = texts.of(path, evaluation.format)
    return [s for s in found if s.strip(BLANKS)] if options.words else found


def _elements(
    peer: str, evaluations: list[Evaluation], options: Options, profile: Profile
) -> Values:
    mode = options.elements or ""
    found = []
    for evaluation in evaluations:
        own = elements_of(read_elements(evaluation.peers[peer], evaluation.format), mode, profile)
        for model in evaluation.models:
            others = elements_of(read_elements(model, evaluation.format), mode, profile)
            found.append(count_elements(own, others))
    return np.array(found, dtype=np.float64).reshape(-1, 3)
