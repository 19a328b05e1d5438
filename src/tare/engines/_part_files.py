"""Files of judged parts: what `judge_part` writes and `Parts` reads."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, fields
from typing import Any, NoReturn, cast, get_args

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, Severity
from tare._data.judged import Policies
from tare._files.finished_parts import DAMAGES, read_arrays, write_arrays
from tare._files.opening import name_of
from tare._kernels import JudgedRankings, TextReading
from tare.engines._part_jobs import PartJob, PiecePlace
from tare.engines._parts import JudgedPart
from tare.errors import FormatError, TareError, UnreadableError

__all__ = ["ADVICE", "JudgedPiece", "PartFile", "read_part", "write_part"]

FORMAT = "tare part 1"
ADVICE = "Run `tare part` again for this part."
ARRAYS: dict[str, type[np.generic]] = {
    "offsets": np.int64,
    "ranks": np.int32,
    "codes": np.int32,
    "lows": np.int64,
    "highs": np.int64,
    "retrieved": np.int64,
    "tied": np.int64,
    "present": np.uint8,
}
PLACES = tuple(field.name for field in fields(PiecePlace))
COUNTS = ("unknown", "rows", "duplicates", "examples")


@dataclass(frozen=True)
class JudgedPiece(PiecePlace):
    """A judged piece of a run."""

    part: JudgedPart


@dataclass(frozen=True)
class PartFile:
    """One part of a job: the judged rankings of some queries of every run."""

    job: PartJob
    index: int
    pieces: tuple[JudgedPiece, ...]


def write_part(part: PartFile, path: str | os.PathLike[str]) -> None:
    """Write a part; the file appears only when it is complete."""
    arrays: dict[str, NDArray[Any]] = {}
    pieces = []
    for k, piece in enumerate(part.pieces):
        judged = piece.part
        pieces.append(
            {name: getattr(piece, name) for name in PLACES}
            | {name: getattr(judged, name) for name in COUNTS}
            | {
                "reading": None
                if judged.reading is None
                else asdict(judged.reading) | {"head": judged.reading.head.decode("latin-1")},
                "findings": [asdict(finding) for finding in judged.findings],
            }
        )
        arrays[f"{k}.queries"] = judged.queries
        arrays |= {f"{k}.{name}": getattr(judged.rankings, name) for name in ARRAYS}
    job = part.job
    facts = {"index": part.index, "of": job.of, "qrels": job.qrels, "queries": job.queries}
    facts |= {"format": FORMAT, "policies": asdict(job.policies), "pieces": pieces}
    write_arrays(path, facts, arrays)


def read_part(path: str | os.PathLike[str]) -> PartFile:
    """Read a part; a damaged file raises an error that names it."""
    name = name_of(path)
    try:
        found = read_arrays(path)
        if found is None:
            _refuse(name, "it is damaged, incomplete or no part")
        return _part_of(*found, name)
    except (FormatError, UnreadableError):
        raise
    except TareError as error:
        _refuse(name, f"its content is not that of a part ({error})")
    except DAMAGES as error:
        _refuse(name, f"its content is not that of a part ({type(error).__name__})")


def _refuse(name: str, why: str) -> NoReturn:
    raise FormatError(f"{name}: {why}. {ADVICE}")


def _part_of(facts: dict[str, Any], arrays: dict[str, NDArray[Any]], name: str) -> PartFile:
    if facts["format"] != FORMAT:
        _refuse(name, f"it has the format {facts['format']!r}, and {FORMAT!r} is read here")
    pieces = [_piece_of(facts, arrays, k, name) for k in range(len(facts["pieces"]))]
    policies = Policies(**facts["policies"])
    index, of, queries = int(facts["index"]), int(facts["of"]), int(facts["queries"])
    if not 0 <= index < of:
        _refuse(name, f"it says that it is part {index} of {of}")
    job = PartJob(of, str(facts["qrels"]), queries, policies)
    return PartFile(job, index, tuple(pieces))


def _piece_of(
    facts: dict[str, Any], arrays: dict[str, NDArray[Any]], k: int, name: str
) -> JudgedPiece:
    given = facts["pieces"][k]
    rankings = JudgedRankings(
        **{key: _column(arrays, f"{k}.{key}", kind) for key, kind in ARRAYS.items()}
    )
    queries = _column(arrays, f"{k}.queries", np.int64)
    _check(queries, rankings, int(facts["queries"]), name)
    rows, duplicates = _count(given["rows"]), _count(given["duplicates"])
    if rows < rankings.retrieved.sum():
        _refuse(name, f"it has {rows:,} rows and ranks more documents")
    examples = tuple((str(q), str(d), int(a), int(b)) for q, d, a, b in given["examples"])
    if duplicates < len(examples) or bool(duplicates) != bool(examples):
        _refuse(name, f"it has {duplicates:,} duplicates and shows {len(examples)}")
    part = JudgedPart(
        queries,
        rankings,
        tuple(map(str, given["unknown"])),
        rows,
        None if given["reading"] is None else _reading(given["reading"]),
        duplicates,
        examples,
        tuple(map(_finding, given["findings"])),
    )
    file, first, last = given["place"]
    return JudgedPiece(
        int(given["run"]),
        str(given["path"]),
        None if given["system"] is None else str(given["system"]),
        tuple(map(str, given["files"])),
        tuple((int(size), int(digest)) for size, digest in given["state"]),
        int(given["number"]),
        int(given["pieces"]),
        (str(file), int(first), int(last)),
        part,
    )


def _reading(given: dict[str, Any]) -> TextReading:
    others = ("problems", "tag", "head")
    names = [field.name for field in fields(TextReading) if field.name not in others]
    problems = [(int(n), str(kind), str(text)) for n, kind, text in given["problems"]]
    counts = {name: _count(given[name]) for name in names}
    if counts["problem_count"] < len(problems) or bool(problems) != bool(counts["problem_count"]):
        raise ValueError(f"{len(problems)} of {counts['problem_count']} problems")
    head = str(given["head"]).encode("latin-1")
    return TextReading(problems=problems, tag=str(given["tag"]), head=head, **counts)


def _finding(given: dict[str, Any]) -> Finding:
    kind, message, severity = (str(given[name]) for name in ("kind", "message", "severity"))
    if severity not in get_args(Severity):
        raise ValueError(f"severity {severity!r}")
    examples = tuple(map(str, given["examples"]))
    return Finding(kind, message, _count(given["count"]), cast(Severity, severity), examples)


def _count(given: object) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise ValueError(f"{given!r} is not a count")
    return given


def _column(arrays: dict[str, NDArray[Any]], key: str, kind: type[np.generic]) -> NDArray[Any]:
    column = arrays[key]
    if column.dtype != kind or column.ndim != 1:
        raise ValueError(f"{key} has the type {column.dtype}")
    return column


def _check(queries: NDArray[np.int64], rankings: JudgedRankings, most: int, name: str) -> None:
    """Refuse arrays that do not fit together, which the core would trust."""
    count, documents = len(queries), len(rankings.ranks)
    of_query = (rankings.retrieved, rankings.tied, rankings.present)
    ranges = (rankings.lows, rankings.highs)
    steps = np.diff(rankings.offsets)
    fits = (
        len(rankings.offsets) == count + 1
        and rankings.offsets[0] == 0
        and rankings.offsets[-1] == documents == len(rankings.codes)
        and bool((steps >= 0).all())
        and all(len(column) == count for column in of_query)
        and all(len(column) in (0, documents) for column in ranges)
        and len(np.unique(queries)) == count
        and (count == 0 or (queries.min() >= 0 and queries.max() < most))
        and (documents == 0 or (rankings.ranks.min() >= 1 and rankings.codes.min() >= 0))
        and bool((np.repeat(rankings.retrieved, steps) >= rankings.ranks).all())
        and _ascending(rankings)
        and bool((rankings.lows <= rankings.highs).all())
    )
    if not fits:
        _refuse(name, "its arrays do not fit together")


def _ascending(rankings: JudgedRankings) -> bool:
    """Return whether the ranks of each query ascend."""
    falls = np.flatnonzero(np.diff(rankings.ranks) <= 0) + 1
    return bool(np.isin(falls, rankings.offsets).all())
