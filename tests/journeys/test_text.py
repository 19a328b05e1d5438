"""`tare text` as a person uses it, with good and bad input."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

import tare
from tests.journeys.conftest import Shell

SYSTEM = "the cat sat\nit rained\n"
REFERENCE = "the cat sat down\nrain fell\n"
SOURCE = "the cat sat down on the mat\nit rained in the north\n"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """The command in a folder with all that the examples name."""
    (tmp_path / "system.txt").write_text(SYSTEM)
    (tmp_path / "reference.txt").write_text(REFERENCE)
    (tmp_path / "source.txt").write_text(SOURCE)
    lines = zip(SYSTEM.splitlines(), REFERENCE.splitlines(), SOURCE.splitlines(), strict=True)
    rows = [
        {"item": str(i), "text": t, "references": [r], "source": s}
        for i, (t, r, s) in enumerate(lines)
    ]
    (tmp_path / "summaries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Shell(tmp_path)


def test_text_files(shell: Shell) -> None:
    done = shell("text", "system.txt", "reference.txt", "-m", "ROUGE-1", "ROUGE-2.r")
    assert (done.code, done.err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(done.out), delimiter="\t"))
    assert [row["measure"] for row in rows] == ["ROUGE-1", "ROUGE-2.r"]
    assert {row["n"] for row in rows} == {"2"}
    texts = tare.read_summaries(
        shell.folder / "system.txt", references=shell.folder / "reference.txt"
    )
    expected = tare.evaluate_texts(texts, ["ROUGE-1", "ROUGE-2.r"]).means()["system"]
    assert [float(row["mean"]) for row in rows] == list(expected.values())
    assert all(float(row["low"]) <= float(row["mean"]) <= float(row["high"]) for row in rows)


def test_everything_in_one_table(shell: Shell) -> None:
    done = shell("text", "summaries.jsonl", "-m", "ROUGE-L", "features", "descriptors", "-q")
    assert done.code == 0
    rows = list(csv.DictReader(io.StringIO(done.out), delimiter="\t"))
    assert list(rows[0]) == ["system", "item", "measure", "value"]
    assert len(rows) == 2 * (1 + 13 + 11)
    same = shell("text", "-", stdin=(shell.folder / "summaries.jsonl").read_bytes())
    assert same.code == 0


def test_a_terminals_table_has_signatures(shell: Shell) -> None:
    done = shell("text", "system.txt", "reference.txt", "--format", "table", "--stem")
    assert "95 % interval" in done.out
    assert "ROUGE-2(stem=true)|profile:google|stem:porter-nltk|refs:max" in done.err


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "latex", "markdown", "html"])
def test_formats(shell: Shell, form: str) -> None:
    done = shell("text", "system.txt", "reference.txt", "-m", "ROUGE-1", "--format", form)
    assert done.code == 0
    assert "ROUGE-1" in done.out
    if form == "json":
        assert json.loads(done.out)["rows"][0]["n"] == 2


def test_several_systems_and_saving(shell: Shell) -> None:
    done = shell(
        "text",
        "system.txt",
        "reference.txt",
        "--also",
        "source.txt",
        "--source",
        "source.txt",
        "-m",
        "ROUGE-1",
        "Compression",
        "--save",
        "s.parquet",
        "--seed",
        "3",
    )
    assert done.code == 0
    scores = tare.Scores.load(shell.folder / "s.parquet")
    assert (scores.systems, scores.seed) == (("system", "source"), 3)
    assert scores.select(systems=["source"])["Compression"].mean == 1


def test_a_folder_as_at_duc(shell: Shell) -> None:
    for part, name in (("peers", "D1.7"), ("models", "D1.A"), ("models", "D1.B")):
        (shell.folder / part).mkdir(exist_ok=True)
        (shell.folder / part / name).write_text("The cat sat.\n")
    done = shell("text", ".", "-m", "ROUGE-2(profile=lin2004)")
    assert "7\tROUGE-2(profile=lin2004)\t1.0" in done.out


def test_content_units(shell: Shell) -> None:
    rows = ["system,item,scu,present", "summaries,0,a,yes", "summaries,0,b,no", "summaries,1,c,yes"]
    (shell.folder / "answers.csv").write_text("\n".join(rows) + "\n")
    done = shell("text", "summaries.jsonl", "--scus", "answers.csv", "-m", "LitePyramid")
    assert "LitePyramid\t0.75" in done.out


def test_lines_that_do_not_pair_up(shell: Shell) -> None:
    (shell.folder / "reference.txt").write_text("the cat sat down\n")
    done = shell("text", "system.txt", "reference.txt")
    assert done.code == 3
    assert "item 2 is missing in reference.txt" in done.err
    assert done.out == ""


def test_an_empty_candidate_scores_0_with_a_finding(shell: Shell) -> None:
    (shell.folder / "system.txt").write_text("the cat sat\n\n")
    arguments = ("text", "system.txt", "reference.txt", "-m", "ROUGE-1", "-q")
    done = shell(*arguments)
    assert done.code == 0
    assert "system\t2\tROUGE-1\t0.0" in done.out
    assert re.search(r"! 1 items have candidates without a token; they score 0\. \(2\)", done.err)
    assert shell(*arguments, "--strict").code == 1


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
        (("system.txt",), 3, "also give the files of the references"),
        (("system.txt", "--source", "source.txt", "-m", "ROUGE-1"), 3, "ROUGE-1 needs references"),
        (("system.txt", "none.txt"), 3, "none.txt: no such file"),
        (("summaries.jsonl", "reference.txt"), 3, "which contains its own references"),
        (("system.txt", "reference.txt", "--also", "system.txt"), 2, "a file is named twice"),
        (("system.txt", "reference.txt", "--missing", "maybe"), 2, ""),
    ],
)
def test_what_is_refused(shell: Shell, arguments: tuple[str, ...], code: int, message: str) -> None:
    done = shell("text", *arguments)
    assert done.code == code, done.err
    assert message in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_missing_references_in_some_rows(shell: Shell) -> None:
    lines = (shell.folder / "summaries.jsonl").read_text() + '{"item": "9", "text": "x"}\n'
    (shell.folder / "summaries.jsonl").write_text(lines)
    done = shell("text", "summaries.jsonl", "-m", "ROUGE-1")
    assert done.code == 0
    assert "have no reference; they have no value. (9)" in done.err


def test_the_examples_of_help_work_when_pasted(shell: Shell) -> None:
    done = shell("text", "--help")
    assert done.code == 0
    examples = [
        line.strip() for line in done.out.split("Examples:")[1].splitlines() if line.strip()
    ]
    assert len(examples) == 2
    for example in examples:
        made = shell(*shlex.split(example)[1:])
        assert made.code == 0, made.err
        assert made.out


def test_lists_and_citations_know_texts(shell: Shell) -> None:
    listed = shell("list", "measures")
    families = [line.split("\t")[0] for line in listed.out.splitlines()[1:]]
    order = [
        "ranking",
        "diversity",
        "preference",
        "assessors",
        "chance",
        "text",
        "answers",
        "group",
    ]
    assert families == sorted(families, key=order.index)
    assert "text\tROUGE-2[.f|.p|.r]\t" in listed.out
    assert "Lin. ROUGE" in shell("cite", "ROUGE-2").out
    assert "Grusky" in shell("cite", "FragmentDensity").out
    assert "Feature-sentences" in shell("list", "measures", "features").out


def test_net_of_chance(shell: Shell) -> None:
    done = shell(
        "text",
        "system.txt",
        "reference.txt",
        "--source",
        "source.txt",
        "-m",
        "V2(ROUGE-1)",
        "E(ROUGE-L)",
        "--samples",
        "50",
        "--stem",
    )
    assert done.code == 0
    rows = list(csv.DictReader(io.StringIO(done.out), delimiter="\t"))
    assert [row["measure"] for row in rows] == ["V2(ROUGE-1(stem=true))", "E(ROUGE-L(stem=true))"]
    bare = shell("text", "system.txt", "reference.txt", "-m", "V2(ROUGE-1)")
    assert bare.code != 0
    assert "--source" in bare.err


def test_translations_from_texts_to_a_comparison(shell: Shell) -> None:
    """BLEU, chrF and TER keep their statistics on the way: text, file, compare, report."""
    sacrebleu = pytest.importorskip("sacrebleu")
    lines = ["the cat sat down", "rain fell all day", "we met at noon", "a dog ran home"]
    systems = {
        "one": ["the cat sat", "rain fell all day", "we met at one", "a dog ran home"],
        "two": ["a cat sits", "it rained all day", "we met", "the dog ran"],
    }
    (shell.folder / "ref.txt").write_text("\n".join(lines) + "\n")
    for name, texts in systems.items():
        (shell.folder / f"{name}.txt").write_text("\n".join(texts) + "\n")
    measures = ("BLEU", "chrF(word=2)", "TER", "ExactMatch", "TokenF1")
    done = shell(
        *("text", "one.txt", "ref.txt", "--also", "two.txt", "-m", *measures),
        *("--save", "scores.parquet", "--format", "json"),
    )
    assert (done.code, done.err) == (0, "")
    scores = tare.Scores.load(shell.folder / "scores.parquet")
    for name, texts in systems.items():
        means = scores.means()[name]
        assert means["BLEU"] == sacrebleu.corpus_bleu(texts, [lines]).score
        assert means["chrF(word=2)"] == sacrebleu.corpus_chrf(texts, [lines], word_order=2).score
        assert means["TER"] == sacrebleu.corpus_ter(texts, [lines]).score
        assert str(means["BLEU"])[:8] in done.out
    compared = shell("compare", "scores.parquet", "--format", "csv")
    assert compared.code == 0
    rows = {row["measure"]: row for row in csv.DictReader(io.StringIO(compared.out))}
    gap = scores.means()["one"]["BLEU"] - scores.means()["two"]["BLEU"]
    assert float(rows["BLEU"]["difference"]) == pytest.approx(gap, abs=1e-12)
    refused = shell("compare", "scores.parquet", "--test", "wilcoxon")
    assert refused.code == 2
    assert "BLEU(mean=items)" in refused.err
    assert "Traceback" not in refused.err
    pytest.importorskip("altair")
    reported = shell("report", "scores.parquet", "-o", "report.html")
    assert reported.code == 0, reported.err
    page = (shell.folder / "report.html").read_text(encoding="utf-8")
    assert f"{scores.means()['one']['BLEU']:.3f}" in page
    assert f"{scores.means()['two']['TER']:.3f}" in page


def test_sacrebleu_is_asked_for_by_name(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sacrebleu.metrics.bleu", None)
    with pytest.raises(tare.TareError, match=r"pip install 'tare-eval\[mt\]'"):
        tare.evaluate_texts(["a"], ["a"], "BLEU")
