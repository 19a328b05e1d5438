"""BERTScore with models that add no special tokens, and empty texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tare
from tests.packages import need_package

need_package("torch", reason="no torch here (the extra bert)")

from tests.unit.measures.text.tiny_models import WORDS, save_model  # noqa: E402


@pytest.mark.parametrize("references", [[""], ["", WORDS[0]], [WORDS[0], ""], ["", WORDS[0], ""]])
@pytest.mark.parametrize("candidate", ["", WORDS[1]])
def test_empty_texts_have_no_vectors_without_special_tokens(
    tmp_path: Path, candidate: str, references: list[str]
) -> None:
    model = save_model(tmp_path / "model", "encoder")
    scores = tare.evaluate_texts([candidate], [references], f"BERTScore(model={model})")
    filled = [reference for reference in references if reference]
    if candidate and filled:
        expected = tare.evaluate_texts([candidate], [filled], f"BERTScore(model={model})")
        assert np.array_equal(scores.values, expected.values)
        assert scores.mean > 0
    else:
        assert scores.mean == 0
