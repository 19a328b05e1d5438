"""The measures of the study of rankers: nDCG and SP, and both normalised in each way."""

from __future__ import annotations

from dataclasses import dataclass

from tare.measures.names import parse

__all__ = ["CUTOFFS", "PUBLISHED_NAMES", "Family", "families", "plain_measures"]

CUTOFFS = (5, 10, 15, 20, 30)
PUBLISHED = "expected=independent,upper=published"


@dataclass(frozen=True)
class Family:
    """A measure at all cutoffs; `original` is what it normalises, `baseline` what by.

    baseline: "exact", "published" (the approximation of Feng and Karmaker for SP), "both" where the
    two are the same, as for DCG.
    """

    label: str
    pattern: str
    original: str | None = None
    baseline: str = "both"

    def at(self, cutoff: int) -> str:
        """The measure at one cutoff, as a score table names it."""
        return str(parse(self.pattern.format(k=f"@{cutoff}")))

    @property
    def name(self) -> str:
        """What the measure is called without a cutoff."""
        return str(parse(self.pattern.format(k="")))


def families(gain: str = "exp2") -> tuple[Family, ...]:
    """nDCG with V1 and V2; SP/k with V1 and V2 as published, and exact.

    >>> families()[2].at(10)
    'V2(nDCG(gain=exp2)@10)'
    """
    inner = f"nDCG(gain={gain}){{k}}"
    return (
        Family("nDCG", inner),
        Family("V1(DCG)", f"V1({inner})", "nDCG"),
        Family("V2(DCG)", f"V2({inner})", "nDCG"),
        Family("SP/k", "U(SP{k},upper=published)"),
        Family("V1(SP)", "V1(SP{k})", "SP/k", "exact"),
        Family("V2(SP)", "V2(SP{k})", "SP/k", "exact"),
        Family("V1(SP) as published", f"V1(SP{{k}},{PUBLISHED})", "SP/k", "published"),
        Family("V2(SP) as published", f"V2(SP{{k}},{PUBLISHED})", "SP/k", "published"),
    )


# What the article calls these.
PUBLISHED_NAMES = {
    "nDCG": ("nDCG",),
    "V1(DCG)": ("V1(DCG)",),
    "V2(DCG)": ("V2(DCG)",),
    "SP/k": ("SP/k", "MAP"),
    "V1(SP) as published": ("V1(SP)",),
    "V2(SP) as published": ("V2(SP)",),
}


def plain_measures(cutoffs: tuple[int, ...], gain: str) -> tuple[str, ...]:
    """DCG and SP as they are, for the table of means."""
    names = (f"DCG(gain={gain})@{k}" for k in cutoffs), (f"SP@{k}" for k in cutoffs)
    return tuple(str(parse(name)) for group in names for name in group)
