"""Models of strangers: weights that are pickles and code that comes with a model are never run."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

import tare
from tare._measures.text.embedding import load_encoder
from tare._measures.text.embedding.likelihood import load_language_model
from tare.errors import UnreadableError
from tests.packages import need_package
from tests.unit.measures.text.tiny_models import save_model

need_package("torch", reason="no torch here (the extra bert)")
LOADERS = {"encoder": load_encoder, "causal": load_language_model, "seq2seq": load_language_model}


class Payload:
    """Makes a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


@pytest.fixture(params=LOADERS)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Any, Path]:
    """A loader, and the folder of a small model that it can load."""
    return LOADERS[request.param], save_model(tmp_path / "model", request.param)


def test_a_package_without_a_model_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of a model may be that of any installed module."""
    (tmp_path / "greeting").mkdir()
    (tmp_path / "greeting" / "__init__.py").write_text("import os\nos.mkdir('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnreadableError):
        load_encoder("greeting")
    assert not (tmp_path / "imported").exists()


def test_a_sound_model_is_loaded(model: tuple[Any, Path]) -> None:
    loader, folder = model
    assert (folder / "model.safetensors").is_file()
    loader(folder)


@pytest.mark.parametrize(
    "name", ["pytorch_model.bin", "model.pt", "weights.pth", "m.ckpt", "m.pkl"]
)
def test_a_pickle_is_refused_and_not_run(
    model: tuple[Any, Path], name: str, tmp_path: Path
) -> None:
    loader, folder = model
    (folder / "model.safetensors").unlink()
    (folder / name).write_bytes(pickle.dumps(Payload(tmp_path / "owned"), protocol=2))
    with pytest.raises(UnreadableError) as caught:
        loader(folder)
    said = str(caught.value)
    assert f"{name} is a pickle, which can run code when it is loaded" in said
    assert "Only safetensors are accepted" in said
    assert "save_pretrained" in said
    assert not (tmp_path / "owned").exists()


def test_a_pickle_in_parts_is_refused(model: tuple[Any, Path]) -> None:
    loader, folder = model
    (folder / "model.safetensors").rename(folder / "pytorch_model-00001-of-00001.bin")
    index = {"metadata": {}, "weight_map": {"x": "pytorch_model-00001-of-00001.bin"}}
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    with pytest.raises(UnreadableError, match="is a pickle"):
        loader(folder)


def test_a_pickle_beside_safetensors_is_left_alone(model: tuple[Any, Path], tmp_path: Path) -> None:
    loader, folder = model
    payload = pickle.dumps(Payload(tmp_path / "owned"))
    (folder / "pytorch_model.bin").write_bytes(payload)
    loader(folder)
    assert not (tmp_path / "owned").exists()


def test_code_that_comes_with_a_model_is_not_run(model: tuple[Any, Path], tmp_path: Path) -> None:
    loader, folder = model
    config = json.loads((folder / "config.json").read_text())
    config["model_type"] = "homemade"
    config["auto_map"] = {
        "AutoConfig": "homemade.Config",
        "AutoModel": "homemade.Model",
        "AutoModelForCausalLM": "homemade.Model",
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "homemade.py").write_text(f"import os\nos.mkdir({str(tmp_path / 'owned')!r})\n")
    with pytest.raises(UnreadableError, match="brings its own code, which tare does not run"):
        loader(folder)
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("data", [b"", b"\0" * 64, b"\xff" * 64, b'{"__metadata__": 1}'])
def test_damaged_weights_are_told(model: tuple[Any, Path], data: bytes) -> None:
    loader, folder = model
    (folder / "model.safetensors").write_bytes(data)
    with pytest.raises(UnreadableError, match="could be loaded"):
        loader(folder)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"model_type": "nothing"}', '{"model_type": 5}'])
def test_a_damaged_configuration_is_told(model: tuple[Any, Path], text: str) -> None:
    loader, folder = model
    (folder / "config.json").write_text(text)
    with pytest.raises(UnreadableError, match="could be loaded"):
        loader(folder)


def test_no_weights_at_all_is_told(model: tuple[Any, Path]) -> None:
    loader, folder = model
    (folder / "model.safetensors").unlink()
    with pytest.raises(UnreadableError, match=r"no weights.*model\.safetensors"):
        loader(folder)


def test_the_measure_says_the_same(tmp_path: Path) -> None:
    folder = save_model(tmp_path / "model", "encoder")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    texts = [{"text": "the cat", "references": ["a dog"], "source": "the mat"}]
    with pytest.raises(UnreadableError, match="is a pickle"):
        tare.evaluate_texts(tare.read_summaries(texts), f"BERTScore(model={folder})")
