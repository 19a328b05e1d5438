"""One law for every table of every verb: programs read it without taking cells apart."""

from __future__ import annotations

import contextlib
import importlib
import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cyclopts import App

from tare._cli.main import VERBS, main
from tests.journeys.conftest import BM25, DENSE, QRELS
from tests.journeys.test_verbs import tables_of_examples
from tests.laws.machine_tables import (
    Rows,
    decorated,
    delimited_tables,
    json_leaves,
    line_tables,
    same,
)

# Calls of each command; those that can print several tables do so here.
CALLS: dict[str, tuple[str, ...]] = {
    "score": (
        "score qrels.txt bm25.run dense.run -m nDCG@10 AP",
        "score qrels.txt bm25.run -m nDCG@10 'Net(AP)' --pool judged",
        "score qrels.txt bm25.run dense.run -m nDCG@10 --by-query",
        "score qrels.txt bm25.run dense.run -m nDCG@10 AP --kinds --kind-size 1 --pool judged",
    ),
    "gate": (
        "gate qrels.txt new.run --baseline main.parquet -m nDCG@10:0.1 -m AP",
        "gate qrels.txt new.run --baseline bm25.run -m nDCG@10:1 --certify",
    ),
    "join": ("join qrels.txt parts -m nDCG@10 AP", "join qrels.txt parts -m AP --by-query"),
    "leaderboard": (
        "leaderboard scores.csv -m nDCG@10 --draws 200",
        "leaderboard matrix.csv --without n_parameters --draws 200",
    ),
    "arena": ("arena battles.csv --covariates length,position --first a --draws 100",),
    "estimate": ("estimate human.qrels llm.qrels bm25.run dense.run -m nDCG@10",),
    "design judge": ("design judge --pilot estimates.parquet --width 0.05",),
    "floor": (
        "floor qrels.txt --pool judged -m nDCG@10 AP",
        "floor qrels.txt --pool judged -m nDCG@10 --by-query",
    ),
    "text": (
        "text system.txt reference.txt -m ROUGE-1 ROUGE-L",
        "text summaries.jsonl -m ROUGE-1 'V2(ROUGE-1)' --by-item",
    ),
    "answers": (
        "answers assignments.jsonl",
        "answers assignments.jsonl --elsewhere elsewhere.csv -m NuggetAll 'Net(NuggetAll)' --by-item",
        "answers matches.csv --nuggets nuggets.jsonl --unassigned skip --show nuggets",
        "answers assignments.jsonl --show topics",
    ),
    "compare": (
        "compare scores.csv --show systems",
        "compare scores.csv --show pairs --test permutation --correction holm --draws 200",
        "compare scores.csv --show all --draws 200",
        "compare scores.csv --show all --baseline A B --test wilcoxon",
        "compare both.csv --show all",
        "compare both.csv --show systems --baseline A --test t",
    ),
    "agree": (
        "agree ratings.csv --draws 100",
        "agree ratings.csv --kappa linear --draws 100",
        "agree ratings.csv --kappa fleiss --draws 100",
        "agree ratings.jsonl --repeats",
        "agree words.csv --draws 100",
    ),
    "power": (
        "power scores.csv -m nDCG@10 --simulations 100",
        "power scores.csv --first A --second B --test t --simulations 100",
    ),
    "design t": ("design t --difference 0.05 --deviation 0.2",),
    "design anova": ("design anova --systems 3 --difference 0.1 --deviation 0.2",),
    "design interval": ("design interval --width 0.1 --deviation 0.2",),
    "design pilot": ("design pilot scores.csv A B --simulations 200 --difference 0.2",),
    "check": ("check qrels.txt bm25.run dense.run",),
    "learn": ("learn features.csv human.csv --method ridge --draws 100",),
    "rank": ("rank train.txt test.txt --ranker rankboost --option rounds=5",),
    "study discrimination": (
        "study discrimination qrels.txt bm25.run dense.run -m nDCG@5 nDCG@10 AP@5 --test t",
    ),
    "study consistency": ("study consistency scores.csv scores.csv --draws 100",),
    "study items": (
        "study items scores.csv",
        "study items qrels.txt bm25.run dense.run --method ranks --against q1",
    ),
    "study letor": (
        "study letor train.txt test.txt --ranker rankboost adarank --draws 100 --cutoff 5 10",
    ),
    "study people": ("study people features.csv human.csv --model A --draws 100 --chance 2",),
    "study assessors": (
        "study assessors rated.csv --same text --scores scores.csv --draws 100",
        "study assessors words.csv",
    ),
    "study judges": (
        "study judges qrels.txt llm.jsonl bm25.run dense.run --draws 100 --splits 5",
        "study judges labels.csv --draws 100",
    ),
    "study power": ("study power scores.csv --first A B --second C D --simulations 100",),
    "study summaries": ("study summaries rated.jsonl -m ROUGE-1 --samples 20 --draws 100",),
    "study diversity": ("study diversity qrels.diversity --systems 4 --repeats 2",),
    "judge create": ("judge create study.toml --output new.db --invite 2",),
    "judge status": ("judge status judged.db",),
    "judge agreement": ("judge agreement judged.db --draws 100",),
    "list measures": ("list measures", "list measures nDCG", "list measures features"),
    "list formats": ("list formats",),
}
# These print what another program prints, files, or words; none has a table of its own.
WITHOUT_TABLES = {
    "trec_eval",
    "ndeval",
    "rouge",
    "cite",
    "demo",
    "report",
    "view",
    "judge serve",
    "part",
    "judge export",
}
IN_WORDS = ("gate",)  # verbs that answer in words, in a pipe as well
DELIMITERS = {"csv": ",", "tsv": "\t"}


def commands() -> Iterator[tuple[str, Any]]:
    """Every command that a person can type, with its application; None for the drop-ins."""

    def walk(name: str, place: str) -> Iterator[tuple[str, Any]]:
        module, _, attribute = place.partition(":")
        app = getattr(importlib.import_module(module), attribute)
        if not isinstance(app, App):
            yield name, None
            return
        if app.default_command is not None:
            yield name, app
        for inner in (n for n in app if not n.startswith("-")):
            yield f"{name} {inner}", app[inner]

    for verb, (place, _) in VERBS.items():
        yield from walk(verb, place)


COMMANDS = dict(commands())


def test_every_command_is_held_to_the_law() -> None:
    """A new verb fails here until its tables are in CALLS."""
    assert set(CALLS) | WITHOUT_TABLES == set(COMMANDS)
    for name, app in COMMANDS.items():
        options = () if app is None else app.assemble_argument_collection()
        formats = any((*one.keys, one.field_info.name)[0] == "format" for one in options)
        assert formats == (name in CALLS), name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that the calls speak of."""
    made = tmp_path_factory.mktemp("tables")
    (made / "qrels.txt").write_text(QRELS)
    (made / "bm25.run").write_text(BM25)
    (made / "dense.run").write_text(DENSE)
    tables_of_examples(made)
    estimated = (
        "estimate sample.csv llm.qrels bm25.run dense.run -m DCG@10 --save estimates.parquet"
    )
    with contextlib.chdir(made):
        assert main(shlex.split(estimated)) == 0
    scores = (made / "scores.csv").read_text().splitlines()
    both = scores + [line.replace("nDCG@10", "AP").replace("0.", "0.1") for line in scores[1:]]
    (made / "both.csv").write_text("\n".join(both) + "\n")
    # Labels that are also names of columns, and one that looks like a number.
    said = [("first", "assessor"), ("first", "first"), ("assessor", "assessor"), ("3", "3")]
    (made / "words.csv").write_text(
        "unit,coder,value\n"
        + "".join(
            f"u{u},{c},{w}\n" for u, two in enumerate(said) for c in ("ann", "bob") for w in two
        )
    )
    return made


def _run(call: str, format: str | None, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    (folder / "new.db").unlink(missing_ok=True)
    words = shlex.split(call) + ([] if format is None else ["--format", format])
    code = main(words)
    out, err = capsys.readouterr()
    assert code == 0, (words, err)
    return out


@pytest.mark.parametrize("call", [c for calls in CALLS.values() for c in calls])
def test_programs_read_every_table(
    call: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    if "judged.db" in call and not (folder / "judged.db").exists():
        _judged(folder)
    found: dict[str, list[Rows]] = {}
    for format, delimiter in DELIMITERS.items():
        out = _run(call, format, folder, capsys)
        found[format] = delimited_tables(out, delimiter)
        if format == "tsv" and "judge create" not in call and not call.startswith(IN_WORDS):
            assert _run(call, None, folder, capsys) == out, "a pipe gets TSV"
    tables = found["csv"]
    assert tables == found["tsv"] or "judge create" in call
    assert tables
    labels = [{row.get("table") for row in rows} for rows in tables]
    if len(tables) > 1:
        assert all(len(label) == 1 and None not in label for label in labels if label), labels
        assert len({min(map(str, label)) for label in labels}) == len(tables), labels

    lines = line_tables(_run(call, "jsonl", folder, capsys))
    flat = [row for rows in tables for row in rows]
    assert len(lines) == len(flat)
    for row, line in zip(flat, lines, strict=True):
        assert list(row) == list(line)
        if "judge create" not in call:
            assert all(same(row[name], line[name]) for name in row), (row, line)

    whole = _run(call, "json", folder, capsys)
    for way, leaf in json_leaves(whole):
        assert not (isinstance(leaf, str) and decorated(leaf)), (way, leaf)
    told = json.loads(whole)
    if len(tables) == 1 and not call.startswith(("study", "learn")) and "judge create" not in call:
        assert told["rows"] == lines


def _judged(folder: Path) -> None:
    """Studies with answers, as `judge` keeps them: gold, repeats, and two who do not agree."""
    from tare._judging import Study, StudyDesign, Task, make_pairs
    from tare._web.judge import StudyStore
    from tare._web.judge.store import writing
    from tests.rooms import TEXTS
    from tests.unit.studies.judging.test_quality import Play, better

    gold = (Task("q", ("d1", "d2"), expected="d1"),)
    design = StudyDesign("preference", overlap=2, repeats=0.5, gap=1, gold_every=3, seed=2)
    study = Study(design, tuple(make_pairs({"q": list(TEXTS)})), TEXTS, gold=gold)
    play = Play(study, ["ann", "bob"])
    play.all_of("ann", better, 3)
    play.all_of("bob", lambda task, shown: {"choice": "left"}, 5)
    store, _ = StudyStore.create(study, str(folder / "judged.db"))
    with writing(store.engine) as connection:
        store.append(connection, store.read(connection)[0], play.log)
    store.engine.dispose()
