"""Diversity qrels that are read as plain qrels: the messages name a measure that reads subtopics."""

import pytest

import tare
from tare.errors import FormatError

RUN = "1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n"


def test_equal_grades_are_a_finding_with_the_hint(tmp_path):
    (tmp_path / "qrels").write_text("1 1 a 1\n1 2 a 1\n1 1 b 0\n")
    (tmp_path / "run").write_text(RUN)
    scores = tare.evaluate(tmp_path / "qrels", tmp_path / "run", "nDCG@10")
    assert any("alpha_nDCG" in finding.message for finding in scores.findings)
    assert "alpha_nDCG" in tare.report.report(scores).html()


def test_different_grades_are_an_error_with_the_hint(tmp_path):
    (tmp_path / "qrels").write_text("1 1 a 1\n1 2 a 2\n")
    with pytest.raises(FormatError, match="subtopics.*alpha_nDCG@20"):
        tare.read_qrels(tmp_path / "qrels")


def test_a_table_has_no_second_column(tmp_path):
    (tmp_path / "qrels.csv").write_text("query,document,grade\n1,a,1\n1,a,1\n")
    qrels = tare.read_qrels(tmp_path / "qrels.csv")
    assert any(finding.kind == "duplicate judgements" for finding in qrels.findings)
    assert not any("alpha_nDCG" in finding.message for finding in qrels.findings)
