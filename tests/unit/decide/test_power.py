"""The power study: the curves of the statistics, sizes, and a journal."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tare import power
from tare._cli.main import main
from tare.errors import OptionError
from tare.stats import power_curve
from tests.unit.studies.tables import table

FAST = {
    "simulations": 400,
    "null_simulations": 800,
    "steps": (0, 0.5, 1),
    "tests": ("t", "wilcoxon"),
}


@pytest.fixture(scope="module")
def scores():
    """Machines that score 1 to 3 and people that score 3 to 5."""
    random = np.random.default_rng(0)
    machines = random.integers(1, 4, (4, 20))
    people = random.integers(3, 6, (3, 20))
    return table(np.vstack([machines, people]), ("helpful",))


MACHINES, PEOPLE = ("s00", "s01", "s02", "s03"), ("s04", "s05", "s06")


def test_curves_are_those_of_the_statistics(scores):
    found = power(scores, MACHINES, PEOPLE, items=8, **FAST)
    for effects, documents in (("without", False), ("with", True)):
        curve = power_curve(
            scores.matrix(), range(4), range(4, 7), items=8, documents=documents, **FAST
        )
        for test in FAST["tests"]:
            own = [
                r["power"]
                for r in found.curves
                if (r["document_effects"], r["test"]) == (effects, test)
            ]
            assert own == pytest.approx(curve.rates[test].tolist())
            cutoff = next(
                r["cutoff"]
                for r in found.cutoffs
                if (r["document_effects"], r["test"]) == (effects, test)
            )
            assert cutoff == curve.cutoffs[test]


def test_nothing_is_found_where_nothing_is_and_all_where_much_is(scores):
    found = power(scores, MACHINES, PEOPLE, **FAST)
    for test in FAST["tests"]:
        at = {
            r["t"]: r["power"]
            for r in found.curves
            if r["test"] == test and r["document_effects"] == "without"
        }
        assert at[0] <= 0.05
        assert at[1] > 0.95
        assert at[0] < at[0.5] <= at[1]
    for row in found.sizes:
        assert row["size"] < 0.05 + 5 * row["error"] + 0.02


def test_an_interrupted_study_goes_on(scores, tmp_path):
    whole = power(scores, MACHINES, PEOPLE, **FAST)
    calls = []

    def interrupt(name):
        calls.append(name)
        if len(calls) == 3:
            raise KeyboardInterrupt

    path = tmp_path / "journal"
    with pytest.raises(KeyboardInterrupt):
        power(scores, MACHINES, PEOPLE, journal=path, progress=interrupt, **FAST)
    again = power(scores, MACHINES, PEOPLE, journal=path, **FAST)
    assert json.dumps(again.to_dict()) == json.dumps(whole.to_dict())


def test_the_command(scores, tmp_path, capsys):
    scores.save(tmp_path / "scores.parquet")
    arguments = [
        "study",
        "power",
        str(tmp_path / "scores.parquet"),
        "--first",
        "s00",
        "--second",
        "s04",
        "s05",
    ]
    report = tmp_path / "power.html"
    assert main([*arguments, "--simulations", "200", "--test", "t", "--report", str(report)]) == 0
    assert "wilcoxon" not in capsys.readouterr().out
    assert "document effects" in report.read_text(encoding="utf-8")
    assert main([*arguments, "--test", "tukey"]) == 2
    with pytest.raises(OptionError, match="at least one test"):
        power(scores, MACHINES, PEOPLE, tests=())


def test_one_sided_cutoffs_find_more_on_their_side_and_nothing_on_the_other():
    random = np.random.default_rng(2)
    values = random.random((4, 20)) + np.array([0, 0, 0.25, 0.25])[:, None]
    how = {
        "tests": ["t", "wilcoxon", "sign"],
        "steps": [0.4],
        "simulations": 600,
        "null_simulations": 1500,
        "draws": 199,
        "items": 12,
    }
    curves = {
        side: power_curve(np.round(values, 2), [0, 1], [2, 3], side=side, **how)
        for side in ("both", "above", "below")
    }
    for test in how["tests"]:
        both, above, below = (curves[side].rates[test][1] for side in ("both", "above", "below"))
        assert above > below, test
        assert test == "sign" or above > both  # its few values of p leave it a smaller size
        assert below < 0.05
        assert curves["above"].rates[test][0] <= 0.05  # cutoffs have the size that was asked for
    assert curves["above"].t.tolist() == [0.0, 0.4]
    assert "one-sided, the second group above" in str(curves["above"])


def test_one_sided_p_is_scipys():
    from scipy import stats

    from tare.stats import paired_t, sign_test, wilcoxon
    from tare.stats._classical_tests import one_sided
    from tare.stats._paired_differences import Pairs

    random = np.random.default_rng(5)
    x, y = random.random((2, 15))
    pairs = Pairs.of_arrays(x, y)
    for side, alternative in (("below", "greater"), ("above", "less")):
        wins = int((x > y).sum())
        own = {
            paired_t: stats.ttest_rel(x, y, alternative=alternative).pvalue,
            wilcoxon: stats.wilcoxon(x, y, alternative=alternative).pvalue,
            sign_test: stats.binomtest(wins, 15, alternative=alternative).pvalue,
        }
        for test, p in own.items():
            found = one_sided(test(pairs), side)[0]
            if p < 0.5:  # beyond, discrete tests leave out the observed value itself
                assert found == pytest.approx(p, rel=1e-9), test.__name__
            else:
                assert 0.5 - 1e-9 <= found <= p + 1e-9, test.__name__


def test_steps_and_side_of_the_command(tmp_path, capsys):
    random = np.random.default_rng(3)
    scores = table(np.round(random.random((2, 10)), 2), systems=["a", "b"])
    scores.save(tmp_path / "s.parquet")
    words = ["power", str(tmp_path / "s.parquet"), "--simulations", "50", "--test", "t"]
    more = ["--first", "a", "--second", "b", "--steps", "0.25", "1", "--side", "above"]
    assert main([*words, *more, "--format", "csv"]) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()] == [
        *("mixture", "0.0", "0.25", "1.0")
    ]
    assert main([*words, "--steps", "0.5"]) == 2
    assert main(["study", *words, *more, "--format", "csv"]) == 0
    assert "power without,0.25" in capsys.readouterr().out
    assert main(["study", *words, *more[:-1], "abov"]) == 2
