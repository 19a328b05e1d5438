"""Saved score tables: all comes back, in row groups of any size, and what is wrong is told."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import tare
from tare._data.formats import parquet
from tare._kernels.threads_and_blocks import Seams, cut
from tare._measures.judged_share import judged_shares
from tare._measures.saved_scores import KEY
from tare.errors import FormatError

QRELS = {f"q{i}": {"a": i % 3, "b": 1, "c": 0} for i in range(7)}
RUNS = {
    name: {f"q{i}": {"a": 1.0, "b": shift + i % 2, "z": 0.5} for i in range(6)}
    for name, shift in (("x", 0.2), ("y", 1.5), ("ж", 0.7))
}


def assert_same(one, other):
    for field in ("systems", "items", "measures", "signatures", "findings", "attributes", "seed"):
        assert getattr(one, field) == getattr(other, field), field
    np.testing.assert_array_equal(one.values, other.values)
    assert list(one.ratios) == list(other.ratios)
    for measure, ratio in other.ratios.items():
        np.testing.assert_array_equal(one.ratios[measure].parts, ratio.parts)


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
def test_all_comes_back(tmp_path, measures, options, rows):
    scores = tare.evaluate(QRELS, RUNS, measures, **options)
    path = tmp_path / "scores.parquet"
    with cut(Seams(saved_rows=rows)):
        scores.save(path)
    loaded = tare.Scores.load(path)
    assert_same(loaded, scores)
    expected = judged_shares(scores)
    assert list(loaded.judged) == list(expected)
    for measure, shares in expected.items():
        np.testing.assert_array_equal(loaded.judged[measure], shares)


@pytest.mark.parametrize("rows", [1, 5, 1 << 20])
def test_arrays_beside_the_values_need_no_known_name(tmp_path, rows):
    """They are selected, joined, saved and loaded, whatever they are called."""
    scores = tare.evaluate(QRELS, RUNS, ["AP", "Net(RR)"], pool="judged")
    number = np.arange(3.0 * 7).reshape(3, 7)
    lists = np.stack([number, number + 0.5], axis=2)
    named = {**scores.columns.get("Net(RR)", {}), "kind": number, "several": lists}
    columns = {scores.measures[0]: {"kind": number + 1}, scores.measures[1]: named}
    kinds = {item: item for item in scores.items}
    scores = replace(scores, columns=columns).with_attribute("kind", kinds).clustered("kind")
    scores = scores.with_range(0, 2)
    first, rest = scores.items[:3], scores.items[3:]
    both = scores.select(items=rest).join(scores.select(items=first))
    with cut(Seams(saved_rows=rows)):
        both.save(tmp_path / "scores.parquet")
    loaded = tare.Scores.load(tmp_path / "scores.parquet")
    assert (loaded.cluster, loaded.range) == (scores.cluster, (0.0, 2.0))
    assert loaded.attributes == scores.attributes
    for made in (both, loaded):
        for measure, held in columns.items():
            for name, array in held.items():
                np.testing.assert_array_equal(made.columns[measure][name], array)
    np.testing.assert_array_equal(loaded.intervals(), scores.intervals())


def test_standard_errors_of_sampled_values_come_back(tmp_path):
    scores = tare.evaluate(QRELS, RUNS, "pValue(AP)", corpus=1000, samples=9)
    assert scores.errors is not None
    scores.save(tmp_path / "scores.parquet")
    np.testing.assert_array_equal(
        tare.Scores.load(tmp_path / "scores.parquet").errors, scores.errors
    )


def rewritten(path, change, **about):
    """Write the rows of a saved file again, changed, with the same metadata or others."""
    with parquet.opened(path) as file:
        frame, known = file.read(), json.loads(file.metadata[KEY])
    change(frame).write_parquet(path, metadata={KEY: json.dumps({**known, **about})})


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.reverse(),
        lambda frame: frame.with_columns(pl.col("value").cast(pl.String)),
        lambda frame: frame.with_columns(pl.col("item").cast(pl.Categorical)),
        lambda frame: frame.select("item", "system", pl.exclude("item", "system")),
        lambda frame: frame.rename({"value": "score", "item": "query"}),
    ],
)
def test_the_order_and_the_types_of_columns_change_nothing(tmp_path, change):
    path = tmp_path / "scores.parquet"
    scores = tare.evaluate(QRELS, RUNS, ["AP", "RR"])
    scores.save(path)
    rewritten(path, change)
    assert_same(tare.Scores.load(path), scores)


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
def test_what_is_wrong_is_told(tmp_path, change, message):
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
