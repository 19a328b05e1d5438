"""Rank-biased overlap with ties: the authors' own program, and every order of tied items.

The 2,000 rows were made by the program of Corsi and Urbano (SIGIR 2024, julian-urbano/sigir2024-rbo).
"""

from __future__ import annotations

import csv
import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from tare.stats import rbo
from tests.reference.overlap import RANKING, mean_over_orders, shared_groups


def groups_of(text: str) -> RANKING:
    """Groups from text such as 'a (b c) d'."""
    return [part.strip("()").split() for part in re.findall(r"\([^)]*\)|\S+", text)]


def scored(ranking: RANKING) -> dict[str, float]:
    return {item: -float(k) for k, group in enumerate(ranking) for item in group}


@pytest.fixture(scope="module")
def rows(real_data: Path) -> list[dict[str, str]]:
    path = real_data / "agreement/rbo_ties.csv.gz"
    if not path.is_file():
        pytest.skip("the rows of Corsi and Urbano's program are not in TARE_DATA")
    with gzip.open(path, "rt") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("ties", ["w", "b", "a"])
def test_every_row_of_the_authors_program(ties: str, rows: list[dict[str, str]]) -> None:
    assert len(rows) == 2000
    for row in rows:
        made = rbo(
            scored(groups_of(row["x"])), scored(groups_of(row["y"])), p=float(row["p"]), ties=ties
        )
        for field in ("min", "max", "res") if ties == "a" else ("ext", "min", "max", "res"):
            expected = float(row[f"{ties}.{field}"])
            assert getattr(made, field) == pytest.approx(expected, abs=1e-9), (row, field)


def random_ranking(rng: np.random.Generator, size: int) -> RANKING:
    items = [f"d{k}" for k in rng.permutation(8)[:size]]
    cuts = sorted(rng.choice(np.arange(1, size), rng.integers(0, size), replace=False).tolist())
    return [items[a:b] for a, b in zip([0, *cuts], [*cuts, size], strict=True)]


@pytest.mark.parametrize("seed", range(12))
def test_a_is_the_mean_over_tie_orders_for_any_lengths(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = (random_ranking(rng, int(size)) for size in rng.integers(1, 6, 2))
    p = float(rng.uniform(0.3, 0.97))
    ext, least = mean_over_orders(x, y, p)
    made = rbo(scored(x), scored(y), p=p, ties="a")
    assert made.ext == pytest.approx(ext, abs=1e-12)
    assert made.min == pytest.approx(least, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_w_counts_whole_groups_for_any_lengths(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    x, y = (random_ranking(rng, int(size)) for size in rng.integers(1, 9, 2))
    p = float(rng.uniform(0.3, 0.97))
    made = rbo(scored(x), scored(y), p=p, ties="w")
    expected = shared_groups(x, y, p)
    assert (made.ext, made.min, made.max) == pytest.approx(expected, abs=1e-12)
    assert made.res == pytest.approx(made.max - made.min, abs=1e-15)


def test_the_order_of_the_two_rankings_does_not_matter() -> None:
    x, y = scored([["a", "b"], ["c"]]), scored([["d"], ["a", "c", "e"], ["b"], ["f"]])
    for ties in ("a", "b", "w"):
        assert rbo(x, y, p=0.8, ties=ties) == rbo(y, x, p=0.8, ties=ties)
