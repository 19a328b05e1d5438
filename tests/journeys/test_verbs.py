"""The other verbs: check, list, cite, demo; help and version."""

import csv
import io
import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tare as library
from tare._cli.main import VERBS
from tare._cli.study import STUDIES
from tare._measures import definitions
from tests.unit.rankers.planted import planted


def test_check_tells_what_is_in_the_data(tare):
    done = tare("check", "qrels.txt", "bm25.run", "dense.run")
    assert done.code == 0
    rows = list(csv.DictReader(io.StringIO(done.out), delimiter="\t"))
    assert [(r["severity"], r["kind"]) for r in rows] == [
        ("warning", "queries missing from the run")
    ]
    assert done.err == "6 judgements of 3 queries; 2 runs; 1 warnings, 0 notes, 0 unusable.\n"


def test_check_is_strict_on_request_and_writes_json(tare):
    done = tare("check", "qrels.txt", "bm25.run", "--strict", "--format", "json")
    assert done.code == 1
    assert json.loads(done.out)["rows"][0]["count"] == 1
    assert tare("check", "qrels.txt", "dense.run", "--strict").code == 0


def test_check_goes_on_after_an_unusable_run(tare):
    (tare.folder / "bad.run").write_text("q1 Q0 a 1 x t\n")
    done = tare("check", "qrels.txt", "bad.run", "nowhere", "bm25.run")
    assert done.code == 3
    assert "bad.run, line 1: the score 'x' is not a number" in done.err
    assert "nowhere: no such file" in done.err
    assert "queries missing from the run" in done.out
    assert "2 unusable" in done.err


def test_check_of_qrels_alone_and_on_a_terminal(tare):
    assert tare("check", "qrels.txt").out == ""
    code, shown = tare.on_a_terminal("check", "qrels.txt", "bm25.run")
    assert code == 0
    assert "severity  kind" in shown
    assert tare("check", "qrels.txt", "bm25.run", "--cutoff", "0").code == 2


def test_list_measures_shows_every_measure(tare):
    done = tare("list", "measures")
    names = {re.split("[@[]", line.split("\t")[1])[0] for line in done.out.splitlines()[1:]}
    assert {d.name for d in definitions() if d.family == "ranking"} <= names
    assert {"V2", "ROUGE-2", "ROUGE-L"} <= names


def test_list_measures_tells_all_about_one(tare):
    for name in ("nDCG", "ndcg_cut_10", "NDCG", "nDCG(gain=exp2)@10"):
        done = tare("list", "measures", name)
        facts = dict(csv.reader(io.StringIO(done.out), delimiter="\t"))
        assert facts["name"] == "nDCG"
        assert "Järvelin, Kekäläinen" in facts["cite"]
        assert facts["parameter gain"].startswith("gain=linear|exp2")


def test_list_formats(tare):
    done = tare("list", "formats", "--format", "json")
    rows = json.loads(done.out)["rows"]
    assert {row["suffix"] for row in rows} >= {".jsonl .ndjson", ".csv .tsv", ".parquet .pq"}


def test_cite(tare):
    done = tare("cite", "nDCG", "ERR@20", "map")
    assert [line.split(":")[0] for line in done.out.splitlines()] == ["nDCG", "ERR", "AP"]
    assert tare("cite").code == 2
    assert "Did you mean 'nDCG'?" in tare("cite", "nDGC").err


def test_demo_makes_a_collection_and_shows_tables(tare):
    done = tare("demo", "--output", "made", "--seed", "7")
    assert (done.code, done.err) == (0, "")
    assert sorted(p.name for p in (tare.folder / "made" / "runs").iterdir()) == [
        *("boolean.run", "dense.run", "lexical.run", "popular.run", "random.run")
    ]
    assert "1. How good are they?" in done.out
    assert "5. The full report" in done.out
    page = (tare.folder / "made" / "report.html").read_text()
    assert "Against chance" in page
    assert 'class="chart"' in page
    again = tare("demo", "--output", "second", "--seed", "7")
    assert again.out.replace("second", "made") == done.out
    next_steps = [line.strip() for line in done.out.split("Next, try:")[1].strip().splitlines()]
    assert len(next_steps) == 5
    for step in next_steps:
        ran = tare(*shlex.split(step)[1:])
        assert ran.code == 0, (step, ran.err)
    assert (tare.folder / "made" / "another.html").exists()


def test_the_demo_shows_chance_at_0_and_a_flip_only_with_its_p(tare):
    done = tare("demo")
    scores = library.evaluate(
        tare.folder / "tare-demo" / "qrels.txt",
        str(tare.folder / "tare-demo" / "runs" / "*.run"),
        ["nDCG@10", "V2(nDCG@10)", "Net(nDCG@10)"],
        pool="judged",
    )
    means = scores.means()
    gross, published = (
        max(means, key=lambda s, m=m: means[s][m]) for m in ("nDCG@10", "V2(nDCG@10)")
    )
    low, high = scores.intervals()[scores.systems.index("random"), 2]
    assert low < 0 < high
    assert abs(means["random"]["Net(nDCG@10)"]) < 0.01
    assert gross != published
    said = next(line for line in done.out.splitlines() if line.startswith(f"V2 ranks {published}"))
    p = library.compare(scores["V2(nDCG@10)"]).pair(gross, published)["p_adjusted"]
    assert f"p = {p:.4f}" in said
    assert "not significant" in said


def test_version(tare):
    done = tare("--version")
    assert (done.code, done.out.strip(), done.err) == (0, library.__version__, "")


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_help_names_every_verb(tare, arguments):
    done = tare(*arguments)
    assert done.code == 0
    assert all(verb in done.out for verb in VERBS)
    assert all(help_.split(".")[0][:40] in done.out for _, help_ in VERBS.values())
    assert "Start with tare demo" in done.out


def test_help_of_a_verb_tells_what_it_reads(tare):
    assert '"-" is standard input' in " ".join(tare("score", "--help").out.split())
    assert "documents near the top" in " ".join(tare("check", "--help").out.split())


HELPS = [(verb,) for verb in VERBS] + [("list", "measures"), ("list", "formats")]
HELPS += [("study", name) for name in STUDIES]


def examples_of(help_text: str) -> list[str]:
    lines = [line.strip() for line in help_text.strip().splitlines()]
    return [line for line in lines[lines.index("Examples:") + 1 :] if line]


def labels_of_examples(folder: Path) -> None:
    """Labels of people for some queries and of a model for all, for the documents of the runs."""
    lines = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    judged = {(q, d): int(g) for q, _, d, g in lines}
    ranked = [
        tuple(line.split()[:3:2])
        for name in ("bm25.run", "dense.run")
        for line in (folder / name).read_text().splitlines()
    ]
    pairs = sorted({*judged, *ranked})
    (folder / "llm.qrels").write_text(
        "q4 0 a 1\nq4 0 b 0\nq5 0 a 2\n"  # queries without labels of people
        + "".join(f"{q} 0 {d} {min(judged.get((q, d), 0) + 1, 2)}\n" for q, d in pairs)
    )
    (folder / "human.qrels").write_text(
        "".join(f"{q} 0 {d} {judged.get((q, d), 0)}\n" for q, d in pairs)
    )
    (folder / "sample.csv").write_text(
        "query,document,grade,inclusion\n"
        + "".join(f"{q},{d},{judged.get((q, d), 0)},0.5\n" for q, d in pairs[::2])
    )


def answers_of_examples(folder: Path) -> None:
    """Assignments of nuggets by nuggetizer and in a table, lists of nuggets, and answers to other topics."""
    said = ("support", "partial_support", "not_support")
    nuggets = {
        f"q{q}": [
            {"id": f"n{k}", "text": f"fact {k}", "importance": "okay" if k else "vital"}
            for k in range(3)
        ]
        for q in range(4)
    }
    (folder / "nuggets.jsonl").write_text(
        "".join(json.dumps({"qid": q, "nuggets": own}) + "\n" for q, own in nuggets.items())
    )
    records: list[dict[str, Any]] = [
        {
            "qid": q,
            "run_id": s,
            "response_length": 40,
            "nuggets": [
                {**n, "assignment": said[(t + k + (s == "b")) % 3]} for k, n in enumerate(own)
            ],
        }
        for s in "ab"
        for t, (q, own) in enumerate(nuggets.items())
    ]
    (folder / "assignments.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    rows = [
        (r["run_id"], r["qid"], n["id"], n["assignment"]) for r in records for n in r["nuggets"]
    ]
    (folder / "matches.csv").write_text(
        "system,item,nugget,assignment\n" + "".join(",".join(row) + "\n" for row in rows[1:])
    )
    (folder / "elsewhere.csv").write_text(
        "system,item,nugget,assignment,answer_to\n"
        + "".join(f"{s},{q},{n},not_support,other\n" for s, q, n, _ in rows)
    )


def tables_of_examples(folder: Path) -> None:
    """The score table, the ratings and the third run that examples speak of."""
    bm25 = (folder / "bm25.run").read_text()
    (folder / "hybrid.run").write_text(bm25.replace("bm25", "hybrid"))
    for name in ("new.run", "old.run"):
        (folder / name).write_text(bm25)
    library.evaluate(str(folder / "qrels.txt"), str(folder / "old.run"), "nDCG@10").save(
        folder / "main.parquet"
    )
    judged = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    (folder / "qrels.diversity").write_text(
        "".join(f"{q} {s} {d} {g}\n" for q, _, d, g in judged for s in (1, 2))
    )
    planted(queries=12).write(folder / "train.txt")
    planted(queries=12, seed=2).write(folder / "test.txt")
    random = np.random.default_rng(1)
    cells = [
        f"{system},q{i},nDCG@10,{value:.3f}\n"
        for system in ("A", "B", "C", "D", "bm25", "hybrid")
        for i, value in enumerate(random.random(12))
    ]
    (folder / "scores.csv").write_text("system,item,measure,value\n" + "".join(cells))
    (folder / "new.run").write_text((folder / "bm25.run").read_text())
    present = library.evaluate(
        folder / "qrels.txt", folder / "new.run", ["nDCG@10", "Recall@100", "AP"]
    )
    present.save(folder / "main.parquet")
    (folder / "battles.csv").write_text(
        "prompt,system_a,system_b,winner,first,length_a,length_b\n"
        + "".join(
            f"p{k % 12},{'xyz'[k % 3]},{'xyz'[(k + 1 + k % 2) % 3]},{('a', 'b', 'tie', 'a', 'both bad')[k * 7 % 5]},{'ab'[k * 3 % 7 % 2]},{90 + k * 13 % 37},{90 + k * 29 % 41}\n"
            for k in range(120)
        )
    )
    runs = [folder / "bm25.run", folder / "dense.run"]
    for index in range(8):
        library.engines.judge_part(
            folder / "qrels.txt", runs, index=index, of=8, output=folder / "parts"
        )
    (folder / "matrix.csv").write_text("model,n_parameters,t1,t2,t3\na,1,.9,.8,.9\nb,2,.5,.6,.4\n")
    labels_of_examples(folder)
    answers_of_examples(folder)
    (folder / "study.toml").write_text(
        'kind = "preference"\n[data]\nqueries = "queries.tsv"\ndocuments = "documents.tsv"\n'
    )
    (folder / "queries.tsv").write_text("q1\tcoffee\n")
    (folder / "documents.tsv").write_text("a\tGrind late.\nb\tUse soft water.\n")
    said = [c.replace("nDCG@10", "helpful").replace("0.", "3.") for c in cells]
    (folder / "human.csv").write_text("system,item,measure,value\n" + "".join(said))
    rows = [
        f"{system},q{i},{','.join(f'{x:.3f}' for x in random.random(3))}\n"
        for system in ("A", "B", "C", "D", "bm25", "hybrid")
        for i in range(12)
    ]
    (folder / "features.csv").write_text("system,item,ROUGE-1,ROUGE-2,ROUGE-L\n" + "".join(rows))
    (folder / "system.txt").write_text("The cat sat.\nA dog ran away.\n")
    (folder / "reference.txt").write_text("The cat sat down.\nThe dog ran.\n")
    (folder / "files.lst").write_text("system.txt reference.txt\nreference.txt system.txt\n")
    (folder / "settings.xml").write_text(
        '<ROUGE-EVAL><EVAL ID="1"><PEER-ROOT>.</PEER-ROOT><MODEL-ROOT>.</MODEL-ROOT>'
        '<INPUT-FORMAT TYPE="SPL"/><PEERS><P ID="A">system.txt</P></PEERS>'
        '<MODELS><M ID="R">reference.txt</M></MODELS></EVAL></ROUGE-EVAL>'
    )
    texts = [
        {
            "system": "A",
            "item": f"i{i}",
            "text": "The cat sat.",
            "references": ["The cat sat down."],
            "source": "The cat sat down on the mat.",
        }
        for i in range(2)
    ]
    (folder / "summaries.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts))
    outputs = [(s, f"q{i}") for s in ("A", "B", "C", "D") for i in range(12)]
    lines = [
        f"{s}-{i}-{copy},{'ab'[k % 2]},{int(random.integers(1, 6))},{s},{i},{s}-{i}\n"
        for k, (s, i) in enumerate(outputs)
        for copy in (1, 2)
    ]
    (folder / "rated.csv").write_text("unit,coder,value,system,item,text\n" + "".join(lines))
    rated_texts = [
        {
            "doc_id": f"d{d}",
            "src": "the cat sat on the mat and it rained all day",
            "ref_summs": ["the cat sat", "it rained"],
            "sys_summs": {
                s: {
                    "sys_summ": "the cat " * (1 + k) + "rained" * d,
                    "scores": {"fluency": k + d % 3},
                }
                for k, s in enumerate("ABCD")
            },
        }
        for d in range(4)
    ]
    (folder / "rated.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rated_texts))
    rated = [(f"u{u}", c, int(random.integers(1, 6))) for u in range(8) for c in ("ann", "bob")]
    (folder / "ratings.csv").write_text(
        "unit,coder,value\n" + "".join(f"{u},{c},{v}\n" for u, c, v in rated)
    )
    labelled = [(q, d, int(g), min(int(g) + k % 2, 2)) for k, (q, _, d, g) in enumerate(judged)]
    (folder / "llm.jsonl").write_text(
        "".join(json.dumps({"qid": q, "docid": d, "judgment": j}) + "\n" for q, d, _, j in labelled)
    )
    (folder / "labels.csv").write_text(
        "topic,doc,human,llm\n" + "".join(f"{q},{d},{g},{j}\n" for q, d, g, j in labelled)
    )
    (folder / "ratings.jsonl").write_text(
        "".join(
            json.dumps({"unit": u, "coder": c, "value": v, "text": f"t{int(u[1:]) // 2}"}) + "\n"
            for u, c, v in rated * 2  # each coder judges each unit twice
        )
    )


@pytest.mark.parametrize("verb", HELPS, ids=" ".join)
def test_help_of_each_verb_ends_with_two_examples_that_work_when_pasted(tare, verb):
    done = tare(*verb, "--help")
    assert done.code == 0
    examples = examples_of(done.out)
    assert len(examples) == 2
    (tare.folder / "runs").mkdir()
    (tare.folder / "runs" / "a.run").write_bytes((tare.folder / "bm25.run").read_bytes())
    subprocess.run("gzip -k bm25.run", shell=True, cwd=tare.folder, check=True)
    tables_of_examples(tare.folder)
    command = shlex.join(tare.quick_command())
    for example in examples:
        pasted = re.sub(r"\btare (?=[a-z])", f"{command} ", example)
        pasted = pasted.replace("/tmp/tare-demo", str(tare.folder / "demo"))
        ran = subprocess.run(
            ["bash", "-c", pasted],
            cwd=tare.folder,
            env=tare.environment,
            capture_output=True,
            timeout=600,
            check=False,
        )
        assert ran.returncode == (1 if "--strict" in example else 0), (example, ran.stderr)
        assert ran.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("nothing",),
        ("score",),
        ("score", "qrels.txt"),
        ("score", "qrels.txt", "bm25.run", "--bogus"),
        ("score", "qrels.txt", "bm25.run", "--ties", "random"),
        ("score", "qrels.txt", "bm25.run", "--format", "xml"),
        ("score", "qrels.txt", "bm25.run", "--seed", "abc"),
        ("score", "qrels.txt", "bm25.run", "--seed", "-1"),
        ("score", "qrels.txt", "bm25.run", "--samples", "0"),
        ("score", "qrels.txt", "bm25.run", "--depth", "0"),
        ("check",),
        ("list", "nothing"),
        ("list", "measures", "nothing"),
        ("demo", "--seed", "-1"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_told(tare, arguments):
    done = tare(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err
    assert "unexpected" not in done.err
