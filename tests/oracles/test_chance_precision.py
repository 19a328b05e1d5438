"""Expected values of very large pools, against exact rational arithmetic: ten digits at the least."""

from __future__ import annotations

import math
from decimal import Decimal, getcontext
from fractions import Fraction

import pytest

import tare

getcontext().prec = 60
SIZES = (120, 10_000, 1_000_000, 10**10)
GRADES = [3, 2, 2, 1, 1, 1, 1] * 3
EULER = Decimal("0.577215664901532860606512090082402431042159335939923598805767")


def expected(measure: str, n: int) -> float:
    """E of a measure for a corpus of n documents, of which 21 are relevant and 9 judged not."""
    qrels = {f"d{i}": g for i, g in enumerate(GRADES + [0] * 9)}
    scores = tare.evaluate({"q": qrels}, {"q": {"d0": 1.0}}, f"E({measure},pool=corpus={n})")
    return float(scores.values[0, 0, 0])


def close(found: float, exact: Fraction | Decimal) -> bool:
    return abs(Fraction(found) / Fraction(exact) - 1) <= Fraction(1, 10**10)


def harmonic(n: int) -> Fraction:
    """H_n: summed up to 10^4, by its asymptotic series in sixty digits beyond."""
    if n <= 10_000:
        return sum((Fraction(1, i) for i in range(1, n + 1)), Fraction(0))
    x = Decimal(n)
    series = 1 / (12 * x**2) - 1 / (120 * x**4) + 1 / (252 * x**6) - 1 / (240 * x**8)
    return Fraction(x.ln() + EULER + 1 / (2 * x) - series)


R = len(GRADES)


@pytest.mark.parametrize("n", SIZES)
def test_counts_within_a_cutoff(n):
    assert close(expected("P@10", n), Fraction(R, n))
    assert close(expected("Recall@100", n), Fraction(100, n))
    none = Fraction(math.comb(n - R, 50), math.comb(n, 50))
    assert close(expected("Success@50", n), 1 - none)


@pytest.mark.parametrize("n", SIZES)
def test_positions_within_a_cutoff(n):
    sp = sum(Fraction(R, n * i) * (1 + Fraction((i - 1) * (R - 1), n - 1)) for i in range(1, 101))
    assert close(expected("SP@100", n), sp)
    assert close(expected("AP@100", n), sp / R)
    p, rr = Fraction(R, n), Fraction(0)
    for i in range(1, 101):
        if p == 0:
            break
        rr += p / i
        p *= Fraction(n - i - R + 1, n - i)
    assert close(expected("RR@100", n), rr)


@pytest.mark.parametrize("n", SIZES)
def test_positions_without_a_cutoff(n):
    ap = Fraction(R - 1, n - 1) + Fraction(n - R, n * (n - 1)) * harmonic(n)
    assert close(expected("AP", n), ap)
    rr = Fraction(R, n - R + 1) * (harmonic(n) - harmonic(R - 1))
    assert close(expected("RR", n), rr)


@pytest.mark.parametrize("n", SIZES)
def test_expected_reciprocal_rank(n):
    """s_i = e_i(1−θ)/C(n, i) in whole numbers: 8(1−θ) is 1, 5 or 7, or 8 where nothing stops."""
    keep = {1: 7, 2: 5, 3: 1}
    polynomial = [1] + [0] * 20  # coefficients of Π (1 + q x), times 8^i
    for grade in GRADES:
        for i in range(20, 0, -1):
            polynomial[i] += keep[grade] * polynomial[i - 1]

    def s(i: int) -> Fraction:
        terms = (
            Fraction(polynomial[j], 8**j) * math.comb(n - R, i - j) for j in range(min(i, R) + 1)
        )
        return sum(terms, Fraction(0)) / math.comb(n, i)

    exact = sum((s(i - 1) - s(i)) / i for i in range(1, 21))
    assert close(expected("ERR@20", n), exact)


@pytest.mark.parametrize("n", [120, 10_000, 1_000_000])
def test_discounted_gain(n):
    mean = math.fsum(GRADES) / n
    dcg = mean * math.fsum(1 / math.log2(i + 1) for i in range(1, n + 1))
    assert expected("DCG", n) == pytest.approx(dcg, rel=1e-12)
    assert expected("RBP", n) == pytest.approx(R / n * (1 - 0.8**n), rel=1e-12)


def test_discounted_gain_of_a_huge_corpus():
    """Σ 1/log2(i+1) lies between the integrals of a falling function, a hair's breadth apart."""
    n, first = 10**10, 10**6
    head = math.fsum(1 / math.log2(i + 1) for i in range(1, first + 1))
    found = expected("DCG", n) * n / math.fsum(GRADES)
    steps = 4000  # Simpson's rule in log i, where the integrand is smooth
    a, b = math.log(first + 1.5), math.log(n + 1.5)
    h = (b - a) / steps

    def f(u: float) -> float:
        return math.exp(u) / (u / math.log(2))

    weights = [1 if k in (0, steps) else 4 - 2 * (k % 2 == 0) for k in range(steps + 1)]
    tail = h / 3 * math.fsum(w * f(a + k * h) for k, w in enumerate(weights))
    assert found == pytest.approx(head + tail, rel=1e-10)


@pytest.mark.parametrize(
    "measure", ["infAP", "bpref", "binG", "ERR", "Q", "GAP", "Compat", "INSQ", "Accuracy@10"]
)
def test_nothing_takes_long_or_overflows(measure):
    value = expected(measure, 10**10)
    assert math.isfinite(value)
    assert 0 <= value <= 1
