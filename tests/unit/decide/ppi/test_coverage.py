"""Intervals of estimates contain the truth as often as they claim, in simulated worlds.

The default run has fewer worlds and wider limits than the slow one, which has 10,000 per case.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.stats import norm

from tare._decide import judge_corrected
from tare._decide.judge_corrected import DocumentSample, Estimator, Influences, QuerySample, Spread
from tests.unit.decide.ppi.worlds import (
    JUDGES,
    SHAPES,
    document_worlds,
    query_truth,
    query_worlds,
)

SIZES = (30, 60, 120)
KINDS = ("mean", "Net", "DCG", "P")
BLOCK = 500
FIRST, SECOND = np.array([0]), np.array([1])


@dataclass
class Coverage:
    """How often the intervals of means and differences contain the truth, in percent."""

    worlds: int = 0
    inside: dict[str, float] = field(default_factory=dict)
    width: dict[str, float] = field(default_factory=dict)

    def add(self, who: str, found: Influences, truth: float, bounded: Estimator) -> None:
        for what, spread, value in (
            ("mean", found.systems(), truth),
            ("difference", found.differences(FIRST, SECOND), 0.0),
        ):
            every = Spread(*(x[:, 0] for x in (spread.value, spread.error, spread.freedom)))
            low, high = bounded.bounded(every, 0.95) if what == "mean" else every.ends(0.95)
            inside = (low <= value) & (value <= high)
            key = f"{who} {what}"
            self.inside[key] = self.inside.get(key, 0) + float(inside.sum())
            self.width[key] = self.width.get(key, 0) + float((high - low).sum())

    def share(self, key: str) -> float:
        return 100 * self.inside[key] / self.worlds


def document_truth(shape: str, measure: str) -> float:
    rng = np.random.default_rng([7, zlib.crc32(shape.encode())])
    return float(document_worlds(shape, "worthless", 500, 120, rng, measure)[1].mean())


def covered(kind: str, shape: str, judge: str, n: int, worlds: int, truth: float) -> Coverage:
    made = Coverage()
    sample: QuerySample | DocumentSample
    for block in range(worlds // BLOCK):
        rng = np.random.default_rng([block, n, zlib.crc32(f"{kind} {shape} {judge}".encode())])
        if kind in ("mean", "Net"):
            sample = query_worlds(shape, judge, BLOCK, n, rng, net=kind == "Net")
            fit, people = (
                judge_corrected.fit_queries(sample, "t"),
                judge_corrected.people_alone_by_query(sample),
            )
        else:
            sample, _ = document_worlds(shape, judge, BLOCK, n, rng, kind)
            fit = judge_corrected.fit_documents(sample, "t")
            people = judge_corrected.people_alone_by_document(sample)
        bounds = None if kind in ("Net", "DCG") else (0.0, 1.0)
        bounded = Estimator("m", sample, bounds=bounds)
        made.add("estimate", fit, truth, bounded)
        made.add("people", people, truth, bounded)
        made.worlds += BLOCK
    return made


def truth_of(kind: str, shape: str) -> float:
    if kind in ("mean", "Net"):
        return query_truth(shape, net=kind == "Net")
    return document_truth(shape, kind)


@pytest.mark.parametrize(
    ("kind", "shape"),
    [("mean", "u-shaped"), ("Net", "zero-inflated"), ("DCG", "symmetric"), ("P", "u-shaped")],
)
def test_coverage_in_few_worlds(kind, shape):
    truth = truth_of(kind, shape)
    for judge in JUDGES:
        found = covered(kind, shape, judge, 30, 1000, truth)
        for what in ("mean", "difference"):
            share, people = found.share(f"estimate {what}"), found.share(f"people {what}")
            assert share >= min(93.5, people - 1) - 2.1, (judge, what)  # 3 standard errors
            assert share <= 99
        if judge == "worthless":
            for what in ("mean", "difference"):
                assert found.width[f"estimate {what}"] <= 1.05 * found.width[f"people {what}"]
        else:
            assert found.width["estimate difference"] < found.width["people difference"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", SIZES)
def test_coverage_in_ten_thousand_worlds(kind, shape, n, record_property):
    truth = truth_of(kind, shape)
    for judge in JUDGES:
        found = covered(kind, shape, judge, n, 10_000, truth)
        for what in ("mean", "difference"):
            share, people = found.share(f"estimate {what}"), found.share(f"people {what}")
            ratio = found.width[f"estimate {what}"] / found.width[f"people {what}"]
            record_property(f"{judge} {what}", f"{share:.2f} ({people:.2f}), width {ratio:.3f}")
            print(f"{kind} {shape} {n} {judge} {what}: {share:.2f} ({people:.2f}) {ratio:.3f}")
            if people >= 94.5:
                assert 93.5 <= share <= 97, (judge, what, share, people)
            else:
                assert share >= people - 1, (judge, what, share, people)
            if judge == "worthless":
                assert ratio <= 1.05, (judge, what, ratio)


def test_judge_only_misses_and_people_only_is_wide():
    """The world of the documentation: a judge that overrates, with a correlation of .96."""
    rng = np.random.default_rng(5)
    sample = query_worlds("symmetric", "good", 1000, 60, rng)
    shifted = type(sample)(sample.human, sample.judge + 0.1, sample.others + 0.1)
    truth = query_truth("symmetric")
    fit = judge_corrected.fit_queries(shifted, "t")
    value, _ = judge_corrected.judge_alone_by_query(shifted, fit)
    every = np.concatenate([shifted.judge, shifted.others], axis=-1)
    half = 1.97 * every.std(axis=-1, ddof=1) / np.sqrt(every.shape[-1])
    assert np.mean(np.abs(value - truth) <= half) < 0.05
    people = judge_corrected.people_alone_by_query(shifted).systems()
    mine = fit.systems()
    assert mine.error.mean() < 0.6 * people.error.mean()
    assert np.mean(np.abs(mine.value - truth) <= mine.half_width(0.95)) > 0.93


def binary_coverage(p: float, n: int, worlds: int, others: int = 300) -> float:
    """How often the interval of a share contains it; the judge errs in a tenth of the queries."""
    rng = np.random.default_rng([n, round(1000 * p)])
    inside = 0
    for _ in range(worlds):
        y = (rng.random(n + others) < p) * 1.0
        f = np.where(rng.random(n + others) < 0.9, y, 1 - y)
        sample = QuerySample(y[None, :n], f[None, :n], f[None, n:])
        _, low, high = Estimator("m", sample, bounds=(0.0, 1.0)).interval(None, 0.95, 0, 0)
        inside += bool(low[0] <= p <= high[0])
    return inside / worlds


@pytest.mark.parametrize(
    ("p", "n"), [(0.02, 200), (0.05, 60), (0.1, 30), (0.1, 60), (0.2, 30), (0.5, 30)]
)
def test_coverage_of_shares(p, n):
    assert binary_coverage(p, n, 800) >= 0.93


def cluster_coverage(
    kind: str, labelled: int, worlds: int, others: int = 80
) -> tuple[float, float]:
    """How often intervals over clusters, and over queries, contain the truth; ICC .4, log-normal sizes."""
    rng = np.random.default_rng([labelled, len(kind)])
    inside = [0, 0]
    for _ in range(worlds):
        count = labelled + others
        sizes = np.minimum(np.ceil(np.exp(1 + rng.normal(size=count))), 80).astype(int)
        ids = np.repeat(np.arange(count), sizes)
        z = np.sqrt(0.4) * rng.normal(size=count)[ids] + np.sqrt(0.6) * rng.normal(size=len(ids))
        guess = 0.8 * z + 0.6 * rng.normal(size=len(ids)) + 0.3
        cut = norm.ppf(0.8)
        y, f = ((x > cut) * 1.0 if kind == "binary" else norm.cdf(x) ** 1.5 for x in (z, guess))
        n = int(sizes[:labelled].sum())
        values = y[None, :n], f[None, :n], f[None, n:]
        groups = (ids[:n], ids[n:] - labelled)
        truth = 0.2 if kind == "binary" else 0.4
        for k, clusters in enumerate((groups, None)):
            made = Estimator("m", QuerySample(*values, None, clusters), bounds=(0.0, 1.0))
            _, low, high = made.interval(None, 0.95, 0, 0)
            inside[k] += bool(low[0] <= truth <= high[0])
    return inside[0] / worlds, inside[1] / worlds


@pytest.mark.parametrize(
    ("kind", "labelled"), [("graded", 8), ("graded", 40), ("binary", 8), ("binary", 20)]
)
def test_coverage_of_clusters(kind, labelled):
    clusters, queries = cluster_coverage(kind, labelled, 700)
    assert 0.92 <= clusters <= 0.985
    assert queries < 0.9  # queries of a cluster are alike: intervals over queries are too narrow
