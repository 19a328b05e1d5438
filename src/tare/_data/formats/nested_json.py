"""JSON of pairs, {query: {document: number}}: BEIR, pytrec_eval, ranx, and the predictions of MTEB.

The compiled core reads the text in blocks. Names above the query, such as the subset and split of MTEB's
predictions or the name of a system, make separate parts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tare._data.findings import Finding
from tare._data.pairs import Value, read_pairs, repeats
from tare._files.opening import PathLike, blocks, name_of, read_all
from tare._kernels import JsonReading, Rows, read_json_pairs
from tare._plain_text import LONE_SURROGATE, plain
from tare.errors import FormatError

__all__ = ["Part", "only", "read"]

META = "mteb_model_meta"
SHAPE = {
    "grade": "Expected {query: {document: grade}} or {query: [relevant documents]}.",
    "score": "Expected {query: {document: score}} or {query: [documents, best first]}.",
}

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Part:
    """The rows below the same names."""

    names: tuple[str, ...]
    rows: Rows
    system: str | None = None
    findings: list[Finding] = field(default_factory=list)
    unique: bool = False

    @property
    def label(self) -> str:
        """The names, as a path."""
        return "/".join(self.names)


def only(parts: Sequence[T], name: str, labels: Sequence[str] | None = None) -> T:
    """Return the only part of a JSON file of pairs; raise an error that lists its parts if there are several."""
    if len(parts) == 1:
        return parts[0]
    named = labels or [getattr(part, "system", str(part)) for part in parts]
    shown = ", ".join(map(repr, named[:5])) + (", …" if len(named) > 5 else "")
    raise FormatError(
        f"{name}: {len(parts)} parts found ({shown}), and one is needed. Give a file with one of them; "
        "tare.read_runs reads all parts of a file of runs."
    )


def read(source: PathLike, value: Value) -> tuple[list[Part], list[Finding]]:
    """Read the parts of a JSON file of pairs, and findings; `value` is "score" or "grade"."""
    name = name_of(source)
    reading = read_json_pairs(blocks(source), ranked=value != "grade", about=META)
    if reading.fault:
        raise FormatError(_message(name, reading, value))
    if reading.other:
        return _of_object(source, name, value)
    if not any(len(rows) for _, rows in reading.parts):
        raise FormatError(f"{name}: no pairs found; the file is empty. {SHAPE[value]}")
    model = _model(reading.about)
    parts = [Part(tuple(names), rows, model) for names, rows in reading.parts]
    what = "[documents]" if reading.lists else "{document: " + value + "}"
    if reading.about:
        message = f"{name}: recognised predictions of MTEB" + (
            f" for {plain(model)}" if model else ""
        )
        message += f" ({plain(', '.join(part.label for part in parts[:5]))})."
    else:
        above = f" below {len(parts):,} names" if len(parts) > 1 else ""
        message = f"{name}: recognised JSON {{query: {what}}}{above}."
    findings = [Finding("input", message, severity="note")]
    if reading.repeats:
        findings.append(repeats(name, reading.repeats, [f"{q} {d}" for q, d in reading.repeated]))
    return parts, findings


def _of_object(source: PathLike, name: str, value: Value) -> tuple[list[Part], list[Finding]]:
    """Read a JSON file that is not a dictionary of pairs, such as a list of rows."""
    try:
        found: Any = json.loads(read_all(source))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name}: not valid JSON ({error}).") from None
    if not isinstance(found, dict | list):
        raise FormatError(f"{name}: the file holds a {type(found).__name__}. {SHAPE[value]}")
    try:
        read = read_pairs(found, value)
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None
    return [Part((), read.rows, None, read.findings, read.unique)], []


def _model(about: bytes) -> str | None:
    """Return the name of the model in the metadata of MTEB."""
    try:
        found = json.loads(about)
    except (ValueError, RecursionError):
        return None
    named = found.get("model_name", found.get("name")) if isinstance(found, dict) else None
    return named if isinstance(named, str) and named and named.isprintable() else None


def _message(name: str, reading: JsonReading, value: str) -> str:
    where = f"{name}, line {reading.line}, column {reading.column}: "
    detail = plain(reading.detail)
    inside = " of ".join(repr(plain(each)) for each in reversed(reading.path[-2:]))
    match reading.fault:
        case "unexpected":
            return f"{where}not valid JSON; expected {detail}. {SHAPE[value]}"
        case "unterminated":
            return f"{where}the JSON ends too early. Was the file cut off? {SHAPE[value]}"
        case "bad_escape":
            return f"{where}a string contains an escape that JSON does not have."
        case "control":
            return f"{where}a string contains a control character; JSON writes it as an escape."
        case "lone_surrogate":
            return f"{where}a text {LONE_SURROGATE}"
        case "not_utf8":
            return f"{where}the text is not valid UTF-8. Convert the file, e.g. with iconv."
        case "bad_number":
            return f"{where}{detail!r} is not a number in JSON."
        case "non_finite":
            return f"{where}the {value} {detail} of {inside} is not a finite number."
        case "too_deep":
            return f"{where}more than 64 objects and lists inside each other. {SHAPE[value]}"
        case "too_long":
            return f"{where}a text or a number is longer than 1 MiB. {SHAPE[value]}"
        case "repeated_query":
            return f"{where}the query {detail!r} appears twice. Keep one of them."
    raise AssertionError(reading.fault)
