"""Counts and scores of one peer, before averaging, and how they are printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cmp_to_key

import numpy as np
from numpy.typing import NDArray

from tare._cli.rouge.options import Options, Wanted
from tare._cli.rouge.texts import (
    BLANKS,
    Evaluation,
    Texts,
    count_elements,
    elements_of,
    read_elements,
)
from tare._kernels import rouge_counts
from tare._measures.text.profiles import Profile
from tare._measures.text.rouge import divided, in_five_decimals, padded, totals
from tare._measures.text.rouge_bootstrap import averages, token_averages

__all__ = ["Scored", "number", "perl_bytes", "result_lines", "score_peer"]


# Counts and scores of one peer, before averaging.


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


# Output lines of ROUGE-1.5.5.


RULE = "-" * 45 + "\n"
DOTS = "." * 45 + "\n"


def result_lines(peer: str, tag: str, scored: Scored, options: Options) -> Iterator[str]:
    """Yield the lines of one measure of one peer."""
    yield RULE
    if options.counting == 2:
        hits, own, model = np.add.accumulate(scored.counts)[-1] if len(scored.ids) else (0, 0, 0)
        yield (
            f"{peer} {tag} M_count: {number(int(model))} P_count: {number(int(own))} "
            f"H_count: {number(int(hits))}\n"
        )
    else:
        yield from _averages(peer, tag, scored, options)
    if options.by_evaluation:
        yield DOTS
        for place in _by_number(scored.ids):
            if options.counting:
                hits, own, model = map(number, scored.counts[place].tolist())
                recall, precision, f = model, own, hits
            else:
                recall, precision, f = (f"{v:.5f}" for v in scored.values[:, place].tolist())
            yield f"{peer} {tag} Eval {scored.ids[place]} R:{recall} P:{precision} F:{f}\n"


def _averages(peer: str, tag: str, scored: Scored, options: Options) -> Iterator[str]:
    confidence, draws = float(options.confidence), options.samples
    if options.counting == 1:
        found = token_averages(
            scored.counts, scored.ids, alpha=options.alpha, confidence=confidence, draws=draws
        )
    else:
        found = averages(scored.values, scored.ids, confidence=confidence, draws=draws)
    for letter, one in zip("RPF", found, strict=True):
        yield (
            f"{peer} {tag} Average_{letter}: {one.mean:.5f} "
            f"({options.confidence}%-conf.int. {one.low:.5f} - {one.high:.5f})\n"
        )


def number(value: float) -> str:
    """Format a number as Perl does.

    >>> number(12.0), number(0.1 + 0.2)
    ('12', '0.3')
    """
    return f"{value:.15g}"


def perl_bytes(line: str) -> bytes:
    """Encode a line as Perl does: in Latin-1 if possible, otherwise in UTF-8."""
    try:
        return line.encode("latin-1")
    except UnicodeEncodeError:
        return line.encode("utf-8", "surrogateescape")


def _by_number(ids: tuple[str, ...]) -> list[int]:
    """Sort ids by their leading numbers, otherwise as text; equal numbers by the rest of the id."""

    def compare(a: int, b: int) -> int:
        one, other = ids[a], ids[b]
        first, second = _leading(one), _leading(other)
        if first is not None and second is not None and first != second:
            return -1 if first < second else 1
        return (one > other) - (one < other)

    return sorted(range(len(ids)), key=cmp_to_key(compare))


def _leading(text: str) -> int | None:
    digits = text[: len(text) - len(text.lstrip("0123456789"))]
    return int(digits) if digits else None
