"""Basic elements: lines head|modifier|relation, and which of them each mode counts."""

from __future__ import annotations

import re
from collections import Counter

from tare._cli.rouge.settings import read_file
from tare._measures.text.profiles import Profile
from tare.errors import FormatError

__all__ = ["count_elements", "elements_of", "read_elements"]

LETTERS = re.compile(rb"[a-z0-9]")
BLANKS = re.compile(rb"\s+")


def read_elements(path: bytes, form: str) -> list[bytes]:
    """Read the lines of a file; the format ISI is a placeholder in ROUGE-1.5.5 and has no elements."""
    name = path.decode(errors="replace")
    if form.upper() not in ("SIMPLE", "ISI"):
        raise FormatError(
            f"{name}: basic elements (-3) are read in the format SIMPLE, not {form!r}: lines "
            "head|modifier|relation."
        )
    lines = read_file(path).split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if form.upper() == "ISI":
        return []
    for number, line in enumerate(lines, 1):
        fields = line.rstrip(b"|").count(b"|") + 1 if line.strip(b"|") else 0
        if fields != 3:
            raise FormatError(
                f"{name}, line {number}: expected 3 fields, found {fields}. A basic element is "
                "'head|modifier|relation'."
            )
    return lines


def elements_of(lines: list[bytes], mode: str, profile: Profile) -> list[str]:
    """Return the elements that a mode counts; each byte becomes one character."""
    found = []
    for line in lines:
        head, modifier, relation = _lower(line).split(b"|")[:3]
        plain = modifier
        if profile.stem:
            head, modifier = _stemmed(head, profile), _stemmed(modifier, profile)
        counts = {
            "H": modifier == b"nil",
            "HM": modifier != b"nil",
            "HMR": relation != b"nil",
            "HMR1": plain != b"nil",
        }
        if counts.get(mode, True):
            fields = {"H": [head], "HM": [head, modifier], "HM1": [head, modifier]}
            element = b"|".join(fields.get(mode, [head, modifier, relation]))
            found.append(element.decode("latin-1"))
    return found


def count_elements(peer: list[str], model: list[str]) -> tuple[float, float, float]:
    """Return clipped matches and the number of elements on each side."""
    shared = Counter(peer) & Counter(model)
    return float(shared.total()), float(len(peer)), float(len(model))


def _lower(line: bytes) -> bytes:
    return line.lower()  # for bytes, this affects ASCII only


def _stemmed(words: bytes, profile: Profile) -> bytes:
    """Stem every word, however short, if the whole is longer than 3 bytes."""
    if len(words) <= 3:
        return words
    parts = BLANKS.split(words)
    while parts and not parts[-1]:
        parts.pop()
    return b" ".join(_stem(part, profile) if LETTERS.search(part) else part for part in parts)


def _stem(word: bytes, profile: Profile) -> bytes:
    try:
        return profile.kernel.stem(word.decode()).encode()
    except UnicodeDecodeError:  # not UTF-8; no rule of the stemmer applies to such a letter
        return profile.kernel.stem(word.decode("latin-1")).encode("latin-1")
