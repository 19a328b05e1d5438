"""Output lines of trec_eval: name, query and value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Printed", "integer", "lines", "real"]

SUMMARY = "all"


@dataclass(frozen=True)
class Printed:
    """A name with its values: one per query and one for all; empty or None if it has none."""

    name: str
    by_query: Sequence[str] = ()
    summary: str | None = None
    z: bool = False

    def begin(self) -> str:
        """Return the first field, padded to 22 characters."""
        return f"{'Z' if self.z else ''}{self.name:<22}\t"


def real(value: float) -> str:
    """Format a real number, as C does with %6.4f.

    >>> real(0.5)
    '0.5000'
    """
    return f"{value:6.4f}"


def integer(value: float) -> str:
    """Format a count."""
    return f"{int(value):d}"


def lines(
    printed: Sequence[Printed], queries: Sequence[str], *, by_query: bool, summary: bool
) -> Iterator[str]:
    """Yield all lines: those of each query if wanted, then the summary."""
    if by_query:
        shown = [(p.begin(), p.by_query) for p in printed if p.by_query]
        for q, query in enumerate(queries):
            yield "".join(f"{begin}{query}\t{texts[q]}\n" for begin, texts in shown)
    if summary:
        for p in printed:
            if p.summary is not None:
                yield f"{p.begin()}{SUMMARY}\t{p.summary}\n"
