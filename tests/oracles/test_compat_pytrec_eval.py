"""`tare.compat.pytrec_eval` against pytrec_eval-terrier itself, to the last bit."""

import math
import random
from types import MappingProxyType

import numpy as np
import pytest
import pytrec_eval as peer

from tare.compat import pytrec_eval as ours

MEASURES = sorted(peer.supported_measures - {"runid"})  # the peer's runid is uninitialised memory
STRINGS = [
    ["ndcg_cut.1,3,10", "success.1,5", "map_cut_7", "P.5", "recall_2,4"],
    ["official"],
    ["set", "all_trec"],
    ["P_5", "P.10", "P"],
    ["P.5,5"],
    ["P_05", "recall.5.5", "P_7abc"],
    ["iprec_at_recall.0.1,0.5", "11pt_avg.0.1,0.2", "Rprec_mult.0.5,2", "iprec_at_recall_0.333"],
    ["set_F.2", "utility_1,2,3,4", "relstring.3", "map.3", "num_q.2", "binG_2"],
    ["set_F.0.5,0.7"],
    [],
]
SCORES = [[1.0, 2.0], [1.0, 1.0 + 1e-9, 1.0 + 1e-6], [1e300, math.inf, -math.inf, 0.5, 3], None]
GRADES = [[0, 1], [0, 1, 2, 3], [-1, 0, 1], [-2, -1, 0, 1, 2, 4], [0, 2, 12]]


def collection(rng):
    """One to six queries; ties, also in 32 bits only; unjudged documents; missing and empty queries."""
    documents = [f"d{i}" for i in range(rng.randint(2, 30))] + ["é", "z-\U0001f600", "d1\uffff"]
    documents += [f"x{i}" for i in range(rng.choice([0, 0, 300]))]
    grades, scores = rng.choice(GRADES), rng.choice(SCORES)
    qrels, run = {}, {}
    for q in rng.sample(range(20), rng.randint(1, 6)):
        judged = rng.sample(documents, rng.randint(1, len(documents)))
        found = {d: rng.choice(grades) for d in judged}
        found[judged[0]] = max(0, found[judged[0]])  # the peer crashes if all grades are negative
        if rng.random() < 0.9:
            qrels[f"q{q}"] = found if rng.random() < 0.95 else {}
        if rng.random() < 0.9:
            retrieved = rng.sample(documents, rng.randint(rng.choice([0, 1]), len(documents)))
            run[f"q{q}"] = {d: rng.choice(scores) if scores else rng.random() for d in retrieved}
    return qrels, run


def bits(values):
    """Values with NaN made equal to itself; the order of keys counts."""
    return [
        (query, [(name, "nan" if math.isnan(v) else v.hex()) for name, v in found.items()])
        for query, found in values.items()
    ]


def drop_runid(values):
    return {q: {n: v for n, v in found.items() if n != "runid"} for q, found in values.items()}


@pytest.mark.parametrize("block", range(10))
def test_every_measure_of_500_collections(block):
    for seed in range(50 * block, 50 * block + 50):
        rng = random.Random(seed)
        qrels, run = collection(rng)
        options = {"relevance_level": 1 + seed % 3, "judged_docs_only_flag": seed % 4 == 3}
        theirs = peer.RelevanceEvaluator(qrels, MEASURES, **options).evaluate(run)
        mine = ours.RelevanceEvaluator(qrels, MEASURES, **options).evaluate(run)
        assert bits(mine) == bits(theirs), seed


@pytest.mark.parametrize("measures", STRINGS, ids=str)
def test_unusual_strings(measures):
    for seed in range(20):
        qrels, run = collection(random.Random(7000 + seed))
        theirs = peer.RelevanceEvaluator(qrels, measures).evaluate(run)
        mine = ours.RelevanceEvaluator(qrels, measures).evaluate(run)
        assert [list(v) for v in mine.values()] == [list(v) for v in theirs.values()]
        assert bits(drop_runid(mine)) == bits(drop_runid(theirs))


def test_long_rankings_with_many_judged_documents():
    """Both ways to find ranks, with and without ties."""
    rng = random.Random(3)
    documents = [f"doc-{i}" for i in range(3000)]
    qrels = {
        f"q{n}": {d: rng.randint(0, 3) for d in rng.sample(documents, n)}
        for n in (5, 90, 100, 2000)
    }
    run = {q: {d: rng.random() for d in rng.sample(documents, 1500)} for q in qrels}
    tied = {q: {d: round(s, 2) for d, s in found.items()} for q, found in run.items()}
    for given in (run, tied):
        theirs = peer.RelevanceEvaluator(qrels, MEASURES).evaluate(given)
        assert bits(ours.RelevanceEvaluator(qrels, MEASURES).evaluate(given)) == bits(theirs)


def test_the_lists_of_measures():
    assert ours.supported_measures == peer.supported_measures
    assert ours.supported_nicknames == peer.supported_nicknames
    assert set(ours.__all__) >= set(peer.__all__)


@pytest.mark.parametrize("measure", ["map", "gm_map", "num_ret"])
def test_summaries(measure):
    values = [random.Random(i).random() for i in range(40)]
    assert ours.compute_aggregated_measure(measure, values) == peer.compute_aggregated_measure(
        measure, values
    )


def test_parsers():
    run = ["q1 Q0 d1 1 2.5 x\n", "q1 Q0 d2 2 1e-3 x\n", "q2\tQ0\td1\t1\t2\tx\n"]
    qrels = ["q1 0 d1 1\n", "q1 0 d2 -1\n", "q2 0 d1 3"]
    assert ours.parse_run(run) == peer.parse_run(run)
    assert ours.parse_qrel(qrels) == peer.parse_qrel(qrels)
    for lines in (["q Q0 d 1 2"], ["q Q0 d 1 x y"], ["q Q0 d 1 2 x"] * 2):
        with pytest.raises(Exception) as theirs:  # noqa: PT011
            peer.parse_run(lines)
        with pytest.raises(theirs.type):
            ours.parse_run(lines)
    for lines in (["q 0 d"], ["q 0 d 1.5"], ["q 0 d 1"] * 2):
        with pytest.raises(Exception) as theirs:  # noqa: PT011
            peer.parse_qrel(lines)
        with pytest.raises(theirs.type):
            ours.parse_qrel(lines)


QRELS = {"q1": {"a": 1, "b": 0, "c": 2}}
RUN = {"q1": {"a": 1.0, "x": 2.0}}
WRONG = {
    "query id": ({1: {"a": 1}}, {"map"}, {}, RUN),
    "document id": ({"q1": {1: 1}}, {"map"}, {}, RUN),
    "fractional grade": ({"q1": {"a": 1.5}}, {"map"}, {}, RUN),
    "list of grades": ({"q1": [1]}, {"map"}, {}, RUN),
    "no mapping": ([1], {"map"}, {}, RUN),
    "no grades": ({"q1": None}, {"map"}, {}, RUN),
    "unknown measure": (QRELS, {"foo"}, {}, RUN),
    "no parameter": (QRELS, {"P_"}, {}, RUN),
    "one string": (QRELS, "map", {}, RUN),
    "no measures": (QRELS, None, {}, RUN),
    "a number as measure": (QRELS, [1], {}, RUN),
    "preferences": (QRELS, {"prefs"}, {}, RUN),
    "level 0": (QRELS, {"map"}, {"relevance_level": 0}, RUN),
    "level 1.5": (QRELS, {"map"}, {"relevance_level": 1.5}, RUN),
    "level as text": (QRELS, {"map"}, {"relevance_level": "1"}, RUN),
    "text as score": (QRELS, {"map"}, {}, {"q1": {"a": "1"}}),
    "None as score": (QRELS, {"map"}, {}, {"q1": {"a": None}}),
    "document id in run": (QRELS, {"map"}, {}, {"q1": {1: 1.0}}),
    "query id in run": (QRELS, {"map"}, {}, {1: {"a": 1.0}}),
    "list in run": (QRELS, {"map"}, {}, {"q1": ["a"]}),
    "list as run": (QRELS, {"map"}, {}, [1]),
}


def evaluated(module, qrels, measures, options, run):
    return module.RelevanceEvaluator(qrels, measures, **options).evaluate(run)


@pytest.mark.parametrize("name", WRONG)
def test_errors_have_the_same_type(name):
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        evaluated(peer, *WRONG[name])
    with pytest.raises(theirs.type):
        evaluated(ours, *WRONG[name])


@pytest.mark.parametrize("measure", ["P.0", "ndcg.10", "P.5,05", "utility.1", "G_2"])
def test_parameters_that_crash_the_peer_are_an_error(measure):
    with pytest.raises(ValueError, match="unsupported parameters of"):
        ours.RelevanceEvaluator(QRELS, {measure})


def test_nan_is_an_error_that_says_where():
    with pytest.raises(ValueError, match=r"scores\['q1'\]\['a'\] is NaN"):
        ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({"q1": {"a": math.nan}})


def test_what_the_peer_refuses_without_need():
    """Other mappings and numbers of NumPy."""
    expected = peer.RelevanceEvaluator(QRELS, {"map"}).evaluate(RUN)
    qrels = MappingProxyType({"q1": MappingProxyType({"a": np.int64(1), "b": 0, "c": 2})})
    run = MappingProxyType({"q1": MappingProxyType({"a": np.float32(1), "x": np.int64(2)})})
    assert ours.RelevanceEvaluator(qrels, {"map"}).evaluate(run) == expected


def test_nothing_given():
    evaluator = ours.RelevanceEvaluator(QRELS, {"map"})
    assert evaluator.evaluate({}) == evaluator.evaluate(None) == {}
    assert ours.RelevanceEvaluator({}, {"map"}).evaluate(RUN) == {}
    assert evaluator.evaluate({"q9": {"a": 1.0}}) == {}


def test_the_dictionaries_stay_as_they_were():
    qrels, run = collection(random.Random(5))
    before = repr(qrels), repr(run)
    evaluator = ours.RelevanceEvaluator(qrels, MEASURES)
    first = evaluator.evaluate(run)
    qrels.clear()
    assert bits(evaluator.evaluate(run)) == bits(first)
    assert repr(run) == before[1]
