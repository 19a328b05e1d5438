"""The audit of judges against scikit-learn, krippendorff and scipy, and published values of real label sets."""

import krippendorff
import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, roc_auc_score

import tare
from tare._data.labels import read_labels
from tare._kernels.statistics import resampled_indices
from tare.stats import correlate, rbo
from tare.stats._correlation import rbo_of_rows
from tare.studies._judges_labels import (
    by_query,
    common_pairs,
    confusion_of,
    confusion_statistics,
    query_weights,
    rank_statistics,
    resampled,
)
from tests.conftest import REAL_DATA

DATA = REAL_DATA / "judges"
real = pytest.mark.usefixtures("real_data")


def labels(seed, queries=9, documents=14, levels=4):
    """Two label sets of the same pairs, the second a noisy copy of the first."""
    random = np.random.default_rng(seed)
    first = random.integers(0, levels, (queries, documents))
    moved = np.clip(first + random.integers(-1, 2, first.shape), 0, levels)
    second = np.where(random.random(first.shape) < 0.6, first, moved)
    made = [
        {f"q{q}": {f"d{d}": int(v) for d, v in enumerate(row)} for q, row in enumerate(values)}
        for values in (first, second)
    ]
    return [read_labels(m, name=n)[0] for m, n in zip(made, ("human", "llm"), strict=True)]


def columns(pairs):
    return pairs.first_levels[pairs.first], pairs.second_levels[pairs.second]


@pytest.mark.parametrize("seed", range(8))
def test_kappa_alpha_tau_and_auc_equal_other_programs(seed):
    pairs = common_pairs(*labels(seed), same=True)
    x, y = columns(pairs)
    counts, levels = confusion_of(pairs)
    found = confusion_statistics(counts.sum(axis=0), levels)
    for weights, name in (
        (None, "kappa"),
        ("linear", "kappa_linear"),
        ("quadratic", "kappa_quadratic"),
    ):
        assert found[name] == pytest.approx(cohen_kappa_score(x, y, weights=weights), abs=1e-12)
    for nominal, level in ((False, "ordinal"), (True, "nominal")):
        alpha = confusion_statistics(counts.sum(axis=0), levels, nominal=nominal)["alpha"]
        other = krippendorff.alpha(np.array([x, y]), level_of_measurement=level)
        assert alpha == pytest.approx(other, abs=1e-12)
    shape = (len(pairs.queries), len(pairs.first_levels), len(pairs.second_levels))
    tables = by_query(pairs.query, pairs.first, pairs.second, shape).sum(axis=0)
    ranks = rank_statistics(tables, pairs.first_levels >= 2)
    assert ranks["tau_b"] == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)
    assert ranks["auc"] == pytest.approx(roc_auc_score(x >= 2, y), abs=1e-12)


def test_each_resample_is_the_statistic_of_its_resampled_queries():
    """The confusion counts give what resampling the rows themselves would give."""
    pairs = common_pairs(*labels(3), same=True)
    x, y = columns(pairs)
    counts, levels = confusion_of(pairs)
    weights = query_weights(len(pairs.queries), 100, seed=5)
    drawn = resampled(counts, weights, lambda t: confusion_statistics(t, levels))
    places = resampled_indices(len(pairs.queries), 100, seed=5)
    for k in (0, 17, 99):
        rows = np.concatenate([np.flatnonzero(pairs.query == q) for q in places[k]])
        assert drawn["kappa"][k] == pytest.approx(cohen_kappa_score(x[rows], y[rows]), abs=1e-12)
        assert drawn["leniency"][k] == pytest.approx((y - x)[rows].mean(), abs=1e-12)
        alpha = krippendorff.alpha(np.array([x[rows], y[rows]]), level_of_measurement="ordinal")
        assert drawn["alpha"][k] == pytest.approx(alpha, abs=1e-12)


def test_rbo_of_rows_is_rbo():
    random = np.random.default_rng(1)
    x, y = (random.integers(0, 7, (40, 11)).astype(float) for _ in range(2))
    names = [str(k) for k in range(11)]
    one_by_one = [
        rbo(dict(zip(names, a, strict=True)), dict(zip(names, b, strict=True))).ext
        for a, b in zip(x, y, strict=True)
    ]
    np.testing.assert_allclose(rbo_of_rows(x, y), one_by_one, atol=1e-12)


def test_binary_agreement_equals_other_programs():
    human, llm = labels(4)
    found = tare.studies.judges(human, llm, rel=2, cut=2, draws=100)
    x, y = columns(common_pairs(human, llm, same=True))
    (row,) = found.rows_by_name["binary"]
    assert row["kappa"] == pytest.approx(cohen_kappa_score(x >= 2, y >= 2), abs=1e-12)
    balanced = (row["sensitivity"] + row["specificity"]) / 2
    assert balanced == pytest.approx(balanced_accuracy_score(x >= 2, y >= 2), abs=1e-12)


@real
@pytest.mark.parametrize(
    ("year", "judge", "kappa", "binary"),
    [("dl20", "umbrela.gpt4o", 0.3413, 0.4497), ("dl21", "umbrela.gpt4o", 0.3712, 0.5000)],
)
def test_kappa_of_umbrela_and_people(year, judge, kappa, binary):
    """Labels of Arabzadeh and Clarke (2025); the values were computed with scikit-learn."""
    found = tare.studies.judges(DATA / f"labels/{year}.csv.gz", rel=2, draws=100)
    row = next(r for r in found.rows() if r["judge"] == judge)
    assert round(row["kappa"], 4) == kappa
    row = next(r for r in found.rows_by_name["binary"] if r["judge"] == judge)
    assert round(row["kappa"], 4) == binary


PUBLISHED = {
    ("h2oloo-fewself", None): 0.2774,
    ("h2oloo-zeroshot2", None): 0.2589,
    ("h2oloo-fewself", 1): 0.4172,
    ("h2oloo-fewself", 2): 0.4280,
    ("h2oloo-fewself", 3): 0.3048,
    ("Olz-gpt4o", 1): 0.4228,
    ("willia-umbrela3", 3): 0.3215,
}
"""κ of the LLMJudge challenge (Rahmani et al. 2025, arXiv 2502.13908), four grades and by threshold."""


@real
@pytest.mark.parametrize("rel", [None, 1, 2, 3])
def test_published_kappa_of_the_llmjudge_challenge(rel):
    found = tare.studies.judges(DATA / "labels/dl23_llmjudge.csv.gz", rel=rel or 1, draws=100)
    rows = found.rows() if rel is None else found.rows_by_name["binary"]
    ours = {r["judge"]: round(r["kappa"], 4) for r in rows}
    expected = {judge: k for (judge, at), k in PUBLISHED.items() if at == rel}
    assert {judge: ours[judge] for judge in expected} == expected


@real
@pytest.mark.parametrize(("year", "tau"), [(2021, 0.8964), (2022, 0.8710)])
def test_published_tau_of_syndl(year, tau):
    """People and GPT-4 on their own topics (Rahmani et al. 2024, SynDL)."""
    frame = pl.read_csv(DATA / f"matrices/syndl_dl{year}.csv.gz", infer_schema_length=None)
    runs = [c for c in frame.columns if c not in ("judge", "topic")]
    tables = []
    for judge in ("human", "gpt4"):
        part = frame.filter(pl.col("judge") == judge)
        long = part.unpivot(runs, index="topic", variable_name="system", value_name="value")
        long = long.rename({"topic": "item"}).with_columns(measure=pl.lit("nDCG@10"))
        tables.append(tare.Scores.load(long).matrix())
    assert correlate(*tables, paired=False, kind="tau_b", over="none").value == pytest.approx(
        tau, abs=5e-5
    )


@real
def test_scores_under_human_labels_equal_those_of_evaluate():
    runs = sorted((DATA / "runs_dl21").glob("*.run.gz"))[:6]
    found = tare.studies.judges(
        DATA / "labels/dl21.csv.gz",
        runs=runs,
        measures=["nDCG@10", "P(rel=2)@10"],
        splits=5,
        draws=100,
    )
    expected = tare.evaluate(DATA / "runs_dl21/qrels.txt.gz", runs, ["nDCG@10", "P(rel=2)@10"])
    means = expected.means()
    for row in found.rows_by_name["systems"]:
        if row["judge"] != "umbrela.gpt4o":  # others lack some queries
            continue
        assert row["human"] == pytest.approx(means[row["system"]][row["measure"]], abs=1e-12)
