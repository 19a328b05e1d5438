"""tare.ranks: the measures of a rank, its chance, ties, ranks above the candidates, and sets of ranks."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, getcontext

import numpy as np
import polars as pl
import pytest

import tare
from tare.chance._net_measures import completed

MEASURES = ["RR", "RR@3", "Success@2", "MeanRank", "nDCG@5", "AP", "P@2", "Recall@3", "DCG(base=3)"]


def runs_of(ranks: dict[str, int], candidates: int) -> tuple[dict, dict]:
    """The same as qrels and a run that ranks every candidate."""
    qrels = {q: {"item": 1} for q in ranks}
    run = {}
    for query, rank in ranks.items():
        names = [f"other{k}" for k in range(candidates - 1)]
        names.insert(rank - 1, "item")
        run[query] = {d: -float(k) for k, d in enumerate(names)}
    return qrels, run


def test_ranks_are_scored_as_the_runs_they_stand_for():
    ranks = {"a": 1, "b": 3, "c": 7}
    qrels, run = runs_of(ranks, 7)
    whole = [*MEASURES, "ERR@5", "Q", *(f"Net({m})" for m in MEASURES), "Z(RR)", "pValue(MeanRank)"]
    found = tare.ranks(ranks, 7, whole)
    expected = tare.evaluate(qrels, run, whole, candidates=7)
    for measure in whole:
        np.testing.assert_allclose(
            found[measure].values, expected[measure].values, rtol=1e-12, atol=1e-15
        )
        assert found[measure].mean == pytest.approx(expected[measure].mean, rel=1e-12)
    gmr = tare.evaluate(qrels, run, "GMR").mean
    assert tare.ranks(ranks, 7, "GMR")["GMR"].mean == pytest.approx(gmr, rel=1e-12)


def test_each_measure_is_followed_by_its_tare_and_net():
    found = tare.ranks([1, 5], 20)
    plain = ("RR", "Success@10", "MeanRank")
    assert found.measures == tuple(t.format(m) for m in plain for t in ("{}", "E({})", "Net({})"))
    means = found.means()["ranks"]
    assert means["E(MeanRank)"] == 10.5
    assert means["Net(MeanRank)"] == pytest.approx((3 - 10.5) / (1 - 10.5), rel=1e-14)
    assert means["E(RR)"] == pytest.approx(sum(1 / k for k in range(1, 21)) / 20, rel=1e-14)
    assert means["E(Success@10)"] == 0.5


@pytest.mark.parametrize("measure", [*MEASURES, "ERR", "Q@4"])
def test_expected_ties_are_the_mean_over_the_places(measure):
    tied = tare.ranks({"q": (2, 6)}, 9, measure)[measure].mean
    places = [tare.ranks({"q": k}, 9, measure)[measure].mean for k in range(2, 7)]
    assert tied == pytest.approx(np.mean(places), rel=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_other_policies_for_ties(measure):
    def value(places, ties):
        return tare.ranks({"q": places}, 9, measure, ties=ties)[measure].mean

    assert value((2, 6), "optimistic") == value(2, "expected")
    assert value((2, 6), "pessimistic") == value(6, "expected")
    assert value((2, 6), "realistic") == pytest.approx(value(4, "expected"), rel=1e-15)


def test_realistic_ties_take_the_measure_of_a_half():
    found = tare.ranks({"q": (2, 3)}, 9, [*MEASURES, "GMR"], ties="realistic").means()["ranks"]
    assert found["RR"] == found["AP"] == 0.4
    assert found["MeanRank"] == found["GMR"] == 2.5
    assert found["Success@2"] == found["P@2"] == 0
    assert found["Recall@3"] == 1
    assert found["nDCG@5"] == pytest.approx(1 / math.log2(3.5), rel=1e-15)
    assert found["DCG(base=3)"] == pytest.approx(math.log(3) / math.log(3.5), rel=1e-15)
    given = tare.ranks({"q": 2.5}, 9, MEASURES, ties="realistic").means()["ranks"]
    assert given == {m: found[m] for m in given}
    with pytest.raises(tare.TareError, match=r"ERR@5 is not defined for a rank such as 2\.5"):
        tare.ranks({"q": (2, 3)}, 9, "ERR@5", ties="realistic")
    with pytest.raises(tare.TareError, match=r"has rank 2\.5, a mean of tied ranks.*realistic"):
        tare.ranks({"q": 2.5}, 9, "RR")


def test_one_tie_of_all_candidates_is_chance():
    found = tare.ranks(
        [(1, 10), (1, 100), (1, 7)], [10, 100, 7], ["RR", "MeanRank", "Success@3", "GMR", "nDCG@5"]
    )
    for measure, mean in found.means()["ranks"].items():
        if measure.startswith("Net("):
            assert mean == pytest.approx(0, abs=1e-14)


def test_geometric_mean_rank_is_that_over_all_outcomes():
    sizes, m = (2, 3, 4), 3
    outcomes = list(itertools.product(*(range(1, n + 1) for n in sizes)))
    every = [math.prod(r) ** (1 / m) for r in outcomes]
    found = tare.ranks([1, 2, 4], sizes, "GMR").means()["ranks"]
    assert found["E(GMR)"] == pytest.approx(np.mean(every), rel=1e-13)
    assert found["GMR"] == pytest.approx(2, rel=1e-14)
    assert found["Net(GMR)"] == pytest.approx(
        (2 - np.mean(every)) / (1 - np.mean(every)), rel=1e-12
    )
    nets = [tare.ranks(list(r), sizes, "GMR")["Net(GMR)"].mean for r in outcomes]
    assert np.mean(nets) == pytest.approx(0, abs=1e-13)
    assert max(nets) == 1
    tied = tare.ranks([1, (1, 3), 4], sizes, "GMR")["GMR"].mean
    assert tied == pytest.approx(np.mean([(4 * k) ** (1 / 3) for k in (1, 2, 3)]), rel=1e-13)


def test_geometric_chance_of_many_candidates():
    """Beyond 65,536 candidates sums are approximated; held against the sums themselves."""
    sizes = [70_000, 300_000, 12]
    found = tare.ranks([1, 2, 3], sizes, "GMR")["E(GMR)"].mean
    exact = math.prod(math.fsum(np.arange(1, n + 1) ** (1 / 3)) / n for n in sizes)
    assert found == pytest.approx(exact, rel=1e-12)


def test_geometric_chance_keeps_its_digits_where_queries_are_many():
    m, n = 5000, 400
    getcontext().prec = 40
    power = Decimal(1) / m
    mean = sum((Decimal(j).ln() * power).exp() for j in range(1, n + 1)) / n
    found = tare.ranks([1] * m, n, "GMR")["E(GMR)"].mean
    assert found == pytest.approx(float(mean**m), rel=1e-13)


def test_geometric_values_belong_to_a_set(tmp_path):
    found = tare.ranks([1, 2, 30, 4], [10, 20, 30, 40], ["GMR", "MeanRank"])
    assert np.isnan(found["Net(GMR)"].values).all()
    part = found.select(items=["1", "3"])
    again = tare.ranks({"1": 1, "3": 30}, {"1": 10, "3": 30}, "GMR")
    assert part["Net(GMR)"].mean == again["Net(GMR)"].mean
    assert part["E(GMR)"].mean == again["E(GMR)"].mean
    found.save(tmp_path / "scores.parquet")
    loaded = tare.Scores.load(tmp_path / "scores.parquet")
    assert loaded.means() == found.means()
    assert loaded.select(items=["1", "3"])["Net(GMR)"].mean == again["Net(GMR)"].mean
    joined = found.join(tare.ranks({"b": {"1": 2}}, 10, ["GMR", "MeanRank"]))
    assert joined.means()["ranks"] == found.means()["ranks"]


def test_intervals_of_geometric_values_cover_a_jackknife():
    random = np.random.default_rng(2)
    sizes = random.integers(20, 200, 60)
    ranks = [int(random.integers(1, max(2, n // 3))) for n in sizes]
    found = tare.ranks(ranks, sizes, "GMR")
    for measure in ("GMR", "E(GMR)", "Net(GMR)"):
        one = found[measure]
        left_out = [
            one.select(items=[i for i in one.items if i != item]).mean for item in one.items
        ]
        m = len(left_out)
        error = math.sqrt((m - 1) / m * np.sum((np.array(left_out) - np.mean(left_out)) ** 2))
        low, high = one.intervals()[0, 0]
        assert low < one.mean < high
        assert (high - low) / 2 / 2.0 == pytest.approx(error, rel=0.1)


@pytest.mark.parametrize("measure", ["GMR", "Net(GMR)", "Net(MeanRank)"])
def test_printed_differences_are_those_of_the_printed_means(measure):
    random = np.random.default_rng(3)
    ranks = {
        system: {str(q): int(random.integers(1, most)) for q in range(30)}
        for system, most in (("a", 90), ("b", 9))
    }
    found = tare.ranks(ranks, 100, ["GMR", "MeanRank"])
    row = tare.compare(found[measure], test="t").families[0].rows()[0]
    gap = found.means()[row["system"]][measure] - found.means()[row["against"]][measure]
    assert row["difference"] == pytest.approx(gap, rel=1e-9)
    assert row["p"] < 1e-4


def test_ranks_above_the_candidates():
    given = {"a": 3, "b": 12}
    with pytest.raises(
        tare.TareError, match=r"1 ranks are greater than.*rank 12 of 10 on query 'b'"
    ) as caught:
        tare.ranks(given, 10)
    assert caught.value.exit_code == 3
    found = tare.ranks(given, 10, "MeanRank", ranks_above="keep")
    assert found["MeanRank"].mean == 7.5
    assert found["E(MeanRank)"].mean == 5.5
    finding = next(f for f in found.findings if f.kind == "ranks above the candidates")
    assert finding.count == 1
    assert "1 of 2 ranks" in finding.message
    assert "ranks_above:keep" in str(found.signatures[0])
    assert not any(f.severity == "warning" for f in tare.ranks(given, 12).findings)


def test_each_system_has_its_own_queries_and_candidates():
    frame = pl.DataFrame(
        {
            "query": ["a", "b", "a", "c"],
            "rank": [1, 2, 3, 4],
            "candidates": [10, 20, 40, 50],
            "system": ["x", "x", "y", "y"],
        }
    )
    found = tare.ranks(frame, measures="MeanRank")
    assert found.items == ("a", "b", "c")
    assert found.means()["x"]["E(MeanRank)"] == 8
    assert found.means()["y"]["Net(MeanRank)"] == pytest.approx((3.5 - 23) / (1 - 23), rel=1e-14)
    assert any(f.kind == "missing queries" for f in found.findings)


@pytest.mark.parametrize(
    ("measure", "says"),
    [
        ("ROUGE-1", "cannot be computed from ranks"),
        ("alpha_nDCG@5", "cannot be computed from ranks"),
        ("RR(rel=2)", "the ranked item has grade 1"),
        ("Net(RR,pool=judged)", "leave pool=judged out"),
        ("V2(GMR)", r"E\(GMR\) and Net\(GMR\)"),
        ("Net(GMR,mean=items)", r"E\(GMR\) and Net\(GMR\)"),
    ],
)
def test_measures_that_ranks_do_not_have(measure, says):
    with pytest.raises(tare.TareError, match=says) as caught:
        tare.ranks([1, 2], 10, measure)
    assert caught.value.exit_code == 2


def test_options_that_do_not_exist():
    with pytest.raises(tare.TareError, match="ties='trec' is not known"):
        tare.ranks([1], 10, ties="trec")
    with pytest.raises(tare.TareError, match="ranks_above='drop' is not known"):
        tare.ranks([1], 10, ranks_above="drop")


def test_net_without_room_is_undefined_if_asked_for_and_left_out_otherwise():
    asked = tare.ranks([1, 2], 10, ["Net(Success@10)"])
    assert np.isnan(asked["Net(Success@10)"].mean)
    assert any("chance scores as high as the ideal" in f.message for f in asked.findings)
    found = tare.ranks([1, 2], 10)
    assert "Net(Success@10)" not in found.measures
    assert {"E(Success@10)", "Net(RR)", "Net(MeanRank)"} <= set(found.measures)
    assert any("Net(Success@10) left out" in f.message for f in found.findings)


def test_the_signature_tells_ties_pool_and_data():
    one, other = tare.ranks([1, 2], 10, "RR"), tare.ranks([1, 2], 11, "RR")
    assert "ties:expected|pool:candidates|n:2|ranks:" in str(one["Net(RR)"].signatures[0])
    assert one.signatures[0] != other.signatures[0]
    assert one.findings[0].message.startswith("pool candidates: chance ranks the candidates")


def test_a_report_can_add_measures():
    found = tare.ranks([1, 2, 9], 10, "RR").also(["MeanRank"])
    assert found["MeanRank"].mean == 4
    whole = completed(found)  # what a report shows
    assert whole["Net(MeanRank)"].mean == pytest.approx((4 - 5.5) / (1 - 5.5), rel=1e-14)
