"""Numbers of an independent brute-force program: all permutations of two pools of eight."""

from __future__ import annotations

import pytest

import tare

POOL_A = [3, 2, 3, 0, 1, 2, 3, 2]
POOL_B = [0, 0, 1, 0, 0, 0, 2, 0]
COLUMNS = (
    "DCG(gain=exp2)",
    "E(DCG(gain=exp2))",
    "V1(DCG(gain=exp2))",
    "V2(DCG(gain=exp2))",
    "SP",
    "E(SP)",
    "E(SP,expected=independent)",
    "ERR",
    "E(ERR)",
    "E(RR)",
)
GOLDEN_A = {
    3: (
        12.392789260714373,
        8.2573527950894,
        0.4985949921880024,
        0.6210151539636924,
        3.0,
        2.4791666666666665,
        2.296875,
        0.9212239583333334,
        0.6626557849702381,
        0.9375,
    ),
    5: (
        12.779642067948915,
        11.425279085657644,
        0.38846910360561915,
        0.22786080346858734,
        3.8,
        4.035416666666666,
        3.828125,
        0.9214680989583334,
        0.6851690601167225,
        0.9375,
    ),
    8: (
        17.1279915929635,
        15.319674999912598,
        0.4816602597841882,
        0.5239407279462439,
        6.36547619047619,
        6.339732142857143,
        6.125,
        0.9227010210355123,
        0.6878469739986115,
        0.9375,
    ),
}
GOLDEN_B = {
    "DCG(gain=exp2)@5": 0.5,
    "E(DCG(gain=exp2)@5)": 1.4742295594396961,
    "V1(DCG(gain=exp2)@5)": 0.034875826757242816,
    "V2(DCG(gain=exp2)@5)": -0.6608397947263839,
    "AP": 0.30952380952380953,
    "E(AP)": 0.4340561224489796,
    "bpref": 0.0,
    "E(bpref)": 0.2142857142857143,
    "Q": 0.41666666666666663,
    "E(Q)": 0.5420966682127396,
}


def evaluate(grades: list[int], measures: list[str]) -> dict[str, float]:
    """The measures of one ranking, all of whose documents are judged."""
    qrels = {"q": {f"d{i}": g for i, g in enumerate(grades)}}
    run = {"q": {f"d{i}": 100.0 - i for i in range(len(grades))}}
    scores = tare.evaluate(qrels, run, measures, pool="judged")
    return dict(zip(scores.measures, scores.values[0, 0].tolist(), strict=True))


def at(column: str, k: int) -> str:
    """A column's measure at a cutoff: the innermost one takes it."""
    if "(" not in column or column.startswith("DCG"):
        return f"{column}@{k}"
    name, _, rest = column.partition("(")
    inner, comma, options = rest[:-1].partition(",expected")
    return f"{name}({inner}@{k}{comma}{options})"


@pytest.mark.parametrize("k", GOLDEN_A)
def test_pool_a(k):
    measures = [at(column, k) for column in COLUMNS]
    found = evaluate(POOL_A, measures)
    for measure, golden in zip(measures, GOLDEN_A[k], strict=True):
        assert found[str(tare.parse(measure))] == pytest.approx(golden, rel=1e-14), measure


def test_the_ideal_of_pool_a():
    ideal = sorted(POOL_A, reverse=True)
    golden = {3: 14.916508275000202, 5: 17.369096370924005, 8: 18.771051265581402}
    for k, value in golden.items():
        measure = f"DCG(gain=exp2)@{k}"
        assert evaluate(ideal, [measure])[measure] == pytest.approx(value, rel=1e-14)


def test_pool_b_is_worse_than_random():
    found = evaluate(POOL_B, list(GOLDEN_B))
    for measure, golden in GOLDEN_B.items():
        assert found[measure] == pytest.approx(golden, rel=1e-14, abs=1e-15), measure


@pytest.mark.parametrize(
    ("share", "exact", "published"), [(0.1, 0.0512, 0.0102), (0.5, 0.3672, 0.2542)]
)
def test_how_far_the_published_baseline_of_sp_lies_off(share, exact, published):
    n, relevant, k = 119, round(119 * share), 5
    grades = [1] * relevant + [0] * (n - relevant)
    found = evaluate(grades, [f"E(SP@{k})", f"E(SP@{k},expected=independent)"])
    assert found[f"E(SP@{k})"] / k == pytest.approx(exact, abs=5e-5)
    assert found[f"E(SP@{k},expected=independent)"] / k == pytest.approx(published, abs=5e-5)
