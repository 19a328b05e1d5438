"""Every kind of result keeps the contract of results: what it shows, returns, draws and saves."""

from __future__ import annotations

import json
import pkgutil
import re
from functools import cache
from importlib import import_module

import numpy as np
import polars as pl
import pytest

import tare
from tare import chance, stats, studies
from tare._data.ratings import read_rated_summaries
from tare._result import Result
from tare._tables import Table
from tests.unit.studies.tables import table

# Made by tests of their own rooms: they need an encoder, or a whole study of judgements.
OTHERS = {"DocumentKinds", "Quality"}
# Their Parquet and other files are read back, and JSON holds the whole model.
OWN_FILES = {"Scores", "Estimates", "Model"}
# The JSON of these is read back: the whole model, and grades of documents.
OWN_JSON = {"Model", "Strengths"}
# Their figures have the names of the chapters of their report, and comparisons show the systems first.
OWN_CHAPTERS = {"Scores", "Comparison", "EstimateComparison"}
QRELS = {f"q{k}": {"a": 1, "b": 0, "c": 0, "d": 0} for k in range(8)}
GOOD = {q: {"a": 2.0, "b": 1.0} for q in QRELS}
BAD = {q: {"a": 1.0, "b": 2.0 if q < "q6" else 0.5} for q in QRELS}
RATINGS = {"x": {"u1": 1, "u2": 2, "u3": 1}, "y": {"u1": 1, "u2": 2, "u3": 2}}
TWICE = pl.DataFrame(
    [(unit, coder, k % 2) for unit in ("t1", "t2") for coder in "xy" for k in (1, 2, 4)],
    schema=["unit", "coder", "value"],
    orient="row",
)
LABELS = {f"q{q}": {f"d{d}": (q + d) % 3 for d in range(6)} for q in range(8)}
RATED = [
    {
        "system": f"s{s}",
        "item": f"d{d}",
        "text": "one two three"[: 3 + 4 * s],
        "source": "one two three four five",
        "references": ["one two three four"],
        "scores": {"overall": s + d % 2},
    }
    for s in range(3)
    for d in range(4)
]


@cache
def world():
    return tare.simulate(queries=20, documents=30, depth=30, seed=1)


@cache
def scores():
    return tare.evaluate(world().qrels, world().runs, ["nDCG@10", "P@10"])


def one_measure():
    return scores()["nDCG@10"]


@cache
def people():
    random = np.random.default_rng(0)
    human = random.random((6, 12)) + np.linspace(0, 1, 6)[:, None]
    measured = np.stack([human + random.normal(size=human.shape) * 0.3, human], axis=2)
    return table(measured, ("ROUGE-1", "ROUGE-2")), table(human, ("helpful",))


@cache
def estimates():
    truth = world().qrels.to_dict()
    some = {query: truth[query] for query in list(truth)[::2]}
    return tare.estimate(some, truth, world().runs, "P@10")


@cache
def gate():
    before, after = (tare.evaluate(QRELS, run, "RR") for run in (GOOD, BAD))
    return tare.gate(after, before, {"RR": 0.05})


@cache
def arena():
    return tare.arena([(f"p{k}", "x", "y", "a" if k % 4 else "b") for k in range(40)], draws=100)


def letor_data(seed):
    random = np.random.default_rng(seed)
    grades = np.tile([0, 0, 0, 1, 2], 8)
    features = np.stack([grades + 3 * random.random(40), random.random(40)], axis=1)
    queries = tuple(f"q{k}" for k in range(8))
    return tare.Letor(f"data{seed}", features, grades, queries, np.arange(0, 41, 5))


def answer(run, first, second):
    nuggets = [("Paris", "vital", first), ("Seine", "okay", second)]
    named = [dict(zip(("text", "importance", "assignment"), n, strict=True)) for n in nuggets]
    return {"qid": "q1", "run_id": run, "nuggets": named}


def judges():
    found = {q: {d: min(2, g + (d == "d1")) for d, g in docs.items()} for q, docs in LABELS.items()}
    return studies.judges(LABELS, {"llm": found}, draws=100)


def consistency():
    items = scores().items
    return studies.consistency(scores(), sets={"one": items[:10], "two": items[10:]}, draws=100)


def diversity():
    rows = [(f"q{q}", s, f"d{d}", 1) for q in range(3) for s in "ab" for d in (q, 3 + (s == "a"))]
    return studies.diversity(
        rows, systems=4, cutoff=3, profiles=2, triplets=[10], noise=[0.1], repeats=1
    )


def power_study():
    return tare.power(
        one_measure(),
        ["lexical"],
        ["random"],
        tests=["t"],
        steps=(0, 1),
        simulations=100,
        null_simulations=100,
    )


def pairs():
    return stats.Pairs.of_matrix(one_measure().matrix())


MADE = {
    "Scores": scores,
    "Extracts": lambda: tare.extractive_oracle(["It rained. A cat sat."], [["a cat sat"]]),
    "Ideals": lambda: tare.ideals({"q": {"1": {"a": 1, "b": 1}, "2": {"b": 1}}}, "alpha_DCG@2"),
    "Strengths": lambda: tare.strengths([("q", "a", "b", "a"), ("q", "b", "c", "b")]),
    "Anova": lambda: stats.anova([0.5, 0.6, 0.4, 0.3], {"system": "aabb", "item": "xyxy"}),
    "Omnibus": lambda: stats.friedman(one_measure().matrix()),
    "Kappa": lambda: studies.cohen_kappa(RATINGS, draws=100),
    "Sizes": lambda: stats.sizes_of_tests(pairs(), tests=["t", "sign"], simulations=100),
    "SelfConsistency": lambda: studies.self_consistency(TWICE),
    "Design": lambda: stats.items_for_t(0.05, 0.15),
    "RankBiasedOverlap": lambda: stats.rbo({"a": 3, "b": 2}, {"b": 3, "a": 2}),
    "Comparison": lambda: tare.compare(scores(), test="t"),
    "PairTest": lambda: stats.paired_t(stats.Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.5, 0.6])),
    "Estimates": estimates,
    "EstimateComparison": lambda: tare.compare(estimates()),
    "JudgeDesign": lambda: tare.queries_for_width(estimates(), 0.5),
    "Correlation": lambda: stats.correlate(
        one_measure().matrix(), scores().matrix("P@10"), draws=100
    ),
    "PowerCurve": lambda: stats.power_curve(
        one_measure().matrix(),
        [0],
        [1],
        tests=["t"],
        steps=(0, 1),
        simulations=100,
        null_simulations=100,
    ),
    "Agreement": lambda: studies.agreement(RATINGS, level="interval", draws=100),
    "Kinds": lambda: chance.kinds(QRELS, BAD, "RR", size=1, pool="judged"),
    "Significance": lambda: chance.better_than_chance(QRELS, BAD, "RR", pool="judged"),
    "Chances": lambda: chance.chances(QRELS, BAD, "RR", pool="judged"),
    "Floor": lambda: chance.floor(QRELS, ["RR", "AP"], pool="judged"),
    "TextChances": lambda: chance.text_chances(
        [{"text": "a b", "references": ["a b c"], "source": "a b"}], "ROUGE-1.r"
    ),
    "Luck": lambda: chance.luck(QRELS, BAD, "RR", pool="judged"),
    "Model": lambda: tare.rankers.RankBoost(rounds=5).fit(letor_data(1)),
    "ItemStudy": lambda: studies.items(one_measure()),
    "AssessorStudy": lambda: studies.assessors(TWICE, draws=100),
    "Arena": arena,
    "Leaderboard": lambda: tare.leaderboard(one_measure()),
    "JudgeStudy": judges,
    "MeasuresAndPeople": lambda: studies.measures_and_people(*people(), draws=100, chance=5),
    "Consistency": consistency,
    "Discrimination": lambda: studies.discrimination(scores(), test="t"),
    "SummaryStudy": lambda: studies.summaries(
        read_rated_summaries(RATED), measures=["ROUGE-1"], draws=100
    ),
    "DiversityStudy": diversity,
    "LearnedMeasures": lambda: studies.learned_measure(
        *people(), methods=["ridge"], folds=2, draws=100
    ),
    "AnswerStudy": lambda: studies.answers(
        [answer("a", "support", "not_support"), answer("b", "support", "support")]
    ),
    "PowerStudy": power_study,
    "Gate": gate,
    "LetorStudy": lambda: studies.letor(
        letor_data(1), letor_data(2), rankers=["rankboost", "listnet"], cutoffs=[3, 5], draws=100
    ),
}


@cache
def made(name):
    return MADE[name]()


def derived(kind):
    return [each for sub in kind.__subclasses__() for each in (sub, *derived(sub))]


def test_every_kind_of_result_is_made():
    for room in ("_measures", "stats", "chance", "rankers", "_decide", "studies"):
        package = import_module(f"tare.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"tare.{room}."):
            import_module(module.name)
    kinds = {k.__name__ for k in derived(Result) if k.__module__.startswith("tare.")}
    bases = {"MultiTableResult", "SingleRowResult", "PaperResult", "NamedRowsResult"}
    assert kinds - bases - OTHERS == set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_tables_rows_and_frames_agree(name):
    result = made(name)
    assert type(result).__name__ == name
    assert isinstance(result.table(), Table)
    tables, frame = result.tables(), result.to_frame()
    shown = [str(each) for each in tables.values()]
    assert str(result.table()) in (shown if name in OWN_CHAPTERS else shown[:1])
    assert frame.height == len(result.rows()) > 0
    main = next(iter(result.frames().values()))
    assert main.equals(frame)
    pandas = result.to_pandas()
    assert list(pandas.columns) == frame.columns
    assert len(pandas) == frame.height


@pytest.mark.parametrize("name", MADE)
def test_every_result_answers_in_one_or_two_sentences(name):
    result = made(name)
    answer = result.answer()
    assert answer == answer.strip()
    assert answer.endswith(".")
    sentences = re.split(r"(?<=[.?!]) ", answer)
    assert 1 <= len(sentences) <= 2, sentences
    assert all(len(sentence) > 9 for sentence in sentences)
    assert "nan" not in answer
    if name not in OWN_JSON:
        assert json.loads(result.to_json())["answer"] == answer


@pytest.mark.parametrize("name", MADE)
def test_dictionaries_are_plain(name):
    found = made(name).to_dict()
    assert found
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert json.loads(made(name).to_json())


@pytest.mark.parametrize("name", MADE)
def test_results_are_shown(name):
    result = made(name)
    assert "<table" in result._repr_html_()
    bundle = result._repr_mimebundle_()
    assert list(bundle) == ["text/plain", "text/html", "text/markdown", "text/latex"]
    assert all(bundle.values())
    assert list(result._repr_mimebundle_(include=["text/html"])) == ["text/html"]


@pytest.mark.parametrize("name", MADE)
def test_results_are_saved(name, tmp_path):
    result = made(name)
    latex = result.to_latex(tmp_path / "own.tex")
    assert r"\begin{tabular}" in latex
    assert (tmp_path / "own.tex").read_text(encoding="utf-8") == latex
    for suffix in (".json", ".csv", ".tsv", ".parquet", ".md", ".tex", ".html", ".txt"):
        path = result.save(tmp_path / f"saved{suffix}")
        assert path == tmp_path / f"saved{suffix}"
        assert path.stat().st_size > 0
    if name not in OWN_FILES:
        assert pl.read_parquet(tmp_path / "saved.parquet").equals(result.to_frame())
        assert json.loads((tmp_path / "saved.json").read_text("utf-8")) == result.to_dict()
        assert list(result.save(tmp_path / "folder").glob("*.csv"))


@pytest.mark.parametrize("name", MADE)
def test_figures_belong_to_tables(name):
    pytest.importorskip("altair")
    result = made(name)
    figures = result.figures()
    assert set(figures) <= set(result.tables()) or name in OWN_CHAPTERS
    for figure in (f for group in figures.values() for f in group):
        assert figure.chart.to_dict()
        assert figure.caption
