"""A file in the wrong place of a call is refused with a sentence that says what it is; it is never scored."""

import gzip

import pytest

import tare as library
from tests.journeys.conftest import BM25, QRELS

RUN = "looks like a run, not like judgements."
JUDGEMENTS = "looks like judgements, not like a run."
SCORES = "looks like a table of scores, not like"


@pytest.fixture
def files(tare):
    """One file of each kind, in the folder of the shell."""
    folder = tare.folder
    (folder / "five.run").write_text(
        "".join(line.rsplit(" ", 1)[0] + "\n" for line in BM25.splitlines())
    )
    (folder / "named.run").write_text(BM25.replace("\n", " with more words\n"))
    (folder / "packed.run.gz").write_bytes(gzip.compress(BM25.encode()))
    (folder / "run.csv").write_text("query,document,score\nq1,a,2.5\nq1,b,1.5\n")
    (folder / "qrels.csv").write_text("query,document,grade\nq1,a,1\nq1,b,0\n")
    (folder / "run.jsonl").write_text('{"query": "q1", "document": "a", "score": 2.5}\n')
    (folder / "commas.txt").write_text("q1,a,2.5\nq1,b,1.5\n")
    (folder / "preferences.txt").write_text("q1 a b b\nq1 b c b\n")
    (folder / "letor.txt").write_text("1 qid:q1 1:0.5 2:0.25\n0 qid:q1 1:0.5 2:0.5\n")
    texts = '{"item": "1", "text": "a", "reference": "b"}\n'
    (folder / "texts.jsonl").write_text(texts)
    (folder / "ranks.csv").write_text("query,rank,candidates\nq1,2,10\n")
    evaluated = tare("trec_eval", "-q", "qrels.txt", "bm25.run")
    (folder / "bm25.run.eval").write_text(evaluated.out)
    done = tare("score", "qrels.txt", "bm25.run", "-m", "AP", "--save", "scores.parquet")
    assert done.code == 0
    saved = tare("score", "qrels.txt", "bm25.run", "dense.run", "-m", "AP", "-q", "--format", "csv")
    (folder / "scores.csv").write_text(saved.out)
    return tare


CASES = [
    ("score bm25.run dense.run -m nDCG@10", f"bm25.run {RUN}"),
    ("score bm25.run dense.run -m nDCG@10 --engine local", f"bm25.run {RUN}"),
    ("score five.run dense.run -m AP", f"five.run {RUN}"),
    ("score named.run dense.run -m AP", f"named.run {RUN}"),
    ("score packed.run.gz dense.run -m AP", f"packed.run.gz {RUN}"),
    ("score bm25.run dense.run -m alpha_nDCG@10", f"bm25.run {RUN}"),
    ("score bm25.run dense.run -m nPrf@10", "bm25.run looks like a run, not like preferences."),
    ("compare bm25.run dense.run", f"bm25.run {RUN}"),
    ("check bm25.run dense.run", f"bm25.run {RUN}"),
    ("score run.csv dense.run", f"run.csv {RUN}"),
    ("score run.jsonl dense.run", f"run.jsonl {RUN}"),
    ("score qrels.txt qrels.txt -m AP", f"qrels.txt {JUDGEMENTS}"),
    ("score qrels.txt qrels.txt -m AP --engine local", f"qrels.txt {JUDGEMENTS}"),
    ("score qrels.txt qrels.txt -m AP --order rank", f"qrels.txt {JUDGEMENTS}"),
    ("score qrels.txt qrels.csv -m AP", f"qrels.csv {JUDGEMENTS}"),
    ("score scores.parquet bm25.run -m AP", f"scores.parquet {SCORES} judgements."),
    ("score scores.csv bm25.run -m AP", f"scores.csv {SCORES} judgements."),
    ("score qrels.txt scores.parquet -m AP", f"scores.parquet {SCORES} a run."),
    ("score qrels.txt scores.parquet -m AP --engine local", f"scores.parquet {SCORES} a run."),
    ("score qrels.txt scores.csv -m AP", f"scores.csv {SCORES} a run."),
    ("compare bm25.run", "bm25.run looks like a run, not like a table of scores."),
    ("compare run.csv", "run.csv looks like a run, not like a table of scores."),
    ("compare qrels.txt", "qrels.txt looks like judgements, not like a table of scores."),
    ("score qrels.txt bm25.run.eval", "bm25.run.eval looks like the output of trec_eval, not"),
    ("score bm25.run.eval bm25.run", "bm25.run.eval looks like the output of trec_eval, not"),
    ("compare bm25.run.eval", "bm25.run.eval looks like the output of trec_eval, not"),
    (
        "score qrels.txt commas.txt -m AP",
        "commas.txt looks like a table with commas, not like a run. The first line of such a table names",
    ),
    ("score preferences.txt bm25.run -m AP", "preferences.txt looks like preferences, not"),
    ("score qrels.txt preferences.txt -m AP", "preferences.txt looks like preferences, not"),
    (
        "score qrels.txt -m nPrf@10 bm25.run",
        "qrels.txt looks like judgements, not like preferences.",
    ),
    ("agree ranks.csv", "ranks.csv looks like a table of ranks, not like ratings."),
    ("agree run.csv", "run.csv looks like a run, not like ratings."),
    ("agree texts.jsonl", "texts.jsonl looks like a table of texts, not like ratings."),
    ("compare texts.jsonl", "texts.jsonl looks like a table of texts, not like a table of scores."),
    ("study people bm25.run scores.csv", "bm25.run looks like a run, not like a table of scores."),
    ("score letor.txt bm25.run -m AP", "letor.txt looks like LETOR data, not like judgements."),
    (
        "score ranks.csv bm25.run -m AP",
        "ranks.csv looks like a table of ranks, not like judgements.",
    ),
]


USAGE = {
    "score": "score QRELS RUN…",
    "check": "check QRELS RUN…",
    "compare": "compare SOURCE RUN…",
    "agree": "agree RATINGS",
    "study": "study people SCORES HUMAN",
}


@pytest.mark.parametrize(("call", "said"), CASES)
def test_a_misplaced_file_is_named_for_what_it_is(files, call, said):
    done = files(*call.split())
    assert done.code == 3, done
    assert done.out == ""
    assert said in done.err
    assert len(done.err.strip().splitlines()) == 1
    verb = call.split()[0]
    assert done.err.strip().endswith(f"Usage: tare {USAGE[verb]}")


def test_judgements_with_the_fields_of_a_run_are_read_if_they_are_meant(files):
    plain = files("score", "qrels.txt", "dense.run", "-m", "AP")
    lines = [f"{line} 0 noted\n" for line in QRELS.splitlines()]
    (files.folder / "long.txt").write_text("".join(lines))
    refused = files("score", "long.txt", "dense.run", "-m", "AP")
    assert (refused.code, refused.out) == (3, "")
    assert "`tare score --allow-extra-fields`" in refused.err
    for more in ([], ["--engine", "local"]):
        done = files("score", "long.txt", "dense.run", "-m", "AP", "--allow-extra-fields", *more)
        assert (done.code, done.out) == (0, plain.out)
        assert f"{len(lines)} lines have more fields than the format" in done.err
    read = library.read_qrels(files.folder / "long.txt", allow_extra_fields=True)
    assert read.to_dict() == library.read_qrels(files.folder / "qrels.txt").to_dict()


def test_a_few_lines_with_more_fields_are_no_run(files):
    (files.folder / "noted.txt").write_text(QRELS + "q1 0 extra 0 a word of explanation\n")
    done = files("score", "noted.txt", "dense.run", "-m", "AP")
    assert done.code == 0
    assert "1 lines have more fields than the format" in done.err


def test_standard_input_is_told_apart_too(tare):
    done = tare("score", "-", "dense.run", "-m", "AP", stdin=BM25.encode())
    assert done.code == 3
    assert f"standard input {RUN}" in done.err
