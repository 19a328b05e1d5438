"""What chance would score on each text: expected value, variance, upper bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._data.summaries import read_summaries
from tare._measures.measure import Measure
from tare._measures.moments import Moments, RandomText, TextChance
from tare._measures.names import parse
from tare._measures.ratio import room_of
from tare._measures.text.bounds import UPPER, upper_bound
from tare._measures.text.evaluation import Cells, TextEvaluation
from tare.errors import MeasureError, choose

if TYPE_CHECKING:
    import polars as pl

    from tare._tables import Table

__all__ = [
    "TextChances",
    "provider_of",
    "text_chances",
    "text_chances_of",
    "text_p_values",
    "told_of",
]

Values = NDArray[np.float64]


@dataclass(frozen=True)
class TextChances:
    """One measure under random texts, cell by cell: systems × items, system by system."""

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
        """U − E; 0 where the two differ by no more than rounding."""
        return room_of(self.expected, self.upper)

    @property
    def defined(self) -> NDArray[np.bool_]:
        """Cells that have an upper bound."""
        return self.upper > 0

    def to_frame(self) -> pl.DataFrame:
        """A polars frame, one row a system and item."""
        import polars as pl

        columns: dict[str, Any] = {
            "system": [s for s in self.systems for _ in self.items],
            "item": list(self.items) * len(self.systems),
            "expected": self.expected,
            "expected_error": self.expected_error,
            "upper": self.upper,
        }
        if self.variance is not None:
            columns["deviation"] = np.sqrt(self.variance)
        return pl.DataFrame(columns).fill_nan(None)

    def to_dict(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """{system: {item: {expected: …, upper: …}}}."""
        out: dict[str, dict[str, dict[str, float | None]]] = {}
        for row in self.to_frame().to_dicts():
            out.setdefault(row.pop("system"), {})[row.pop("item")] = row
        return out

    def table(self) -> Table:
        """One row a system and item."""
        from tare._tables import Column, Table

        frame = self.to_frame()
        columns = [Column(c, align="left") for c in frame.columns[:2]]
        columns += [Column(c) for c in frame.columns[2:]]
        note = (
            f"{self.measure} of a random text of the source's words "
            f"(expected: {self.text.expected}, length: {self.text.length})."
        )
        return Table.of(columns, frame.rows(), notes=[note])

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().to_html()


def text_chances(
    texts: Any,
    measure: str | Measure,
    *,
    expected: str = "exact",
    length: str | int = "reference",
    upper: str = "ideal",
    seed: int = 0,
    samples: int | None = None,
    threads: int = 0,
    references: Any = None,
    sources: Any = None,
) -> TextChances:
    """What a random text of each source's words would score, with variance and upper bound.

    texts: what `read_summaries` takes or returns, with references and sources; those of a dictionary
    {system: {item: text}} are `references` and `sources`, {item: …}.
    expected: "exact" (sampled where there is no closed form), "sampled", "published" (one sampled
    text), for BERTScore "best" and "worst".
    length: of the "reference", of the "candidate", or a number of words.
    upper: "ideal" (1), "oracle" (the best extract) or "human" (references against one another).

    >>> row = {"text": "a b", "references": ["a b c"], "source": "a b"}
    >>> found = text_chances([row], "ROUGE-1.r")
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
    """The same for cells; what costs more is computed only where it is wanted."""
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
        measure, text, evaluation.cells.systems, evaluation.cells.items, found.expected,
        np.nan_to_num(found.expected_error), found.variance, best,
        None if low is None else np.full(len(best), low),
    )  # fmt: skip


def text_p_values(
    evaluation: TextEvaluation, measure: Measure, text: RandomText, observed: Values
) -> tuple[Values, Values]:
    """P(a random text scores at least as high) and its error, cell by cell, from sampled texts."""
    return provider_of(measure).tails(evaluation, measure, text, observed)


def provider_of(measure: Measure) -> TextChance:
    """Who knows what chance makes of a measure of texts."""
    if measure.definition.wraps:
        raise MeasureError(f"{measure} is made of chance already; take the measure inside it.")
    provider = measure.definition.text_chance
    if provider is None:
        raise MeasureError(
            f"{measure}: what chance would score is known for measures that hold a text against "
            "references, such as ROUGE and BERTScore. Ask for the measure itself."
        )
    return provider


def told_of(
    evaluation: TextEvaluation, wrapper: Measure, found: TextChances, scores: Values, upper: str
) -> list[Finding]:
    """What a reader of a normalised score should know."""
    above = int((scores > found.upper + 1e-9).sum())
    if upper == "ideal" or not above:
        return []
    what = "the best extract of its source" if upper == "oracle" else "people do"
    message = f"{above:,} texts score higher than {what}; {wrapper} is above 1 there."
    return [Finding("above the upper bound", message, above, severity="note")]
