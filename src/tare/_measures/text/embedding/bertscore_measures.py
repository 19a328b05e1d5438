"""BERTScore in the registry: names, parameters, and values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tare._data.findings import Finding, listed
from tare._measures.definition import Definition
from tare._measures.measure import Measure
from tare._measures.parameter import Parameter

if TYPE_CHECKING:
    from tare._measures.text.cell_findings import Noted
    from tare._measures.text.embedding.baseline import BertBaseline
    from tare._measures.text.embedding.bertscore import Idf
    from tare._measures.text.embedding.encoder import Encoder, Tokens
    from tare._measures.text.evaluation import TextEvaluation, Values
    from tare._measures.text.parts import TextParts

__all__ = ["DEFINITIONS", "MODEL_PARAMETERS", "encoder_of", "scoring_of", "tokens_of"]

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
    """Return the encoder of a measure, loaded once for all measures that share it."""
    from tare._measures.text.embedding.encoder import load_encoder

    names = ("model", "layer", "dtype", "device", "cache", "download")
    options: dict[str, Any] = {name: measure[name] for name in names}

    def load() -> Encoder:
        return load_encoder(options.pop("model"), progress=evaluation.progress, **options)

    return evaluation.resource(("encoder", tuple(options.items())), load)


def tokens_of(
    evaluation: TextEvaluation, encoder: Encoder
) -> tuple[list[Tokens], list[list[Tokens]]]:
    """Return the tokens of all candidates and of their references."""

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
    """Return weights and baseline; the references of an item count once for all systems."""
    from tare._measures.text.embedding.baseline import read_baseline
    from tare._measures.text.embedding.bertscore import Idf

    def weigh() -> Idf:
        _, references = tokens_of(evaluation, encoder)
        return Idf([r for group in references[: len(evaluation.cells.items)] for r in group])

    key = ("idf", encoder.model.place)
    # Additional texts, such as random ones, get the weights of the original texts.
    idf = evaluation.resource(key, weigh) if measure["idf"] else None
    baseline = read_baseline(measure["baseline"]) if measure["baseline"] else None
    return idf, baseline


def _bert_score(evaluation: TextEvaluation, measure: Measure) -> Values:
    from tare._measures.text.embedding.bertscore import score_tokens

    encoder = encoder_of(evaluation, measure)
    candidates, references = tokens_of(evaluation, encoder)
    idf, baseline = scoring_of(evaluation, measure, encoder)
    key = ("bertscore", encoder.model.place, encoder.layer, encoder.dtype, measure["idf"], baseline)

    def score() -> TextParts:
        if evaluation.engine is None:
            return score_tokens(encoder, candidates, references, idf, baseline)
        from tare._measures.text.embedding.actors import score_by_actors

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
    from tare._measures.text.embedding.bertscore import long_texts

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
