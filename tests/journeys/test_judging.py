"""Judging from the command line: a study is made, played, watched and taken home."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tare._cli.main import main
from tare._data.preferences import Utilities
from tare._data.profiles import add_up, sample_profiles, simulate_all
from tare._data.pyramids import read_presence, read_pyramid
from tare._kernels.random_numbers import uniforms
from tare._measures.evaluate_rankings import evaluate
from tare._web.judge import StudyStore
from tests.journeys.conftest import Done
from tests.rooms import ANSWERS, House, Serving, Visitor, study_of

DOCUMENTS = ["d1", "d2", "d3", "d4", "d5"]
COVERED = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1], [1, 0, 1]], dtype=bool)
PROFILES = 3
SEED, STREAM, COINS = 4, 9, 1
STUDY = f"""
kind = "conditional"
overlap = {PROFILES}
seed = 5
[data]
queries = "queries.tsv"
documents = "documents.jsonl"
"""


class Reader:
    """Someone who cares for some subtopics, and reads of what is shown on the page alone."""

    def __init__(self, visitor: Visitor, profile: np.ndarray, *, coin: bool = False) -> None:
        self.visitor, self.profile, self.coin = visitor, profile, coin
        self.csrf, self.count = visitor.csrf, 0

    def answers_all(self) -> None:
        page = self.visitor.open("/work")
        while found := re.search(r'name="number" value="(\d+)"', page):
            *given, a, b = (int(x) for x in re.findall(r"This is page number (\d)", page))
            self.count += 1
            fields = {
                "csrf": self.csrf,
                "number": int(found[1]),
                "choice": self.choice(given, a, b),
                "submission": f"{self.csrf[:20]}-{self.count:06d}",
            }
            reply = self.visitor.client.post("/judge", json=fields)
            assert reply.status_code == 200
            page = reply.json()["html"]

    def choice(self, given: list[int], a: int, b: int) -> str:
        new = COVERED & self.profile
        if given:
            new = new & ~COVERED[given[0]]
        more = int(new[a].sum()) - int(new[b].sum())
        if more == 0 and self.coin:  # the coins of the simulation, one for each question
            n, (low, high) = len(DOCUMENTS), sorted((a, b))
            left, right = np.triu_indices(n, 1)
            pair = int(np.flatnonzero((left == low) & (right == high))[0])
            counter = pair + (given[0] + 1) * len(left) if given else pair
            wins = bool(uniforms(SEED, STREAM, [counter], COINS)[0] < 0.5)  # the lower one
            return "left" if wins == (a == low) else "right"
        return "equal" if more == 0 else "left" if more > 0 else "right"


class Here:
    """The command in this process: there are many calls, and none is about processes."""

    def __init__(self, folder: Path, captured: Any) -> None:
        self.folder, self.captured = folder, captured

    def __call__(self, *arguments: str) -> Done:
        self.captured.readouterr()
        code = main(arguments)
        out, err = self.captured.readouterr()
        return Done(code, out.decode(), err.decode())


@pytest.fixture
def tare(tmp_path, monkeypatch, capfdbinary) -> Here:
    monkeypatch.chdir(tmp_path)
    return Here(tmp_path, capfdbinary)


@pytest.fixture
def plan(tmp_path) -> Path:
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "queries.tsv").write_text("q1\tcoffee\n")
    rows = [{"id": d, "text": f"This is page number {i}."} for i, d in enumerate(DOCUMENTS)]
    (tmp_path / "documents.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    for name, order in (("one", DOCUMENTS), ("two", DOCUMENTS[::-1])):
        lines = [f"q1 Q0 {d} {r} {-r} {name}\n" for r, d in enumerate(order, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path / "study.toml"


@pytest.mark.parametrize("coin", [False, True])
def test_a_simulated_study_gives_the_utilities_and_scores_of_the_simulation(tare, plan, coin):
    profiles = sample_profiles(3, PROFILES, seed=SEED, stream=STREAM)
    if coin:  # one user, whose ties fall as they do there
        profiles = np.ones((PROFILES, 3), dtype=bool)
    made = tare("judge", "create", "study.toml", "--invite", str(PROFILES), "--format", "json")
    assert made.code == 0, made.err
    links = [r["link"] for r in json.loads(made.out)["rows"] if r["for"] == "assessor"]
    store = StudyStore.open(str(plan.with_suffix(".db")))
    with Serving(store) as url:
        for link, profile in zip(links, profiles, strict=True):
            visitor = Visitor(url)
            visitor.open(link.removeprefix("http://127.0.0.1:8000"))
            Reader(visitor, profile, coin=coin).answers_all()
            assert "completion code" in visitor.open("/work")
            visitor.client.close()
    ties = "coin" if coin else "half"
    simulated = add_up(
        simulate_all(DOCUMENTS, COVERED, p, seed=SEED, stream=STREAM, ties=ties) for p in profiles
    )
    assert tare("judge", "export", "study.db", "--output", "prefs.txt").code == 0
    found = evaluate_utilities(plan.parent / "prefs.txt")
    assert found.documents == simulated.documents
    for part in ("wins", "shown", "wins_given", "shown_given"):
        np.testing.assert_array_equal(getattr(found, part), getattr(simulated, part))
    measures = ["nPrf@5", "nPrf(stop=dcg,combine=min)@5"]
    runs = [str(plan.parent / f"{name}.run") for name in ("one", "two")]
    wanted = evaluate(Utilities.of([("q1", simulated)]), runs, measures)
    scored = tare("score", "prefs.txt", "one.run", "two.run", "-m", *measures, "--format", "json")
    assert scored.code == 0, scored.err
    rows = json.loads(scored.out)["rows"]
    assert len(rows) == 4
    for row in rows:
        place = (wanted.systems.index(row["system"]), 0, measures.index(row["measure"]))
        assert row["mean"] == pytest.approx(float(wanted.values[place]), abs=1e-12)


def evaluate_utilities(path: Path):
    from tare._data.preferences import read_preferences

    return read_preferences(path).utilities["q1"]


def test_status_agreement_and_exports_of_every_kind(tare):
    folder = tare.folder
    for kind, what in (
        ("preference", "preferences"),
        ("grades", "qrels"),
        ("ratings", "ratings"),
        ("headtohead", "scores"),
        ("scus", "scus"),
        ("markup", "units"),
    ):
        with House(
            study_of(kind, overlap=2, title=f"About {kind}"), str(folder / f"{kind}.db")
        ) as house:
            for place in (0, 1):
                visitor = house.assessor(place)
                for _ in house.store.study.tasks:
                    assert visitor.judge(ANSWERS[kind]).status_code == 200
        told = tare("judge", "status", f"{kind}.db")
        tasks = len(house.store.study.tasks)
        assert told.code == 0
        assert (
            f"About {kind}: {2 * tasks} of {2 * tasks} judgements, {tasks} of {tasks} tasks complete."
            in told.err
        )
        assert told.out.count("\n") == 3
        out = tare("judge", "export", f"{kind}.db", "--what", what)
        assert out.code == 0, out.err
        assert out.out
        (folder / f"{kind}.csv").write_text(out.out)
    grades = [line.split() for line in (folder / "grades.csv").read_text().splitlines()]
    assert sorted(grades) == [["q1", "0", d, "2"] for d in ("d1", "d2", "d3", "d4")]
    rated = tare("agree", "ratings.csv", "--by", "dimension")
    assert rated.code == 0, rated.err
    assert "category readability" in rated.out
    compared = tare("compare", "headtohead.csv", "-m", "preferred", "--format", "json")
    assert compared.code == 0, compared.err
    presence = read_presence(folder / "scus.csv")
    assert presence["alpha", "i1"] == {"1": [True, True], "2": [False, False]}
    marked = pl.read_csv(folder / "markup.csv")
    assert marked["text"].to_list()[:2] == ["refe", "ference"]
    one = folder / "one.csv"
    marked.filter((pl.col("item") == "i1") & (pl.col("assessor") == "a1")).write_csv(one)
    pyramid = read_pyramid(one)
    assert [(scu.label, scu.weight) for scu in pyramid.scus] == [("rain", 2)]
    assert pyramid.references == 2
    again = tare("judge", "agreement", "ratings.db", "--dimension", "coherence")
    assert again.code == 0
    assert "all" in again.out
    assert tare("judge", "export", "ratings.db", "--what", "qrels").code == 3
    assert tare("judge", "export", "scus.db", "--output", "found.parquet").code == 0
    assert (folder / "found.parquet").read_bytes()[:4] == b"PAR1"


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ("kind = 'preference'\nfoo = 1", "unknown key 'foo'"),
        ("kind = 'preferences'", "Did you mean 'preference'?"),
        ("kind = 'preference'\noverlap = 'two'", "overlap: expected a whole number, found 'two'"),
        ("kind = 'preference'\noverlap = 0", "overlap=0: expected a number from 1 to 10,000"),
        ("kind = 'preference'", "data.documents is missing"),
        ("kind = 'grades'", "[[grades]]"),
        ("kind = 'preference'\n[data]\ndocuments = 'nowhere.tsv'", "no such file"),
        (
            "kind = 'preference'\n[data]\ndocuments = 'bad.tsv'",
            "bad.tsv, line 1: expected 'id<tab>text'",
        ),
        ("kind = 'preference'\n[data]\ndocuments = 'bad.jsonl'", "bad.jsonl, line 1: invalid JSON"),
        ("kind = ", "invalid TOML"),
        (
            "kind = 'preference'\n[[gate]]\nquestion = 'x'\noptions = ['a']\nanswer = 2",
            "not one of its options",
        ),
        (
            "kind = 'preference'\n[[gate]]\nquestion = 'x'",
            "gate[1].options is missing; expected a list",
        ),
    ],
)
def test_a_wrong_plan_is_told_and_leaves_nothing(tare, plan, told):
    (tare.folder / "study.toml").write_text(plan)
    (tare.folder / "bad.tsv").write_text("no tab here\n")
    (tare.folder / "bad.jsonl").write_text("{\n")
    done = tare("judge", "create", "study.toml")
    assert (done.code, done.out) == (3, "")
    assert told in done.err
    assert not (tare.folder / "study.db").exists()


def test_wrong_usage_is_told(tare, plan):
    assert tare("judge", "status", "nowhere.db").code == 3
    assert tare("judge", "create", "study.toml", "--invite", "-1").code == 2
    assert tare("judge", "create", "study.toml").code == 0
    twice = tare("judge", "create", "study.toml")
    assert twice.code == 2
    assert "already exists" in twice.err
    assert tare("judge", "export", "study.db").code == 3  # nothing yet
    assert tare("judge", "serve", "study.db", "--port", "0").code == 2
    assert tare("judge", "status", "study.toml").code == 3
    assert tare("judge", "status", "mysql://x/y").code == 2
    secret = tare("judge", "status", "postgresql://me:geheim@127.0.0.1:1/none")
    assert secret.code == 3
    assert "geheim" not in secret.err


def test_addresses_are_checked_before_anything_is_served(tare, plan, monkeypatch):
    served = []
    monkeypatch.setattr("tare._web.judge.serve", lambda store, **given: served.append(given))
    assert tare("judge", "create", "study.toml", "--url", "study.example.org").code == 2
    assert not (tare.folder / "study.db").exists()
    assert tare("judge", "create", "study.toml", "--url", "https://study.example.org/").code == 0
    for wrong in ("study.example.org", "https://x.org/study", "ftp://x.org", "https://"):
        done = tare("judge", "serve", "study.db", "--url", wrong)
        assert (done.code, served) == (2, [])
        assert "such as https://study.example.org" in done.err
    for wrong in ("localhost", "10.0.0.0/33", "*", "10.1.2.3/8"):
        done = tare("judge", "serve", "study.db", "--proxy", wrong)
        assert (done.code, served) == (2, [])
        assert "such as 127.0.0.1 or 10.0.0.0/8" in done.err
    good = ["--url", "https://study.example.org/", "--proxy", "127.0.0.1", "--proxy", "10.0.0.0/8"]
    assert tare("judge", "serve", "study.db", *good).code == 0
    assert served[0]["base"] == "https://study.example.org"
    assert served[0]["proxies"] == ("127.0.0.1", "10.0.0.0/8")
