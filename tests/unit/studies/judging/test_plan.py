"""Plans: TOML files and the data they name, for every kind of study."""

from __future__ import annotations

import json
import re

import pytest

from tare._judging import Dimension, Study, StudyDesign, Task, make_pairs, make_triplets, read_study
from tare._judging.decisions import check_answer
from tare.errors import FormatError, OptionError
from tests.conftest import ROOT


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", ".")
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)


@pytest.fixture
def folder(tmp_path):
    summaries = [
        {
            "system": s,
            "item": i,
            "text": f"{s} on {i}",
            "references": [f"one on {i}", f"two on {i}"],
            "source": f"all about {i}",
        }
        for i in ("i1", "i2")
        for s in ("m", "n", "o")
    ]
    write(
        tmp_path,
        queries__tsv="q1\tcoffee\nq2\ttea\n",
        documents__jsonl="".join(
            json.dumps({"id": f"d{i}", form: f"text {i}", "title": f"T{i}"}) + "\n"
            for i, form in enumerate(["text", "markdown", "html", "text", "text"], 1)
        ),
        summaries__jsonl="".join(json.dumps(s) + "\n" for s in summaries),
        i1__csv="scu,weight,label\n1,2,rain fell\n2,1,it was wet\n",
        i2__csv="scu,weight,label\n7,2,snow fell\n",
        one__run="".join(f"q{q} Q0 d{d} {d} {-d} one\n" for q in (1, 2) for d in (1, 2, 3)),
        two__run="".join(f"q{q} Q0 d{d} 1 {d} two\n" for q in (1, 2) for d in (3, 4, 5)),
        guidelines__md="# Please\nread.",
    )
    return tmp_path


def study_of(folder, text):
    (folder / "study.toml").write_text(text)
    return read_study(folder / "study.toml")


def test_the_example_of_the_manual_is_a_study(folder):
    manual = (ROOT / "docs" / "how-to" / "judging.md").read_text(encoding="utf-8")
    text = re.search(r"```toml\n(.*?)```", manual, re.DOTALL)[1]
    write(
        folder,
        documents__jsonl="".join(
            json.dumps({"id": f"d{i}", "text": "x"}) + "\n" for i in range(1, 10)
        ),
    )
    (folder / "runs").mkdir()
    (folder / "one.run").rename(folder / "runs" / "one.run")
    study = study_of(folder, text)
    assert study.design.guidelines == "# Please\nread."
    assert study.design.lease == 1800
    assert (study.design.overlap, study.design.budget, study.design.gold_every) == (3, 2000, 10)
    assert [g.expected for g in study.gold] == ["d1"]
    assert {t.query for t in study.tasks} == {"q1", "q2"}
    assert len(study.tasks) == 12  # 3 documents a query: 3 pairs alone, 3 after another


def test_pools_of_runs_and_their_depth(folder):
    text = 'kind = "{kind}"\n{more}[data]\nqueries = "queries.tsv"\ndocuments = "documents.jsonl"\nruns = "*.run"\ndepth = {depth}\n'
    shallow = study_of(folder, text.format(kind="preference", depth=1, more='policy = "pooled"\n'))
    assert {t.shown for t in shallow.tasks} == {("d1", "d5")}
    assert shallow.rankings["q1"] == {"one": ("d1", "d2", "d3"), "two": ("d5", "d4", "d3")}
    grades = '[[grades]]\nvalue = 0\nlabel = "no"\n[[grades]]\nvalue = 1\nlabel = "yes"\n'
    graded = study_of(folder, text.format(kind="grades", depth=2, more=grades))
    assert sorted({t.shown[0] for t in graded.tasks}) == ["d1", "d2", "d4", "d5"]
    assert {t.depth for t in graded.tasks if t.shown[0] in ("d1", "d5")} == {1, 2}


@pytest.mark.parametrize(
    ("kind", "more", "tasks"),
    [
        ("headtohead", "", 6),
        ("ratings", '[[dimensions]]\nname = "clear"\nlabels = ["no", "yes"]\n', 6),
        ("scus", "", 6),
        ("markup", "", 2),
    ],
)
def test_studies_of_summaries(folder, kind, more, tasks):
    study = study_of(
        folder,
        f'kind = "{kind}"\n{more}[data]\nsummaries = "summaries.jsonl"\npyramids = "i*.csv"\n',
    )
    assert len(study.tasks) == tasks
    assert study.queries["i1"].body == "all about i1"
    task = study.tasks[0]
    if kind == "scus":
        assert task.units == (("1", "rain fell"), ("2", "it was wet"))
    if kind == "markup":
        assert task.shown == ("reference 1", "reference 2")
        assert study.texts[study.key("i1", "reference 2")].body == "two on i1"
    else:
        assert study.texts[study.key("i1", task.shown[0])].body == "m on i1"


def test_texts_of_a_folder_and_listed_tasks(folder):
    write(folder / "pages", a__txt="A", b__md="*B*", c__html="<p>C</p>", d__png="no")
    write(folder, tasks__jsonl='{"query": "q1", "left": "a", "right": "b", "given": "c"}\n')
    text = 'kind = "conditional"\n[data]\ndocuments = "pages"\ntasks = "tasks.jsonl"\n'
    study = study_of(folder, text)
    assert study.tasks == (Task("q1", ("a", "b"), ("c",)),)
    assert {k: t.format for k, t in study.texts.items()} == {
        "a": "text",
        "b": "markdown",
        "c": "html",
    }
    for row, told in (
        ('{"query": "q1", "left": "a", "right": "a"}', "duplicate document"),
        ('{"query": "q1", "left": "a", "right": "b", "given": ["a"]}', "duplicate document"),
        ('{"query": "q1", "left": "a"}', "right is missing"),
        ("[1]", "expected a JSON object"),
        ('{"query": "q1", "left": "a", "right": "x"}', "no text found for 'x'"),
    ):
        write(folder, tasks__jsonl=row + "\n")
        with pytest.raises(FormatError, match=told):
            study_of(folder, text)


def test_samples_are_seeded_and_do_not_depend_on_order():
    pools = {"q1": [f"d{i}" for i in range(9)], "q2": [f"e{i}" for i in range(9)]}
    some = make_pairs(pools, count=10, seed=3)
    assert len(some) == len(set(some)) == 20
    assert set(make_pairs(dict(reversed(pools.items())), count=10, seed=3)) == set(some)
    assert set(make_pairs(pools, count=10, seed=4)) != set(some)
    triplets = make_triplets(pools, count=25, simple=False)
    assert len(triplets) == 50
    assert all(len({*t.shown, *t.given}) == 3 for t in triplets)


@pytest.mark.parametrize(
    "wrong",
    [
        {"overlap": 0},
        {"budget": 0},
        {"per_assessor": 0},
        {"repeats": 1.5},
        {"policy": "best"},
        {"kind": "grades"},
        {"kind": "ratings"},
        {"lease": 0.0},
        {"seed": -1},
        {"kind": "markup", "policy": "informative"},
    ],
    ids=str,
)
def test_impossible_designs_are_refused(wrong):
    with pytest.raises(OptionError):
        StudyDesign(**{"kind": "preference", **wrong})
    with pytest.raises(OptionError):
        Study(StudyDesign("preference"), (Task("q", ("a", "b")), Task("q", ("b", "a"))))
    with pytest.raises(OptionError):
        Dimension("x", low=3, high=3)


def test_a_design_survives_the_store():
    design = StudyDesign(
        "ratings",
        dimensions=(Dimension("clear", "Clear?", 0, 2, ("no", "so", "yes")),),
        gate=(),
        budget=7,
    )
    assert StudyDesign.of(json.loads(json.dumps(design.to_dict()))) == design
    task = Task("q", ("a", "b"), ("c",), (("1", "x"),), 3, "a")
    assert Task.of(json.loads(json.dumps(task.to_dict()))) == task
    assert design.dimensions[0].label(1) == "so"


def test_answers_that_a_study_does_not_allow():
    strict = StudyDesign("preference", equal=False, cannot=False)
    for choice in ("equal", "bad", "cannot", "", None):
        with pytest.raises(OptionError):
            check_answer(strict, Task("q", ("a", "b")), {"choice": choice, "reason": "x"})


GRADES = 'kind = "grades"\n[data]\nqueries = "queries.tsv"\ndocuments = "documents.jsonl"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("kind = 3", "kind: expected text in quotation marks, found 3"),
        ('kind = "grades"\noverlap = "2"', "overlap: expected a whole number, found '2'"),
        ('kind = "grades"\nequal = 1', "equal: expected true or false, found 1"),
        (
            'kind = "grades"\noverlap = 2026-11-17',
            "overlap: expected a whole number, found 2026-11-17",
        ),
        (
            'kind = "grades"\ntitle = 2026-11-17T10:00:00Z',
            "title: expected text in quotation marks, found 2026-11-17T10:00:00\\+00:00",
        ),
        (
            'kind = "grades"\ntitle = 10:00:00',
            "title: expected text in quotation marks, found 10:00:00",
        ),
        (
            'kind = "grades"\nequal = [true, 2026-11-17]',
            "equal: expected true or false, found \\[true, 2026-11-17\\]",
        ),
        (
            'kind = "grades"\nequal = {a = false, "b c" = "x"}',
            "equal: expected true or false, found {a = false, \"b c\" = 'x'}",
        ),
        ('kind = "grades"\nrepeats = true', "repeats: expected a number, found true"),
        ('kind = "grades"\nlease_minutes = "5"', "lease_minutes: expected a number, found '5'"),
        ('kind = "grades"\ndata = "x"', "data: expected a table, written as \\[data\\], found 'x'"),
        (
            'kind = "grades"\ngrades = "x"',
            "grades: expected tables, each written as \\[\\[grades\\]\\], found 'x'",
        ),
        ('kind = "grades"\ngrades = [0, 1]', "grades: expected tables"),
        (
            GRADES + '[[grades]]\nvalue = "0"\nlabel = "no"',
            "grades\\[1\\].value: expected a whole number, found '0'",
        ),
        (GRADES + "[[grades]]\nvalue = 0", "grades\\[1\\].label is missing"),
        (
            GRADES + '[[grades]]\nvalue = 0\nlabel = "no"\n[[grades]]\nvalue = 1\nlabel = ["a"]',
            "grades\\[2\\].label: expected a value",
        ),
        (
            GRADES + '[[gate]]\nquestion = "q"\noptions = "a"\nanswer = 1',
            "gate\\[1\\].options: expected a list",
        ),
        (GRADES + '[gold]\nitems = "x"', "gold.items: expected a list of tables, found 'x'"),
        (GRADES + "[gold]\nevry = 3", "unknown key 'gold.evry'.*every"),
        (
            'kind = "ratings"\n[data]\nsummaries = ["a"]\n[[dimensions]]\nname = "x"',
            "data.summaries: expected text",
        ),
        (
            'kind = "ratings"\n[[dimensions]]\nname = "x"\nlow = "1"',
            "dimensions\\[1\\].low: expected a whole number, found '1'",
        ),
        (
            'kind = "preference"\n[data]\nruns = 3',
            "data.runs: expected text in quotation marks, or a list of texts, found 3",
        ),
        ('kind = "preference"\njudge = "llm"', "judge: expected a table, written as \\[judge\\]"),
    ],
)
def test_values_of_the_wrong_type_are_named_with_their_key(folder, text, told):
    with pytest.raises(FormatError, match=told):
        study_of(folder, text)
