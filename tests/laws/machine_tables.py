"""What a program reads from a verb: the tables in its output, and cells that no program can use."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["Rows", "decorated", "delimited_tables", "json_leaves", "line_tables", "same"]

Rows = list[dict[str, Any]]

# Numbers dressed for people, and what Python prints of things that are no numbers.
DECORATED = (
    r"(np|numpy|pl|polars)\.\w+\(.*",
    r"array\(.*",
    r"[\[({][^a-zA-Z]*[\])}]",  # a list, a tuple, a dictionary of numbers
    r"[−–-]",  # a dash for what is missing
    r"−\s?[\d.,]+(e.?\d+)?",  # a typographic minus
    r"[-−]?\d{1,3}(,\d{3})+(\.\d+)?",  # thousands
    r"[-−+]?\d[\d.,]*(e[-+]?\d+)?\s?[*†‡%]+",  # a mark or a percent sign
    r"[<>≤≥~±]\s?[\d.].*",
    r"[-−]?[\d.]+\s?(…|±|\.\.\.|–|/|to)\s?[-−]?[\d.]+.*",  # an interval, a ratio, a range
    r"[-−]?[\d.]+\s?[\[(].*[\])]",  # a value with its interval
)
PATTERN = re.compile("|".join(f"(?:{p})" for p in DECORATED), re.DOTALL)


def decorated(cell: str) -> bool:
    """Whether a text is really a number, or several, that a program would have to take apart.

    >>> [decorated(c) for c in ("0.1 … 0.2", "np.float64(0.5)", "−0.5", "3/1/0", "1,234", "0.01 *")]
    [True, True, True, True, True, True]
    >>> [decorated(c) for c in ("0.5", "-1e-05", "nDCG@10", "all 16 swaps", "", "2011-01")]
    [False, False, False, False, False, False]
    """
    return PATTERN.fullmatch(cell) is not None


def _value(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return {"": None, "true": True, "false": False}.get(text, text)


def delimited_tables(text: str, delimiter: str) -> list[Rows]:
    """The tables of CSV or TSV: an empty line is between two of them.

    Raises AssertionError where a header is not unique or a row has another length.
    """
    made: list[Rows] = []
    header: list[str] | None = None
    for row in csv.reader(io.StringIO(text), delimiter=delimiter):
        if not row:
            header = None
            continue
        if header is None:
            assert all(row), f"a column has no name: {row}"
            assert len(set(row)) == len(row), f"headers are not unique: {row}"
            header = row
            made.append([])
            continue
        assert len(row) == len(header), f"{len(row)} cells under {len(header)} headers: {row}"
        for name, cell in zip(header, row, strict=True):
            assert not decorated(cell), f"column {name!r}: {cell!r} is neither a number nor a text"
        made[-1].append(dict(zip(header, map(_value, row), strict=True)))
    return made


def line_tables(text: str) -> Rows:
    """The objects of JSON lines; every value is a number, a truth, a text or null."""
    made: Rows = []
    for line in text.splitlines():
        pairs = json.loads(line, object_pairs_hook=list, parse_constant=_refuse)
        names = [name for name, _ in pairs]
        assert len(set(names)) == len(names), f"names are not unique: {names}"
        for name, cell in pairs:
            assert cell is None or isinstance(cell, str | int | float), (name, cell)
            assert not (isinstance(cell, str) and decorated(cell)), (name, cell)
        made.append(dict(pairs))
    return made


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def json_leaves(text: str) -> Iterator[tuple[str, Any]]:
    """Every value of one JSON document with the names on the way to it."""

    def walk(value: Any, way: str) -> Iterator[tuple[str, Any]]:
        if isinstance(value, dict):
            for name, inner in value.items():
                yield from walk(inner, f"{way}.{name}")
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner, f"{way}[]")
        else:
            yield way, value

    return walk(json.loads(text, parse_constant=_refuse), "")


def same(cell: Any, other: Any) -> bool:
    """Whether CSV and JSON say the same; JSON knows no infinity, and CSV no empty text."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return other is None
    if cell is None:
        return other in (None, "")
    if isinstance(other, str) and not isinstance(cell, str):
        return bool(_value(other) == cell)
    return bool(cell == other)
