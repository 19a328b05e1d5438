"""The gate: verdicts over tables, and everything that changed since the baseline was saved."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import tare
from tare._decide.gate.summary import junit, markdown
from tare.errors import MeasureError, MismatchError, OptionError

QUERIES = 40


def collection(seed: int = 0):
    """Judgements, and a function that makes a run with a given share of swapped documents."""
    rng = np.random.default_rng(seed)
    qrels = {
        f"q{q}": {f"d{k}": int(g) for k, g in enumerate(rng.integers(0, 3, 8))}
        for q in range(QUERIES)
    }

    def run(noise: float, seed: int = 1, prefix: str = ""):
        own = np.random.default_rng(seed)
        return {
            q: {prefix + d: g + own.normal(0, noise) for d, g in docs.items()}
            for q, docs in qrels.items()
        }

    return qrels, run


def test_the_same_run_is_not_worse(tmp_path):
    qrels, run = collection()
    tare.evaluate(qrels, run(1.0), ["nDCG@5", "AP"]).save(tmp_path / "main.parquet")
    base = tare.Scores.load(tmp_path / "main.parquet")
    made = tare.gate(
        tare.evaluate(qrels, run(1.0), ["nDCG@5", "AP"]), base, {"nDCG@5": 0.01, "AP": 0.01}
    )
    assert (made.verdict, made.exit_code, made.findings) == ("not worse", 0, ())
    assert made.improved


def test_a_much_worse_run_is_worse_and_the_losses_are_named():
    qrels, run = collection()
    base = tare.evaluate(qrels, run(0.1), "nDCG@5")
    made = tare.gate(tare.evaluate(qrels, run(5.0), "nDCG@5"), base, {"nDCG@5": 0.01})
    assert (made.verdict, made.exit_code) == ("worse", 1)
    item, loss = made.measures[0].losses[0]
    assert loss < 0
    assert item in made.message()


def test_differences_agree_with_the_printed_means():
    qrels, run = collection()
    measures = ["nDCG@5", "Net(nDCG@5)"]
    new = tare.evaluate(qrels, run(1.5, 2), measures, pool="judged")
    old = tare.evaluate(qrels, run(1.0), measures, pool="judged")
    made = tare.gate(new, old, dict.fromkeys(measures, 0.01))
    for row in made.measures:
        assert row.test.difference == pytest.approx(row.candidate - row.baseline, abs=1e-12)


def test_unclear_by_choice():
    qrels, run = collection()
    new = tare.evaluate(qrels, run(1.0, 7), "nDCG@5")
    old = tare.evaluate(qrels, run(1.0), "nDCG@5")
    codes = {
        how: tare.gate(new, old, {"nDCG@5": 0.001}, on_unclear=how).exit_code
        for how in ("report", "pass", "fail")
    }
    assert codes == {"report": 4, "pass": 0, "fail": 1}


def test_a_measure_of_which_lower_is_better_is_turned():
    found = tare.ranks({"a": 2, "b": 3, "c": 9}, 10, ["MeanRank"])
    worse = tare.ranks({"a": 9, "b": 10, "c": 10}, 10, ["MeanRank"])
    assert tare.gate(worse, found, {"MeanRank": 1}).measures[0].test.difference < 0


def test_lost_and_new_queries_are_findings():
    qrels, run = collection()
    old = tare.evaluate(qrels, run(1.0), "AP")
    fewer = {q: d for q, d in qrels.items() if q not in ("q1", "q2")} | {"new": {"d0": 1, "d1": 0}}
    made = tare.gate(tare.evaluate(fewer, run(1.0), "AP"), old, {"AP": 0.1})
    kinds = [finding.kind for finding in made.findings]
    assert kinds[:3] == ["lost queries", "new queries", "changed labels"]
    assert made.measures[0].test.n == QUERIES - 2


def test_changed_labels_are_a_finding():
    qrels, run = collection()
    old = tare.evaluate(qrels, run(1.0), "AP")
    qrels["q0"]["d0"] = 2 - qrels["q0"]["d0"]
    made = tare.gate(tare.evaluate(qrels, run(1.0), "AP"), old, {"AP": 0.1})
    assert [finding.kind for finding in made.findings] == ["changed labels"]


def test_documents_with_new_ids_are_noticed(tmp_path):
    qrels, run = collection()
    tare.evaluate(qrels, run(1.0), "nDCG@5").save(tmp_path / "main.parquet")
    old = tare.Scores.load(tmp_path / "main.parquet")
    made = tare.gate(tare.evaluate(qrels, run(1.0, prefix="v2-"), "nDCG@5"), old, {"nDCG@5": 0.01})
    assert made.verdict == "worse"
    assert "judged share fell" in [finding.kind for finding in made.findings]
    assert "from 1.00 to 0.00" in made.message()


def test_other_settings_are_a_finding():
    qrels, run = collection()
    old = tare.evaluate(qrels, run(1.0), "AP", ties="order")
    made = tare.gate(tare.evaluate(qrels, run(1.0), "AP"), old, {"AP": 0.1})
    assert "ties order, now trec" in str(made.findings[0])


def test_texts_have_a_gate_too():
    old = tare.evaluate_texts(["a b c", "d e f"] * 5, ["a b c", "d e g"] * 5, ["ROUGE-1"])
    new = tare.evaluate_texts(["x b c", "d y z"] * 5, ["a b c", "d e g"] * 5, ["ROUGE-1"])
    assert tare.gate(new, old, {"ROUGE-1": 0.05}).verdict == "worse"


def test_what_is_refused():
    qrels, run = collection()
    one = tare.evaluate(qrels, run(1.0), ["AP", "GMAP", "NumRet"])
    two = tare.evaluate(qrels, {"x": run(1.0), "y": run(2.0)}, "AP")
    with pytest.raises(OptionError, match="no measure was given"):
        tare.gate(one, one, {})
    with pytest.raises(OptionError, match="2 systems"):
        tare.gate(one, two, {"AP": 0.1})
    with pytest.raises(OptionError, match="lacks nDCG@5"):
        tare.gate(one, one, {"nDCG@5": 0.1})
    with pytest.raises(MeasureError, match="not a mean over queries"):
        tare.gate(one, one, {"GMAP": 0.1})
    other = tare.evaluate({"z": {"a": 1, "b": 0}}, {"z": {"a": 1.0}}, "AP")
    with pytest.raises(MismatchError, match="no query in common"):
        tare.gate(other, one, {"AP": 0.1})


def test_summaries_escape_foreign_text():
    qrels = {f"q<{k}>&\x1b": {"a": 1, "b": 0} for k in range(8)}
    good = {q: {"a": 2.0, "b": 1.0} for q in qrels}
    bad = {q: {"a": 1.0, "b": 2.0} for q in qrels}
    made = tare.gate(
        tare.evaluate(qrels, bad, "RR"), tare.evaluate(qrels, good, "RR"), {"RR": 0.01}
    )
    suite = ET.fromstring(junit(made))
    assert suite.attrib["failures"] == "1"
    case = suite[0]
    assert case.attrib["name"] == "RR"
    assert "q<0>&" in (case[0].text or "")
    assert "\x1b" not in markdown(made)
    assert "worse than the baseline" in markdown(made)
