"""Clusters of items from a column, a mapping, a file or a frame."""

import polars as pl
import pytest

import tare
from tare._measures.clusters import clusters_of
from tare.errors import FormatError, MismatchError, OptionError


@pytest.fixture
def scores():
    ids = {"system": ["a"] * 4, "item": ["q1", "q2", "q3", "q4"]}
    more = {"session": ["y", "x", "y", "x"], "user": ["u", None, "u", "v"]}
    return tare.Scores.load(pl.DataFrame(ids | more | {"AP": [0.1, 0.2, 0.3, 0.4]}))


def test_every_source_gives_the_same_clusters(scores, tmp_path):
    mapping = {"q1": "y", "q2": "x", "q3": "y", "q4": "x", "q9": "z"}
    frame = pl.DataFrame({"qid": list(mapping), "conversation": list(mapping.values())})
    frame.write_csv(tmp_path / "two.csv")
    frame.rename({"conversation": "cluster"}).with_columns(length=5).write_parquet(
        tmp_path / "three.parquet"
    )
    given = ["session", mapping, frame, tmp_path / "two.csv", str(tmp_path / "three.parquet")]
    for source in given:
        assert clusters_of(scores, source).tolist() == [1, 0, 1, 0]
    turned = scores.select(items=["q4", "q3", "q2", "q1"])
    assert clusters_of(turned, "session").tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ("sesion", OptionError, "'sesion' is neither an attribute of the items .session, user."),
        ("sesion", OptionError, "Did you mean 'session'"),
        ("user", MismatchError, "the column 'user': 1 of 4 items have no cluster .q2."),
        ({"q1": 1}, MismatchError, "3 of 4 items have no cluster .q2, q3, q4."),
        ({"query": ["q1", "q1"], "c": [1, 2]}, FormatError, "row 2: q1 is in the clusters 1 and 2"),
        ({"query": ["q1"], "c": [1], "d": [2]}, FormatError, "the columns query and cluster"),
        ({"name": ["q1"], "c": [1]}, FormatError, "found 'name', 'c'"),
        ({"query": [None], "c": [1]}, FormatError, "row 1: the query is missing"),
    ],
)
def test_what_are_no_clusters_is_refused(scores, source, error, message):
    frame = isinstance(source, dict) and isinstance(next(iter(source.values())), list)
    with pytest.raises(error, match=message):
        clusters_of(scores, pl.DataFrame(source) if frame else source)
