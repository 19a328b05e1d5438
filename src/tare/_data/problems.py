"""Problems of a text, told: what was found, where, what is accepted, what to do."""

from __future__ import annotations

from tare._kernels import LETOR_HIGHEST_FEATURE, LetorReading, Rows, TextReading
from tare.errors import MOST_TOLD as SHOWN
from tare.errors import raise_all

__all__ = [
    "LAYOUTS",
    "SHOWN",
    "duplicate_told",
    "duplicates_told",
    "raise_problems",
    "raise_told",
    "tell",
]

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
        "A line of judgements by subtopic is 'query subtopic document grade'.",
        ("query", "subtopic", "document", "grade"),
    ),
    "letor": (
        "A LETOR line is 'grade qid:query id:value id:value … # comment'.",
        ("grade", "qid:query"),
    ),
}


def tell(name: str, line: int, fault: str, detail: str, layout: str) -> str:
    """One problem in a sentence or three."""
    shape, fields = LAYOUTS[layout]
    where = f"{name}, line {line}: "
    what = {"run": "score", "ranks": "rank"}.get(layout, "grade")
    match fault:
        case "too_few_fields":
            missing = fields[int(detail)] if int(detail) < len(fields) else fields[-1]
            swapped = layout == "run" and int(detail) == len(LAYOUTS["qrels"][1])
            asked = (
                "A line of judgements has 4: are the qrels and the run swapped?"
                if swapped
                else f"Is the {missing} missing?"
            )
            return f"{where}expected {len(fields)} fields, found {detail}. {shape} {asked}"
        case "bad_number":
            return f"{where}the {what} {detail!r} is not a number. {shape}"
        case "non_finite":
            return f"{where}the {what} {detail!r} is not finite; a finite number is needed."
        case "line_too_long":
            return f"{where}the line is longer than 1 MiB. Is this a text file? {shape}"
        case "not_utf8":
            return f"{where}the text is not valid UTF-8. Convert the file, e.g. with iconv."
        case "binary":
            return f"{where}control characters found; this looks like a binary file. {shape}"
        case "bare_return":
            return (
                f"{where}a carriage return within the line. Lines end with a line feed; "
                "convert the file, e.g. with `tr '\\r' '\\n'`."
            )
        case "duplicate":
            query, document, earlier = detail.split(" ")
            return duplicate_told(name, "line", line, query, document, int(earlier), layout)
        case "missing_query":
            return f"{where}no query found. {shape} Put qid: and the query's id behind the grade."
        case "bad_feature":
            return (
                f"{where}{detail!r} is no feature. {shape} An id is a whole number, a value a "
                "finite number; a comment begins with '#'."
            )
        case "non_finite_feature":
            return (
                f"{where}the value of the feature {detail!r} is not finite as a 32-bit number; a "
                "finite number is needed. Leave the feature out where its value is missing."
            )
        case "feature_too_high":
            return (
                f"{where}the feature {detail!r} has an id above {LETOR_HIGHEST_FEATURE:,}, the "
                "highest accepted. Number the features from 1 without gaps."
            )
        case "duplicate_feature":
            return f"{where}feature {detail} stands twice. Keep one of its values."
    raise AssertionError(fault)


def duplicate_told(
    name: str, unit: str, line: int, query: str, document: str, earlier: int | str, layout: str
) -> str:
    """A document that stands twice; `earlier` is a line or row, perhaps of another file."""
    if layout == "qrels":
        return (
            f"{name}, {unit} {line}: document {document!r} of query {query!r} has another grade "
            f"than on {unit} {earlier}. Keep one of the two judgements."
        )
    return (
        f"{name}, {unit} {line}: document {document!r} of query {query!r} stands on {unit} "
        f"{earlier} already. A document may stand once in a ranking; remove one of the two."
    )


def duplicates_told(
    rows: Rows, name: str, layout: str, unit: str = "line"
) -> tuple[int, list[tuple[int, str]]]:
    """How many documents stand twice, and the first of them by line, told.

    Judgements that stand twice with the same grade are no problem and are not counted here.
    """
    count, found = rows.duplicates(0, SHOWN, layout == "qrels")
    return count, [
        (line, duplicate_told(name, unit, line, query, document, earlier, layout))
        for query, document, line, earlier in found
    ]


def raise_told(count: int, told: list[tuple[int, str]]) -> None:
    """Raises one error with all problems, given with their lines: the first 20 and the count."""
    raise_all([text for _, text in sorted(told)], count)


def raise_problems(
    name: str, reading: TextReading | LetorReading, layout: str, rows: Rows | None = None
) -> None:
    """Raises one error with all problems of a text, and documents that stand twice in its rows."""
    told = [(p[0], tell(name, *p, layout)) for p in reading.problems]
    count = reading.problem_count
    if rows is not None:
        twice, duplicates = duplicates_told(rows, name, layout)
        told += duplicates
        count += twice
    raise_told(count, told)
