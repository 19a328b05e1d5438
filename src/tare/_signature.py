"""Signatures: the measure, options, data and version behind a number, in one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tare._version import version

__all__ = ["Signature", "tare_version"]

LAST = ("n", "qrels", "texts", "answers", "ranks", "tare")  # the last facts of every signature


def tare_version() -> str:
    """Return the version of the installed package."""
    return str(version)


@dataclass(frozen=True)
class Signature:
    """A measure and everything its value depends on, in a fixed order.

    Parameters
    ----------
    measure : str
        The measure.
    facts : tuple of (str, str)
        Names and values of the options, of the data and of the version.

    Examples
    --------
    >>> signature = Signature("AP", (("ties", "trec"), ("n", "50")))
    >>> str(signature)
    'AP|ties:trec|n:50'
    >>> Signature.parse("AP|ties:trec|n:50") == signature
    True
    """

    measure: str
    facts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, measure: str, facts: Mapping[str, object]) -> Signature:
        """Make a signature from named facts; facts that are None are left out.

        Parameters
        ----------
        measure : str
            The measure.
        facts : mapping
            Values by name, in the order in which they are written.

        Returns
        -------
        Signature
            The signature.
        """
        return cls(measure, tuple((k, str(v)) for k, v in facts.items() if v is not None))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Parse the text of a signature.

        Parameters
        ----------
        text : str
            What ``str(signature)`` returns.

        Returns
        -------
        Signature
            The signature.
        """
        measure, *facts = text.split("|")
        pairs = [fact.partition(":") for fact in facts]
        return cls(measure, tuple((key, value) for key, _, value in pairs))

    def with_facts(self, **facts: object) -> Signature:
        """Return a copy with facts changed, or added before the counts, data and version.

        Parameters
        ----------
        **facts
            Values by name; those that are None change nothing.

        Returns
        -------
        Signature
            The changed copy.
        """
        last = {k: v for k, v in self.facts if k in LAST}
        merged = {k: v for k, v in self.facts if k not in LAST}
        for key, value in facts.items():
            if value is not None:
                (last if key in last else merged)[key] = str(value)
        merged.update(last)
        return Signature(self.measure, tuple(merged.items()))

    def __str__(self) -> str:
        return "|".join([self.measure, *(f"{key}:{value}" for key, value in self.facts)])
