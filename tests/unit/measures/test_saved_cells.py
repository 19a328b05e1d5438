"""Saved score tables are read without a data frame, with the same result; others are left to data frames."""

import json

import numpy as np
import polars as pl
import pytest

import tare
from tare._data.formats import parquet
from tare._kernels.seams import Seams, cut
from tare._measures import score_files
from tare._measures.saved_cells import saved_cells
from tare._measures.score_parquet import KEY, metadata_of
from tare.errors import FormatError

QRELS = {f"q{i}": {"a": i % 3, "b": 1, "c": 0} for i in range(7)}
RUNS = {
    name: {f"q{i}": {"a": 1.0, "b": shift + i % 2, "z": 0.5} for i in range(6)}
    for name, shift in (("x", 0.2), ("y", 1.5), ("ж", 0.7))
}


def read_both(path):
    """What both readers make of a file; the first is None if it leaves the file to the second."""
    with parquet.opened(path) as file:
        about = metadata_of(file.metadata.get(KEY, "{}"), "scores.parquet")
        found = saved_cells(file, about)
        frame = file.read()
    name = str(path)
    quick = None if found is None else score_files.scores_of_cells(name, about, *found)
    return quick, score_files.from_frame(frame, name, about)


def assert_same(one, other):
    for field in ("systems", "items", "measures", "signatures", "findings", "attributes", "seed"):
        assert getattr(one, field) == getattr(other, field), field
    np.testing.assert_array_equal(one.values, other.values)
    assert list(one.ratios) == list(other.ratios)
    for measure, ratio in other.ratios.items():
        np.testing.assert_array_equal(one.ratios[measure].parts, ratio.parts)


def assert_same_shares(one, other):
    assert list(one.judged) == list(other.judged)
    for measure, shares in other.judged.items():
        np.testing.assert_array_equal(one.judged[measure], shares)


@pytest.mark.parametrize("rows", [1, 2, 5, 1 << 20])
@pytest.mark.parametrize(
    ("measures", "options"),
    [
        (["AP"], {}),
        (["AP", "nDCG@2", "RR"], {}),
        (["nDCG@2", "Net(nDCG@2)"], {"pool": "judged"}),
        (["AP"], {"missing": "skip"}),
    ],
)
def test_both_readers_agree(tmp_path, measures, options, rows):
    scores = tare.evaluate(QRELS, RUNS, measures, **options)
    path = tmp_path / "scores.parquet"
    with cut(Seams(saved_rows=rows)):
        scores.save(path)
    quick, general = read_both(path)
    assert quick is not None
    assert_same(quick, general)
    assert_same_shares(quick, general)
    assert_same(tare.Scores.load(path), scores)


def rewritten(path, change, **about):
    """Write the rows of a saved file again, changed, with the same metadata or others."""
    with parquet.opened(path) as file:
        frame, known = file.read(), json.loads(file.metadata[KEY])
    change(frame).write_parquet(path, metadata={KEY: json.dumps({**known, **about})})


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.reverse(),
        lambda frame: frame.head(-1),
        lambda frame: frame.with_columns(pl.lit("en").alias("language")),
        lambda frame: frame.with_columns(pl.col("value").cast(pl.Float32)),
        lambda frame: frame.with_columns(pl.col("value").cast(pl.String)),
        lambda frame: frame.select("item", "system", pl.exclude("item", "system")),
        lambda frame: frame.rename({"value": "score"}),
    ],
)
def test_other_rows_are_left_to_data_frames(tmp_path, change):
    path = tmp_path / "scores.parquet"
    tare.evaluate(QRELS, RUNS, ["AP", "RR"]).save(path)
    rewritten(path, change)
    quick, general = read_both(path)
    assert quick is None
    assert_same(tare.Scores.load(path), general)
    assert_same_shares(tare.Scores.load(path), general)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: pl.concat([f.head(-1), f.head(1)]), "row 42: duplicate value of AP for x on q0"),
        (
            lambda f: f.with_columns(item=pl.when(pl.col("item") != "q1").then("item")),
            "row 3: the item is missing",
        ),
        (
            lambda f: f.with_columns(
                value=pl.when(pl.col("measure") == "RR").then(1e200).otherwise("value")
            ),
            "row 2: the value 1e\\+200 is too large",
        ),
    ],
)
def test_what_is_wrong_is_told_as_before(tmp_path, change, message):
    path = tmp_path / "scores.parquet"
    tare.evaluate(QRELS, RUNS, ["AP", "RR"]).save(path)
    rewritten(path, change)
    with pytest.raises(FormatError, match=message):
        tare.Scores.load(path)


def test_ids_of_the_metadata_do_not_hide_those_of_the_rows(tmp_path):
    path = tmp_path / "scores.parquet"
    tare.evaluate(QRELS, RUNS, ["AP"]).save(path)
    rewritten(path, lambda frame: frame, systems=["y", "x", "ж"])
    loaded = tare.Scores.load(path)
    assert loaded.systems == ("y", "x", "ж")
    expected = tare.evaluate(QRELS, RUNS, ["AP"])
    np.testing.assert_array_equal(loaded.values[0], expected.values[1])
