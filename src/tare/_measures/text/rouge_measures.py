"""ROUGE in the registry: names, parameters, formulas, and values from counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tare._measures.definition import Definition
from tare._measures.measure import Measure
from tare._measures.parameter import Parameter
from tare._measures.text.parameters import (
    ALPHA,
    BETA,
    PROFILE_PARAMETERS,
    REFS,
    SENTENCES,
    alpha_of_measure,
    profile_key,
    settle,
)

if TYPE_CHECKING:
    from tare._measures.text.cell_findings import Noted
    from tare._measures.text.evaluation import TextEvaluation, Values
    from tare._measures.text.parts import TextParts
    from tare._measures.text.profiles import Profile
    from tare._measures.text.rouge import Rouge, RougeCounts

__all__ = ["DEFINITIONS", "counts_of", "member_of", "rule_of", "splitter_of"]

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
    from tare._measures.text.rouge import Rouge

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
    """Return the counts of a measure; measures with the same tokens are counted in one pass."""
    from tare._measures.text.rouge import count_rouge

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
    from tare._measures.text.be import Triple, find_parser, parse_triples, read_triples, rouge_be

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
    from tare._measures.text.rouge import default_rule

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
