"""Tables that people paste: systems × measures with marks of significance, in LaTeX, Markdown and HTML."""

import re
import shutil
import subprocess

import numpy as np
import polars as pl
import pytest

import tare
from tare._measures.exports import flat_name
from tare.errors import OptionError

SYSTEMS = ("bm25_title", "dense & co", "hybrid", "worst")
SHIFTS = (0.30, 0.50, 0.52, 0.10)


@pytest.fixture(scope="module")
def scores():
    """Four systems on 40 items: two close ones, and two that are far apart."""
    rng = np.random.default_rng(7)
    item = rng.normal(0, 0.1, 40)
    rows = []
    for system, shift in zip(SYSTEMS, SHIFTS, strict=True):
        for k in range(40):
            rows.append((system, f"q{k}", "nDCG@10", float(shift + item[k] + rng.normal(0, 0.05))))
            rows.append((system, f"q{k}", "MeanRank", float(9 - 9 * shift + rng.normal(0, 0.3))))
    frame = pl.DataFrame(rows, schema=["system", "item", "measure", "value"], orient="row")
    return tare.Scores.load(frame)


def body(latex):
    lines = latex.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    return [[cell.strip() for cell in line.removesuffix(r"\\").split(" & ")] for line in lines]


def test_superscripts_name_the_systems_that_are_significantly_worse(scores):
    made = tare.compare(scores)
    table = made.paper_table()
    assert [row[1] for row in table.rows] == ["hybrid", "dense & co", "bm25_title", "worst"]
    assert [row[0] for row in table.rows] == list("abcd")
    for family, c in zip(made.families, (2, 3), strict=True):
        for r, row in enumerate(table.rows):
            worse = {
                other[0]
                for other in table.rows
                if frozenset((row[1], other[1])) in {frozenset(pair) for pair in family.different}
                and family.ranking.index(other[1]) > family.ranking.index(row[1])
            }
            assert set(table.superscripts.get((r, c), "")) == worse
    assert table.superscripts[0, 2] == "cd"
    assert (3, 2) not in table.superscripts
    assert (0, 2) in table.marks


def test_lower_is_better_for_mean_ranks(scores):
    table = tare.compare(scores, measures=["MeanRank"]).paper_table()
    values = [row[2] for row in table.rows]
    assert values == sorted(values)
    assert table.marks == {(0, 2)}


def test_latex_is_a_table_of_a_paper(scores):
    latex = tare.compare(scores).to_latex(caption="Results in % of all", label="tab:main results")
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}") == 1
    assert r"\caption{Results in \% of all}" in latex
    assert r"\label{tab:main-results}" in latex
    rows = body(latex)
    assert rows[0][1] == "hybrid"
    assert re.fullmatch(r"\\textbf\{0\.\d{3}\}\\textsuperscript\{cd\}", rows[0][2])
    assert rows[1][1] == r"dense \& co"
    assert "permutation test" in latex
    assert "signature" not in latex
    assert latex.isascii()


def test_daggers_show_differences_from_the_baseline_or_the_best(scores):
    against = tare.compare(scores, baseline="bm25_title", measures=["nDCG@10"])
    table = against.paper_table(marks="dagger", digits=2)
    found = {row[0]: table.superscripts.get((r, 1), "") for r, row in enumerate(table.rows)}
    assert found == {"hybrid": "†", "dense & co": "†", "bm25_title": "", "worst": "‡"}
    assert r"\textsuperscript{$\dagger$}" in against.to_latex(marks="dagger")
    best = tare.compare(scores, measures=["nDCG@10"]).paper_table(marks="dagger")
    found = {row[0]: best.superscripts.get((r, 1), "") for r, row in enumerate(best.rows)}
    assert found == {"hybrid": "", "dense & co": "", "bm25_title": "†", "worst": "†"}
    several = tare.compare(scores, baseline=["worst", "bm25_title"])
    with pytest.raises(OptionError, match="needs one baseline or none, found 2: worst, bm25_title"):
        several.to_latex(marks="dagger")


def test_bold_marks_the_best_and_its_ties(scores):
    table = tare.compare(scores, measures=["nDCG@10"]).paper_table(marks="bold")
    assert table.marks == {(0, 1), (1, 1)}
    assert table.superscripts == {}


def test_scores_mark_the_best_and_refuse_untested_marks(scores):
    plain = scores.to_latex(digits=2)
    assert "textsuperscript" not in plain
    assert plain.count("textbf") == 2
    with pytest.raises(OptionError, match="needs tested differences: use tare.compare"):
        scores.to_latex(marks="superscript")
    with pytest.raises(OptionError, match="marks='stars' is not known"):
        tare.compare(scores).to_latex(marks="stars")


def test_markdown_and_html_alike(scores, tmp_path):
    made = tare.compare(scores)
    markdown = made.to_markdown(tmp_path / "t.md", caption="Main")
    assert markdown == (tmp_path / "t.md").read_text()
    assert markdown.startswith("**Main**")
    assert re.search(r"\| a \| hybrid \| \*\*0\.\d{3}\*\*<sup>cd</sup> \|", markdown)
    html = made.to_html(notes="Own note.")
    assert re.search(r"<strong>0\.\d{3}</strong><sup>cd</sup>", html)
    assert html.count("tare-note") == 1
    assert "Own note." in html
    assert "tare-note" not in made.to_html(notes=False)


def test_many_systems_are_numbered():
    rng = np.random.default_rng(1)
    systems = [f"s{k:02}" for k in range(30)]
    rows = [
        (s, f"q{i}", "AP", k / 30 + rng.normal(0, 0.01))
        for k, s in enumerate(systems)
        for i in range(10)
    ]
    frame = pl.DataFrame(rows, schema=["system", "item", "measure", "value"], orient="row")
    table = tare.compare(frame).paper_table()
    assert table.rows[0][:2] == ("1", "s29")
    assert table.superscripts[27, 2] == "29,30"


@pytest.mark.parametrize("marks", ["superscript", "dagger", "bold"])
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_the_latex_compiles(scores, tmp_path, marks):
    made = tare.compare(scores, baseline="bm25_title" if marks == "dagger" else None)
    table = made.to_latex(marks=marks, caption="Four systems: 50 % & more", label="tab:a_b")
    plain = scores.to_latex()
    every = "\n\n".join(t.to_latex() for t in made.tables().values())
    source = [r"\documentclass{article}", r"\usepackage[T1]{fontenc}", r"\usepackage{booktabs}"]
    source += [r"\begin{document}", table, r"See Table~\ref{tab:a-b}.", "", plain, ""]
    source += [r"{\tiny", every, r"\par}", r"\end{document}"]
    (tmp_path / "paper.tex").write_text("\n".join(source))
    ran = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 1000


MLFLOW = re.compile(r"^[/\w.\- :]*$")
WANDB = re.compile(r"^[_a-zA-Z][_a-zA-Z0-9]*$")


@pytest.mark.parametrize(
    "name",
    [
        "nDCG@10",
        "Net(P(rel=2)@5,pool=corpus=inf)",
        "α_nDCG@20",
        "ROUGE-2.r",
        "2 Bränds",
        "検索",
        "",
    ],
)
def test_flat_names_are_accepted_by_every_tracker(name):
    assert MLFLOW.fullmatch(flat_name(name))
    assert WANDB.fullmatch(flat_name(name))


def test_flat_means(scores):
    flat = scores.flat()
    assert list(flat)[:2] == ["bm25_title_nDCG_at_10", "bm25_title_MeanRank"]
    assert all(WANDB.fullmatch(name) and MLFLOW.fullmatch(name) for name in flat)
    assert flat["hybrid_nDCG_at_10"] == scores.means()["hybrid"]["nDCG@10"]
    grouped = scores.flat(separator="/")
    assert "dense_co/nDCG_at_10" in grouped
    assert all(MLFLOW.fullmatch(name) for name in grouped)
    with pytest.raises(OptionError, match="separator='@' is not accepted"):
        scores.flat(separator="@")
    one = scores.select(systems=["hybrid"])
    assert list(one.flat()) == ["nDCG_at_10", "MeanRank"]
    assert repr(tare.parse(next(iter(one.flat())))) == "nDCG@10"


def test_names_that_become_equal_stay_apart():
    ids = {"system": ["a b", "a_b"] * 2, "item": [1, 1, 2, 2], "AP": [0.1, 0.2, 0.3, 0.4]}
    flat = tare.Scores.load(pl.DataFrame(ids)).flat()
    assert flat == {"a_b_AP": pytest.approx(0.2), "a_b_AP_2": pytest.approx(0.3)}


def test_notebooks_show_the_systems_first_and_fold_the_rest(scores):
    html = tare.compare(scores)._repr_html_()
    first, _, rest = html.partition("<details")
    assert first.count("<table") == 1
    assert "hybrid" in first
    assert "tare-note" not in first
    assert "Comparisons: 12 rows" in rest
    assert rest.count("<table") == 1
    assert html.count("<details") == html.count("</details>") == 2
    assert html.count("overflow-x:auto") == 2
    alone = scores._repr_html_()
    assert alone.partition("<details")[0].count("<table") == 1
