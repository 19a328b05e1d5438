"""BLEU, chrF and TER against sacrebleu: corpus and sentence scores to the last bit, and p-values."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import tare

sacrebleu = pytest.importorskip("sacrebleu")
from sacrebleu.metrics.bleu import BLEU  # noqa: E402
from sacrebleu.metrics.chrf import CHRF  # noqa: E402
from sacrebleu.metrics.ter import TER  # noqa: E402
from sacrebleu.significance import PairedTest, Result  # noqa: E402

WORDS = [
    "the",
    "The",
    "cat",
    "cats,",
    "sat",
    "on",
    "a",
    "mat.",
    "it's",
    "U.S.",
    "日本",
    "é",
    "-",
    "3.5",
    "(so)",
]
THEIRS: dict[str, Any] = {
    "BLEU": lambda: BLEU(),
    "BLEU(lowercase=true)": lambda: BLEU(lowercase=True),
    "BLEU(tokenize=intl)": lambda: BLEU(tokenize="intl"),
    "BLEU(tokenize=char)": lambda: BLEU(tokenize="char"),
    "BLEU(tokenize=zh)": lambda: BLEU(tokenize="zh"),
    "BLEU(tokenize=none)": lambda: BLEU(tokenize="none"),
    "BLEU(smooth=none)": lambda: BLEU(smooth_method="none"),
    "BLEU(smooth=floor)": lambda: BLEU(smooth_method="floor"),
    "BLEU(smooth=floor,value=0.01)": lambda: BLEU(smooth_method="floor", smooth_value=0.01),
    "BLEU(smooth=add-k)": lambda: BLEU(smooth_method="add-k"),
    "BLEU(smooth=add-k,value=2.5)": lambda: BLEU(smooth_method="add-k", smooth_value=2.5),
    "chrF": lambda: CHRF(),
    "chrF(word=2)": lambda: CHRF(word_order=2),
    "chrF(char=3,beta=1)": lambda: CHRF(char_order=3, beta=1),
    "chrF(lowercase=true,whitespace=true)": lambda: CHRF(lowercase=True, whitespace=True),
    "TER": lambda: TER(),
    "TER(normalised=true)": lambda: TER(normalized=True),
    "TER(punctuation=false)": lambda: TER(no_punct=True),
    "TER(normalised=true,asian=true)": lambda: TER(normalized=True, asian_support=True),
    "TER(case=true)": lambda: TER(case_sensitive=True),
}


def text(rng: random.Random, most: int = 12) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randrange(most)))


def edited(rng: random.Random, line: str, share: float) -> str:
    return " ".join(rng.choice(WORDS) if rng.random() < share else w for w in line.split())


def corpus(
    seed: int, size: int = 12, references: int = 3
) -> tuple[dict[str, list[str]], list[list[str]]]:
    rng = random.Random(seed)
    groups = [[text(rng) for _ in range(references)] for _ in range(size)]
    systems = {
        "a": [edited(rng, rng.choice(group), 0.3) for group in groups],
        "b": [edited(rng, group[0], 0.4) for group in groups],
        "c": [text(rng, 3) for _ in groups],
    }
    return systems, groups


@pytest.mark.parametrize("seed", range(6))
def test_corpus_scores_are_equal_to_the_last_bit(seed: int, tmp_path: Any) -> None:
    systems, groups = corpus(seed, references=1 + seed % 3)
    scores = tare.evaluate_texts(systems, groups, list(THEIRS))
    scores.save(tmp_path / "scores.parquet")
    loaded = tare.Scores.load(tmp_path / "scores.parquet")
    streams = [list(stream) for stream in zip(*groups, strict=True)]
    for name, make in THEIRS.items():
        for system, texts in systems.items():
            wanted = make().corpus_score(texts, streams).score
            assert scores.means()[system][name] == wanted, name
            assert loaded.means()[system][name] == wanted, name
    assert np.array_equal(scores.intervals(draws=50), loaded.intervals(draws=50), equal_nan=True)


@pytest.mark.parametrize("name", THEIRS)
def test_items_are_sentence_scores_and_the_signature_is_kept(name: str) -> None:
    systems, groups = corpus(99, references=2)
    by_item = name.rstrip(")") + (",mean=items)" if "(" in name else "(mean=items)")
    scores = tare.evaluate_texts(systems["a"], groups, [name, by_item])
    metric = THEIRS[name]()
    metric.effective_order = True  # as sacrebleu.sentence_bleu sets it
    wanted = [metric.sentence_score(t, g).score for t, g in zip(systems["a"], groups, strict=True)]
    assert scores.matrix(name)[0].tolist() == wanted
    assert scores.means()["system"][by_item] == pytest.approx(np.mean(wanted), rel=1e-14)
    whole = THEIRS[name]()
    whole.corpus_score(systems["a"], [list(stream) for stream in zip(*groups, strict=True)])
    assert f"|{whole.get_signature()}|" in str(scores.signatures[0])
    assert ("eff:yes" in str(scores.signatures[1])) or not name.startswith("BLEU")


@pytest.mark.parametrize("name", ["chrF++", "chrf++", "chrF2++"])
def test_chrf_with_words_is_read_by_its_names(name: str) -> None:
    systems, groups = corpus(5, references=2)
    streams = [list(stream) for stream in zip(*groups, strict=True)]
    found = tare.evaluate_texts(systems, groups, [name])
    for system, texts in systems.items():
        theirs = CHRF(word_order=2).corpus_score(texts, streams)
        assert theirs.name == "chrF2++"
        assert found.means()[system] == {"chrF(word=2)": theirs.score}


def test_different_numbers_of_references() -> None:
    texts = ["the cat sat", "a mat", "it sat on"]
    groups = [["the cat sat on", "cat"], ["a mat."], ["it sat", "on", "it"]]
    streams = [[g[r] if r < len(g) else None for g in groups] for r in range(3)]
    scores = tare.evaluate_texts(texts, groups, ["BLEU", "chrF", "TER"])
    wanted = [m().corpus_score(texts, streams).score for m in (BLEU, CHRF, TER)]
    assert list(scores.means()["system"].values()) == wanted
    assert "nrefs:var" in str(scores.signatures[0])


@pytest.mark.parametrize("seed", [1, 2])
def test_p_values_agree_with_sacrebleu(seed: int) -> None:
    """Approximate randomisation and the paired bootstrap, other seeds, within sampling error."""
    rng = random.Random(seed)
    groups = [[" ".join(rng.choice(WORDS) for _ in range(rng.randrange(4, 15)))] for _ in range(60)]
    systems = {
        name: [edited(rng, g[0], share) for g in groups]
        for name, share in (("base", 0.40), ("near", 0.36), ("far", 0.22))
    }
    draws = 2000
    scores = tare.evaluate_texts(systems, groups, ["BLEU", "chrF", "TER"])
    streams = [[g[0] for g in groups]]
    for kind, test in (("ar", "permutation"), ("bs", "bootstrap-sacrebleu")):
        metrics = {"BLEU": BLEU(), "chrF": CHRF(), "TER": TER()}
        _, found = PairedTest(
            list(systems.items()), metrics, streams, test_type=kind, n_samples=draws
        )()
        ours = tare.compare(scores, baseline="base", test=test, correction="none", draws=draws)
        for name, key in (("BLEU", "BLEU"), ("chrF", "chrF2"), ("TER", "TER")):
            for system, result in zip(systems, found[key], strict=True):
                assert isinstance(result, Result)
                assert ours[name].means[system] == result.score
                if system == "base":
                    continue
                p = ours.pair(system, "base", name)["p"]
                if (
                    kind == "ar"
                ):  # sacrebleu does not count draws that equal the observed difference
                    p -= _share_of_ties(scores, name, system)
                error = np.sqrt(3 * max(p * (1 - p), 1 / draws) / draws)
                assert abs(p - result.p_value) < 4 * error + 2 / draws, (test, name, system)


def _share_of_ties(scores: tare.Scores, name: str, system: str, draws: int = 4000) -> float:
    """The probability that swapped statistics give exactly the observed difference."""
    summed = scores.statistics[tare.parse(name)]
    a, b = (summed.cells[scores.systems.index(s)] for s in (system, "base"))
    swaps = np.random.default_rng(7).integers(0, 2, (draws, len(a)))
    moved = swaps @ (b - a)
    gaps = np.abs(summed.combined(a.sum(axis=0) + moved) - summed.combined(b.sum(axis=0) - moved))
    observed = abs(scores.means()[system][name] - scores.means()["base"][name])
    return float((np.abs(gaps - observed) < 1e-9).mean())
