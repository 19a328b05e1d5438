"""Replicates: repeated runs of a system are averaged per item before anything else."""

import numpy as np
import polars as pl
import pytest

import tare
from tare._measures.replicates import replicates_by_name
from tare.errors import OptionError

QRELS = {f"q{k}": {"a": 1 + k % 2, "b": 0, "c": 1, "d": 0} for k in range(8)}
MEASURES = ["nDCG@3", "Net(nDCG@3)", "AP", "NumRelRet"]


def runs(systems, seed=3):
    """Random runs of the same documents."""
    rng = np.random.default_rng(seed)
    return {s: {q: dict(zip("abcd", rng.random(4), strict=True)) for q in QRELS} for s in systems}


def evaluated(given):
    return tare.evaluate(QRELS, given, MEASURES, pool="judged")


def test_repeated_runs_change_nothing_but_the_facts():
    given = runs(["x", "y", "z"])
    once = evaluated(given)
    often = evaluated({f"{s}.{k}": run for s, run in given.items() for k in (1, 2, 3)}).averaged()
    assert often.systems == once.systems
    np.testing.assert_allclose(often.values, once.values, rtol=0, atol=1e-12)
    np.testing.assert_allclose(often.intervals(), once.intervals(), rtol=0, atol=1e-12)
    assert [str(s).replace("replicates:3|", "") for s in often.signatures] == [
        str(s) for s in once.signatures
    ]
    one, three = (tare.compare(scores).rows() for scores in (once, often))
    for a, b in zip(one, three, strict=True):
        for field in ("p", "p_adjusted", "difference", "low", "high"):
            assert a[field] == pytest.approx(b[field], abs=1e-12, nan_ok=True)
    np.testing.assert_allclose(
        often.also("P@2").matrix("P@2"), once.also("P@2").matrix("P@2"), rtol=0, atol=1e-12
    )


def test_parts_of_net_are_averaged():
    made = evaluated(runs(["x.1", "x.2"]))
    net = next(m for m in made.measures if m.name == "Net")
    parts = made.ratios[net]
    gain, room = parts.gain.mean(axis=0), parts.room.mean(axis=0)
    mean = made.averaged().means()["x"]["Net(nDCG@3)"]
    assert mean == pytest.approx(gain.sum() / room.sum(), abs=1e-12)


def test_statistics_of_bleu_are_averaged():
    texts = {
        "x.1": ["the cat sat on the mat", "a dog ran"],
        "x.2": ["the cat sat on a mat", "the dog ran far away"],
    }
    references = ["the cat sat on the mat today", "a dog ran far away"]
    made = tare.evaluate_texts(texts, references, ["BLEU", "ROUGE-1"])
    averaged = made.averaged()
    (bleu,) = averaged.statistics
    np.testing.assert_array_equal(
        averaged.statistics[bleu].cells[0], made.statistics[bleu].cells.mean(axis=0)
    )
    low, high = averaged.intervals()[0, 0]
    assert low <= averaged.means()["x"]["BLEU"] <= high


def test_runs_are_told_apart_by_a_number_at_the_end():
    names = ["a.1", "a.2", "b_run01", "b_run2", "bm25", "d#2", "d", "e/1", "e/2", "s-seed7"]
    assert list(replicates_by_name(names)) == ["a", "b", "bm25", "d", "e", "s-seed7"]
    with pytest.raises(OptionError, match="no system was run twice .bm25, dense"):
        evaluated(runs(["bm25", "dense"])).averaged()
    with pytest.raises(OptionError, match="there is no system 'z'"):
        evaluated(runs(["bm25", "dense"])).averaged({"x": ["bm25", "z"]})


def test_unequal_numbers_of_runs_are_reported():
    made = evaluated(runs(["x.1", "x.2", "x.3", "y"])).averaged()
    (found,) = (f for f in made.findings if f.kind == "unequal replicates")
    assert found.severity == "warning"
    assert found.examples == ("x: 3", "y: 1")
    assert "|replicates:1–3|" in str(made.signatures[0])


@pytest.mark.parametrize("column", ["replicate", "run"])
def test_a_column_of_a_score_table_names_replicates(column, tmp_path):
    rows = [
        {"system": s, "query": q, column: k, "AP": (q + k) / 10 if s == "a" else 0.5}
        for s in "ab"
        for q in (1, 2)
        for k in (1, 2)
    ]
    made = tare.Scores.load(pl.DataFrame(rows))
    assert made.means() == {"a": {"AP": pytest.approx(0.3)}, "b": {"AP": 0.5}}
    assert "replicates:2" in str(made.signatures[0])
    pl.DataFrame(rows).unpivot(
        on="AP", index=["system", "query", column], variable_name="measure"
    ).write_csv(tmp_path / "long.csv")
    long = tare.Scores.load(tmp_path / "long.csv")
    np.testing.assert_array_equal(long.values, made.values)


def test_a_column_named_run_that_tells_nothing_apart_stays_an_attribute():
    frame = pl.DataFrame(
        {"system": ["a", "a"], "item": [1, 2], "run": ["x", "y"], "AP": [0.1, 0.2]}
    )
    made = tare.Scores.load(frame)
    assert made.attributes == {"run": ("x", "y")}
    assert "replicates" not in str(made.signatures[0])


def test_geometric_mean_ranks_have_no_replicates():
    made = tare.ranks({"a.1": {"q1": 1, "q2": 3}, "a.2": {"q1": 2, "q2": 2}}, 9, ["Net(GMR)"])
    with pytest.raises(OptionError, match="Net.GMR. is a geometric mean of ranks"):
        made.averaged()
