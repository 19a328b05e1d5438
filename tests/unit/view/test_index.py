"""The index holds the scores and rankings of its files, and is rebuilt when they change."""

import gzip
import os
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from tare._web.view.build import opened_index
from tare.errors import FormatError, OptionError, UnreadableError
from tests.unit.view.conftest import BM25, DENSE, DOCUMENTS, GRADES, QUERIES, scores_of


def quiet(text):
    """Say nothing."""


def never():
    """Fail if the scores are computed again."""
    raise AssertionError("the index was rebuilt")


def test_columns_are_those_of_evaluate(index, inputs):
    scores = scores_of(inputs)
    assert index.systems == scores.systems == ("bm25", "dense")
    assert index.measures == ("nDCG@10", "AP")
    for s, system in enumerate(index.systems):
        for kind, name in (("gross", "{}"), ("tare", "E({})"), ("net", "Net({})")):
            for measure in index.measures:
                found = index.column(kind, measure, system)
                assert np.array_equal(found, scores.matrix(name.format(measure))[s], equal_nan=True)
    assert index.column("gross", "RR", "bm25") is None


def test_queries_grades_and_rankings_are_those_of_the_files(index):
    assert [q for q, _ in index.queries(range(4))] == sorted(QUERIES)
    assert [t for _, t in index.queries(range(4))] == [QUERIES[q] for q in sorted(QUERIES)]
    for place, query in enumerate(sorted(QUERIES)):
        assert index.judged(place) == GRADES[query]
        assert index.place_of(query) == place
    assert index.ranking(2, "bm25") == list(BM25["q3"].items())
    assert index.ranking(0, "dense")[:3] == list(DENSE["q1"].items())[:3]
    assert index.ranking(3, "dense") == []  # the run has no such query
    assert [d for d, _ in index.ranking(3, "bm25")] == ["b", "a"]  # ties: larger id first
    assert index.place_of("q9") is None


def test_only_the_first_documents_are_kept(inputs):
    short = replace(inputs, depth=2)
    made = opened_index(short, lambda: scores_of(short), say=quiet)
    with closing(made):
        assert [d for d, _ in made.ranking(2, "bm25")] == ["b", "c"]
        assert made.path != inputs.index_path()


@pytest.mark.parametrize("form", ["plain", "gz", "tsv", "folder"])
def test_documents_are_found_in_every_form(inputs, tmp_path, form):
    place = tmp_path / "docs.jsonl"
    if form == "gz":
        packed = tmp_path / "docs.jsonl.gz"
        packed.write_bytes(gzip.compress(place.read_bytes()))
        place = packed
    elif form == "tsv":
        place = tmp_path / "docs.tsv"
        place.write_text("".join(f"{d}\t{t}\n" for d, t in DOCUMENTS.items()))
    elif form == "folder":
        place = tmp_path / "docs"
        place.mkdir()
        for d, t in DOCUMENTS.items():
            (place / f"{d}.txt").write_text(t)
    given = replace(inputs, documents=str(place))
    made = opened_index(given, lambda: scores_of(given), say=quiet)
    with closing(made):
        for name, text in DOCUMENTS.items():
            assert made.document(name).text == text
        assert made.document("nobody") is None
        for name in ("../qrels.txt", "qrels", "../docs.jsonl", "a.txt"):
            assert made.document(name) is None


def test_an_unchanged_index_is_reused_and_a_changed_file_rebuilds_it(inputs, index):
    opened_index(inputs, never, say=quiet).close()
    os.utime(inputs.runs[0], (1, 1))  # another time, the same bytes
    opened_index(inputs, never, say=quiet).close()
    text = inputs.runs[0].read_text()
    inputs.runs[0].write_text(text.replace("q1 Q0 b 1 4.0", "q1 Q0 b 1 0.4"))  # the same size
    os.utime(inputs.runs[0], (2, 2))
    said = []
    again = opened_index(inputs, lambda: scores_of(inputs), say=said.append)
    assert "changed" in said[0]
    with closing(again):
        assert next(d for d, _ in again.ranking(0, "bm25")) == "a"


def test_a_damaged_index_is_rebuilt(inputs, index):
    index.path.write_bytes(b"no database")
    again = opened_index(inputs, lambda: scores_of(inputs), say=quiet)
    again.close()
    assert again.count == 4
    assert not list(index.path.parent.glob("*.new"))


def test_a_failed_pass_leaves_no_file(inputs):
    def failing():
        raise OSError("no space left")

    with pytest.raises(OptionError, match="cannot be written.*--index"):
        opened_index(inputs, failing, say=quiet)
    assert list(inputs.index_path().parent.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [("{", "invalid JSON"), ("[1]", "expected a JSON object"), ('{"x": 1}', "expected an id")],
)
def test_bad_texts_name_file_and_line(inputs, tmp_path, line, message):
    (tmp_path / "docs.jsonl").write_text('{"id": "a", "text": "b"}\n' + line + "\n")
    with pytest.raises(FormatError, match=rf"docs.jsonl, line 2: {message}"):
        opened_index(inputs, lambda: scores_of(inputs), say=quiet)
    (tmp_path / "queries.tsv").write_text("only one field\n")
    with pytest.raises(FormatError, match=r"queries.tsv, line 1: expected 'id<tab>text'"):
        opened_index(inputs, lambda: scores_of(inputs), say=quiet)


def test_ir_datasets_is_read_from_its_cache_and_never_downloads(inputs, tmp_path, monkeypatch):
    pytest.importorskip("ir_datasets")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "cache"))
    given = replace(inputs, documents="ir_datasets:vaswani")
    with pytest.raises(UnreadableError, match="not in the local cache"):
        opened_index(given, lambda: scores_of(given), say=quiet)
    given = replace(inputs, documents="ir_datasets:no/such")
    with pytest.raises(OptionError, match="no collection 'no/such'"):
        opened_index(given, lambda: scores_of(given), say=quiet)


def test_documents_of_ir_datasets(inputs, monkeypatch):
    ir_datasets = pytest.importorskip("ir_datasets")
    from collections import namedtuple

    class Document(namedtuple("Document", "doc_id text")):
        def default_text(self):
            return self.text

    class Store:
        def get(self, name):
            return {d: Document(d, t) for d, t in DOCUMENTS.items()}[name]

    class Collection:
        def docs_store(self):
            return Store()

    monkeypatch.setattr(ir_datasets, "load", lambda key: Collection())
    given = replace(inputs, documents="ir_datasets:local")
    made = opened_index(given, lambda: scores_of(given), say=quiet)
    with closing(made):
        assert made.document("a").text == DOCUMENTS["a"]
        assert made.document("nobody") is None
