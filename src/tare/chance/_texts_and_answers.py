"""Measures of texts and of answers under chance: expected value, variance and upper bound of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, listed
from tare._data.summaries import read_summaries
from tare._measures.aggregation import room_of
from tare._measures.answers import SCORES, AnswerEvaluation
from tare._measures.definition import Moments, RandomText, TextChance
from tare._measures.measure import Measure
from tare._measures.names import parse
from tare._measures.text.cells import Cells, TextEvaluation
from tare._measures.text.findings_by_cell import CellFinding
from tare._measures.text.upper_bounds import UPPER, upper_bound
from tare._result import Result, Row, Rows
from tare._tables import Column, Table
from tare.errors import MeasureError, MismatchError, choose

if TYPE_CHECKING:
    from tare._data.summaries import SummaryReferences, SummarySources
    from tare._measures.inputs import TextsInput

__all__ = [
    "AnswerChances",
    "TextChances",
    "answer_chances",
    "answer_p_values",
    "provider_of",
    "text_chances",
    "text_chances_of",
    "text_p_values",
    "upper_findings",
]


# Nugget measures under chance: the mean score of given answers to other topics.
#
# An answer to another topic is held against the nuggets of this one. All systems are pooled, so that
# chance is the same for every system.


Values = NDArray[np.float64]


@dataclass(frozen=True)
class AnswerChances:
    """A measure of answers under chance, one value per system and topic; the same for every system."""

    measure: Measure
    expected: Values
    expected_error: Values
    variance: Values
    upper: Values
    worst: Values

    @property
    def room(self) -> Values:
        """Upper bound minus expected value of a measure of answers; 0 if the two differ only by rounding."""
        return room_of(self.expected, self.upper)

    @property
    def defined(self) -> NDArray[np.bool_]:
        """Whether chance is known."""
        return ~np.isnan(self.expected)


def answer_chances(
    evaluation: AnswerEvaluation, measure: Measure, *, expected: bool = True
) -> AnswerChances:
    """Return the inner measure of `measure` for answers under chance, and record facts and findings."""
    inner = measure.inner
    assert inner is not None
    _refuse_options(measure)
    evaluation.values(inner)  # raises if the data lack what the measure needs
    drawn = _drawn(evaluation, measure) if expected else []
    means = [float(np.mean(own)) if len(own) else np.nan for own in drawn]
    spread = [float(np.var(own)) if len(own) else np.nan for own in drawn]
    systems = len(evaluation.systems)
    unknown = [np.nan] * len(evaluation.items)
    found = AnswerChances(
        inner,
        np.tile(np.array(means or unknown, dtype=np.float64), systems),
        np.zeros(evaluation.size),
        np.tile(np.array(spread or unknown, dtype=np.float64), systems),
        np.ones(evaluation.size),
        np.zeros(evaluation.size),
    )
    facts = dict(evaluation.facts(inner))
    if expected:
        sizes = [len(own) for own in drawn]
        facts |= {"chance": "other-topics", "drawn": sum(sizes)}
        evaluation.set_facts(measure, facts, _findings(evaluation, measure, sizes))
    else:
        evaluation.set_facts(measure, facts)
    return found


def answer_p_values(evaluation: AnswerEvaluation, measure: Measure, observed: Values) -> Values:
    """Return p of answers against chance, (b + 1)/(B + 1), b of the B answers to other topics scoring at least as high."""
    drawn = _drawn(evaluation, measure)
    out = np.full(len(observed), np.nan)
    for place, value in enumerate(observed):
        own = drawn[place % len(evaluation.items)]
        if len(own) and not np.isnan(value):
            out[place] = (np.sum(own >= value - 1e-12) + 1) / (len(own) + 1)
    return out


def _drawn(evaluation: AnswerEvaluation, measure: Measure) -> list[Values]:
    """Return for each topic the scores of the answers to other topics."""
    inner = measure.inner
    assert inner is not None
    score = SCORES.get(inner.name)
    if score is None:
        raise MeasureError(
            f"{measure}: {inner} has no score under chance, because {inner.definition.without_net}."
        )
    answers = evaluation.answers
    if not answers.elsewhere:
        raise MismatchError(
            f"{measure}: the chance of {inner} is the mean score of answers to other topics, held against "
            f"the nuggets of this one, and {answers.name} has no such assignments. Give them (elsewhere=, "
            f"--elsewhere FILE, or rows with the column answer_to), or use {inner} itself."
        )
    by_item: dict[str, dict[tuple[str, str], list[float]]] = {item: {} for item in evaluation.items}
    for key, own in answers.elsewhere.items():
        if key.item in by_item:
            value = evaluation.score_one(inner, score, key, own)
            if not np.isnan(value):
                by_item[key.item].setdefault((key.system, key.about), []).append(value)
    return [np.array([np.mean(v) for v in own.values()]) for own in by_item.values()]


def _refuse_options(measure: Measure) -> None:
    """Refuse parameters that belong to rankings or to texts if a measure is one of answers."""
    given = [
        name for name, _ in measure.parameters if name in ("pool", "length", "expected", "upper")
    ]
    if given:
        raise MeasureError(
            f"{measure}: {given[0]} does not apply to answers. Chance is the mean score of given answers to "
            "other topics, and the upper bound is 1."
        )


def _findings(evaluation: AnswerEvaluation, measure: Measure, sizes: list[int]) -> list[Finding]:
    items = evaluation.items
    known = [size for size in sizes if size]
    found = []
    if not known:
        raise MismatchError(
            f"{evaluation.answers.name}: {measure} is not defined, because no topic with answers has "
            "assignments of answers to other topics. Are the ids of topics the same in both?"
        )
    without = [item for item, size in zip(items, sizes, strict=True) if not size]
    if without:
        message = (
            f"{len(without):,} of {len(items):,} topics have no answers to other topics; they are left out of "
            "net scores."
        )
        found.append(Finding("no chance", message, len(without), examples=listed(without)))
    message = f"chance is the mean of {min(known):,} to {max(known):,} answers to other topics, per topic."
    found.append(Finding("chance of answers", message, severity="note"))
    return found


# A measure of texts under chance: expected value, variance and upper bound of each text.


TextExpected = Literal["exact", "sampled", "published", "best", "worst"]
TextUpper = Literal["ideal", "oracle", "human"]


@dataclass(frozen=True, repr=False)
class TextChances(Result):
    """A measure under random texts; arrays have one value per system and item, system by system.

    Attributes
    ----------
    measure, text
        The measure, and how random texts are drawn.
    systems, items
        The systems and the items.
    expected, expected_error
        The expected value, and its standard error if it was sampled (else 0).
    variance
        The variance, or None if not computed.
    upper, worst
        The upper bound, and the smallest value of the measure if it has one.

    Examples
    --------
    >>> import tare
    >>> row = {"text": "a b", "references": ["a b c"], "source": "a b"}
    >>> found = tare.chance.text_chances([row], "ROUGE-1.r")
    >>> found.systems, found.items, found.room.round(4).tolist()
    (('system',), ('1',), [0.4167])
    """

    measure: Measure
    text: RandomText
    systems: tuple[str, ...]
    items: tuple[str, ...]
    expected: Values
    expected_error: Values
    variance: Values | None
    upper: Values
    worst: Values | None

    @property
    def room(self) -> Values:
        """Upper bound minus expected value; 0 if the two differ only by rounding."""
        return room_of(self.expected, self.upper)

    @property
    def defined(self) -> NDArray[np.bool_]:
        """Whether a text has an upper bound above 0."""
        return self.upper > 0

    def answer(self) -> str:
        """Return the mean expected value of random texts."""
        known = self.expected[~np.isnan(self.expected)]
        mean = float(known.mean()) if len(known) else math.nan
        return (
            f"A random text of the source's words would score {mean:.3f} by {self.measure} on average "
            f"(expected: {self.text.expected}, length: {self.text.length})."
        )

    def rows(self) -> Rows:
        """Return one dictionary per system and item; undefined values are None."""
        columns = {
            "expected": self.expected,
            "expected_error": self.expected_error,
            "upper": self.upper,
        }
        if self.variance is not None:
            columns["deviation"] = np.sqrt(self.variance)
        numbers = zip(*(column.tolist() for column in columns.values()), strict=True)
        cells = ((system, item) for system in self.systems for item in self.items)
        return [
            {"system": system, "item": item}
            | {k: None if math.isnan(x) else x for k, x in zip(columns, row, strict=True)}
            for (system, item), row in zip(cells, numbers, strict=True)
        ]

    def facts(self) -> Row:
        """Return measure, kind of expected value and length of random texts."""
        text = {"expected_value": self.text.expected, "length": self.text.length}
        return {"measure": str(self.measure)} | text

    def table(self) -> Table:
        """Return a table with one row per system and item."""
        rows = self.rows()
        names = list(rows[0]) if rows else ["system", "item"]
        columns = [Column(name, align="left") for name in names[:2]]
        columns += [Column(name) for name in names[2:]]
        note = (
            f"{self.measure} of a random text of the source's words "
            f"(expected: {self.text.expected}, length: {self.text.length})."
        )
        return Table.of(columns, [tuple(row.values()) for row in rows], notes=[note])


def text_chances(
    texts: TextsInput,
    measure: str | Measure,
    *,
    expected: TextExpected = "exact",
    length: Literal["reference", "candidate"] | int = "reference",
    upper: TextUpper = "ideal",
    seed: int = 0,
    samples: int | None = None,
    threads: int = 0,
    references: SummaryReferences | None = None,
    sources: SummarySources | None = None,
) -> TextChances:
    """Compute what a random text made of each source's words would score.

    Parameters
    ----------
    texts
        What `tare.read_summaries` takes or returns, with references and sources.
    measure
        A measure that compares texts with references, such as ROUGE-2.
    expected
        "exact" (sampled if there is no closed form), "sampled", "published" (one sampled text), or
        for BERTScore "best" and "worst".
    length
        The length of random texts: that of the "reference", of the "candidate", or a number of words.
    upper
        "ideal" (1), "oracle" (the best extract) or "human" (each reference scored against the others).
    seed, samples
        Seed and number of random texts for values without a closed form.
    threads
        Number of threads; 0 uses all cores.
    references, sources
        References and sources {item: …}, if `texts` is a dictionary {system: {item: text}}.

    Returns
    -------
    TextChances
        Expected value, standard deviation and upper bound of each text; NaN without source or reference.

    Raises
    ------
    MeasureError
        If the measure is unknown, or has no score under chance.
    OptionError
        If an option has an unknown value.
    DataError
        If the texts cannot be read, or do not fit together with the references and sources.

    Examples
    --------
    >>> import tare
    >>> row = {"text": "a b", "references": ["a b c"], "source": "a b"}
    >>> found = tare.chance.text_chances([row], "ROUGE-1.r")
    >>> round(float(found.expected[0]), 4), float(found.upper[0])
    (0.5833, 1.0)
    """
    given = read_summaries(texts, references=references, sources=sources)
    wanted = parse(measure)
    cells = Cells.of(given)
    evaluation = TextEvaluation(cells, [wanted], threads, seed=seed, samples=samples)
    text = RandomText(expected, length)
    return text_chances_of(evaluation, wanted, text, upper, variance=True)


def text_chances_of(
    evaluation: TextEvaluation,
    measure: Measure,
    text: RandomText,
    upper: str,
    *,
    expected: bool = True,
    variance: bool = False,
    bound: bool = True,
) -> TextChances:
    """Return the chances of a measure of texts for an evaluation; expected value, variance and bound only on request."""
    provider = provider_of(measure)
    choose("expected", text.expected, provider.ways())
    choose("upper", upper, UPPER)
    key = (measure, text, variance)
    nothing = np.full(len(evaluation.cells.candidates), np.nan)
    found = Moments(nothing, np.zeros(len(nothing)), nothing)
    if expected:
        found = evaluation.shared(
            ("moments", key),
            lambda: provider.moments(evaluation, measure, text, variance=variance),
        )
    best = np.ones(len(nothing))
    if bound:
        best = evaluation.shared(
            ("upper", measure, upper), lambda: upper_bound(evaluation, measure, upper)
        )
    if expected:
        best = np.where(np.isnan(found.expected), np.nan, best)
    low = measure.definition.bounds[0]
    return TextChances(
        measure,
        text,
        evaluation.cells.systems,
        evaluation.cells.items,
        found.expected,
        np.nan_to_num(found.expected_error),
        found.variance,
        best,
        None if low is None else np.full(len(best), low),
    )


def text_p_values(
    evaluation: TextEvaluation, measure: Measure, text: RandomText, observed: Values
) -> tuple[Values, Values]:
    """Return P(a random text scores at least as high) and its error for each text, from sampled texts."""
    return provider_of(measure).tails(evaluation, measure, text, observed)


def provider_of(measure: Measure) -> TextChance:
    """Return the object that computes the chance of a text measure."""
    if measure.definition.wraps:
        raise MeasureError(f"{measure} is already derived from chance; give the measure inside it.")
    provider = measure.definition.text_chance
    if provider is None and measure.definition.without_net:
        raise MeasureError(
            f"{measure} has no score under chance, because {measure.definition.without_net}."
        )
    if provider is None:
        raise MeasureError(
            f"{measure}: the score under chance is known only for measures that compare a text with "
            "references, such as ROUGE and BERTScore. Use the measure itself."
        )
    return provider


def upper_findings(
    evaluation: TextEvaluation, wrapper: Measure, found: TextChances, scores: Values, upper: str
) -> list[CellFinding]:
    """Report texts that score above the upper bound."""
    if upper == "ideal":
        return []
    above = np.flatnonzero(scores > found.upper + 1e-9)
    what = "the best extract of the source" if upper == "oracle" else "people do"
    message = f"{{count}} texts score higher than {what}; {wrapper} is above 1 there."
    kind = "above the upper bound"
    return [CellFinding(kind, message, (above,), severity="note", named=False)]
