"""Every number of a plan has a bound that its data set, with a message; none fills the memory."""

from __future__ import annotations

import json

import pytest

from tests.journeys.conftest import Shell

DOCUMENTS = 40
FORMS = {
    "preference": 'kind = "preference"\n{0}\n[data]\nqueries = "q.tsv"\ndocuments = "d.tsv"\n{1}\n',
    "conditional": 'kind = "conditional"\n{0}\n[data]\nqueries = "q.tsv"\ndocuments = "d.tsv"\n{1}\n',
    "runs": 'kind = "preference"\n{0}\n[data]\ndocuments = "d.tsv"\nruns = "one.run"\n{1}\n',
    "grades": 'kind = "grades"\n{0}\n[data]\nqueries = "q.tsv"\ndocuments = "d.tsv"\n{1}\n'
    '[[grades]]\nvalue = 0\nlabel = "no"\n[[grades]]\nvalue = 1\nlabel = "yes"\n',
    "ratings": 'kind = "ratings"\n{0}\n[data]\nsummaries = "s.jsonl"\n{1}\n[[dimensions]]\nname = "clear"\n',
}
GATE = '[[gate]]\nquestion = "x"\noptions = ["a", "b"]\nanswer = 1\n'


@pytest.fixture
def files(tare: Shell) -> Shell:
    folder = tare.folder
    (folder / "q.tsv").write_text("q1\tcoffee\n")
    (folder / "d.tsv").write_text("".join(f"d{i}\ttext {i}\n" for i in range(DOCUMENTS)))
    (folder / "many.tsv").write_text("".join(f"d{i}\ttext {i}\n" for i in range(2000)))
    (folder / "one.run").write_text("".join(f"q1 Q0 d{i} {i} {-i} one\n" for i in range(DOCUMENTS)))
    row = {"system": "s", "item": "i", "text": "x", "references": ["y"], "source": "z"}
    (folder / "s.jsonl").write_text(json.dumps(row) + "\n")
    labels = "".join(f"q1 0 d{i} {i % 2}\n" for i in range(DOCUMENTS))
    (folder / "llm.qrels").write_text(labels)
    return tare


WRONG = {
    "overlap": ("grades", "overlap = 1000000000", "", "overlap=1,000,000,000: expected a number"),
    "answers": ("grades", "overlap = 0", "", "overlap=0: expected a number from 1 to 10,000"),
    "budget": ("grades", "budget = 99999999999999999999", "", "budget="),
    "per assessor": ("grades", "per_assessor = 99999999999999999999", "", "per_assessor="),
    "gap": ("grades", "gap = 99999999999", "", "gap="),
    "endless lease": ("grades", "lease_minutes = inf", "", "lease_minutes=inf"),
    "no lease": ("grades", "lease_minutes = nan", "", "lease_minutes=nan"),
    "long lease": ("grades", "lease_minutes = 1e300", "", "lease_minutes=1e+300"),
    "seed": ("grades", "seed = 99999999999999999999", "", "seed="),
    "repeats": ("grades", "repeats = nan", "", "repeats=nan"),
    "attempts": ("grades", "gate_attempts = 1000000000", GATE, "gate_attempts="),
    "pass": ("grades", "gate_pass = 2", GATE, "gate_pass=2: expected a number from 0 to 1"),
    "door": ("grades", "door_limit = 99999999999", "", "door_limit="),
    "gold": ("grades", "", "[gold]\nevery = 99999999999", "gold.every="),
    "no depth": ("runs", "", "depth = 0", "data.depth=0: expected a number from 1 to 100"),
    "from the end": ("runs", "", "depth = -1", "data.depth=-1"),
    "depth": ("runs", "", "depth = 1000000000", "data.depth=1,000,000,000"),
    "no pairs": ("preference", "", "pairs = -1", "data.pairs=-1: expected a number from 1"),
    "no triplets": ("conditional", "", "triplets = 0", "data.triplets=0: expected a number from 1"),
    "grade": (
        "grades",
        "",
        '[[grades]]\nvalue = 99999999999\nlabel = "x"',
        "grades: the value 99,999,999,999",
    ),
    "grade twice": ("grades", "", '[[grades]]\nvalue = 0\nlabel = "x"', "the value 0 occurs twice"),
    "scale": (
        "ratings",
        "",
        '[[dimensions]]\nname = "x"\nlow = 99999999998\nhigh = 99999999999',
        "dimension 'x': ",
    ),
    "dimension twice": (
        "ratings",
        "",
        '[[dimensions]]\nname = "clear"',
        "dimension 'clear' occurs twice",
    ),
    "slice": (
        "grades",
        "",
        '[judge]\nlabels = "llm.qrels"\nslice = 41\ndraw = "documents"',
        "judge.slice = 41: ",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_number_beyond_its_data_is_named(files, name):
    form, before, after, told = WRONG[name]
    (files.folder / "study.toml").write_text(FORMS[form].format(before, after))
    done = files("judge", "create", "study.toml")
    assert done.code == 3
    assert told in done.err
    assert not (files.folder / "study.db").exists()


@pytest.mark.parametrize(
    ("form", "more", "told"),
    [
        ("conditional", "", "3,996,001,000 tasks"),
        ("preference", "", "1,999,000 tasks"),
        ("conditional", "triplets = 10", "3,994,002,000 triplets"),
    ],
)
def test_tasks_beyond_the_memory_are_counted_before_they_are_made(files, form, more, told):
    plan = FORMS[form].format("", more).replace("d.tsv", "many.tsv")
    (files.folder / "study.toml").write_text(plan)
    done = files("judge", "create", "study.toml")
    assert done.code == 3
    assert told in done.err
    assert "data.tasks" in done.err


def test_tasks_times_overlap_is_bounded(files):
    (files.folder / "study.toml").write_text(
        FORMS["preference"].format("overlap = 10000", "pairs = 2000").replace("d.tsv", "many.tsv")
    )
    done = files("judge", "create", "study.toml")
    assert done.code == 3
    assert "2,000 tasks with overlap=10,000" in done.err


def test_a_sample_of_many_pairs_is_drawn(files):
    (files.folder / "study.toml").write_text(
        FORMS["preference"].format("", "pairs = 20").replace("d.tsv", "many.tsv")
    )
    done = files("judge", "create", "study.toml")
    assert done.code == 0, done.err
    assert "20 tasks" in done.err
