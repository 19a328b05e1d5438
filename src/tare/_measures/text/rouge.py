"""ROUGE: precision, recall and F of the units that a candidate shares with its references.

Lin, C.-Y. (2004). ROUGE: a package for automatic evaluation of summaries. ACL workshop Text
Summarization Branches Out, 74–81.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._kernels import Text, rouge_counts
from tare._measures.text.cell_findings import CellFinding, findings_of
from tare._measures.text.parts import TextParts, five_decimals, in_five_decimals
from tare._measures.text.profiles import Profile, profile
from tare._measures.text.references import RULES, combine, padded
from tare.errors import FormatError, MeasureError, MismatchError, choose

__all__ = ["KINDS", "Rouge", "RougeCounts", "RougeResult", "count_rouge", "default_rule", "rouge"]

Kind = Literal["N", "L", "Lsum", "W", "S", "SU"]
KINDS: tuple[Kind, ...] = ("N", "L", "Lsum", "W", "S", "SU")


@dataclass(frozen=True)
class Rouge:
    """One measure of the ROUGE family.

    `n` applies to N, `weight` to W, and `gap` to S and SU: the most words between the two, None for
    any number.

    >>> Rouge("SU", gap=4)
    Rouge(kind='SU', n=1, gap=4, weight=1.2)
    """

    kind: Kind
    n: int = 1
    gap: int | None = None
    weight: float = 1.2

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise MeasureError(f"ROUGE-{self.kind} is not known. Accepted: {', '.join(KINDS)}.")
        if self.kind == "N" and not 1 <= self.n <= 9:
            raise MeasureError(f"ROUGE-N counts n-grams of 1 to 9 tokens, not of {self.n}.")
        if self.gap is not None and self.gap < 0:
            raise MeasureError(f"the gap of a skip-bigram is 0 or more, not {self.gap}.")
        if not self.weight >= 1:
            raise MeasureError(f"the weight of ROUGE-W is 1 or more, not {self.weight:g}.")

    def counting(self, profile: Profile) -> tuple[str, int, float]:
        """Return what the core counts; ROUGE-1.5.5 computes ROUGE-L over sentences only."""
        lin = profile.name == "lin2004"
        gap = -1 if self.gap is None else self.gap
        match self.kind:
            case "N":
                return ("ngrams", self.n, 1.0)
            case "L":
                return ("union_lcs" if lin else "lcs", 1, 1.0)
            case "Lsum":
                return ("union_lcs", 1, 1.0)
            case "W":
                return ("weighted_union" if lin else "weighted_lcs", 1, self.weight)
            case "S":
                return ("skip_bigrams", gap, 1.0)
            case "SU":
                return ("skip_but_last" if lin else "skip_unigrams", gap, 1.0)


@dataclass(frozen=True)
class RougeResult:
    """Values by measure, in the order of the measures, with facts for the signature and findings."""

    values: tuple[TextParts, ...]
    facts: dict[str, str]
    findings: tuple[Finding, ...]


def default_rule(profile: Profile) -> str:
    """Return the default rule for several references, that of the program the profile follows."""
    return "micro" if profile.name == "lin2004" else "max"


def rouge(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    measures: Sequence[Rouge],
    *,
    profile: Profile = profile(),  # noqa: B008 (immutable)
    refs: str | None = None,
    alpha: float = 0.5,
    items: Sequence[str] | None = None,
    threads: int = 0,
) -> RougeResult:
    """Return precision, recall and F of each candidate against its references.

    A text is a string, whose lines are sentences, or a list of sentences. `refs` is max, mean,
    micro, jackknife or jackknife-micro. `alpha` weights precision against recall in
    F = PR / ((1 − α)P + αR), so that α = 1 / (1 + β²). An empty text scores 0; an item without references has no value (NaN).

    >>> result = rouge(["the cat sat"], [["the cat sat down"]], [Rouge("N", n=2)])
    >>> result.values[0].recall.round(3).tolist(), result.values[0].precision.tolist()
    ([0.667], [1.0])
    """
    counts = count_rouge(candidates, references, measures, profile=profile, threads=threads)
    rule = choose("refs", refs or default_rule(profile), RULES)
    values = tuple(counts.parts(measure, rule, alpha) for measure in measures)
    facts = {**profile.facts, "refs": rule}
    if alpha != 0.5:
        facts["alpha"] = f"{alpha:g}"
    found = findings_of(counts.empty(), lambda i: str(i if items is None else items[i]))
    return RougeResult(values, facts, (*profile.findings, *found))


@dataclass(frozen=True)
class RougeCounts:
    """Counts of shared units, computed once for all rules and parts."""

    profile: Profile
    sizes: NDArray[np.int64]
    by_measure: dict[Rouge, NDArray[np.float64]]
    tokens: NDArray[np.float64]

    def parts(
        self,
        measure: Rouge,
        rule: str,
        alpha: float = 0.5,
        person: NDArray[np.bool_] | None = None,
    ) -> TextParts:
        """Return precision, recall and F of each item by one rule for several references.

        `person` marks candidates whose author's own reference was left out.
        """
        if not 0 <= alpha <= 1:
            raise MeasureError(f"alpha must be between 0 and 1; found {alpha:g}.")
        lin = self.profile.name == "lin2004"
        counts = padded(self.by_measure[measure], self.sizes)
        root = 1 / measure.weight if measure.kind == "W" else None
        sums = rule == "jackknife-micro"
        rounded = lin and (sums or measure.kind in ("N", "S", "SU"))
        found = combine(counts, rule, alpha, root, by_recall=lin, rounded=rounded, person=person)
        if lin and sums:  # a mean of printed scores of ROUGE-1.5.5
            return TextParts(*map(five_decimals, (found.precision, found.recall, found.f)))
        return in_five_decimals(found, alpha) if lin else found

    def empty(self, missing: NDArray[np.bool_] | None = None) -> list[CellFinding]:
        """Report candidates and references without a token, except `missing` ones."""
        return _empty(self.tokens, self.sizes, missing)


def count_rouge(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    measures: Sequence[Rouge],
    *,
    profile: Profile = profile(),  # noqa: B008 (immutable)
    threads: int = 0,
) -> RougeCounts:
    """Count all measures of one profile in one pass over the texts."""
    wanted = list(dict.fromkeys(measures))
    countings = [*(m.counting(profile) for m in wanted), ("ngrams", 1, 1.0)]
    counts = _counted(candidates, references, profile, countings, threads)
    sizes = np.array([len(group) for group in references], dtype=np.int64)
    return RougeCounts(profile, sizes, dict(zip(wanted, counts[:-1], strict=True)), counts[-1])


def _counted(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    profile: Profile,
    countings: list[tuple[str, int, float]],
    threads: int,
) -> NDArray[np.float64]:
    if len(candidates) != len(references):
        raise MismatchError(
            f"{len(candidates):,} candidates and references of {len(references):,} items; both need the "
            "same number."
        )
    texts = [*candidates, *(r for group in references for r in group)] if profile.stem else []
    try:
        kernel = profile.for_texts(texts)
        return rouge_counts(candidates, references, kernel, countings, threads=threads)
    except UnicodeEncodeError:
        raise FormatError(
            "a text contains a lone surrogate, which is not a character. Was it cut inside an emoji?"
        ) from None


def _empty(
    counts: NDArray[np.float64], sizes: NDArray[np.int64], missing: NDArray[np.bool_] | None
) -> list[CellFinding]:
    gone = np.zeros(len(sizes), dtype=bool) if missing is None else missing
    owner = np.repeat(np.arange(len(sizes)), sizes)
    found = []
    for column, what in ((1, "candidates"), (2, "references")):
        bare = np.unique(owner[(counts[:, column] == 0) & ~gone[owner]])
        message = f"{{count}} items have {what} without a token; they score 0."
        found.append(CellFinding(f"empty {what}", message, (bare,)))
    alone = np.flatnonzero((sizes == 0) & ~gone)
    message = "{count} items have no reference; they have no value."
    return [*found, CellFinding("no references", message, (alone,))]
