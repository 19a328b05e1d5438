"""What could have been ranked: asked for in one sentence, and checked against the data."""

from __future__ import annotations

import json

import pytest

import tare as library

ASKED = "needs to know what could have been ranked: --pool judged"


def means(done) -> dict[tuple[str, str], float]:
    rows = [json.loads(line) for line in done.out.splitlines()]
    return {(row["system"], row["measure"]): row["mean"] for row in rows}


def score(tare, *arguments):
    return tare("score", "qrels.txt", "bm25.run", *arguments, "--format", "jsonl")


@pytest.mark.parametrize(
    "measure", ["Net(nDCG@10)", "E(AP)", "V2(AP)", "Z(AP)", "pValue(RR)", "MinMax(AP)", "V1(AP)"]
)
def test_a_measure_that_needs_chance_asks_for_the_pool(tare, measure):
    done = score(tare, "-m", measure)
    assert done.code == 2
    assert done.out == ""
    assert f"{measure} {ASKED}" in done.err
    for option in ("--corpus N", "--candidates FILE"):
        assert option in done.err


def test_plain_measures_go_on_without_a_pool(tare):
    done = score(tare, "-m", "nDCG@10", "AP")
    assert done.code == 0
    assert set(means(done)) == {("bm25", "nDCG@10"), ("bm25", "AP")}
    code, shown = tare.on_a_terminal("score", "qrels.txt", "bm25.run", "-m", "AP")
    assert code == 0
    assert "--pool judged, --corpus N or --candidates FILE" in " ".join(shown.split())


def test_the_pool_is_named_first_under_the_table_and_in_the_signature(tare):
    done = tare(
        "score", "qrels.txt", "bm25.run", "-m", "RR", "--pool", "judged", "--format", "table"
    )
    assert done.code == 0
    notes = done.err.strip().splitlines()
    assert notes[0].startswith(
        "pool judged: chance orders the judged documents of each query (2 documents"
    )
    assert "pool:judged" in done.err
    assert "mean:ratio" in done.err
    found = means(score(tare, "-m", "RR", "--pool", "judged"))
    gross, tare_, ideal, net = (
        (found["bm25", m] for m in ("RR", "E(RR)", "Ideal(RR)", "Net(RR)") if ("bm25", m) in found)
        if ("bm25", "Ideal(RR)") in found
        else (found["bm25", "RR"], found["bm25", "E(RR)"], 1.0, found["bm25", "Net(RR)"])
    )
    assert net == pytest.approx((gross - tare_) / (ideal - tare_))


@pytest.mark.parametrize(
    ("files", "arguments", "code", "said"),
    [
        ({}, ("-m", "Net(P@10)", "--corpus", "2"), 3, "a corpus of 2 documents is too small"),
        ({}, ("-m", "Net(setP)", "--pool", "judged"), 2, "setP has no net score, because"),
        ({}, ("-m", "Net(GMAP)", "--pool", "judged"), 2, "GMAP has no net score, because"),
        ({}, ("-m", "Net(NumRet)", "--pool", "judged"), 2, "NumRet has no net score, because"),
        (
            {},
            ("-m", "Net(Net(AP))", "--pool", "judged"),
            2,
            "has no net score, because it is already derived",
        ),
        ({}, ("-m", "Net(AP)", "--pool", "juged"), 2, "Did you mean 'judged'?"),
        ({}, ("-m", "Net(AP)", "--pool", "judged", "--corpus", "9"), 2, "name two pools"),
        ({}, ("-m", "Net(AP)", "--pool", "candidates"), 2, "--candidates FILE"),
        ({}, ("-m", "Net(AP)", "--corpus", "many"), 2, "corpus=1000000"),
        ({}, ("-m", "Z(AP)", "--corpus", "inf"), 2, "chance has no variance"),
        (
            {"c.txt": "q1 a\nq1 c\nq2 a\nq2 d\nq3 e\n"},
            ("-m", "Net(AP)", "--candidates", "c.txt"),
            3,
            "not among its candidates",
        ),
        (
            {"c.txt": "q1 a\nq1 b\nq1 c\nq2 a\nq2 d\n"},
            ("-m", "Net(AP)", "--candidates", "c.txt"),
            3,
            "1 judged queries have no candidates (q3)",
        ),
        (
            {"c.txt": "q1 2\nq2 9\nq3 9\n"},
            ("-m", "Net(AP)", "--candidates", "c.txt"),
            3,
            "fewer candidates than judged documents",
        ),
        (
            {"c.csv": "query,n\nq1,2\n"},
            ("-m", "Net(AP)", "--candidates", "c.csv"),
            3,
            "one of 'candidates' (a number) or 'document'",
        ),
        (
            {"c.csv": "query,candidates\nq1,few\n"},
            ("-m", "Net(AP)", "--candidates", "c.csv"),
            3,
            "row 2: 'few' is not a number of candidates",
        ),
        ({"c.txt": "q1 a b c\n"}, ("-m", "Net(AP)", "--candidates", "c.txt"), 3, "c.txt, line 1"),
        ({}, ("-m", "Net(AP)", "--candidates", "gone.txt"), 3, "gone.txt"),
    ],
)
def test_pools_that_do_not_fit_are_refused_and_nothing_is_written(
    tare, files, arguments, code, said
):
    for name, text in files.items():
        (tare.folder / name).write_text(text)
    done = score(tare, *arguments, "--save", "scores.parquet")
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert "Traceback" not in done.err
    assert not (tare.folder / "scores.parquet").exists()


def test_candidates_as_lists_numbers_tables_and_runs_agree(tare):
    lists = "".join(f"{q} {d}\n" for q in ("q1", "q2", "q3") for d in "abcdexyz")
    (tare.folder / "list.txt").write_text(lists)
    (tare.folder / "list.csv").write_text("query,document\n" + lists.replace(" ", ","))
    (tare.folder / "number.txt").write_text("q1 8\nq2 8\nq3 8\n")
    (tare.folder / "pool.run").write_text(
        "".join(
            f"{line.split()[0]} Q0 {line.split()[1]} 1 {k} x\n"
            for k, line in enumerate(lists.splitlines())
        )
    )
    found = [
        means(score(tare, "-m", "Net(AP)", "Net(nDCG@2)", "--candidates", name))
        for name in ("list.txt", "list.csv", "number.txt", "pool.run")
    ]
    found.append(means(score(tare, "-m", "Net(AP)", "Net(nDCG@2)", "--corpus", "8")))
    assert all(one == found[0] for one in found[1:])


def test_runs_that_search_beyond_the_judged_documents_are_named(tare):
    run = "".join(f"q{q} Q0 {d} 1 {-k} wide\n" for q in (1, 2, 3) for k, d in enumerate("uvwxa"))
    (tare.folder / "wide.run").write_text(run)
    done = tare("score", "qrels.txt", "wide.run", "-m", "nDCG@4", "--pool", "judged")
    assert done.code == 0
    assert "1 of 1 runs rank unjudged documents" in done.err
    assert "wide 100 %" in done.err
    assert (
        "rank unjudged"
        not in tare("score", "qrels.txt", "wide.run", "-m", "nDCG@4", "--corpus", "50").err
    )


def test_retrieved_is_refused_for_runs_of_other_documents(tare):
    done = tare(
        "compare", "qrels.txt", "bm25.run", "dense.run", "-m", "Net(AP)", "--pool", "retrieved"
    )
    assert done.code == 2
    assert "do not retrieve the same documents" in done.err


def test_union_says_how_many_runs_made_it(tare):
    done = tare(
        "score",
        "qrels.txt",
        "bm25.run",
        "dense.run",
        "-m",
        "E(AP)",
        "--pool",
        "union",
        "--format",
        "table",
    )
    assert "pool:union|runs:2|retrieved:" in done.err
    alone = means(score(tare, "-m", "E(P@2)", "--pool", "judged"))
    both = means(score(tare, "-m", "E(P@2)", "--pool", "union"))
    assert alone == both  # these runs retrieve judged documents only


def test_the_floor_of_a_collection(tare):
    done = tare(
        "floor", "qrels.txt", "--pool", "judged", "-m", "RR", "Success@1", "--format", "jsonl"
    )
    assert done.code == 0, done.err
    rows = {row["measure"]: row for row in map(json.loads, done.out.splitlines())}
    assert rows["RR"]["how"] == "exact"
    assert rows["Success@1"]["expected"] == pytest.approx((2 / 3 + 1 / 2 + 1) / 3)
    assert tare("floor", "qrels.txt").code == 2
    by_query = tare(
        "floor", "qrels.txt", "--corpus", "50", "-m", "RR", "--by-query", "--save", "floor.parquet"
    )
    assert by_query.code == 0
    assert len(by_query.out.splitlines()) == 4
    assert (tare.folder / "floor.parquet").exists()


def test_kinds_of_queries_are_kept_with_the_scores(tare):
    made = tare("demo")
    assert made.code == 0
    done = tare(
        *("score", "tare-demo/qrels.txt", "tare-demo/runs/dense.run", "tare-demo/runs/random.run"),
        *("-m", "nDCG@10", "--pool", "judged", "--kinds", "--save", "kept.parquet"),
    )
    assert done.code == 0, done.err
    kept = library.Scores.load(tare.folder / "kept.parquet")
    assert set(kept.attributes) == {"kind", "difficulty", "informative"}
    assert kept.attributes["kind"].count("ideal") == 6
