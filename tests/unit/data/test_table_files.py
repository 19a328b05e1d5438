"""Qrels and runs as JSON lines, CSV, TSV and Parquet."""

import gzip

import polars as pl
import pytest

import tare
from tare.errors import FormatError, OptionError, UnreadableError

QRELS = {"q1": {"a": 1.0, "b": 0.0}, "q 2": {"a": 0.1 + 0.2, "c,d": -1.0}}
RUN = {"q1": {"b": 1 / 3, "a": 1e-300}, "q2": {'say "hi"': -2.5}}
SUFFIXES = [".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".jsonl.gz", ".csv.zst", ".tsv.gz"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_is_read(suffix, tmp_path):
    tare.read_qrels(QRELS).write(tmp_path / f"qrels{suffix}")
    assert tare.read_qrels(tmp_path / f"qrels{suffix}").to_dict() == QRELS
    tare.read_run(RUN).write(tmp_path / f"bm25{suffix}")
    run = tare.read_run(tmp_path / f"bm25{suffix}")
    assert run.to_dict() == RUN
    assert run.system == "bm25"


@pytest.mark.parametrize("suffix", ["", ".txt", ".run", ".gz", ".trec.zst"])
def test_trec_text_is_read_as_it_was_written(suffix, tmp_path):
    qrels = {"q1": {"a": 0.1 + 0.2, "#b": 3.0, "c": -1.0}}
    tare.read_qrels(qrels).write(tmp_path / f"qrels{suffix}")
    assert tare.read_qrels(tmp_path / f"qrels{suffix}").to_dict() == qrels
    run = tare.read_run({"q1": {"a": 1 / 3, "b": 1e-300, "c": 1 / 3}}, system="tag")
    run.write(tmp_path / f"run{suffix}")
    again = tare.read_run(tmp_path / f"run{suffix}", system_names="tag")
    assert again.to_dict() == run.to_dict()
    assert again.digest == run.digest
    assert again.system == "tag"


def test_trec_text_is_written_best_first_with_whole_grades(tmp_path):
    tare.read_run({"q": {"a": 1, "c": 2, "b": 2}}, system="t").write(tmp_path / "run")
    assert (tmp_path / "run").read_text() == "q Q0 c 1 2.0 t\nq Q0 b 2 2.0 t\nq Q0 a 3 1.0 t\n"
    tare.read_qrels({"q": {"a": 2, "b": 0.5}}).write(tmp_path / "qrels")
    assert (tmp_path / "qrels").read_text() == "q 0 a 2\nq 0 b 0.5\n"


@pytest.mark.parametrize("bad", [{"q 1": {"a": 1}}, {"#q": {"a": 1}}, {"q": {"a\tb": 1}}])
def test_ids_that_text_cannot_hold_are_refused_and_nothing_is_written(bad, tmp_path):
    with pytest.raises(FormatError, match=r"cannot be written as TREC text: .* Write \.jsonl"):
        tare.read_qrels(bad).write(tmp_path / "out")
    with pytest.raises(FormatError, match="cannot be written as TREC text"):
        tare.read_run(bad, system="t").write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_parquet_is_not_compressed_twice(tmp_path):
    with pytest.raises(OptionError, match=r"remove \.gz"):
        tare.read_run(RUN).write(tmp_path / "run.parquet.gz")


def test_rows_of_csv_are_counted_with_the_header(tmp_path):
    (tmp_path / "run.csv").write_text("qid,docno,score\nq,a,2\nq,b,x\nq,c,\n")
    with pytest.raises(FormatError) as error:
        tare.read_run(tmp_path / "run.csv")
    told = str(error.value).splitlines()
    assert "run.csv, row 3: the score 'x' is not a finite number" in told[0]
    assert "row 4: the score None" in told[1]
    (tmp_path / "run.csv").write_text("qid,docno,score\nq,a,2\nq,b,1\nq,a,0\n")
    with pytest.raises(
        FormatError, match="row 4: duplicate document 'a' of query 'q' .first seen on row 2"
    ):
        tare.read_run(tmp_path / "run.csv")


@pytest.mark.parametrize("text", ["", " \n", "qid,docno,score\n"])
def test_tables_without_rows_are_refused(text, tmp_path):
    (tmp_path / "run.csv").write_text(text)
    with pytest.raises(FormatError, match=r"run\.csv.*empty"):
        tare.read_run(tmp_path / "run.csv")


def test_a_byte_order_mark_is_passed_over(tmp_path):
    (tmp_path / "q.csv").write_text("\ufeffqid,docno,grade\nq,a,2\n", encoding="utf-8")
    assert tare.read_qrels(tmp_path / "q.csv").to_dict() == {"q": {"a": 2}}
    (tmp_path / "q.jsonl").write_text(
        '\ufeff{"qid": "q", "docno": "a", "grade": 2}\n', encoding="utf-8"
    )
    assert tare.read_qrels(tmp_path / "q.jsonl").to_dict() == {"q": {"a": 2}}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{broken", "line 2: not valid JSON"),
        ("[1, 2]", "line 2: expected an object"),
        ("7", "line 2: expected an object"),
    ],
)
def test_bad_lines_of_json_are_told(line, message, tmp_path):
    good = '{"qid": "q", "docno": "a", "score": 1}\n'
    (tmp_path / "run.jsonl").write_text(good + line + "\n" + good)
    with pytest.raises(FormatError, match=rf"run\.jsonl, {message}"):
        tare.read_run(tmp_path / "run.jsonl")


def test_numbers_and_texts_may_be_mixed_in_json(tmp_path):
    lines = ['{"qid": 1, "docno": "a", "score": 1}', "", '{"qid": "q", "docno": 2, "score": "0.5"}']
    (tmp_path / "run.jsonl").write_text("\n".join(lines))
    assert tare.read_run(tmp_path / "run.jsonl").to_dict() == {"1": {"a": 1.0}, "q": {"2": 0.5}}


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_bytes_that_are_no_table_are_refused(suffix, tmp_path):
    path = tmp_path / f"run{suffix}"
    path.write_bytes(bytes(range(256)) * 20)
    with pytest.raises(FormatError, match=rf"run\{suffix}"):
        tare.read_run(path)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_folders_and_missing_files_are_refused(suffix, tmp_path):
    with pytest.raises(UnreadableError, match="no such file"):
        tare.read_run(tmp_path / f"nowhere{suffix}")
    (tmp_path / f"folder{suffix}").mkdir()
    with pytest.raises(UnreadableError, match="is a folder"):
        tare.read_run(tmp_path / f"folder{suffix}")


def test_invalid_utf8_is_refused(tmp_path):
    (tmp_path / "run.csv").write_bytes(b"qid,docno,score\nq,caf\xe9,1\n")
    with pytest.raises(FormatError, match=r"run\.csv"):
        tare.read_run(tmp_path / "run.csv")
    (tmp_path / "run.jsonl").write_bytes(b'{"qid": "q", "docno": "caf\xe9", "score": 1}\n')
    with pytest.raises(FormatError, match=r"run\.jsonl"):
        tare.read_run(tmp_path / "run.jsonl")


def test_a_truncated_table_is_refused(tmp_path):
    (tmp_path / "run.csv.gz").write_bytes(gzip.compress(b"qid,docno,score\nq,a,1\n" * 99)[:40])
    with pytest.raises(UnreadableError, match=r"run\.csv\.gz: the gzip data end too early"):
        tare.read_run(tmp_path / "run.csv.gz")


def test_frames_have_typed_columns():
    frame = tare.read_run(RUN).to_frame()
    assert frame.schema == {"query": pl.String, "document": pl.String, "score": pl.Float64}
    assert tare.read_qrels(QRELS).to_frame().columns == ["query", "document", "grade"]
