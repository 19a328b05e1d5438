"""The page of a leaderboard in a browser: sorting, filtering, and ranks for fewer data sets."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import tare
from tare.stats._student import student_quantile
from tests.journeys.test_report_in_browser import opened  # noqa: F401

expect = pytest.importorskip("playwright.sync_api").expect
SYSTEMS, SETS = 8, 9


def rows(items: int):
    """Systems that are far apart in pairs; the last data set reverses their order."""
    rng = np.random.default_rng(11)
    made = []
    for d in range(SETS):
        for s in range(SYSTEMS):
            level = 0.8 - 0.15 * (s // 2) if d < SETS - 1 else 0.2 + 0.1 * s
            values = level + rng.normal(0, 0.03, items)
            made += [
                (f"sys{s}", f"d{d}-{k}", "AP", float(v), f"d{d}") for k, v in enumerate(values)
            ]
    return pl.DataFrame(
        made, schema=["system", "item", "measure", "value", "dataset"], orient="row"
    )


def board(items: int, over: str, frame=None, **options):
    given = rows(items) if frame is None else frame
    return tare.leaderboard(given, by="dataset" if items > 1 else None, over=over, **options)


def column(page, name: str) -> list[str]:
    heads = page.locator(".board thead th").all_inner_texts()
    number = 1 + [head.strip() for head in heads].index(name)
    return page.locator(
        f".board tbody tr:not(.folded):not([hidden]) td:nth-child({number})"
    ).all_inner_texts()


def switch_off(page, name: str) -> None:
    page.locator(".sets summary").click()
    page.locator(".chips label", has_text=name).locator("input").uncheck()
    expect(page.locator(".state")).not_to_be_empty()


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_readers_sort_filter_and_choose_data_sets(opened, tmp_path, size):  # noqa: F811
    found = board(1, "datasets")
    page = opened(found.report(tmp_path / "board.html"), size)
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]
    before = column(page, "system")
    assert before == [place.system for place in found.places]
    page.locator(".board thead th button", has_text="AP").click()
    page.locator(".board thead th button", has_text="AP").click()
    assert column(page, "system") == before[::-1]
    page.locator(".board .filter").fill("SYS3")
    assert column(page, "system") == ["sys3"]
    page.locator(".board .filter").fill("")
    page.locator(".board .tied").check()
    assert set(column(page, "tied with best")) == {"yes"}
    page.locator(".board .tied").uncheck()
    switch_off(page, "d8-0")
    assert "8 of 9 data sets" in page.locator(".state").inner_text()
    assert page.locator(".chosen").inner_text() == "8 of 9"
    page.locator(".board .all").click()
    expect(page.locator(".state")).to_be_empty()
    assert sorted(column(page, "ranks")) == sorted(place.ranks for place in found.places)
    page.locator(".board .none").click()
    expect(page.locator(".state")).to_contain_text("at least one")
    assert set(column(page, "rank")) == {"–"}
    assert page.said == []


@pytest.mark.parametrize(
    ("items", "over", "measure"),
    [
        (1, "datasets", "AP"),
        (1, "datasets", "score"),
        (12, "datasets", "AP"),
        (12, "queries", "AP"),
    ],
)
def test_recomputed_ranks_are_those_of_python(opened, tmp_path, items, over, measure):  # noqa: F811
    frame = rows(items).with_columns(measure=pl.lit(measure), value=pl.col("value").clip(0, 1))
    page = opened(board(items, over, frame).report(tmp_path / "board.html"))
    name = f"d{SETS - 1}" + ("-0" if items == 1 else "")
    switch_off(page, name)
    fewer = frame.filter(pl.col("dataset") != f"d{SETS - 1}")
    expected = board(items, over, fewer)
    assert column(page, "system") == [place.system for place in expected.places]
    assert column(page, "rank") == [str(place.rank) for place in expected.places]
    assert column(page, measure) == [f"{place.mean:.4f}" for place in expected.places]
    for heading, values in (
        ("low", [place.mean_low for place in expected.places]),
        ("high", [place.mean_high for place in expected.places]),
    ):
        assert [float(text) for text in column(page, heading)] == pytest.approx(values, abs=1e-4)
    assert column(page, "ranks") == [place.ranks for place in expected.places]
    assert column(page, "tied with best") == ["yes" if p.tied else "no" for p in expected.places]
    p = column(page, "p to best")
    assert p[0] == "–"
    if over == "datasets":  # all sign patterns, there and here
        assert p[1:] == [f"{place.p_best:.4f}" for place in expected.places[1:]]


def test_fewer_than_six_data_sets_have_no_ranks_in_the_browser(opened, tmp_path):  # noqa: F811
    page = opened(board(1, "datasets").report(tmp_path / "board.html"))
    page.locator(".sets summary").click()
    for k in range(4):
        page.locator(".chips label", has_text=f"d{k}-0").locator("input").uncheck()
    expect(page.locator(".state")).to_contain_text("5 data sets cannot separate ranks")
    assert set(column(page, "ranks")) == {"–"}
    assert "–" not in column(page, "AP")


def test_means_without_ranks_are_a_page(opened, tmp_path):  # noqa: F811
    few = rows(1).filter(pl.col("item").is_in([f"d{k}-0" for k in range(4)]))
    found = board(1, "datasets", few)
    page = opened(found.report(tmp_path / "board.html"))
    assert set(column(page, "rank")) == set(column(page, "p to best")) == {"–"}
    assert column(page, "system") == [place.system for place in found.places]
    switch_off(page, "d0-0")
    assert "3 data sets cannot separate" in page.locator(".state").inner_text()
    assert page.said == []


def test_quantiles_in_the_browser(opened, tmp_path):  # noqa: F811
    page = opened(board(1, "datasets").report(tmp_path / "board.html"))
    for upper in (0.025, 1e-4, 1e-7):
        for freedom in (2, 6, 40, 990):
            found = page.evaluate(
                "([p, n]) => document.querySelector('.board').tare.studentQuantile(p, n)",
                [upper, freedom],
            )
            assert found == pytest.approx(student_quantile(1 - upper, freedom), rel=1e-6)


def test_a_system_without_scores_is_ranked_when_its_gap_is_switched_off(opened, tmp_path):  # noqa: F811
    gaps = rows(1).filter(~((pl.col("system") == "sys0") & (pl.col("item") == "d8-0")))
    found = tare.leaderboard(gaps, incomplete="drop", draws=500)
    page = opened(found.report(tmp_path / "board.html"))
    assert column(page, "system")[-1] == "sys0"
    assert column(page, "rank")[-1] == "–"
    switch_off(page, "d8-0")
    assert "sys0" in column(page, "system")[:2]
    assert "–" not in column(page, "rank")
