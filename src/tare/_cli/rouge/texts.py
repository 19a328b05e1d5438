"""Texts of peers and models, split into sentences, in the formats of ROUGE-1.5.5."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tare._cli.rouge.settings import read_file
from tare.errors import FormatError

__all__ = ["Texts", "sentences_of"]

SEE = re.compile(
    rb'<a (?:size="[0-9]+" )?name="[0-9]+">\[[0-9]+\]</a>\s+<a href="#[0-9]+" id=[0-9]+>([^<]+)'
)
ISI = re.compile(rb'<S SNTNO="[0-9a-z,]+">([^<]+)</S>')
# ROUGE-1.5.5 reads bytes; each one outside ASCII becomes a blank. "_" has the same effect and keeps -b.
BYTES = bytes(32 if b == 10 else b if b < 128 else 95 for b in range(256))
BLANKS = " \t\n\r\f\v"


class Texts:
    """Sentences by path and format; each file is read once."""

    def __init__(self) -> None:
        self._known: dict[tuple[bytes, str], list[str]] = {}

    def of(self, path: bytes, form: str) -> list[str]:
        """Return the sentences of a file."""
        key = (path, form.upper())
        if key not in self._known:
            self._known[key] = sentences_of(read_file(path), form, path.decode(errors="replace"))
        return self._known[key]


def sentences_of(data: bytes, form: str, name: str) -> list[str]:
    """Return the sentences of a text, as ASCII characters of one byte each."""
    found: Iterator[bytes]
    lines = data.split(b"\n")
    match form.upper():
        case "SPL":
            found = (line for line in lines if line)
        case "SEE" | "ISI":
            pattern = SEE if form.upper() == "SEE" else ISI
            ended = [*(line + b"\n" for line in lines[:-1]), lines[-1]]
            found = (match.group(1) for line in ended if (match := pattern.match(line)))
        case "SIMPLE":
            raise FormatError(
                f"{name}: the format SIMPLE contains basic elements, which only -3 scores. Remove -n, -w "
                "and -2, or name the format of the texts: SPL, SEE or ISI."
            )
        case _:
            raise FormatError(
                f"{name}: unknown input format {form!r}. Accepted: SPL, SEE and ISI for texts, "
                "SIMPLE for basic elements."
            )
    return [sentence.translate(BYTES).decode("ascii") for sentence in found]
