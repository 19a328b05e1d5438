"""The study of battles: ratings, ranks, components, and what is refused."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import tare
from tare._cli.main import main
from tare._data.battles import read_battles
from tare._decide.arena_model import (
    design_of,
    fit_ratings,
    pair_flips,
    sandwich,
    unit_blocks,
    unit_scores,
)
from tare.errors import MismatchError, OptionError
from tests.unit.decide.arena.worlds import PAIRS, drawn


def table(
    seed=0, prompts=40, per_prompt=12, ratings=(0.8, 0.2, 0.0, -1.0), position=0.0, length=0.0
):
    rng = np.random.default_rng(seed)
    n = prompts * per_prompt
    a, b = PAIRS[rng.integers(0, 6, n)].T
    turned = rng.random(n) < 0.5
    a, b = np.where(turned, b, a), np.where(turned, a, b)
    lengths = rng.normal(100, 20, (2, n))
    true = np.array(ratings)
    eta = true[a] - true[b] + position + length * (lengths[0] - lengths[1]) / np.sqrt(800)
    words = np.array(["b", "tie", "a"])[drawn(eta, -0.3, rng) + 1]
    return pl.DataFrame(
        {
            "prompt": [f"p{k}" for k in np.repeat(np.arange(prompts), per_prompt)],
            "system_a": [f"s{k}" for k in a],
            "system_b": [f"s{k}" for k in b],
            "winner": words,
            "length_a": lengths[0],
            "length_b": lengths[1],
        }
    )


def test_ratings_ranks_and_win_rates():
    found = tare.arena(table(), draws=500)
    assert [s.system for s in found.systems] == ["s0", "s1", "s2", "s3"]
    assert sum(s.rating for s in found.systems) == pytest.approx(0, abs=1e-12)
    assert [s.p_best for s in found.systems[:2]] == [1.0, found.difference("s0", "s1").p_value]
    assert np.mean([s.win_rate for s in found.systems]) == pytest.approx(0.5)
    assert found["s0"].rank_low == found["s0"].rank_high == 1
    assert (found["s1"].rank_low, found["s2"].rank_high) == (2, 3)
    assert found["s0"].elo == pytest.approx(1000 + 400 / np.log(10) * found["s0"].rating)
    for s in found.systems:
        assert s.low < s.rating < s.high
        assert s.win_low < s.win_rate < s.win_high
        assert s.wins + s.ties + s.losses == s.battles
    gap = found.difference("s0", "s3")
    assert gap.low < 1.8 < gap.high
    assert gap.p_value == 1 / 501
    assert found.difference("s3", "s0").difference == -gap.difference


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half"])
def test_order_of_rows_and_of_systems_changes_nothing(ties):
    frame = table(1)
    turned = frame.select(
        "prompt",
        pl.col("system_b").alias("system_a"),
        pl.col("system_a").alias("system_b"),
        pl.col("winner").replace({"a": "b", "b": "a"}),
        pl.col("length_b").alias("length_a"),
        pl.col("length_a").alias("length_b"),
    ).sample(fraction=1, shuffle=True, seed=3)
    one = tare.arena(frame, covariates=["length"], draws=200, ties=ties)
    other = tare.arena(turned, covariates=["length"], draws=200, ties=ties)
    assert one.rows() == other.rows()
    assert one.covariates == other.covariates


def test_covariates_are_tested_and_removed():
    frame = table(2, prompts=80, position=0.5, length=0.8)
    found = tare.arena(frame, covariates=["length", "position"], first="a", draws=200)
    effects = {r["covariate"]: r for r in found.covariates}
    assert effects["length"]["effect_low"] < 0.8 < effects["length"]["effect_high"]
    assert effects["position"]["effect_low"] < 0.5 < effects["position"]["effect_high"]
    assert effects["length"]["p_value"] < 1e-6
    assert found["s0"].unadjusted != found["s0"].rating


def influence(fit):
    """The pseudo-values of each unit: ratings + U × influence, in dense arrays."""
    size, parts = fit.design.size, fit.parts()
    scores = []
    for rows, first, last in unit_blocks(fit.design, size):
        mine, rest = unit_scores(fit, rows, first, last, parts)
        whole = mine if isinstance(mine, np.ndarray) else mine.toarray()
        scores.append(np.hstack([whole, rest]))
    moved = np.vstack(scores) @ np.linalg.inv(fit.hessian)
    return fit.ratings + len(moved) * moved[:, :size]


@pytest.mark.parametrize("prompts", [4, 9])
def test_flips_are_the_max_t_of_the_units_influence(prompts):
    """All sign patterns: p-values and intervals are those of max_t on a table of units and systems."""
    design = design_of(read_battles(table(3, prompts=prompts), first="a"), ["length", "position"])
    fit = fit_ratings(design)
    spread = sandwich(fit)
    found = pair_flips(fit, spread, draws=1000, seed=0, alpha=0.05)
    plain = tare.stats.max_t(influence(fit))
    above = np.triu_indices(4, 1)
    assert found.exact
    assert found.patterns == plain.patterns
    assert found.p[above] == pytest.approx(plain.p, abs=1e-12)
    assert found.critical[0] == pytest.approx(plain.critical_t, nan_ok=True)
    if prompts == 9:
        half = found.critical[0] * spread.difference_errors(4)[above]
        assert half == pytest.approx((plain.high - plain.low) / 2)


def test_drawn_flips_agree_with_max_t_and_with_flips_of_equal_battles_together():
    battles = read_battles(table(3, prompts=60).drop("prompt", "length_a", "length_b"))
    fit = fit_ratings(design_of(battles))
    assert fit.design.times.max() > 1
    found = pair_flips(fit, sandwich(fit), draws=4000, seed=1, alpha=0.05)
    alone = np.repeat(influence_of_kinds(fit), fit.design.times.astype(int), axis=0)
    plain = tare.stats.max_t(alone, draws=4000, seed=2)
    assert not found.exact
    assert found.p[np.triu_indices(4, 1)] == pytest.approx(plain.p, abs=0.03)
    assert found.critical[0] == pytest.approx(plain.critical_t, rel=0.03)


def influence_of_kinds(fit):
    """The pseudo-values of each kind of battle, of which `times` are alike."""
    moved = influence(fit) - fit.ratings
    return fit.ratings + moved / len(moved) * fit.design.units


def test_a_prior_leaves_the_mean_of_the_pseudo_values_at_the_ratings():
    rows = [(f"p{k}", "x", "y", "a" if k % 3 else "b") for k in range(30)]
    rows += [(f"p{k}", "z", "xy"[k % 2], "b") for k in range(10)]
    found = tare.arena(rows, draws=4000)
    gap = found.difference("y", "z")
    assert (gap.low > 0) == (gap.p_value <= 0.05)
    assert found["z"].rank_low == (3 if gap.low > 0 else 1)


@pytest.mark.parametrize("seed", range(6))
def test_ranks_letters_intervals_and_p_agree(seed):
    found = tare.arena(table(seed, prompts=12, ratings=(0.3, 0.2, 0.0, -0.3)), draws=300)
    for s in found.systems:
        gaps = [found.difference(s.system, o.system) for o in found.systems if o is not s]
        worse = sum(gap.low > 0 for gap in gaps)
        better = sum(gap.high < 0 for gap in gaps)
        assert (s.rank_low, s.rank_high) == (1 + better, 4 - worse)
        assert s.rank_low <= s.rank <= s.rank_high
        for gap, other in zip(gaps, [o for o in found.systems if o is not s], strict=True):
            apart = gap.low > 0 or gap.high < 0
            assert apart == (gap.p_value <= 0.05)
            assert apart == (not set(s.letters) & set(other.letters))


def test_few_prompts_cannot_separate_ranks():
    found = tare.arena(table(prompts=5, per_prompt=200), draws=300)
    assert {(s.rank_low, s.rank_high) for s in found.systems} == {(1, 4)}
    assert np.isnan(found.difference("s0", "s3").low)
    assert "5 prompts cannot separate ranks: at least 6 are needed." in found.notes


def test_systems_that_are_not_connected_are_ranked_apart():
    rows = [(f"p{k}", "a1", "a2", "a" if k % 3 else "b") for k in range(30)]
    rows += [(f"p{k}", "b1", "b2", "a" if k % 4 else "b") for k in range(30)]
    found = tare.arena([(p, f"x{a}", f"x{b}", w) for p, a, b, w in rows], draws=200)
    assert found.components == (("xa1", "xa2"), ("xb1", "xb2"))
    assert [s.rank for s in found.systems] == [1, 2, 1, 2]
    assert [s.component for s in found.systems] == [1, 1, 2, 2]
    assert any("not connected by battles" in note and "xb1" in note for note in found.notes)
    with pytest.raises(MismatchError, match="not connected"):
        found.difference("xa1", "xb1")


def test_a_system_that_lost_everything_gets_a_prior():
    rows = [(f"p{k}", "x", "y", "a" if k % 3 else "b") for k in range(30)]
    rows += [(f"p{k}", "z", "xy"[k % 2], "b") for k in range(10)]
    found = tare.arena(rows, draws=200)
    assert found.prior == 3.0
    assert np.isfinite([s.rating for s in found.systems]).all()
    assert found.systems[-1].system == "z"
    assert any("won or lost everything" in note and "(z)" in note for note in found.notes)
    assert tare.arena(rows[:30], draws=200).prior is None


def test_what_is_refused():
    rows = [(f"p{k}", "x", "y", "a" if k % 3 else "b") for k in range(30)]
    with pytest.raises(MismatchError, match="all battles are ties"):
        tare.arena([(p, a, b, "tie") for p, a, b, _ in rows])
    with pytest.raises(MismatchError, match="one prompt"):
        tare.arena([("p", a, b, w) for _, a, b, w in rows])
    with pytest.raises(OptionError, match="no such covariate"):
        tare.arena(rows, covariates=["length"])
    with pytest.raises(OptionError, match="nothing is known about who was shown first"):
        tare.arena(rows, covariates=["position"])
    with pytest.raises(OptionError, match="cluster='judge' is not possible"):
        tare.arena(rows, cluster="judge")
    with pytest.raises(OptionError, match="ties"):
        tare.arena(rows, ties="elo")
    with pytest.raises(OptionError, match="no system 'z'"):
        tare.arena(rows, draws=100).difference("x", "z")
    frame = table(5).with_columns(
        pl.when(pl.col("system_a") == "s0").then(1.0).otherwise(0.0).alias("bold_a"),
        pl.when(pl.col("system_b") == "s0").then(1.0).otherwise(0.0).alias("bold_b"),
    )
    with pytest.raises(MismatchError, match="cannot be separated"):
        tare.arena(frame, covariates=["bold"])


def test_win_rates_of_pairs_are_counted():
    found = tare.arena(table(7), draws=100)
    counted = {}
    for a, b, word in table(7).select("system_a", "system_b", "winner").iter_rows():
        score = {"a": 1.0, "tie": 0.5, "b": 0.0}[word]
        counted.setdefault((min(a, b), max(a, b)), []).append(score if a < b else 1 - score)
    assert {(r["a"], r["b"]): r["battles"] for r in found.pairs} == {
        pair: len(scores) for pair, scores in counted.items()
    }
    for row in found.pairs:
        scores = counted[row["a"], row["b"]]
        assert row["win_rate"] == pytest.approx(np.mean(scores))
        assert row["wins"] == scores.count(1.0)
        assert row["ties"] == scores.count(0.5)
        assert row["losses"] == scores.count(0.0)
    # The fit has the scores of the battles (Davidson 1970): those of every system, and all of them.
    for s in found.systems:
        own = [(r, 1 if r["a"] == s.system else -1) for r in found.pairs if s.system in r.values()]
        gaps = [r["battles"] * sign * (r["win_rate"] - r["expected_win_rate"]) for r, sign in own]
        assert sum(gaps) == pytest.approx(0, abs=1e-8)


def test_the_battles_of_all_judges_are_rated_together():
    rows = [(f"p{k}", "x", "y", "a" if k % 3 else "b", "ab"[k % 2]) for k in range(40)]
    found = tare.arena(rows, draws=100)
    assert found.battles == 40
    assert "2 judges are rated together. (a, b)" in found.notes


def test_both_bad_is_a_tie_or_dropped():
    rows = [(f"p{k}", "x", "y", ("a", "b", "both bad", "a", "tie")[k % 5]) for k in range(50)]
    kept, dropped = (tare.arena(rows, both_bad=b, draws=100) for b in ("tie", "drop"))
    assert (kept.battles, dropped.battles) == (50, 40)
    assert kept.both_bad == dropped.both_bad == 10
    assert kept["x"].ties == 20
    assert dropped["x"].ties == 10


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table(6).write_csv("battles.csv")
    assert (
        main(
            [
                "arena",
                "battles.csv",
                "--covariates",
                "length,position",
                "--first",
                "a",
                "--draws",
                "100",
                "--save",
                "out",
            ]
        )
        == 0
    )
    assert {p.name for p in (tmp_path / "out").iterdir()} >= {
        "ratings.csv",
        "pairs.csv",
        "covariates.csv",
    }
    capsys.readouterr()
    (tmp_path / "self.csv").write_text("system_a,system_b,winner\nx,x,a\nx,y,nobody\n")
    assert main(["arena", "self.csv"]) == 3
    assert "self.csv, row 2: the system 'x' battles itself" in capsys.readouterr().err
    (tmp_path / "odd.csv").write_text("system_a,system_b,winner\nx,y,a\nx,y,nobody\n")
    assert main(["arena", "odd.csv"]) == 3
    assert "odd.csv, row 3: the winner 'nobody' is neither 'x' nor 'y'" in capsys.readouterr().err


def test_two_battles_are_too_few_for_a_covariate(tmp_path):
    path = tmp_path / "battles.tsv"
    path.write_text(
        "prompt\tsystem_a\tsystem_b\twinner\tlength_a\tlength_b\n"
        "p0\ty\tz\tb\t11\t12\np1\tz\tx\ttie\t12\t12\n"
    )
    with pytest.raises(MismatchError, match="cannot be separated"):
        tare.arena(path, covariates=["length"], draws=100)


def test_covariates_whose_squares_overflow_are_refused_without_a_warning():
    frame = table(prompts=5, per_prompt=4).with_columns(pl.lit(1e308).alias("length_a"))
    with pytest.raises(OptionError, match="or not finite"):
        tare.arena(frame, covariates=["length"], draws=100)
