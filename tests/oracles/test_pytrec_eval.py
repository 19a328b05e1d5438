"""Random collections against pytrec_eval-terrier, which holds the measures of trec_eval 9."""

import math
import random

import pytest
import pytrec_eval

import tare
from tare._cli.dropin.trec_eval import main
from tare._data import judge
from tare._measures.one_system import RankingEvaluation, Sampling
from tare.compat._trec_eval.columns import columns_of
from tare.compat._trec_eval.measures import Settings as Options
from tare.compat._trec_eval.measures import choose_measures
from tare.compat._trec_eval.rankings import policies_of, prepare

MEASURES = sorted(set(pytrec_eval.supported_measures) - {"runid", "num_q", "relstring"})
BATCHES, COLLECTIONS = 60, 50  # 3,000 small collections, fifty at a time


def collection(rng: random.Random, name: str):
    """One to five queries; ties, also such as only 32 bits make; unjudged documents; gaps."""
    documents = [f"d{i}" for i in range(rng.randint(2, 40))]
    grades = rng.choice([[0, 1], [0, 1, 2, 3], [-1, 0, 1], [-2, -1, 0, 1, 2, 4], [0, 2, 12]])
    scores = rng.choice([[1.0, 2.0], [1.0, 1.0 + 1e-9, 1.0 + 1e-6], None])
    qrels, run = {}, {}
    for q in range(rng.randint(1, 5)):
        query = f"{name}-{q}"
        judged = rng.sample(documents, rng.randint(1, len(documents)))
        found = {d: rng.choice(grades) for d in judged}
        found[judged[0]] = max(0, found[judged[0]])  # nothing but negative grades crashes the peer
        if rng.random() < 0.95:
            qrels[query] = found
        if rng.random() < 0.95:
            retrieved = rng.sample(documents, rng.randint(1, len(documents)))
            run[query] = {d: rng.choice(scores) if scores else rng.random() for d in retrieved}
    return qrels, run


def batch(seed: int):
    rng = random.Random(seed)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for c in range(COLLECTIONS):
        more_qrels, more_run = collection(rng, f"c{c}")
        qrels |= more_qrels
        run |= more_run
    return qrels, run


def ours(qrels, run, level, judged_only):
    """Values by query and printed name, as `--compat 9` has them before it rounds."""
    options = Options(level=level, judged_only=judged_only, compat=9)
    found = judge(tare.read_qrels(qrels), run, policies_of(options))
    judged, chosen = prepare(found, options)
    evaluation = RankingEvaluation(judged, Sampling())
    columns = [
        column
        for entry, typed in choose_measures(MEASURES, 9).items()
        for column in columns_of(entry, typed, options)
    ]
    evaluation.prepare(c.measure for c in columns if c.measure is not None)
    values = {column.name: column.values(evaluation)[chosen].tolist() for column in columns}
    queries = [judged.items[i] for i in chosen]
    return {q: {name: v[i] for name, v in values.items()} for i, q in enumerate(queries)}


@pytest.mark.parametrize("seed", range(BATCHES))
def test_every_measure_of_every_query(seed):
    qrels, run = batch(seed)
    level, judged_only = 1 + seed % 3, seed % 4 == 3
    peer = pytrec_eval.RelevanceEvaluator(
        qrels, MEASURES, relevance_level=level, judged_docs_only_flag=judged_only
    )
    theirs, mine = peer.evaluate(run), ours(qrels, run, level, judged_only)
    assert set(mine) == set(theirs)
    for query, values in theirs.items():
        assert set(mine[query]) == set(values)
        for name, value in values.items():
            if math.isnan(value):  # 0/0 of an empty ranking, which is 0 here
                assert judged_only
                value = 0.0
            assert mine[query][name] == pytest.approx(value, abs=1e-9), (query, name)


@pytest.mark.parametrize("seed", range(4))
def test_evaluate_in_32_bits(seed):
    qrels, run = batch(1000 + seed)
    names = {"map": "AP", "ndcg": "nDCG", "bpref": "bpref", "recip_rank": "RR", "infAP": "infAP"}
    names |= {"ndcg_cut_5": "nDCG@5", "P_10": "P@10", "Rprec": "Rprec", "set_F": "setF"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
    scores = tare.evaluate(qrels, run, list(names.values()), precision=32)
    for i, query in enumerate(scores.items):
        for m, name in enumerate(names):
            expected = theirs[query][name] if query in theirs else 0.0
            assert scores.values[0, i, m] == pytest.approx(expected, abs=1e-9)


def test_infap_adds_in_the_order_of_trec_eval():
    """To the last bit: a value half way between two printed digits must round as theirs does."""
    differing = 0
    for seed in range(12):
        qrels, run = batch(5000 + seed)
        theirs = pytrec_eval.RelevanceEvaluator(qrels, {"infAP"}).evaluate(run)
        scores = tare.evaluate(qrels, run, "infAP", precision=32)
        for i, query in enumerate(scores.items):
            expected = theirs[query]["infAP"] if query in theirs else 0.0
            differing += bool(scores.values[0, i, 0] != expected)
    assert differing == 0


@pytest.mark.parametrize("seed", range(10))
def test_printed_summary(seed, tmp_path, capfdbinary):
    qrels, run = batch(2000 + seed)
    tare.read_qrels(qrels).write(tmp_path / "qrels")
    tare.read_run(run, system="tag").write(tmp_path / "run")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    assert main(["--compat", "9", "-m", "all_trec", *files]) == 0
    lines = [line.split("\t") for line in capfdbinary.readouterr().out.decode().splitlines()]
    printed = {name.strip(): value for name, _, value in lines}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
    for name in next(iter(theirs.values())):
        values = [values[name] for values in theirs.values()]
        summary = pytrec_eval.compute_aggregated_measure(name, values)
        assert float(printed[name]) == pytest.approx(summary, abs=5.001e-5)
