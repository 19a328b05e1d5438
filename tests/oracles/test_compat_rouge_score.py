"""`tare.compat.rouge_score` against rouge-score 0.1.2, to the last bit."""

import random

import numpy as np
import pytest

from tare.compat.rouge_score import rouge_scorer as ours
from tare.compat.rouge_score import scoring as our_scoring
from tare.compat.rouge_score import tokenizers as our_tokenizers
from tare.errors import MismatchError
from tests.oracles.summaries import random_pairs, real_items

theirs = pytest.importorskip("rouge_score.rouge_scorer", reason="rouge-score is not installed")
scoring = pytest.importorskip("rouge_score.scoring")
tokenizers = pytest.importorskip("rouge_score.tokenizers")

TYPES = ["rougeLsum", "rouge1", "rouge2", "rouge3", "rouge9", "rougeL"]
ODD = [
    ("", ""),
    ("", "a cat"),
    ("a cat", ""),
    ("...", "..."),
    ("\n\n", "x\n\ny"),
    ("a\r\nb", "b\ra"),
    ("a\x0bb\x0cc\x1cd\x85e f", "f e\x85d\x1cc\x0cb\x0ba"),
    ("İstanbul Kelvin", "istanbul kelvin"),
    ("half \ud83d of an emoji 😀", "half of an emoji"),
    ("the the the", "the"),
    ("a b c", "c b a"),
    ("日本語", "日本語"),
    ("x" * 300, "x" * 300),
    ("one", "one two three four five six seven eight nine ten"),
]
PAIRS = [*random_pairs(400), *ODD]


class Words:
    """Splits at spaces and keeps case."""

    def tokenize(self, text):
        return text.split()


class Pairs:
    """Tokens that are no strings, some with spaces."""

    def tokenize(self, text):
        return [(w, len(w)) if w != "the" else "t he" for w in text.split()]


class Characters:
    def tokenize(self, text):
        return list(text[:40])


def same(mine, other):
    assert list(mine) == list(other)
    for kind, score in other.items():
        assert tuple(mine[kind]) == tuple(score), kind
        assert mine[kind]._fields == score._fields


OPTIONS = [{}, {"use_stemmer": True}, *({"tokenizer": t()} for t in (Words, Pairs, Characters))]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: str(o)[:40])
def test_pairs(options):
    mine, peer = ours.RougeScorer(TYPES, **options), theirs.RougeScorer(TYPES, **options)
    for target, prediction in PAIRS:
        same(mine.score(target, prediction), peer.score(target, prediction))


@pytest.mark.parametrize("options", OPTIONS[:3], ids=lambda o: str(o)[:40])
def test_several_targets(options):
    rng = random.Random(1)
    mine, peer = ours.RougeScorer(TYPES, **options), theirs.RougeScorer(TYPES, **options)
    texts = [text for pair in PAIRS for text in pair]
    for _ in range(150):
        targets, prediction = rng.sample(texts, rng.randint(1, 4)), rng.choice(texts)
        same(mine.score_multi(targets, prediction), peer.score_multi(targets, prediction))


@pytest.mark.parametrize("tokenizer", [None, Words()], ids=["default", "own"])
def test_sentences_by_nltk(monkeypatch, tokenizer):
    monkeypatch.setattr(
        "nltk.sent_tokenize", lambda text: [*text.replace("\n", " ").split(" a"), ""]
    )
    options = {"split_summaries": True, "tokenizer": tokenizer}
    mine = ours.RougeScorer(["rougeLsum", "rouge1"], **options)
    peer = theirs.RougeScorer(["rougeLsum", "rouge1"], **options)
    for target, prediction in PAIRS:
        same(mine.score(target, prediction), peer.score(target, prediction))


def test_many_at_once():
    scorer = ours.RougeScorer(TYPES, use_stemmer=True)
    targets, predictions = [t for t, _ in PAIRS], [p for _, p in PAIRS]
    expected = [scorer.score(t, p) for t, p in PAIRS]
    assert scorer.score_all(targets, predictions) == expected
    assert scorer.score_all([], []) == []
    with pytest.raises(MismatchError, match="2 targets and 1 predictions"):
        scorer.score_all(["a", "b"], ["a"])


def test_real_texts(real_data):
    mine, peer = (
        ours.RougeScorer(TYPES, use_stemmer=True),
        theirs.RougeScorer(TYPES, use_stemmer=True),
    )
    for candidate, references in random.Random(5).sample(real_items(real_data), 60):
        same(mine.score_multi(references, candidate), peer.score_multi(references, candidate))


@pytest.mark.parametrize("types", [["rouge0"], ["rougeX"], ["rouge10"], "rouge1", ["rouge1", "L"]])
def test_invalid_types(types):
    with pytest.raises(ValueError) as expected:  # noqa: PT011
        theirs.RougeScorer(types).score("a", "b")
    with pytest.raises(ValueError) as found:  # noqa: PT011
        ours.RougeScorer(types).score("a", "b")
    assert str(found.value) == str(expected.value)


def test_no_targets():
    with pytest.raises(ValueError, match="at least one target"):
        ours.RougeScorer(["rouge1"]).score_multi([], "a")


@pytest.mark.parametrize("options", [{}, {"confidence_interval": 0.5, "n_samples": 77}])
def test_bootstrap_with_the_same_seed(options):
    scorer = theirs.RougeScorer(["rouge1", "rougeL"])
    scores = [scorer.score(target, prediction) for target, prediction in PAIRS]
    found = []
    for module in (scoring, our_scoring):
        aggregator = module.BootstrapAggregator(**options)
        for score in scores:
            aggregator.add_scores(score)
        np.random.seed(12)
        found.append(aggregator.aggregate())
    expected, mine = found
    assert list(mine) == list(expected)
    for kind, interval in expected.items():
        assert tuple(map(tuple, mine[kind])) == tuple(map(tuple, interval))
        assert type(mine[kind].mid) is scoring.Score


@pytest.mark.parametrize("options", [{"confidence_interval": 2}, {"n_samples": 0}])
def test_impossible_bootstraps(options):
    with pytest.raises(ValueError) as expected:  # noqa: PT011
        scoring.BootstrapAggregator(**options)
    with pytest.raises(ValueError, match=str(expected.value).replace("[", r"\[")):
        our_scoring.BootstrapAggregator(**options)


@pytest.mark.parametrize("stem", [False, True])
def test_default_tokenizer(stem):
    mine, peer = our_tokenizers.DefaultTokenizer(stem), tokenizers.DefaultTokenizer(stem)
    for target, prediction in PAIRS:
        assert mine.tokenize(target) == peer.tokenize(target)
        assert mine.tokenize(prediction) == peer.tokenize(prediction)
