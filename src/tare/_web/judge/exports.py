"""Exports of a judging study in the formats that tare and other programs read."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any

from tare._data.formats import delimited
from tare._judging.outcomes import Outcomes
from tare._judging.slices import MODEL, PEOPLE, SliceAnswers
from tare._web.judge.store import StudyStore
from tare.errors import MismatchError, OptionError, choose

__all__ = ["FORMATS", "WHAT", "export", "offered"]


SLICE = ("slice", "model", "slice-scores", "model-scores")
WHAT = ("preferences", "qrels", "ratings", "scores", "scus", "units", "events", *SLICE)
FORMATS = ("txt", "csv", "jsonl", "parquet")


def offered(store: StudyStore) -> tuple[str, ...]:
    """Return the exports that a judging study of this kind has, the main one first."""
    kind = store.study.design.kind
    own = {
        "grades": ("qrels",),
        "ratings": ("ratings", "scores"),
        "headtohead": ("preferences", "scores"),
        "scus": ("scus", "scores"),
        "markup": ("units",),
    }.get(kind, ("preferences", "qrels"))
    drawn = () if store.study.slice is None else SLICE[: 2 if kind == "grades" else 4]
    return tuple(dict.fromkeys((*own, "ratings", "events", *drawn)))


def export(
    store: StudyStore, what: str, format: str, *, repeats: bool = False, combine: str = "median"
) -> bytes:
    """Return the bytes of an exported file."""
    choose("what", what, WHAT)
    choose("format", format, FORMATS)
    if what == "events":
        return _events(store, format)
    outcomes = store.outcomes(texts=what == "units")
    if what in SLICE:
        return _frame(_slice_table(outcomes, what), what, format)
    if what in ("preferences", "qrels"):
        made: Any = (
            outcomes.preferences(repeats=repeats)
            if what == "preferences"
            else outcomes.qrels(combine=combine)
        )
        with tempfile.TemporaryDirectory() as folder:  # the writers choose the format by suffix
            path = Path(folder) / f"export.{format}"
            made.write(path)
            return path.read_bytes()
    frames = {
        "ratings": outcomes.frame,
        "scores": outcomes.scores,
        "scus": outcomes.presence,
        "units": outcomes.units,
    }
    return _frame(frames[what](), what, format)


def _frame(frame: Any, what: str, format: str) -> bytes:
    if format == "txt":
        raise OptionError(f"{what} cannot be exported as txt. Accepted: csv, jsonl, parquet.")
    if format == "csv":
        return delimited.encoded(frame)
    buffer = io.BytesIO()
    writers = {"jsonl": "write_ndjson", "parquet": "write_parquet"}
    getattr(frame, writers[format])(buffer)
    return buffer.getvalue()


def _slice_table(outcomes: Outcomes, what: str) -> Any:
    """Return the exported labels of a slice, or the scores of systems under them, by people or by the model."""
    answers = SliceAnswers(outcomes)
    who = PEOPLE if what.startswith("slice") else MODEL
    if not what.endswith("-scores"):
        return answers.table(who)
    # `slice` raises an error if there is none.
    if answers.slice and outcomes.study.design.kind == "grades":
        raise MismatchError(
            "tare estimate reads the labels of this study, with runs; export slice and model."
        )
    return answers.scores(who).by_item


def _events(store: StudyStore, format: str) -> bytes:
    """Export the event log, without token digests."""
    rows = []
    for number, event in enumerate(store.events(), 1):
        data = {k: v for k, v in event.data.items() if k != "token"}
        rows.append(
            {
                "seq": number,
                "at": event.at,
                "kind": event.kind,
                "assessor": event.assessor,
                "submission": event.submission,
                "data": data,
            }
        )
    if format == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    import polars as pl

    flat = [{**row, "data": json.dumps(row["data"], ensure_ascii=False)} for row in rows]
    schema = {
        "seq": pl.Int64,
        "at": pl.Float64,
        "kind": pl.String,
        "assessor": pl.String,
        "submission": pl.String,
        "data": pl.String,
    }
    return _frame(pl.DataFrame(flat, schema=schema), "events", format)
