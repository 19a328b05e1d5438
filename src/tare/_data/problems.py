"""Messages for problems in text files: what was found and where, what is accepted, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._data.file_kinds import MisplacedError, kind_of_text, refuse_other_kind
from tare._data.text_rows import control_in
from tare._kernels import TextReading
from tare.errors import MAX_REPORTED as SHOWN
from tare.errors import raise_all

if TYPE_CHECKING:
    from tare._kernels import LetorReading, Rows

__all__ = [
    "LAYOUTS",
    "SHOWN",
    "SUBTOPICS_HINT",
    "describe",
    "describe_duplicate",
    "describe_duplicates",
    "describe_text",
    "raise_problems",
    "raise_sorted",
    "refuse_run",
]

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
            from tare._kernels import LETOR_HIGHEST_FEATURE

            return (
                f"{where}the feature {detail!r} has an id above {LETOR_HIGHEST_FEATURE:,}, the "
                "highest accepted. Number the features from 1 without gaps."
            )
        case "duplicate_feature":
            return f"{where}duplicate feature {detail}. Keep one of its values."
    raise AssertionError(fault)


def describe_text(
    name: str, reading: TextReading | LetorReading, layout: str
) -> tuple[int, list[tuple[int, str]]]:
    """Return the number of problems of a text, and messages for the first of them with their lines.

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
    """Return the message for a duplicate document; `earlier` is a line or row, maybe of another file."""
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
    """Return the number of duplicate documents, and messages for the first of them with their lines.

    Duplicate judgements with the same grade are harmless and not counted.
    """
    count, found = rows.duplicates(0, SHOWN, layout == "qrels")
    return count, [
        (line, describe_duplicate(name, unit, line, query, document, earlier, layout))
        for query, document, line, earlier in found
    ]


def raise_sorted(count: int, problems: list[tuple[int, str]]) -> None:
    """Raise one error for all problems, sorted by line."""
    raise_all([text for _, text in sorted(problems)], count)


def raise_problems(
    name: str, reading: TextReading | LetorReading, layout: str, rows: Rows | None = None
) -> None:
    """Raise one error for all problems of a text, and for duplicate documents in its rows."""
    count, messages = describe_text(name, reading, layout)
    if rows is not None:
        twice, duplicates = describe_duplicates(rows, name, layout)
        messages += duplicates
        count += twice
    raise_sorted(count, messages)
