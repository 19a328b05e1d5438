"""Ids of a run and of qrels that can never be equal, such as numbers and names."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

import numpy as np

from tare._data.judged import Judged
from tare._data.rows import is_trec_text, some_documents
from tare._data.run import Run
from tare._files.addresses import is_address, is_file
from tare._files.opening import blocks
from tare._kernels import Rows, read_trec
from tare.errors import MismatchError

__all__ = ["SAMPLE", "refuse_foreign_ids"]

SAMPLE = 200
HEAD = 1 << 16
KINDS = (
    (re.compile(r"-?(0|[1-9]\d*)"), "whole numbers"),
    (re.compile(r"-?\d+"), "numbers with leading zeros"),
    (re.compile(r"-?\d+\.\d+"), "decimal numbers"),
)


def refuse_foreign_ids(judged: Judged, source: Any) -> None:
    """Raise an error if no id of a run is among the qrels, and the ids are of different kinds.

    The scores would all be 0. A run that merely found nothing has ids of the same kind. `source` is the
    run, some of its rows, or its file.
    """
    if len(judged.rankings.ranks):
        return
    qrels = judged.qrels
    if not judged.present.any():
        _compare(judged, "query", qrels.items[:SAMPLE], judged.unknown[:SAMPLE])
        return
    rows = _rows_of(source)
    retrieved = [] if rows is None else some_documents(rows, SAMPLE)
    if retrieved:
        _compare(judged, "document", qrels.some_documents(SAMPLE), retrieved)


def _compare(judged: Judged, part: str, ours: Any, theirs: Any) -> None:
    theirs = [one for one in theirs if one]  # an empty id is of no kind
    if not ours or not theirs:
        return
    kinds = _kind(ours), _kind(theirs)
    if kinds[0] == kinds[1]:
        return
    qrels = "the qrels" if judged.qrels.name == "qrels" else f"the qrels {judged.qrels.name}"
    raise MismatchError(
        f"{judged.source or judged.system}: no {part} of the run is in {qrels}, and the ids look different: "
        f"in the qrels {kinds[0]} ({_shown(ours)}), in the run {kinds[1]} ({_shown(theirs)}). Ids are compared as "
        "text; use the same ids in both."
    )


def _kind(ids: Any) -> str:
    """Return what all ids look like.

    >>> _kind(["1", "20"]), _kind(["1.0"]), _kind(["1", "d2"]), _kind(["007", "8"])
    ('whole numbers', 'decimal numbers', 'text', 'numbers with leading zeros')
    """
    for pattern, kind in KINDS:
        if all(pattern.fullmatch(one) for one in ids):
            return kind
    return "text"


def _shown(ids: Any) -> str:
    return ", ".join(repr(one) for one in islice(dict.fromkeys(ids), 3))


def _rows_of(source: Any) -> Rows | None:
    if isinstance(source, Rows):
        return source
    if isinstance(source, Run):
        return source.rows
    if not is_trec_text(source) or not (is_address(source) or is_file(source)):
        return None
    head = b""
    for block in blocks(source):
        head += block.tobytes()
        if len(head) >= HEAD:
            break
    lines = head[: head.rfind(b"\n") + 1] or head
    return read_trec([np.frombuffer(lines, dtype=np.uint8)], "run")[0]
