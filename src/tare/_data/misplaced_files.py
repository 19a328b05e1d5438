"""What a file is, by its content: a run that is given as judgements is refused, not scored."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tare._data.columns import COLUMNS
from tare.errors import FormatError

__all__ = [
    "QRELS",
    "MisplacedError",
    "kind_of_columns",
    "kind_of_text",
    "refuse_other_kind",
    "told_apart",
]


RUN = "a run"
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
    JSON: "Files of JSON end in .json or, with one object per line, in .jsonl.",
    COMMAS: "Files of such tables end in .csv.",
    PARQUET: "Files of this kind end in .parquet.",
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
    if wanted == SCORES and found in (RUN, QRELS, PREFERENCES):
        more = " `tare score QRELS RUN… --save scores.parquet` writes such a table."
    raise MisplacedError(f"{name} looks like {found}, not like {wanted}.{more}")


@contextmanager
def told_apart(name: str, columns: Sequence[str], layout: str) -> Iterator[None]:
    """Within this block, tell of a table that lacks columns whether it is one of another kind."""
    try:
        yield
    except FormatError as error:
        try:
            refuse_other_kind(name, kind_of_columns(columns), layout)
        except MisplacedError as other:
            raise MisplacedError(f"{error} {other}") from None
        raise


def kind_of_text(head: bytes) -> str | None:
    """Return what a text is, if all lines of its beginning say so.

    >>> kind_of_text(b"q1 Q0 d1 1 2.5 bm25\\n"), kind_of_text(b"q1 0 d1 1\\n")
    ('a run', 'judgements')
    """
    if head[:4] == b"PAR1":
        return PARQUET
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"["):
        return JSON
    if text[:1] == b"<":
        return MARKUP
    lines = text.split(b"\n")
    if len(lines) > 1:
        lines.pop()  # it may be cut off
    rows = [fields for line in lines if (fields := line.split()) and fields[0][:1] != b"#"]
    if not rows:
        return None
    return _kind_of_rows(rows) or (COMMAS if all(b"," in line for line in lines if line) else None)


def _kind_of_rows(rows: Sequence[Sequence[bytes]]) -> str | None:
    """Return the kind of a text whose fields are separated by blanks."""
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
    return None


def _are_preferences(rows: Sequence[Sequence[bytes]]) -> bool:
    """Return whether the fourth field is one of the two documents before it.

    Judgements such as `q1 1 d1 1`, whose iteration is their grade, are not.
    """
    named = all(row[3] in row[1:3] or row[3].lower() in EQUAL for row in rows)
    return named and not all(row[3] == row[1] and _is_number(row[3]) for row in rows)


def kind_of_columns(columns: Sequence[str]) -> str | None:
    """Return what a table is, by the names of its columns.

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
