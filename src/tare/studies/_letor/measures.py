"""The measures of the study of rankers: nDCG and SP, and both normalised in each way."""

from __future__ import annotations

from dataclasses import dataclass

from tare._measures.names import parse

__all__ = ["CASES", "CUTOFFS", "POOL", "PUBLISHED_NAMES", "Family", "families", "plain_measures"]

CUTOFFS = (5, 10, 15, 20, 30)
POOL = "judged"  # rankers order the rows of a query, and every row is judged
# The two case studies of the article: what sorts the queries into sets, at each cutoff.
CASES = {"nDCG": "nDCG(gain={gain})@{k}", "MAP": "AP@{k}"}


@dataclass(frozen=True)
class Family:
    """A measure at all cutoffs; `original` is what it normalises, `baseline` the expected value used.

    case: the case study that it belongs to, nDCG or MAP. baseline: "exact", "published" (the
    approximation of Feng and Karmaker for SP), "both" where the two are the same, as for DCG.
    """

    label: str
    pattern: str
    case: str
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
    """nDCG with V1 and V2; SP/min(k,R), the article's MAP, with V1 and V2 exact and as published.

    >>> families()[2].at(10)
    'V2(nDCG(gain=exp2)@10,pool=judged)'
    >>> families()[-1].at(10)
    'V2(SP@10,pool=judged,expected=independent)'
    """
    inner = f"nDCG(gain={gain}){{k}}"
    dcg, sp = f"{inner},pool={POOL}", f"SP{{k}},pool={POOL}"
    published = f"{sp},expected=independent"
    original = "SP/min(k,R)"
    return (
        Family("nDCG", inner, "nDCG"),
        Family("V1(DCG)", f"V1({dcg})", "nDCG", "nDCG"),
        Family("V2(DCG)", f"V2({dcg})", "nDCG", "nDCG"),
        Family(original, f"U({sp})", "MAP"),
        Family("V1(SP)", f"V1({sp})", "MAP", original, "exact"),
        Family("V2(SP)", f"V2({sp})", "MAP", original, "exact"),
        Family("V1(SP) as published", f"V1({published})", "MAP", original, "published"),
        Family("V2(SP) as published", f"V2({published})", "MAP", original, "published"),
    )


# What the article calls these.
PUBLISHED_NAMES = {
    "nDCG": ("nDCG",),
    "V1(DCG)": ("V1(DCG)",),
    "V2(DCG)": ("V2(DCG)",),
    "SP/min(k,R)": ("SP/k", "MAP"),
    "V1(SP) as published": ("V1(SP)",),
    "V2(SP) as published": ("V2(SP)",),
}


def plain_measures(cutoffs: tuple[int, ...], gain: str) -> tuple[str, ...]:
    """DCG and SP as they are, for the table of means."""
    names = (f"DCG(gain={gain})@{k}" for k in cutoffs), (f"SP@{k}" for k in cutoffs)
    return tuple(str(parse(name)) for group in names for name in group)
