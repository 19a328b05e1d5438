"""Problems, findings and duplicates of the pieces of a file, reported for the whole file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from tare._data.findings import Finding
from tare._data.rows import SHOWN, describe_duplicate, describe_text, raise_sorted, text_findings
from tare._files.opening import name_of
from tare._kernels import TextReading
from tare.engines._parts import LINES, PieceReading
from tare.engines._pieces import TablePiece, TextPiece
from tare.errors import FormatError

__all__ = ["Example", "PieceFindings", "Pieces"]

Pieces = Sequence[TextPiece | TablePiece]
Example = tuple[str, str, int, int]  # query, document, line and earlier line of a duplicate


@dataclass(frozen=True)
class PieceFindings:
    """Findings in the pieces of one file, in their order."""

    name: str
    layout: str
    pieces: Pieces
    parts: Sequence[PieceReading]

    @property
    def reading(self) -> TextReading | None:
        """The joined reading of all pieces of a text."""
        readings = [part.reading for part in self.parts if part.reading is not None]
        return TextReading.joined(readings) if readings else None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(part.rows for part in self.parts)

    def findings(self) -> list[Finding]:
        """Return the findings; those of a table in several files refer to the whole table."""
        reading = self.reading
        if reading is not None:
            return text_findings(reading, self.name, self.layout)
        first = name_of(self.pieces[0].path) if self.pieces else self.name
        found = self.parts[0].findings if self.parts else ()
        return [replace(f, message=f.message.replace(first, self.name, 1)) for f in found]

    def place(self, number: int) -> tuple[str, int]:
        """Return the file and line, or row, of a number that encodes a piece and a line in it."""
        piece, line = self.pieces[number >> LINES], number & ((1 << LINES) - 1)
        if isinstance(piece, TablePiece):
            return name_of(piece.path), line
        lines = [part.reading.lines if part.reading else 0 for part in self.parts]
        return self.name, line + [0, *accumulate(lines)][number >> LINES]

    def refuse(self, duplicates: int, examples: Sequence[Example]) -> None:
        """Raise one error for all problems: bad lines, duplicate documents, no rows."""
        reading = self.reading
        count = duplicates
        messages: list[tuple[int, str]] = []
        for query, document, number, earlier in sorted(examples, key=lambda x: x[2])[:SHOWN]:
            (name, line), (other, first) = self.place(number), self.place(earlier)
            known: int | str = first if other == name else f"{first} of {other}"
            unit = "line" if reading is not None else "row"
            text = describe_duplicate(name, unit, line, query, document, known, self.layout)
            messages.append((number if reading is None else line, text))
        if reading is not None:
            problems, described = describe_text(self.name, reading, self.layout)
            count += problems
            messages += described
        raise_sorted(count, messages)
        if self.rows == 0:
            raise FormatError(
                f"{self.name}: no ranked documents found; the file is empty or contains only comments."
            )
