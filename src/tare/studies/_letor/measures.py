"""The measures of the learning-to-rank study: nDCG and SP, plain and normalised."""

from __future__ import annotations

from dataclasses import dataclass

from tare._measures.names import parse

__all__ = [
    "CASES",
    "CUTOFFS",
    "POOL",
    "PUBLISHED_NAMES",
    "StudiedMeasure",
    "plain_measures",
    "studied_measures",
]

CUTOFFS = (5, 10, 15, 20, 30)
POOL = "judged"  # rankers order the rows of a query, and every row is judged
# The two case studies of the article, and the measure that sorts queries into sets at each cutoff.
CASES = {"nDCG": "nDCG(gain={gain})@{k}", "MAP": "AP@{k}"}


@dataclass(frozen=True)
class StudiedMeasure:
    """A measure of the study, at any cutoff.

    Attributes
    ----------
    label
        Its name in tables.
    pattern
        Its name in the grammar of measures, with `{k}` for the cutoff.
    case
        The case study that it belongs to, nDCG or MAP.
    original
        The measure that it normalises, or None.
    baseline
        The expected value: "exact", "published" (the approximation of Feng and Karmaker for SP), or
        "both" if the two are equal, as for DCG.
    """

    label: str
    pattern: str
    case: str
    original: str | None = None
    baseline: str = "both"

    def at(self, cutoff: int) -> str:
        """Return the name of the measure at one cutoff, as in score tables."""
        return str(parse(self.pattern.format(k=f"@{cutoff}")))

    @property
    def name(self) -> str:
        """The name of the measure without a cutoff."""
        return str(parse(self.pattern.format(k="")))


def studied_measures(gain: str = "exp2") -> tuple[StudiedMeasure, ...]:
    """Return the measures of both case studies.

    nDCG with V1 and V2, and SP/min(k,R), the MAP of the article, with V1 and V2, both exact and as
    published.

    >>> studied_measures()[2].at(10)
    'V2(nDCG(gain=exp2)@10,pool=judged)'
    >>> studied_measures()[-1].at(10)
    'V2(SP@10,pool=judged,expected=independent)'
    """
    inner = f"nDCG(gain={gain}){{k}}"
    dcg, sp = f"{inner},pool={POOL}", f"SP{{k}},pool={POOL}"
    published = f"{sp},expected=independent"
    original = "SP/min(k,R)"
    return (
        StudiedMeasure("nDCG", inner, "nDCG"),
        StudiedMeasure("V1(DCG)", f"V1({dcg})", "nDCG", "nDCG"),
        StudiedMeasure("V2(DCG)", f"V2({dcg})", "nDCG", "nDCG"),
        StudiedMeasure(original, f"U({sp})", "MAP"),
        StudiedMeasure("V1(SP)", f"V1({sp})", "MAP", original, "exact"),
        StudiedMeasure("V2(SP)", f"V2({sp})", "MAP", original, "exact"),
        StudiedMeasure("V1(SP) as published", f"V1({published})", "MAP", original, "published"),
        StudiedMeasure("V2(SP) as published", f"V2({published})", "MAP", original, "published"),
    )


# The names of these measures in the article.
PUBLISHED_NAMES = {
    "nDCG": ("nDCG",),
    "V1(DCG)": ("V1(DCG)",),
    "V2(DCG)": ("V2(DCG)",),
    "SP/min(k,R)": ("SP/k", "MAP"),
    "V1(SP) as published": ("V1(SP)",),
    "V2(SP) as published": ("V2(SP)",),
}


def plain_measures(cutoffs: tuple[int, ...], gain: str) -> tuple[str, ...]:
    """Return DCG and SP without normalisation, for the table of means."""
    names = (f"DCG(gain={gain})@{k}" for k in cutoffs), (f"SP@{k}" for k in cutoffs)
    return tuple(str(parse(name)) for group in names for name in group)
