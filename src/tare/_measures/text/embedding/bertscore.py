"""BERTScore: the similarity of each token to the nearest token of the other text.

Zhang, T., Kishore, V., Wu, F., Weinberger, K. Q., Artzi, Y. (2020). BERTScore: evaluating text
generation with BERT. ICLR.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._kernels import Text
from tare._measures.text.embedding.baseline import BertBaseline, check_baseline
from tare._measures.text.embedding.encoder import Encoder, Tokens, Vectors
from tare._measures.text.parts import TextParts
from tare.errors import MismatchError

__all__ = [
    "BertResult",
    "Idf",
    "bert_score",
    "cosines_of",
    "long_texts",
    "match",
    "parts_of",
    "score_tokens",
    "weights_of",
]

Values = NDArray[np.float64]
BLOCK = 2_000  # candidates whose vectors are in memory at once


@dataclass(frozen=True)
class BertResult:
    """Precision, recall and F of each candidate, and findings."""

    values: TextParts
    findings: tuple[Finding, ...]


class Idf:
    """Inverse document frequency: log((N + 1)/(n + 1)) if n of N references have a token."""

    def __init__(self, references: Sequence[Tokens]) -> None:
        held = Counter(token for tokens in references for token in set(tokens))
        self.unseen = math.log(len(references) + 1)
        self.by_token = {t: math.log((len(references) + 1) / (n + 1)) for t, n in held.items()}

    def weights(self, tokens: Tokens) -> Values:
        """Return the weight of each token."""
        return np.array([self.by_token.get(token, self.unseen) for token in tokens])


def bert_score(
    candidates: Sequence[Text],
    references: Sequence[Sequence[Text]],
    encoder: Encoder,
    *,
    idf: bool = False,
    baseline: BertBaseline | None = None,
) -> BertResult:
    """Return precision, recall and F of each candidate against its references.

    P is the mean over the candidate's tokens of the best cosine (at least 0) with a token of the
    reference, R the same the other way round, F = 2PR/(P + R). `idf` weighs tokens by how rare they are among all
    references given; `baseline` rescales to (x − b)/(1 − b). Of several references the best counts,
    for P, R and F each on its own. An empty text scores 0; without a reference there is no value.
    """
    if len(candidates) != len(references):
        raise MismatchError(
            f"{len(candidates):,} candidates and references of {len(references):,} items."
        )
    made = encoder.tokens(candidates)
    sizes = [len(group) for group in references]
    flat = encoder.tokens([r for group in references for r in group])
    rest = iter(flat)
    groups = [[next(rest) for _ in range(size)] for size in sizes]
    weights = Idf(flat) if idf else None
    values = score_tokens(encoder, made, groups, weights, baseline)
    return BertResult(values, tuple(long_texts(encoder, [*made, *flat])))


def score_tokens(
    encoder: Encoder,
    candidates: Sequence[Tokens],
    references: Sequence[Sequence[Tokens]],
    idf: Idf | None = None,
    baseline: BertBaseline | None = None,
    *,
    keep: bool = True,
) -> TextParts:
    """Return the same for texts as tokens; `keep` stores the vectors of the candidates."""
    if baseline is not None:
        check_baseline(baseline, encoder, idf is not None)
    out = np.full((len(candidates), 3), np.nan)
    # Texts with the same references are grouped, so that few vectors are in memory at a time.
    order = sorted(range(len(candidates)), key=lambda i: (tuple(references[i]), candidates[i]))
    for start in range(0, len(order), BLOCK):
        block = order[start : start + BLOCK]
        held = encoder.embed(r for i in block for r in references[i])
        held |= encoder.embed((candidates[i] for i in block), keep=keep)
        for i in block:
            if references[i]:
                out[i] = match(encoder, candidates[i], references[i], held, idf, baseline)
    return TextParts(out[:, 0], out[:, 1], out[:, 2])


def match(
    encoder: Encoder,
    candidate: Tokens,
    references: Sequence[Tokens],
    vectors: dict[Tokens, Vectors],
    idf: Idf | None,
    baseline: BertBaseline | None,
) -> Values:
    """Return P, R and F of one candidate, each the best over its references.

    Special tokens can be matched, and weigh nothing. A token whose best cosine is below 0 counts 0:
    bert-score does so for all but the longest texts of a batch.
    """
    if not candidate or not any(references):
        zero = np.zeros(3) if baseline is None else baseline.rescale(np.zeros(3))
        return np.asarray(zero)
    before, behind = (len(part) for part in encoder.special)
    cosines, starts = cosines_of(candidate, references, vectors)
    near = np.maximum(cosines, 0)
    others = near.max(axis=0)
    own_weights = weights_of(candidate, idf)
    best = np.full(3, -np.inf)
    for k, reference in enumerate(references):
        found = np.zeros(3)
        if reference:
            own = near[before : len(near) - behind, starts[k] : starts[k + 1]].max(axis=1)
            there = others[starts[k] + before : starts[k + 1] - behind]
            found = parts_of(own, own_weights, there, weights_of(reference, idf))
        if baseline is not None:
            found = baseline.rescale(found)
        best = np.maximum(best, found)
    return best


def cosines_of(
    candidate: Tokens, references: Sequence[Tokens], vectors: dict[Tokens, Vectors]
) -> tuple[Vectors, NDArray[np.int64]]:
    """Return the cosines of all tokens, special ones included, and where each reference starts."""
    import torch

    theirs = [vectors[r] for r in references]
    starts = np.cumsum([0, *(len(v) for v in theirs)])
    # For these small products NumPy's threads spend more time waiting than computing.
    one, other = torch.from_numpy(vectors[candidate]), torch.from_numpy(np.concatenate(theirs))
    found: Vectors = torch.mm(one, other.T).numpy()
    return found, starts


def parts_of(
    own: NDArray[np.float32], own_weights: Values, other: NDArray[np.float32], weights: Values
) -> Values:
    """Return P, R and F from the similarities of both texts' tokens and their weights."""
    precision, recall = _mean(own, own_weights), _mean(other, weights)
    total = precision + recall
    return np.array([precision, recall, 2 * precision * recall / total if total != 0 else 0.0])


def weights_of(tokens: Tokens, idf: Idf | None) -> Values:
    """Return the weight of each token: 1 without idf."""
    return np.ones(len(tokens)) if idf is None else idf.weights(tokens)


def _mean(values: NDArray[np.float32], weights: Values) -> float:
    total = float(weights.sum())
    return float(values.astype(np.float64) @ weights) / total if total > 0 else 0.0


def long_texts(encoder: Encoder, texts: Sequence[Tokens]) -> list[Finding]:
    """Report texts that are longer than the window."""
    long = len({tokens for tokens in texts if encoder.is_long(tokens)})
    if not long:
        return []
    message = (
        f"{long:,} texts are longer than the {encoder.window:,} tokens that {encoder.model.name} "
        "reads at once; they were read in overlapping windows."
    )
    return [Finding("long texts", message, long)]
