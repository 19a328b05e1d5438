"""Laws of Prf: its value is the double sum, and chance is the mean over all permutations."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tare
from tare._data.preferences import QueryUtilities, Utilities
from tare._measures import definitions

VARIANTS = [
    f"{name}(stop={stop},theta=0.3,combine={combine})@{k}"
    for name in ("Prf", "nPrf")
    for stop in ("rbp", "dcg", "rr", "uniform")
    for combine in ("mean", "min")
    for k in (1, 3)
]


def stopping(stop: str, k: int, cutoff: int) -> float:
    match stop:
        case "rbp":
            return 0.7 ** (k - 1) * 0.3
        case "dcg":
            return 1 / math.log2(k + 1) - 1 / math.log2(k + 2)
        case "rr":
            return 1 / (k * (k + 1))
    return 1 / cutoff


def obvious(order, u: QueryUtilities, stop: str, combine: str, cutoff: int) -> float:
    """The double sum; None is a document without judgements."""

    def alone(d):
        if d is None:
            return 0.0
        if u.shown[d]:
            return u.wins[d] / u.shown[d]
        shown = sum(u.shown_given[d])
        return sum(u.wins_given[d]) / shown if shown else 0.0

    def after(d, g):
        if d is None:
            return 0.0
        if g is None or math.isnan(u.conditional[d, g]):
            return alone(d)
        return float(u.conditional[d, g])

    def worth(i):
        if i == 0:
            return alone(order[0])
        known = [after(order[i], order[j]) for j in range(i)]
        return min(known) if combine == "min" else sum(known) / len(known)

    total = 0.0
    for k in range(1, cutoff + 1):
        total += stopping(stop, k, cutoff) * sum(worth(i) for i in range(min(k, len(order))))
    return total


@st.composite
def utilities(draw):
    n = draw(st.integers(1, 4))
    counts = st.integers(0, 3)

    def table(*shape):
        size = int(np.prod(shape))
        shown = np.array(draw(st.lists(counts, min_size=size, max_size=size)), dtype=float)
        share = np.array(draw(st.lists(st.sampled_from([0, 0.5, 1]), min_size=size, max_size=size)))
        return (shown * share).reshape(shape), shown.reshape(shape)

    names = tuple(f"d{i}" for i in range(n))
    return QueryUtilities(names, *table(n), *table(n, n))


def read(text: str):
    measure = tare.parse(text)
    return measure["stop"], measure["combine"], measure.cutoff


def test_every_measure_has_variants():
    assert {d.name for d in definitions() if d.family == "preference"} == {"Prf", "nPrf"}


@given(utilities(), st.integers(0, 2))
@settings(max_examples=60)
def test_values_and_expected_values_equal_the_obvious_ones(u, others):
    given_ = Utilities.of([("q", u)])
    ranking = [*range(len(u.documents)), *[None] * others]
    run = {"q": {f"d{d}" if d is not None else f"x{i}": -float(i) for i, d in enumerate(ranking)}}
    wrapped = [f"{w}({text})" for text in VARIANTS for w in ("E", "Z")]
    scores = tare.evaluate(given_, run, [*VARIANTS, *wrapped], pool="retrieved")
    for m, text in enumerate(VARIANTS):
        stop, combine, cutoff = read(text)
        every = np.array([obvious(o, u, stop, combine, cutoff) for o in permutations(ranking)])
        by = 1.0
        if text.startswith("nPrf"):
            raw = tare.evaluate(given_, run, text[1:]).mean
            by = raw / scores.values[0, 0, m] if scores.values[0, 0, m] else math.nan
        else:
            value = obvious(ranking, u, stop, combine, cutoff)
            assert scores.values[0, 0, m] == pytest.approx(value, rel=1e-12, abs=1e-12), text
        expected, z = scores.values[0, 0, len(VARIANTS) + 2 * m : len(VARIANTS) + 2 * m + 2]
        if math.isnan(by):
            continue
        assert expected == pytest.approx(every.mean() / by, rel=1e-9, abs=1e-12), text
        if every.max() == 0:  # nothing can be gained
            assert math.isnan(z), text
        elif text.startswith("Prf"):
            spread = every.std()
            known = (scores.values[0, 0, m] - every.mean()) / spread if spread > 1e-12 else 0.0
            assert z == pytest.approx(known, rel=1e-6, abs=1e-6), text


def test_the_greedy_ideal_scores_1():
    prefs = [("q", "a", "b", "a"), ("q", "b", "c", "b"), ("q", "a", "c", "a")]
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    assert tare.evaluate(prefs, run, "nPrf@3").mean == pytest.approx(1)
