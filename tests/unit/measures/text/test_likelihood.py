"""Likelihood by tiny models with random weights: against one softmax at a time, and net of chance."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tare
from tare._measures.text.embedding.likelihood import load_language_model
from tare.errors import OptionError
from tests.packages import imported_later
from tests.unit.measures.text.tiny_models import save_model

torch = imported_later("torch", reason="no torch here (the extra bert)")
transformers = imported_later("transformers", reason="no transformers here (the extra bert)")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    kinds = ("seq2seq", "causal", "encoder")
    return {kind: save_model(tmp_path_factory.mktemp(kind), kind) for kind in kinds}


def obvious(model: Any, given: str, written: str) -> float:
    """One token after the other, each with a softmax of its own."""
    [a], [b] = model.tokens([given]), model.tokens([written])
    logs = []
    for i in range(len(b)):
        if model.is_seq2seq:
            start = model.network.config.decoder_start_token_id
            ids = {
                "input_ids": torch.tensor([a]),
                "decoder_input_ids": torch.tensor([[start, *b[:i]]]),
            }
        else:
            ids = {"input_ids": torch.tensor([[*a, *b[:i]]])}
        with torch.no_grad():
            logits = model.network(**ids).logits[0, -1].double()
        logs.append(float(torch.log_softmax(logits, dim=-1)[b[i]]))
    return sum(logs) / len(logs)


@pytest.mark.parametrize("kind", ["seq2seq", "causal"])
def test_the_mean_log_probability_of_each_token(folders: dict[str, Path], kind: str) -> None:
    model = load_language_model(folders[kind])
    given = ["the cat sat", "a dog ran on the mat", "the mat", "the cat sat"]
    written = ["a cat", "the dog", "a dog sat on a mat on the mat", "a cat"]
    values, cut = model.log_probabilities(given, written)
    wanted = [obvious(model, g, w) for g, w in zip(given, written, strict=True)]
    assert values == pytest.approx(wanted, abs=1e-5)
    assert cut == 0
    _, cut = model.log_probabilities(["the cat " * 30], ["a dog"])
    assert cut == 1


@pytest.mark.parametrize("kind", ["seq2seq", "causal"])
def test_the_measure_and_its_chance(folders: dict[str, Path], kind: str) -> None:
    rows = [
        {
            "item": "1",
            "text": "the cat sat",
            "references": ["a cat sat", "the dog ran"],
            "source": "the cat sat on a mat",
        },
        {
            "item": "2",
            "text": "a dog",
            "references": ["the dog ran on"],
            "source": "a dog ran on the mat",
        },
    ]
    name = f"(model='{folders[kind]}')"
    names = [
        f"Likelihood{name}",
        f"Likelihood.p{name}",
        f"Likelihood.r{name}",
        f"E(Likelihood{name},length=candidate)",
    ]
    names += [f"V2(Likelihood{name})", f"Likelihood.p(model='{folders[kind]}',scale=log)"]
    scores = tare.evaluate_texts(tare.read_summaries(rows), names, samples=3)
    f, p, r, e, v2, log = scores.values[0, 1]
    model = load_language_model(folders[kind])
    assert math.log(p) == pytest.approx(obvious(model, "the dog ran on", "a dog"), abs=1e-5)
    assert math.log(r) == pytest.approx(obvious(model, "a dog", "the dog ran on"), abs=1e-5)
    assert f == pytest.approx(math.sqrt(p * r))
    assert log == pytest.approx(math.log(p))
    assert v2 == pytest.approx((f - e) / (1 - e) if f >= e else (f - e) / e)
    assert np.isfinite(scores.values).all()
    assert "samples:3" in str(scores.signatures[3])


def test_an_encoder_writes_nothing(folders: dict[str, Path]) -> None:
    with pytest.raises(OptionError, match="generates no text"):
        load_language_model(folders["encoder"])
    texts = tare.read_summaries([{"text": "the cat", "references": ["a cat"]}])
    assert 0 < tare.evaluate_texts(texts, f"BERTScore(model='{folders['encoder']}')").mean <= 1
