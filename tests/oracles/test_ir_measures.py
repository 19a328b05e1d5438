"""Random collections against ir_measures and its providers, and against scikit-learn.

ir_measures breaks ties otherwise from provider to provider: pytrec_eval and gdeval by document id
descending, msmarco, judged and compat ascending, cwl_eval and accuracy by order of arrival. Here is
one rule, so runs have ties only where the provider's rule is ours; elsewhere they have none.
"""

from __future__ import annotations

import random

import ir_measures
import numpy as np
import pytest
from sklearn.metrics import dcg_score, label_ranking_average_precision_score, ndcg_score

import tare

BATCHES, COLLECTIONS = 25, 100  # 2,500 small collections, a hundred at a time


def batch(seed: int, *, tied: bool, grades=(0, 0, 1, 2, 3), negative=False):
    """Many small collections as one, with unjudged documents and queries missing on both sides.

    Query ids are numbers, for gdeval takes no others. Scores are multiples of 1/1024 and above 0:
    pytrec_eval compares them as 32-bit floats, and compat takes 0 for what was not retrieved.
    """
    rng = random.Random(seed)
    qrels, run = {}, {}
    for query in range(1, COLLECTIONS + 1):
        documents = [f"d{i}" for i in range(rng.randint(2, 30))]
        judged = rng.sample(documents, rng.randint(1, len(documents)))
        found = {d: rng.choice(grades) for d in judged}
        if negative:
            found |= {d: -1 for d in judged[1:] if rng.random() < 0.2}
        retrieved = rng.sample(documents, rng.randint(1, len(documents)))
        if tied:
            scores = [rng.randint(1, 6) / 4 for _ in retrieved]
        else:
            scores = [s / 1024 for s in rng.sample(range(1, 5000), len(retrieved))]
        if rng.random() < 0.95:
            qrels[str(query)] = found
        if rng.random() < 0.95:
            run[str(query)] = dict(zip(retrieved, scores, strict=True))
    return qrels, run


def agree(provider, pairs, qrels, run, *, within=1e-9, **options):
    """Compares every query; a query that the provider passes over counts 0 there."""
    theirs: dict[tuple[str, str], float] = {}
    for found in provider.iter_calc([ir_measures.parse_measure(m) for m in pairs], qrels, run):
        theirs[found.query_id, str(found.measure)] = found.value
    mine = tare.evaluate(qrels, run, list(pairs.values()), **options)
    for their_name, our_name in pairs.items():
        name = str(ir_measures.parse_measure(their_name))
        column = mine[our_name].values[0, :, 0]
        for query, value in zip(mine.items, column, strict=True):
            expected = theirs.get((query, name), 0.0)
            assert value == pytest.approx(expected, abs=within), (name, query)


def same(*names: str) -> dict[str, str]:
    """Measures that are spelt alike."""
    return {name: name for name in names}


TREC = same(
    *("P@1", "P@5", "P(rel=2)@10", "R@5", "R(rel=2)@100", "Success@3", "Success(rel=3)@5"),
    *("AP", "AP@5", "AP(rel=2)", "RR", "RR(rel=2)", "Rprec", "Rprec(rel=2)", "Bpref", "infAP"),
    *("Bpref(rel=2)", "nDCG", "nDCG@1", "nDCG@7", "nDCG(gains={1:3,2:1})", "SetP", "SetP(rel=2)"),
    *("SetR", "SetAP", "SetF", "SetF(beta=2.0)", "NumRet", "NumRet(rel=1)"),
    *("SetP(relative=True)",),
) | {
    # trec_eval 10 changed how recall points are rounded; pytrec_eval has version 9.
    "IPrec@0.1": "iPrec(rounding=up)@0.1",
    "IPrec(rel=2)@0.5": "iPrec(rounding=up,rel=2)@0.5",
}


@pytest.mark.parametrize("seed", range(BATCHES))
def test_measures_of_pytrec_eval_with_ties(seed):
    qrels, run = batch(seed, tied=seed % 3 > 0, negative=seed % 2 == 0)
    agree(ir_measures.pytrec_eval, TREC, qrels, run)


@pytest.mark.parametrize("seed", range(4))
def test_relevant_documents_are_counted_also_where_the_run_lacks_the_query(seed):
    """ir_measures counts none of such a query, so that NumRel depends on the run."""
    qrels, run = batch(400 + seed, tied=True)
    shared = {query: qrels[query] for query in qrels if query in run}
    agree(ir_measures.pytrec_eval, same("NumRel"), shared, run)
    relevant = sum(grade >= 1 for documents in qrels.values() for grade in documents.values())
    assert tare.evaluate(qrels, run, "NumRel").mean == relevant


@pytest.mark.parametrize("seed", range(8))
def test_judged_only_is_the_condensed_ranking(seed):
    names = ("P@5", "R@5", "AP", "AP@5", "RR", "Rprec", "nDCG", "nDCG@7", "SetP", "SetAP", "SetF")
    pairs = {}
    for name in names:
        base, _, cutoff = name.partition("@")
        pairs[f"{base}(judged_only=True)" + (f"@{cutoff}" if cutoff else "")] = name
    qrels, run = batch(500 + seed, tied=True, negative=seed % 2 == 0)
    run = {q: d for q, d in run.items() if any(qrels.get(q, {}).get(x, -1) >= 0 for x in d)}
    agree(ir_measures.pytrec_eval, pairs, qrels, run, unjudged="condensed")


@pytest.mark.parametrize("seed", range(BATCHES))
def test_reciprocal_rank_of_msmarco_without_ties(seed):
    qrels, run = batch(1000 + seed, tied=False)
    agree(ir_measures.msmarco, same("RR@1", "RR@3", "RR(rel=2)@10"), qrels, run)


def test_msmarco_breaks_ties_the_other_way():
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 1.0}}
    found = {
        str(m.measure): m.value
        for m in ir_measures.iter_calc(
            [ir_measures.parse_measure("RR"), ir_measures.parse_measure("RR@10")], qrels, run
        )
    }
    assert found == {"RR": 0.5, "RR@10": 1.0}
    scores = tare.evaluate(qrels, run, ["RR", "RR@10"])
    assert scores.values.ravel().tolist() == [0.5, 0.5]


@pytest.mark.parametrize("seed", range(BATCHES))
def test_judged_share_without_ties(seed):
    qrels, run = batch(2000 + seed, tied=False, negative=True)
    agree(ir_measures.judged, same("Judged", "Judged@1", "Judged@10"), qrels, run)


@pytest.mark.parametrize("seed", range(BATCHES))
def test_compatibility_to_the_depth_of_the_longer_list(seed):
    """Clarke's own program goes to a depth of 1000, here Compat(depth=1000); ir_measures does not."""
    qrels, run = batch(3000 + seed, tied=False, negative=True)
    names = same("Compat", "Compat(p=0.8)", "Compat(p=0.5,normalize=False)")
    agree(ir_measures.compat, names, qrels, run)


@pytest.mark.parametrize("seed", range(BATCHES))
def test_pairwise_accuracy_without_ties(seed):
    """Where only relevant documents were retrieved ir_measures divides by 0; here it is 1."""
    qrels, run = batch(4000 + seed, tied=False)
    for name, cutoff, rel in (
        ("Accuracy", 99, 1),
        ("Accuracy@3", 3, 1),
        ("Accuracy(rel=2)@7", 7, 2),
    ):
        mixed = {}
        for query, documents in run.items():
            top = sorted(documents, key=lambda d, docs=documents: -docs[d])[:cutoff]
            hits = [qrels.get(query, {}).get(d, 0) >= rel for d in top]
            if not all(hits):
                mixed[query] = {
                    d: documents[d]
                    for d in sorted(documents, key=lambda d, docs=documents: -docs[d])
                }
            elif query in qrels:
                alone = tare.evaluate({query: qrels[query]}, {query: documents}, name)
                assert alone.mean == 1.0
        agree(ir_measures.accuracy, same(name), qrels, mixed)


needs_perl = pytest.mark.skipif(not ir_measures.gdeval.is_available(), reason="gdeval needs perl")


@needs_perl
@pytest.mark.parametrize("seed", range(12))
def test_gdeval_to_its_five_digits(seed):
    """gdeval prints five digits and takes 4 for the largest grade of every collection."""
    pairs = {
        "ERR@5": "ERR(lmax=4)@5",
        "ERR@20": "ERR(lmax=4)@20",
        "nDCG(dcg='exp-log2')@5": "nDCG(gain=exp2)@5",
        "nDCG(dcg='exp-log2')@20": "nDCG(dcg='exp-log2')@20",
    }
    qrels, run = batch(5000 + seed, tied=seed % 2 == 0, grades=(0, 0, 1, 2, 3, 4))
    for query, documents in qrels.items():
        if not any(documents.values()):
            qrels[query] = documents | {next(iter(documents)): 1}
    agree(ir_measures.gdeval, pairs, qrels, run, within=5.001e-6)


@needs_perl
def test_gdeval_takes_another_largest_grade():
    qrels, run = {"1": {"a": 3, "b": 1}}, {"1": {"a": 2.0, "b": 1.0}}
    theirs = ir_measures.calc_aggregate([ir_measures.parse_measure("ERR@20")], qrels, run)
    (value,) = theirs.values()
    assert value == pytest.approx(0.455, abs=0.001)
    assert tare.evaluate(qrels, run, "ERR@20").mean == pytest.approx(0.883, abs=0.001)


@pytest.mark.skipif(not ir_measures.cwl_eval.is_available(), reason="cwl_eval is not installed")
@pytest.mark.parametrize("seed", range(6))
def test_the_family_of_cwl_eval_without_ties(seed):
    pairs = same(
        *("INST(max_rel=3)", "INST(T=3.0,max_rel=3)", "INSQ(max_rel=3)", "INSQ(T=2.0,max_rel=4)"),
        *("SDCG(max_rel=3)@5", "BPM(max_rel=3)@10", "BPM(T=2.0,max_rel=3)@5"),
        *("NERR8(max_rel=3)@5", "NERR9(max_rel=3)@5", "NERR10(max_rel=3)", "NERR11(max_rel=3)"),
    )
    qrels, run = batch(6000 + seed, tied=False)
    ordered = {q: dict(sorted(d.items(), key=lambda x: -x[1])) for q, d in run.items()}
    agree(ir_measures.cwl_eval, pairs, qrels, ordered, within=1e-9)
    # cwl_eval divides RBP by 1 − p^1000: nothing in a double for p = 0.8.
    agree(ir_measures.cwl_eval, same("RBP(rel=1)", "RBP(rel=2,p=0.5)"), qrels, ordered)


def labels(seed: int):
    """A matrix of graded labels and one of scores with ties."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(1, 8)), int(rng.integers(2, 12))
    return rng.integers(0, 4, (rows, columns)), rng.integers(0, 5, (rows, columns)) / 4


def collection(grades, scores):
    """Every row of two matrices as a query."""
    qrels = {f"q{i:02d}": dict(enumerate(row)) for i, row in enumerate(grades.tolist())}
    run = {f"q{i:02d}": dict(enumerate(row)) for i, row in enumerate(scores.tolist())}
    return qrels, run


@pytest.mark.parametrize("seed", range(150))
def test_gains_of_scikit_learn_with_ties_averaged(seed):
    grades, scores = labels(seed)
    qrels, run = collection(grades, scores)
    for k in (None, 1, 3, 20):
        cut = "" if k is None else f"@{k}"
        mine = tare.evaluate(qrels, run, [f"DCG{cut}", f"nDCG{cut}"], ties="expected").means()[
            "run"
        ]
        assert mine[f"DCG{cut}"] == pytest.approx(dcg_score(grades, scores, k=k), abs=1e-9)
        assert mine[f"nDCG{cut}"] == pytest.approx(ndcg_score(grades, scores, k=k), abs=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_gains_of_scikit_learn_without_ties(seed):
    grades, scores = labels(seed)
    scores = scores + np.random.default_rng(seed).random(scores.shape) / 8
    qrels, run = collection(grades, scores)
    mine = tare.evaluate(qrels, run, "nDCG@5").mean
    assert mine == pytest.approx(ndcg_score(grades, scores, k=5, ignore_ties=True), abs=1e-9)


@pytest.mark.parametrize("seed", range(150))
def test_label_ranking_average_precision_of_scikit_learn(seed):
    grades, scores = labels(seed)
    truth = (grades > 1).astype(int)
    expected = label_ranking_average_precision_score(truth, scores)
    assert tare.lrap(truth, scores) == pytest.approx(expected, abs=1e-12)


SOURCES = {"dictionary": 40, "file": 15, "interleaved file": 15, "engine": 3}


@pytest.mark.parametrize(("source", "seed"), [(s, k) for s, n in SOURCES.items() for k in range(n)])
def test_lrap_of_runs_is_that_of_scikit_learn(source, seed, tmp_path):
    """Rows without a true label count 1 there and 0 here."""
    grades, scores = labels(seed)
    truth = (grades > 1).astype(int)
    empty = ~truth.any(axis=1)
    expected = label_ranking_average_precision_score(truth, scores) - empty.mean()
    qrels, run = collection(grades, scores)
    given = run
    if source != "dictionary":
        given = tmp_path / "bm25.run"
        rows = [f"{q} Q0 {d} 1 {s!r} tag\n" for q, docs in run.items() for d, s in docs.items()]
        given.write_text("".join(rows[::2] + rows[1::2] if source == "interleaved file" else rows))
    engine = "local" if source == "engine" else None
    found = tare.evaluate(qrels, given, ["LRAP(rel=2)", "AP(rel=2)"], engine=engine).means()
    (mine,) = found.values()
    assert mine["LRAP(rel=2)"] == pytest.approx(expected, abs=1e-12)
    alone = tare.evaluate(qrels, given, "AP(rel=2)", engine=engine).mean
    assert mine["AP(rel=2)"] == alone  # which breaks its ties as ever


def test_lrap_without_ties_is_ap_and_chance_knows_no_ties():
    qrels, run = {"q": {"a": 1, "b": 0, "c": 1, "d": 0}}, {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}
    for ties in ("order", "expected"):
        scores = tare.evaluate(qrels, run, ["LRAP", "AP"], ties=ties)
        assert scores.values[0, 0, 0] == scores.values[0, 0, 1]
    assert tare.evaluate(qrels, run, "LRAP").mean == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert tare.evaluate(qrels, run, "LRAP", depth=2).mean == pytest.approx(1 / 4)
    chance = tare.evaluate(qrels, run, ["E(LRAP,pool=judged)", "E(AP,pool=judged)"]).values[0, 0]
    assert chance[0] == chance[1]
    found = tare.chance.better_than_chance(qrels, run, "LRAP", pool="judged")
    assert found.score[0] == pytest.approx((1 / 2 + 2 / 3) / 2)


@pytest.mark.parametrize(
    ("truth", "scores", "message"),
    [
        ([1, 0], [1, 2], "both must be matrices of the same shape"),
        ([[1, 0]], [[1, 2, 3]], "both must be matrices of the same shape"),
        ([[2, 0]], [[1, 2]], "values other than 0 and 1"),
        ([[1, 0]], [[1, float("nan")]], "not finite"),
    ],
)
def test_label_matrices_that_do_not_fit_are_refused(truth, scores, message):
    with pytest.raises(tare.errors.MismatchError, match=message):
        tare.lrap(truth, scores)
