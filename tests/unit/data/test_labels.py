"""Labels as people and models write them: every layout, and what could not be read."""

import json

import polars as pl
import pytest

import tare
from tare._data.labels import read_labels
from tare.errors import FormatError, MismatchError


def written(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_qrels_with_further_columns(tmp_path):
    path = written(
        tmp_path, "gpt4o.qrels", "q1 0 a 2 gpt-4o because\nq1 0 b 0\n# note\nq2 0 a 1 x\n"
    )
    (found,) = read_labels(path)
    assert found.name == "gpt4o"
    assert found.kind == "grades"
    assert dict(found.values) == {("q1", "a"): 2, ("q1", "b"): 0, ("q2", "a"): 1}


def test_labels_that_failed_are_counted_by_what_was_found_and_are_never_zero(tmp_path):
    rows = [
        {"query_id": "q1", "document_id": "a", "grade": 2, "explanation": "on topic"},
        {"query_id": "q1", "document_id": "b", "grade": None},
        {"query_id": "q1", "document_id": "c", "grade": -1},
        {"query_id": "q1", "document_id": "d", "grade": "I cannot judge this."},
        {"query_id": "q1", "document_id": "e", "grade": -1},
        {"query_id": "q1", "document_id": "f", "grade": "3"},
    ]
    (found,) = read_labels(written(tmp_path, "llm.jsonl", lines(rows)))
    assert dict(found.values) == {("q1", "a"): 2, ("q1", "f"): 3}
    assert found.failed == {"null": 1, "-1": 2, "'I cannot judge this.'": 1}
    (told,) = found.findings()
    assert "4 labels could not be read and were left out, not counted as 0" in told.message
    assert "-1 (2)" in told.message


def test_umbrela_marks_answers_that_it_could_not_read_with_a_status(tmp_path):
    """umbrela writes judgment 0 and result_status 0 for an answer without a grade."""
    rows = [
        {
            "model": "gpt-4o",
            "qid": "q1",
            "docid": d,
            "query": "what",
            "passage": "text",
            "prompt": "…",
            "prediction": "##final score: 2",
            "judgment": g,
            "result_status": s,
        }
        for d, g, s in (("a", 2, 1), ("b", 0, 1), ("c", 0, 0))
    ]
    (found,) = read_labels(written(tmp_path, "umbrela.jsonl", lines(rows)))
    assert dict(found.values) == {("q1", "a"): 2, ("q1", "b"): 0}
    assert found.failed == {"'result_status=0'": 1}


def test_umbrela_without_ids_is_keyed_by_its_texts(tmp_path):
    row = {
        "model": "m",
        "query": {"text": "how long", "qid": "q7"},
        "passage": "A flea.",
        "judgment": 3,
    }
    (found,) = read_labels(written(tmp_path, "u.jsonl", lines([row])))
    assert dict(found.values) == {("q7", "A flea."): 3}


def test_a_wide_table_has_one_set_per_column_and_empty_cells_are_not_labelled(tmp_path):
    text = "topic,doc,human,gpt4,llama,text\nq1,a,2,3,,why\nq1,b,0,-1,1,why\nq2,a,1,x,2,why\n"
    human, gpt, llama = read_labels(written(tmp_path, "labels.csv", text))
    assert [s.name for s in (human, gpt, llama)] == ["human", "gpt4", "llama"]
    assert len(human) == 3
    assert dict(gpt.values) == {("q1", "a"): 3}
    assert gpt.failed == {"-1": 1, "'x'": 1}
    assert dict(llama.values) == {("q1", "b"): 1, ("q2", "a"): 2}
    assert llama.failed == {}


def test_a_judge_column_divides_a_table(tmp_path):
    text = "qid,docid,label,model\nq,a,1,m1\nq,a,0,m2\nq,b,2,m1\n"
    one, two = read_labels(written(tmp_path, "long.csv", text))
    assert (one.name, two.name) == ("m1", "m2")
    assert dict(two.values) == {("q", "a"): 0}


def test_ratings_keep_negative_numbers_and_words(tmp_path):
    text = "unit,coder,value,item\nu1,ann,-2,q1\nu2,ann,1,q1\nu1,llm,-1,q1\nu2,llm,1,q1\n"
    ann, _ = read_labels(written(tmp_path, "ratings.csv", text))
    assert ann.kind == "ratings"
    assert dict(ann.values) == {("q1", "u1"): -2, ("q1", "u2"): 1}
    words = read_labels(
        pl.DataFrame({"unit": ["a", "b"], "coder": ["x", "x"], "value": ["good", "bad"]})
    )
    assert words[0].categories == ("bad", "good")
    assert dict(words[0].values) == {("a", "a"): 1, ("b", "b"): 0}


def test_preferences_do_not_depend_on_the_side(tmp_path):
    one = read_labels(written(tmp_path, "a.txt", "q1 a b a\nq1 c d equal\n"))[0]
    two = read_labels(written(tmp_path, "b.txt", "q1 b a right\nq1 d c left\n"))[0]
    assert one.kind == two.kind == "preferences"
    assert dict(one.values) == {("q1", "a | b"): 1, ("q1", "c | d"): 0}
    assert dict(two.values) == {("q1", "a | b"): 1, ("q1", "c | d"): -1}


def test_content_units(tmp_path):
    text = "item,system,scu,present\nd1,A,1,yes\nd1,A,2,no\nd1,B,1,maybe\n"
    (found,) = read_labels(written(tmp_path, "units.csv", text))
    assert found.kind == "units"
    assert dict(found.values) == {("d1", "A | 1"): 1, ("d1", "A | 2"): 0}
    assert found.failed == {"'maybe'": 1}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.qrels",
            "q1 0 a 1\nq1 0 a 2\n",
            "line 2: document 'a' of query 'q1' has the label 2, and another one on line 1",
        ),
        ("a.qrels", "q1 0 a\n", "line 1: expected 4 fields or more, found 3"),
        ("a.qrels", "# only\n", "no labels found"),
        (
            "a.qrels",
            "q1 0 a -1\nq1 0 b null\n",
            "no labels found. Labels are numbers of 0 or more; found -1 (1), null (1)",
        ),
        ("a.csv", "x,y\n1,2\n", "no columns of labels found"),
        ("a.csv", "qid,docid,text\nq,d,words\n", "no column with labels found"),
        (
            "a.jsonl",
            '{"qid": "q", "judgment": 1, "docid": null}\n',
            "the id of the query or of the document is missing",
        ),
    ],
)
def test_bad_files(tmp_path, name, text, message):
    with pytest.raises(FormatError, match=r".") as caught:
        read_labels(written(tmp_path, name, text))
    assert message in str(caught.value)


def test_equal_duplicates_are_one_label(tmp_path):
    assert len(read_labels(written(tmp_path, "a.qrels", "q1 0 a 1\nq1 0 a 1\n"))[0]) == 1


def test_sources_without_people_or_judges_are_refused():
    with pytest.raises(MismatchError, match="no labels of judges found"):
        tare.studies.judges({"q": {"a": 1, "b": 0}})
