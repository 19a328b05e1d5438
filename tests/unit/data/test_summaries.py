"""Readers of summaries: every source gives the same texts, and what is wrong is told."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from tare._data import Summaries, read_summaries
from tare._data.pyramids import PeerAnnotation, Pyramid
from tare.errors import FormatError, MismatchError, UnreadableError

ROWS = [
    {"system": "a", "item": "1", "text": "x y", "references": ["x", "y z"], "source": "x y z"},
    {"system": "b", "item": "1", "text": "z", "references": ["x", "y z"], "source": "x y z"},
]


def same(found: Summaries) -> None:
    assert found.systems == ("a", "b")
    assert found.items == ("1", "1")
    assert found.texts == ("x y", "z")
    assert found.references == (("x", "y z"), ("x", "y z"))
    assert found.sources == ("x y z", "x y z")


def test_tables(tmp_path: Path) -> None:
    jsonl = tmp_path / "s.jsonl"
    jsonl.write_text("\n".join(json.dumps(row) for row in ROWS) + "\n")
    frame = pl.DataFrame(ROWS)
    frame.write_parquet(tmp_path / "s.parquet")
    cells = frame.with_columns(pl.Series("references", [json.dumps(r["references"]) for r in ROWS]))
    cells.write_csv(tmp_path / "s.csv")
    for source in (
        jsonl,
        tmp_path / "s.parquet",
        tmp_path / "s.csv",
        frame,
        frame.to_pandas(),
        ROWS,
    ):
        same(read_summaries(source))


def test_columns_by_other_names() -> None:
    frame = pd.DataFrame(
        {
            "model": ["a"],
            "doc_id": [7],
            "prediction": ["x"],
            "ref_1": ["p"],
            "ref_2": ["q"],
            "article": ["s"],
        }
    )
    found = read_summaries(frame)
    assert (found.systems, found.items, found.texts) == (("a",), ("7",), ("x",))
    assert (found.references, found.sources) == ((("p", "q"),), ("s",))
    assert found.findings[0].severity == "note"


def test_a_dataset_of_hugging_face_by_its_shape() -> None:
    class Dataset:
        column_names = ("highlights", "summary")
        features = None

        def __iter__(self):  # type: ignore[no-untyped-def]
            return iter([{"highlights": "x y", "summary": "x"}])

    found = read_summaries(Dataset(), system="bart")
    assert (found.systems, found.items, found.references) == (("bart",), ("1",), (("x y",),))


def test_dictionaries() -> None:
    texts = {"a": {"1": "x y"}, "b": {"1": "z"}}
    same(read_summaries(texts, references={"1": ["x", "y z"]}, sources={"1": "x y z"}))
    with pytest.raises(MismatchError, match="item '1' of system 'a'"):
        read_summaries(texts, references={})


def test_sentences_stay_apart() -> None:
    found = read_summaries([{"text": ["x.", "y."], "references": [["p.", "q."], "r"]}])
    assert found.texts == (("x.", "y."),)
    assert found.references == ((("p.", "q."), "r"),)


def test_text_files(tmp_path: Path) -> None:
    for name, text in {
        "a": "x y\nw\n",
        "b": "z\nv",
        "r1": "x\np\n",
        "r2": "y z\nq\n",
        "s": "x y z\nt\n",
    }.items():
        (tmp_path / f"{name}.txt").write_text(text)
    refs = [tmp_path / "r1.txt", tmp_path / "r2.txt"]
    systems = {"a": tmp_path / "a.txt", "b": tmp_path / "b.txt"}
    found = read_summaries(systems, references=refs, sources=tmp_path / "s.txt")
    assert found.items == ("1", "2", "1", "2")
    assert found.references[1] == ("p", "q")
    one = read_summaries(tmp_path / "a.txt", references=refs)
    assert one.systems == ("a", "a")


def test_unequal_files_name_the_first_missing_item(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\ny\nz\n")
    (tmp_path / "r.txt").write_text("x\ny\n")
    with pytest.raises(MismatchError, match=r"item 3 is missing in .*r\.txt"):
        read_summaries(tmp_path / "a.txt", references=tmp_path / "r.txt")


def test_a_folder_as_at_duc(tmp_path: Path) -> None:
    for folder, name, text in (
        ("peers", "D1.M.100.A.13", "x y\nz"),
        ("models", "D1.M.100.A.A", "x"),
        ("models", "D1.M.100.A.B", '<S SNTNO="1">p q</S>\n<S SNTNO="2">r</S>'),
    ):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).write_text(text)
    found = read_summaries(tmp_path)
    assert (found.systems, found.items) == (("13",), ("D1.M.100.A",))
    assert found.references == (("x", ("p q", "r")),)
    (tmp_path / "peers" / "D2.M.100.A.13").write_text("x")
    with pytest.raises(MismatchError, match=r"'D2\.M\.100\.A' of system '13' has no model"):
        read_summaries(tmp_path)
    with pytest.raises(UnreadableError, match="no folder peers"):
        read_summaries(tmp_path / "models")


def test_what_is_wrong_is_told_together(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"text": "x", "references": 3}\n{"text": 4, "references": []}\n')
    with pytest.raises(
        FormatError, match=r"(?s)row 1: expected a reference.*row 2: expected a text"
    ):
        read_summaries(path)
    path.write_text('{"text": "x"\n[1]\n')
    with pytest.raises(
        FormatError, match=r"(?s)line 1: not valid JSON.*line 2: expected an object"
    ):
        read_summaries(path)
    path.write_text("")
    with pytest.raises(FormatError, match="is empty"):
        read_summaries(path)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no summaries"),
        ([{"words": "x"}], "no column for the text"),
        ([{"text": "x", "scus": "{}"}], "scus are a list"),
        ([{"text": "x", "scus": [{"scu": "1", "heavy": 3}]}], "an SCU has"),
        ([{"text": "x", "scus": [{"scu": "1", "present": "so"}]}], "present must be true or false"),
        ([{"text": "x", "scus": [{"scu": "1", "weight": 1.5}]}], "whole number"),
        ([{"item": 1, "text": "x", "references": []}] * 2, "duplicate item"),
        ([{"text": "\ud83d", "references": ["x"]}], "surrogate"),
        ([3], "expected columns"),
    ],
)
def test_refused(rows: list[object], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_summaries(rows)


def test_findings() -> None:
    found = read_summaries([{"item": "d", "text": None, "references": None}])
    assert [f.kind for f in found.findings] == ["columns", "empty texts", "no references"]


def test_digest_and_parts() -> None:
    found, turned = read_summaries(ROWS), read_summaries(ROWS[::-1])
    assert found.digest == turned.digest
    assert found.of("b").texts == ("z",)
    assert read_summaries(found.to_frame()).texts == found.texts
    assert read_summaries(found) is found
    with pytest.raises(MismatchError, match="There are: a, b"):
        found.of("c")


def test_references_are_optional(tmp_path: Path) -> None:
    assert read_summaries([{"text": "x", "source": "y"}]).references == ((),)
    (tmp_path / "a.txt").write_text("x\n")
    (tmp_path / "s.txt").write_text("y\n")
    found = read_summaries(tmp_path / "a.txt", sources=tmp_path / "s.txt")
    assert (found.references, found.sources) == (((),), ("y",))
    assert read_summaries({"a": {"1": "x"}}).references == ((),)


def test_a_table_takes_no_files_of_references(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"text": "x"}\n')
    with pytest.raises(FormatError, match="which contains its own references"):
        read_summaries(path, references=path)


def test_base_references_and_content_units() -> None:
    units = [
        {"scu": "1", "weight": 3, "present": [True, True, False]},
        {"scu": "2", "present": False, "contributors": ["a b", ["c", "d"]]},
    ]
    found = read_summaries([{"text": "x", "references": ["y"] * 4, "base": ["z"], "scus": units}])
    assert found.base == (("z",),)
    peer = found.scus[0]
    assert isinstance(peer, PeerAnnotation)
    assert (set(peer.found), peer.pyramid.references) == ({"1"}, 4)
    assert peer.pyramid.scus[1].contributors[1].parts == ("c", "d")
    assert found.of("system").scus == found.scus
    plain = read_summaries([{"text": "x", "scus": [{"scu": "1"}]}])
    assert isinstance(plain.scus[0], Pyramid)


def test_content_units_of_files(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("system,item,scu,present\na,1,s1,yes\na,1,s2,no\n")
    found = read_summaries(ROWS, scus=[path])
    assert isinstance(found.scus[0], PeerAnnotation)
    assert isinstance(found.scus[1], Pyramid)  # nobody looked into the text of b
    with pytest.raises(MismatchError, match="no content units for its items"):
        read_summaries([{"item": "9", "text": "x"}], scus=path)
