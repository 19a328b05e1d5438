"""`tare report`, and `--report` of the other verbs."""

import pytest

from tests.journeys.test_verbs import tables_of_examples


def test_a_report_of_qrels_and_runs_covers_chance(tare):
    done = tare(
        "report",
        "qrels.txt",
        "bm25.run",
        "dense.run",
        "-m",
        "nDCG@10",
        "--pool",
        "judged",
        "-o",
        "out/r.html",
    )
    assert (done.code, done.out) == (0, "out/r.html\n")
    page = (tare.folder / "out" / "r.html").read_text()
    assert "E(nDCG@10)" in page
    assert "Net(nDCG@10)" in page
    assert "Against chance" in page


def test_rankings_of_the_queries_that_matter_most_are_part_of_the_page(tare):
    (tare.folder / "queries.tsv").write_text("q1\tblue whales\n")
    done = tare(
        *("report", "qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10", "--pool", "judged"),
        *("--queries", "queries.tsv", "--drill", "3", "--drill-pair", "dense", "bm25"),
    )
    assert (done.code, done.out) == (0, "report.html\n"), done.err
    page = (tare.folder / "report.html").read_text()
    assert 1 <= page.count('<details class="ranked-query"') <= 3
    assert "Differences are dense minus bm25" in page
    assert "limited to 5 MB" in page


def test_a_report_of_a_score_table_with_figures(tare):
    rows = [f"{s},q{i},AP,{0.1 * i + k * 0.05:.3f}\n" for k, s in enumerate("ab") for i in range(6)]
    (tare.folder / "scores.csv").write_text("system,item,measure,value\n" + "".join(rows))
    done = tare(
        *("report", "scores.csv", "--figures", "figs", "--format", "svg", "png"),
        *("--title", "Two <systems>", "--baseline", "a"),
    )
    assert done.code == 0, done.err
    assert done.out == "report.html\n"
    page = (tare.folder / "report.html").read_text()
    assert '<h1 dir="auto">Two &lt;systems&gt;</h1>' in page
    figures = sorted(p.name for p in (tare.folder / "figs").iterdir())
    assert figures[:2] == ["01-means.png", "01-means.svg"]
    assert f"{len(figures)} charts written to figs." in done.err
    assert (tare.folder / "figs" / "01-means.svg").read_text().startswith("<svg")
    assert (tare.folder / "figs" / "01-means.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("report",), 2, "source"),
        (("report", "nothing.csv"), 3, "nothing.csv: no such file"),
        (("report", "qrels.txt", "bm25.run", "--format", "svg"), 2, "--figures"),
        (("report", "qrels.txt", "bm25.run", "-m", "nDGC"), 2, "Did you mean"),
        (("report", "qrels.txt", "bm25.run", "-o", "qrels.txt/r.html"), 2, "is not a folder"),
        (("report", "qrels.txt", "bm25.run", "-o", "."), 2, "it is a folder"),
        (("report", "qrels.txt", "bm25.run", "--drill", "0"), 2, "a number from 1 to 1,000"),
        (("report", "qrels.txt", "bm25.run", "--queries", "nothing.tsv"), 3, "no such file"),
        (("report", "scores.csv", "--drill", "5"), 2, "give qrels and runs"),
    ],
)
def test_wrong_calls_are_explained_and_write_nothing(tare, arguments, code, said):
    done = tare(*arguments)
    assert done.code == code
    assert said in done.err.replace("SOURCE", "source")
    assert not (tare.folder / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "chapters"),
    [
        (
            ("score", "qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10", "--pool", "judged"),
            ("Against chance",),
        ),
        (("compare", "qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10"), ("Pairs of systems",)),
        (("text", "system.txt", "reference.txt", "-m", "ROUGE-1"), ("Systems",)),
        (("power", "scores.csv", "--first", "A", "--second", "B", "--test", "t"), ("Power",)),
        (("agree", "ratings.csv"), ("Methods",)),
        (("study", "discrimination", "scores.csv"), ("Discriminative power by measure",)),
    ],
    ids=lambda value: value[0],
)
def test_other_verbs_write_a_report_on_request(tare, arguments, chapters):
    tables_of_examples(tare.folder)
    plain = tare(*arguments)
    done = tare(*arguments, "--report", "r.html")
    assert done.code == 0, done.err
    assert done.out == plain.out  # the numbers are the same
    assert "Report written to r.html." in done.err
    page = (tare.folder / "r.html").read_text()
    assert all(f">{chapter}</h2>" in page for chapter in chapters)


def test_an_unwritable_path_is_reported_before_the_work(tare):
    done = tare("score", "qrels.txt", "bm25.run", "--report", "qrels.txt/r.html")
    assert (done.code, done.out) == (2, "")
    assert "qrels.txt/r.html cannot be written" in done.err
