"""compare, agree, power and design as a person uses them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tare import compare
from tare._cli.main import DROP_INS, VERBS, main
from tare._measures.scores import Scores
from tare.stats import anova, kruskal_wallis
from tare.studies import agreement
from tests.conftest import ROOT
from tests.house.sources import MODULES
from tests.journeys.test_what_net_means import strings_of


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    lines = ["system,item,measure,value"]
    for s, shift in (("bm25", 0.0), ("dense", 0.1), ("hybrid", 0.3)):
        lines += [f"{s},q{k},nDCG@10,{rng.random() * 0.4 + shift:.4f}" for k in range(30)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_compare_a_score_table(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(table), "--format", "table"]) == 0
    out, err = capsys.readouterr()
    assert "letters" in out
    assert "hybrid" in out
    assert "d_z" in out
    assert "We compared all 3 pairs of 3 systems on 30 queries" in err
    assert "chosen by default" in err


def test_numbers_on_stdout_words_on_stderr(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", str(table), "--baseline", "bm25", "--test", "wilcoxon"]
    assert main([*arguments, "--correction", "max-t"]) == 2
    assert "needs test='permutation'" in capsys.readouterr().err
    assert main([*arguments, "--format", "jsonl"]) == 0
    out, err = capsys.readouterr()
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["system"] for row in rows] == ["dense", "hybrid"]
    assert {"p", "p_adjusted", "d_z", "low", "high", "wins"} <= set(rows[0])
    assert "Wilcoxon" in err
    assert main(arguments) == 0  # in a pipe
    assert capsys.readouterr().out.startswith("measure\tsystem\tagainst")


def test_compare_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels.txt").write_text("".join(f"q{k} 0 d1 1\n" for k in range(8)))
    for name, rank in (("good", 1), ("bad", 2)):
        lines = [
            f"q{k} Q0 {d} {r} {9 - r} {name}\n"
            for k in range(8)
            for d, r in (("d1", rank), ("d2", 3 - rank))
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    runs = [str(tmp_path / f"{name}.run") for name in ("good", "bad")]
    assert main(["compare", str(tmp_path / "qrels.txt"), *runs, "-m", "RR", "--format", "csv"]) == 0
    out, _ = capsys.readouterr()
    assert "all 128 sign patterns" in out


def test_other_verbs(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("unit,coder,value\nu1,a,1\nu1,b,1\nu2,a,2\nu2,b,3\nu3,a,3\nu3,b,3\n")
    for arguments, shown in (
        (["agree", str(ratings)], "all"),
        (["agree", str(ratings), "--kappa", "linear"], "Cohen's κ, linear weights"),
        (["agree", str(ratings), "--kappa", "fleiss"], "Fleiss' κ"),
        (["power", str(table), "--simulations", "500"], "wilcoxon"),
        (
            [
                "power",
                str(table),
                "--first",
                "bm25",
                "--second",
                "hybrid",
                "--test",
                "t",
                "--simulations",
                "200",
            ],
            "1.0",
        ),
        (["design", "t", "--difference", "0.05", "--deviation", "0.2"], "128"),
        (
            ["design", "anova", "--systems", "3", "--difference", "0.1", "--deviation", "0.2"],
            "ANOVA",
        ),
        (["design", "interval", "--width", "0.1", "--deviation", "0.2"], "64"),
        (["design", "pilot", str(table), "hybrid", "bm25", "--simulations", "300"], "pilot, t"),
    ):
        assert main(arguments) == 0, arguments
        assert shown in capsys.readouterr().out, arguments


def test_wrong_usage_and_unreadable_data(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, code, message in (
        (["compare", "nosuch.csv"], 3, "no such file"),
        (["compare", str(table), "--test", "tukei"], 2, "Did you mean 'tukey'"),
        (["compare", str(table), "--baseline", "bm52"], 2, "Did you mean 'bm25'"),
        (["agree", "nosuch.csv"], 3, "no such file"),
        (["agree", str(table), "--repeats"], 3, "looks like a table of scores"),
        (["power", str(table), "--first", "bm25"], 2, "both groups"),
        (["design", "t", "--difference", "0", "--deviation", "1"], 2, "above 0"),
    ):
        assert main(arguments) == code, arguments
        assert message in capsys.readouterr().err, arguments


def test_latex_needs_no_letters_that_latex_lacks(table: Path) -> None:
    scores = Scores.load(table)
    tables = [
        compare(scores).table(),
        compare(scores, baseline="bm25").systems(),
        anova([0.5, 0.6, 0.4, 0.3], {"system": "aabb", "item": "xyxy"}).table(),
        kruskal_wallis(scores.matrix()).table(),
        agreement([[1.0, 2, 3, 3], [1, 2, 3, 4]], draws=100).table(),
    ]
    for made in tables:
        latex = made.to_latex()
        assert latex.isascii()
        assert latex.count("{") == latex.count("}")
        width = len(made.columns) - 1
        body = latex.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
        assert all(line.count(" & ") == width and line.endswith(r"\\") for line in body)


def test_real_runs_and_human_scores(real_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = real_data / "trec" / "dlhard"
    runs = sorted(str(path) for path in (folder / "runs").glob("*.run.gz"))
    qrels = str(folder / "dl_hard-doc.qrels")
    assert main(["compare", qrels, *runs, "-m", "nDCG@10", "--format", "table"]) == 0
    out, err = capsys.readouterr()
    assert "91 pairs of 14 systems on 50 queries" in err
    assert "not significantly different from the best" in " ".join(err.split())
    assert "letters" in out
    human = str(real_data / "summ" / "summeval" / "expert_mean_scores.csv")
    assert main(["compare", human, "--format", "table", "-m", "coherence"]) == 0
    out, err = capsys.readouterr()
    assert "120 pairs of 16 systems on 100 items" in err
    assert "d_z" not in out  # so many pairs are shown on request only
    assert main(["compare", human, "--format", "latex", "-m", "coherence"]) == 0
    assert capsys.readouterr().out.isascii()


def test_no_page_help_or_report_says_more_than_a_test_bears(tare):
    done = tare("demo")
    report = (tare.folder / "tare-demo" / "report.html").read_text(encoding="utf-8")
    shown = [done.out, report, tare("compare", "--help").out]
    shown += [tare(verb, "--help").out for verb in VERBS if verb not in DROP_INS]
    assert "by the largest |t|" in report
    assert "permutation (the default)" in " ".join(shown[2].split())
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    texts = shown + [page.read_text(encoding="utf-8") for page in pages]
    texts += [text for path in MODULES for text in strings_of(path)]
    claims = (
        r"tukey[^.|\n]{0,80}\b(?:by default|is the default|\(default)",
        r"default[^.|\n]{0,40}\btukey",
        r"no power is lost",
        r"assumes nothing|no assumption",
        r"not worse\b",
        r"\bp ?= ?0\.0000\b",
    )
    assert [c for c in claims for text in texts if re.search(c, text, re.IGNORECASE)] == []
