"""`tare score --ranks`: a table of ranks instead of qrels and runs."""

from __future__ import annotations

import json

import pytest

RANKS = """query,rank_min,rank_max,candidates,system
q1,1,1,100,a
q2,3,8,100,a
q3,9,9,50,a
q1,2,2,100,b
q2,40,40,100,b
q3,1,1,50,b
"""


@pytest.fixture
def ranks(tare):
    (tare.folder / "ranks.csv").write_text(RANKS)
    return tare


def means(done) -> dict[tuple[str, str], float]:
    rows = [line.split("\t") for line in done.out.splitlines()[1:]]
    return {(row[0], row[1]): float(row[2]) for row in rows}


def test_means_with_tare_and_net(ranks):
    done = ranks("score", "--ranks", "ranks.csv")
    assert done.code == 0, done.err
    found = means(done)
    assert found["a", "MeanRank"] == pytest.approx((1 + 5.5 + 9) / 3)
    expected = (50.5 + 50.5 + 25.5) / 3
    assert found["a", "E(MeanRank)"] == pytest.approx(expected)
    net = (found["a", "MeanRank"] - expected) / (1 - expected)
    assert found["a", "Net(MeanRank)"] == pytest.approx(net, rel=1e-12)
    assert [m for s, m in found if s == "a"][:3] == ["RR", "E(RR)", "Net(RR)"]


def test_ties_and_measures(ranks):
    rr = {}
    for ties in ("expected", "realistic", "optimistic", "pessimistic"):
        done = ranks("score", "--ranks", "ranks.csv", "-m", "RR", "GMR", "--ties", ties)
        assert done.code == 0, done.err
        rr[ties] = means(done)["a", "RR"]
        assert ("a", "Net(GMR)") in means(done)
    places = {"optimistic": 1 / 3, "pessimistic": 1 / 8, "realistic": 1 / 5.5}
    places["expected"] = sum(1 / k for k in range(3, 9)) / 6
    assert rr == pytest.approx({t: (1 + p + 1 / 9) / 3 for t, p in places.items()}, rel=1e-12)


def test_by_query_as_json_and_saved(ranks):
    done = ranks("score", "--ranks", "ranks.csv", "-m", "RR", "--by-query", "--format", "json")
    rows = json.loads(done.out)
    rows = rows["rows"] if isinstance(rows, dict) else rows
    assert len(rows) == 2 * 3 * 3
    saved = ranks("score", "--ranks", "ranks.csv", "-m", "MeanRank", "--save", "scores.parquet")
    assert saved.code == 0, saved.err
    compared = ranks("compare", "scores.parquet", "--test", "t")
    assert compared.code == 0, compared.err
    assert "Net(MeanRank)" in compared.out


def test_candidates_apart(ranks):
    (ranks.folder / "few.csv").write_text("query,rank\nq1,1\nq2,4\n")
    (ranks.folder / "counts.csv").write_text("query,candidates\nq1,10\nq2,20\n")
    lacking = ranks("score", "--ranks", "few.csv")
    assert (lacking.code, lacking.out) == (3, "")
    assert "no column 'candidates'" in lacking.err
    assert "--candidates FILE" in lacking.err
    done = ranks("score", "--ranks", "few.csv", "--candidates", "counts.csv", "-m", "MeanRank")
    assert means(done)["ranks", "E(MeanRank)"] == 8


def test_ranks_above_the_candidates(ranks):
    (ranks.folder / "above.csv").write_text("query,rank,candidates\nq1,11,10\nq2,4,10\n")
    refused = ranks("score", "--ranks", "above.csv", "--save", "scores.parquet")
    assert (refused.code, refused.out) == (3, "")
    assert "rank 11 of 10 on query 'q1'" in refused.err
    assert "--ranks-above keep" in refused.err
    assert not (ranks.folder / "scores.parquet").exists()
    kept = ranks("score", "--ranks", "above.csv", "--ranks-above", "keep", "-m", "MeanRank")
    assert kept.code == 0
    assert means(kept)["ranks", "MeanRank"] == 7.5
    assert "1 of 2 ranks are greater than" in kept.err
    strict = ranks("score", "--ranks", "above.csv", "--ranks-above", "keep", "--strict")
    assert strict.code == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("ranks.csv",), "QRELS and RUN cannot be used with --ranks"),
        (("--pool", "judged"), "--pool cannot be used with --ranks"),
        (("--corpus", "1000"), "--corpus cannot be used with --ranks"),
        (("--depth", "5"), "--depth cannot be used with --ranks"),
        (("--kinds",), "--kinds cannot be used with --ranks"),
        (("--missing", "skip"), "--missing cannot be used with --ranks"),
        (("--engine", "local"), "--engine cannot be used with --ranks"),
        (("--ties", "trec"), "ties='trec' is not known"),
        (("--ties", "random"), "random"),
        (("-m", "ROUGE-1"), "cannot be computed from ranks"),
        (("--candidates", "ranks.csv"), "give only one"),
    ],
)
def test_options_that_ranks_do_not_have(ranks, arguments, says):
    done = ranks("score", *arguments, "--ranks", "ranks.csv")
    assert (done.code, done.out) == (2, ""), done.err
    assert says in done.err
    assert "Traceback" not in done.err


def test_options_that_runs_do_not_have(ranks):
    (ranks.folder / "qrels.txt").write_text("q1 0 a 1\n")
    (ranks.folder / "a.run").write_text("q1 Q0 a 1 1 a\n")
    for more, says in (
        (("--ties", "realistic"), "ties='realistic' is not known"),
        (("--ranks-above", "keep"), "--ranks-above needs --ranks FILE"),
    ):
        done = ranks("score", "qrels.txt", "a.run", *more)
        assert done.code == 2
        assert says in done.err
    nothing = ranks("score")
    assert nothing.code == 2
    assert "no qrels were given" in nothing.err
    assert ranks("score", "qrels.txt", "a.run", "--ties", "expected").code == 0


def test_a_run_that_retrieves_nothing_relevant_has_no_rank(ranks):
    (ranks.folder / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    (ranks.folder / "a.run").write_text("q1 Q0 a 1 1 a\nq2 Q0 c 1 1 a\n")
    done = ranks("score", "qrels.txt", "a.run", "-m", "MeanRank")
    assert (done.code, done.out) == (3, "")
    assert "retrieves none for 1 of 2 queries (q2)" in done.err


def test_a_report_of_ranks(ranks):
    pytest.importorskip("altair")
    done = ranks("score", "--ranks", "ranks.csv", "-m", "RR", "MeanRank", "--report", "report.html")
    assert done.code == 0, done.err
    page = (ranks.folder / "report.html").read_text(encoding="utf-8")
    assert "Net(MeanRank)" in page
