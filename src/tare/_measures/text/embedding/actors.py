"""BERTScore on the workers of an engine, each of which loads the model once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tare._measures.engine import ActorEngine
from tare._measures.text.embedding.baseline import BertBaseline
from tare._measures.text.embedding.bertscore import Idf, score_tokens
from tare._measures.text.embedding.encoder import Encoder, Tokens, load_encoder
from tare._measures.text.kept_columns import kept_array, name_of_part
from tare._measures.text.parts import TextParts

__all__ = ["BertScorer", "Chunk", "score_by_actors"]

CHUNK = 256  # texts per task; the same for every engine, so that the values are the same


@dataclass(frozen=True)
class Chunk:
    """Texts and their references, as tokens."""

    first: int
    candidates: tuple[Tokens, ...]
    references: tuple[tuple[Tokens, ...], ...]

    def __str__(self) -> str:
        return f"texts {self.first + 1:,} to {self.first + len(self.candidates):,}"


@dataclass(frozen=True)
class BertScorer:
    """The settings of a worker: the model, and the weights of tokens."""

    model: str
    layer: int
    dtype: str
    device: str
    idf: Idf | None
    baseline: BertBaseline | None
    weights: str  # the name and the digest of the model
    folder: str | None = None  # for finished chunks

    @cached_property
    def facts(self) -> tuple[object, ...]:
        """What values depend on, in addition to the texts."""
        idf = None if self.idf is None else (self.idf.unseen, sorted(self.idf.by_token.items()))
        return (self.weights, self.layer, self.dtype, self.device, idf, self.baseline)

    def __call__(self) -> Callable[[Chunk], NDArray[np.float64]]:
        """Load the model and return a function that scores chunks."""
        encoder = load_encoder(self.model, layer=self.layer, dtype=self.dtype, device=self.device)

        def score(chunk: Chunk) -> NDArray[np.float64]:
            if self.folder is None:
                return scored(chunk)
            facts = (*self.facts, chunk.candidates, chunk.references)
            shape = (len(chunk.candidates), 3)
            return kept_array(self.folder, name_of_part(facts), shape, lambda: scored(chunk))

        def scored(chunk: Chunk) -> NDArray[np.float64]:
            encoder.store.forget()  # a value must not depend on earlier chunks
            parts = score_tokens(
                encoder, chunk.candidates, chunk.references, self.idf, self.baseline
            )
            return np.stack([parts.part(name) for name in ("p", "r", "f")], axis=1)

        return score


def score_by_actors(
    engine: ActorEngine,
    encoder: Encoder,
    device: str,
    candidates: Sequence[Tokens],
    references: Sequence[Sequence[Tokens]],
    idf: Idf | None = None,
    baseline: BertBaseline | None = None,
) -> TextParts:
    """Return the same as `score_tokens`, chunk by chunk; with GPUs, each worker has one."""
    groups = [tuple(group) for group in references]
    order = sorted(range(len(candidates)), key=lambda i: (groups[i], candidates[i]))
    chunks = [
        Chunk(
            start,
            tuple(candidates[i] for i in order[start : start + CHUNK]),
            tuple(groups[i] for i in order[start : start + CHUNK]),
        )
        for start in range(0, len(order), CHUNK)
    ]
    model = encoder.model
    scorer = BertScorer(
        model.place,
        encoder.layer,
        encoder.dtype,
        device,
        idf,
        baseline,
        f"{model.name} {model.digest}",
        None if engine.resume is None else os.fspath(engine.resume),
    )
    wanted = device == "cuda" or (device == "auto" and engine.gpus >= 1)
    found = engine.map_actors(scorer, chunks, gpus=1.0 if wanted else 0.0, what="BERTScore")
    out = np.full((len(candidates), 3), np.nan)
    if found:
        out[order] = np.concatenate(found)
    return TextParts(out[:, 0], out[:, 1], out[:, 2])
