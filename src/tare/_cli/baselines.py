"""The systems that --baseline names: by their names in the table, their files or their tags."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tare._data.rows import fields_of, is_trec_text
from tare._data.runs import expand, stem_of
from tare._files.opening import blocks, can_be_read_again
from tare.errors import OptionError

__all__ = ["baselines_of"]

LINE = 10_000  # bytes in which the first line ends
TAG = 5  # the field of a line of a TREC run


def baselines_of(
    given: Sequence[str] | None, systems: Sequence[str], runs: Sequence[str]
) -> list[str] | None:
    """Return the systems that were meant; a name that is not found is returned as it is."""
    if not given:
        return None
    return [name if name in systems else _meant(name, systems, runs) for name in given]


def _meant(name: str, systems: Sequence[str], runs: Sequence[str]) -> str:
    paths = [path for run in runs for path in expand(run)]
    if len(paths) != len(systems):  # a table of runs holds several systems
        return name
    found = [
        system
        for path, system in zip(paths, systems, strict=True)
        if name in (path, Path(path).name, stem_of(path)) or name == _tag_of(path)
    ]
    if len(found) > 1:
        raise OptionError(
            f"--baseline {name} can be {' or '.join(found)}; write the name of one of these systems."
        )
    return found[0] if found else name


def _tag_of(path: str) -> str:
    """Return the tag of the first line of a TREC run; empty if there is none."""
    if not is_trec_text(path) or not can_be_read_again(path):
        return ""
    line = b""
    for block in blocks(path):
        line += block[:LINE].tobytes()
        if b"\n" in line or len(line) >= LINE:
            break
    fields = fields_of(line.partition(b"\n")[0].decode("utf-8", "replace"))
    return fields[TAG] if len(fields) > TAG else ""
