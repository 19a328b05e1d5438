"""Upper bounds of text measures: 1, the score of people, or the score of the best extract of the source (the extractive oracle)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text
from tare._measures.measure import Measure
from tare._measures.names import parse
from tare._measures.text.cells import Cells, TextEvaluation
from tare._measures.text.findings_by_cell import CellFinding
from tare._measures.text.sentences import split_all
from tare._result import Result, Row, Rows
from tare._tables import Column, Table
from tare.errors import MeasureError, MismatchError, OptionError, choose

__all__ = ["METHODS", "UPPER", "Extracts", "extractive_oracle", "extracts_of", "upper_bound"]


# The extractive oracle: the best summary that consists of sentences of the source.


Method = Literal["greedy", "exact"]
METHODS: tuple[Method, ...] = ("greedy", "exact")
MAX_SUBSETS = 1 << 16

Picks = tuple[int, ...]
Score = Callable[[list[Text], list[tuple[Text, ...]]], Any]


@dataclass(frozen=True, repr=False)
class Extracts(Result):
    """The best extract of each source.

    Attributes
    ----------
    measure, method
        The measure that is maximised, and how.
    items
        The ids of the sources.
    texts, places
        The sentences of each extract, and their positions in the source, from 0.
    values
        The score of each extract.
    """

    measure: Measure
    method: str
    items: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    places: tuple[Picks, ...]
    values: tuple[float, ...]

    def answer(self) -> str:
        """Return the mean score of the best extracts."""
        mean = sum(self.values) / len(self.values) if self.values else float("nan")
        return (
            f"The best extract of whole sentences scores {mean:.3f} by {self.measure}, on average over "
            f"{len(self.items):,} sources ({self.method})."
        )

    def rows(self) -> Rows:
        """Return one dictionary per source."""
        cells = zip(self.items, self.values, self.places, self.texts, strict=True)
        return [
            {"item": item, "value": value, "sentences": list(places), "text": "\n".join(text)}
            for item, value, places, text in cells
        ]

    def facts(self) -> Row:
        """Return measure and method."""
        return {"measure": str(self.measure), "method": self.method}

    def table(self) -> Table:
        """Return a table with one row per source."""
        rows = [
            (item, value, " ".join(str(p + 1) for p in places))
            for item, value, places in zip(self.items, self.values, self.places, strict=True)
        ]
        note = f"The extract of whole sentences with the best {self.measure} ({self.method})."
        return Table.of(["item", Column(str(self.measure)), "sentences"], rows, notes=[note])


def extractive_oracle(
    sources: Sequence[Text],
    references: Sequence[Sequence[Text]],
    measure: str | Measure = "ROUGE-1",
    *,
    method: Method = "greedy",
    most: int | None = None,
    items: Sequence[str] | None = None,
    threads: int = 0,
) -> Extracts:
    """Find the best extract of each source against its references.

    Parameters
    ----------
    sources
        The source texts: strings, or lists of sentences.
    references
        The references of each source.
    measure
        A measure that compares texts with references.
    method
        "greedy" adds the sentence that improves the score most until none does; "exact" tries every
        set of sentences, and raises an error if there are too many.
    most
        The largest number of sentences in an extract.
    items
        The ids of the sources; by default 1, 2, 3, …
    threads
        Number of threads; 0 uses all cores.

    Returns
    -------
    Extracts
        The sentences, their positions and the score of each extract.

    Raises
    ------
    MeasureError
        If the measure is unknown or does not compare texts with references.
    MismatchError
        If there are not as many references as sources.
    OptionError
        If `method` is unknown, `most` is below 1, or a source has too many extracts for "exact".

    Examples
    --------
    >>> import tare
    >>> found = tare.extractive_oracle(["It rained. A cat sat here. It ran."], [["a cat sat"]])
    >>> found.texts[0], round(found.values[0], 3)
    (('A cat sat here.',), 0.857)
    """
    choose("method", method, METHODS)
    wanted = parse(measure)
    if wanted.definition.family != "text" or wanted.definition.needs != "references":
        raise MeasureError(
            f"{wanted} does not compare texts with references; use ROUGE-1, for example."
        )
    if len(sources) != len(references):
        raise MismatchError(
            f"{len(sources):,} sources and references of {len(references):,} items; both need the same number."
        )
    if most is not None and most < 1:
        raise OptionError(f"most={most} is not possible; an extract has at least one sentence.")
    names = tuple(map(str, items if items is not None else range(1, len(sources) + 1)))
    nobody = np.zeros(0, dtype=bool)
    empty = Cells((), (), nobody, [], [], [], [], [], nobody)
    evaluation = TextEvaluation(empty, [wanted], threads)
    found = extracts_of(evaluation, wanted, sources, references, method=method, most=most)
    texts, places, values = zip(*found, strict=True) if found else ((), (), ())
    return Extracts(wanted, method, names, texts, places, values)


def extracts_of(
    evaluation: TextEvaluation,
    measure: Measure,
    sources: Sequence[Text],
    references: Sequence[Sequence[Text]],
    *,
    method: str = "greedy",
    most: int | None = None,
) -> list[tuple[tuple[str, ...], Picks, float]]:
    """Return text, places and value of the best extract of each source, for the oracle's upper bound."""
    sentences = [tuple(split_all([source], "rules")[0]) for source in sources]
    groups = [tuple(group) for group in references]

    def score(texts: list[Text], held: list[tuple[Text, ...]]) -> Any:
        return evaluation.rescored(measure, texts, held)

    search = _greedy if method == "greedy" else _exact
    found = search(sentences, groups, most, score)
    return [
        (tuple(own[i] for i in picks), picks, value)
        for own, (picks, value) in zip(sentences, found, strict=True)
    ]


def _greedy(
    sentences: list[tuple[str, ...]], groups: list[tuple[Text, ...]], most: int | None, score: Score
) -> list[tuple[Picks, float]]:
    best: list[tuple[Picks, float]] = [((), float("nan")) for _ in sentences]
    going = [i for i, own in enumerate(sentences) if own and groups[i]]
    while going:
        tried = [
            (i, tuple(sorted((*best[i][0], j))))
            for i in going
            for j in range(len(sentences[i]))
            if j not in best[i][0]
        ]
        if not tried:
            break
        values = score(
            [tuple(sentences[i][j] for j in picks) for i, picks in tried],
            [groups[i] for i, _ in tried],
        )
        better = _improved(best, tried, values)
        going = [i for i in going if i in better and len(best[i][0]) < (most or len(sentences[i]))]
    return best


def _improved(
    best: list[tuple[Picks, float]], tried: list[tuple[int, Picks]], values: Any
) -> set[int]:
    """Replace the best extracts by better ones that were tried; return the sources that improved."""
    better: set[int] = set()
    for (i, picks), value in zip(tried, values.tolist(), strict=True):
        if np.isnan(best[i][1]) or value > best[i][1] + 1e-12:
            best[i] = (picks, value)
            better.add(i)
    return better


def _exact(
    sentences: list[tuple[str, ...]], groups: list[tuple[Text, ...]], most: int | None, score: Score
) -> list[tuple[Picks, float]]:
    best: list[tuple[Picks, float]] = [((), float("nan")) for _ in sentences]
    for i, own in enumerate(sentences):
        top = min(most or len(own), len(own))
        count = sum(comb(len(own), k) for k in range(1, top + 1))
        if count > MAX_SUBSETS:
            raise OptionError(
                f"source {i + 1} has {len(own)} sentences and {count:,} extracts, which are too many; "
                "limit them with most=, or use method='greedy'."
            )
        tried = [(i, p) for k in range(1, top + 1) for p in combinations(range(len(own)), k)]
        if tried and groups[i]:
            texts: list[Text] = [tuple(own[j] for j in picks) for _, picks in tried]
            _improved(best, tried, score(texts, [groups[i]] * len(texts)))
    return best


# Upper bounds of text measures: 1, the score of the best extract, or the score of people.


Values = NDArray[np.float64]
UPPER = ("ideal", "oracle", "human")
Key = tuple[Text | None, tuple[Text, ...]]


def upper_bound(evaluation: TextEvaluation, measure: Measure, way: str) -> Values:
    """Return the upper bound of a text measure for each text; NaN if there is none.

    ideal: the largest value of the measure, 1 for most. oracle: the score of the greedy extract of
    the source. human: the mean score of each reference against the others.
    """
    cells = evaluation.cells
    if way == "ideal":
        high = measure.definition.bounds[1]
        if high is None:
            raise MeasureError(f"{measure} has no largest value; use upper=oracle or upper=human.")
        return np.where(cells.has("references"), high, np.nan)
    if way == "oracle":
        return _by_key(evaluation, lambda keys: _oracle(evaluation, measure, keys))
    found = _by_key(evaluation, lambda keys: _human(evaluation, measure, keys))
    alone = np.flatnonzero(np.isnan(found) & cells.has("references"))
    message = "{count} texts have only one reference, so upper=human has no value there."
    finding = CellFinding("one reference", message, (alone,), named=False)
    evaluation.set_facts(measure, evaluation.facts(measure), [finding])
    return found


def _by_key(evaluation: TextEvaluation, bounds: Callable[[list[Key]], Values]) -> Values:
    """Compute the upper bound of each distinct source and references once."""
    cells = evaluation.cells
    keys = list(zip(cells.sources, cells.references, strict=True))
    distinct = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    found = bounds(list(distinct))
    return np.array([found[distinct[key]] for key in keys])


def _oracle(evaluation: TextEvaluation, measure: Measure, keys: list[Key]) -> Values:
    sources = [source or "" for source, _ in keys]
    found = extracts_of(evaluation, measure, sources, [group for _, group in keys])
    return np.array([value for _, _, value in found])


def _human(evaluation: TextEvaluation, measure: Measure, keys: list[Key]) -> Values:
    several = [k for k, (_, group) in enumerate(keys) if len(group) > 1]
    pairs = [
        (group[i], group[:i] + group[i + 1 :])
        for group in (keys[k][1] for k in several)
        for i in range(len(group))
    ]
    out = np.full(len(keys), np.nan)
    if not pairs:
        return out
    everyone = np.ones(len(pairs), dtype=bool)
    values = iter(
        evaluation.rescored(measure, [p[0] for p in pairs], [p[1] for p in pairs], everyone)
    )
    for k in several:
        out[k] = float(np.mean([next(values) for _ in keys[k][1]]))
    return out
