"""Values printed in the literature and in the documentation of other programs.

C22: the tutorial values of CG, DCG and nDCG after Järvelin and Kekäläinen (2002). The DCG of graded
labels and the ties are the examples of scikit-learn's `dcg_score`; LRAP that of its
`label_ranking_average_precision_score`.
"""

from __future__ import annotations

import math

import pytest

import tare


def score(grades, measure, *, unseen=(), **options):
    """A measure of one ranking with these grades; `unseen` ones were judged and not retrieved."""
    names = [f"d{i:02d}" for i in range(len(grades))]
    qrels = dict(zip(names, grades, strict=True)) | {f"u{i}": g for i, g in enumerate(unseen)}
    run = {name: float(-i) for i, name in enumerate(names)}
    return tare.evaluate({"q": qrels}, {"q": run}, measure, **options).mean


def labelled(grades, scores, measure, **options):
    """A measure of labels with scores, which may be tied."""
    qrels = {f"d{i}": g for i, g in enumerate(grades)}
    run = {f"d{i}": float(s) for i, s in enumerate(scores)}
    return tare.evaluate({"q": qrels}, {"q": run}, measure, **options).mean


@pytest.mark.parametrize(
    ("k", "value"),
    list(enumerate([3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61], 1)),
)
def test_dcg_with_the_discount_of_jarvelin_and_kekalainen(k, value):
    grades = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
    assert score(grades, f"DCG(discount=jk)@{k}") == pytest.approx(value, abs=0.005)


@pytest.mark.parametrize(
    ("measure", "value"),
    [("CG", 11), ("DCG", 6.861), ("nDCG@6", 0.785), ("DCG@6", 6.861), ("CG@6", 11)],
)
def test_gains_of_a_ranking_with_unseen_documents(measure, value):
    grades = [3, 2, 3, 0, 1, 2]
    assert score(grades, measure, unseen=(3, 2)) == pytest.approx(value, abs=0.0005)


def test_ideal_dcg_of_a_ranking_with_unseen_documents():
    ideal = score([3, 3, 3, 2, 2, 2, 1, 0], "DCG@6")
    assert ideal == pytest.approx(8.740, abs=0.0005)
    found = score([3, 2, 3, 0, 1, 2], "DCG@6", unseen=(3, 2))
    assert found / ideal == score([3, 2, 3, 0, 1, 2], "nDCG@6", unseen=(3, 2))


def test_ndcg_of_four_documents_with_the_discount_of_jarvelin_and_kekalainen():
    qrels = {"d1": 0, "d2": 1, "d3": 2, "d4": 2}
    run = {"d3": 4.0, "d2": 3.0, "d4": 2.0, "d1": 1.0}
    value = tare.evaluate({"q": qrels}, {"q": run}, "nDCG(discount=jk)").mean
    assert round(value, 4) == 0.9203


def test_dcg_of_scored_labels():
    grades, scores = [10, 0, 0, 1, 5], [0.1, 0.2, 0.3, 4, 70]
    assert labelled(grades, scores, "DCG") == pytest.approx(9.4994578259168745, rel=1e-15)
    assert labelled(grades, scores, "DCG@2") == pytest.approx(5.630929753571458, rel=1e-15)


def test_ties_averaged_and_ties_ignored():
    grades, scores = [10, 0, 0, 1, 5], [1, 0, 0, 0, 1]
    assert labelled(grades, scores, "DCG@1", ties="expected") == 7.5
    assert labelled(grades, scores, "DCG@1", ties="trec") == 5.0


def test_average_precision_of_every_second_document():
    value = score([1, 0, 1, 0, 1], "AP")
    assert value == pytest.approx((1 + 2 / 3 + 3 / 5) / 3, rel=1e-15)
    assert f"{value:.2f}" == "0.76"
    assert f"{value:.4f}" == "0.7556"


def test_label_ranking_average_precision():
    value = tare.lrap([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    assert value == pytest.approx(0.41666666666666663, rel=1e-15)


def test_label_ranking_average_precision_with_one_label_is_the_mean_reciprocal_rank():
    truth = [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    scores = [[0.1, 0.9, 0.3], [0.2, 0.7, 0.5], [0.3, 0.6, 0.4]]
    qrels = {f"q{i}": {f"d{j}": t for j, t in enumerate(row)} for i, row in enumerate(truth)}
    run = {f"q{i}": {f"d{j}": s for j, s in enumerate(row)} for i, row in enumerate(scores)}
    assert tare.lrap(truth, scores) == pytest.approx(tare.evaluate(qrels, run, "RR").mean)


def test_the_base_cancels_only_with_the_plain_logarithm():
    grades = [3, 2, 3, 0, 1, 2]
    plain = [score(grades, f"nDCG(base={b})", unseen=(3, 2)) for b in (2, 3, 10)]
    assert plain == pytest.approx([plain[0]] * 3, rel=1e-14)
    original = [score(grades, f"nDCG(discount=jk,base={b})", unseen=(3, 2)) for b in (2, 3, 10)]
    assert len({round(value, 6) for value in original}) == 3


GOLDEN_POOL = [3, 2, 3, 0, 1, 2, 3, 2]


@pytest.mark.parametrize(
    ("k", "dcg", "ideal", "sp", "err"),
    [
        (3, 12.392789260714373, 14.916508275000202, 3.0, 0.9212239583333334),
        (5, 12.779642067948915, 17.369096370924005, 3.8, 0.9214680989583334),
        (8, 17.1279915929635, 18.771051265581402, 6.36547619047619, 0.9227010210355123),
    ],
)
def test_a_pool_of_eight_documents(k, dcg, ideal, sp, err):
    assert score(GOLDEN_POOL, f"DCG(gain=exp2)@{k}") == pytest.approx(dcg, rel=1e-14)
    assert score(sorted(GOLDEN_POOL)[::-1], f"DCG(gain=exp2)@{k}") == pytest.approx(
        ideal, rel=1e-14
    )
    assert score(GOLDEN_POOL, f"SP@{k}") == pytest.approx(sp, rel=1e-14)
    assert score(GOLDEN_POOL, f"ERR@{k}") == pytest.approx(err, rel=1e-14)


@pytest.mark.parametrize(
    ("k", "dcg", "sp", "err", "rr"),
    [
        (3, 8.2573527950894, 2.4791666666666665, 0.6626557849702381, 0.9375),
        (5, 11.425279085657644, 4.035416666666666, 0.6851690601167225, 0.9375),
        (8, 15.319674999912598, 6.339732142857143, 0.6878469739986115, 0.9375),
    ],
)
def test_its_expected_values_are_those_of_a_run_that_is_all_tied(k, dcg, sp, err, rr):
    tied = [0.0] * 8
    values = {"DCG(gain=exp2)": dcg, "SP": sp, "ERR": err, "RR": rr}
    for measure, value in values.items():
        found = labelled(GOLDEN_POOL, tied, f"{measure}@{k}", ties="expected")
        assert found == pytest.approx(value, rel=1e-13), measure


def test_a_ranking_worse_than_chance():
    grades = [0, 0, 1, 0, 0, 0, 2, 0]
    expected = {
        "DCG@5": (0.5, None),
        "AP": (0.30952380952380953, 0.4340561224489796),
        "bpref": (0, 0.2142857142857143),
        "Q": (0.41666666666666663, 0.5420966682127396),
        "DCG(gain=exp2)@5": (0.5, 1.4742295594396961),
    }
    for measure, (value, chance) in expected.items():
        assert score(grades, measure) == pytest.approx(value, rel=1e-14), measure
        if chance is not None:
            found = labelled(grades, [1] * 8, measure, ties="expected")
            assert found == pytest.approx(chance, rel=1e-13), measure
    ideal = score([2, 1, 0, 0, 0, 0, 0, 0], "DCG(gain=exp2)@5")
    assert ideal == pytest.approx(3.6309297535714578, rel=1e-15)


def test_average_precision_of_a_random_ranking_has_a_closed_form():
    n, relevant = 8, 2
    harmonic = math.fsum(1 / i for i in range(1, n + 1))
    chance = (relevant - 1) / (n - 1) + (n - relevant) / (n * (n - 1)) * harmonic
    assert labelled([1, 1, 0, 0, 0, 0, 0, 0], [1] * 8, "AP", ties="expected") == pytest.approx(
        chance
    )
