"""`tare score`: a person scores runs, on a terminal and in a pipe."""

import csv
import gzip
import io
import json

import pytest

import tare as library

MEASURES = ("-m", "nDCG@10", "RR", "P(rel=2)@1")


def rows_of(text: str, delimiter: str = "\t") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))


def test_a_terminal_gets_a_table_with_findings_and_signatures(tare):
    code, shown = tare.on_a_terminal("score", "qrels.txt", "bm25.run", *MEASURES)
    assert code == 0
    lines = shown.splitlines()
    assert lines[0] == "bm25"
    assert lines[2].split() == ["measure", "mean", "95", "%", "interval", "n"]
    assert lines[5].split()[:2] == ["RR", "0.5000"]
    assert "! bm25: 1 of 3 judged queries are missing from the run. (q3)" in shown
    assert "signature: RR|rel:1|ties:trec|missing:zero" in shown


def test_several_runs_on_a_terminal_show_progress_and_the_best(tare):
    code, shown = tare.on_a_terminal("score", "qrels.txt", "bm25.run", "dense.run", "-m", "RR")
    assert code == 0
    assert "reading ━" in shown
    table = shown.split("\x1b[K")[-1]
    assert "dense   0.8333*" in table


def test_a_pipe_gets_rows_with_all_digits(tare):
    done = tare("score", "qrels.txt", "bm25.run", "dense.run", *MEASURES)
    assert done.code == 0
    rows = rows_of(done.out)
    assert [(r["system"], r["measure"], r["n"]) for r in rows] == [
        (system, measure, "3")
        for system in ("bm25", "dense")
        for measure in ("nDCG@10", "RR", "P(rel=2)@1")
    ]
    assert float(rows[4]["mean"]) == 2.5 / 3
    assert "are missing from the run" in done.err
    assert "Traceback" not in done.err


def test_measures_may_be_named_again_and_again(tare):
    done = tare("score", "qrels.txt", "bm25.run", "-m", "RR", "-m", "ndcg_cut_10", "-m", "map")
    assert [row["measure"] for row in rows_of(done.out)] == ["RR", "nDCG@10", "AP"]


def test_without_measures_the_usual_ones_are_taken(tare):
    done = tare("score", "qrels.txt", "bm25.run")
    assert [r["measure"] for r in rows_of(done.out)] == [
        "nDCG@10",
        "AP",
        "RR",
        "P@10",
        "Recall@100",
    ]


def test_a_line_a_query(tare):
    done = tare("score", "qrels.txt", "bm25.run", "-m", "RR", "--by-query")
    assert [(r["query"], r["value"]) for r in rows_of(done.out)] == [
        ("q1", "1.0"),
        ("q2", "0.5"),
        ("q3", "0.0"),
    ]
    assert "are missing from the run" in done.err


@pytest.mark.parametrize("by_query", [(), ("--by-query",)])
@pytest.mark.parametrize(
    "format", ["table", "tsv", "csv", "json", "jsonl", "latex", "markdown", "html"]
)
def test_every_format(tare, format, by_query):
    done = tare("score", "qrels.txt", "dense.run", "-m", "RR", "--format", format, *by_query)
    assert done.code == 0
    first = done.out.splitlines()[0]
    if format in ("tsv", "csv"):
        assert rows_of(done.out, "," if format == "csv" else "\t")[0]["system"] == "dense"
    elif format == "json":
        assert json.loads(done.out)["rows"][0]["measure"] == "RR"
    elif format == "jsonl":
        assert json.loads(first)["measure"] == "RR"
    elif format == "latex":
        assert first == r"% needs \usepackage{booktabs}"
        assert r"\end{tabular}" in done.out
    elif format == "html":
        assert first == '<table class="tare">'
    elif format == "markdown":
        assert "| ---: |" in done.out or "---: |" in done.out
    else:
        assert "─" in done.out


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_run_from_standard_input(tare, pack):
    data = pack((tare.folder / "dense.run").read_bytes())
    done = tare("score", "qrels.txt", "-", "-m", "RR", stdin=data)
    assert rows_of(done.out)[0]["system"] == "dense"
    assert rows_of(done.out)[0]["mean"] == str(2.5 / 3)


def test_qrels_from_standard_input(tare):
    done = tare(
        "score", "-", "dense.run", "-m", "RR", stdin=(tare.folder / "qrels.txt").read_bytes()
    )
    assert rows_of(done.out)[0]["mean"] == str(2.5 / 3)


def test_runs_by_a_pattern_that_the_shell_left_alone(tare):
    done = tare("score", "qrels.txt", "*.run", "-m", "RR")
    assert [row["system"] for row in rows_of(done.out)] == ["bm25", "dense"]


def test_what_was_saved_is_loaded_with_its_signature(tare):
    done = tare("score", "qrels.txt", "bm25.run", "dense.run", "-m", "RR", "--save", "s.parquet")
    assert done.code == 0
    scores = library.Scores.load(tare.folder / "s.parquet")
    assert scores.systems == ("bm25", "dense")
    assert str(scores.signatures[0]).startswith("RR|rel:1|ties:trec|missing:zero")
    assert [f.kind for f in scores.findings] == ["queries missing from the run"]


def test_the_rows_of_queries_are_loaded_as_scores(tare):
    done = tare("score", "qrels.txt", "dense.run", "-m", "RR", "--by-query", "--format", "csv")
    (tare.folder / "scores.csv").write_text(done.out)
    assert library.Scores.load(tare.folder / "scores.csv").mean == 2.5 / 3


def test_strict_turns_findings_into_an_exit_code(tare):
    assert tare("score", "qrels.txt", "bm25.run", "-m", "RR", "--strict").code == 1
    assert tare("score", "qrels.txt", "dense.run", "-m", "RR", "--strict").code == 0
    assert tare("score", "qrels.txt", "bm25.run", "-m", "RR", "--strict", "--by-query").code == 1


def test_policies_are_options(tare):
    skip = tare("score", "qrels.txt", "bm25.run", "-m", "RR", "--missing", "skip")
    assert rows_of(skip.out)[0]["mean"] == "0.75"
    error = tare("score", "qrels.txt", "bm25.run", "-m", "RR", "--missing", "error")
    assert (error.code, error.out) == (3, "")
    assert "1 judged queries are missing from the run (q3" in error.err
    depth = tare("score", "qrels.txt", "bm25.run", "-m", "RR", "--depth", "1", "--ties", "order")
    assert rows_of(depth.out)[0]["mean"] == str(1 / 3)


def test_the_same_command_gives_the_same_bytes(tare):
    arguments = ("score", "qrels.txt", "bm25.run", "dense.run", "--seed", "7", "--ties", "expected")
    assert tare(*arguments) == tare(*arguments)


def test_a_reader_that_has_seen_enough(tare):
    import subprocess

    command = " ".join(tare.command("list", "measures"))
    done = subprocess.run(
        f"{command} | head -1",
        shell=True,
        cwd=tare.folder,
        env=tare.environment,
        capture_output=True,
        check=True,
        timeout=600,
    )
    assert done.stdout.startswith(b"family\tmeasure\t")
    assert done.stderr == b""


def test_a_net_score_that_is_undefined_does_not_withhold_the_score(tare, tmp_path):
    """On pools that the cutoff covers, every ranking has the ideal sum of gains."""
    qrels = "".join(f"q{q} 0 d{d} {d % 2}\n" for q in (1, 2) for d in range(4))
    run = "".join(f"q{q} Q0 d{d} {d} {9 - d} t\n" for q in (1, 2) for d in range(4))
    (tmp_path / "small.qrels").write_text(qrels)
    (tmp_path / "small.run").write_text(run)
    done = tare("score", "small.qrels", "small.run", "--pool", "judged", "-m", "CG@6", "RR")
    assert done.code == 0
    means = {row["measure"]: row["mean"] for row in rows_of(done.out)}
    assert float(means["CG@6"]) == 2
    assert means["Net(CG@6)"] == ""
    assert float(means["Net(RR)"]) < 1
    assert "Net(CG@6) is undefined: on every item chance scores as high as the ideal" in done.err
    table = tare(
        "score", "small.qrels", "small.run", "--pool", "judged", "-m", "CG@6", "--format", "table"
    )
    assert [line.split()[1] for line in table.out.splitlines() if line.startswith("Net")] == ["–"]
    (tmp_path / "other.run").write_text(run.replace("d0 0 9", "d0 0 1"))
    compared = tare(
        "compare",
        "small.qrels",
        "small.run",
        "other.run",
        "--pool",
        "judged",
        "-m",
        "Net(CG@6)",
        "RR",
    )
    assert compared.code == 0
    assert "Net(CG@6) was not compared: it is undefined" in compared.err


def test_clusters_replicates_and_a_range_are_asked_for_by_options(tare, tmp_path):
    qrels = "".join(f"q{q} 0 d{d} {(d + q) % 3}\n" for q in range(16) for d in range(6))
    for name, shift in (("a.1", 0), ("a.2", 1), ("b.1", 2), ("b.2", 4)):
        run = "".join(
            f"q{q} Q0 d{d} 0 {(d * 5 + q * shift) % 7} t\n" for q in range(16) for d in range(6)
        )
        (tmp_path / f"{name}.run").write_text(run)
    (tmp_path / "many.qrels").write_text(qrels)
    sessions = "".join(f"q{q},{q // 2}\n" for q in range(16))
    (tmp_path / "sessions.csv").write_text("query,cluster\n" + sessions)
    files = ("many.qrels", "a.1.run", "a.2.run", "b.1.run", "b.2.run", "--replicates")
    plain = tare("score", *files, "-m", "nDCG@3", "DCG@3")
    grouped = tare(
        "score", *files, "-m", "nDCG@3", "DCG@3", "--cluster", "sessions.csv", "--range", "0:5"
    )
    assert (plain.code, grouped.code) == (0, 0)
    one, other = rows_of(plain.out), rows_of(grouped.out)
    assert [r["system"] for r in one] == ["a", "a", "b", "b"]
    assert [r["mean"] for r in one] == [r["mean"] for r in other]
    assert all(r["low"] != s["low"] for r, s in zip(one, other, strict=True))
    shown = tare("score", *files, "-m", "nDCG@3", "--cluster", "sessions.csv", "--format", "table")
    assert "over 8 clusters (Kish 1965)" in shown.err
    assert "replicates:2" in shown.err
    compared = tare("compare", *files, "-m", "nDCG@3", "--cluster", "sessions.csv")
    assert "16 queries in 8 clusters (cluster)" in compared.err
    assert "Scores are means of 2 runs of each system" in compared.err
    for wrong, message in (
        (("--cluster", "nowhere"), "is neither an attribute of the items"),
        (("--range", "5:1"), "the first number must be below the second"),
        (("--range", "many"), "expected the lowest and the highest value"),
    ):
        done = tare("score", *files, "-m", "DCG@3", *wrong)
        assert done.code == 2
        assert message in done.err
        assert "Traceback" not in done.err


def test_clusters_may_be_a_column_of_the_tables_that_are_scored(tare, tmp_path):
    judged = "".join(f"q{q} 0 d{d} {(d + q) % 3}\n" for q in range(16) for d in range(6))
    (tmp_path / "many.qrels").write_text(judged)
    for name, shift in (("a", 1), ("b", 2)):
        rows = "".join(
            f"q{q},d{d},{(d * 5 + q * shift) % 7},s{q // 2}\n" for q in range(16) for d in range(6)
        )
        (tmp_path / f"{name}.csv").write_text("qid,doc_id,score,session\n" + rows)
    (tmp_path / "sessions.csv").write_text(
        "query_id,cluster\n" + "".join(f"q{q},{q // 2}\n" for q in range(16))
    )
    for call in (
        ("score", "many.qrels", "a.csv", "b.csv", "-m", "nDCG@3"),
        ("compare", "many.qrels", "a.csv", "b.csv", "-m", "nDCG@3"),
        ("gate", "many.qrels", "a.csv", "--baseline", "b.csv", "-m", "nDCG@3"),
    ):
        column, file, none = (
            tare(*call, *more, "--format", "tsv")
            for more in (("--cluster", "session"), ("--cluster", "sessions.csv"), ())
        )
        assert column.code == file.code
        assert column.out == file.out != none.out
    lines = (tmp_path / "a.csv").read_text().splitlines()
    (tmp_path / "a.csv").write_text("\n".join([*lines[:-1], lines[-1] + "x"]) + "\n")
    done = tare("compare", "many.qrels", "a.csv", "b.csv", "--cluster", "session")
    assert done.code == 3
    assert "a.csv, row 97: q15 is in the clusters 's7' and 's7x'" in done.err
