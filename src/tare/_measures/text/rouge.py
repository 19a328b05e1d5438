"""ROUGE: precision, recall and F of the units that a candidate shares with its references.

Lin, C.-Y. (2004). ROUGE: a package for automatic evaluation of summaries. ACL workshop Text
Summarization Branches Out, 74–81.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._kernels import Text, rouge_counts
from tare._measures.definition import Definition, Parameter
from tare._measures.measure import Measure
from tare._measures.text.findings_by_cell import CellFinding, findings_of
from tare._measures.text.profiles import (
    ALPHA,
    BETA,
    PROFILE_PARAMETERS,
    REFS,
    SENTENCES,
    Profile,
    alpha_of_measure,
    profile,
    profile_key,
    settle,
)
from tare.errors import FormatError, MeasureError, MismatchError, choose

if TYPE_CHECKING:
    from tare._measures.text.cells import TextEvaluation
    from tare._measures.text.findings_by_cell import Noted

__all__ = [
    "DEFINITIONS",
    "KINDS",
    "RULES",
    "Rouge",
    "RougeCounts",
    "RougeResult",
    "TextParts",
    "alpha_of",
    "combine",
    "count_rouge",
    "counts_of",
    "default_rule",
    "divided",
    "f_measure",
    "five_decimals",
    "in_five_decimals",
    "member_of",
    "padded",
    "rouge",
    "rule_of",
    "splitter_of",
    "totals",
]


# Precision, recall and F.


Values = NDArray[np.float64]


@dataclass(frozen=True)
class TextParts:
    """Precision, recall and F of texts, as in ROUGE, one value per item each."""

    precision: Values
    recall: Values
    f: Values

    def part(self, name: str) -> Values:
        """Return the part named p, r or f."""
        return {"p": self.precision, "r": self.recall, "f": self.f}[name]


def alpha_of(beta: float) -> float:
    """Return the α of F_β.

    >>> alpha_of(1.0), alpha_of(2.0)
    (0.5, 0.2)
    """
    return 1 / (1 + beta * beta)


def f_measure(precision: Values, recall: Values, alpha: float = 0.5) -> Values:
    """Return ROUGE's F = PR / ((1 − α)P + αR), 0 if both are 0; for α = ½ computed like rouge-score."""
    if alpha == 0.5:
        above, below = 2 * precision * recall, precision + recall
    else:
        above, below = precision * recall, (1 - alpha) * precision + alpha * recall
    f = np.zeros_like(above)
    np.divide(above, below, out=f, where=below > 0)
    f[np.isnan(below)] = np.nan
    return f


def five_decimals(values: Values) -> Values:
    """Round a ROUGE score to five decimals like C's printf, by the exact value; np.round multiplies first."""
    distinct, places = np.unique(values, return_inverse=True)
    rounded = np.array([float(f"{value:.5f}") for value in distinct.tolist()], dtype=np.float64)
    return rounded[places].reshape(values.shape) if len(rounded) else values.copy()


def in_five_decimals(parts: TextParts, alpha: float) -> TextParts:
    """Return precision, recall and F as ROUGE-1.5.5 prints them: F is computed from rounded P and R."""
    precision, recall = five_decimals(parts.precision), five_decimals(parts.recall)
    above, below = precision * recall, (1 - alpha) * precision + alpha * recall
    f = np.zeros_like(above)
    np.divide(above, below, out=f, where=below > 0)
    f[np.isnan(below)] = np.nan
    return TextParts(precision, recall, five_decimals(f))


# Several references: how the counts against each are combined.


RULES = ("max", "mean", "micro", "jackknife", "jackknife-micro")


def padded(counts: Values, sizes: NDArray[np.int64]) -> Values:
    """Return ROUGE counts of pairs as items × references × 3; NaN if an item has fewer references."""
    widest = int(sizes.max(initial=0))
    out = np.full((len(sizes), widest, 3), np.nan)
    out[np.arange(widest) < sizes[:, None]] = counts
    return out


def combine(
    counts: Values,
    rule: str,
    alpha: float = 0.5,
    root: float | None = None,
    *,
    by_recall: bool = False,
    rounded: bool = False,
    person: NDArray[np.bool_] | None = None,
) -> TextParts:
    """Return precision, recall and F of each item.

    max              the reference with the best F (or recall); the first if several are equal
    mean             the means of P, R and F over references
    micro            hits and totals summed over references, then divided
    jackknife        leave out one reference at a time, take the best of the others, and average
    jackknife-micro  leave out one at a time, sum over the others and divide, and average

    A `person` wrote one of the item's references, which is already left out, so the person is
    compared with all others at once, as many as a system each time. `root` is the power applied to
    the ratios (ROUGE-W). `rounded` compares recall in five decimals, as ROUGE-1.5.5 does for all but
    L and W.
    """
    if counts.shape[1] == 0:
        nothing = np.full(len(counts), np.nan)
        return TextParts(nothing, nothing.copy(), nothing.copy())
    if rule == "micro":
        known = np.isfinite(counts[:, :, 0]).any(axis=1)
        sums = np.where(np.expand_dims(known, 1), totals(counts), np.nan)
        return divided(sums, alpha, root)
    if rule == "jackknife-micro":
        return _left_out_sums(counts, alpha, root, rounded, person)
    each = divided(counts, alpha, root)
    if rule == "mean":
        return TextParts(*(_mean(v) for v in (each.precision, each.recall, each.f)))
    key = _recall(counts, root, rounded) if by_recall else each.f
    order = _best_first(key)
    if rule == "max":
        return _chosen(each, order[:, 0])
    several = (~np.isnan(key)).sum(axis=1)
    return _left_out(each, order, several if person is None else np.where(person, 1, several))


def _left_out_sums(
    counts: Values,
    alpha: float,
    root: float | None,
    rounded: bool,
    person: NDArray[np.bool_] | None,
) -> TextParts:
    """Return the mean ROUGE over the sets that leave out one reference, `rounded` like ROUGE-1.5.5."""
    known = np.isfinite(counts[:, :, 0])
    sizes = known.sum(axis=1)
    whole = sizes <= 1 if person is None else (sizes <= 1) | person

    def scored(kept: Values, among: NDArray[np.bool_]) -> NDArray[np.float64]:
        parts = divided(np.where(among[:, None], totals(kept), np.nan), alpha, root)
        parts = in_five_decimals(parts, alpha) if rounded else parts
        return np.array([parts.precision, parts.recall, parts.f])

    all_of_them = scored(counts, sizes > 0)
    sums = np.zeros_like(all_of_them)
    for r in range(counts.shape[1]):
        there = known[:, r]
        sums += np.where(there, np.nan_to_num(scored(np.delete(counts, r, axis=1), there)), 0)
    return TextParts(*np.where(whole, all_of_them, sums / np.maximum(sizes, 1)))


def _left_out(each: TextParts, order: NDArray[np.int64], sizes: NDArray[np.int64]) -> TextParts:
    """Return the mean ROUGE over sets without one reference: the best counts in all but one, where the second best does."""
    best = _chosen(each, order[:, 0])
    if order.shape[1] == 1:
        return best
    second = _chosen(each, order[:, 1])
    several = sizes > 1
    share = 1 / np.maximum(sizes, 1)
    return TextParts(
        *(
            np.where(several, a + (np.where(several, b, a) - a) * share, a)
            for a, b in (
                (best.precision, second.precision),
                (best.recall, second.recall),
                (best.f, second.f),
            )
        )
    )


def totals(
    counts: Values, *, best: bool = False, root: float | None = None, rounded: bool = False
) -> Values:
    """Return the ROUGE counts of each item, items × 3: summed over references, or of the best by recall.

    ROUGE-1.5.5 divides these. An item without references has zeros.
    """
    if not best or counts.shape[1] == 0:
        sums: Values = np.nansum(counts, axis=1)
        return sums
    first = _best_first(_recall(counts, root, rounded))[:, 0]
    chosen: Values = np.nan_to_num(counts[np.arange(len(first)), first])
    return chosen


def _best_first(key: Values) -> NDArray[np.int64]:
    """Return the references of each item by their ROUGE score, best first; ties keep their order."""
    return np.argsort(np.where(np.isnan(key), np.inf, -key), axis=1, kind="stable")


def divided(counts: Values, alpha: float, root: float | None) -> TextParts:
    """Return precision, recall and F of ROUGE counts (hits, total of the candidate, of the reference)."""
    hits, candidate, reference = counts[..., 0], counts[..., 1], counts[..., 2]
    precision = hits / np.where(candidate == 0, 1, candidate)
    recall = hits / np.where(reference == 0, 1, reference)
    if root is not None:
        precision, recall = precision**root, recall**root
    return TextParts(precision, recall, f_measure(precision, recall, alpha))


def _recall(counts: Values, root: float | None, rounded: bool) -> Values:
    """Return the recall by which ROUGE-1.5.5 compares references; W applies the weight once here."""
    total = counts[..., 2] if root is None else counts[..., 2] ** root
    recall: Values = counts[..., 0] / np.where(total == 0, 1, total)
    return five_decimals(recall) if rounded else recall


def _chosen(each: TextParts, places: NDArray[np.int64]) -> TextParts:
    rows = np.arange(len(places))
    return TextParts(each.precision[rows, places], each.recall[rows, places], each.f[rows, places])


def _mean(values: Values) -> Values:
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    total = np.zeros(len(values))
    for column in np.where(known, values, 0).T:  # in order: sum() depends on the number of columns
        total += column
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


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
        """Return what the core counts for a ROUGE measure; ROUGE-1.5.5 computes ROUGE-L over sentences only."""
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
    """ROUGE values by measure, in the order of the measures, with facts for the signature and findings."""

    values: tuple[TextParts, ...]
    facts: dict[str, str]
    findings: tuple[Finding, ...]


def default_rule(profile: Profile) -> str:
    """Return the default rule of ROUGE for several references, that of the program the profile follows."""
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
    """Return ROUGE's precision, recall and F of each candidate against its references.

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
    """ROUGE counts of shared units, computed once for all rules and parts."""

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
        """Return ROUGE's precision, recall and F of each item by one rule for several references.

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
        """Report candidates and references without a token for ROUGE, except `missing` ones."""
        return _empty(self.tokens, self.sizes, missing)


def count_rouge(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    measures: Sequence[Rouge],
    *,
    profile: Profile = profile(),  # noqa: B008 (immutable)
    threads: int = 0,
) -> RougeCounts:
    """Count all ROUGE measures of one profile in one pass over the texts."""
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


# ROUGE in the registry: names, parameters, formulas, and values from counts.


LIN = (
    "Lin. ROUGE: A Package for Automatic Evaluation of Summaries. Text Summarization Branches Out, "
    "ACL 2004."
)
HOVY = (
    "Hovy, Lin, Zhou, Fukumoto. Automated Summarization Evaluation with Basic Elements. LREC 2006."
)
PARTS = ("f", "p", "r")
MODES = ("H", "HM", "HMR", "HM1", "HMR1", "HMR2")
SHARED = (*PROFILE_PARAMETERS, REFS, BETA, ALPHA)

WEIGHT = Parameter("w", "number", 1.2, "Consecutive matches of length x weigh x^w.", low=1, high=10)
ANY_GAP = Parameter("d", "integer", -1, "The most words between the two; −1 for any.", low=-1)
GAP = Parameter("d", "integer", 4, "The most words between the two; −1 for any.", low=-1)
MODE = Parameter(
    "mode",
    "choice",
    "HM",
    "What of a triple counts: H heads, M modifiers, R relations; see ROUGE-1.5.5.",
    choices=MODES,
)
TRIPLES = Parameter(
    "triples",
    "choice",
    "parsed",
    "parsed: by a spaCy model; given: the lines of the texts are head|modifier|relation.",
    choices=("parsed", "given"),
)
MODEL = Parameter("model", "word", None, "The spaCy model, if not en_core_web_sm.")


def member_of(measure: Measure) -> Rouge:
    """Return the ROUGE measure that the core counts."""

    kind = measure.name.removeprefix("ROUGE-")
    match kind:
        case "L" | "Lsum":
            return Rouge(kind)
        case "W":
            return Rouge("W", weight=float(measure["w"]))
        case "S" | "SU":
            return Rouge(kind, gap=None if measure["d"] < 0 else int(measure["d"]))
    return Rouge("N", n=int(kind))


def splitter_of(measure: Measure) -> str:
    """Return how the measure splits sentences."""
    known = any(p is SENTENCES for p in measure.definition.parameters)
    return str(measure["sentences"]) if known else "given"


def counts_of(evaluation: TextEvaluation, measure: Measure) -> RougeCounts:
    """Return the counts of a ROUGE measure; measures with the same tokens are counted in one pass."""

    key = (profile_key(measure), splitter_of(measure))
    profile = evaluation.profile(measure)

    def count() -> RougeCounts:
        alike = [
            m
            for m in evaluation.measures
            if m.definition.derive is _rouge and (profile_key(m), splitter_of(m)) == key
        ]
        return count_rouge(
            evaluation.candidates(key[1]),
            evaluation.references(key[1]),
            [member_of(m) for m in (*alike, measure)],
            profile=profile,
            threads=evaluation.threads,
        )

    return evaluation.shared(("rouge", key), count)


def _rouge(evaluation: TextEvaluation, measure: Measure) -> Values:
    counts, profile = counts_of(evaluation, measure), evaluation.profile(measure)
    key = profile_key(measure)
    empty = evaluation.shared(("empty", key), lambda: counts.empty(evaluation.cells.missing))
    own: dict[str, object] = {name: measure[name] for name in ("w", "d") if name in _names(measure)}
    whole = evaluation.unsplit(splitter_of(measure)) if _by_sentence(measure, profile) else []
    findings: tuple[Noted, ...] = (*profile.findings, *empty, *whole)
    evaluation.set_facts(measure, _facts(evaluation, measure, own), findings)
    parts = counts.parts(
        member_of(measure),
        rule_of(evaluation, measure),
        alpha_of_measure(measure),
        evaluation.cells.person,
    )
    return _part(measure, parts)


def _by_sentence(measure: Measure, profile: Profile) -> bool:
    """Return whether the value depends on sentence boundaries."""
    lin = profile.name == "lin2004" and measure.name in ("ROUGE-L", "ROUGE-W")
    return lin or measure.name == "ROUGE-Lsum"


def _basic_elements(evaluation: TextEvaluation, measure: Measure) -> Values:
    from tare._measures.text.basic_elements import (
        Triple,
        find_parser,
        parse_triples,
        read_triples,
        rouge_be,
    )

    profile = evaluation.profile(measure)
    given = measure["triples"] == "given"
    model = None if given else find_parser(measure["model"])

    def triples() -> tuple[list[list[Triple]], list[list[list[Triple]]]]:
        cells = evaluation.cells
        texts = [*cells.candidates, *(r for group in cells.references for r in group)]
        if given:
            made = [read_triples(_lines(text), "a text of triples") for text in texts]
        else:
            made = parse_triples(["\n".join(_lines(text)) for text in texts], model=model)
        rest = iter(made[len(cells.candidates) :])
        return made[: len(cells.candidates)], [[next(rest) for _ in g] for g in cells.references]

    candidates, references = evaluation.shared(("triples", given, model), triples)
    rule, alpha = rule_of(evaluation, measure), alpha_of_measure(measure)
    found = rouge_be(
        candidates,
        references,
        mode=measure["mode"],
        profile=profile,
        refs=rule,
        alpha=alpha,
        person=evaluation.cells.person,
        threads=evaluation.threads,
    )
    own: dict[str, object] = {"mode": measure["mode"], "triples": model or "given"}
    findings: tuple[Noted, ...] = (
        *profile.findings,
        *evaluation.without("references", "references"),
    )
    evaluation.set_facts(measure, _facts(evaluation, measure, own), findings)
    return _part(measure, found.values[0])


def _lines(text: Any) -> list[str]:
    lines = text.split("\n") if isinstance(text, str) else text
    return [line for line in lines if line.strip()]


def _names(measure: Measure) -> set[str]:
    return {p.name for p in measure.definition.parameters}


def rule_of(evaluation: TextEvaluation, measure: Measure) -> str:
    """Return the rule for several references."""

    return str(measure["refs"] or default_rule(evaluation.profile(measure)))


def _facts(
    evaluation: TextEvaluation, measure: Measure, own: dict[str, object]
) -> dict[str, object]:
    alpha = alpha_of_measure(measure)
    return {
        **own,
        **evaluation.profile(measure).facts,
        "sentences": splitter_of(measure) if "sentences" in _names(measure) else None,
        "refs": rule_of(evaluation, measure),
        "alpha": f"{alpha:g}" if alpha != 0.5 else None,
    }


def _part(measure: Measure, parts: TextParts) -> Values:
    return parts.part(measure.part or measure.definition.parts[0])


def _entry(
    name: str,
    title: str,
    formula: str,
    own: tuple[Parameter, ...] = (),
    *,
    aliases: tuple[str, ...] = (),
    citation: str = LIN,
    notes: str = "",
) -> Definition:
    return Definition(
        name,
        title,
        formula,
        citation,
        (*own, *SHARED),
        family="text",
        needs="references",
        aliases=aliases,
        parts=PARTS,
        settle=settle,
        notes=notes,
        derive=_basic_elements if name == "ROUGE-BE" else _rouge,
    )


F = "F = PR/((1−α)P + αR)"
DEFINITIONS = (
    *(
        _entry(
            f"ROUGE-{n}",
            f"ROUGE-{n}: shared {'words' if n == 1 else f'{n}-grams'}",
            f"P, R = clipped matches of {n}-grams / those of the candidate, of the reference; {F}",
            aliases=(f"rouge{n}",),
        )
        for n in range(1, 10)
    ),
    _entry(
        "ROUGE-L",
        "ROUGE-L: longest common subsequence",
        f"P, R = LCS / words of the candidate, of the reference; {F}",
        (SENTENCES,),
        aliases=("rougeL",),
        notes="The profile lin2004 takes it over sentences, as ROUGE-1.5.5 does: there it equals ROUGE-Lsum.",
    ),
    _entry(
        "ROUGE-Lsum",
        "ROUGE-Lsum: union of common subsequences over sentences",
        f"P, R = Σ over reference sentences of the union of LCS with candidate sentences / words; {F}",
        (SENTENCES,),
        aliases=("rougeLsum",),
        notes="Sentences are lines, or lists; sentences=rules splits further.",
    ),
    _entry(
        "ROUGE-W",
        "ROUGE-W: weighted longest common subsequence",
        f"P, R = f⁻¹(WLCS / f(words)), f(x) = x^w; {F}",
        (WEIGHT, SENTENCES),
    ),
    _entry(
        "ROUGE-S",
        "ROUGE-S: shared skip-bigrams",
        f"P, R = clipped matches of pairs of words in order, at most d words between them / pairs; {F}",
        (ANY_GAP,),
        notes="ROUGE-S4 is understood as ROUGE-S(d=4).",
    ),
    _entry(
        "ROUGE-SU",
        "ROUGE-SU: shared skip-bigrams and words",
        f"as ROUGE-S, with single words counted in addition to the pairs; {F}",
        (GAP,),
        notes="ROUGE-SU4 is understood as ROUGE-SU(d=4).",
    ),
    _entry(
        "ROUGE-BE",
        "ROUGE-BE: shared basic elements",
        f"P, R = clipped matches of head–modifier elements / those of the candidate, of the reference; {F}",
        (MODE, TRIPLES, MODEL),
        citation=HOVY,
        notes="Raw texts need a spaCy model that is installed (extra parse); nothing is fetched.",
    ),
)
