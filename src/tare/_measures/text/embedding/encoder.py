"""An encoder: texts to tokens, tokens to unit vectors, each distinct text once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text, default_threads
from tare._measures.text.embedding.models import (
    NO_CODE,
    ModelLocation,
    check_weights,
    find_model,
    import_bert,
    loading,
)
from tare._measures.text.embedding.store import Store
from tare._measures.text.embedding.windows import windows
from tare.errors import OptionError, choose

__all__ = ["DEVICES", "DTYPES", "Encoder", "choose_device", "joined", "load_encoder"]

Vectors = NDArray[np.float32]
Tokens = tuple[int, ...]
Progress = Callable[[str, int, int], None]

DTYPES = ("float32", "float16", "bfloat16")
DEVICES = ("auto", "cpu", "cuda", "mps")
BATCH_TOKENS = 1024  # so that activations stay in the processor's cache
GPU_BATCH_TOKENS = 1 << 15
UNLIMITED = 1 << 20
PROBE = "a b c"


def joined(text: Text) -> str:
    """Return a text as one string; sentences are joined by spaces."""
    return text if isinstance(text, str) else " ".join(text)


@dataclass(eq=False)
class Encoder:
    """A loaded model; vectors of tokens have length 1.

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
        """The special tokens that the model needs before and after a text."""
        whole = list(self.tokenizer(PROBE)["input_ids"])
        inner = list(self.tokenizer(PROBE, add_special_tokens=False)["input_ids"])
        for start in range(len(whole) - len(inner) + 1):
            if whole[start : start + len(inner)] == inner:
                return tuple(whole[:start]), tuple(whole[start + len(inner) :])
        return (), ()

    @cached_property
    def prefix(self) -> str:
        """What the tokenizer needs before a text, so that its first word is like any other."""
        return " " if type(self.tokenizer).__name__.startswith(("Roberta", "GPT2")) else ""

    @cached_property
    def window(self) -> int:
        """The largest number of tokens that the model reads at once, without special tokens."""
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
        """Return the vectors of each distinct text, with special tokens; kept for the next call."""
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
        """Join the windows of a text; special tokens are taken from its ends."""
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
        """Yield the vectors of each batch; one core per batch is faster than all cores on one batch."""
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
    """Group pieces of similar length into batches of limited size."""
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
    """Load a model from a folder, an installed package, or by name with download=True.

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
    """Return the requested device if it is available; auto prefers a GPU."""
    if asked == "auto":
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    if asked == "cuda" and not torch.cuda.is_available():
        raise OptionError("device=cuda is not possible; torch finds no GPU.")
    if asked == "mps" and not torch.backends.mps.is_available():
        raise OptionError("device=mps is not possible; torch finds no such device.")
    return asked
