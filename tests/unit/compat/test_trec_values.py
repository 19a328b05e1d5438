"""Values of --compat 10 against plain Python versions of trec_eval's measures."""

import math
import random

import numpy as np
import pytest

import tare
from tare._cli.dropin.trec_eval import Options
from tare._data import judge
from tare._measures.one_system import RankingEvaluation, Sampling
from tare.compat import pytrec_eval
from tare.compat._trec_eval.columns import columns_of
from tare.compat._trec_eval.measures import choose_measures
from tare.compat._trec_eval.rankings import policies_of, prepare, relevance_strings
from tests.reference import trec_measures as reference

CUT = {"P", "recall", "relative_P", "map_cut", "ndcg_cut", "success", "unj"}
GRADED = {"dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "G", "rbp"}
RULED = {"iprec_at_recall", "11pt_avg"}
RECALLS = (0.0, 0.1, 0.25, 0.5, 0.9, 1.0)


def random_collection(seed):
    rng = random.Random(seed)
    documents = [f"d{i:02}" for i in range(30)]
    grades = [[0, 1], [0, 1, 2, 3], [-2, -1, 0, 1, 2, 4]][seed % 3]
    qrels, run = {}, {}
    for q in range(60):
        judged = rng.sample(documents, rng.randint(1, 30))
        qrels[f"q{q:02}"] = {d: rng.choice(grades) for d in judged}
        retrieved = rng.sample(documents, rng.randint(1, 30))
        run[f"q{q:02}"] = {d: rng.choice([1.0, 2.0, 3.0, rng.random()]) for d in retrieved}
    return qrels, run


def rankings(qrels, run):
    """Each query's grades in rank order, and all its judgements."""
    for query in sorted(qrels):
        ordered = sorted(run[query], key=lambda d: (run[query][d], d), reverse=True)
        yield [qrels[query].get(d) for d in ordered], list(qrels[query].values())


def cases():
    for name in reference.MEASURES:
        if name in ("num_nonjudged_ret", "Runj"):
            continue
        if name in CUT:
            yield f"{name}.3,12", [{"k": 3}, {"k": 12}]
        elif name == "iprec_at_recall":
            typed = ",".join(map(str, RECALLS))
            yield f"{name}.{typed}", [{"recall": r} for r in RECALLS]
        elif name == "Rprec_mult":
            yield f"{name}.0.3,1.7", [{"multiple": 0.3}, {"multiple": 1.7}]
        else:
            yield name, [{}]
    yield "utility.2,-1,.5,.25", [{"weights": (2, -1, 0.5, 0.25), "num_docs": 100}]
    yield "11pt_avg.0.25,.75", [{"recalls": (0.25, 0.75)}]
    yield "set_F.4", [{"x": 4}]
    yield "rbp_resid.p=0.5", [{"p": 0.5}]
    for typed in ("1=3,2=9,3=4.5", "1=0.5,2=0.2", "2=0,4=1", "-1=0.5", "-2=1,1=3", "1=-1"):
        gains = {int(k): float(v) for k, v in (pair.split("=") for pair in typed.split(","))}
        yield from ((f"{name}.{typed}", [{"gains": gains}]) for name in sorted(GRADED - {"rbp"}))
    for typed in ("p=0.5", "1=3", "p=0.7,1=-1,2=4", "-1=0.5", "-2=2", "-1=-1"):
        pairs = dict(pair.split("=") for pair in typed.split(","))
        p = float(pairs.pop("p", 0.9))
        yield f"rbp.{typed}", [{"p": p, "gains": {int(k): float(v) for k, v in pairs.items()}}]


@pytest.mark.parametrize(
    ("asked", "options"), list(cases()), ids=lambda v: v if str(v) == v else ""
)
@pytest.mark.parametrize("seed", range(3))
def test_every_measure(seed, asked, options):
    qrels, run = random_collection(seed)
    level = 1 + seed % 2
    wanted = Options(level=level, collection=100 if "utility" in asked else 0)
    judged = judge(tare.read_qrels(qrels), run, policies_of(wanted))
    [(entry, typed)] = choose_measures([asked], 10).items()
    function = reference.MEASURES[entry.name]
    takes_rel = (entry.rel and entry.name not in GRADED | {"rbp_resid"}) or entry.name == "Rndcg"
    rel = {"rel": level} if takes_rel else {}
    for column, given in zip(columns_of(entry, typed, wanted), options, strict=True):
        values = column.values(RankingEvaluation(judged, Sampling()))
        for value, (ranking, all_grades) in zip(values, rankings(qrels, run), strict=True):
            expected = function(ranking, all_grades, **rel, **given)
            if math.isnan(expected):  # 0/0, which is 0 here
                expected = 0.0
            assert value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("most", [None, 7, 0])
@pytest.mark.parametrize("judged_only", [False, True])
def test_cut_and_judged_only(most, judged_only):
    qrels, run = random_collection(2)
    options = Options(most=most, judged_only=judged_only)
    found = judge(tare.read_qrels(qrels), run, policies_of(options))
    judged, chosen = prepare(found, options)
    assert len(chosen) == len(qrels)
    strings = relevance_strings(judged, 1000)
    for string, (ranking, _) in zip(strings, rankings(qrels, run), strict=True):
        kept = ranking[:most]
        if judged_only:
            kept = [grade for grade in kept if grade is not None and grade >= 0]
        assert string == reference.relstring(kept, length=1000)


def test_nothing_to_gain_gives_0():
    qrels = {"q": {"a": 0, "b": 0}}
    scores = tare.evaluate(qrels, {"q": {"a": 2.0, "b": 1.0}}, ["RnDCG(rel=0)", "RBPresidual"])
    assert scores.values[0, 0, 0] == 0


def test_a_residual_is_never_below_0():
    documents = {f"d{i}": 0 for i in range(2000)}
    run = {"q": {d: float(-i) for i, d in enumerate(documents)}}
    scores = tare.evaluate(
        {"q": documents}, run, [f"RBPresidual(p={p / 20})" for p in range(1, 20)]
    )
    assert scores.values.min() >= 0


class Named(str):
    """An id whose hash empties the dictionary that is read, as only code of the caller can."""

    emptied: dict[str, float] | None = None

    def __hash__(self):
        found, Named.emptied = Named.emptied, None
        if found is not None:
            found.clear()
        return str.__hash__(self)

    __eq__ = str.__eq__


def test_ids_of_a_subclass_of_str_run_no_code_while_dictionaries_are_read():
    judged = {"q": {Named(f"d{k}"): 1 for k in range(400)}}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"map", "num_ret"})
    for scores in ([1.0] * 300, range(300)):
        run = {"q": {Named(f"d{k}"): score for k, score in enumerate(scores)}}
        expected = {"q": {f"d{k}": float(score) for k, score in enumerate(scores)}}
        Named.emptied = run["q"]
        assert evaluator.evaluate(run) == evaluator.evaluate(expected)
        assert len(run["q"]) == 300
    Named.emptied = None
    words = {"q": {np.str_("d1"): 2.0, np.str_("x"): 1.0}}
    assert evaluator.evaluate(words) == evaluator.evaluate({"q": {"d1": 2.0, "x": 1.0}})


@pytest.mark.parametrize("run", [{"d0": 1.0, 5: 2.0}, {5: 2.0, "d0": 1.0}], ids=str)
def test_ids_of_other_types_are_errors_in_any_place(run):
    evaluator = pytrec_eval.RelevanceEvaluator({"q": {"d0": 1}}, {"map"})
    with pytest.raises(TypeError, match="has the key 5 of type int"):
        evaluator.evaluate({"q": run})
