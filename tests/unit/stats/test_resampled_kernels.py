"""Kernels that work on many draws at once, against one draw at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tare._kernels import statistics as kernels
from tare._kernels.threads_and_blocks import cut, seams
from tare.stats._agreement import coded, kernel_level, value_disagreements
from tare.studies import agreement
from tests.reference import statistics as reference
from tests.reference.random_stream import resample

TOLERANCE = 1e-10  # of squared statistics, as in the core


def _rows(kind: str) -> np.ndarray:
    random = np.random.default_rng(5)
    rows = random.normal(size=(6, 12))
    if kind == "ties":
        rows = np.round(rows)  # many draws have exactly the same t
    if kind == "gaps":
        rows[random.random(rows.shape) < 0.2] = np.nan
    if kind == "tiny":
        rows *= 1e-200
    if kind == "huge":
        rows *= 1e150
    if kind == "uneven":
        rows[:, 0] = 1e9
    if kind == "sparse":
        rows[:, 1:] = 1e-25 * rows[:, 1:]  # squares that single precision loses
    if kind == "two items":
        rows = rows[:, :2]
    if kind == "odd":
        rows = rows[:, :11]
    if kind == "many items":  # as many as are decided in whole numbers
        rows = random.normal(size=(3, 4096))
    if kind == "more items":
        rows = random.normal(size=(3, 4097))
    if kind == "outlier":  # the others are too small for whole numbers
        rows = random.normal(size=(3, 4096)) * 1e-4
        rows[:, 0] = 1.0
    if kind == "constant":
        rows[0], rows[1] = 0.0, 0.25
    return rows


@pytest.mark.parametrize(
    "kind",
    [
        "plain",
        "ties",
        "gaps",
        "tiny",
        "huge",
        "uneven",
        "sparse",
        "two items",
        "odd",
        "many items",
        "more items",
        "outlier",
        "constant",
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_counts_are_those_of_the_statistics_of_each_draw(kind: str) -> None:
    rows = _rows(kind)
    rows = rows - np.nanmean(rows, axis=1, keepdims=True)
    drawn = kernels.studentised_draws(rows, draws=500, seed=3)
    squares = np.where(np.isnan(drawn), np.inf, drawn**2)
    for place in (
        0,
        17,
        250,
        499,
    ):  # the statistic of a draw itself is the threshold: the closest case
        observed = np.where(np.isfinite(squares[:, place]), squares[:, place], 4.0)
        counts, _ = kernels.studentised_counts(rows, observed, draws=500, seed=3)
        assert (
            counts.tolist() == (squares >= observed[:, None] * (1 - TOLERANCE)).sum(axis=1).tolist()
        )


@pytest.mark.parametrize("observed", [0.0, np.inf, np.nan, 1e-300, 1e200])
def test_counts_at_the_ends_of_the_scale(observed: float) -> None:
    rows = _rows("ties")
    drawn = kernels.studentised_draws(rows, draws=100, seed=1)
    squares = np.where(np.isnan(drawn), np.inf, drawn**2)
    counts, _ = kernels.studentised_counts(rows, np.full(len(rows), observed), draws=100, seed=1)
    assert counts.tolist() == (squares >= observed * (1 - TOLERANCE)).sum(axis=1).tolist()


def test_a_draw_is_t_of_the_resampled_row() -> None:
    row = _rows("plain")[0]
    drawn = kernels.studentised_draws(row[None], draws=40, seed=8)[0]
    for draw, t in enumerate(drawn):
        d = row[resample(len(row), 8, draw)]
        assert t == pytest.approx(d.mean() / (d.std(ddof=1) / np.sqrt(len(d))), rel=1e-12)


def _grades(kind: str = "grades") -> np.ndarray:
    random = np.random.default_rng(2)
    made = random.random(30) + random.normal(size=(5, 30)) * 0.2
    if kind == "grades":
        made = np.round(3 * made)
    made = np.abs(made)
    made[random.random(made.shape) < 0.3] = np.nan
    return made


def _coded(grades: np.ndarray, level):
    coder, unit = np.nonzero(~np.isnan(grades))
    return coded(unit, grades[coder, unit], level)[0]


LEVELS = ("nominal", "ordinal", "interval", "ratio", lambda a, b: abs(a - b) ** 0.5)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", ["grades", "numbers"])
def test_alpha_has_the_same_bits_in_blocks_and_alone(level, kind: str) -> None:
    ratings = _coded(_grades(kind), level)
    found = []
    for rows in (1, 1 << 14):
        with cut(replace(seams(), alpha_rows=rows)):
            drawn = kernels.alpha_draws(ratings, kernel_level(level), draws=70, seed=4)
        found.append(drawn.tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("level", LEVELS[:4])
def test_a_draw_is_alpha_of_the_resampled_units(level: str) -> None:
    ratings = _coded(_grades(), level)
    edges = list(zip(ratings.offsets[:-1], ratings.offsets[1:], strict=True))
    units = [ratings.values[ratings.codes[a:b]].tolist() for a, b in edges]
    drawn = kernels.alpha_draws(ratings, level, draws=40, seed=6)
    for draw, found in enumerate(drawn):
        resampled = [units[k] for k in resample(len(units), 6, draw)]
        assert found == pytest.approx(reference.alpha(resampled, level), rel=1e-12)


@pytest.mark.parametrize("level", LEVELS[:4])
@pytest.mark.parametrize("cells", [10, 4_000_000])
def test_values_disagree_with_the_others_of_their_unit(level: str, cells: int) -> None:
    ratings = _coded(_grades(), level)
    scores = ratings.values
    if level == "ordinal":
        counts = np.bincount(ratings.codes)
        scores = np.cumsum(counts) - counts / 2
    with cut(replace(seams(), resampled_cells=cells)):
        found = value_disagreements(ratings, level)
    for start, end in zip(ratings.offsets[:-1], ratings.offsets[1:], strict=True):
        for k in range(start, end):
            apart = []
            for other in range(start, end):
                a, b = scores[ratings.codes[k]], scores[ratings.codes[other]]
                square = float(a != b) if level == "nominal" else (a - b) ** 2
                if level == "ratio":
                    square = square / (a + b) ** 2 if a + b else 0.0
                apart.append(square)
            assert found[k] == pytest.approx(sum(apart) / (end - start - 1), rel=1e-12)


def test_a_coder_without_ratings_may_be_the_first_row_of_a_matrix() -> None:
    grades = np.array([[np.nan] * 4, [1, 2, 3, 1], [1, 2, 3, 2]])
    found = agreement(grades, level="nominal", draws=100)
    assert found.alpha == agreement(grades[1:], level="nominal", draws=100).alpha
    assert list(found.by_coder) == ["c2", "c3"]
