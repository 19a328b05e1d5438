"""Likelihood: the probability of one text given another, by a language model (as in BARTScore).

Yuan, W., Neubig, G., Liu, P. (2021). BARTScore: evaluating generated text as text generation. NeurIPS.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._kernels import Text
from tare._measures.definition import Definition, Parameter
from tare._measures.measure import Measure
from tare._measures.text.embedding.bertscore import MODEL_PARAMETERS
from tare._measures.text.embedding.encoder import (
    DEVICES,
    DTYPES,
    NO_CODE,
    UNLIMITED,
    ModelLocation,
    check_weights,
    choose_device,
    find_model,
    import_bert,
    joined,
    loading,
)
from tare.errors import OptionError, choose

if TYPE_CHECKING:
    from tare._measures.text.cells import TextEvaluation
    from tare._measures.text.findings_by_cell import Noted

__all__ = ["DEFINITIONS", "LanguageModel", "load_language_model"]


Values = NDArray[np.float64]
Tokens = tuple[int, ...]
Pair = tuple[Tokens, Tokens]
BATCH_TOKENS = 2048


@dataclass(eq=False)
class LanguageModel:
    """A loaded causal or sequence-to-sequence model."""

    model: ModelLocation
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
        """The largest number of tokens that the language model of a likelihood reads at once."""
        config = self.network.config
        places = getattr(config, "max_position_embeddings", None) or UNLIMITED
        return min(int(places), int(self.tokenizer.model_max_length), UNLIMITED)

    def tokens(self, texts: Sequence[Text]) -> list[Tokens]:
        """Return the tokens of texts for a likelihood, with the special tokens that the language model needs."""
        strings = [joined(text).strip() for text in texts]
        found = self.tokenizer(strings, verbose=False)["input_ids"] if strings else []
        return [tuple(ids) for ids in found]

    def log_probabilities(
        self, given: Sequence[Text], written: Sequence[Text]
    ) -> tuple[Values, int]:
        """Return the likelihood of each text given the other, the mean log-probability of its tokens, and how many were cut.

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
        """Shorten a pair of texts to what the language model can read, the given text first."""
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
    """Load a language model for likelihoods, causal or sequence-to-sequence, from a folder, a package, or with download=True."""
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


# Likelihood in the registry: candidate given reference, reference given candidate, or given the
# source.


YUAN = "Yuan, Neubig, Liu. BARTScore: Evaluating Generated Text as Text Generation. NeurIPS 2021."
SCALE = Parameter(
    "scale",
    "choice",
    "probability",
    "probability: the geometric mean of the tokens' probabilities, from 0 to 1; log: its logarithm, "
    "as BARTScore has it.",
    choices=("probability", "log"),
)


def _model_of(evaluation: TextEvaluation, measure: Measure) -> LanguageModel:

    options: dict[str, Any] = {p.name: measure[p.name] for p in MODEL_PARAMETERS}

    def load() -> LanguageModel:
        return load_language_model(options.pop("model"), progress=evaluation.progress, **options)

    return evaluation.resource(("language model", tuple(options.items())), load)


def _likelihood(evaluation: TextEvaluation, measure: Measure) -> Values:
    model, cells = _model_of(evaluation, measure), evaluation.cells
    owner = np.repeat(np.arange(len(cells.candidates)), [len(g) for g in cells.references])
    candidates = [cells.candidates[i] for i in owner]
    references = [r for group in cells.references for r in group]
    part = measure.part or "f"
    key = ("likelihood", model.model.place)
    there, cut = evaluation.shared(
        (*key, "p"), lambda: model.log_probabilities(references, candidates)
    )
    if part != "p":
        back, more = evaluation.shared(
            (*key, "r"), lambda: model.log_probabilities(candidates, references)
        )
        there = back if part == "r" else (there + back) / 2
        cut += more
    # The best of several references counts; an empty text has the lowest possible value.
    best = np.full(len(cells.candidates), -np.inf)
    np.maximum.at(best, owner, there)
    message = (
        f"{cut:,} pairs of texts are longer than the {model.limit:,} tokens that "
        f"{model.model.name} reads at once; the rest was left out."
    )
    findings: list[Noted] = [Finding("long texts", message, cut)] if cut else []
    findings += evaluation.without("references", "references")
    evaluation.set_facts(
        measure, {**model.facts, "scale": measure["scale"], "refs": "max"}, findings
    )
    values = np.exp(best) if measure["scale"] == "probability" else best
    return np.where(cells.has("references") & np.isfinite(values), values, np.nan)


DEFINITIONS = (
    Definition(
        "Likelihood",
        "Likelihood of one text after the other",
        "P: exp of the mean log-probability of the candidate's tokens after the reference, R: of the "
        "reference's after the candidate; F: the geometric mean of both",
        YUAN,
        (*MODEL_PARAMETERS, SCALE),
        bounds=(None, 1),
        family="text",
        needs="references",
        parts=("f", "p", "r"),
        derive=_likelihood,
        all_texts=True,
        notes="Needs the extra bert and a causal or sequence-to-sequence model. With scale=log it is "
        "BARTScore's sum of logarithms, divided by the number of tokens.",
    ),
)
