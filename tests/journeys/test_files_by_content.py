"""What a file is, is decided by its content: no suffix makes a file unreadable, and standard input has none."""

import gzip
import json

import polars as pl
import pytest

import tare as library
from tests.journeys.conftest import BM25, DENSE, QRELS

# As MS MARCO publishes them: tabs, no header; a run is query, document and rank.
TABBED = QRELS.replace(" ", "\t")
RANKED = "".join(
    "\t".join((fields[0], fields[2], fields[3])) + "\n"
    for fields in (line.split() for line in BM25.splitlines())
)
SCORED = "".join(
    "\t".join((fields[0], fields[2], fields[4])) + "\n"
    for fields in (line.split() for line in DENSE.splitlines())
)
ROWS = [line.split() for line in QRELS.splitlines()]
GRADES = pl.DataFrame(
    {
        "query": [row[0] for row in ROWS],
        "document": [row[2] for row in ROWS],
        "grade": [int(row[3]) for row in ROWS],
    }
)
NESTED = {
    query: {row[2]: int(row[3]) for row in ROWS if row[0] == query} for query in ("q1", "q2", "q3")
}
NAMES = ("qrels.dev.small.tsv", "qrels.csv", "qrels.txt", "qrels", "qrels.json", "qrels.tsv.gz")
RUN_NAMES = ("bm25.tsv", "bm25.csv", "bm25.txt", "bm25.run", "bm25", "bm25.jsonl", "bm25.tsv.gz")


def put(folder, name, text):
    data = text.encode() if isinstance(text, str) else text
    (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)


def forms(tmp_path):
    """The same judgements in every form, as bytes."""
    GRADES.write_parquet(tmp_path / "made")
    return {
        "TREC": QRELS.encode(),
        "tabs": TABBED.encode(),
        "CSV": GRADES.write_csv().encode(),
        "TSV": GRADES.write_csv(separator="\t").encode(),
        "JSON lines": GRADES.write_ndjson().encode(),
        "JSON": json.dumps(NESTED).encode(),
        "written over lines": json.dumps(NESTED, indent=1).encode(),
        "Parquet": (tmp_path / "made").read_bytes(),
    }


@pytest.fixture
def expected(tare):
    done = tare("score", "qrels.txt", "bm25.run", "-m", "AP nDCG@10", "-q")
    assert done.code == 0
    return done.out


@pytest.mark.parametrize("name", NAMES)
def test_judgements_with_tabs_are_read_from_every_name(tare, expected, name):
    put(tare.folder, name, TABBED)
    for more in ([], ["--engine", "local"]):
        done = tare("score", name, "bm25.run", "-m", "AP nDCG@10", "-q", *more)
        assert (done.code, done.out) == (0, expected), done
    assert library.read_qrels(tare.folder / name).to_dict() == NESTED


@pytest.mark.parametrize("name", RUN_NAMES)
def test_a_run_of_three_columns_is_read_from_every_name(tare, expected, name):
    put(tare.folder, name, RANKED)
    for more in ([], ["--engine", "local"], ["--order", "rank"]):
        done = tare("score", "qrels.txt", name, "-m", "AP nDCG@10", "-q", *more)
        assert (done.code, done.out) == (0, expected), done
    run = library.read_run(tare.folder / name)
    assert run.to_dict()["q1"] == {"a": -1.0, "b": -2.0, "c": -3.0}
    said = [finding.message for finding in run.findings]
    assert any("read as query, document and rank" in one for one in said), said


def test_both_are_read_from_standard_input(tare, expected):
    score = ("-m", "AP nDCG@10", "-q")
    done = tare("score", "-", "bm25.run", *score, stdin=TABBED.encode())
    assert (done.code, done.out) == (0, expected), done
    for engine in ([], ["--engine", "local"]):
        for data in (RANKED.encode(), gzip.compress(RANKED.encode())):
            done = tare("score", "qrels.txt", "-", *score, *engine, stdin=data)
            assert done.code == 0, done
            assert [line.split("\t")[1:] for line in done.out.splitlines()] == [
                line.split("\t")[1:] for line in expected.splitlines()
            ]


def test_every_form_is_read_from_standard_input_and_from_every_name(tare, tmp_path, expected):
    score = ("bm25.run", "-m", "AP nDCG@10", "-q")
    for form, data in forms(tmp_path).items():
        done = tare("score", "-", *score, stdin=data)
        assert (done.code, done.out) == (0, expected), (form, done)
        for name in ("data", "data.txt", "data.csv", "data.tsv", "data.jsonl", "data.json"):
            if (form, name) == ("JSON", "data.jsonl"):  # one object on one line: the name decides
                continue
            put(tare.folder, name, data)
            read = library.read_qrels(tare.folder / name).to_dict()
            assert read == NESTED, (form, name)


CALLS = {
    "compare": ("compare", "QRELS", "RUN", "dense.run", "-m", "AP"),
    "check": ("check", "QRELS", "RUN"),
    "report": ("report", "QRELS", "RUN", "dense.run", "-o", "page.html"),
    "gate": ("gate", "QRELS", "RUN", "--baseline", "dense.run", "-m", "AP"),
}


@pytest.mark.parametrize("verb", CALLS)
def test_every_verb_reads_both(tare, verb):
    put(tare.folder, "tabbed.tsv", TABBED)
    put(tare.folder, "bm25.tsv", RANKED)
    plain = [{"QRELS": "qrels.txt", "RUN": "bm25.run"}.get(word, word) for word in CALLS[verb]]
    named = [{"QRELS": "tabbed.tsv", "RUN": "bm25.tsv"}.get(word, word) for word in CALLS[verb]]
    first, second = tare(*plain), tare(*named)
    assert first.code == second.code < 2, (first, second)
    if verb not in ("check", "report"):  # these name their files
        assert second.out.replace("tabbed.tsv", "qrels.txt") == first.out


def test_evaluate_and_readers_take_both(tare):
    put(tare.folder, "tabbed.tsv", TABBED)
    put(tare.folder, "bm25.tsv", RANKED)
    put(tare.folder, "dense.tsv", SCORED)
    plain = [str(tare.folder / name) for name in ("qrels.txt", "bm25.run", "dense.run")]
    tabbed = [str(tare.folder / name) for name in ("tabbed.tsv", "bm25.tsv", "dense.tsv")]
    wanted = library.evaluate(plain[0], plain[1:], ["AP", "nDCG@10"])
    found = library.evaluate(tabbed[0], tabbed[1:], ["AP", "nDCG@10"])
    assert found.systems == wanted.systems
    assert found.values.tolist() == wanted.values.tolist()
    many = library.evaluate(tabbed[0], f"{tare.folder}/*.tsv".replace("*", "[bd]*"), ["AP"])
    assert many.systems == wanted.systems


def test_a_third_column_of_fractions_is_a_score(tare):
    put(tare.folder, "dense.tsv", SCORED)
    run = library.read_run(tare.folder / "dense.tsv")
    assert run.to_dict()["q2"] == {"d": 0.7, "a": 0.6}
    assert any("read as query, document and score" in f.message for f in run.findings)


@pytest.mark.parametrize(
    "numbers",
    [(3, 2, 1), (1, 3, 7), (0, 1, 2)],
    ids=["descending ranks", "gaps", "from zero"],
)
def test_a_third_column_that_could_be_either_needs_a_choice(tare, numbers):
    rows = [f"q1\t{document}\t{number}\n" for document, number in zip("abc", numbers, strict=True)]
    put(tare.folder, "some.tsv", "".join(rows))
    done = tare("score", "qrels.txt", "some.tsv", "-m", "AP")
    assert (done.code, done.out) == (3, "")
    assert "some.tsv: the third column could be a rank or a score" in done.err
    assert "--order rank" in done.err
    chosen = tare("score", "qrels.txt", "some.tsv", "-m", "AP", "--order", "rank")
    assert chosen.code == 0, chosen
    for what in ("rank", "score"):
        put(tare.folder, "headed.tsv", f"query\tdocument\t{what}\n" + "".join(rows))
        run = library.read_run(tare.folder / "headed.tsv")
        sign = -1 if what == "rank" else 1
        assert list(run.to_dict()["q1"].values()) == [sign * number for number in numbers]


def test_a_run_of_three_columns_is_no_table_of_judgements(tare):
    put(tare.folder, "bm25.tsv", RANKED)
    done = tare("score", "bm25.tsv", "bm25.run", "-m", "AP")
    assert (done.code, done.out) == (3, "")
    assert "bm25.tsv looks like a run of three columns, not like judgements." in done.err


def test_lines_that_break_the_three_columns_are_named(tare):
    for line, said in (("q9\tz\tx\n", "the score 'x' is not a"), ("q9\tz\n", "the score None is")):
        put(tare.folder, "late.tsv", RANKED + line)
        done = tare("score", "qrels.txt", "late.tsv", "-m", "AP")
        assert (done.code, done.out) == (3, "")
        assert f"late.tsv, row 6: {said}" in done.err
    put(tare.folder, "late.tsv", RANKED + "q9\tz\t1\tmore\n")
    done = tare("score", "qrels.txt", "late.tsv", "-m", "AP")
    assert (done.code, done.out) == (3, "")
    assert "late.tsv: not a readable run of three columns" in done.err
