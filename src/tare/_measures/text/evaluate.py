"""Evaluation of texts: from predictions, references and measures to scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, cast, overload

from tare._choices import Missing
from tare._data.summaries import Summaries, read_summaries
from tare._measures.engine import TextEngine, opened_engine
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare._measures.scores import Scores
from tare._measures.text.general_options import with_options
from tare._measures.text.parallel_texts import parallel_texts
from tare._measures.text.score_texts import score_texts
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._measures.inputs import (
        MeasuresInput,
        PredictionsInput,
        ReferencesInput,
        SourcesInput,
        SystemsInput,
        TextsInput,
    )

__all__ = ["evaluate_texts"]


@overload
def evaluate_texts(
    texts: TextsInput,
    /,
    measures: MeasuresInput,
    *,
    system: str | None = None,
    model: str | None = None,
    missing: Missing | None = None,
    seed: int = 0,
    samples: int | None = None,
    threads: int = 0,
    engine: str | TextEngine | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Scores: ...


@overload
def evaluate_texts(
    predictions: PredictionsInput | SystemsInput,
    /,
    references: ReferencesInput,
    measures: MeasuresInput,
    *,
    sources: SourcesInput | None = None,
    items: Iterable[object] | None = None,
    system: str | None = None,
    model: str | None = None,
    missing: Missing | None = None,
    seed: int = 0,
    samples: int | None = None,
    threads: int = 0,
    engine: str | TextEngine | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Scores: ...


def evaluate_texts(  # type: ignore[misc]  # the second argument is measures or references
    texts: TextsInput | PredictionsInput | SystemsInput,
    /,
    references: MeasuresInput | ReferencesInput | None = None,
    measures: MeasuresInput | None = None,
    *,
    sources: SourcesInput | None = None,
    items: Iterable[object] | None = None,
    system: str | None = None,
    model: str | None = None,
    missing: Missing | None = None,
    seed: int = 0,
    samples: int | None = None,
    threads: int = 0,
    engine: str | TextEngine | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Scores:
    """Score generated texts.

    Call it as ``evaluate_texts(texts, measures)`` with a table of texts, or as
    ``evaluate_texts(predictions, references, measures)`` with the texts of one or several systems.

    Parameters
    ----------
    texts
        The texts of one or several systems: what `tare.read_summaries` takes or returns.
    predictions
        The texts of one system as a list or a dictionary {item: text}; of several systems as
        {system: [texts]} or {system: {item: text}}; or a data frame with the column text and,
        optionally, system and item.
    references
        One reference or a list of references per prediction, in the same order or with the same
        keys: a list, {item: references}, or a data frame with the columns references and item.
    measures
        One or several measures, such as ``["ROUGE-2", "TokenF1", "BLEU"]``.
    sources
        The text that each prediction was written about. Measures of chance need it.
    items
        The ids of the items, if texts are lists (default: 1, 2, …).
    system
        The name of the system, if there is only one.
    model
        The model of BERTScore and Likelihood, for measures that do not set their own.
    missing
        An item that a system has no text for counts as an empty text ("zero"), is left out of the
        means ("skip"), or raises an error ("error"). By default "zero" for systems, and "skip" for
        people who also wrote references.
    seed
        Seed of random texts, and of intervals of BLEU, chrF and TER.
    samples
        Number of random texts for expected values without a closed form (default: 1,000 for ROUGE,
        10 for measures based on embeddings).
    threads
        Number of threads; 0 uses all cores.
    engine
        Where the texts are scored: None for this process, "local", "ray", or an engine of
        `tare.engines`. On an engine, texts are scored in parts. The values are the same. Likelihood,
        pyramid scores and ROUGE-BE of parsed texts are computed in this process.
    progress
        Called during slow steps with the name of the step, the number done and the total.

    Returns
    -------
    Scores
        One value per system, text and measure.

    Raises
    ------
    MeasureError
        If a measure is unknown or does not measure texts.
    MismatchError
        If the texts lack what a measure needs, or the lists differ in length.

    Examples
    --------
    >>> import tare
    >>> tare.evaluate_texts(["the cat sat"], ["the cat sat down"], "ROUGE-2.r").mean
    0.6666666666666666
    >>> texts = tare.read_summaries([{"text": "the cat sat", "references": "the cat sat down"}])
    >>> tare.evaluate_texts(texts, "ROUGE-2.r").mean
    0.6666666666666666
    >>> systems = {"a": ["the cat sat"], "b": ["a dog"]}
    >>> tare.evaluate_texts(systems, ["the cat sat down"], "TokenF1").means()
    {'a': {'TokenF1': 0.8}, 'b': {'TokenF1': 0.0}}
    """
    with opened_engine(engine) as place:
        given, wanted = _given(texts, references, measures, sources, items, system)
        wanted = tuple(dict.fromkeys(with_options(m, {"model": model}) for m in wanted))
        return score_texts(
            given,
            wanted,
            missing=missing,
            seed=seed,
            samples=samples,
            threads=threads,
            engine=place,
            progress=progress,
        )


def _given(
    texts: TextsInput | PredictionsInput | SystemsInput,
    references: MeasuresInput | ReferencesInput | None,
    measures: MeasuresInput | None,
    sources: SourcesInput | None,
    items: Iterable[object] | None,
    system: str | None,
) -> tuple[Summaries, tuple[Measure, ...]]:
    """Tell the two forms of the call apart, and read the texts and measures."""
    if measures is None:
        wanted, references = references, None
    else:
        wanted = measures
    if wanted is None:
        raise OptionError(
            "no measures given: call evaluate_texts(texts, measures) or "
            "evaluate_texts(predictions, references, measures)."
        )
    if references is None:
        if sources is not None or items is not None:
            raise OptionError(
                "sources and items belong to evaluate_texts(predictions, references, measures); a table of "
                "texts has its own column source and its own column item."
            )
        if _are_plain(texts):
            raise OptionError(
                "plain texts need references: call evaluate_texts(predictions, references, measures). "
                "Measures without references take read_summaries([{'text': …}, …])."
            )
        return read_summaries(cast("TextsInput", texts), system=system), parse_all(
            cast("MeasuresInput", wanted)
        )
    if isinstance(texts, Summaries):
        raise OptionError(
            f"{texts!r} has its own references: call evaluate_texts(texts, measures)."
        )
    predictions = cast("PredictionsInput | SystemsInput", texts)
    found = parallel_texts(predictions, cast("ReferencesInput", references), sources, items, system)
    return found, parse_all(cast("MeasuresInput", wanted))


def _are_plain(texts: object) -> bool:
    """Whether these are texts without a table: a list of strings."""
    return isinstance(texts, list | tuple) and any(isinstance(text, str) for text in texts)
