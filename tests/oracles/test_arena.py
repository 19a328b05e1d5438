"""Ratings from battles against evalica, choix and statsmodels; brute force; and real battles."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import tare
from tare._data.battles import read_battles
from tare._decide.arena_model import design_of, fit_ratings
from tests.conftest import REAL_DATA

DATA = REAL_DATA / "arena"
real = pytest.mark.usefixtures("real_data")


def battles(seed=0, n=600, systems=7, ties=0.2, covariates=False):
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 0.7, systems)
    a = rng.integers(0, systems, n)
    b = (a + rng.integers(1, systems, n)) % systems
    length = rng.normal(300, 80, (2, n))
    eta = strength[a] - strength[b] + (0.004 * (length[0] - length[1]) + 0.2 if covariates else 0)
    win = np.where(rng.random(n) < 1 / (1 + np.exp(-eta)), "a", "b")
    winner = np.where(rng.random(n) < ties, "tie", win)
    return pl.DataFrame(
        {
            "prompt": rng.integers(0, 60, n),
            "system_a": [f"m{k}" for k in a],
            "system_b": [f"m{k}" for k in b],
            "winner": winner,
            "length_a": length[0],
            "length_b": length[1],
        }
    )


@pytest.mark.parametrize("seed", range(5))
def test_ratings_equal_evalica(seed):
    evalica = pytest.importorskip("evalica")
    frame = battles(seed)
    words = {"a": evalica.Winner.X, "b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    theirs = evalica.bradley_terry(
        frame["system_a"].to_list(),
        frame["system_b"].to_list(),
        [words[w] for w in frame["winner"]],
        tolerance=1e-12,
        limit=100_000,
    ).scores
    fit = fit_ratings(design_of(read_battles(frame)), "half")
    logs = np.log([theirs[name] for name in fit.design.systems])
    np.testing.assert_allclose(fit.ratings, logs - logs.mean(), atol=1e-8)


@pytest.mark.parametrize("rule", ["davidson", "half"])
def test_decisive_battles_equal_choix(rule):
    choix = pytest.importorskip("choix")
    frame = battles(3, ties=0)
    fit = fit_ratings(design_of(read_battles(frame)), rule)
    place = {name: k for k, name in enumerate(fit.design.systems)}
    pairs = [
        (place[a], place[b]) if w == "a" else (place[b], place[a])
        for a, b, w in frame.select("system_a", "system_b", "winner").iter_rows()
    ]
    theirs = choix.ilsr_pairwise(len(place), pairs, tol=1e-13, max_iter=10_000)
    np.testing.assert_allclose(fit.ratings, theirs - theirs.mean(), atol=1e-8)


def test_covariates_equal_logistic_regression():
    api = pytest.importorskip("statsmodels.api")
    frame = battles(4, ties=0, covariates=True)
    study = tare.arena(frame, covariates=["length", "position"], first="a", draws=100)
    names = sorted({*frame["system_a"], *frame["system_b"]})
    design = np.zeros((frame.height, len(names) - 1 + 2))
    for column, sign in (("system_a", 1), ("system_b", -1)):
        for row, name in enumerate(frame[column]):
            if name != names[0]:
                design[row, names.index(name) - 1] = sign
    design[:, -2] = frame["length_a"] - frame["length_b"]
    design[:, -1] = 1
    logit = api.Logit((frame["winner"] == "a").to_numpy().astype(float), design)
    theirs = logit.fit(disp=0, tol=1e-14, maxiter=100)
    ratings = np.array([0.0, *theirs.params[:-2]])
    mine = [study[name].rating for name in names]
    np.testing.assert_allclose(mine, ratings - ratings.mean(), atol=1e-8)
    effects = {r["covariate"]: r for r in study.covariates}
    assert effects["length"]["per_unit"] == pytest.approx(theirs.params[-2], abs=1e-10)
    assert effects["position"]["per_unit"] == pytest.approx(theirs.params[-1], abs=1e-8)
    # The sandwich over prompts, with the factor P/(P − 1).
    groups = frame["prompt"].to_numpy()
    robust = logit.fit(
        disp=0,
        tol=1e-14,
        cov_type="cluster",
        cov_kwds={"groups": groups, "use_correction": False, "df_correction": False},
    )
    prompts = len(set(groups))
    error = (
        effects["position"]["effect_high"] - effects["position"]["effect"]
    ) / study.spread.quantile
    assert error == pytest.approx(robust.bse[-1] * np.sqrt(prompts / (prompts - 1)), rel=1e-6)


def _davidson(strengths, nu, counts):
    """The likelihood written out: products of probabilities as in Davidson (1970)."""
    total = 0.0
    for (a, b), (wins, ties, losses) in counts.items():
        both = strengths[a] + strengths[b] + nu * np.sqrt(strengths[a] * strengths[b])
        total += wins * np.log(strengths[a] / both) + losses * np.log(strengths[b] / both)
        total += ties * np.log(nu * np.sqrt(strengths[a] * strengths[b]) / both)
    return total


def _rao_kupper(strengths, kappa, counts):
    total = 0.0
    for (a, b), (wins, ties, losses) in counts.items():
        first, second = strengths[a] + kappa * strengths[b], strengths[b] + kappa * strengths[a]
        total += wins * np.log(strengths[a] / first) + losses * np.log(strengths[b] / second)
        tie = (kappa**2 - 1) * strengths[a] * strengths[b] / (first * second)
        total += ties * np.log(tie)
    return total


@pytest.mark.parametrize(
    ("rule", "written"), [("davidson", _davidson), ("rao-kupper", _rao_kupper)]
)
def test_likelihoods_of_four_systems_against_brute_force(rule, written):
    """The written-out likelihood has the same value at the fit, and no better value near it."""
    from scipy.optimize import minimize

    frame = battles(5, n=200, systems=4, ties=0.3)
    fit = fit_ratings(design_of(read_battles(frame)), rule)
    design = fit.design
    counts: dict[tuple[int, int], list[float]] = {}
    for a, b, o, n in zip(design.a, design.b, design.outcome, design.counts, strict=True):
        counts.setdefault((int(a), int(b)), [0.0, 0.0, 0.0])[int(1 - o)] += n
    value = written(np.exp(fit.ratings), np.exp(fit.tau), counts)
    assert value == pytest.approx(fit.log_likelihood, abs=1e-8)

    def loss(x):
        tie = np.exp(x[3]) + (1 if rule == "rao-kupper" else 0)
        return -written(np.exp([0, *x[:3]]), tie, counts)

    found = minimize(
        loss,
        np.zeros(4),
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 20_000, "maxfev": 20_000},
    )
    assert -found.fun == pytest.approx(value, abs=1e-7)
    ratings = np.array([0.0, *found.x[:3]])
    np.testing.assert_allclose(fit.ratings, ratings - ratings.mean(), atol=1e-4)


@real
def test_crowd_and_models_of_llmfao():
    llmfao = DATA / "llmfao"
    crowd = tare.arena(llmfao / "crowd-comparisons.csv.gz", covariates=["position"], draws=200)
    assert (crowd.battles, len(crowd.systems), crowd.units) == (8931, 59, 13)
    assert crowd["GPT 4"].rank == 1
    judge = tare.arena(llmfao / "gpt3-crowd-comparisons.csv.gz", covariates=["position"], draws=200)
    assert judge.covariates[0]["effect_low"] > 0  # the left answer wins 1,352 to 593


@real
def test_people_and_models_of_pandalm():
    labels = DATA / "pandalm/testset_labels.csv"
    people = [f"annotator{k}" for k in (1, 2, 3)]
    study = tare.arena(labels, covariates=["length"], winner=people, draws=200)
    assert study.battles == 3 * 999
    assert study.systems[0].system == "llama-7b"
    judged = tare.arena(labels, winner="gpt-3.5-turbo", unknown="drop", draws=200)
    assert judged.battles == 999 - 25
    assert any("25 winners could not be read" in note for note in judged.notes)
