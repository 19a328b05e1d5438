"""Content units of pyramids as nuggets: the weight is the importance, a contributor the assignment."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from tare._data import frames
from tare._data.answers.assignments import AnswerKey, Assignments
from tare._data.answers.nuggets import Nugget
from tare._data.pyramid import PeerAnnotation, Pyramid
from tare._data.rows import TABLES
from tare._data.scus import read_scus
from tare._files.opening import STDIN, name_of, plain_suffix
from tare.errors import FormatError

__all__ = ["add_units", "are_units"]

XML = (".pyr", ".pan")


def are_units(source: Any) -> bool:
    """Return whether a source holds content units: pyramids, annotated peers, or scu and present."""
    if isinstance(source, Pyramid | PeerAnnotation):
        return True
    if isinstance(source, str | os.PathLike):
        suffix = plain_suffix(source)
        if suffix in XML:
            return True
        if os.fspath(source) == STDIN or suffix not in TABLES or suffix in (".jsonl", ".ndjson"):
            return False
        return _has_presence(TABLES[suffix].read(source).columns)
    if frames.is_frame(source):
        return _has_presence(frames.to_polars(source).columns)
    if isinstance(source, Mapping) or not isinstance(source, Iterable):
        return False
    parts = list(source)
    return bool(parts) and not isinstance(parts[0], Mapping) and all(map(are_units, parts))


def _has_presence(columns: Iterable[str]) -> bool:
    return {"scu", "present"} <= {column.strip().lower() for column in columns}


def add_units(found: Assignments, source: Any) -> str:
    """Add content units and what was found of them; return the name of the source."""
    for one in read_scus(source):
        pyramid = one.pyramid if isinstance(one, PeerAnnotation) else one
        try:
            for scu in pyramid.scus:
                found.lists.add(one.item, Nugget(scu.id, scu.label, weight=float(scu.weight)))
        except ValueError as error:
            raise FormatError(f"{error}.") from None
        if not isinstance(one, PeerAnnotation):
            continue
        key = AnswerKey(one.system, one.item, "", one.item)
        if key in found.credits:
            raise FormatError(f"a second annotation of {one.system!r} for item {one.item!r}.")
        found.credits[key] = {scu.id: float(scu.id in one.found) for scu in pyramid.scus}
    if isinstance(source, str | os.PathLike):
        return name_of(source)
    return "content units"
