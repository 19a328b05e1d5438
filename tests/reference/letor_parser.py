"""LETOR text read line by line in plain Python, slow and obvious."""

import re
from dataclasses import dataclass, field

import numpy as np

BLANKS = " \t\r\v\f"
LINE = re.compile(
    rf"[{BLANKS}]*"
    rf"(?P<grade>[^{BLANKS}#]*)[{BLANKS}]*"
    rf"(qid:(?P<query>[^{BLANKS}]*))?"
    r"(?P<features>[^#]*)"
    r"(#(?P<comment>.*))?",
    re.DOTALL,
)
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
NOT_FINITE = re.compile(r"[+-]?(inf|infinity|nan)", re.IGNORECASE)
DOCUMENT = re.compile(rf"(?:^|[{BLANKS}#])docid[{BLANKS}]*=[{BLANKS}]*([^{BLANKS}]+)")
LONGEST_LINE = 1 << 20
HIGHEST_FEATURE = 1_000_000


class FaultError(Exception):
    """What is wrong with a line."""

    def __init__(self, kind: str, text: str = "") -> None:
        if any(c < " " for c in text):
            kind = "binary"
        elif any("\udc80" <= c <= "\udcff" for c in text):  # bytes that are no UTF-8
            kind = "not_utf8"
        super().__init__(kind)
        self.kind = kind


@dataclass
class Row:
    """One line."""

    grade: float
    query: str | None
    features: dict[int, np.float32]
    document: str


@dataclass
class Parsed:
    """All lines: the rows, and (line, fault) of the others."""

    rows: list[Row] = field(default_factory=list)
    faults: list[tuple[int, str]] = field(default_factory=list)

    def matrix(self) -> np.ndarray:
        """The dense matrix, rows as they stand; the first column is feature 0 if there is one."""
        ids = [id_ for row in self.rows for id_ in row.features]
        first = min([1, *ids])
        out = np.zeros((len(self.rows), max([0, *ids]) + 1 - first), dtype=np.float32)
        for i, row in enumerate(self.rows):
            for id_, value in row.features.items():
                out[i, id_ - first] = value
        return out


def parse(data: bytes, *, documents: bool = False) -> Parsed:
    """Reads a whole text."""
    out = Parsed()
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        lines.pop()
    without_query = []
    for number, line in enumerate(lines, 1):
        try:
            row = parse_line(line, documents=documents)
        except FaultError as fault:
            out.faults.append((number, fault.kind))
            continue
        if row is None:
            continue
        out.rows.append(row)
        if row.query is None:
            without_query.append((number, "missing_query"))
    if len(without_query) < len(out.rows):
        out.faults = sorted(out.faults + without_query)
    return out


def parse_line(line: bytes, *, documents: bool) -> Row | None:
    """One line; None where it is empty or a comment."""
    if len(line) >= LONGEST_LINE:
        raise FaultError("line_too_long")
    text = line.decode("utf-8", "surrogateescape")
    if not text.strip(BLANKS) or text.lstrip(BLANKS).startswith("#"):
        return None
    match = LINE.fullmatch(text)
    assert match is not None
    grade = number_of(match["grade"], "bad_number", "non_finite", match["grade"])
    query = match["query"]
    if query is not None and (
        not query or any(c < " " or "\udc80" <= c <= "\udcff" for c in query)
    ):
        raise FaultError("missing_query", query)
    features: dict[int, np.float32] = {}
    twice = False
    for text in re.split(f"[{BLANKS}]+", match["features"].strip(BLANKS)):
        if not text:
            continue
        id_, colon, value = text.partition(":")
        if not colon or not re.fullmatch("[0-9]+", id_):
            raise FaultError("bad_feature", text)
        number = number_of(value, "bad_feature", "non_finite_feature", text)
        if abs(number) > 3.4028235677973366e38 * (1 - 2**-53):
            raise FaultError("non_finite_feature", text)
        if int(id_) > HIGHEST_FEATURE:
            raise FaultError("feature_too_high", text)
        twice |= int(id_) in features
        features[int(id_)] = np.float32(number)
    if twice:
        raise FaultError("duplicate_feature")
    found = DOCUMENT.search(match["comment"] or "") if documents else None
    document = found[1] if found else ""
    if any(c < " " or "\udc80" <= c <= "\udcff" for c in document):
        raise FaultError("not_utf8", document)
    return Row(grade, query, features, document)


def number_of(text: str, malformed: str, not_finite: str, field_: str) -> float:
    """A decimal number, finite as a double."""
    if NOT_FINITE.fullmatch(text):
        raise FaultError(not_finite, field_)
    if not NUMBER.fullmatch(text):
        raise FaultError(malformed, field_)
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise FaultError(not_finite, field_)
    return value
