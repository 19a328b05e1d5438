"""Texts of queries and documents, with their attributes."""

import json

import pytest

from tare._data.passages import StoredTexts, passages_by_id, read_passages
from tare.errors import FormatError


def test_other_fields_of_json_lines_are_attributes(tmp_path):
    path = tmp_path / "queries.jsonl"
    rows = [
        {
            "id": "q1",
            "text": "whales",
            "category": "how-to",
            "hard": True,
            "words": 3,
            "share": 0.25,
        },
        {
            "_id": 2,
            "text": "x",
            "title": "T",
            "metadata": {"category": "fact", "url": "", "list": [1]},
        },
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    first, second = read_passages(path)
    assert first.attributes == {
        "category": "how-to",
        "hard": "true",
        "words": "3",
        "share": "0.25",
    }
    assert (second.id, second.title, second.attributes) == ("2", "T", {"category": "fact"})


def test_the_first_line_of_a_table_may_name_its_columns(tmp_path):
    path = tmp_path / "queries.tsv"
    path.write_text("Category\tqid\ttext\tnote\nhow-to\tq1\tblue whales\t\nfact\tq2\tx\ty\n")
    found = list(read_passages(path))
    assert [(p.id, p.text) for p in found] == [("q1", "blue whales"), ("q2", "x")]
    assert found[0].attributes == {"Category": "how-to"}
    assert found[1].attributes == {"Category": "fact", "note": "y"}
    for passage in found:
        again = StoredTexts(path).at("", passage.start, passage.length)
        assert (again.id, again.text) == (passage.id, passage.text)
    assert passages_by_id(str(path), {"q2"})["q2"].text == "x"
    path.write_text("id\ttext\tcategory\nq1\tonly two\n")
    with pytest.raises(
        FormatError, match="line 2: expected 3 columns as in the first line, found 2"
    ):
        list(read_passages(path))


def test_without_names_everything_after_the_first_tab_is_the_text(tmp_path):
    path = tmp_path / "queries.tsv"
    path.write_text("q1\tblue\twhales\nid\tand a text\n")
    found = list(read_passages(path))
    assert [(p.id, p.text, p.attributes) for p in found] == [
        ("q1", "blue\twhales", {}),
        ("id", "and a text", {}),
    ]
    again = StoredTexts(path).at("", found[0].start, found[0].length)
    assert again.text == "blue\twhales"


def test_a_folder_is_read_by_the_names_of_its_files(tmp_path):
    (tmp_path / "d1.txt").write_text("one")
    (tmp_path / "d2.txt").write_text("two")
    assert {k: p.text for k, p in passages_by_id(str(tmp_path), {"d2", "d9"}).items()} == {
        "d2": "two"
    }
