"""Agreement, against krippendorff, scikit-learn, statsmodels and all pairs of values."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import numpy as np
import pytest

from tare._data import read_ratings
from tare.errors import FormatError, MismatchError, OptionError
from tare.studies import agreement, cohen_kappa, fleiss_kappa, self_consistency
from tests.reference import statistics as reference

LEVELS = ("nominal", "ordinal", "interval", "ratio")


def matrix(seed: int, coders: int = 4, units: int = 30) -> np.ndarray:
    """Coders × units around a truth, with gaps."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, units)
    values = np.clip(truth + rng.integers(-1, 2, (coders, units)), 1, 5).astype(float)
    values[rng.random(values.shape) < 0.25] = np.nan
    return values


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(6))
def test_alpha_against_krippendorff_and_all_pairs(seed: int, level: str) -> None:
    values = matrix(seed)
    ours = agreement(values, level=level, draws=100).alpha
    units = [[float(v) for v in column if not np.isnan(v)] for column in values.T]
    assert ours == pytest.approx(reference.alpha(units, level))
    package = pytest.importorskip("krippendorff", reason="krippendorff is not installed")
    assert ours == pytest.approx(package.alpha(values, level_of_measurement=level))


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("krippendorff2011_exampleC_4x12.csv", (0.743, 0.815, 0.849, 0.797)),
        ("krippendorff_wikipedia_3x15.csv", (0.691, 0.807, 0.811, 0.809)),
    ],
)
def test_krippendorffs_worked_examples(
    real_data: Path, file: str, expected: tuple[float, ...]
) -> None:
    ratings = read_ratings(real_data / "agreement" / file)
    for level, value in zip(LEVELS, expected, strict=True):
        assert agreement(ratings, level=level, draws=100).alpha == pytest.approx(value, abs=5e-4)


def test_bootstrap_against_a_loop_over_units() -> None:
    values = matrix(3, coders=3, units=30)
    ours = agreement(values, level="ordinal", draws=4000)
    rng = np.random.default_rng(0)
    units = [[float(v) for v in c if not np.isnan(v)] for c in values.T]
    units = [u for u in units if len(u) > 1]
    drawn = [
        reference.alpha([units[k] for k in rng.integers(0, len(units), len(units))], "ordinal")
        for _ in range(150)
    ]
    assert (ours.low, ours.high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.08)


def test_own_distances() -> None:
    values = matrix(1)
    own = agreement(values, level=lambda a, b: (a - b) ** 2, draws=200)
    interval = agreement(values, level="interval", draws=200)
    assert own.alpha == pytest.approx(interval.alpha)
    assert (own.low, own.high) == pytest.approx((interval.low, interval.high))
    assert own.by_coder == pytest.approx(interval.by_coder)
    with pytest.raises(OptionError, match="symmetric"):
        agreement(values, level=lambda a, b: max(0.0, a - b))


def test_parts_add_up() -> None:
    values = matrix(2)
    for level in LEVELS:
        made = agreement(values, level=level, draws=100)
        assert made.observed / made.expected == pytest.approx(1 - made.alpha)
        sizes = (~np.isnan(values)).sum(axis=0)
        of_unit = {f"u{k + 1}": n for k, n in enumerate(sizes) if n > 1}
        weighted = sum(made.by_unit[u] * n for u, n in of_unit.items()) / sum(of_unit.values())
        assert weighted == pytest.approx(1 - made.alpha)
        without = agreement(np.delete(values, 1, axis=0), level=level, draws=100).alpha
        assert made.without["c2"] == pytest.approx(without)


def test_continuous_values_need_no_table_of_pairs() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(2500)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for level in ("nominal", "ordinal", "interval"):
        made = agreement(truth + rng.normal(size=(2, 2500)) * 0.1, level=level, draws=200)
        assert made.values == 5000
    agreement(np.abs(truth[:600] + rng.normal(size=(2, 600)) * 0.1), level="ratio", draws=100)
    if sys.platform == "linux":  # kilobytes; a table of all pairs would take 200,000
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000


def test_alpha_does_not_depend_on_threads_or_order() -> None:
    values = matrix(5)
    frame = read_ratings(values).to_frame()
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=3)
    one = agreement(frame, threads=1, draws=300)
    assert one.to_dict() == agreement(frame, threads=4, draws=300).to_dict()
    other = agreement(shuffled, draws=300)
    assert other.alpha == pytest.approx(one.alpha)
    assert other.by_coder == pytest.approx(one.by_coder)


def test_undefined_alpha_is_told() -> None:
    made = agreement(np.ones((2, 5)))
    assert np.isnan(made.alpha)
    assert made.low is None
    assert "undefined" in repr(made)
    assert made.to_dict()["alpha"] is None


def test_what_cannot_be_compared() -> None:
    with pytest.raises(MismatchError, match="a single coder"):
        agreement(np.ones((1, 5)))
    with pytest.raises(MismatchError, match="rated by two"):
        agreement([[1.0, np.nan], [np.nan, 2.0]])
    with pytest.raises(OptionError, match="needs numbers"):
        agreement({"a": {"u": "good"}, "b": {"u": "bad"}}, level="interval")
    with pytest.raises(OptionError, match="0 or more"):
        agreement([[-1.0, 2.0], [1.0, 2.0]], level="ratio")
    with pytest.raises(FormatError, match="no ratings"):
        read_ratings([[np.nan]])


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_cohen_against_scikit_learn(weights: str) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(2)
    values = np.array([rng.integers(1, 5, 60), rng.integers(1, 5, 60)], dtype=float)
    values[1, :35] = values[0, :35]
    ours = cohen_kappa(values, weights=weights, draws=200)
    theirs = metrics.cohen_kappa_score(*values, weights=None if weights == "none" else weights)
    assert ours.value == pytest.approx(theirs)
    assert ours.low is not None
    assert ours.low < ours.value < (ours.high or 0)


@pytest.mark.filterwarnings("ignore")
def test_fleiss_against_statsmodels() -> None:
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    values = np.random.default_rng(4).integers(1, 4, (5, 40))
    values[:3] = values[0]
    counts, _ = rater.aggregate_raters(values.T)
    ours = fleiss_kappa(values.astype(float), draws=200)
    assert ours.value == pytest.approx(rater.fleiss_kappa(counts))


def test_self_consistency() -> None:
    rows = [("u1", "ann", 1), ("u1", "ann", 1), ("u2", "ann", 3), ("u2", "ann", 3)]
    rows += [("u1", "bob", 1), ("u1", "bob", 3), ("u2", "bob", 3), ("u2", "bob", 1)]
    rows += [("u3", "cem", 2)]
    import polars as pl

    frame = pl.DataFrame(rows, schema=["unit", "assessor", "rating"], orient="row")
    made = self_consistency(frame, level="interval")
    assert made.ranking == ("ann", "bob")
    assert made.alpha["ann"] == 1
    assert made.alpha["bob"] == pytest.approx(reference.alpha([[1, 3], [3, 1]], "interval"))
    assert made.same == {"ann": 1.0, "bob": 0.0}
    assert made.contingency["bob"].tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    assert "1 coders judged nothing twice" in repr(made)
    by_text = [("s1", "ann", 1, "x"), ("s2", "ann", 2, "x"), ("s3", "ann", 5, "y")]
    frame = pl.DataFrame(by_text, schema=["unit", "coder", "value", "text"], orient="row")
    assert self_consistency(frame, same="text").pairs == {"ann": 1}
    with pytest.raises(MismatchError, match="judged anything twice"):
        self_consistency(frame)
