"""Problems of a text, told: what was found, where, what is accepted, what to do."""

from __future__ import annotations

from tare.errors import FormatError
from tare.kernels import LETOR_HIGHEST_FEATURE, LetorReading, TextReading

__all__ = ["LAYOUTS", "raise_problems", "tell"]

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
            return f"{where}control characters found; this looks like a binary file. {shape}"
        case "duplicate":
            query, document, earlier = detail.rsplit(" ", 2)
            return (
                f"{where}document {document!r} of query {query!r} stands on line {earlier} "
                "already. A document may stand once in a ranking; remove one of the lines."
            )
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


def raise_problems(name: str, reading: TextReading | LetorReading, layout: str) -> None:
    """Raises one error with all problems of a text, if there are any: the first 20 and the count."""
    if reading.problem_count == 0:
        return
    told = [tell(name, *problem, layout) for problem in reading.problems]
    if reading.problem_count > len(told):
        told.append(
            f"… {reading.problem_count:,} problems in all; the first {len(told)} are shown."
        )
    raise FormatError("\n".join(told))
