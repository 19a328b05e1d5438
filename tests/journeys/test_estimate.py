"""`tare estimate` as a person uses it: files in, tables out, and what bad input gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tare
from tare._cli.main import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("labels")
    world = tare.simulate(queries=60, documents=12, seed=3)
    world.write(path)
    truth = world.qrels.to_dict()
    tare.read_qrels({q: truth[q] for q in list(truth)[::2]}).write(path / "human.qrels")
    judge = {
        q: {d: min(3.0, g + (int(d[1:]) % 4 == 0)) for d, g in docs.items()}
        for q, docs in truth.items()
    }
    tare.read_qrels(judge).write(path / "llm.qrels")
    lines = ["query,document,grade,inclusion"]
    for q, docs in truth.items():
        lines += [f"{q},{d},{g:g},0.5" for d, g in list(docs.items())[::2]]
    (path / "sample.csv").write_text("\n".join(lines) + "\n")
    return path


def runs(folder: Path) -> list[str]:
    return [str(folder / "runs" / f"{name}.run") for name in ("dense", "lexical", "random")]


def test_from_labels_to_a_report(folder: Path, tmp_path: Path, capsys) -> None:
    saved = str(tmp_path / "e.parquet")
    labels = [str(folder / "human.qrels"), str(folder / "llm.qrels")]
    asked = ["estimate", *labels, *runs(folder), "-m", "nDCG@5", "--save", saved]
    assert main([*asked, "--format", "table"]) == 0
    out, err = capsys.readouterr()
    assert "people only" in out
    assert "Differences" in out
    assert "Assumption: the 30 queries with human labels were drawn at random from all 60" in err
    assert main(["compare", saved, "--test", "t", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows["rows"] if isinstance(rows, dict) else rows) == 3
    assert main(["compare", saved, "--test", "wilcoxon"]) == 2
    assert "Estimates are tested with t, z, bootstrap" in capsys.readouterr().err
    assert main(["compare", saved, "--pool", "judged"]) == 2
    page = tmp_path / "report.html"
    assert main(["report", saved, "-o", str(page)]) == 0
    assert "people only" in page.read_text()
    assert main(["report", saved, "--baseline", "random", "-o", str(page)]) == 0
    assert main(["design", "judge", "--pilot", saved, "--width", "0.2", "--format", "csv"]) == 0
    assert "with judge" in capsys.readouterr().out
    assert main(["power", saved]) in (2, 3)


def test_documents_by_a_column(folder: Path, capsys) -> None:
    asked = ["estimate", str(folder / "sample.csv"), str(folder / "llm.qrels"), *runs(folder)]
    assert main([*asked, "-m", "DCG@5", "P@5", "--format", "csv"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 1 + 2 * 3
    assert main([*asked, "-m", "nDCG@5"]) == 2
    assert "cannot be estimated when people labelled some documents" in capsys.readouterr().err
    assert main([*asked, "-m", "P@5", "--target", "these-queries", "--format", "table"]) == 0
    assert "Student's t over the documents drawn" in capsys.readouterr().err


def test_score_tables(folder: Path, tmp_path: Path, capsys) -> None:
    tables = []
    for name in ("human", "llm"):
        tables.append(str(tmp_path / f"{name}.parquet"))
        scores = tare.evaluate(folder / f"{name}.qrels", runs(folder), ["AP"])
        scores.save(tables[-1])
    assert main(["estimate", *tables, "--show", "differences", "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4


CASES = {
    "no common pair": ("{q} 0 x{d} {g}", None, "no pair of query and document in common"),
    "other query ids": ("t{q} 0 {d} {g}", None, "no query in common"),
}


@pytest.mark.parametrize("case", CASES)
def test_labels_that_do_not_fit(case: str, folder: Path, tmp_path: Path, capsys) -> None:
    line, _, message = CASES[case]
    lines = [row.split() for row in (folder / "llm.qrels").read_text().splitlines()]
    wrong = tmp_path / "wrong.qrels"
    wrong.write_text("".join(line.format(q=q, d=d, g=g) + "\n" for q, _, d, g in lines))
    refused(folder, tmp_path, capsys, str(folder / "human.qrels"), str(wrong), message)


def test_human_labels_that_contradict_themselves(folder: Path, tmp_path: Path, capsys) -> None:
    text = (folder / "human.qrels").read_text()
    query, _, document, grade = text.splitlines()[0].split()
    wrong = tmp_path / "wrong.qrels"
    wrong.write_text(text + f"{query} 0 {document} {float(grade) + 1:g}\n")
    message = document
    refused(folder, tmp_path, capsys, str(wrong), str(folder / "llm.qrels"), message)


@pytest.mark.parametrize("bad", ["0", "1.5", "-0.2", "often"])
def test_inclusion_probabilities_outside_their_range(bad, folder, tmp_path, capsys) -> None:
    wrong = tmp_path / "wrong.csv"
    lines = (folder / "sample.csv").read_text().splitlines()
    lines[3] = lines[3].rsplit(",", 1)[0] + f",{bad}"
    wrong.write_text("\n".join(lines) + "\n")
    refused(folder, tmp_path, capsys, str(wrong), str(folder / "llm.qrels"), "outside (0, 1]")


def refused(folder, tmp_path, capsys, human: str, judge: str, message: str) -> None:
    """Exit code 3, a message, and nothing written."""
    saved = tmp_path / "new.parquet"
    page = tmp_path / "new.html"
    asked = ["estimate", human, judge, *runs(folder), "-m", "P@5"]
    assert main([*asked, "--save", str(saved), "--report", str(page)]) == 3
    out, err = capsys.readouterr()
    assert message in err
    assert "Traceback" not in err
    assert out == ""
    assert not saved.exists()
    assert not page.exists()


def test_damaged_files_of_estimates(folder: Path, tmp_path: Path, capsys) -> None:
    saved = tmp_path / "e.parquet"
    labels = [str(folder / "human.qrels"), str(folder / "llm.qrels")]
    assert main(["estimate", *labels, *runs(folder), "-m", "P@5", "--save", str(saved)]) == 0
    data = saved.read_bytes()
    for wrong in (data[: len(data) // 2], data.replace(b'"labelled": 30', b'"labelled": 99')):
        saved.write_bytes(wrong)
        assert main(["design", "judge", "--pilot", str(saved), "--width", "0.1"]) == 3
        assert "Traceback" not in capsys.readouterr().err


def test_clusters_and_ranges_in_the_shell(folder: Path, tmp_path: Path, capsys) -> None:
    """Whole sessions are labelled; other clusters, and a range that is none, are refused in words."""
    queries = sorted({line.split()[0] for line in (folder / "llm.qrels").read_text().splitlines()})
    people = {line.split()[0] for line in (folder / "human.qrels").read_text().splitlines()}
    rest = [q for q in queries if q not in people]
    for name, session in (
        (
            "whole",
            {
                q: k // 3 + 100 * (own is rest)
                for own in (sorted(people), rest)
                for k, q in enumerate(own)
            },
        ),
        ("mixed", {q: k // 3 for k, q in enumerate(queries)}),
    ):
        lines = ["query,cluster", *(f"{q},s{session[q]}" for q in queries)]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    labels = [str(folder / "human.qrels"), str(folder / "llm.qrels"), *runs(folder), "-m", "P@5"]
    whole = ["estimate", *labels, "--format", "table", "--cluster", str(tmp_path / "whole.csv")]
    saved = str(tmp_path / "e.parquet")
    assert main([*whole, "--save", saved]) == 0
    err = capsys.readouterr().err
    assert "Assumption: the 10 clusters (30 queries) with human labels were drawn at random" in err
    assert "Student's t over clusters (9 degrees of freedom)" in err
    assert "the judge's mean scores of the 10 labelled and the 10 other clusters" in err
    assert main(["compare", saved]) == 0
    assert main(["compare", saved, "--test", "bootstrap"]) == 2
    assert "not clusters" in capsys.readouterr().err
    assert main(["estimate", *labels, "--cluster", str(tmp_path / "mixed.csv")]) == 3
    assert "clusters hold queries with human labels and queries without" in capsys.readouterr().err
    assert main(["estimate", *labels, "--range", "1-5"]) == 2
    assert "such as --range 1:5" in capsys.readouterr().err
    assert main(["estimate", *labels, "--cluster", "sessions"]) == 2
    assert "sessions" in capsys.readouterr().err
