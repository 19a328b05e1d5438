"""The score table: choosing, joining, means, intervals, and out again."""

import json
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import tare
from tare._signature import Signature
from tare.errors import FormatError, MismatchError, OptionError, UnreadableError

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": 1}, "q3": {"d": 1}}
RUNS = {
    "x": {"q1": {"a": 2, "b": 1}, "q2": {"a": 1, "c": 2}, "q3": {"d": 1}},
    "y": {"q1": {"a": 1, "b": 2}, "q2": {"a": 2, "z": 1}},
}


@pytest.fixture
def scores():
    return tare.evaluate(QRELS, RUNS, ["AP", "nDCG@2", "NumRelRet"])


def table(values, measures=("AP",), **more) -> tare.Scores:
    """Scores of given values, systems × items × measures."""
    array = np.array(values, dtype=float)
    systems = tuple(f"s{i}" for i in range(array.shape[0]))
    items = tuple(f"q{i}" for i in range(array.shape[1]))
    signatures = tuple(Signature(m, (("n", "1"),)) for m in measures)
    return tare.Scores(systems, items, tuple(measures), array, signatures, **more)


def test_a_measure_is_chosen_by_any_of_its_spellings(scores):
    for spelling in ("AP", "map", "MAP", tare.parse("AP")):
        assert scores[spelling].measures == ("AP",)
    assert scores["ndcg_cut_2"].measures == ("nDCG@2",)


def test_systems_items_and_measures_are_chosen_in_the_order_given(scores):
    part = scores.select(systems=["y", "x"], items=["q3", "q1"], measures=["NumRelRet", "AP"])
    assert (part.systems, part.items, part.measures) == (
        ("y", "x"),
        ("q3", "q1"),
        ("NumRelRet", "AP"),
    )
    np.testing.assert_array_equal(part.values, scores.values[np.ix_([1, 0], [2, 0], [2, 0])])
    assert [g.measure for g in part.signatures] == ["NumRelRet", "AP"]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"systems": ["X"]}, "there is no system 'X'; there are: x, y. Did you mean 'x'?"),
        ({"items": ["q9"]}, "there is no item 'q9'"),
        ({"measures": ["P@5"]}, "there is no measure 'P@5'; there are: AP, nDCG@2, NumRelRet."),
        ({"measures": ["nonsense"]}, "there is no measure 'nonsense'"),
    ],
)
def test_what_is_not_there_is_told(scores, choice, message):
    with pytest.raises(OptionError) as error:
        scores.select(**choice)
    assert message in str(error.value)


def test_attributes_are_given_by_item_and_filter_items(scores):
    marked = scores.with_attribute("kind", {"q1": "easy", "q3": "hard"})
    assert marked.attributes == {"kind": ("easy", None, "hard")}
    assert marked.filter("kind", "easy").items == ("q1",)
    assert marked.filter("kind", None).items == ("q2",)
    assert scores.attributes == {}
    with pytest.raises(OptionError, match="no attribute 'kinds'; they have: kind. Did you mean"):
        marked.filter("kinds", "easy")


def test_tables_are_joined_by_id(scores):
    left = scores.select(systems=["x"], items=["q2", "q1"])
    right = scores.select(systems=["y", "x"], items=["q3"])
    both = left.join(right)
    assert both.items == ("q1", "q2", "q3")
    np.testing.assert_array_equal(both.values[0], scores.values[0])
    assert np.isnan(both.values[1, :2]).all()
    np.testing.assert_array_equal(both.values[1, 2], scores.values[1, 2])
    again = scores.join(scores)
    np.testing.assert_array_equal(again.values, scores.values)


def test_joined_tables_keep_attributes_and_findings(scores):
    left = scores.select(measures=["AP"]).with_attribute("kind", {"q1": "easy"})
    right = scores.select(measures=["nDCG@2"]).with_attribute("kind", {"q1": "no", "q2": "hard"})
    both = left.join(right)
    assert both.attributes == {"kind": ("easy", "hard", None)}
    assert both.findings == scores.findings
    assert [str(g) for g in both.signatures] == [str(g) for g in scores.signatures[:2]]


def test_a_join_tells_of_numbers_that_were_not_made_alike():
    first = tare.evaluate(QRELS, {"x": RUNS["x"]}, ["AP", "RR"])
    second = tare.evaluate(QRELS, {"y": RUNS["y"]}, ["AP", "P@5"], ties="expected", missing="skip")
    found = [str(f) for f in first.join(second).findings if f.kind == "different signatures"]
    assert found == [
        "AP was computed differently in the two tables: "
        "missing zero and skip, ties trec and expected."
    ]


def test_tables_that_contradict_each_other_are_not_joined(scores):
    other = replace(scores, values=scores.values + 0.5)
    with pytest.raises(
        MismatchError, match="both tables have AP of x on q1, with different values"
    ):
        scores.join(other)


def test_means_sums_and_geometric_means():
    values = [[[0.5, 3.0, 0.0], [1.0, 4.0, 1.0]]]
    means = table(values, ("AP", "NumRet", "GMAP")).means()["s0"]
    assert means["AP"] == 0.75
    assert means["NumRet"] == 7.0
    assert means["GMAP"] == pytest.approx(math.sqrt(1e-5))


def test_measures_of_others_have_plain_means():
    assert table([[[1.0], [4.0]]], ("my rating",)).mean == 2.5


def test_missing_cells_are_left_out():
    gaps = table([[[1.0], [math.nan], [0.0]], [[math.nan], [math.nan], [math.nan]]])
    assert gaps.means()["s0"]["AP"] == 0.5
    assert math.isnan(gaps.means()["s1"]["AP"])
    assert gaps.counts().tolist() == [[2], [0]]
    assert gaps.to_dict()["s1"]["AP"] == {"q0": None, "q1": None, "q2": None}
    assert "–" in str(gaps)
    assert gaps.by_item["value"].null_count() == 4


def test_a_table_without_items_can_be_shown(scores):
    empty = scores.select(items=[])
    assert empty.counts().tolist() == [[0, 0, 0], [0, 0, 0]]
    assert "AP" in str(empty)
    assert empty.to_frame().height == 0


def test_one_mean_needs_one_system_and_one_measure(scores):
    with pytest.raises(OptionError, match="2 systems and 3 measures"):
        _ = scores.mean
    with pytest.raises(OptionError, match="2 measures; choose one, as in scores\\['AP'\\]"):
        scores.select(measures=["AP", "nDCG@2"]).matrix()
    assert scores.matrix("AP").shape == (2, 3)


def test_intervals_depend_on_the_confidence_and_on_no_seed():
    rng = np.random.default_rng(3)
    many = table(rng.random((2, 60, 1)), seed=5)
    np.testing.assert_array_equal(many.intervals(), replace(many, seed=0).intervals(seed=5))
    low, high = many.intervals()[0, 0]
    assert low < many.means()["s0"]["AP"] < high
    wide, narrow = many.intervals(confidence=0.99)[0, 0], many.intervals(confidence=0.5)[0, 0]
    assert wide[0] < low < narrow[0]
    assert narrow[1] < high < wide[1]


def test_an_interval_does_not_depend_on_the_other_systems(scores):
    alone = scores.select(systems=["y"], measures=["nDCG@2"])
    np.testing.assert_array_equal(alone.intervals()[0, 0], scores.intervals()[1, 1])


def test_intervals_of_sums_and_geometric_means():
    rng = np.random.default_rng(4)
    ends = table(rng.random((1, 40, 2)), ("NumRet", "GMAP")).intervals()
    assert np.isnan(ends[0, 0]).all()
    assert 0 < ends[0, 1, 0] < ends[0, 1, 1] < 1


@pytest.mark.parametrize("wrong", [{"confidence": 1.0}, {"confidence": 0}, {"draws": 0}])
def test_impossible_intervals_are_refused(scores, wrong):
    with pytest.raises(OptionError, match="is not possible"):
        scores.intervals(**wrong)


def test_frames_of_every_kind(scores):
    frame = scores.with_attribute("kind", {"q1": "easy"}).to_frame()
    assert frame.columns == ["system", "item", "measure", "value", "kind"]
    assert frame.row(0) == ("x", "q1", "AP", 1.0, "easy")
    assert frame.height == 18
    assert scores.to_pandas().shape == (18, 4)
    assert scores.to_arrow().num_rows == 18
    assert scores.by_item.equals(scores.to_frame())


def test_dictionary_and_json(scores):
    assert scores.to_dict()["y"]["AP"] == {"q1": 0.5, "q2": 0.5, "q3": 0.0}
    told = json.loads(scores.to_json())
    assert told["values"] == scores.to_dict()
    assert told["means"] == scores.means()
    assert told["signatures"]["AP"].startswith("AP|rel:1|ties:trec")
    assert len(told["findings"]) == len(scores.findings)


def test_json_of_missing_values_is_valid():
    told = json.loads(table([[[math.nan]]]).to_json())
    assert told["means"] == {"s0": {"AP": None}}


def test_what_is_saved_is_loaded(scores, tmp_path):
    marked = scores.with_attribute("kind", {"q1": "easy"}).select(items=["q3", "q1", "q2"])
    marked.save(tmp_path / "scores.parquet")
    again = tare.Scores.load(tmp_path / "scores.parquet")
    for name in ("systems", "items", "measures", "signatures", "findings", "attributes", "seed"):
        assert getattr(again, name) == getattr(marked, name)
    np.testing.assert_array_equal(again.values, marked.values)
    assert str(again) == str(marked)
    assert tare.Scores.load(again) is again


def test_saved_tables_keep_their_gaps(tmp_path):
    gaps = table([[[1.0], [math.nan]]])
    gaps.save(tmp_path / "gaps.parquet")
    np.testing.assert_array_equal(tare.Scores.load(tmp_path / "gaps.parquet").values, gaps.values)


def test_tables_of_others_are_loaded(tmp_path):
    text = (
        "run,query,measure,score,kind\nx,q2,rating,1,easy\nx,q1,rating,,hard\ny,q2,rating,3,easy\n"
    )
    (tmp_path / "scores.csv").write_text(text)
    scores = tare.Scores.load(tmp_path / "scores.csv")
    assert (scores.systems, scores.items, scores.measures) == (
        ("x", "y"),
        ("q1", "q2"),
        ("rating",),
    )
    assert scores.means() == {"x": {"rating": 1.0}, "y": {"rating": 3.0}}
    assert scores.attributes == {"kind": ("hard", "easy")}
    assert str(scores.signatures[0]).startswith("rating|source:")


def test_the_largest_numbers_do_not_overflow():
    largest = np.finfo(float).max
    values = np.array([[largest] * 4, [-largest, largest] * 2, [largest, 0, 0, 0]])[:, :, None]
    found = table(values, ("rating",))
    means = [row["rating"] for row in found.means().values()]
    assert means == pytest.approx([largest, 0, largest / 4], rel=1e-15)
    assert np.isnan(found.intervals()).all()  # beyond the largest number, or all alike
    some = replace(found, values=values * 2.0**-8)
    ends, small = (x.intervals()[:, 0] for x in (some, replace(found, values=values * 2.0**-520)))
    assert np.isfinite(ends[1:]).all()
    assert ends[1:] * 2.0**-512 == pytest.approx(small[1:], rel=1e-14)
    assert "rating" in repr(found)


def test_missing_values_and_large_ones_are_told_apart(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("system,item,measure,value\nx,q,AP,\nx,r,AP,NaN\nx,s,AP,1e150\n")
    assert tare.Scores.load(path).means() == {"x": {"AP": 1e150}}


def test_frames_are_loaded(scores):
    again = tare.Scores.load(scores.to_pandas())
    np.testing.assert_array_equal(again.values, scores.values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "no column 'system', 'item', 'measure', 'value'; found 'a', 'b'"),
        (
            "system,item,measure,value\nx,q,AP,one\n",
            "row 2: the value 'one' is not a finite number",
        ),
        ("system,item,measure,value\nx,,AP,1\n", "row 2: the item is missing"),
        (
            "system,item,measure,value\nx,q,AP,1\nx,r,AP,-1.7e308\n",
            "row 3: the value -1.7e+308 is too large; numbers from -1e150 to 1e150 are accepted",
        ),
        (
            "system,item,measure,value,gross,tare,ideal\nx,q,Net(AP),1,inf,inf,1\n",
            "row 2: the gross inf is too large",
        ),
        (
            "system,item,measure,value,gross,tare,ideal\nx,q,Net(AP),1,1,-1e300,1\n",
            "row 2: the tare -1e+300 is too large",
        ),
        (
            "system,item,measure,value\nx,q,AP,1\nx,q,AP,1\n",
            "row 3: duplicate value of AP for x on q",
        ),
    ],
)
def test_bad_tables_are_told(text, message, tmp_path):
    (tmp_path / "scores.csv").write_text(text)
    with pytest.raises(FormatError) as error:
        tare.Scores.load(tmp_path / "scores.csv")
    assert f"scores.csv{', ' if 'row' in message else ': '}{message}" in str(error.value)


def test_files_that_hold_no_scores_are_told(tmp_path):
    with pytest.raises(UnreadableError, match="no such file"):
        tare.Scores.load(tmp_path / "scores.txt")
    (tmp_path / "scores.txt").write_text("some words\n")
    with pytest.raises(FormatError, match=r"scores are read from \.parquet, \.csv"):
        tare.Scores.load(tmp_path / "scores.txt")
    with pytest.raises(UnreadableError, match="no such file"):
        tare.Scores.load(tmp_path / "scores.parquet")
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "x.parquet", metadata={"tare": "{broken"})
    with pytest.raises(FormatError, match="its metadata 'tare' are damaged"):
        tare.Scores.load(tmp_path / "x.parquet")


def test_rows_added_to_a_saved_table_are_kept(scores, tmp_path):
    scores.save(tmp_path / "scores.parquet")
    about = pl.read_parquet_metadata(tmp_path / "scores.parquet")["tare"]
    more = pl.DataFrame({"system": ["z"], "item": ["q1"], "measure": ["AP"], "value": [0.25]})
    longer = pl.concat([scores.to_frame(), more])
    longer.write_parquet(tmp_path / "longer.parquet", metadata={"tare": about})
    assert tare.Scores.load(tmp_path / "longer.parquet").systems == ("x", "y", "z")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"systems": ("x", "x")}, "duplicate 'x' among the systems"),
        ({"items": ("q1", "q1", "q2")}, "duplicate 'q1' among the items"),
        ({"measures": ("AP", "AP", "RR")}, "duplicate 'AP' among the measures"),
        ({"items": ("q1",)}, "do not fit"),
        ({"signatures": ()}, "0 signatures for 3 measures"),
    ],
)
def test_tables_whose_parts_do_not_fit_are_refused(scores, change, message):
    with pytest.raises(MismatchError, match=message):
        replace(scores, **change)


def test_the_table_of_one_system_has_a_row_a_measure(scores):
    one = scores.select(systems=["x"]).table()
    assert [c.name for c in one.columns] == ["measure", "mean", "95 % interval", "n"]
    assert one.rows[2][:3] == ("NumRelRet", 4, None)
    assert one.title == "x"


def test_the_table_of_several_systems_marks_the_best(scores):
    several = scores.select(measures=scores.measures[:2]).table(confidence=0.9)
    assert several.columns[2].name == "90 % interval"
    assert several.marks == {(0, 1), (0, 3)}
    assert any(
        note.startswith("signature: AP|rel:1|ties:trec|missing:zero") for note in several.notes
    )


def test_the_html_of_a_table_is_that_of_its_scores(scores):
    assert '<table class="tare">' in scores._repr_html_().partition("<details")[0]


def test_signatures_tell_what_a_number_depends_on():
    one = tare.evaluate(QRELS, RUNS["x"], "P(rel=2)@5", ties="expected", depth=7, precision=32)
    text = str(one.signatures[0])
    assert text.startswith(
        "P(rel=2)@5|rel:2|ties:expected|missing:zero|unjudged:nonrelevant|depth:7"
    )
    assert "|precision:32|n:3|qrels:" in text
    assert text.endswith(f"|tare:{tare.__version__}")


def test_sampled_values_say_so():
    run = {"q1": {f"d{i}": 1.0 for i in range(30)}}
    qrels = {"q1": {f"d{i}": i % 4 for i in range(30)}}
    first = tare.evaluate(qrels, run, "INST", ties="expected", samples=500, seed=1)
    second = tare.evaluate(qrels, run, "INST", ties="expected", samples=500, seed=2)
    assert "seed:1|samples:500" in str(first.signatures[0])
    assert "sampled values" in [f.kind for f in first.findings]
    assert first.errors is not None
    assert abs(first.mean - second.mean) < 6 * first.errors.max()
    assert first.mean != second.mean
