"""Net against an independent brute-force program: all permutations of the judged documents."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

import tare

RANKINGS = {"a": [3, 2, 3, 0, 1, 2, 3, 2], "b": [0, 0, 1, 0, 0, 0, 2, 0], "c": [0, 0, 0]}
# measure: {query: (A, E, U, Net, variance of A, E[V2])}, and the set of the four queries.
GOLDEN = {
    "nDCG(gain=exp2)@5": {
        "a": (
            0.7357689654680096,
            0.6577935225682578,
            1,
            0.22786080346858736,
            0.023296382731203526,
            0.08839958921001365,
        ),
        "b": (
            0.13770577618809332,
            0.40601985152414843,
            1,
            -0.4517222941280899,
            0.07771819441634041,
            -0.09046331407414797,
        ),
        "set": (0.21836868541402574, 0.5159533435231016, 0.75, -1.2714757928552123),
    },
    "AP": {
        "a": (
            0.9093537414965985,
            0.9056760204081631,
            1,
            0.03899030876718575,
            0.006142260874375259,
            0.3119684351825885,
        ),
        "b": (
            0.30952380952380953,
            0.43405612244897956,
            1,
            -0.22004357298474939,
            0.04357662569704752,
            -0.04622294524176828,
        ),
        "set": (0.304719387755102, 0.5849330357142857, 0.75, -1.6975755819569205),
    },
    "RR": {
        "a": (1, 0.9375, 1, 1, 0.02734375, 0.8166666666666667),
        "b": (
            0.3333333333333333,
            0.49081632653061225,
            1,
            -0.3092852371409486,
            0.09843930769586748,
            -0.009500140762665803,
        ),
        "set": (0.3333333333333333, 0.607079081632653, 0.75, -1.9153651643611473),
    },
    "ERR(lmax=3)@5": {
        "a": (
            0.9214680989583334,
            0.6851690601167224,
            0.9345194498697916,
            0.9476585902898208,
            0.04004616397962797,
            0.2241844786886716,
        ),
        "b": (
            0.041666666666666664,
            0.13816034226190477,
            0.4140625,
            -0.3497387493679421,
            0.013584475960590942,
            -0.16342976487755134,
        ),
        "set": (0.24078369140625, 0.29958235059465677, 0.4308954874674479, -0.44777438563033983),
    },
}


def collection():
    qrels = {q: {f"d{i}": g for i, g in enumerate(grades)} for q, grades in RANKINGS.items()}
    runs = {q: {d: -float(i) for i, d in enumerate(ds)} for q, ds in qrels.items()}
    return {**qrels, "d": {"only": 2}}, runs


@pytest.mark.parametrize("measure", GOLDEN)
def test_queries_and_the_set(measure):
    qrels, runs = collection()
    names = [measure, f"E({measure})", f"Ideal({measure})", f"Net({measure})"]
    scores = tare.evaluate(qrels, runs, names, pool="judged")
    for query in ("a", "b"):
        found = [scores.to_dict()["run"][n][query] for n in scores.measures]
        assert found == pytest.approx(GOLDEN[measure][query][:4], rel=1e-13)
    assert list(scores.means()["run"].values()) == pytest.approx(GOLDEN[measure]["set"], rel=1e-13)
    net = scores.to_dict()["run"][scores.measures[3]]
    assert (net["c"], net["d"]) == (None, None)
    spread = tare.chance.chances(qrels, runs, measure, pool="judged").variance
    assert spread[:2] == pytest.approx([GOLDEN[measure][q][4] for q in "ab"], rel=1e-12)


@pytest.mark.parametrize("measure", ["RR", "AP"])
@pytest.mark.parametrize("query", ["a", "b"])
def test_the_published_v2_is_not_0_at_chance(measure, query):
    """E[V2] = ½·D·(1/(U − E) − 1/E), D the mean absolute deviation under chance."""
    grades = RANKINGS[query]
    orders = sorted(set(permutations([g > 0 for g in grades])))
    qrels = {
        str(i): {f"d{k}": int(r) for k, r in enumerate(order)} for i, order in enumerate(orders)
    }
    runs = {q: {d: -float(k) for k, d in enumerate(ds)} for q, ds in qrels.items()}
    names = [measure, f"E({measure})", f"V2({measure})"]
    scores = tare.evaluate(qrels, runs, names, pool="judged")
    values, expected, v2 = scores.values[0].T
    deviation = np.abs(values - expected).mean()
    formula = 0.5 * deviation * (1 / (1 - expected[0]) - 1 / expected[0])
    assert v2.mean() == pytest.approx(formula, rel=1e-10)
    assert v2.mean() == pytest.approx(GOLDEN[measure][query][5], rel=1e-10)


def test_v2_where_there_is_no_room_follows_equation_6():
    qrels = {"q": {"only": 2}}
    found = tare.evaluate(qrels, {"q": {"other": 1.0}}, "V2(RR)", pool="judged")
    assert found.mean == -1
    assert tare.evaluate(qrels, {"q": {"only": 1.0}}, "V2(RR)", pool="judged").mean == 0


def test_a_run_that_returns_nothing_where_anything_scores_loses_its_tare():
    qrels = {"q": {"x": 1, "y": 0}, "d": {"only": 2}}
    silent = tare.evaluate(qrels, {"q": {"x": 1.0}}, "Net(RR)", pool="judged").mean
    answering = tare.evaluate(
        qrels, {"q": {"x": 1.0}, "d": {"only": 1.0}}, "Net(RR)", pool="judged"
    ).mean
    assert answering == pytest.approx(1)
    assert silent == pytest.approx(1 - 1 / 0.25)
    assert not math.isnan(silent)
