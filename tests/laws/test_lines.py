"""One line ends with a line feed and with nothing else, in every file that is written and read.

U+2028, U+2029, U+0085 and the old control characters are line ends for `str.splitlines`. In a field, a
text or an id they are characters like others; in TREC text, U+000B and U+000C separate fields as in
trec_eval, and control characters that no reader of text expects are refused by name.
"""

import numpy as np
import polars as pl
import pytest

import tare
from tare._data.assessor_groups import read_assessor_groups
from tare._data.pools import read_candidates
from tare._data.profiles import read_profiles
from tare._data.table_files import write_table
from tare._plain_text import lines_of
from tare.errors import FormatError

BREAKS = {
    "U+000B": "\x0b",
    "U+000C": "\x0c",
    "U+001C": "\x1c",
    "U+001D": "\x1d",
    "U+001E": "\x1e",
    "U+0085": "\x85",
    "U+2028": "\u2028",
    "U+2029": "\u2029",
    "U+00A0": "\xa0",
    "U+3000": "\u3000",
}
TABLES = [".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz", ".jsonl.zst"]
BLANKS = ("U+000B", "U+000C")
CONTROLS = ("U+001C", "U+001D", "U+001E")

each = pytest.mark.parametrize("name", BREAKS)
tables = pytest.mark.parametrize("suffix", TABLES)


def inside(name):
    return f"a{BREAKS[name]}b"


@each
def test_a_character_inside_a_line_does_not_end_it(name):
    assert lines_of(f"{inside(name)}\r\n{inside(name)}\nlast") == [inside(name)] * 2 + ["last"]


@each
@tables
def test_ids_come_back_from_tables(name, suffix, tmp_path):
    id_, path = inside(name), tmp_path / f"file{suffix}"
    run, qrels = {id_: {id_: 2.0, "b": 1.0}}, {id_: {id_: 1.0, "b": 0.0}}
    tare.read_run(run, system="x").write(path)
    assert tare.read_run(path).to_dict() == run
    tare.read_qrels(qrels).write(path)
    assert tare.read_qrels(path).to_dict() == qrels
    if "." in suffix[1:]:
        return
    cells = [(id_, id_, id_, 1.0), (id_, "2", "b", 0.0)]
    tare.read_subtopics(cells).write(path)
    assert sorted(tare.read_subtopics(path).cells()) == sorted(cells)
    preferences = tare.read_preferences([(id_, id_, "b", "b", id_, [f"{id_}c"])])
    preferences.write(path)
    if name not in BLANKS:  # they separate the given documents
        assert tare.read_preferences(path).judgements == preferences.judgements


@each
def test_ids_come_back_from_json(name, tmp_path):
    import json

    id_ = inside(name)
    run = {id_: {id_: 2.0, "b": 1.0}}
    for ascii_ in (True, False):
        (tmp_path / "run.json").write_text(json.dumps(run, ensure_ascii=ascii_), encoding="utf-8")
        assert tare.read_run(tmp_path / "run.json").to_dict() == run


@each
def test_ids_come_back_from_text_or_are_refused_by_name(name, tmp_path):
    id_, path = inside(name), tmp_path / "file"
    written = {
        "run": (tare.read_run({id_: {id_: 2.0, "b": 1.0}}, system=id_), tare.read_run),
        "qrels": (tare.read_qrels({id_: {id_: 1.0, "b": 0.0}}), tare.read_qrels),
        "subtopics": (tare.read_subtopics([(id_, id_, id_, 1.0)]), tare.read_subtopics),
        "preferences": (
            tare.read_preferences([(id_, id_, "b", "b", id_, [f"{id_}c"])])
            if name not in BLANKS
            else tare.read_preferences([(id_, id_, "b", "b")]),
            tare.read_preferences,
        ),
    }
    for made, read in written.values():
        if name in BLANKS:
            with pytest.raises(FormatError, match="contains white space"):
                made.write(path)
            continue
        if name in CONTROLS:
            with pytest.raises(FormatError, match=rf"control character U\+00{name[4:]} \("):
                made.write(path)
            continue
        made.write(path)
        again = read(path)
        assert again.to_frame().rows() == made.to_frame().rows()


def _candidates(path):
    lists = read_candidates(path).lists
    assert lists is not None
    return [document for document in lists.to_dict()["q1"] if document != "z"]


TEXTS = {
    "run": ("q1 Q0 {} 1 2.5 t\n", lambda path: tare.read_run(path).to_dict()["q1"]),
    "qrels": ("q1 0 {} 1\n", lambda path: tare.read_qrels(path).to_dict()["q1"]),
    "subtopics": ("q1 1 {} 1\n", lambda path: [c[2] for c in tare.read_subtopics(path).cells()]),
    "preferences": (
        "q1 {} z z\n",
        lambda path: [j.left for j in tare.read_preferences(path).judgements],
    ),
    "groups": (
        "q1 ann {} 1\n",
        lambda path: [level.document for level in read_assessor_groups(path).by_query["q1"]],
    ),
    "profiles": ("p q1 {}\n", lambda path: read_profiles(path).of("p", "q1")),
    "candidates": (
        "q1 {}\nq1 z\n",
        _candidates,
    ),
    "labels": ("q1 0 {} 1\n", lambda path: [i.split("\t")[-1] for i in _labelled(path)]),
}


def _labelled(path):
    return [row.document for row in _rows(path)]


def _rows(path):
    from tare._data.labels import rows_of_text

    return rows_of_text(path, "grades").rows


@each
@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_document_of_a_text_is_read_or_refused_by_name(name, kind, end, tmp_path):
    line, read = TEXTS[kind]
    path = tmp_path / "file"
    if name in BLANKS:  # they separate fields, as blanks do
        path.write_bytes(line.format("ab").replace(" ", BREAKS[name]).replace("\n", end).encode())
        assert list(read(path)) == ["ab"]
        return
    path.write_bytes(line.format(inside(name)).replace("\n", end).encode())
    if name in CONTROLS:
        with pytest.raises(FormatError, match=rf"line 1: the control character U\+00{name[4:]} \("):
            read(path)
        return
    assert list(read(path)) == [inside(name)]


@each
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_texts_come_back(name, end, tmp_path):
    text = f"one {inside(name)} two."
    for suffix in (".jsonl", ".csv", ".tsv", ".parquet"):
        frame = pl.DataFrame({"item": ["1", "2"], "text": [text, "b"], "reference": [text, text]})
        writer = {
            ".jsonl": frame.write_ndjson,
            ".csv": frame.write_csv,
            ".tsv": lambda path, f=frame: f.write_csv(path, separator="\t"),
            ".parquet": frame.write_parquet,
        }[suffix]
        writer(tmp_path / f"texts{suffix}")
        read = tare.read_summaries(tmp_path / f"texts{suffix}")
        assert (read.items, _texts(read)) == (("1", "2"), [text, "b"]), suffix
    for file, lines in (("outputs.txt", [text, "b"]), ("references.txt", [text, text])):
        (tmp_path / file).write_bytes((end.join(lines) + end).encode())
    read = tare.read_summaries(tmp_path / "outputs.txt", references=tmp_path / "references.txt")
    assert _texts(read) == [text, "b"]
    assert tare.evaluate_texts(read, "ROUGE-1")["ROUGE-1"].matrix()[0][0] == 1


def _texts(read):
    return [text if isinstance(text, str) else "\n".join(text) for text in read.texts]


@each
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_score_tables_come_back(name, suffix, tmp_path):
    id_ = inside(name)
    frame = pl.DataFrame(
        {
            "system": [id_, id_, "y", "y"],
            "item": [id_, "2"] * 2,
            "measure": ["m"] * 4,
            "value": [0.1, 0.2, 0.3, 0.4],
        }
    )
    scores = tare.Scores.load(frame)
    path = tmp_path / f"scores{suffix}"
    if suffix == ".parquet":
        scores.save(path)
    else:
        assert write_table(lambda: frame, path)
    again = tare.Scores.load(path)
    assert set(again.systems) == {id_, "y"}
    assert set(again.items) == {id_, "2"}
    assert np.array_equal(again["m"].matrix(), scores["m"].matrix())


@each
def test_features_come_back_from_letor_text_or_are_refused_by_name(name, tmp_path):
    id_, path = inside(name), tmp_path / "data.txt"
    data = tare.Letor(
        "train",
        np.array([[0.5], [0.25]], dtype=np.float32),
        np.array([1.0, 0.0]),
        (id_,),
        np.array([0, 2]),
        document_ids=(id_, "b"),
    )
    if name in (*BLANKS, *CONTROLS):
        with pytest.raises(FormatError, match="cannot be written as LETOR text"):
            data.write(path)
        return
    data.write(path)
    again = tare.read_letor(path, documents=True)
    assert again.queries == (id_,)
    assert again.document_ids == (id_, "b")


@each
def test_printed_scores_are_score_tables(name, tmp_path):
    from tare._measures.means_and_intervals import query_table

    id_ = inside(name)
    scores = tare.evaluate({id_: {id_: 1}}, {id_: {id_: {"b": 2.0, id_: 1.0}}}, "RR")
    for suffix, text in (
        (".csv", query_table(scores).render("csv")),
        (".tsv", query_table(scores).render("tsv")),
        (".jsonl", query_table(scores).render("jsonl")),
    ):
        (tmp_path / f"scores{suffix}").write_bytes(text.encode())
        again = tare.Scores.load(tmp_path / f"scores{suffix}")
        assert (again.systems, again.items, again["RR"].mean) == ((id_,), (id_,), 0.5), suffix
