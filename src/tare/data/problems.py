"""Problems of a text, told: what was found, where, what is accepted, what to do."""

from __future__ import annotations

from tare.errors import FormatError
from tare.kernels import TextReading

__all__ = ["LAYOUTS", "raise_problems", "tell"]

LAYOUTS = {
    "run": (
        "A TREC run line is 'query Q0 document rank score tag'.",
        ("query", "Q0", "document", "rank", "score", "tag"),
    ),
    "qrels": (
        "A TREC qrels line is 'query iteration document grade'.",
        ("query", "iteration", "document", "grade"),
    ),
}


def tell(name: str, line: int, fault: str, detail: str, layout: str) -> str:
    """One problem in a sentence or three."""
    shape, fields = LAYOUTS[layout]
    where = f"{name}, line {line}: "
    what = "score" if layout == "run" else "grade"
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
    raise AssertionError(fault)


def raise_problems(name: str, reading: TextReading, layout: str) -> None:
    """Raises one error with all problems of a text, if there are any: the first 20 and the count."""
    if reading.problem_count == 0:
        return
    told = [tell(name, *problem, layout) for problem in reading.problems]
    if reading.problem_count > len(told):
        told.append(
            f"… {reading.problem_count:,} problems in all; the first {len(told)} are shown."
        )
    raise FormatError("\n".join(told))
