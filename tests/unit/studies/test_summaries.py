"""The study of summaries where the truth is known, and on real summaries with ratings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tare
from tare._cli.main import main
from tare._data.ratings import read_rated_summaries
from tare.errors import FormatError, MismatchError, OptionError
from tare.studies import summaries
from tare.studies._summaries import PUBLISHED

WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    "while",
    "rain",
    "fell",
    "and",
    "dogs",
    "ran",
    "home",
    "over",
    "red",
    "hills",
]
FAST: dict[str, Any] = {"draws": 100, "samples": 20}


def documents(systems: int = 6, count: int = 8) -> list[dict[str, Any]]:
    """Systems that copy more or less of the reference."""
    random = np.random.default_rng(3)
    made = []
    for d in range(count):
        source = random.choice(WORDS, 40).tolist()
        reference = source[:12]
        written = {}
        for s in range(systems):
            kept = [w if random.random() < (s + 2) / 9 else random.choice(WORDS) for w in reference]
            written[f"s{s}"] = {"sys_summ": " ".join(kept), "scores": {}}
        row = {"doc_id": f"d{d}", "src": " ".join(source), "ref_summs": [" ".join(reference)]}
        made.append({**row, "sys_summs": written})
    return made


def rated(measure: str, **more: float) -> list[dict[str, Any]]:
    """The same, rated by what a measure says, and by noise."""
    rows, random = documents(), np.random.default_rng(1)
    scores = tare.evaluate_texts(read_rated_summaries(rows).texts, measure)
    for row in rows:
        for system, one in row["sys_summs"].items():
            at = scores.systems.index(system), scores.items.index(row["doc_id"]), 0
            one["scores"] = {"truth": float(scores.values[at]), "noise": float(random.random())}
    return rows


def test_correlations_are_those_of_scipy() -> None:
    rows = rated("ROUGE-2")
    found = summaries(rows, measures=["ROUGE-1"], **FAST)
    given = read_rated_summaries(rows)
    scores = tare.evaluate_texts(given.texts, ["ROUGE-1", "V2(ROUGE-1)"])
    noise = {(s, i): v for s, i, d, v in given.ratings if d == "noise"}
    people = np.array([[noise[s, i] for i in scores.items] for s in scores.systems])
    for m, measure in enumerate(scores.measures):
        values = scores.values[:, :, m]
        [row] = found.find(
            "correlations", measure=measure, human="noise", level="system", coefficient="tau_b"
        )
        assert row["value"] == pytest.approx(stats.kendalltau(values.mean(1), people.mean(1))[0])
        [row] = found.find(
            "correlations", measure=measure, human="noise", level="item", coefficient="pearson"
        )
        each = [stats.pearsonr(values[:, i], people[:, i])[0] for i in range(values.shape[1])]
        assert row["value"] == pytest.approx(np.mean(each))
        assert row["low_both"] <= row["value"] <= row["high_both"]


def test_a_measure_that_people_agree_with_wins_every_disagreement() -> None:
    found = summaries(rated("V2(ROUGE-1)"), measures=["ROUGE-1", "ROUGE-2"], **FAST)
    for level in ("system", "item"):
        [row] = found.find(
            "correlations", measure="V2(ROUGE-1)", human="truth", level=level, coefficient="tau_b"
        )
        assert row["value"] == pytest.approx(1)
    for row in found.find("wins", human="truth", first="V2(ROUGE-1)"):
        assert row["lose"] == 0
    improved = found.find("improvements", measure="V2(ROUGE-2)", human="truth", coefficient="tau_b")
    for row in improved:
        gap = row["value"] - row["inside_value"]
        assert row["pai"] == pytest.approx(100 * gap / abs(row["inside_value"]))
    assert {r["inside"] for r in found.rows_by_name["improvements"]} == {"ROUGE-1", "ROUGE-2"}


def test_tables_and_headlines() -> None:
    found = summaries(rated("ROUGE-1"), measures=["ROUGE-1"], kind="pearson", **FAST)
    tables = found.tables()
    assert list(tables) == [
        "system",
        "item",
        "intervals",
        "improvements",
        "wins",
        "published",
        "published wins",
    ]
    assert "V2(ROUGE-1)" in str(tables["system"])
    assert "must be 0.04" in str(tables["published"])
    assert len(found.headlines()) == 4
    assert "higher on" in found.headlines()[0]
    frames = found.frames()
    assert frames["published"].height == len(PUBLISHED) == 12
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_ratings_as_a_table_of_their_own() -> None:
    rows = rated("ROUGE-1")
    given = read_rated_summaries(rows)
    frame = [{"system": s, "item": i, "measure": d, "value": v} for s, i, d, v in given.ratings]
    import polars as pl

    bare = [
        {**row, "sys_summs": {s: {"sys_summ": o["sys_summ"]} for s, o in row["sys_summs"].items()}}
        for row in rows
    ]
    one = summaries(bare, pl.DataFrame(frame), ["ROUGE-1"], **FAST)
    other = summaries(rows, None, ["ROUGE-1"], **FAST)
    assert one.rows_by_name["correlations"] == other.rows_by_name["correlations"]
    with pytest.raises(MismatchError, match="has no ratings"):
        summaries(bare)


def test_texts_a_line_with_scores() -> None:
    row = {"system": "x", "item": "1", "text": "a", "references": ["a"], "scores": {"fluency": "3"}}
    found = read_rated_summaries([row, {**row, "system": "y", "scores": None}])
    assert found.ratings == (("x", "1", "fluency", 3.0),)
    assert found.texts.systems == ("x", "y")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"sys_summs": {"x": {"sys_summ": "a"}}}, "a document has doc_id"),
        ({"doc_id": "d", "sys_summs": ["x"]}, "a document has doc_id"),
        ({"doc_id": "d", "sys_summs": {"x": "a"}}, "has no sys_summ"),
        (
            {"doc_id": "d", "sys_summs": {"x": {"sys_summ": "a", "scores": {"f": "good"}}}},
            "scores must be",
        ),
        ([1], "expected columns"),
    ],
)
def test_what_is_no_rated_summary(row: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_rated_summaries([row])


def test_chosen_systems_are_those_of_a_smaller_file() -> None:
    rows = rated("ROUGE-2")
    kept = ("s0", "s2", "s5")
    few = [{**row, "sys_summs": {s: row["sys_summs"][s] for s in kept}} for row in rows]
    found = summaries(rows, measures=["ROUGE-1"], systems=kept, **FAST)
    assert found.systems == kept
    assert found.to_dict() == summaries(few, measures=["ROUGE-1"], **FAST).to_dict()
    with pytest.raises(MismatchError, match="no system 's9'"):
        summaries(rows, measures=["ROUGE-1"], systems=["s0", "s1", "s9"], **FAST)
    with pytest.raises(OptionError, match="names 2 systems, but correlations need at least 3"):
        summaries(rows, measures=["ROUGE-1"], systems=["s0", "s1"], **FAST)


def test_expected_values_are_chosen() -> None:
    rows = rated("ROUGE-2")
    found = summaries(rows, measures=["ROUGE-1"], expected=["published", "best"], **FAST)
    assert found.measures == (
        "ROUGE-1",
        "V1(ROUGE-1,expected=published)",
        "V2(ROUGE-1,expected=published)",
    )
    with pytest.raises(OptionError, match="ROUGE-1 does not support expected=best"):
        summaries(rows, measures=["ROUGE-1"], expected=["best"], **FAST)
    with pytest.raises(OptionError, match="expected='good' is not known"):
        summaries(rows, measures=["ROUGE-1"], expected=["good"], **FAST)


def test_what_is_refused() -> None:
    rows = rated("ROUGE-1")
    with pytest.raises(OptionError, match="V1 and V2 are added"):
        summaries(rows, measures=["V2(ROUGE-1)"])
    with pytest.raises(OptionError, match="kind='tau'"):
        summaries(rows, kind="tau")
    with pytest.raises(OptionError, match="between 0 and 1"):
        summaries(rows, confidence=1)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rated.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rated("ROUGE-1")))
    arguments = [
        "study",
        "summaries",
        str(path),
        "-m",
        "ROUGE-2",
        "--draws",
        "100",
        "--samples",
        "5",
    ]
    assert main([*arguments, "--save", str(tmp_path / "out"), "--format", "csv"]) == 0
    assert "V2(ROUGE-2)" in capsys.readouterr().out
    assert (tmp_path / "out" / "correlations.csv").is_file()
    chosen = ["--system", "s1", "s2", "s3", "--expected", "published"]
    assert main([*arguments, *chosen, "--format", "csv"]) == 0
    assert "V2(ROUGE-2,expected=published)" in capsys.readouterr().out
    assert main([*arguments, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["improvements"]


def test_summeval(real_data: Path) -> None:
    """ROUGE of SummEval with all its references, by exact expectations."""
    path = real_data / "summ" / "summeval" / "summeval_100x16.jsonl.gz"
    found = summaries(path, measures=["ROUGE-1(refs=mean)"], draws=100)
    assert (len(found.systems), len(found.items)) == (16, 100)
    assert found.people == ("coherence", "consistency", "fluency", "relevance")
    values = found.find("correlations", coefficient="tau_b", level="item", human="relevance")
    assert all(0.05 < row["value"] < 0.5 for row in values)
