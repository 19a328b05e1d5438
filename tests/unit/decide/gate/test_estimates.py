"""The gate of estimates: paired with the errors of the estimates, or as independent ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import tare
from tare._cli.main import main
from tare.errors import OptionError


def labels(seed=0, queries=60, labelled=25, flip=0.2):
    """Judgements by people for the first queries and by a judge for all; the judge errs."""
    rng = np.random.default_rng(seed)
    truth = {f"q{k}": {f"d{j}": int(rng.random() < 0.4) for j in range(8)} for k in range(queries)}
    for documents in truth.values():
        documents["d0"] = 1
    judge = {
        q: {d: int(g ^ (rng.random() < flip)) for d, g in documents.items()}
        for q, documents in truth.items()
    }
    return {q: truth[q] for q in list(truth)[:labelled]}, judge, truth


def run(truth, skill, seed):
    rng = np.random.default_rng(seed)
    return {q: {d: skill * g + rng.normal() for d, g in ds.items()} for q, ds in truth.items()}


@pytest.fixture(scope="module")
def world():
    people, judge, truth = labels()
    return (
        people,
        judge,
        {"old": run(truth, 2.0, 1), "new": run(truth, 2.0, 2), "bad": run(truth, 0.1, 3)},
    )


def estimates(world, *systems, measures="P@3", **options):
    people, judge, runs = world
    return tare.estimate(people, judge, {s: runs[s] for s in systems}, measures, **options)


def test_a_paired_gate_has_the_difference_of_the_comparison(world):
    """Two files of one system give the numbers of one file with both systems."""
    both = estimates(world, "old", "new", weight=0.5)
    options = {"measures": {"P@3": 0.1}, "certify": True}
    together = tare.gate(both, both, **options, system="new", baseline_system="old")
    apart = tare.gate(
        estimates(world, "new", weight=0.5), estimates(world, "old", weight=0.5), **options
    )
    one, other = together.measures[0], apart.measures[0]
    assert other.difference == pytest.approx(one.difference, abs=1e-12)
    assert (other.bound, other.p) == pytest.approx((one.bound, one.p), abs=1e-12)
    assert not apart.findings
    row = tare.compare(both, baseline="old").rows()[0]
    sign = 1 if row["system"] == "new" else -1
    assert one.difference == pytest.approx(sign * row["difference"], abs=1e-12)
    fit = both.estimators[0].fit
    new, old = both.systems.index("new"), both.systems.index("old")
    spread = fit.differences(np.array([new]), np.array([old]))
    t = stats.t.ppf(0.95, np.floor(spread.freedom[0]))
    assert one.bound == pytest.approx(spread.value[0] - t * spread.error[0], abs=1e-9)
    p = stats.t.cdf(spread.value[0] / spread.error[0], np.floor(spread.freedom[0]))
    assert one.p == pytest.approx(p, abs=1e-9)


def test_with_all_labels_and_no_judge_it_is_the_gate_of_scores(world):
    _, judge, runs = world
    truth = labels()[2]
    one = [
        tare.estimate(truth, judge, {s: runs[s]}, "P@3", weight=0.0, design="queries")
        for s in ("new", "old")
    ]
    found = tare.gate(*one, {"P@3": 0.1}, certify=True).measures[0]
    scores = [tare.evaluate(truth, runs[s], "P@3").matrix()[0] for s in ("new", "old")]
    d = scores[0] - scores[1]
    assert found.difference == pytest.approx(d.mean(), abs=1e-12)
    assert found.p == pytest.approx(stats.ttest_1samp(d, 0, alternative="less").pvalue, abs=1e-9)
    other = stats.ttest_1samp(d, 0, alternative="greater")
    assert found.bound == pytest.approx(other.confidence_interval(0.95).low, abs=1e-9)


def test_other_labelled_queries_are_independent_estimates(world):
    people, judge, runs = world
    fewer = {q: people[q] for q in list(people)[:20]}
    one = tare.estimate(people, judge, {"new": runs["new"]}, "P@3")
    other = tare.estimate(fewer, judge, {"old": runs["old"]}, "P@3")
    found = tare.gate(one, other, {"P@3": 0.1}, certify=True)
    assert any("people labelled other queries" in str(finding) for finding in found.findings)
    parts = [e.estimators[0].fit.systems() for e in (one, other)]
    error = np.hypot(parts[0].error[0], parts[1].error[0])
    half = found.measures[0].difference - found.measures[0].bound
    assert half > stats.norm.ppf(0.95) * error
    assert half == pytest.approx(stats.norm.ppf(0.95) * error, rel=0.1)


@pytest.mark.parametrize("target", ["all-queries", "these-queries"])
def test_labels_of_single_documents(world, target):
    _, judge, runs = world
    rng = np.random.default_rng(4)
    truth = labels()[2]
    some = {
        q: {d: g for d, g in documents.items() if d == "d0" or rng.random() < 0.5}
        for q, documents in truth.items()
    }
    options = {"design": "documents", "inclusion": 0.5, "target": target, "weight": 1.0}
    both = tare.estimate(some, judge, {s: runs[s] for s in ("new", "old")}, "P@3", **options)
    one, other = (
        tare.estimate(some, judge, {s: runs[s]}, "P@3", **options) for s in ("new", "old")
    )
    asked = {"measures": {"P@3": 0.1}, "certify": True}
    together = tare.gate(both, both, **asked, system="new", baseline_system="old")
    apart = tare.gate(one, other, **asked)
    a, b = together.measures[0], apart.measures[0]
    assert b.difference == pytest.approx(a.difference, abs=1e-12)
    if target == "all-queries":
        assert (b.bound, b.p) == pytest.approx((a.bound, a.p), abs=1e-12)
    else:
        assert any("not estimated on the same" in str(finding) for finding in apart.findings)


def test_verdicts_of_estimates(world):
    bad, old = estimates(world, "bad"), estimates(world, "old")
    found = tare.gate(bad, old)
    assert (found.verdict, found.exit_code) == ("block", 1)
    assert found.answer().startswith("A loss is shown: −0.")
    assert " on 25 labelled queries; p " in found.answer()
    same = tare.gate(old, old)
    assert (same.verdict, same.answer()) == ("pass", "Nothing changed on 25 labelled queries.")
    assert tare.gate(bad, old, {"P@3": 0.9}).measures[0].verdict == "within tolerance"
    near = tare.gate(estimates(world, "new"), old)
    assert near.answer().startswith("No loss shown (adjusted p = ")
    certified = tare.gate(old, old, {"P@3": 0.05}, certify=True)
    assert certified.answer().endswith("be certified (if errors are normal).")
    unclear = tare.gate(estimates(world, "new"), old, {"P@3": 0.01}, certify=True)
    assert unclear.exit_code == 4
    assert unclear.answer().startswith(
        "Not certified: a mean loss of 0.01 is not ruled out (lower bound −"
    )
    assert tare.gate(bad, old, {"P@3": 0.01}, certify=True).exit_code == 1


def test_measures_of_estimates_are_adjusted_by_holm(world):
    bad, old = (estimates(world, name, measures=["P@3", "P@5"]) for name in ("bad", "old"))
    rows = tare.gate(bad, old).measures
    p = sorted(row.p for row in rows)
    assert min(row.adjusted for row in rows) == pytest.approx(2 * p[0])
    with pytest.raises(OptionError, match=r"P@3, P@5 has no margin"):
        tare.gate(bad, old, certify=True)


def test_what_is_refused(world):
    both = estimates(world, "old", "new")
    with pytest.raises(OptionError, match="not for estimates"):
        tare.gate(both, both, cluster="session")
    with pytest.raises(OptionError, match="--system"):
        tare.gate(both, both, {"P@3": 0.02})
    with pytest.raises(OptionError, match="no system 'x'"):
        tare.gate(both, both, {"P@3": 0.02}, system="x")
    with pytest.raises(OptionError, match="no estimate of AP"):
        tare.gate(both, both, {"AP": 0.02}, system="new", baseline_system="old")
    scores = tare.evaluate(labels()[2], world[2]["old"], "P@3")
    with pytest.raises(OptionError, match="two estimates"):
        tare.gate(scores, both, {"P@3": 0.02})


def test_from_the_shell(world, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("old", "new", "bad"):
        estimates(world, name).save(f"{name}.parquet")
    estimates(world, "old", "bad").save("both.parquet")
    gate = ["--baseline", "main.parquet", "-m", "P@3:0.02"]
    assert main(["gate", "old.parquet", *gate, "--update"]) == 0
    assert main(["gate", "bad.parquet", *gate, "--report", "g.html"]) == 1
    assert "A loss is shown" in capsys.readouterr().out
    assert (
        main(
            [
                "gate",
                "both.parquet",
                "--baseline",
                "both.parquet",
                "-m",
                "P@3:0.02",
                "--system",
                "bad",
                "--baseline-system",
                "old",
            ]
        )
        == 1
    )
    assert main(["gate", "both.parquet", *gate, "--update", "--system", "bad"]) == 2
    assert "estimates of one system" in capsys.readouterr().err


@pytest.mark.slow
def test_error_rates_of_estimates():
    """False alarms and false certificates of paired estimates over simulated label sets."""
    worlds, alpha, margin = 2000, 0.05, 0.1
    blocked = certified = 0
    rng = np.random.default_rng(0)
    from tare._decide.estimates import Estimates
    from tare._decide.judge_corrected import Estimator, QuerySample

    def made(human, judge, others, name):
        sample = QuerySample(human[None], judge[None], others[None])
        queries = tuple(f"q{k}" for k in range(human.size + others.size))
        return Estimates((name,), queries, (Estimator("P@3", sample),), "queries")

    for loss in (0.0, margin):
        for _ in range(worlds):
            hard = rng.normal(0, 0.2, 140)
            true = [0.5 + hard + rng.normal(0, 0.2, 140) - (loss if s == 0 else 0) for s in (0, 1)]
            label = [t + 0.1 + rng.normal(0, 0.15, 140) for t in true]
            one, other = (
                made(t[:40], j[:40], j[40:], n)
                for t, j, n in zip(true, label, ("a", "b"), strict=True)
            )
            if loss == 0:
                blocked += tare.gate(one, other, alpha=alpha).exit_code
            else:
                found = tare.gate(one, other, {"P@3": margin}, certify=True, alpha=alpha)
                certified += found.verdict == "certified"
    limit = alpha + 3 * (alpha * (1 - alpha) / worlds) ** 0.5
    print(f"false alarms {blocked / worlds:.4f}, false certificates {certified / worlds:.4f}")
    assert blocked / worlds <= limit
    assert certified / worlds <= limit
