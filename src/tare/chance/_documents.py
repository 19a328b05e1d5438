"""Kinds of documents: those whose words are alike, and those whose words are not (Feng 2023, ch. 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.summaries import read_summaries
from tare._measures.measure import Measure
from tare._measures.moments import RandomText
from tare._measures.names import parse
from tare._measures.text.evaluation import Cells, TextEvaluation
from tare.errors import MeasureError, OptionError

if TYPE_CHECKING:
    import polars as pl

    from tare._tables import Table

__all__ = ["DocumentKinds", "document_kinds", "document_kinds_of"]

Values = NDArray[np.float64]


@dataclass(frozen=True)
class DocumentKinds:
    """Documents by how much it matters which of their words a text takes, the least first.

    best, worst: the score of the k tokens most and least similar to the document; sensitivity: the
    distance between the two. similarity, dispersion: mean and deviation of the cosine between the
    document's tokens and the document.
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
        """|best − worst|, ascending."""
        return np.abs(self.best - self.worst)

    @property
    def heterogeneous(self) -> tuple[str, ...]:
        """The first documents."""
        return self.items[: self.size]

    @property
    def homogeneous(self) -> tuple[str, ...]:
        """The last documents."""
        return self.items[len(self.items) - self.size :]

    def kind(self, item: str) -> str:
        """heterogeneous, homogeneous or neither."""
        if item in self.heterogeneous:
            return "heterogeneous"
        return "homogeneous" if item in self.homogeneous else ""

    def to_frame(self) -> pl.DataFrame:
        """A polars frame, one row a document, ready to plot."""
        import polars as pl

        return pl.DataFrame(
            {
                "item": list(self.items),
                "best": self.best,
                "worst": self.worst,
                "sensitivity": self.sensitivity,
                "similarity": self.similarity,
                "dispersion": self.dispersion,
                "kind": [self.kind(item) for item in self.items],
            }
        )

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """{document: {best: …, sensitivity: …, kind: …}}."""
        return {row.pop("item"): row for row in self.to_frame().to_dicts()}

    def table(self) -> Table:
        """One row a document."""
        from tare._tables import Column, Table

        frame = self.to_frame()
        columns = [
            Column("item", align="left"),
            *(Column(c) for c in frame.columns[1:-1]),
            Column("kind", align="left"),
        ]
        note = (
            f"{self.measure} of the k tokens most and least similar to the document, "
            f"k = {self.length}; the {self.size} documents where that matters least are called "
            "heterogeneous, those where it matters most homogeneous."
        )
        return Table.of(columns, frame.rows(), notes=[note])

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().to_html()


def document_kinds(
    texts: Any,
    measure: str | Measure = "BERTScore",
    *,
    size: int = 20,
    length: str | int = "reference",
    references: Any = None,
    sources: Any = None,
) -> DocumentKinds:
    """Sorts documents by |score of their k most similar tokens − score of their k least similar|.

    texts: what `read_summaries` takes or returns, with references and sources; those of a dictionary
    {system: {item: text}} are `references` and `sources`, {item: …}. Of several systems on a document
    the first counts. `size` documents at either end have a kind.
    """
    given = read_summaries(texts, references=references, sources=sources)
    wanted = parse(measure)
    return document_kinds_of(TextEvaluation(Cells.of(given), [wanted]), wanted, size, length)


def document_kinds_of(
    evaluation: TextEvaluation, measure: Measure, size: int, length: str | int
) -> DocumentKinds:
    """The same for an evaluation that has embedded the texts already."""
    from tare._measures.text.embedding.bertscore_chance import ranked_sources
    from tare._measures.text.embedding.bertscore_measures import encoder_of

    provider = measure.definition.text_chance
    if provider is None or "best" not in provider.ways():
        raise MeasureError(f"{measure} knows no similarity of words; take BERTScore.")
    cells = evaluation.cells
    if not 0 < size <= len(cells.items) // 2:
        raise OptionError(
            f"size={size} is not possible: {len(cells.items)} documents have two ends of at most "
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
    # In six decimals, so that the order does not hang on how texts were batched.
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
