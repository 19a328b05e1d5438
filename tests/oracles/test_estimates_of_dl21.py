"""Estimates on real labels: TREC Deep Learning 2021, people and UMBRELA with GPT-4o, 30 runs."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import tare

LABELS = "judges/labels/dl21.csv.gz"


@pytest.fixture(scope="module")
def data(real_data):
    if not (real_data / LABELS).is_file():
        pytest.skip(f"no labels at {real_data / LABELS}; TARE_DATA names the folder of real data")
    runs = sorted(p for p in (real_data / "judges/runs_dl21").iterdir() if "qrels" not in p.name)
    table = pl.read_csv(real_data / LABELS, infer_schema_length=20_000)
    table = table.with_columns(pl.col("topic").cast(pl.String))
    human, judge = (
        table.select("topic", "doc", pl.col(name).alias("grade")).drop_nulls()
        for name in ("human", "umbrela.gpt4o")
    )
    return human, judge, runs


def test_the_judge_overrates_and_the_estimate_does_not(data):
    human, judge, runs = data
    true = tare.evaluate(human, runs, "nDCG@10").means()
    topics = sorted(human["topic"].unique())
    drawn = np.random.default_rng(1).choice(topics, 20, replace=False).tolist()
    people = human.filter(pl.col("topic").is_in(drawn))
    found = tare.estimate(people, judge, runs, "nDCG@10", design="queries")
    rows = found.rows()
    assert len(rows) == 30
    assert (rows[0]["n"], rows[0]["n_judge"]) == (20, 53)
    gaps = np.array([row["judge"] - true[row["system"]]["nDCG@10"] for row in rows])
    assert gaps.min() > 0.05  # every run is overrated
    inside = [row["low"] <= true[row["system"]]["nDCG@10"] <= row["high"] for row in rows]
    assert np.mean(inside) >= 0.9
    pairs = found.all_rows()["differences"]
    narrower = [
        (row["high"] - row["low"]) < (row["people_high"] - row["people_low"]) for row in pairs
    ]
    assert np.mean(narrower) > 0.8
