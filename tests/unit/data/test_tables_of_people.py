"""Tables of what people said, in each layout: rows are numbered as an editor shows them, with one vocabulary."""

import json

import polars as pl
import pytest

import tare
from tare._data.answers import read_answers
from tare._data.battles import read_battles
from tare._data.columns import COLUMNS
from tare._data.labels import read_labels
from tare._data.pyramids import read_presence, read_pyramid
from tare._data.ratings import read_ratings
from tare._data.summaries import read_summaries
from tare._measures.scores import Scores
from tare.errors import TareError

LAYOUTS = ("csv", "tsv", "jsonl", "parquet", "frame")
ROWS = {"csv": 5, "tsv": 5, "jsonl": 5, "parquet": 4, "frame": 4}  # of the fourth row

# A reader, three rows that it reads, the column to break, a cell that breaks it, and the message.
READERS = {
    "ratings": (
        read_ratings,
        [{"unit": f"u{k}", "coder": "ann", "value": str(k)} for k in range(4)],
        ("coder", "", "the coder is missing"),
    ),
    "labels": (
        read_labels,
        [{"qid": "q", "docid": f"d{k}", "grade": str(k)} for k in range(4)],
        ("docid", "", "the id of the query or of the document is missing"),
    ),
    "battles": (
        read_battles,
        [{"prompt": f"p{k}", "system_a": "x", "system_b": "y", "winner": "x"} for k in range(4)],
        ("winner", "zz", "the winner 'zz' is neither"),
    ),
    "answers": (
        read_answers,
        [{"qid": f"q{k}", "nugget": "n", "assignment": "support"} for k in range(4)],
        ("assignment", "perhaps", "the assignment 'perhaps' is not known"),
    ),
    "content units": (
        read_presence,
        [{"item": f"i{k}", "scu": "1", "present": "yes"} for k in range(4)],
        ("present", "maybe", "present must be yes or no; found 'maybe'"),
    ),
    "a pyramid": (
        read_pyramid,
        [{"scu": f"s{k}", "weight": "2"} for k in range(4)],
        ("weight", "x", "the weight 'x' is not a whole number"),
    ),
    "summaries": (
        read_summaries,
        [{"item": f"i{k}", "text": "a", "reference": "b", "scus": ""} for k in range(4)],
        ("scus", "{", "double quotes"),
    ),
    "scores": (
        Scores.load,
        [{"system": "s", "item": f"i{k}", "measure": "AP", "value": "0.5"} for k in range(4)],
        ("value", "x", "the value 'x' is not a finite number"),
    ),
    "scores, one column per measure": (
        Scores.load,
        [{"system": "s", "item": f"i{k}", "AP": "0.5", "RR": "1"} for k in range(4)],
        ("RR", "inf", "is not a finite number"),
    ),
}


def written(rows, layout, folder):
    """A file of the rows in a layout, or the frame itself; JSON lines have an empty line before the last."""
    frame = pl.DataFrame(rows)
    path = folder / f"table.{layout}"
    if layout == "frame":
        return frame
    if layout == "parquet":
        frame.write_parquet(path)
    elif layout == "jsonl":
        lines = [json.dumps(row) for row in rows]
        path.write_text("\n".join([*lines[:-1], "", lines[-1]]) + "\n")
    else:
        frame.write_csv(path, separator="\t" if layout == "tsv" else ",")
    return path


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", READERS)
def test_a_bad_row_has_the_number_that_an_editor_shows(kind, layout, tmp_path):
    read, rows, (column, cell, said) = READERS[kind]
    read(written(rows, layout, tmp_path))
    broken = [*rows[:-1], {**rows[-1], column: cell}]
    with pytest.raises(TareError) as raised:
        read(written(broken, layout, tmp_path))
    assert f"row {ROWS[layout]}: " in str(raised.value)
    assert said in str(raised.value)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("cell", ["", "NA", "null", "NaN"])
def test_a_value_may_be_missing(layout, cell, tmp_path):
    def read(kind, column):
        rows = READERS[kind][1]
        changed = [*rows[:-1], {**rows[-1], column: cell}]
        return READERS[kind][0](written(changed, layout, tmp_path))

    assert len(read("ratings", "value")) == 3
    (labels,) = read("labels", "grade")
    assert (len(labels), dict(labels.failed)) == (3, {"null": 1})
    scores = read("scores", "value")
    assert scores.values.ravel().tolist()[:3] == [0.5] * 3
    assert scores.values.ravel()[3] != scores.values.ravel()[3]
    with pytest.raises(TareError, match=f"row {ROWS[layout]}: the winner is missing"):
        read("battles", "winner")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_text_na_is_an_id(layout, tmp_path):
    def read(kind, column):
        rows = READERS[kind][1]
        changed = [*rows[:-1], {**rows[-1], column: "NA"}]
        return READERS[kind][0](written(changed, layout, tmp_path))

    assert "NA" in read("ratings", "unit").units
    assert ("q", "NA") in read("labels", "docid")[0].values
    assert "NA" in read("battles", "system_a").systems
    assert "NA" in read("scores", "item").items
    assert ("system", "NA") in read("content units", "item")


@pytest.mark.parametrize("spelling", COLUMNS["assessor"])
def test_an_assessor_has_the_same_spellings_everywhere(spelling):
    rows = [{"unit": "u", spelling: who, "value": 1} for who in ("ann", "bob")]
    assert read_ratings(pl.DataFrame(rows)).coders == ("ann", "bob")
    rows = [{"qid": "q", "docid": "d", "grade": 1, spelling: who} for who in ("ann", "bob")]
    assert [labels.name for labels in read_labels(pl.DataFrame(rows))] == ["ann", "bob"]
    rows = [{"system_a": "x", "system_b": "y", "winner": "a", spelling: w} for w in ("ann", "bob")]
    assert read_battles(pl.DataFrame(rows)).judges == ("ann", "bob")
    rows = [{"query": "q", "left": "a", "right": "b", "preferred": "a", spelling: "ann"}]
    assert tare.read_preferences(pl.DataFrame(rows)).judgements[0].assessor == "ann"
    rows = [{"qid": "q", "nugget": "n", "assignment": 1, spelling: who} for who in ("ann", "bob")]
    answers = read_answers(pl.DataFrame(rows))
    assert sorted({key.assigner for key in answers.credits}) == ["ann", "bob"]
