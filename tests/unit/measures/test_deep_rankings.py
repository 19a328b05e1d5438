"""Measures of very deep rankings and large cutoffs: bounded time, no deep recursion, no overflow."""

import itertools

import numpy as np
import pytest

import tare
from tare.errors import MismatchError

DEEP = 60_000


def written(tmp_path, cells):
    path = tmp_path / "subtopics.txt"
    path.write_text("".join(f"q {s} {d} 1\n" for s, d in cells))
    return tare.read_subtopics(path)


@pytest.mark.parametrize("measure", ["AP_IA", "StRecall@60000"])
def test_a_tie_in_a_deep_ranking(tmp_path, measure):
    """All orders of a few tied documents: their mean, however many documents follow."""
    names = [f"d{k:06d}" for k in range(DEEP)]
    subtopics = written(tmp_path, [(k % 3 + 1, d) for k, d in enumerate(names)])
    scores = {d: float(DEEP - k) for k, d in enumerate(names)}
    expected = np.mean(
        [
            tare.evaluate(
                subtopics, {"q": {**scores, names[0]: first, names[1]: second}}, measure
            ).mean
            for first, second in itertools.permutations([1e9, 1e8])
        ]
    )
    scores[names[1]] = scores[names[0]]
    found = tare.evaluate(subtopics, {"q": scores}, measure, ties="expected").mean
    assert found == pytest.approx(expected, abs=1e-14)


def test_a_judged_document_in_a_large_tie(tmp_path):
    """It is at each of 20,000 ranks with the same probability."""
    n = 20_000
    subtopics = written(tmp_path, [(1, "d0"), (1, "other")])
    run = {"q": {f"d{k}": 1.0 for k in range(n)}}
    found = tare.evaluate(subtopics, run, "AP_IA", ties="expected").mean
    assert found == pytest.approx((1 / np.arange(1, n + 1)).mean() / 2, rel=1e-12)


QRELS = {"q": {"a": 1, "b": 2}}
RUN = {"q": {"a": 1.0, "b": 0.5, "c": 0.3}}


@pytest.mark.parametrize("measure", ["NERR9@{}", "INST(depth={})", "NERR11(depth={})"])
def test_weights_of_huge_depths_are_summed_in_bounded_time(measure):
    depths = (200_000, 10**6, 10**15)
    near, far, huge = (tare.evaluate(QRELS, RUN, measure.format(d)).mean for d in depths)
    assert 0 < huge <= far * (1 + 1e-12)
    assert far == pytest.approx(near, rel=0.2)


def test_a_huge_depth_equals_its_plain_sum():
    """After the last gain of INST, weights are ((n + c)/(i - 1 + c))²."""
    depth = 700_000
    found = tare.evaluate({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}, f"INST(depth={depth})")
    t = float(found.measures[0]["T"])
    weight, weights, gains, gained = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, depth + 1):
        gain = float(rank == 2)
        gained += gain
        weights += weight
        gains += weight * gain
        weight *= (
            ((rank - 1 + 2 * t - gained) / (rank + 2 * t - gained)) ** 2
            if rank > 2
            else _go(rank, t, gained)
        )
    assert found.mean == pytest.approx(gains / weights, rel=1e-9)


def _go(rank, t, gained):
    left = t - gained
    return ((rank + t + left - 1) / (rank + t + left)) ** 2


@pytest.mark.parametrize(
    ("alpha", "cutoff"), [(0, 300_000), (1e-6, 400_000), (1e-4, 300_000), (0.5, 10**6)]
)
def test_the_divisor_of_err_ia_at_a_large_cutoff(alpha, cutoff):
    subtopics = tare.read_subtopics([("q", "1", "a", 1.0), ("q", "2", "b", 1.0)])
    found = tare.evaluate(subtopics, RUN, f"ERR_IA(alpha={alpha:.10f})@{cutoff}").mean
    ranks = np.arange(1, cutoff + 1, dtype=float)
    divisor = 2 * ((1 - alpha) ** (ranks - 1) / ranks).sum()
    assert found == pytest.approx((1 + 1 / 2) / divisor, rel=1e-11)


def test_the_divisor_of_err_ia_at_a_huge_cutoff_takes_no_time():
    subtopics = tare.read_subtopics([("q", "1", "a", 1.0), ("q", "2", "b", 1.0)])
    harmonic = 2 * (np.log(1e15) + np.euler_gamma)
    found = tare.evaluate(subtopics, RUN, "ERR_IA(alpha=0)@1000000000000000").mean
    assert found == pytest.approx(1.5 / harmonic, rel=1e-11)


@pytest.mark.parametrize("measure", ["D_nDCG(gain=exp2)@50", "nDCG_IA(gain=exp2)@50"])
def test_gains_that_overflow_are_errors_for_diversity_too(measure):
    rows = [("q", "1", f"d{k}", 2000.0) for k in range(0, 40, 3)]
    rows += [("q", "2", f"d{k}", k % 7 + 1.0) for k in range(40)]
    run = {"q": {f"d{k}": float(k) for k in range(40)}}
    with pytest.raises(MismatchError, match="grade 2000 is too large for a gain of 2"):
        tare.evaluate(tare.read_subtopics(rows), run, measure)


def test_an_exact_ideal_of_many_documents_ends(tmp_path):
    """The search scores a limited number of documents, and is greedy if that is not enough."""
    cells = [(s, f"d{k}") for k in range(2000) for s in {k % 3 + 1, k * 7 % 3 + 1}]
    subtopics = written(tmp_path, cells)
    run = {"q": {"d0": 1.0, "d1": 0.5}}
    exact = tare.evaluate(subtopics, run, "alpha_nDCG(ideal=exact)@2000").mean
    assert exact == pytest.approx(tare.evaluate(subtopics, run, "alpha_nDCG@2000").mean, rel=1e-3)
