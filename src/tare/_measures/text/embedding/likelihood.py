"""Likelihood: the probability of one text given another, by a language model (as in BARTScore).

Yuan, W., Neubig, G., Liu, P. (2021). BARTScore: evaluating generated text as text generation. NeurIPS.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text
from tare._measures.text.embedding.encoder import DEVICES, DTYPES, UNLIMITED, choose_device, joined
from tare._measures.text.embedding.models import (
    NO_CODE,
    Model,
    check_weights,
    find_model,
    import_bert,
    loading,
)
from tare.errors import OptionError, choose

__all__ = ["LanguageModel", "load_language_model"]

Values = NDArray[np.float64]
Tokens = tuple[int, ...]
Pair = tuple[Tokens, Tokens]
BATCH_TOKENS = 2048


@dataclass(eq=False)
class LanguageModel:
    """A loaded causal or sequence-to-sequence model."""

    model: Model
    tokenizer: Any
    network: Any
    dtype: str
    device: str
    progress: Callable[[str, int, int], None] | None = None

    @cached_property
    def facts(self) -> dict[str, object]:
        """The facts about the model for signatures."""
        dtype = self.dtype if self.dtype != "float32" else None
        return {"model": self.model.name, "weights": self.model.digest, "dtype": dtype}

    @property
    def is_seq2seq(self) -> bool:
        """Whether the model is a sequence-to-sequence model."""
        return bool(self.network.config.is_encoder_decoder)

    @cached_property
    def limit(self) -> int:
        """The largest number of tokens that the model reads at once."""
        config = self.network.config
        places = getattr(config, "max_position_embeddings", None) or UNLIMITED
        return min(int(places), int(self.tokenizer.model_max_length), UNLIMITED)

    def tokens(self, texts: Sequence[Text]) -> list[Tokens]:
        """Return the tokens of texts, with the special tokens that the model needs."""
        strings = [joined(text).strip() for text in texts]
        found = self.tokenizer(strings, verbose=False)["input_ids"] if strings else []
        return [tuple(ids) for ids in found]

    def log_probabilities(
        self, given: Sequence[Text], written: Sequence[Text]
    ) -> tuple[Values, int]:
        """Return the mean log-probability of each text's tokens given the other, and how many were cut.

        Distinct pairs are read once. Nothing is known of an empty text: −∞.
        """
        pairs = list(zip(self.tokens(given), self.tokens(written), strict=True))
        fitted = {pair: self._fitted(pair) for pair in dict.fromkeys(pairs)}
        cut = sum(fit != pair for pair, fit in fitted.items())
        order = sorted(set(fitted.values()), key=lambda pair: (len(pair[0]) + len(pair[1]), pair))
        known: dict[Pair, float] = {}
        batch: list[Pair] = []
        for place, pair in enumerate(order):
            batch.append(pair)
            size = max(len(a) + len(b) for a, b in batch)
            if size * (len(batch) + 1) > BATCH_TOKENS or place + 1 == len(order):
                known |= dict(zip(batch, self._score(batch), strict=True))
                batch = []
                if self.progress is not None:
                    self.progress("reading", place + 1, len(order))
        return np.array([known[fitted[pair]] for pair in pairs], dtype=np.float64), cut

    def _fitted(self, pair: Pair) -> Pair:
        """Shorten a pair to what the model can read, the given text first."""
        given, written = pair
        written = written[: self.limit]
        room = self.limit if self.is_seq2seq else max(self.limit - len(written), 1)
        given = given[:room]
        return given, written if self.is_seq2seq else written[: self.limit - len(given)]

    def _score(self, batch: list[Pair]) -> list[float]:
        import torch

        pad = self.tokenizer.pad_token_id or 0
        if self.is_seq2seq:
            start = self.network.config.decoder_start_token_id
            rows = [((start, *b)[:-1], b, 0) for _, b in batch]
        else:
            rows = [((*a, *b), (*a, *b)[1:], max(len(a), 1) - 1) for a, b in batch]
        ids, mask = self._padded([row for row, _, _ in rows], pad)
        options: dict[str, Any] = {}
        if self.is_seq2seq:
            source, seen = self._padded([a for a, _ in batch], pad)
            options = {"decoder_input_ids": ids}
            ids, mask = source, seen
        with torch.inference_mode():
            logits = self.network(input_ids=ids, attention_mask=mask, **options).logits.float()
            logs = torch.log_softmax(logits, dim=-1).cpu().numpy()
        found = []
        for row, (_, wanted, first) in enumerate(rows):
            picked = [logs[row, i, t] for i, t in enumerate(wanted) if i >= first]
            found.append(float(np.mean(picked, dtype=np.float64)) if picked else -np.inf)
        return found

    def _padded(self, rows: list[Tokens], pad: int) -> tuple[Any, Any]:
        import torch

        longest = max(1, *(len(row) for row in rows))
        ids = np.full((len(rows), longest), pad, dtype=np.int64)
        mask = np.zeros((len(rows), longest), dtype=np.int64)
        for k, row in enumerate(rows):
            ids[k, : len(row)], mask[k, : len(row)] = row, 1
        mask[:, 0] = 1  # an empty text is one padding token, because attention needs a token
        return torch.from_numpy(ids).to(self.device), torch.from_numpy(mask).to(self.device)


def load_language_model(
    model: str | os.PathLike[str] | None = None,
    *,
    dtype: str = "float32",
    device: str = "auto",
    download: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> LanguageModel:
    """Load a causal or sequence-to-sequence model from a folder, a package, or with download=True."""
    choose("dtype", dtype, DTYPES)
    choose("device", device, DEVICES)
    found = find_model(model, download=download)
    torch, transformers = import_bert()
    check_weights(found)
    options = {"local_files_only": not download, **NO_CODE}
    with loading(found, "language model"):
        config = transformers.AutoConfig.from_pretrained(found.place, **options)
        tokenizer = transformers.AutoTokenizer.from_pretrained(found.place, **options)
        kind = "AutoModelForSeq2SeqLM" if config.is_encoder_decoder else "AutoModelForCausalLM"
        network = getattr(transformers, kind).from_pretrained(
            found.place, dtype=getattr(torch, dtype), use_safetensors=True, **options
        )
    architectures = getattr(config, "architectures", None) or [""]
    if not config.is_encoder_decoder and not architectures[0].endswith(("LMHeadModel", "CausalLM")):
        raise OptionError(
            f"{found.name} is a {architectures[0]}, which generates no text; Likelihood needs a causal "
            "or a sequence-to-sequence model."
        )
    where = choose_device(torch, device)
    network.eval().to(where)
    return LanguageModel(found, tokenizer, network, dtype, where, progress)
