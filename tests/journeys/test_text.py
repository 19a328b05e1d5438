"""`tare text` as a person uses it, with good and bad input."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import tare

SYSTEM = "the cat sat\nit rained\n"
REFERENCE = "the cat sat down\nrain fell\n"
SOURCE = "the cat sat down on the mat\nit rained in the north\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder with all that the examples name."""
    (tmp_path / "system.txt").write_text(SYSTEM)
    (tmp_path / "reference.txt").write_text(REFERENCE)
    (tmp_path / "source.txt").write_text(SOURCE)
    lines = zip(SYSTEM.splitlines(), REFERENCE.splitlines(), SOURCE.splitlines(), strict=True)
    rows = [
        {"item": str(i), "text": t, "references": [r], "source": s}
        for i, (t, r, s) in enumerate(lines)
    ]
    (tmp_path / "summaries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def run(
    folder: Path, *arguments: str, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tare.cli.main", *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_text_files(folder: Path) -> None:
    done = run(folder, "text", "system.txt", "reference.txt", "-m", "ROUGE-1", "ROUGE-2.r")
    assert (done.returncode, done.stderr) == (0, "")
    rows = list(csv.DictReader(io.StringIO(done.stdout), delimiter="\t"))
    assert [row["measure"] for row in rows] == ["ROUGE-1", "ROUGE-2.r"]
    assert {row["n"] for row in rows} == {"2"}
    texts = tare.read_summaries(folder / "system.txt", references=folder / "reference.txt")
    expected = tare.evaluate(texts, ["ROUGE-1", "ROUGE-2.r"]).means()["system"]
    assert [float(row["mean"]) for row in rows] == list(expected.values())
    assert all(float(row["low"]) <= float(row["mean"]) <= float(row["high"]) for row in rows)


def test_everything_in_one_table(folder: Path) -> None:
    done = run(folder, "text", "summaries.jsonl", "-m", "ROUGE-L", "features", "descriptors", "-q")
    assert done.returncode == 0
    rows = list(csv.DictReader(io.StringIO(done.stdout), delimiter="\t"))
    assert list(rows[0]) == ["system", "item", "measure", "value"]
    assert len(rows) == 2 * (1 + 13 + 11)
    same = run(folder, "text", "-", stdin=(folder / "summaries.jsonl").read_text())
    assert same.returncode == 0


def test_a_terminals_table_has_signatures(folder: Path) -> None:
    done = run(folder, "text", "system.txt", "reference.txt", "--format", "table", "--stem")
    assert "95 % interval" in done.stdout
    assert "ROUGE-2(stem=true)|profile:google|stem:porter-nltk|refs:max" in done.stderr


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "latex", "markdown", "html"])
def test_formats(folder: Path, form: str) -> None:
    done = run(folder, "text", "system.txt", "reference.txt", "-m", "ROUGE-1", "--format", form)
    assert done.returncode == 0
    assert "ROUGE-1" in done.stdout
    if form == "json":
        assert json.loads(done.stdout)["rows"][0]["n"] == 2


def test_several_systems_and_saving(folder: Path) -> None:
    done = run(
        folder, "text", "system.txt", "reference.txt", "--also", "source.txt", "--source",
        "source.txt", "-m", "ROUGE-1", "Compression", "--save", "s.parquet", "--seed", "3",
    )  # fmt: skip
    assert done.returncode == 0
    scores = tare.Scores.load(folder / "s.parquet")
    assert (scores.systems, scores.seed) == (("system", "source"), 3)
    assert scores.select(systems=["source"])["Compression"].mean == 1


def test_a_folder_as_at_duc(folder: Path) -> None:
    for part, name in (("peers", "D1.7"), ("models", "D1.A"), ("models", "D1.B")):
        (folder / part).mkdir(exist_ok=True)
        (folder / part / name).write_text("The cat sat.\n")
    done = run(folder, "text", ".", "-m", "ROUGE-2(profile=lin2004)")
    assert "7\tROUGE-2(profile=lin2004)\t1.0" in done.stdout


def test_content_units(folder: Path) -> None:
    answers = "item,scu,present\n0,a,yes\n0,b,no\n1,c,yes\n"
    (folder / "answers.csv").write_text(answers.replace("\n", "\n").replace("item", "system,item"))
    rows = ["system,item,scu,present", "summaries,0,a,yes", "summaries,0,b,no", "summaries,1,c,yes"]
    (folder / "answers.csv").write_text("\n".join(rows) + "\n")
    done = run(folder, "text", "summaries.jsonl", "--scus", "answers.csv", "-m", "LitePyramid")
    assert "LitePyramid\t0.75" in done.stdout


def test_lines_that_do_not_pair_up(folder: Path) -> None:
    (folder / "reference.txt").write_text("the cat sat down\n")
    done = run(folder, "text", "system.txt", "reference.txt")
    assert done.returncode == 3
    assert "item 2 is missing in reference.txt" in done.stderr
    assert done.stdout == ""


def test_an_empty_candidate_scores_0_with_a_finding(folder: Path) -> None:
    (folder / "system.txt").write_text("the cat sat\n\n")
    arguments = ("text", "system.txt", "reference.txt", "-m", "ROUGE-1", "-q")
    done = run(folder, *arguments)
    assert done.returncode == 0
    assert "system\t2\tROUGE-1\t0.0" in done.stdout
    assert re.search(
        r"! 1 items have candidates without a token; they score 0\. \(2\)", done.stderr
    )
    assert run(folder, *arguments, "--strict").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("system.txt", "reference.txt", "-m", "ROUGE-2(profile=gogle)"),
            2,
            "google or lin2004 or unicode",
        ),
        (("system.txt", "reference.txt", "--profile", "gogle"), 2, "google or lin2004 or unicode"),
        (("system.txt", "reference.txt", "-m", "ROGUE-2"), 2, "Did you mean 'ROUGE-2'?"),
        (("system.txt", "reference.txt", "-m", "nDCG@10"), 2, "measures rankings"),
        (
            ("system.txt", "reference.txt", "-m", "NovelNgrams"),
            3,
            "needs sources, and system.txt has none",
        ),
        (("system.txt", "reference.txt", "-m", "Pyramid"), 3, "needs content units"),
        (("system.txt",), 3, "name the references' files as well"),
        (("system.txt", "--source", "source.txt", "-m", "ROUGE-1"), 3, "ROUGE-1 needs references"),
        (("system.txt", "none.txt"), 3, "none.txt: no such file"),
        (("summaries.jsonl", "reference.txt"), 3, "a table holds its own references"),
        (("system.txt", "reference.txt", "--also", "system.txt"), 2, "a file twice"),
        (("system.txt", "reference.txt", "--missing", "maybe"), 2, ""),
    ],
)
def test_what_is_refused(folder: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    done = run(folder, "text", *arguments)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_missing_references_in_some_rows(folder: Path) -> None:
    lines = (folder / "summaries.jsonl").read_text() + '{"item": "9", "text": "x"}\n'
    (folder / "summaries.jsonl").write_text(lines)
    done = run(folder, "text", "summaries.jsonl", "-m", "ROUGE-1")
    assert done.returncode == 0
    assert "have no reference; they have no value. (9)" in done.stderr


def test_the_examples_of_help_work_when_pasted(folder: Path) -> None:
    done = run(folder, "text", "--help")
    assert done.returncode == 0
    examples = [
        line.strip() for line in done.stdout.split("Examples:")[1].splitlines() if line.strip()
    ]
    assert len(examples) == 2
    for example in examples:
        made = run(folder, *shlex.split(example)[1:])
        assert made.returncode == 0, made.stderr
        assert made.stdout


def test_lists_and_citations_know_texts(folder: Path) -> None:
    listed = run(folder, "list", "measures")
    families = [line.split("\t")[0] for line in listed.stdout.splitlines()[1:]]
    assert families == sorted(families, key=["ranking", "chance", "text", "group"].index)
    assert "text\tROUGE-2[.f|.p|.r]\t" in listed.stdout
    assert "Lin. ROUGE" in run(folder, "cite", "ROUGE-2").stdout
    assert "Grusky" in run(folder, "cite", "FragmentDensity").stdout
    assert "Feature-sentences" in run(folder, "list", "measures", "features").stdout
