"""`tare rank` as a person uses it."""

import csv
import io

import pytest

from tests.unit.rankers.planted import planted


@pytest.fixture
def letor(tare):
    planted(queries=20).write(tare.folder / "train.txt")
    planted(queries=10, seed=2).write(tare.folder / "test.txt")
    planted(queries=10, seed=3).write(tare.folder / "valid.txt")
    return tare


def test_a_run_is_written_and_scored(letor):
    done = letor("rank", "train.txt", "test.txt", "-r", "rankboost", "-o", "run.txt")
    assert done.code == 0
    rows = list(csv.DictReader(io.StringIO(done.out), delimiter="\t"))
    assert [row["measure"] for row in rows] == [
        "nDCG(gain=exp2)@10",
        "E(nDCG(gain=exp2)@10)",
        "Net(nDCG(gain=exp2)@10)",
    ]
    assert float(rows[2]["mean"]) > 0.6
    assert "RankBoost|mode:corrected|" in done.err
    assert len((letor.folder / "run.txt").read_text().splitlines()) == 120


def test_a_model_is_kept_and_used_again(letor):
    arguments = ("--valid", "valid.txt", "--option", "rounds=30", "thresholds=5")
    first = letor(
        *("rank", "train.txt", "test.txt", "-r", "rankboost", "-o", "-", "--save", "model.json"),
        *arguments,
    )
    assert first.code == 0
    assert "rounds were best on the validation data" in first.err
    again = letor("rank", "model.json", "test.txt", "-o", "-")
    assert again.out == first.out
    assert first.out.count("RankBoost\n") == 120


def test_the_same_call_gives_the_same_run(letor):
    call = ("rank", "train.txt", "test.txt", "-r", "coordinateascent", "-o", "-", "--seed", "5")
    assert letor(*call).out == letor(*call, "--threads", "2").out


def test_features_that_were_not_learnt_from_are_told(letor):
    wide = (letor.folder / "test.txt").read_text().replace("5:", "9:1 5:")
    (letor.folder / "wide.txt").write_text(wide)
    done = letor("rank", "train.txt", "wide.txt", "-r", "adarank")
    assert done.code == 0
    assert "trained on 1 to 5 and ignores the others" in done.err


def test_queries_that_do_not_stand_together_are_brought_together(letor):
    lines = (letor.folder / "train.txt").read_text().splitlines(keepends=True)
    (letor.folder / "mixed.txt").write_text("".join(lines[1:] + lines[:1]))
    done = letor("rank", "test.txt", "mixed.txt", "-r", "logisticregression")
    assert done.code == 0
    assert "are not consecutive" in done.err


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("1 qid:1 1:nan", 3, "bad.txt, line 2: "),
        ("1 qid:1 1:inf", 3, "bad.txt, line 2: "),
        ("1 qid:1 99999999999:1", 3, "bad.txt, line 2: "),
        ("1 qid:1 x:1", 3, "bad.txt, line 2: "),
        ("1 qid:1 1:0.5", 3, "no query has documents of different grades"),
    ],
)
def test_bad_data_are_told_with_their_line(letor, line, code, said):
    (letor.folder / "bad.txt").write_text(f"1 qid:1 1:0.3\n{line}\n")
    done = letor("rank", "bad.txt", "test.txt", "-r", "ranknet")
    assert (done.code, done.out) == (code, "")
    assert said in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-r", "lambada"), "unknown ranker 'lambada'"),
        (("--option", "tree=5"), "LambdaMART has no option 'tree'"),
        (("--option", "trees"), "expected name=value"),
        (("--option", "trees=-4"), "trees=-4 is out of range"),
        (("--mode", "old"), "mode"),
        (("--nothing",), "nothing"),
    ],
)
def test_wrong_options_are_told(letor, arguments, said):
    done = letor("rank", "train.txt", "test.txt", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "unexpected" not in done.err


def test_the_study_of_rankers_is_kept_taken_up_and_reported(letor):
    call = (
        *(
            "study",
            "letor",
            "train.txt+valid.txt",
            "test.txt",
            "-r",
            "rankboost",
            "adarank",
            "feature",
        ),
        *("--cutoff", "3", "5", "--draws", "200", "--output", "kept"),
    )
    refused = letor(*call)
    assert refused.code == 3
    assert "query 'q0' is in more than one of train.txt, valid.txt" in refused.err
    call = (*call[:2], "train.txt", *call[3:])
    first = letor(*call, "--report", "study.html")
    assert first.code == 0, first.err
    again = letor(*call)
    assert again.out == first.out
    assert "Claims of Feng and Karmaker" in letor(*call, "--format", "markdown").out
    assert (letor.folder / "kept" / "scores.parquet").exists()
    assert (letor.folder / "kept" / "tables" / "power.md").exists()
    page = (letor.folder / "study.html").read_text()
    assert "Expected scores under chance" in page
    assert "Discriminative power by measure" in page
    other = letor(*call, "--seed", "4")
    assert other.code == 3
    assert "belongs to another study (seed differs)" in other.err
    assert letor("study", "letor", "train.txt").code == 2
