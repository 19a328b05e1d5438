"""The table of queries: its order and its filters, against plain Python."""

import math

import numpy as np
import pytest

from tare._view.listing import SORTS, Listing, Wish

COLUMNS = {"gross_a": ("gross", "a"), "gross_b": ("gross", "b"), "net_a": ("net", "a"), "net_b": ("net", "b"), "tare": ("tare", "a")}  # fmt: skip


def wish(index, **given):
    return Wish.of({"a": "bm25", "b": "dense", "m": "nDCG@10", **given}, index)


@pytest.mark.parametrize("order", ["up", "down"])
@pytest.mark.parametrize("sort", SORTS)
def test_queries_are_sorted_and_missing_values_are_last(index, sort, order):
    listing = Listing(index, wish(index, sort=sort, order=order))
    rows = listing.rows()
    assert sorted(row["place"] for row in rows) == [0, 1, 2, 3]
    if sort == "query":
        ids = [row["id"] for row in rows]
        assert ids == sorted(ids, reverse=order == "down")
        return
    key = {"size": lambda r: abs(r["difference"])}.get(sort, lambda r: r[sort])
    values = [key(row) for row in rows]
    known = [v for v in values if not math.isnan(v)]
    assert known == sorted(known, reverse=order == "down")
    assert all(math.isnan(v) for v in values[len(known) :])


def test_rows_have_the_values_of_both_systems(index):
    listing = Listing(index, wish(index))
    for row in listing.rows():
        for name, (kind, system) in COLUMNS.items():
            expected = index.column(kind, "nDCG@10", {"a": "bm25", "b": "dense"}[system])[row["place"]]  # fmt: skip
            assert row[name] == pytest.approx(expected, nan_ok=True)
        assert row["difference"] == pytest.approx(row["gross_a"] - row["gross_b"])


@pytest.mark.parametrize(
    ("only", "holds"),
    [
        ("different", lambda d: d != 0),
        ("first", lambda d: d > 0),
        ("second", lambda d: d < 0),
        ("equal", lambda d: d == 0),
    ],
)
def test_filters_of_the_difference(index, only, holds):
    every = {r["place"]: r["difference"] for r in Listing(index, wish(index)).rows()}
    found = {r["place"] for r in Listing(index, wish(index, only=only)).rows()}
    assert found == {place for place, d in every.items() if holds(d)}


@pytest.mark.parametrize(
    ("words", "ids"),
    [("q3", {"q3"}), ("WHALES", {"q1"}), ("%", set()), ("_", set()), ("<script", {"q2"}), ("'", set()), ("\\", set())],
)  # fmt: skip
def test_the_search_takes_every_character_literally(index, words, ids):
    assert {r["id"] for r in Listing(index, wish(index, find=words)).rows()} == ids


def test_neighbours_follow_the_order(index):
    listing = Listing(index, wish(index, sort="query", order="up"))
    assert listing.neighbours(0)["previous"] is None
    assert listing.neighbours(0)["next"] == 1
    assert listing.neighbours(3)["next"] is None
    differ = np.flatnonzero(listing.difference != 0)
    after = [int(k) for k in differ if k > 0]
    assert listing.neighbours(0)["different"] == after[0]
    filtered = Listing(index, wish(index, find="q3"))
    assert filtered.neighbours(0)["number"] is None


@pytest.mark.parametrize("page", ["0", "-1", "x", "99999999999", "²", "7"])
def test_odd_addresses_become_the_default(index, page):
    made = wish(index, page=page, a="nobody", m="nDCG@99", sort="x", only="x")
    assert (made.a, made.measure, made.sort, made.only) == ("bm25", "nDCG@10", "size", "all")
    assert len(Listing(index, made).rows()) == 4


def test_a_wish_survives_its_link(index):
    from urllib.parse import parse_qs

    made = wish(index, find="a&b=%", only="first", sort="tare", order="up", page="3", kind="hard")
    given = {name: values[0] for name, values in parse_qs(made.link()).items()}
    assert Wish.of(given, index) == made
