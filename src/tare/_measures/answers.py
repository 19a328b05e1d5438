"""Measures of answers: nuggets, citations and refusals; and the evaluation of answers by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tare._choices import Missing
from tare._data.answers import Answers, read_answers
from tare._data.findings import Finding, listed
from tare._data.nuggets import AnswerKey, Nugget
from tare._measures.aggregation import without_room
from tare._measures.definition import Definition, Parameter
from tare._measures.evaluation import Assembled, Block, Evaluation, assemble, inside
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare._measures.scores import Rescoring, Scores
from tare._signature import Signature, tare_version
from tare.errors import MeasureError, MismatchError, choose

if TYPE_CHECKING:
    from tare._data.nuggets import AnswerSource
    from tare._measures.inputs import MeasuresInput

__all__ = [
    "DEFINITIONS",
    "SCORES",
    "AnswerEvaluation",
    "AnswerOptions",
    "NuggetScore",
    "Refusals",
    "Unassigned",
    "evaluate_answers",
    "usual_measures",
]


# What counts where an assignment, an answer or a readiness to answer is missing.


Unassigned = Literal["error", "skip", "zero"]
Refusals = Literal["score", "skip"]
MAX_SHOWN = 3


@dataclass(frozen=True)
class AnswerOptions:
    """How an evaluation of answers treats nuggets without assignment, answers that are missing, and refusals."""

    missing: Missing = "skip"
    unassigned: Unassigned = "error"
    refusals: Refusals = "score"

    def __post_init__(self) -> None:
        choose("missing", self.missing, get_args(Missing))
        choose("unassigned", self.unassigned, get_args(Unassigned))
        choose("refusals", self.refusals, get_args(Refusals))

    def check(self, answers: Answers) -> None:
        """Raise an error for nuggets without assignment and missing answers, if the options ask for that."""
        if self.unassigned == "error":
            self._check_assigned(answers)
        if self.missing == "error":
            there = {*answers.pairs, *answers.known}
            lacking = [
                (system, item)
                for system in answers.systems
                for item in answers.items
                if (system, item) not in there
            ]
            if lacking:
                system, item = lacking[0]
                raise MismatchError(
                    f"{answers.name}: {len(lacking):,} answers are missing; the first is that of "
                    f"{system!r} to topic {item!r}. missing='skip' leaves them out, 'zero' counts them as 0."
                )

    def _check_assigned(self, answers: Answers) -> None:
        lacking: list[tuple[AnswerKey, list[str]]] = []
        for key, own in (*answers.credits.items(), *answers.elsewhere.items()):
            names = [n.id for n in answers.nuggets.get(key.item, ()) if own.get(n.id) is None]
            refused = answers.refused.get((key.system, key.item), False)
            if names and not (refused and len(names) == len(answers.nuggets[key.item])):
                lacking.append((key, names))
        if not lacking:
            return
        key, names = lacking[0]
        shown = ", ".join(f"{name!r:.60}" for name in names[:MAX_SHOWN])
        more = f" and {len(names) - MAX_SHOWN:,} more" if len(names) > MAX_SHOWN else ""
        raise MismatchError(
            f"{answers.name}: {len(lacking):,} answers have nuggets without assignment; the first is that "
            f"of {key.system!r} to topic {key.item!r}, where {shown}{more} have none. unassigned='skip' "
            "scores the nuggets that were assigned, 'zero' counts the others as not supported."
        )

    def facts(self, answers: Answers) -> dict[str, object]:
        """Return the facts for the signature of a measure of answers: unassigned nuggets, refusals, assigners."""
        several = len(answers.assigners) > 1
        return {
            "unassigned": None if self.unassigned == "error" else self.unassigned,
            "refusals": None if self.refusals == "score" else self.refusals,
            "assigners": "mean" if several else None,
        }


# Nugget measures in the registry: how many of the facts that matter an answer holds.


Values = NDArray[np.float64]
Weights = Callable[[Measure, tuple[Nugget, ...]], Values]
PRADEEP = (
    "Pradeep, Thakur, Upadhyay, Campos, Craswell, Lin. Initial Nugget Evaluation Results for the TREC "
    "2024 RAG Track with the AutoNuggetizer Framework. arXiv 2411.09607, 2024."
)
EMPTY = Parameter(
    "empty",
    "choice",
    "undefined",
    "A topic without a nugget that counts: undefined (left out), or zero, as in nuggetizer.",
    choices=("undefined", "zero"),
)
MIN_WEIGHT = Parameter(
    "min_weight",
    "number",
    None,
    "For nuggets with weights: the lowest weight that counts as vital.",
    low=0,
)
VITAL = Parameter("vital", "number", 1, "The weight of vital nuggets.", low=0)
OKAY = Parameter("okay", "number", 0.5, "The weight of okay nuggets.", low=0)
PARTIAL = "s is 1 for support, ½ for partial support and 0 otherwise."
STRICT_TEXT = "Partial support counts as no support."


def _all(measure: Measure, nuggets: tuple[Nugget, ...]) -> Values:
    return np.ones(len(nuggets))


def _vital(measure: Measure, nuggets: tuple[Nugget, ...]) -> Values:
    least = measure["min_weight"]
    flags = []
    for nugget in nuggets:
        if nugget.weight is not None:
            if least is None:
                raise MismatchError(
                    f"{measure} needs vital nuggets, and these have weights. Say which are vital, as in "
                    f"{measure.name}(min_weight={nugget.weight:g})."
                )
            flags.append(nugget.weight >= float(least))
        elif nugget.vital is None:
            raise _unknown(measure, nugget)
        elif least is not None:
            raise MismatchError(
                f"{measure}: min_weight applies to nuggets with weights; these are vital or okay. Use "
                f"{measure.name}."
            )
        else:
            flags.append(nugget.vital)
    return np.array(flags, dtype=np.float64)


def _weighted(measure: Measure, nuggets: tuple[Nugget, ...]) -> Values:
    by_word = {True: float(measure["vital"]), False: float(measure["okay"])}
    by_name = ("vital", "okay")
    made = []
    for nugget in nuggets:
        if nugget.weight is None and nugget.vital is None:
            raise _unknown(measure, nugget)
        if nugget.weight is not None and (
            chosen := [n for n, _ in measure.parameters if n in by_name]
        ):
            raise MismatchError(
                f"{measure}: {chosen[0]} applies to nuggets that are vital or okay; these have weights. Use "
                f"{measure.name}."
            )
        made.append(
            by_word[nugget.vital] if nugget.vital is not None else float(nugget.weight or 0)
        )
    return np.array(made, dtype=np.float64)


def _unknown(measure: Measure, nugget: Nugget) -> MismatchError:
    return MismatchError(
        f"{measure} needs the importance of each nugget, and nugget {nugget.id!r:.80} has none. Give lists "
        "of nuggets that are vital or okay, or have weights."
    )


def _recall(weights: Weights, *, strict: bool) -> NuggetScore:
    def score(measure: Measure, nuggets: tuple[Nugget, ...], credits: Values) -> float:
        weight = weights(measure, nuggets)
        total = float(weight.sum())
        if total == 0:
            return 0.0 if measure["empty"] == "zero" else float("nan")
        earned = (credits == 1).astype(np.float64) if strict else credits
        return float(weight @ earned) / total

    return score


SCORES: dict[str, NuggetScore] = {
    "NuggetVital": _recall(_vital, strict=False),
    "NuggetVitalStrict": _recall(_vital, strict=True),
    "NuggetAll": _recall(_all, strict=False),
    "NuggetAllStrict": _recall(_all, strict=True),
    "NuggetWeighted": _recall(_weighted, strict=False),
}


def _nugget_values(evaluation: AnswerEvaluation, measure: Measure) -> Values:
    return evaluation.of_nuggets(measure, SCORES[measure.name])


def _density(evaluation: AnswerEvaluation, measure: Measure) -> Values:
    """Return the credit of all nuggets in an answer per 100 words of it."""
    found = evaluation.of_nuggets(measure, lambda m, nuggets, credits: float(credits.sum()))
    words = np.full(evaluation.size, np.nan)
    places = [(s, i) for s in evaluation.systems for i in evaluation.items]
    for place, pair in enumerate(places):
        words[place] = evaluation.answers.words.get(pair, np.nan)
    lacking = [
        pair for pair, n, f in zip(places, words, found, strict=True) if np.isnan(n) and f > 0
    ]
    odd = [pair for pair, n, f in zip(places, words, found, strict=True) if n == 0 and f > 0]
    if lacking or odd:
        system, item = (lacking or odd)[0]
        what = "has no known length" if lacking else "has no words, but supports nuggets"
        raise MismatchError(
            f"{measure}: the answer of {system!r} to topic {item!r} {what}. Give the texts of the answers, "
            "or a column words (response_length)."
        )
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(found == 0, 0.0, 100 * found / np.where(words == 0, 1.0, words)))


def _nugget_measure(
    name: str,
    title: str,
    formula: str,
    parameters: tuple[Parameter, ...],
    notes: str,
    alias: str = "",
) -> Definition:
    return Definition(
        name,
        title,
        formula,
        PRADEEP,
        parameters,
        family="answers",
        needs="nuggets",
        aliases=(alias,) if alias else (),
        derive=_nugget_values,
        notes=notes,
        expected="the mean score of given answers to other topics, held against the nuggets of the topic",
        upper="1",
    )


# Citations and refusals in the registry: is an answer supported by what it cites, and is it one?


Supports = list[list[float]]  # of each statement, the support by each citation
THAKUR = (
    "Thakur, Pradeep, Upadhyay, Campos, Craswell, Lin. Support Evaluation for the TREC 2024 RAG Track: "
    "Comparing Human versus LLM Judges. SIGIR 2025."
)
GAO = "Gao, Yen, Yu, Chen. Enabling Large Language Models to Generate Text with Citations. EMNLP 2023."
RAJPURKAR = (
    "Rajpurkar, Jia, Liang. Know What You Don't Know: Unanswerable Questions for SQuAD. ACL 2018."
)
STRICT = Parameter("strict", "flag", False, "Partial support counts as no support.")
UNKNOWN = "support by chance is not known: no citation was drawn at random"
SCORED = "s is 1 for support, ½ for partial support and 0 otherwise."


def _best_of_cited(supports: Supports) -> float:
    cited = [max(own) for own in supports if own]
    return sum(cited) / len(cited) if cited else float("nan")


def _mean_of_citations(supports: Supports) -> float:
    every = [support for own in supports for support in own]
    return sum(every) / len(every) if every else float("nan")


def _best_of_all(supports: Supports) -> float:
    return (
        sum(max(own, default=0.0) for own in supports) / len(supports) if supports else float("nan")
    )


RULES: dict[str, Callable[[Supports], float]] = {
    "Support": _best_of_cited,
    "CitationPrecision": _mean_of_citations,
    "CitationRecall": _best_of_all,
}


def _support_values(evaluation: AnswerEvaluation, measure: Measure) -> Values:
    answers = evaluation.answers
    if not answers.citations:
        raise MismatchError(
            f"{measure} needs citations with their support, and {answers.name} has none. Give a table with "
            "system, item, statement, citation and support."
        )
    rule, strict = RULES[measure.name], bool(measure["strict"])
    pairs = []
    for key, statements in answers.citations.items():
        supports = [
            [float(s == 1) if strict else s for s in own.values()] for own in statements.values()
        ]
        pairs.append((key, rule(supports)))
    without = sorted({f"{key.system} {key.item}" for key, value in pairs if np.isnan(value)})
    findings = []
    if without:
        message = f"{len(without):,} answers cite nothing; {measure} has no value there."
        findings.append(Finding("no citations", message, len(without), examples=listed(without)))
    evaluation.set_facts(measure, evaluation.options.facts(answers), findings)
    return evaluation.averaged(pairs)


def _refusal(evaluation: AnswerEvaluation, measure: Measure) -> Values:
    """Return 1 for answers that are refusals and 0 for others; NaN if it is not known."""
    answers = evaluation.answers
    if not answers.refused:
        raise MismatchError(
            f"{measure} needs to know which answers are refusals, and {answers.name} does not say. Give the "
            "answers with a column refused."
        )
    pairs = [(s, i) for s in evaluation.systems for i in evaluation.items]
    flags = [answers.refused.get(pair) for pair in pairs]
    return np.array([np.nan if flag is None else float(flag) for flag in flags])


def _abstention(evaluation: AnswerEvaluation, measure: Measure) -> Values:
    """Return 1 where a system refuses an unanswerable topic or answers an answerable one, and 0 elsewhere."""
    answers = evaluation.answers
    if not answers.answerable:
        raise MismatchError(
            f"{measure} needs to know which topics have an answer, and {answers.name} does not say. Give a "
            "column answerable with the lists of nuggets or with the answers."
        )
    refused = _refusal(evaluation, measure)
    known = [answers.answerable.get(item) for item in evaluation.items] * len(evaluation.systems)
    answerable = np.array([np.nan if flag is None else float(flag) for flag in known])
    right = (refused == 1 - answerable).astype(np.float64)
    return np.where(np.isnan(refused) | np.isnan(answerable), np.nan, right)


def _support_measure(name: str, title: str, formula: str, citation: str, notes: str) -> Definition:
    return Definition(
        name,
        title,
        formula,
        citation,
        (STRICT,),
        family="answers",
        needs="citations",
        derive=_support_values,
        without_net=UNKNOWN,
        notes=notes,
    )


DEFINITIONS: tuple[Definition, ...] = (
    _nugget_measure(
        "NuggetVital",
        "Vital nuggets found",
        "Σ over vital nuggets of s / number of vital nuggets",
        (EMPTY, MIN_WEIGHT),
        PARTIAL,
        "vital_score",
    ),
    _nugget_measure(
        "NuggetVitalStrict",
        "Vital nuggets fully found",
        "vital nuggets with full support / number of vital nuggets",
        (EMPTY, MIN_WEIGHT),
        STRICT_TEXT,
        "strict_vital_score",
    ),
    _nugget_measure(
        "NuggetAll",
        "Nuggets found",
        "Σ over nuggets of s / number of nuggets",
        (EMPTY,),
        PARTIAL,
        "all_score",
    ),
    _nugget_measure(
        "NuggetAllStrict",
        "Nuggets fully found",
        "nuggets with full support / number of nuggets",
        (EMPTY,),
        STRICT_TEXT,
        "strict_all_score",
    ),
    _nugget_measure(
        "NuggetWeighted",
        "Weighted nugget recall",
        "Σ w·s / Σ w, w the importance",
        (VITAL, OKAY, EMPTY),
        PARTIAL + " Content units of a pyramid keep their weights.",
    ),
    Definition(
        "NuggetDensity",
        "Nuggets per 100 words",
        "100·Σ s / words of the answer",
        PRADEEP,
        bounds=(0, None),
        family="answers",
        needs="nuggets",
        derive=_density,
        without_net="it has no upper bound",
        notes=PARTIAL + " An answer that supports no nugget scores 0, whatever its length.",
    ),
    _support_measure(
        "Support",
        "Support of cited statements",
        "Σ over statements with a citation of the best s of its citations / number of such statements",
        THAKUR,
        SCORED + " TREC's weighted precision, where one citation per statement was judged.",
    ),
    _support_measure(
        "CitationPrecision",
        "Citation precision",
        "Σ s over citations / number of citations",
        GAO,
        SCORED + " Each citation is judged alone. An answer without citations has no value.",
    ),
    _support_measure(
        "CitationRecall",
        "Citation recall",
        "Σ over all statements of the best s of its citations / number of statements",
        THAKUR,
        SCORED + " A statement without citation counts as 0. TREC's weighted recall.",
    ),
    Definition(
        "Refusal",
        "Refusals",
        "1 if the answer is a refusal, else 0",
        RAJPURKAR,
        family="answers",
        needs="refusals",
        better="neither",
        derive=_refusal,
        without_net="it counts, and does not rate, answers",
        notes="Refusals are counted apart: nugget measures score a refusal 0 (refusals=score) or "
        "leave it out (refusals=skip).",
    ),
    Definition(
        "Abstention",
        "Right decisions to answer or to abstain",
        "1 if the system refuses an unanswerable topic or answers an answerable one, else 0",
        RAJPURKAR,
        family="answers",
        needs="refusals",
        derive=_abstention,
        without_net="the share of refusals that chance would make is not defined",
        notes="Needs the columns refused and answerable.",
    ),
)


# Evaluation of answers: every measure on the answers of all systems at once.


NuggetScore = Callable[[Measure, tuple[Nugget, ...], Values], float]
"""The value of a measure, given the nuggets of a topic and the credit of each (NaN: not assigned)."""


class AnswerEvaluation(Evaluation):
    """The values of measures of answers, one per system and topic, system by system."""

    def __init__(self, answers: Answers, options: AnswerOptions) -> None:
        self.answers = answers
        self.options = options
        self.systems, self.items = answers.systems, answers.items
        super().__init__(len(self.systems) * len(self.items))
        self._place = {
            (system, item): s * len(self.items) + i
            for s, system in enumerate(self.systems)
            for i, item in enumerate(self.items)
        }

    def compute(self, measure: Measure) -> Values:
        """Compute a measure of answers, as its definition derives it; NaN where there is none."""
        definition = measure.definition
        if definition.derive is None or not (definition.family == "answers" or definition.wraps):
            raise MeasureError(f"{measure} is not a measure of answers.")
        return definition.derive(self, measure)

    def refused(self) -> NDArray[np.bool_]:
        """Return which answers are refusals."""
        made = np.zeros(self.size, dtype=bool)
        for pair, refused in self.answers.refused.items():
            if refused and pair in self._place:
                made[self._place[pair]] = True
        return made

    def averaged(self, scored: Iterable[tuple[AnswerKey, float]]) -> Values:
        """Return the mean over the assigners of nuggets per answer; refusals are left out if that is asked for."""
        sums, counts = np.zeros(self.size), np.zeros(self.size)
        for key, value in scored:
            place = self._place[key.system, key.item]
            sums[place] += value
            counts[place] += 1
        made = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return np.where(self.refused(), np.nan, made) if self.options.refusals == "skip" else made

    def _known(self) -> NDArray[np.bool_]:
        """Return which answers to topics exist: with assigned nuggets, refused, or with a known text."""
        made = np.zeros(self.size, dtype=bool)
        for pair in (*self.answers.pairs, *self.answers.known):
            if pair in self._place:
                made[self._place[pair]] = True
        return made

    def of_nuggets(self, measure: Measure, score: NuggetScore) -> Values:
        """Return the values of a measure of nuggets."""
        if not self.answers.credits:
            raise MismatchError(
                f"{measure} needs assignments of nuggets, and {self.answers.name} has none. Give a table "
                "with system, item, nugget and assignment."
            )
        pairs = [
            (key, self.score_one(measure, score, key, own))
            for key, own in self.answers.credits.items()
            if not self._is_empty_refusal(key, own)
        ]
        made = self.averaged(pairs)
        defined = np.array([self._defined(measure, score, item) for item in self.items], dtype=bool)
        zero = np.isnan(made) & np.tile(defined, len(self.systems))
        lost = np.zeros(self.size, dtype=bool)
        if self.options.refusals == "score":
            lost |= self.refused()
        if self.options.missing == "zero":
            lost |= ~self._known()
        found: list[Finding] = list(self._nugget_findings())
        without = [item for item, there in zip(self.items, defined, strict=True) if not there]
        if without:
            message = f"{measure} is not defined for {len(without):,} topics, which have no nugget that counts."
            found.append(Finding("undefined", message, len(without), examples=listed(without)))
        self.set_facts(measure, self.options.facts(self.answers), found)
        return np.where(zero & lost, 0.0, made)

    def _is_empty_refusal(self, key: AnswerKey, own: dict[str, float | None]) -> bool:
        refused = self.answers.refused.get((key.system, key.item), False)
        return refused and all(credit is None for credit in own.values())

    def _defined(self, measure: Measure, score: NuggetScore, item: str) -> bool:
        nuggets = self.answers.nuggets.get(item, ())
        return not np.isnan(score(measure, nuggets, np.zeros(len(nuggets))))

    def score_one(
        self, measure: Measure, score: NuggetScore, key: AnswerKey, own: dict[str, float | None]
    ) -> float:
        """Return the value of one answer, held against the nuggets of one topic."""
        nuggets = self.answers.nuggets.get(key.item, ())
        given = [own.get(nugget.id) for nugget in nuggets]
        if self.options.unassigned == "zero":
            given = [0.0 if credit is None else credit for credit in given]
        credits = np.array([np.nan if c is None else c for c in given], dtype=np.float64)
        kept = ~np.isnan(credits)
        if nuggets and not kept.any():
            return float("nan")
        chosen = tuple(n for n, keep in zip(nuggets, kept, strict=True) if keep)
        return score(measure, chosen, credits[kept])

    def _nugget_findings(self) -> Iterable[Finding]:
        lacking = [
            f"{key.system} {key.item}"
            for key, own in self.answers.credits.items()
            if not self._is_empty_refusal(key, own)
            and any(own.get(nugget.id) is None for nugget in self.answers.nuggets.get(key.item, ()))
        ]
        if lacking:
            then = {
                "skip": "these are left out, and the value is over the nuggets that were assigned",
                "zero": "these count as not supported",
            }[self.options.unassigned]
            message = f"{len(lacking):,} answers have nuggets without assignment; {then}."
            yield Finding("unassigned nuggets", message, len(lacking), examples=listed(lacking))


# Evaluation of answers: from nuggets, citations and measures to scores.


NO_ROOM = (
    "on every topic the answers to other topics score as high as possible. Are they really answers to other "
    "topics?"
)


def evaluate_answers(
    answers: Answers | AnswerSource,
    measures: MeasuresInput | None = None,
    *,
    missing: Missing = "skip",
    unassigned: Unassigned = "error",
    refusals: Refusals = "score",
    attributes: Mapping[str, Mapping[str, object]] | None = None,
    seed: int = 0,
) -> Scores:
    """Score answers by the nuggets they contain, the support of their citations, and refusals.

    Parameters
    ----------
    answers
        What `tare.read_answers` takes or returns.
    measures
        One or several measures, such as ``["NuggetVital", "Net(NuggetAll)"]``. By default those that
        the data allow.
    missing
        A topic that a system has no answer for is left out of its mean ("skip"), counts 0 ("zero"), or
        raises an error ("error"). An answer whose text is known but to which nothing was assigned is
        always left out.
    unassigned
        A nugget without assignment raises an error ("error"), is left out ("skip"), or counts as not
        supported ("zero").
    refusals
        Refusals are scored like other answers, and get 0 if nothing was assigned ("score"), or are left
        out of all measures but Refusal and Abstention ("skip").
    attributes
        Attributes of the topics, as {name: {topic: value}}.
    seed
        Seed that is kept with the table.

    Returns
    -------
    Scores
        One value per system, topic and measure.

    Raises
    ------
    MeasureError
        If a measure is unknown or does not measure answers.
    MismatchError
        If the answers lack what a measure needs, such as answers to other topics for Net.

    Examples
    --------
    >>> import tare
    >>> def answer(run, first, second):
    ...     return {"qid": "q1", "run_id": run, "nuggets": [
    ...         {"text": "Paris", "importance": "vital", "assignment": first},
    ...         {"text": "Seine", "importance": "okay", "assignment": second}]}
    >>> rows = [answer("a", "support", "not_support"), answer("b", "partial_support", "support")]
    >>> tare.evaluate_answers(rows, ["NuggetVital", "NuggetAll"]).means()
    {'a': {'NuggetVital': 1.0, 'NuggetAll': 0.5}, 'b': {'NuggetVital': 0.5, 'NuggetAll': 0.75}}
    """
    given = read_answers(answers)
    options = AnswerOptions(missing, unassigned, refusals)
    options.check(given)
    wanted = parse_all(usual_measures(given) if measures is None else measures)
    scores = _scored(given, wanted, options, seed)
    for name, values in (attributes or {}).items():
        scores = scores.with_attribute(name, values)
    return scores


def usual_measures(answers: Answers) -> list[str]:
    """Return the measures that the data allow."""
    made = []
    if answers.credits:
        if answers.importance == "words":
            made += ["NuggetVital", "NuggetVitalStrict"]
        made += ["NuggetAll", "NuggetAllStrict"]
        if answers.importance is not None:
            made.append("NuggetWeighted")
    if answers.citations:
        made += ["Support", "CitationPrecision", "CitationRecall"]
    if answers.refused:
        made.append("Refusal")
        if answers.answerable:
            made.append("Abstention")
    return made


def _scored(
    answers: Answers, wanted: tuple[Measure, ...], options: AnswerOptions, seed: int
) -> Scores:
    evaluation = AnswerEvaluation(answers, options)
    columns = [evaluation.column(_inside(measure)) for measure in wanted]

    def sign(made: Assembled) -> Iterator[Signature]:
        for measure, facts in zip(wanted, made.facts, strict=True):
            yield _signature(measure, facts, evaluation)

    def report(made: Assembled) -> list[Finding]:
        noted = dict.fromkeys(evaluation.noted)
        lost = without_room(made.ratios, NO_ROOM)
        return [*answers.findings, *_findings(evaluation), *noted, *lost]

    def again(more: tuple[Measure, ...]) -> Scores:
        return _scored(answers, more, options, seed)

    return assemble(
        evaluation.systems,
        evaluation.items,
        wanted,
        [Block(slice(None), columns)],
        sign,
        report,
        Rescoring(again, answers.has_chance),
        seed,
    )


def _inside(measure: Measure) -> Measure:
    """Return `inside` of a measure of answers; refuse measures of other families."""
    innermost = measure.innermost
    if innermost.definition.family == "answers":
        return inside(measure)
    raise MeasureError(
        f"{measure} does not measure answers: it needs {innermost.definition.needs}. `tare list measures` "
        "lists the measures of the family answers."
    )


def _findings(evaluation: AnswerEvaluation) -> list[Finding]:
    """Count refusals apart, and report missing answers."""
    answers, options = evaluation.answers, evaluation.options
    made = []
    refused = [f"{s} {i}" for (s, i), flag in answers.refused.items() if flag]
    if refused:
        then = (
            "they are scored like other answers"
            if options.refusals == "score"
            else "they are left out"
        )
        message = f"{len(refused):,} of {len(answers):,} answers are refusals; {then}."
        made.append(Finding("refusals", message, len(refused), "note", listed(refused)))
    there = {*answers.pairs, *answers.known}
    lacking = [
        f"{s} {i}" for s in evaluation.systems for i in evaluation.items if (s, i) not in there
    ]
    if lacking:
        then = (
            "count 0"
            if options.missing == "zero"
            else "are left out of the means, not counted as 0"
        )
        message = f"{len(lacking):,} answers are missing; they {then}."
        made.append(Finding("missing answers", message, len(lacking), examples=listed(lacking)))
    if len(answers.assigners) > 1:
        names = ", ".join(repr(name) for name in answers.assigners)
        message = f"{len(answers.assigners)} assigners ({names}): the score of an answer is the mean of theirs."
        made.append(Finding("assigners", message, len(answers.assigners), severity="note"))
    return made


def _signature(
    measure: Measure, facts: Mapping[str, object], evaluation: AnswerEvaluation
) -> Signature:
    last = {
        "missing": evaluation.options.missing,
        "n": len(evaluation.items),
        "answers": evaluation.answers.digest,
        "tare": tare_version(),
    }
    return Signature.of(str(measure), {**facts, **last})
