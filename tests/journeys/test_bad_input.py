"""Bad input: a clear message with file and line, the right exit code, and nothing else."""

import gzip
import os
import tracemalloc
from pathlib import Path

import pytest
import zstandard

import tare as library
from tare.errors import FormatError
from tests.journeys.conftest import BM25, QRELS

BINARY = bytes(range(256)) * 64

# name: (which file, its bytes, what is said)
DATA = {
    "too few fields": ("run", b"q1 Q0 a 1 2\n", "run, line 1: expected 6 fields, found 5"),
    "one field": ("run", b"q1 Q0 a 1 2 t\n\nword\n", "run, line 3: expected 6 fields, found 1"),
    "qrels as a run": ("run", QRELS.encode(), "run looks like judgements, not like a run."),
    "qrels of one line as a run": ("run", b"q1 0 a 1\n", "Judgements come first, then the runs."),
    "no grade": ("qrels", b"q1 0 a\n", "qrels, line 1: expected 4 fields, found 3"),
    "a word for a score": (
        "run",
        b"q1 Q0 a 1 abc t\n",
        "run, line 1: the score 'abc' is not a number",
    ),
    "a word for a grade": (
        "qrels",
        b"q1 0 a yes\n",
        "qrels, line 1: the grade 'yes' is not a number",
    ),
    "nan": ("run", b"q1 Q0 a 1 nan t\n", "run, line 1: the score 'nan' is not finite"),
    "inf": ("run", b"q1 Q0 a 1 -Inf t\n", "run, line 1: the score '-Inf' is not finite"),
    "too large": ("run", b"q1 Q0 a 1 1e999 t\n", "run, line 1: the score '1e999' is not finite"),
    "hexadecimal": ("run", b"q1 Q0 a 1 0x1p3 t\n", "the score '0x1p3' is not a number"),
    "empty run": ("run", b"", "run: no ranked documents found"),
    "empty qrels": ("qrels", b"", "qrels: no judgements found"),
    "only comments": ("qrels", b"# nothing\n# here\n", "qrels: no judgements found"),
    "only comments in a run": ("run", b"# nothing\n", "run: no ranked documents found"),
    "binary": (
        "run",
        BINARY,
        "run, line 1: the control character U+0000 (null) found; is this a text file?",
    ),
    "binary qrels": ("qrels", BINARY, "qrels, line 1: the control character U+0000 (null) found"),
    "truncated gzip": (
        "run",
        gzip.compress(BM25.encode() * 99)[:60],
        "run: the gzip data end too early",
    ),
    "truncated zstd": (
        "run",
        zstandard.ZstdCompressor().compress(BM25.encode() * 99)[:40],
        "run: the zstd data end too early",
    ),
    "damaged gzip": ("run", b"\x1f\x8b" + BINARY, "run: the gzip data"),
    "invalid UTF-8": (
        "run",
        b"q1 Q0 a 1 2 t\nq1 Q0 \xe9 1 1 t\n",
        "run, line 2: the text is not valid UTF-8",
    ),
    "UTF-16": ("run", BM25.encode("utf-16"), "run, line 1"),
    "duplicate documents": (
        "run",
        b"q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n",
        "run, line 2: duplicate document 'a' of query 'q1' (first seen on line 1)",
    ),
    "conflicting judgements": (
        "qrels",
        b"q1 0 a 1\nq1 0 a 0\n",
        "qrels, line 2: document 'a' of query 'q1' has a different grade on line 1",
    ),
    "old line ends": (
        "run",
        BM25.replace("\n", "\r").encode(),
        "run, line 1: the line contains a carriage return",
    ),
    "a table without columns": ("run.csv", b"a,b\n1,2\n", "run.csv: no column for the query"),
    "a table with a word": (
        "run.csv",
        b"qid,docno,score\nq,a,x\n",
        "run.csv, row 2: the score 'x' is not a finite number",
    ),
    "broken JSON": ("run.jsonl", b'{"qid": \n', "run.jsonl, line 1: not valid JSON"),
    "no Parquet": ("run.parquet", BINARY, "run.parquet: not a readable Parquet file"),
    "JSON cut off": (
        "run.json",
        b'{"q1": {"a": 1',
        "run.json, line 1, column 15: the JSON ends too early",
    ),
    "JSON with a word": ("run.json", b'{"q1": {"a": "x"}}', "the score 'x' is not a finite number"),
    "JSON with NaN": (
        "run.json",
        b'{"q1": {"a": NaN}}',
        "run.json, line 1, column 14: the score NaN of 'a' of 'q1'",
    ),
    "JSON of systems as qrels": (
        "qrels.json",
        b'{"A": {"q": {"d": 1}}, "B": {"q": {"d": 1}}}',
        "qrels.json: 2 parts found ('A', 'B')",
    ),
    "a document twice in JSON": (
        "run.json",
        b'{"q1": {"a": 1, "a": 2}}',
        "run.json, entry 2: duplicate document 'a' of query 'q1'",
    ),
    "an empty JSON": ("qrels.json", b"{}", "qrels.json: no pairs found; the file is empty"),
    "predictions without documents": (
        "run.jsonl",
        b'{"query_id": "q1", "results": [{"name": "x"}]}\n',
        "expected a field for the document, such as 'corpus_id'",
    ),
    "a text for the retrieved ids": (
        "run.jsonl",
        b'{"query_id": "q1", "retrieved_ids": "a b"}\n',
        "expected a list of document ids in each row",
    ),
    "the same query in two rows": (
        "run.jsonl",
        b'{"query_id": "q1", "retrieved_ids": ["a"]}\n' * 2,
        "run.jsonl, row 2: the query 'q1' already has a row",
    ),
    "BEIR qrels without a grade": (
        "qrels.tsv",
        b"query-id\tcorpus-id\nq1\ta\n",
        "qrels.tsv: no column for the grade",
    ),
    "ids of other kinds": (
        "run.json",
        b'{"q1": {"1": 1, "2": 0.5}}',
        "in the run whole numbers ('1', '2')",
    ),
}


def refused(tare, code, *arguments, stdin=None):
    """Runs a command that must fail cleanly; returns what it said."""
    before = {p: p.stat().st_mtime_ns for p in tare.folder.rglob("*")}
    done = tare(*arguments, stdin=stdin)
    assert done.code == code, done.err
    assert done.out == ""
    assert "Traceback" not in done.err
    assert "unexpected" not in done.err
    assert {p: p.stat().st_mtime_ns for p in tare.folder.rglob("*")} == before
    return done.err


@pytest.mark.parametrize("case", DATA)
def test_bad_data(tare, case):
    name, data, message = DATA[case]
    (tare.folder / name).write_bytes(data)
    files = (name, "bm25.run") if name.startswith("qrels") else ("qrels.txt", name)
    told = refused(tare, 3, "score", *files, "-m", "AP", "--save", "out.parquet")
    assert message in told
    assert told.startswith("tare: ")


@pytest.mark.parametrize(
    "case", ["nan", "too few fields", "duplicate documents", "binary", "empty run"]
)
def test_bad_data_from_standard_input(tare, case):
    _, data, message = DATA[case]
    told = refused(tare, 3, "score", "qrels.txt", "-", "-m", "AP", stdin=data)
    assert message.replace("run", "standard input", 1) in told


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("nDGC@10", "'nDGC' is not a measure. Did you mean 'nDCG'?"),
        ("nDCG(foo=3)@10", "nDCG has no parameter 'foo'"),
        ("P@0", "P@0: a cutoff is a whole number of documents, 1 or more"),
        ("P@1e400", "a cutoff is a whole number"),
        ("P", "P needs a cutoff: write P@10"),
        ("nDCG(gains={1:1e400})", "each grade once"),
        ("P(rel=2", "expected ',' or ')' at character 8"),
        ("ERR(lmax=1)", "lmax=1 is below the grade 2"),
    ],
)
def test_bad_measures(tare, measure, message):
    told = refused(
        tare, 2, "score", "qrels.txt", "bm25.run", "-m", measure, "--save", "out.parquet"
    )
    assert message in told


def test_files_that_are_not_there(tare):
    assert "nowhere: no such file" in refused(tare, 3, "score", "nowhere", "bm25.run")
    assert "nowhere: no such file" in refused(tare, 3, "score", "qrels.txt", "nowhere")
    assert "Did you mean bm25.run?" in refused(tare, 3, "score", "qrels.txt", "bm25")
    assert "*.none: no file matches" in refused(tare, 3, "score", "qrels.txt", "*.none")


def test_a_folder(tare):
    (tare.folder / "folder").mkdir()
    assert "folder is a folder" in refused(tare, 3, "score", "folder", "bm25.run")
    assert "folder is a folder" in refused(tare, 3, "score", "qrels.txt", "folder")


def test_a_line_of_a_hundred_megabytes(tare):
    with (tare.folder / "run").open("wb") as file:
        file.write(b"q1 Q0 a 1 2 t\nq1 Q0 ")
        for _ in range(100):
            file.write(b"x" * (1 << 20))
        file.write(b" 2 1 t\n")
    told = refused(tare, 3, "score", "qrels.txt", "run", "-m", "AP")
    assert "run, line 2: the line is longer than 1 MiB" in told
    os.truncate(tare.folder / "run", 0)


def test_a_long_line_is_not_kept(tmp_path):
    (tmp_path / "run").write_bytes(b"x" * (64 << 20))
    tracemalloc.start()
    with pytest.raises(FormatError, match="line 1: the line is longer than 1 MiB"):
        library.read_run(tmp_path / "run")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20  # a block of 8 MB


def test_three_problems_of_a_kind_are_shown_and_all_are_counted(tare):
    (tare.folder / "run").write_text(
        "".join(f"q1 Q0 d{i} 1 {'x' if i else 'nan'} t\n" for i in range(1234))
    )
    told = refused(tare, 3, "score", "qrels.txt", "run").splitlines()
    assert [line.split(":")[0] for line in told[:-1]] == [
        "tare",
        *(f"run, line {n}" for n in (2, 3, 4)),
    ]
    assert told[-1] == "… 1,234 problems in total; at most 3 of a kind are shown."


@pytest.mark.skipif(not Path("/dev/urandom").exists(), reason="this system has no /dev/urandom")
@pytest.mark.parametrize("options", [[], ["--engine", "local"]])
def test_endless_malformed_lines_are_not_read_for_ever(tare, options):
    for files in (["qrels.txt", "/dev/urandom"], ["/dev/urandom", "bm25.run"]):
        told = refused(tare, 3, "score", *files, "-m", "AP", *options)
        assert "more than 100,000 problems in total" in told
    told = refused(tare, 3, "score", "/dev/urandom", "bm25.run", "-m", "nPrf@10", *options)
    assert "the text is not valid UTF-8" in told


def test_the_first_bad_run_stops_before_anything_is_printed(tare):
    (tare.folder / "run").write_text("q1 Q0 a 1 x t\n")
    assert "run, line 1" in refused(tare, 3, "score", "qrels.txt", "bm25.run", "run", "dense.run")


def test_a_bar_on_a_terminal_is_removed_before_the_message(tare):
    (tare.folder / "run").write_text("q1 Q0 a 1 x t\n")
    code, shown = tare.on_a_terminal("score", "qrels.txt", "bm25.run", "run")
    assert code == 3
    assert shown.split("\x1b[K")[-1].startswith("tare: run, line 1")


def test_a_comment_only_qrels_is_no_crash_of_the_drop_in(tare):
    (tare.folder / "qrels").write_text("# nothing\n")
    assert "qrels: no judgements found" in refused(tare, 3, "trec_eval", "qrels", "bm25.run")


def test_a_place_that_cannot_be_written_is_told_before_anything_is_read(tare):
    (tare.folder / "taken").write_text("a file, not a folder")
    for options in (["--save", "taken/out.parquet"], ["--save", "."]):
        told = refused(tare, 2, "score", "qrels.txt", "nowhere.run", "-m", "AP", *options)
        assert "cannot be written" in told


def test_folders_on_the_way_to_a_file_are_made(tare):
    done = tare("score", "qrels.txt", "bm25.run", "-m", "AP", "--save", "new/folder/out.parquet")
    assert done.code == 0
    assert library.Scores.load(tare.folder / "new/folder/out.parquet").measures == ("AP",)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_scores_that_cannot_be_kept_have_been_printed(tare):
    done = tare("score", "qrels.txt", "bm25.run", "-m", "AP", "--save", "/dev/full")
    assert done.code == 3
    assert "AP" in done.out
    assert "/dev/full" in done.err
    assert "cannot be written" in done.err


def test_a_few_short_lines_of_a_run_are_listed(tare):
    lines = [f"q1 Q0 d{k} {k} {k} t" for k in range(1, 30)] + ["q1 0 a 1", "q1 0 b 1"]
    (tare.folder / "bm25.run").write_text("\n".join(lines) + "\n")
    done = tare("score", "qrels.txt", "bm25.run", "-m", "AP")
    assert done.code == 3
    assert "bm25.run, line 30: " in done.err
    assert "bm25.run, line 31: " in done.err


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        (
            "run.json",
            '{"q1": {"a": 2, "b": 1}}',
            "run.json: recognised JSON {query: {document: score}}.",
        ),
        ("run.json", '{"q1": ["a", "b"]}', "run.json: recognised JSON {query: [documents]}."),
        (
            "run.json",
            '{"mteb_model_meta": {"model_name": "e5"}, "default": {"test": {"q1": {"a": 1}}}}',
            "run.json: recognised predictions of MTEB for e5 (default/test).",
        ),
        (
            "run.jsonl",
            '{"query_id": "q1", "results": [{"corpus_id": "a", "score": 0.5}]}',
            "run.jsonl: ",
        ),
    ],
)
def test_what_was_recognised_is_one_line_on_stderr(tare, name, text, line):
    (tare.folder / name).write_text(text + "\n")
    for format in ("table", "tsv"):
        done = tare("score", "qrels.txt", name, "-m", "AP", "--format", format)
        said = done.err.splitlines()
        assert sum(each.startswith(line) and "recognised" in each for each in said) == 1, done.err
        assert "recognised" not in done.out
