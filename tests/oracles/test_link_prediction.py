"""Six models on WN18RR: filtered ranks of heads and tails, as Akrami et al. (SIGMOD 2020) published them."""

from __future__ import annotations

import polars as pl
import pytest

import tare

MODELS = ("transe", "distmult", "complex", "conve", "rotate", "tucker")
AMRI = (0.8827, 0.8151, 0.8172, 0.7561, 0.8359, 0.6783)
MRR = (0.2244, 0.3711, 0.3980, 0.4292, 0.4761, 0.4514)


@pytest.fixture(scope="module")
def table(real_data) -> pl.DataFrame:
    path = real_data / "ranks" / "WN18RR_ranks.csv.gz"
    if not path.is_file():
        pytest.skip(f"no ranks at {path}; TARE_DATA names the folder of real data")
    frame = pl.read_csv(path, infer_schema_length=None).with_row_index("triple")
    return pl.concat(
        frame.select(
            pl.format(f"{side}:{{}}", "triple").alias("query"),
            pl.col(f"{model}.{column}_filtered").cast(pl.Int64).alias("rank"),
            pl.col(f"candidates_{side}").alias("candidates"),
            pl.lit(model).alias("system"),
        ).drop_nulls()
        for model in MODELS
        for side, column in (("head", "left"), ("tail", "right"))
    )


def test_net_mean_rank_is_the_adjusted_index(table):
    scores = tare.ranks(table, measures=["RR", "MeanRank"], ranks_above="keep")
    means = scores.means()
    assert scores.counts()[:, 0].tolist() == [2 * 3134] * 6
    assert [round(means[model]["Net(MeanRank)"], 4) for model in MODELS] == list(AMRI)
    assert [round(means[model]["RR"], 4) for model in MODELS] == list(MRR)
    # The measure differs, not chance: TuckER is second by RR and Net(RR), last by MeanRank and its net.
    for measure, place in (("RR", 1), ("Net(RR)", 1), ("Net(MeanRank)", 5)):
        order = sorted(MODELS, key=lambda model: -means[model][measure])
        assert order[place] == "tucker"


def test_ranks_above_the_candidates_are_refused_unless_kept(table):
    with pytest.raises(tare.TareError, match="conve .*--ranks-above keep"):
        tare.ranks(table)
    scores = tare.ranks(table, ranks_above="keep")
    finding = next(f for f in scores.findings if f.kind == "ranks above the candidates")
    assert finding.examples[0].startswith("conve")
