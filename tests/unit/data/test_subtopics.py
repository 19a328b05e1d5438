"""Judgements by subtopic: every source, and the traps of real files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import tare
from tare._cli.main import main
from tare.errors import FormatError, MeasureError

CELLS = [("1", "1", "a", 1.0), ("1", "2", "a", 0.0), ("1", "10", "b", 2.0), ("2", "x", "c", 1.0)]
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}


def kinds(subtopics: tare.Subtopics) -> set[str]:
    return {finding.kind for finding in subtopics.findings} - {"columns"}


@pytest.mark.parametrize("suffix", [".txt", ".csv", ".tsv", ".jsonl", ".parquet"])
def test_every_format_comes_back(suffix: str, tmp_path: Path):
    given = tare.read_subtopics(CELLS)
    given.write(tmp_path / f"qrels{suffix}")
    again = tare.read_subtopics(tmp_path / f"qrels{suffix}")
    assert sorted(again.cells()) == sorted(CELLS)


def test_dictionaries_frames_and_rows_are_the_same():
    nested: dict = {}
    for query, subtopic, document, grade in CELLS:
        nested.setdefault(query, {}).setdefault(subtopic, {})[document] = grade
    frame = pd.DataFrame(CELLS, columns=["query_id", "iteration", "doc_id", "relevance"])
    found = [sorted(tare.read_subtopics(s).cells()) for s in (CELLS, nested, frame)]
    assert found[0] == found[1] == found[2] == sorted(CELLS)


def test_numbers_of_subtopics_are_ordered_as_numbers():
    assert tare.read_subtopics(CELLS).subtopic_names == ("1", "2", "10", "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1 a\n", "line 1: expected 4 fields, found 3"),
        ("1 1 a x\n", "the grade 'x' is not a number"),
        (
            "1 1 a 1\n1 1 a 0\n",
            "line 2: document 'a' of query '1', subtopic '1', has a different grade",
        ),
        ("# nothing\n", "no judgements found"),
    ],
)
def test_what_is_wrong_is_told(text: str, message: str, tmp_path: Path):
    path = tmp_path / "qrels.txt"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        tare.read_subtopics(path)


def test_blanks_and_tabs_between_fields(tmp_path: Path):
    path = tmp_path / "qrels.txt"
    path.write_text("1\t1\ta\t1\n1  2 \t b   1\n")
    assert sorted(tare.read_subtopics(path).cells()) == [("1", "1", "a", 1), ("1", "2", "b", 1)]


def test_subtopic_0_is_no_subtopic():
    found = tare.read_subtopics([("1", "0", "n", 0), ("1", "1", "a", 1), ("1", "2", "b", 1)])
    assert kinds(found) == {"subtopic 0"}
    assert tare.evaluate(found, {"1": {"a": 1.0}}, "StRecall@5").mean == 0.5


def test_only_relevant_rows_and_missing_topics():
    found = tare.read_subtopics([(f"{t}", "1", "a", 1) for t in (51, 52, 53, 54, 56, 57)])
    assert kinds(found) == {"only relevant documents", "queries missing"}


def test_negative_grades_are_never_relevant():
    found = tare.read_subtopics([("1", "1", "spam", -2), ("1", "1", "a", 1), ("1", "1", "b", 0)])
    assert kinds(found) == {"negative grades"}
    assert tare.evaluate(found, {"1": {"spam": 2.0, "a": 1.0}}, "RR_IA").mean == 0.5


@pytest.mark.parametrize(("year", "queries"), [(2009, 50), (2010, 48), (2011, 50), (2012, 50)])
def test_the_web_tracks_load(year: int, queries: int, real_data: Path):
    path = real_data / f"trec/web{year}/qrels.diversity.gz"
    if not path.exists():
        pytest.skip(f"Web {year} is not in TARE_DATA")
    found = tare.read_subtopics(path)
    assert len(found.items) == queries
    expected = {2009: {"subtopic 0"}, 2010: {"only relevant documents", "queries missing"}}
    assert kinds(found) == expected.get(year, set())


def test_the_rank_column_orders_where_it_is_asked_for(tmp_path: Path):
    path = tmp_path / "r.run"
    path.write_text("1 Q0 a 2 9.0 t\n1 Q0 b 1 1.0 t\n")
    cells = [("1", "1", "a", 1), ("1", "2", "b", 0)]
    assert tare.evaluate(cells, path, "RR_IA").mean == 1
    assert tare.evaluate(cells, path, "RR_IA", order="rank").mean == 0.5


def test_measures_tell_which_judgements_are_read():
    with pytest.raises(MeasureError, match="different judgements"):
        tare.evaluate(CELLS, RUN, ["alpha_nDCG@5", "nDCG@5"])


def test_score_and_check_understand_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    tare.read_subtopics(CELLS).write(tmp_path / "qrels.txt")
    tare.read_run(RUN).write(tmp_path / "r.run")
    files = [str(tmp_path / "qrels.txt"), str(tmp_path / "r.run")]
    assert main(["score", *files, "-m", "alpha_nDCG@5", "V2(ERR_IA@5,pool=judged)"]) == 0
    assert "alpha_nDCG@5" in capsys.readouterr().out
    assert main(["check", *files, "--kind", "subtopics"]) == 0
    assert "subtopics without a relevant document" in capsys.readouterr().out


def test_ndeval_refuses_equal_ranks_and_unknown_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "q").write_text("t1 1 a 1\n")
    (tmp_path / "r").write_text("t1 Q0 a 1 9 x\nt1 Q0 b 1 8 x\n")
    files = [str(tmp_path / "q"), str(tmp_path / "r")]
    assert main(["ndeval", *files]) == 3
    assert "share a rank" in capsys.readouterr().err
    assert main(["ndeval", "-traditional", "-cutoffs", "1", *files]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("x,amean,1.000000")
    assert main(["ndeval", "-nothing", *files]) == 2
