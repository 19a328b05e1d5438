"""BERTScore on the workers of an engine, each of which loads the model once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._files.finished_parts import Arrays
from tare._measures.engine import ActorEngine
from tare._measures.text.embedding.baseline import BertBaseline
from tare._measures.text.embedding.bertscore import Idf, score_tokens
from tare._measures.text.embedding.encoder import Encoder, Tokens, load_encoder
from tare._measures.text.kept_systems import kept_system
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

    def __call__(self) -> Callable[[Chunk], NDArray[np.float64]]:
        """Load the model and return a function that scores chunks."""
        encoder = load_encoder(self.model, layer=self.layer, dtype=self.dtype, device=self.device)

        def score(chunk: Chunk) -> NDArray[np.float64]:
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
    *,
    items: int,
) -> TextParts:
    """Return the same as `score_tokens`, chunk by chunk; with GPUs, each worker has one.

    The texts are system by system, as many for each as there are items. A chunk has texts of one system.
    """
    scorer = BertScorer(encoder.model.place, encoder.layer, encoder.dtype, device, idf, baseline)
    wanted = device == "cuda" or (device == "auto" and engine.gpus >= 1)
    groups = [tuple(group) for group in references]

    def score(starts: Sequence[int]) -> NDArray[np.float64]:
        """Return the values of the systems whose texts start there."""
        order: list[int] = []
        chunks = []
        for start in starts:
            own = sorted(range(start, start + items), key=lambda i: (groups[i], candidates[i]))
            for first in range(0, items, CHUNK):
                some = own[first : first + CHUNK]
                texts, given = zip(*((candidates[i], groups[i]) for i in some), strict=True)
                chunks.append(Chunk(start + first, texts, given))
            order += own
        found = engine.map_actors(scorer, chunks, gpus=1.0 if wanted else 0.0, what="BERTScore")
        return np.concatenate(found)[np.argsort(order)]

    weights = None if idf is None else (idf.unseen, sorted(idf.by_token.items()))
    model = (encoder.model.name, encoder.model.digest, encoder.layer, encoder.dtype, device)

    def kept(start: int) -> NDArray[np.float64]:
        """Return the values of the system whose texts start there, from the folder if they are there."""
        assert engine.resume is not None
        own = slice(start, start + items)
        depends_on = (*model, weights, baseline, candidates[own], groups[own])

        def made() -> tuple[None, Arrays]:
            return None, {"values": score([start])}

        return kept_system(engine.resume, depends_on, made)[1]["values"]

    starts = range(0, len(candidates), items)
    out = score(starts) if engine.resume is None else np.concatenate([kept(s) for s in starts])
    return TextParts(out[:, 0], out[:, 1], out[:, 2])
