"""What a file is, decided by its first bytes and lines: CSV, JSON, Parquet, TREC text; and a run, judgements, scores, …

A suffix only breaks a tie: a file of any name, and standard input, is read for what it is. A file in the
wrong place of a call, such as a run that is given as judgements, is refused, not scored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from tare._data.columns import COLUMNS
from tare._files.opening import PathLike, head_of, plain_suffix
from tare.errors import FormatError

__all__ = [
    "PREFERENCES",
    "QRELS",
    "SUFFIXES",
    "Form",
    "MisplacedError",
    "form_of",
    "is_run_text",
    "is_trec_text",
    "is_triples",
    "kind_of_columns",
    "kind_of_text",
    "refuse_other_kind",
    "told_apart",
]


# The form of a file: how it is read.


Form = Literal["text", "csv", "tsv", "jsonl", "json", "parquet"]
"""How a file is read; text has fields between blanks or tabs, and no header."""

SUFFIXES: dict[str, Form] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
}
"""The form that a suffix promises; other files are text."""

MARK = b"\xef\xbb\xbf"  # the byte order mark
JSON_BEGINS = re.compile(rb'[{\[]\s*["{\[}\]]')
NESTED_BEGINS = re.compile(rb'\[|\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[{\[]')
HEADINGS = ("query", "document", "item", "system", "score", "grade", "rank", "subtopic", "profile")


def form_of(source: PathLike) -> Form:
    """Recognise how a file is read, by its beginning; its suffix decides if that allows several forms."""
    return _form(head_of(source), _promised(source))


def is_trec_text(source: PathLike) -> bool:
    """Recognise whether a file has rows of TREC text that the compiled core reads: those of a run or of judgements."""
    head = head_of(source)
    return _form(head, _promised(source)) == "text" and _kind_of_most(_rows_of(head)) != TRIPLES


def is_triples(source: PathLike) -> bool:
    """Recognise whether a file is text of three columns without a header, the last one of numbers."""
    head = head_of(source)
    return _form(head, _promised(source)) == "text" and _kind_of_most(_rows_of(head)) == TRIPLES


def is_run_text(source: PathLike) -> bool:
    """Return whether a file is certainly the text of a run; labels can have as many fields."""
    rows = _rows_of(head_of(source))
    q0 = all(len(row) >= 6 and row[1].upper() == b"Q0" and row[3].isdigit() for row in rows)
    kind = _kind_of_most(rows)
    return (kind == RUN and q0) or kind == TRIPLES


def _promised(source: PathLike) -> Form:
    return SUFFIXES.get(plain_suffix(source), "text")


def _form(head: bytes, promised: Form) -> Form:
    if head[:4] == b"PAR1":
        return "parquet"
    text = head.removeprefix(MARK).lstrip()
    if JSON_BEGINS.match(text):
        return _form_of_json(text, promised)
    if _kind_of_most(_rows_of(text)) is not None:
        return "text"
    return _form_of_heading(text.partition(b"\n")[0], promised)


def _form_of_json(text: bytes, promised: Form) -> Form:
    """Recognise whether a JSON file is one value or has an object per line; one object on one line can be both."""
    first, end, rest = text.partition(b"\n")
    try:
        whole = isinstance(json.loads(first), dict)
    except (
        ValueError,
        RecursionError,
    ):  # over several lines, damaged, or longer than the beginning
        whole = False
    if whole and end and rest.lstrip()[:1] == b"{":
        return "jsonl"
    if promised in ("json", "jsonl") and (whole or not end):
        return promised
    if promised == "jsonl" and text[:1] == b"{" and not NESTED_BEGINS.match(text):
        return promised
    return "json" if NESTED_BEGINS.match(text) or (not whole and end) else "jsonl"


def _kind_of_most(rows: Sequence[Sequence[bytes]]) -> str | None:
    """Return the kind of the first row of a file, which is no header then, if it is that of most rows at its beginning."""
    if rows and kind_of_columns([field.decode("utf-8", "replace") for field in rows[0]]):
        return None
    kinds = [_kind_of_rows([row]) for row in rows]
    if not kinds or 2 * kinds.count(kinds[0]) < len(kinds):
        return None
    if kinds[0] == RUN and not _is_number(rows[0][4]):  # six words can also be a header
        return None
    return kinds[0]


def _form_of_heading(line: bytes, promised: Form) -> Form:
    """Return the form of a file, such as CSV or TSV, whose first line may hold the names of columns."""
    tabs = line.count(b"\t") > line.count(b",")
    if promised == "csv":
        return "csv" if b"," in line or not tabs else "tsv"
    if promised == "tsv":
        return "tsv" if b"\t" in line or b"," not in line else "csv"
    cells = line.decode("utf-8", "replace").split("\t" if tabs else ",")
    names = {cell.strip(' \r"').lower() for cell in cells}
    known = sum(bool(names & {*COLUMNS[part]}) for part in HEADINGS)
    if len(names) < 2 or (known < 2 and kind_of_columns(list(names)) is None):
        return promised
    return "tsv" if tabs else "csv"


# The kind of a file: what it holds.


RUN = "a run"
TRIPLES = "a run of three columns"
QRELS = "judgements"
PREFERENCES = "preferences"
LETOR = "LETOR data"
SCORES = "a table of scores"
RANKS = "a table of ranks"
RATINGS = "ratings"
TEXTS = "a table of texts"
EVALUATION = "the output of trec_eval"
JSON = "JSON"
COMMAS = "a table with commas"
PARQUET = "a Parquet file"
MARKUP = "HTML or XML"

LIKE = {
    "run": RUN,
    "ranks": RUN,
    "letor": LETOR,
    "qrels": QRELS,
    "subtopics": QRELS,
    "groups": QRELS,
    "preferences": PREFERENCES,
    "ratings": RATINGS,
    "scores": SCORES,
}
"""What the file of each layout looks like."""

ADVICE = {
    RUN: "Runs follow the judgements.",
    QRELS: "Judgements come first, then the runs.",
    SCORES: "A table of scores is read by `tare compare`, without judgements and runs.",
    TEXTS: "Texts are scored by `tare text`.",
    RANKS: "A table of ranks is read by `tare score --ranks`.",
    EVALUATION: "Give the run that trec_eval read.",
    LETOR: "LETOR data are read by `tare score --feature` and `tare rank`.",
    TRIPLES: "Judgements of three columns need a first line with their names: query, document, grade.",
    COMMAS: "The first line of such a table names its columns, such as query,document,score.",
}
"""What to do with a file that was given in the wrong place."""

# The first field of a line that trec_eval prints.
TREC_NAME = re.compile(
    rb"runid|num_(q|ret|rel|rel_ret|nonrel_judged_ret)|(gm_)?(map|bpref)(_\w+)?|(\d+pt|Rprec|R_prec|"
    rb"recip_rank|iprec_at_recall|P|relative_P|recall|recip|ndcg|ndcg_rel|Rndcg|binG|G|set_\w+|"
    rb"success|infAP|relstring|utility|yaap)(_[\w.=,-]+)?"
)
EQUAL = (b"left", b"right", b"equal", b"tie")


class MisplacedError(FormatError):
    """A file is of another kind than its place in the call asks for."""


def refuse_other_kind(name: str, found: str | None, layout: str) -> None:
    """Raise an error if a file is clearly of another kind than `layout`."""
    wanted = LIKE.get(layout, layout)
    if found is None or found == wanted:
        return
    more = f" {ADVICE[found]}" if found in ADVICE else ""
    if wanted == SCORES and found in (RUN, TRIPLES, QRELS, PREFERENCES):
        more = " `tare score QRELS RUN… --save scores.parquet` writes such a table."
    raise MisplacedError(f"{name} looks like {found}, not like {wanted}.{more}")


@contextmanager
def told_apart(name: str, columns: Sequence[str], layout: str) -> Iterator[None]:
    """Within this block, tell of a file whose table lacks columns whether it is one of another kind."""
    try:
        yield
    except FormatError as error:
        try:
            refuse_other_kind(name, kind_of_columns(columns), layout)
        except MisplacedError as other:
            raise MisplacedError(f"{error} {other}") from None
        raise


def kind_of_text(head: bytes) -> str | None:
    """Recognise what the text of a file is, if all lines of its beginning say so.

    >>> kind_of_text(b"q1 Q0 d1 1 2.5 bm25\\n"), kind_of_text(b"q1 0 d1 1\\n")
    ('a run', 'judgements')
    """
    if head[:4] == b"PAR1":
        return PARQUET
    text = head.removeprefix(MARK).lstrip()
    if text[:1] in (b"{", b"["):
        return JSON
    if text[:1] == b"<":
        return MARKUP
    rows = _rows_of(text)
    if not rows:
        return None
    commas = all(any(b"," in field for field in row) for row in rows)
    return _kind_of_rows(rows) or (COMMAS if commas else None)


def _rows_of(text: bytes) -> list[list[bytes]]:
    """Return the fields of the whole lines at the beginning of a file's text, without comments."""
    lines = text.removeprefix(MARK).split(b"\n")
    if len(lines) > 1:
        lines.pop()  # it may be cut off
    return [fields for line in lines if (fields := line.split()) and fields[0][:1] != b"#"]


def _kind_of_rows(rows: Sequence[Sequence[bytes]]) -> str | None:
    """Recognise the kind of a file, such as a run or judgements, by its rows of fields separated by blanks."""
    widths = {len(row) for row in rows}
    least = min(widths)
    if least > 1 and all(row[1].startswith(b"qid:") for row in rows):
        return LETOR
    if least > 3 and _are_preferences(rows):
        return PREFERENCES
    if widths == {6} or (least > 4 and all(_is_number(row[4]) for row in rows)):
        return RUN
    if widths == {4} and all(_is_number(row[3]) for row in rows):
        return QRELS
    if widths == {3} and all(TREC_NAME.fullmatch(row[0]) for row in rows):
        return EVALUATION
    if widths == {3} and all(_is_number(row[2]) for row in rows):
        return TRIPLES
    return None


def _are_preferences(rows: Sequence[Sequence[bytes]]) -> bool:
    """Recognise rows of preferences: the fourth field of each is one of the two documents before it.

    Judgements such as `q1 1 d1 1`, whose iteration is their grade, are not.
    """
    named = all(row[3] in row[1:3] or row[3].lower() in EQUAL for row in rows)
    return named and not all(row[3] == row[1] and _is_number(row[3]) for row in rows)


def kind_of_columns(columns: Sequence[str]) -> str | None:
    """Recognise what the table in a file is, by the names of its columns.

    >>> kind_of_columns(["system", "item", "measure", "value"])
    'a table of scores'
    """
    names = {str(column).strip().lower() for column in columns}

    def has(*parts: str) -> bool:
        return all(names & {*COLUMNS[part]} for part in parts)

    if "measure" in names and names & {"value", "score"}:
        return SCORES
    if has("query", "left", "right", "preferred"):
        return PREFERENCES
    if has("text", "references") and not has("document"):
        return TEXTS
    if not has("query"):
        return None
    if has("document"):
        ranked, graded = has("score") or has("rank"), has("grade")
        return (RUN if ranked else QRELS) if ranked != graded else None
    if names & {"rank", "rank_min"} and names & {"candidates", "candidate_count", "n_candidates"}:
        return RANKS
    return None


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
