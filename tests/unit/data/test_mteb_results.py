"""Folders of MTEB results: both layouts, subsets and splits, and what is rejected."""

from __future__ import annotations

import json
import os
from pathlib import Path

import polars as pl
import pytest

from tare._cli.main import main
from tare._data.mteb_results import read_mteb_results
from tare.errors import FormatError

DATA = Path(os.environ.get("TARE_DATA", Path(__file__).parents[3] / "../shared/data"))
REAL = DATA / "leaderboard"


def result(task, *scores, split="test", **more):
    """A result file; each score is a main score with the languages of its subset."""
    subsets = [
        {"hf_subset": "-".join(codes), "languages": list(codes), "main_score": score, "other": 1}
        for score, *codes in scores
    ]
    return {"task_name": task, "mteb_version": "1.20.0", "scores": {split: subsets}, **more}


def write(root: Path, name: str, value) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


@pytest.fixture
def folder(tmp_path):
    for model, base in (("org__small", 0.5), ("org__large", 0.7)):
        write(tmp_path, f"{model}/rev1/model_meta.json", {"name": model.replace("__", "/")})
        write(tmp_path, f"{model}/rev1/A.json", result("A", (base, "eng-Latn")))
        two = result("B", (base, "eng-Latn"), (base - 0.2, "eng-Latn", "deu-Latn"))
        write(tmp_path, f"{model}/rev1/B.json", two)
        both = result("C", (base, "eng-Latn"))
        both["scores"]["train"] = [{"main_score": 1.0, "languages": ["eng-Latn"]}]
        write(tmp_path, f"{model}/rev1/C.json", both)
    return tmp_path


def test_main_scores_are_means_over_the_subsets_of_the_test_split(folder):
    found = read_mteb_results(folder)
    assert found.scores["org/small", "A"] == 0.5
    assert found.scores["org/small", "B"] == pytest.approx(0.4)
    assert found.scores["org/large", "C"] == 0.7
    english = read_mteb_results(folder, languages=["eng"])
    assert english.scores["org/small", "B"] == 0.5


def test_files_in_one_folder(tmp_path):
    write(tmp_path, "org__m__A.v2.json", result("A.v2", (0.5, "eng-Latn"), split="dev"))
    write(tmp_path, "org__m__model_meta.json", {"name": "Org/M"})
    write(tmp_path, "org__n__A.v2.json", result("A.v2", (0.6, "eng-Latn")))
    write(tmp_path, "notes.json", {"a": 1})
    found = read_mteb_results(tmp_path)
    assert found.scores == {("Org/M", "A.v2"): 0.5, ("org/n", "A.v2"): 0.6}
    assert "1 JSON file is not a result" in str(found.findings[0])


def test_revisions_are_separate_systems(folder):
    write(folder, "org__small/rev2/A.json", result("A", (0.9, "eng-Latn")))
    write(folder, "org__small/rev2/model_meta.json", {"name": "org/small"})
    found = read_mteb_results(folder)
    assert found.scores["org/small@rev1", "A"] == 0.5
    assert found.scores["org/small@rev2", "A"] == 0.9
    assert "1 model has several revisions" in str(found.findings[0])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"mteb_dataset_name": "A", "test": {"en": {}}}, "before version 1.11"),
        (result("A", ("high", "eng-Latn")), 'no "main_score" that is a number'),
        (result("A", (10**400, "eng-Latn")), 'no "main_score" that is a number'),
        (result("A", (1e200, "eng-Latn")), 'no "main_score" that is a number'),
        ({"task_name": "A", "scores": {"test": 3}}, 'no "main_score" that is a number'),
    ],
)
def test_what_is_rejected(tmp_path, value, message):
    write(tmp_path, "org__m/rev/A.json", value)
    with pytest.raises(FormatError, match=message):
        read_mteb_results(tmp_path)


def test_damaged_and_missing_files(tmp_path):
    with pytest.raises(FormatError, match="no MTEB result file"):
        read_mteb_results(tmp_path)
    (tmp_path / "A.json").write_text('{"scores": ')
    with pytest.raises(FormatError, match="not valid JSON"):
        read_mteb_results(tmp_path)


def test_a_leaderboard_of_a_folder(folder, capsys):
    assert main(["leaderboard", str(folder), "--format", "csv", "--draws", "200"]) == 0
    printed = pl.read_csv(capsys.readouterr().out.encode())
    assert printed["system"].to_list() == ["org/large", "org/small"]
    assert main(["leaderboard", str(folder), "--languages", "fra"]) == 3
    assert "no subset has only these languages" in capsys.readouterr().err
    assert main(["leaderboard", str(folder), str(folder)]) == 2


@pytest.mark.skipif(not REAL.is_dir(), reason=f"no leaderboard at {REAL}; TARE_DATA names the data")
def test_published_files_have_the_scores_of_the_published_matrix():
    found = read_mteb_results(REAL / "raw_example", languages=["eng"]).scores
    matrix = pl.read_csv(REAL / "mteb_eng_v2_main_scores.csv", infer_schema_length=None)
    checked = 0
    for (system, task), score in found.items():
        if task in matrix.columns:
            published = matrix.filter(pl.col("model") == system)[task][0]
            assert score == pytest.approx(published, abs=1e-6)
            checked += 1
    assert checked == 5
