"""Rows of query, document and value, which qrels and runs are made of: read from text and tables, written as TREC text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare import _kernels as kernels
from tare._data.columns import Chosen
from tare._data.findings import Finding, Grades
from tare._data.recognised_files import MisplacedError, kind_of_text, refuse_other_kind
from tare._files.opening import write_all
from tare._kernels import Rows, RowsBuilder, TextReading
from tare._plain_text import LONE_SURROGATE, has_lone_surrogate, lines_of
from tare.errors import MAX_REPORTED as SHOWN
from tare.errors import FormatError, OptionError, raise_all

if TYPE_CHECKING:
    import polars as pl

    from tare._kernels import LetorReading

__all__ = [
    "LAYOUTS",
    "SHOWN",
    "SUBTOPICS_HINT",
    "RowTable",
    "control_in",
    "describe",
    "describe_duplicate",
    "describe_duplicates",
    "describe_text",
    "fields_of",
    "numbered",
    "raise_problems",
    "raise_sorted",
    "refuse_columns",
    "refuse_run",
    "refuse_unwritable",
    "rows_from_mapping",
    "run_text",
    "some_documents",
    "text_findings",
    "text_rows",
    "write_qrels",
    "write_run",
    "write_subtopics",
]


# Rows of text that are read here and not by the core: the same lines, fields and characters.
#
# A line ends with a line feed. Blanks, tabs, carriage returns, U+000B and U+000C separate fields, as in
# trec_eval; all other characters are part of a field. The remaining control characters are refused.


FIELD = re.compile(r"[^ \t\r\n\v\f]+")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
NAMES = {
    "\x00": "null",
    "\x1a": "substitute",
    "\x1b": "escape",
    "\x1c": "file separator",
    "\x1d": "group separator",
    "\x1e": "record separator",
    "\x1f": "unit separator",
}


def fields_of(line: str) -> list[str]:
    """Return the fields of a line.

    >>> fields_of("q1 0\\td\\u2028 1")
    ['q1', '0', 'd\\u2028', '1']
    """
    return FIELD.findall(line)


def control_in(text: str) -> str:
    """Return the name of the first control character of a row's text; empty if there is none.

    >>> control_in("a\\x1cb")
    'U+001C (file separator)'
    """
    found = CONTROL.search(text)
    if found is None:
        return ""
    name = f" ({NAMES[found[0]]})" if found[0] in NAMES else ""
    return f"U+{ord(found[0]):04X}{name}"


def text_rows(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of each line of a text of rows that is neither empty nor a comment.

    At the end, raise one error for all lines with control characters.
    """
    problems = []
    for number, line in enumerate(lines_of(text), 1):
        fields = fields_of(line)
        if not fields or fields[0].startswith("#"):
            continue
        if control := control_in(line):
            problems.append(
                f"{name}, line {number}: the control character {control} found; is this a text file?"
            )
            continue
        yield number, fields
    raise_all(problems)


def numbered(rows: Iterable[Any], shape: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the place and the cells of rows of judgements that are given as Python objects."""
    for number, row in enumerate(rows, 1):
        if isinstance(row, str | bytes | Mapping) or not isinstance(row, Iterable):
            raise FormatError(
                f"rows, row {number}: a {type(row).__name__}; expected a tuple of fields. {shape}"
            )
        yield f"row {number}", list(row)


def refuse_unwritable(id_: str, what: str, *, first: bool = False) -> None:
    """Raise an error if an id of a row could not be read again as one field of TREC text; `first` if it begins a line."""
    if FIELD.fullmatch(id_) and not CONTROL.search(id_) and not (first and id_.startswith("#")):
        return
    control = control_in(id_)
    reason = f"contains the control character {control}" if control else "contains white space"
    if not id_:
        reason = "is empty"
    elif id_.startswith("#"):
        reason = "is a query that begins with '#'"
    raise FormatError(
        f"the id {id_!r} cannot be written as {what}: it {reason}. Write .jsonl, .csv or .parquet "
        "instead."
    )


# Messages for problems in text files: what was found and where, what is accepted, what to do.


SUBTOPICS_HINT = (
    "If the second column contains subtopics, use a measure that reads them, such as alpha_nDCG@20."
)
LAYOUTS = {
    "run": (
        "A TREC run line is 'query Q0 document rank score tag'.",
        ("query", "Q0", "document", "rank", "score", "tag"),
    ),
    "ranks": (
        "A TREC run line is 'query Q0 document rank score tag'.",
        ("query", "Q0", "document", "rank", "score", "tag"),
    ),
    "qrels": (
        "A TREC qrels line is 'query iteration document grade'.",
        ("query", "iteration", "document", "grade"),
    ),
    "subtopics": (
        "A line of subtopic judgements is 'query subtopic document grade'.",
        ("query", "subtopic", "document", "grade"),
    ),
    "letor": (
        "A LETOR line is 'grade qid:query id:value id:value … # comment'.",
        ("grade", "qid:query"),
    ),
}


def describe(name: str, line: int, fault: str, detail: str, layout: str) -> str:
    """Return the message for one problem."""
    shape, fields = LAYOUTS[layout]
    where = f"{name}, line {line}: "
    what = {"run": "score", "ranks": "rank"}.get(layout, "grade")
    match fault:
        case "too_few_fields":
            missing = fields[int(detail)] if int(detail) < len(fields) else fields[-1]
            return (
                f"{where}expected {len(fields)} fields, found {detail}. {shape} "
                f"Is the {missing} missing?"
            )
        case "bad_number":
            return f"{where}the {what} {detail!r} is not a number. {shape}"
        case "non_finite":
            return f"{where}the {what} {detail!r} is not finite; a finite number is needed."
        case "line_too_long":
            return f"{where}the line is longer than 1 MiB. Is this a text file? {shape}"
        case "not_utf8":
            return f"{where}the text is not valid UTF-8. Convert the file, e.g. with iconv."
        case "binary":
            return f"{where}the control character {control_in(detail)} found; is this a text file? {shape}"
        case "bare_return":
            return (
                f"{where}the line contains a carriage return. Lines must end with a line feed; "
                "convert the file, e.g. with `tr '\\r' '\\n'`."
            )
        case "duplicate":
            query, document, earlier = detail.split(" ")
            return describe_duplicate(name, "line", line, query, document, int(earlier), layout)
        case "missing_query":
            return f"{where}no query found. {shape} Add qid: and the query id after the grade."
        case "bad_feature":
            return (
                f"{where}{detail!r} is not a feature. {shape} An id is a whole number, a value is a "
                "finite number, and a comment begins with '#'."
            )
        case "non_finite_feature":
            return (
                f"{where}the value of the feature {detail!r} is not finite as a 32-bit number; a "
                "finite number is needed. Leave out features whose value is missing."
            )
        case "feature_too_high":
            return (
                f"{where}the feature {detail!r} has an id above {kernels.LETOR_HIGHEST_FEATURE:,}, the "
                "highest accepted. Number the features from 1 without gaps."
            )
        case "duplicate_feature":
            return f"{where}duplicate feature {detail}. Keep one of its values."
    raise AssertionError(fault)


def describe_text(
    name: str, reading: TextReading | LetorReading, layout: str
) -> tuple[int, list[tuple[int, str]]]:
    """Return the number of problems in the rows of a text, and messages for the first of them with their lines.

    Raise one error instead if its beginning shows that it is a file of another kind.
    """
    if reading.problem_count:
        refuse_other_kind(name, kind_of_text(reading.head), layout)
    return reading.problem_count, [(p[0], describe(name, *p, layout)) for p in reading.problems]


def refuse_run(name: str, reading: TextReading, layout: str) -> None:
    """Raise an error for a run whose first four fields were read as judgements."""
    if not reading.extra_fields:
        return
    try:
        refuse_other_kind(name, kind_of_text(reading.head), layout)
    except MisplacedError as error:
        raise MisplacedError(
            f"{error} Judgements with more than four fields are read by `tare score "
            f"--allow-extra-fields` and tare.read_{layout}(…, allow_extra_fields=True)."
        ) from None


def describe_duplicate(
    name: str, unit: str, line: int, query: str, document: str, earlier: int | str, layout: str
) -> str:
    """Return the message for a duplicate document in the rows of a query; `earlier` is a line or row, maybe of another file."""
    if layout == "qrels":
        return (
            f"{name}, {unit} {line}: document {document!r} of query {query!r} has a different grade "
            f"on {unit} {earlier}. Keep one of the two judgements."
            + (f" {SUBTOPICS_HINT}" if unit == "line" else "")
        )
    return (
        f"{name}, {unit} {line}: duplicate document {document!r} of query {query!r} (first seen on "
        f"{unit} {earlier}). Remove one of the two."
    )


def describe_duplicates(
    rows: Rows, name: str, layout: str, unit: str = "line"
) -> tuple[int, list[tuple[int, str]]]:
    """Return the number of duplicate documents in rows, and messages for the first of them with their lines.

    Duplicate judgements with the same grade are harmless and not counted.
    """
    count, found = rows.duplicates(0, SHOWN, layout == "qrels")
    return count, [
        (line, describe_duplicate(name, unit, line, query, document, earlier, layout))
        for query, document, line, earlier in found
    ]


def raise_sorted(count: int, problems: list[tuple[int, str]]) -> None:
    """Raise one error for all problems of the rows of a source, sorted by line."""
    raise_all([text for _, text in sorted(problems)], count)


def raise_problems(
    name: str, reading: TextReading | LetorReading, layout: str, rows: Rows | None = None
) -> None:
    """Raise one error for all problems in the rows of a text, and for duplicate documents among them."""
    count, messages = describe_text(name, reading, layout)
    if rows is not None:
        twice, duplicates = describe_duplicates(rows, name, layout)
        messages += duplicates
        count += twice
    raise_sorted(count, messages)


# Rows of query, document and value, which qrels and runs are made of.


def text_findings(reading: TextReading, name: str, layout: str = "run") -> list[Finding]:
    """Return findings about TREC text: extra fields in its rows, and ranks that contradict the scores."""
    findings = []
    if reading.extra_fields:
        findings.append(
            Finding(
                "extra fields",
                f"{name}: {reading.extra_fields:,} lines have more fields than the format; "
                "the extra fields were ignored.",
                reading.extra_fields,
                severity="warning" if layout == "qrels" else "note",
            )
        )
    if reading.rank_conflicts:
        findings.append(
            Finding(
                "ranks contradict scores",
                f"{name}: the rank column contradicts the scores at {reading.rank_conflicts:,} "
                "places; documents are ranked by score.",
                reading.rank_conflicts,
            )
        )
    return findings


def refuse_columns(chosen: Chosen | None, name: str) -> None:
    """Raise an error if columns are named for a source of rows that has none, such as a TREC text."""
    named = [f"{part}={column!r}" for part, column in (chosen or {}).items() if column is not None]
    if named:
        raise OptionError(f"{', '.join(named)}: {name} is not a table with columns.")


def rows_from_mapping(source: Grades, value: str, name: str) -> tuple[Rows, bool]:
    """Return the rows of a dictionary {query: {document: value}}, and whether their ids are unique.

    Ids become text, so that 1 and "1" are the same document.
    """
    builder = RowsBuilder()
    try:
        # Plain dictionaries are walked by the core, the rest one query at a time.
        done = builder.add_plain_queries(source) if type(source) is dict else 0
        for query, documents in islice(source.items(), done, None):
            if not isinstance(documents, Mapping):
                raise FormatError(
                    f"{name}: query {query!r} holds a {type(documents).__name__}; "
                    f"expected {{document: {value}}}."
                )
            builder.add_query(str(query), dict(documents))
        rows = builder.finish()
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(_bad_value(source, value, name)) from None
    empty = "" in source or any("" in documents for documents in source.values())
    if empty or not builder.texts or not all(isinstance(query, str) for query in source):
        _refuse_missing_ids(source, name)
    if len(rows) == 0:
        raise FormatError(
            f"{name}: the dictionary is empty; expected {{query: {{document: {value}}}}}."
        )
    unique = builder.texts and (done == len(source) or all(isinstance(q, str) for q in source))
    return rows, unique


def _refuse_missing_ids(source: Grades, name: str) -> None:
    for query, documents in source.items():
        for what, id_ in (("a query", query), *(("a document", each) for each in documents)):
            if id_ is None or id_ == "" or id_ != id_:
                of = "" if what == "a query" else f" of query {query!r}"
                raise FormatError(
                    f"{name}: {what}{of} is {id_!r}; an id is a number or a text that is not empty."
                )


def _bad_value(source: Grades, value: str, name: str) -> str:
    for query, documents in source.items():
        if has_lone_surrogate(str(query)):
            return f"{name}: the query {query!r} {LONE_SURROGATE}"
        for document, given in documents.items():
            if has_lone_surrogate(str(document)):
                return f"{name}, query {query!r}: the document {document!r} {LONE_SURROGATE}"
            try:
                finite = abs(float(given)) < float("inf")
            except (TypeError, ValueError, OverflowError):
                finite = False
            if not finite or isinstance(given, str):
                return (
                    f"{name}, query {query!r}, document {document!r}: "
                    f"the {value} {given!r} is not a finite number."
                )
    return f"{name}: a {value} is not a finite number."


def some_documents(rows: Rows, count: int) -> list[str]:
    """Return at most `count` documents, from the rows of the first queries."""
    found: list[str] = []
    for query in range(len(rows.queries)):
        found += rows.documents(query)[0][: count - len(found)]
        if len(found) >= count:
            break
    return found


class RowTable:
    """Rows of query, document and value: the base class of runs and qrels."""

    _value = "value"

    def __init__(self, rows: Rows, name: str, findings: list[Finding]) -> None:
        self._rows = rows
        self.name = name
        self.findings = tuple(findings)

    @property
    def rows(self) -> Rows:
        """The rows, stored in the compiled core."""
        return self._rows

    @property
    def queries(self) -> tuple[str, ...]:
        """The query ids, sorted."""
        return tuple(sorted(self._rows.queries))

    def __len__(self) -> int:
        return len(self._rows)

    def some_documents(self, count: int) -> list[str]:
        """Return some documents, of the first queries."""
        return some_documents(self._rows, count)

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify the rows, in any order."""
        return f"{self._rows.digest(0) >> 32:08x}"

    def by_query(self) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        """Yield (query, [(document, value), …]), sorted by query id.

        Yields
        ------
        (str, list of (str, float))
            A query, and its documents with their values.
        """
        order = {query: i for i, query in enumerate(self._rows.queries)}
        for query in self.queries:
            documents, values = self._rows.documents(order[query])
            yield query, list(zip(documents, values.tolist(), strict=True))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return a dictionary {query: {document: value}}.

        Returns
        -------
        dict
            The values by query and document.
        """
        return {query: dict(documents) for query, documents in self.by_query()}

    def to_frame(self) -> pl.DataFrame:
        """Return a polars frame with the columns query, document and the value.

        Returns
        -------
        polars.DataFrame
            One row per document.
        """
        import polars as pl

        columns: dict[str, list[Any]] = {"query": [], "document": [], self._value: []}
        for query, documents in self.by_query():
            columns["query"] += [query] * len(documents)
            columns["document"] += [document for document, _ in documents]
            columns[self._value] += [value for _, value in documents]
        return pl.DataFrame(
            columns, schema={"query": pl.String, "document": pl.String, self._value: pl.Float64}
        )


# Writers of TREC text.


def _check(id_: str, *, first: bool = False) -> str:
    refuse_unwritable(id_, "TREC text", first=first)
    return id_


def write_run(queries: Iterable[tuple[str, list[tuple[str, float]]]], path: Path, tag: str) -> None:
    """Write the rows of a run, `query Q0 document rank score tag`, with ranks from 1 in the given order."""
    write_all(path, run_text(queries, tag).encode())


def run_text(queries: Iterable[tuple[str, list[tuple[str, float]]]], tag: str) -> str:
    """Return the text that `write_run` writes."""
    lines = []
    _check(tag)
    for query, documents in queries:
        _check(query, first=True)
        lines += [
            f"{query} Q0 {_check(document)} {rank} {score!r} {tag}\n"
            for rank, (document, score) in enumerate(documents, 1)
        ]
    return "".join(lines)


def write_qrels(queries: Iterable[tuple[str, list[tuple[str, float]]]], path: Path) -> None:
    """Write `query 0 document grade`."""
    lines = []
    for query, documents in queries:
        _check(query, first=True)
        lines += [
            f"{query} 0 {_check(document)} {_grade(grade)}\n" for document, grade in documents
        ]
    write_all(path, "".join(lines).encode())


def write_subtopics(cells: Iterable[tuple[str, str, str, float]], path: Path) -> None:
    """Write `query subtopic document grade`."""
    lines = []
    for query, subtopic, document, grade in cells:
        _check(query, first=True)
        lines.append(f"{query} {_check(subtopic)} {_check(document)} {_grade(grade)}\n")
    write_all(path, "".join(lines).encode())


def _grade(grade: float) -> str:
    """Format the grade in a row of judgements: whole numbers without a decimal point, others with full precision."""
    return str(int(grade)) if grade.is_integer() and abs(grade) < 1e15 else repr(grade)
