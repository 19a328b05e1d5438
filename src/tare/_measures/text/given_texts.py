"""Texts to score: in memory, or in a file that is read piece by piece."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

from tare._data.findings import Finding
from tare._data.summaries import Summaries, summaries_between
from tare._data.summary_outline import FileOutline, outline_of, piece_outline
from tare._data.summary_pieces import SummaryFile, SummaryPiece, summaries_of_piece
from tare._kernels.seams import seams
from tare._measures.engine import TextEngine
from tare._measures.text.cells import grid_of
from tare._measures.text.grid import CellPart, TextGrid

__all__ = ["FileTexts", "GivenTexts", "HeldTexts", "TextPart", "given_texts"]


@dataclass(frozen=True)
class TextPart:
    """Some cells and the rows that they are made from: texts, or a piece of a file."""

    number: int
    cells: CellPart = field(repr=False)
    rows: Summaries | SummaryPiece = field(repr=False)

    def summaries(self) -> Summaries:
        """Return the rows."""
        return self.rows if isinstance(self.rows, Summaries) else summaries_of_piece(self.rows)

    def __str__(self) -> str:
        if isinstance(self.rows, Summaries):
            return f"{self.rows.name}, part {self.number + 1}"
        return str(self.rows)


class GivenTexts(Protocol):
    """Texts to score, and everything about them but the texts."""

    name: str
    grid: TextGrid
    findings: tuple[Finding, ...]
    digest: str

    def has(self, need: str) -> bool:
        """Return whether a text has what a measure needs."""
        ...

    def parts(self) -> list[TextPart]:
        """Return the texts in parts, which together have every cell once."""
        ...


class HeldTexts:
    """Texts in memory."""

    def __init__(self, texts: Summaries) -> None:
        self.texts = texts
        self.name, self.findings = texts.name, texts.findings
        self.grid, self.digest = grid_of(texts), texts.digest

    def has(self, need: str) -> bool:
        """Return whether a text has what a measure needs."""
        columns = {"references": "references", "source": "sources", "base": "base", "scus": "scus"}
        return need == "texts" or any(getattr(self.texts, columns[need]))

    def parts(self) -> list[TextPart]:
        """Return parts of about the same number of rows."""
        most = seams().part_texts
        edges = [*range(0, len(self.texts), most), len(self.texts)]
        cells = self.grid.parts(edges)
        rows = [summaries_between(self.texts, start, stop) for start, stop in pairwise(edges)]
        return [TextPart(k, *pair) for k, pair in enumerate(zip(cells, rows, strict=True))]


class FileTexts:
    """Texts in a file, of which only the outline is in memory."""

    def __init__(self, file: SummaryFile, pieces: list[SummaryPiece], outline: FileOutline) -> None:
        self.file = file
        self.pieces = pieces
        self.name, self.findings, self.digest = outline.name, outline.findings, outline.digest
        known = bool(outline.authors)
        self.grid = TextGrid.of(outline.systems, outline.items, outline.authors, known=known)
        self._has, self._edges = outline.has, outline.edges

    def has(self, need: str) -> bool:
        """Return whether a text has what a measure needs."""
        return need == "texts" or need in self._has

    def parts(self) -> list[TextPart]:
        """Return one part per piece of the file."""
        cells = self.grid.parts(self._edges)
        found = enumerate(zip(cells, self.pieces, strict=True))
        return [TextPart(k, *pair) for k, pair in found if len(pair[0].places)]


def given_texts(texts: Summaries | SummaryFile, engine: TextEngine | None) -> GivenTexts:
    """Return the texts; a file is read in pieces on the engine, to make its outline."""
    if isinstance(texts, Summaries):
        return HeldTexts(texts)
    if engine is not None:
        pieces = texts.pieces(engine.memory, engine.workers)
        what = f"{texts.name}: reading"
        with texts.unchanged():
            outlines = engine.map_partitions(piece_outline, None, pieces, what=what)
            outline = outline_of(texts, pieces, outlines)
        if outline is not None:
            return FileTexts(texts, pieces, outline)
    return HeldTexts(texts.read())
