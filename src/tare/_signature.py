"""What made this number: the measure, its policies, the data and the version, in one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

__all__ = ["Signature", "tare_version"]

LAST = ("n", "qrels", "texts", "tare")  # what a signature ends with


@cache
def tare_version() -> str:
    """The version of the installed package."""
    try:
        from tare._version import version
    except ImportError:  # run from a source tree that was never built
        return "unknown"
    return str(version)


@dataclass(frozen=True)
class Signature:
    """A measure and what its number depends on, in a fixed order.

    >>> str(Signature("AP", (("ties", "trec"), ("n", "50"))))
    'AP|ties:trec|n:50'
    """

    measure: str
    facts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, measure: str, facts: Mapping[str, object]) -> Signature:
        """A signature from named facts; those that are None are left out."""
        return cls(measure, tuple((k, str(v)) for k, v in facts.items() if v is not None))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Reads a signature back from its text."""
        measure, *facts = text.split("|")
        pairs = [fact.partition(":") for fact in facts]
        return cls(measure, tuple((key, value) for key, _, value in pairs))

    def with_facts(self, **facts: object) -> Signature:
        """The same signature with facts changed or, before the counts, data and version, added."""
        last = {k: v for k, v in self.facts if k in LAST}
        merged = {k: v for k, v in self.facts if k not in LAST}
        for key, value in facts.items():
            if value is not None:
                (last if key in last else merged)[key] = str(value)
        merged.update(last)
        return Signature(self.measure, tuple(merged.items()))

    def __str__(self) -> str:
        return "|".join([self.measure, *(f"{key}:{value}" for key, value in self.facts)])
