"""What a leaderboard is made from: score tables, a matrix of tasks, or a folder of MTEB results."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from tare._data.formats import delimited
from tare._data.mteb_results import read_mteb_results
from tare._files.addresses import is_folder, shown_path
from tare._files.opening import name_of, plain_suffix
from tare._measures.saved_scores import from_frame
from tare._measures.scores import Scores
from tare.errors import FormatError, OptionError

__all__ = ["DATASET", "board_scores"]

DATASET = "dataset"
SCORE_COLUMNS = ("item", "query", "qid", "topic", "query_id", "doc_id", "measure")


def board_scores(
    paths: Sequence[str | os.PathLike[str]],
    *,
    without: Sequence[str] = (),
    languages: Sequence[str] = (),
) -> tuple[Scores, str | None]:
    """Read score tables or a matrix; return the scores and the attribute that names data sets.

    Several score tables are one data set each, named after their files. A single CSV or TSV file
    without a column of items is a matrix with one row per system and one column per task. A folder holds
    result files of MTEB.
    """
    if not paths:
        raise OptionError("no score table was given.")
    folders = [path for path in paths if is_folder(path)]
    if folders and len(paths) > 1:
        raise OptionError(
            f"{name_of(folders[0])} is a folder; give one folder of MTEB results, or score tables."
        )
    if languages and not folders:
        raise OptionError("--languages selects subsets of MTEB results; give their folder.")
    if folders:
        return _mteb(folders[0], languages), None
    if len(paths) == 1:
        path = paths[0]
        if plain_suffix(path) in (".csv", ".tsv"):
            frame = delimited.read(path)
            if not set(SCORE_COLUMNS) & {column.lower() for column in frame.columns}:
                return _matrix(frame, name_of(path), without), None
        scores = Scores.load(path)
        return scores, DATASET if DATASET in scores.attributes else None
    joined: Scores | None = None
    names = [shown_path(path).stem for path in paths]
    if len(set(names)) < len(names):
        raise OptionError("two score tables have the same file name, which names the data set.")
    for name, path in zip(names, paths, strict=True):
        scores = Scores.load(path)
        scores = replace(
            scores,
            items=tuple(f"{name}/{item}" for item in scores.items),
            attributes={**scores.attributes, DATASET: (name,) * len(scores.items)},
            rescoring=None,
        )
        joined = scores if joined is None else joined.join(scores)
    assert joined is not None
    return joined, DATASET


def _mteb(folder: str | os.PathLike[str], languages: Sequence[str]) -> Scores:
    """Return the main scores of a folder of MTEB results; each task is an item."""
    found = read_mteb_results(folder, languages=languages)
    rows = [(system, task, "main_score", score) for (system, task), score in found.scores.items()]
    long = pl.DataFrame(rows, schema=["system", "item", "measure", "value"], orient="row")
    made = from_frame(long, name_of(folder))
    return replace(made, findings=(*found.findings, *made.findings))


def _matrix(frame: pl.DataFrame, name: str, without: Sequence[str]) -> Scores:
    """Return a matrix with one row per system as scores; each task is an item."""
    unknown = [column for column in without if column not in frame.columns]
    if unknown:
        raise OptionError(f"{name} has no column {', '.join(map(repr, unknown))}.")
    kept = frame.drop(without)
    system = kept.columns[0]
    given = kept.with_columns(pl.col(pl.String).replace("", None))
    kept = given.with_columns(pl.col(given.columns[1:]).cast(pl.Float64, strict=False))
    tasks = [
        c for c in kept.columns[1:] if kept[c].null_count() == given[c].null_count() < kept.height
    ]
    if not tasks:
        raise FormatError(
            f"{name}: no column of numbers. A matrix has one row per system and one column per task."
        )
    long = kept.select(pl.col(system).alias("system"), *tasks).unpivot(
        on=tasks, index="system", variable_name="item", value_name="value"
    )
    return from_frame(long.with_columns(measure=pl.lit("score")), name)
