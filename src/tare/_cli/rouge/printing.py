"""Output lines of ROUGE-1.5.5."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cmp_to_key

import numpy as np

from tare._cli.rouge.options import Options
from tare._cli.rouge.scoring import Scored
from tare._measures.text.rouge_bootstrap import averages, token_averages

__all__ = ["number", "perl_bytes", "result_lines"]

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
