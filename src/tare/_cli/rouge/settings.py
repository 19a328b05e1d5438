"""Settings: the files of peers and models of each evaluation, from XML or from a list."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from tare._data.safe_xml import parse
from tare.errors import FormatError, UnreadableError

__all__ = ["Evaluation", "read_file", "read_list", "read_settings"]

BLANK = " \t\n\r\f\v"
FORMATS = ("SEE", "SPL", "ISI", "SIMPLE")


@dataclass
class Evaluation:
    """One EVAL: {peer: path} and the paths of its models, repeated if the settings repeat them."""

    id: str
    format: str = ""
    peers: dict[str, bytes] = field(default_factory=dict)
    models: list[bytes] = field(default_factory=list)


@dataclass
class _Parts:
    """An EVAL while it is read: the roots may come before or after the files."""

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
    """Read evaluations from a list of files, numbered from 1; every line has a peer and its models."""
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
