"""The expected result of an accepted file, from a second reading by the simplest code.

Each function returns None where the result is right, and a sentence where it is not.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from tests.reference import letor_parser

BLANKS = re.compile(rb"[ \t\r\x0b\x0c]+")
BOM = b"\xef\xbb\xbf"


def content(path: Path) -> bytes:
    """Return the bytes, decompressed."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    if data[:4] == b"\x28\xb5\x2f\xfd":
        with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as file:
            return bytes(file.read())
    return data


def _fields(path: Path) -> list[list[str]]:
    rows = []
    for line in content(path).removeprefix(BOM).split(b"\n"):
        found = [f for f in BLANKS.split(line) if f]
        if found and not found[0].startswith(b"#"):
            rows.append([f.decode("utf-8", "surrogateescape") for f in found])
    return rows


def _unlike(found: Any, expected: Any) -> str | None:
    return (
        None if found == expected else f"found {str(found)[:300]}, expected {str(expected)[:300]}"
    )


def _by_query(rows: list[list[str]], value: int) -> dict[str, dict[str, float]]:
    expected: dict[str, dict[str, float]] = {}
    for row in rows:
        expected.setdefault(row[0], {}).setdefault(row[2], float(row[value]))
    return expected


def same_qrels(path: Path, result: Any) -> str | None:
    """Return the grades in the text."""
    return _unlike(result.to_dict(), _by_query(_fields(path), 3))


def same_run(path: Path, result: Any) -> str | None:
    """Return the scores in the text, and the tag of the last line."""
    rows = _fields(path)
    return _unlike(result.to_dict(), _by_query(rows, 4)) or _unlike(result.system, rows[-1][5])


def same_subtopics(path: Path, result: Any) -> str | None:
    """Return the grades of text files."""
    if ".txt" not in path.name:
        return None
    expected = {(r[0], r[1], r[2]): float(r[3]) for r in reversed(_fields(path))}
    return _unlike({(q, s, d): g for q, s, d, g in result.cells()}, expected)


def same_levels(path: Path, result: Any) -> str | None:
    """Return the levels of all groups."""
    expected = sorted((r[0], r[1], r[-2], float(r[-1])) for r in _lenient_fields(path))
    found = sorted(
        (query, level.group, level.document, level.level)
        for query, levels in result.by_query.items()
        for level in levels
    )
    return _unlike(found, expected)


def _lenient_fields(path: Path) -> list[list[str]]:
    """Split fields at Unicode white space, as Python does."""
    lines = content(path).decode("utf-8-sig", "surrogateescape").split("\n")
    return [f for line in lines if (f := line.split()) and not f[0].startswith("#")]


def same_sizes(path: Path, result: Any) -> str | None:
    """Return integers, one per line."""
    return _unlike(result, [int(f[0]) for f in _lenient_fields(path)])


def same_lines(path: Path, result: Any) -> str | None:
    """Return the lines of the text."""
    lines = content(path).decode("utf-8-sig").split("\n")
    expected = [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]
    return _unlike(list(result.texts), expected)


def same_letor(path: Path, result: Any) -> str | None:
    """Return features and grades as the slow parser reads them, with the rows of a query together."""
    parsed = letor_parser.parse(content(path), documents=True)
    if parsed.faults:
        return f"accepted, though the slow parser finds {parsed.faults[:3]}"
    order = sorted(range(len(parsed.rows)), key=_first_of_query(parsed.rows))
    if not np.array_equal(result.features, parsed.matrix()[order]):
        return "other features than the slow parser's"
    return _unlike(result.grades.tolist(), [parsed.rows[i].grade for i in order])


def _first_of_query(rows: list[Any]) -> Any:
    first: dict[Any, int] = {}
    for i, row in enumerate(rows):
        first.setdefault(row.query, i)
    return lambda i: (first[rows[i].query], i)


def same_table(path: Path, result: Any) -> str | None:
    """Return the grades of CSV, TSV and JSON lines as the readers of Python return them."""
    if ".parquet" in path.name:
        return None
    text = content(path).decode("utf-8-sig", "replace")
    if ".jsonl" in path.name:
        objects = [json.loads(line.lstrip("\ufeff")) for line in text.split("\n") if line.strip()]
        cells = [{str(k).strip().lower(): v for k, v in o.items()} for o in objects]
    else:
        separator = "\t" if ".tsv" in path.name else ","
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
        try:
            cells = [{str(k).strip().lower(): v for k, v in row.items()} for row in reader]
        except csv.Error:  # fields that Python's reader finds too long
            return None
    try:
        grades = sorted(float(c["grade"]) for c in cells)
    except (KeyError, TypeError, ValueError):
        return None  # columns under other names, or a file that the two readers divide differently
    found = sorted(g for documents in result.to_dict().values() for g in documents.values())
    if len(found) != len(grades):  # equal rows count once
        return _unlike(sorted(set(found)), sorted(set(grades)))
    return _unlike(found, grades)
