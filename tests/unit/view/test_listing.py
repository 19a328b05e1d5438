"""The table of queries: its order and its filters, against plain Python."""

import json
import math
import sqlite3
from contextlib import closing
from dataclasses import replace
from urllib.parse import parse_qsl

import numpy as np
import pytest
from markupsafe import escape

from tare._plain_text import plain
from tare._web.view.build import HEAD, _beginning, opened_index
from tare._web.view.index import SCHEMA, filled_attributes
from tare._web.view.listing import SORTS, Listing, Wish
from tare._web.view.server import breakable
from tests.unit.view.conftest import scores_of

COLUMNS = {
    "gross_a": ("gross", "a"),
    "gross_b": ("gross", "b"),
    "net_a": ("net", "a"),
    "net_b": ("net", "b"),
    "tare": ("tare", "a"),
}


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
            expected = index.column(kind, "nDCG@10", {"a": "bm25", "b": "dense"}[system])[
                row["place"]
            ]
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
    [
        ("q3", {"q3"}),
        ("WHALES", {"q1"}),
        ("%", set()),
        ("_", set()),
        ("<script", {"q2"}),
        ("'", set()),
        ("\\", set()),
    ],
)
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


@pytest.fixture
def with_attributes(inputs):
    rows = [
        {"id": "q1", "text": "a", "category": "<b>odd", "level": 1, "address": "x1"},
        {"id": "q2", "text": "b", "category": "fact", "level": 2},
        {"id": "q3", "text": "c", "category": "fact", "level": 1, "only": "one"},
        {"id": "q4", "text": "d"},
    ]
    queries = inputs.qrels.with_name("queries.jsonl")
    queries.write_text("".join(json.dumps(row) + "\n" for row in rows))
    own = replace(inputs, queries=queries)
    made = opened_index(own, lambda: scores_of(own), say=lambda text: None)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ({"attribute.category": "fact"}, {"q2", "q3"}),
        ({"attribute.category": "fact", "attribute.level": "1"}, {"q3"}),
        ({"attribute.category": "<b>odd"}, {"q1"}),
        ({"attribute.category": "unknown"}, {"q1", "q2", "q3", "q4"}),
        ({"attribute.nothing": "fact"}, {"q1", "q2", "q3", "q4"}),
    ],
)
def test_attributes_filter_and_stay_in_the_address(with_attributes, given, ids):
    index = with_attributes
    assert index.attributes == {"category": ["<b>odd", "fact"], "level": ["1", "2"]}
    found = wish(index, **given)
    assert {row["id"] for row in Listing(index, found).rows()} == ids
    again = Wish.of(dict(parse_qsl(found.link())), index)
    assert again.attributes == found.attributes
    assert index.attributes_of(index.place_of("q3")) == {"category": "fact", "level": "1"}
    assert index.attributes_of(index.place_of("q4")) == {}


def test_attributes_with_many_values_are_no_filters():
    given = {"url": {k: f"u{k}" for k in range(100)}, "kind": {k: f"{k % 3}" for k in range(100)}}
    with closing(sqlite3.connect(":memory:")) as base:
        base.executescript(SCHEMA)
        kept, left_out = filled_attributes(base, given, 100)
    assert kept == {"kind": ["0", "1", "2"]}
    assert left_out == [
        "The attribute url has 100 values; the table filters by attributes with at most 60."
    ]


def test_the_kind_filters(index):
    kinds = index.kinds("nDCG@10")
    for kind in set(kinds):
        found = {r["place"] for r in Listing(index, wish(index, kind=kind)).rows()}
        assert found == {k for k, own in enumerate(kinds) if own == kind}


def test_bars_are_shares_of_the_largest_difference(index):
    listing = Listing(index, wish(index))
    largest = np.nanmax(np.abs(listing.difference))
    assert largest > 0
    for row in listing.rows():
        expected = 0 if math.isnan(row["difference"]) else row["difference"] / largest
        assert row["share"] == pytest.approx(expected)


def test_means_of_the_queries_that_are_shown(index):
    whole = Listing(index, wish(index))
    assert not whole.wish.narrows
    assert whole.part_means() == pytest.approx(whole.means())
    part = Listing(index, wish(index, only="first"))
    assert part.wish.narrows
    expected = np.nanmean([row["gross_a"] for row in part.rows()])
    assert part.part_means()["a"] == pytest.approx(expected)
    assert math.isnan(Listing(index, wish(index, find="nothing like it")).part_means()["a"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("short", "short"),
        ("x" * HEAD, "x" * HEAD),
        ("ab " * 100, ("ab " * 100)[:HEAD].rpartition(" ")[0] + " …"),
        ("x" * 300, "x" * HEAD + " …"),
    ],
)
def test_the_beginning_of_a_text_ends_with_a_word_and_an_ellipsis(text, shown):
    assert _beginning(text) == shown


@pytest.mark.parametrize("name", ["bm25+rm3", "<b>x</b>", "a\x1bb", "plain"])
def test_names_can_be_broken_and_stay_inert(name):
    made = str(breakable(name))
    assert made.replace("<wbr>", "") == str(escape(plain(name)))
