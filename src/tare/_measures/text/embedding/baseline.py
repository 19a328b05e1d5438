"""Baselines of BERTScore: the scores of unrelated texts."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._data.counter_random import uniforms
from tare._data.source import name_of, read_all
from tare._kernels import Text
from tare._writing import write_text
from tare.errors import FormatError, MismatchError, OptionError, UnreadableError

if TYPE_CHECKING:
    from tare._measures.text.embedding.encoder import Encoder

__all__ = ["Baseline", "bert_baseline", "read_baseline"]


@dataclass(frozen=True)
class Baseline:
    """Mean P, R and F of unrelated texts, and the model that computed them."""

    p: float
    r: float
    f: float
    model: str
    weights: str
    layer: int
    idf: bool
    pairs: int

    def rescale(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (x − b)/(1 − b): 0 for unrelated texts, 1 for equal texts."""
        base = np.array([self.p, self.r, self.f])
        return np.asarray((values - base) / (1 - base))

    def check(self, encoder: Encoder, idf: bool) -> None:
        """Refuse a baseline of another model, layer or weighting."""
        mine = (self.weights, self.layer, self.idf)
        theirs = (encoder.model.digest, encoder.layer, idf)
        if mine != theirs:
            raise MismatchError(
                f"the baseline was made with {self.model} (weights {self.weights}), layer "
                f"{self.layer}, idf={str(self.idf).lower()}; the scores are by "
                f"{encoder.model.name} ({encoder.model.digest}), layer {encoder.layer}, "
                f"idf={str(idf).lower()}. Make one for it with bert_baseline."
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the baseline as JSON, for BERTScore(baseline=path)."""
        write_text(path, json.dumps(asdict(self), indent=1) + "\n")


def read_baseline(path: str | os.PathLike[str]) -> Baseline:
    """Read a baseline that `save` wrote."""
    try:
        found = json.loads(read_all(path))
    except UnreadableError:
        raise
    except ValueError:
        found = None
    try:
        return Baseline(**found)
    except TypeError:
        raise FormatError(
            f"{name_of(path)} is not a baseline: expected the JSON that Baseline.save writes "
            "(p, r, f, model, weights, layer, idf, pairs)."
        ) from None


def bert_baseline(
    texts: Sequence[Text], encoder: Encoder, *, pairs: int = 1_000, idf: bool = False, seed: int = 0
) -> Baseline:
    """Return the mean BERTScore of random pairs of different texts."""
    from tare._measures.text.embedding.bertscore import Idf, score_tokens

    distinct = list(dict.fromkeys(encoder.tokens(texts)))
    distinct = [tokens for tokens in distinct if tokens]
    if len(distinct) < 2 or pairs < 1:
        raise OptionError("a baseline needs at least two different texts and one pair of them.")
    first = (uniforms(seed, 0, np.arange(pairs)) * len(distinct)).astype(int)
    step = (uniforms(seed, 1, np.arange(pairs)) * (len(distinct) - 1)).astype(int) + 1
    second = (first + step) % len(distinct)
    found = score_tokens(
        encoder,
        [distinct[i] for i in first],
        [[distinct[j]] for j in second],
        Idf(distinct) if idf else None,
    )
    p, r, f = (float(part.mean()) for part in (found.precision, found.recall, found.f))
    model = encoder.model
    return Baseline(p, r, f, model.name, model.digest, encoder.layer, idf, pairs)
