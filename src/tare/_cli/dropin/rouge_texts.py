"""Texts of peers and models, the settings that name them, and basic elements, in the formats of ROUGE-1.5.5."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from tare._data.safe_xml import parse
from tare._measures.text.profiles import Profile
from tare.errors import FormatError, UnreadableError

__all__ = [
    "Evaluation",
    "Texts",
    "count_elements",
    "elements_of",
    "read_elements",
    "read_file",
    "read_list",
    "read_settings",
    "sentences_of",
]


# Settings: the files of peers and models of each evaluation, from XML or from a list.


BLANK = " \t\n\r\f\v"
FORMATS = ("SEE", "SPL", "ISI", "SIMPLE")


@dataclass
class Evaluation:
    """One EVAL of ROUGE's settings: {peer: path} and the paths of its models, repeated if the settings repeat them."""

    id: str
    format: str = ""
    peers: dict[str, bytes] = field(default_factory=dict)
    models: list[bytes] = field(default_factory=list)


@dataclass
class _Parts:
    """An EVAL of ROUGE's settings while it is read: the roots may come before or after the files."""

    format: str = ""
    peer_root: str = ""
    model_root: str = ""
    peers: dict[str, str] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)


def read_file(path: bytes) -> bytes:
    """Return the bytes of a file."""
    try:
        return sys.stdin.buffer.read() if path == b"-" else Path(os.fsdecode(path)).read_bytes()
    except OSError as error:
        name = path.decode(errors="replace")
        raise UnreadableError(f"{name} cannot be read: {error.strerror}.") from None


def read_list(path: bytes, system: str, form: str) -> list[Evaluation]:
    """Read ROUGE's evaluations from a list of files, numbered from 1; every line has a peer and its models."""
    found: list[Evaluation] = []
    name = path.decode(errors="replace")
    for number, line in enumerate(read_file(path).split(b"\n"), 1):
        files = line.split()
        if not files or line.startswith(b"#"):
            continue
        if len(files) < 2:
            raise FormatError(
                f"{name}, line {number}: expected a peer and at least one model, found 1 file."
            )
        found.append(Evaluation(str(len(found) + 1), form, {system: files[0]}, files[1:]))
    return found


def read_settings(path: bytes) -> list[Evaluation]:
    """Read evaluations from ROUGE's XML in file order; those with the same ID are merged."""
    name = path.decode(errors="replace")
    parts: dict[str, _Parts] = {}
    _walk(parse(read_file(path), name), None, parts, name)
    return [
        Evaluation(
            key,
            part.format,
            {peer: f"{part.peer_root}/{file}".encode() for peer, file in part.peers.items()},
            [f"{part.model_root}/{part.models[model]}".encode() for model in part.order],
        )
        for key, part in parts.items()
    ]


def _walk(node: Element, inside: _Parts | None, parts: dict[str, _Parts], name: str) -> None:
    tag = node.tag.upper()
    if tag == "EVAL":
        inside = parts.setdefault(_attribute(node, "ID", name), _Parts())
    elif tag in READERS:
        if inside is None:
            raise FormatError(f"{name}: <{node.tag}> is outside an <EVAL>.")
        READERS[tag](node, inside, name)
        return
    for child in node:
        _walk(child, inside, parts, name)


def _format(node: Element, part: _Parts, name: str) -> None:
    part.format = _attribute(node, "TYPE", name)
    if part.format.upper() not in FORMATS:
        raise FormatError(
            f"{name}: unknown input format {part.format!r}. Accepted: {', '.join(FORMATS)}."
        )


def _peer_root(node: Element, part: _Parts, name: str) -> None:
    part.peer_root = _text(node)


def _model_root(node: Element, part: _Parts, name: str) -> None:
    part.model_root = _text(node)


def _peers(node: Element, part: _Parts, name: str) -> None:
    for child in _children(node, "P"):
        part.peers[_attribute(child, "ID", name)] = _text(child)


def _models(node: Element, part: _Parts, name: str) -> None:
    for child in _children(node, "M"):
        model = _attribute(child, "ID", name)
        part.models[model] = _text(child)
        part.order.append(model)


READERS: dict[str, Callable[[Element, _Parts, str], None]] = {
    "INPUT-FORMAT": _format,
    "PEER-ROOT": _peer_root,
    "MODEL-ROOT": _model_root,
    "PEERS": _peers,
    "MODELS": _models,
}


def _children(node: Element, tag: str) -> list[Element]:
    return [child for child in node if child.tag.upper() == tag]


def _attribute(node: Element, key: str, name: str) -> str:
    value = node.get(key)
    if value is None:
        raise FormatError(f"{name}: <{node.tag}> has no attribute {key}.")
    return value


def _text(node: Element) -> str:
    return re.sub(rf"^[{BLANK}]+|[{BLANK}]+$", "", node.text or "")


# Texts of peers and models, split into sentences, in the formats of ROUGE-1.5.5.


SEE = re.compile(
    rb'<a (?:size="[0-9]+" )?name="[0-9]+">\[[0-9]+\]</a>\s+<a href="#[0-9]+" id=[0-9]+>([^<]+)'
)
ISI = re.compile(rb'<S SNTNO="[0-9a-z,]+">([^<]+)</S>')
# ROUGE-1.5.5 reads bytes; each one outside ASCII becomes a blank. "_" has the same effect and keeps -b.
BYTES = bytes(32 if b == 10 else b if b < 128 else 95 for b in range(256))
BLANKS = " \t\n\r\f\v"


class Texts:
    """Sentences of ROUGE's peers and models by path and format; each file is read once."""

    def __init__(self) -> None:
        self._known: dict[tuple[bytes, str], list[str]] = {}

    def of(self, path: bytes, form: str) -> list[str]:
        """Return the sentences of a file."""
        key = (path, form.upper())
        if key not in self._known:
            self._known[key] = sentences_of(read_file(path), form, path.decode(errors="replace"))
        return self._known[key]


def sentences_of(data: bytes, form: str, name: str) -> list[str]:
    """Return the sentences of a text in a format of ROUGE, as ASCII characters of one byte each."""
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


# Basic elements: lines head|modifier|relation, and which of them each mode counts.


LETTERS = re.compile(rb"[a-z0-9]")
BLANK_BYTES = re.compile(rb"\s+")


def read_elements(path: bytes, form: str) -> list[bytes]:
    """Read the basic elements in the lines of a file; the format ISI is a placeholder in ROUGE-1.5.5 and has no elements."""
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
    """Return the basic elements that a mode of ROUGE-BE counts; each byte becomes one character."""
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
    """Return clipped matches of basic elements, and the number of elements of peer and model."""
    shared = Counter(peer) & Counter(model)
    return float(shared.total()), float(len(peer)), float(len(model))


def _lower(line: bytes) -> bytes:
    return line.lower()  # for bytes, this affects ASCII only


def _stemmed(words: bytes, profile: Profile) -> bytes:
    """Stem every word of a basic element, however short, if the whole is longer than 3 bytes."""
    if len(words) <= 3:
        return words
    parts = BLANK_BYTES.split(words)
    while parts and not parts[-1]:
        parts.pop()
    return b" ".join(_stem(part, profile) if LETTERS.search(part) else part for part in parts)


def _stem(word: bytes, profile: Profile) -> bytes:
    try:
        return profile.kernel.stem(word.decode()).encode()
    except UnicodeDecodeError:  # not UTF-8; no rule of the stemmer applies to such a letter
        return profile.kernel.stem(word.decode("latin-1")).encode("latin-1")
