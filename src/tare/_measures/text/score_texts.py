"""The score table of texts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tare._choices import MISSING, Missing
from tare._data.findings import Finding
from tare._data.summaries import Summaries
from tare._measures.engine import ActorEngine
from tare._measures.measure import Measure
from tare._measures.ratio import Ratio, refuse_without_room
from tare._measures.scores import Scores
from tare._measures.summed_statistics import SummedStatistics
from tare._measures.text.cells import Cells
from tare._measures.text.evaluation import TextEvaluation
from tare._measures.text.learned import features_of
from tare._measures.text.missing import missing_findings, people_findings, policy_of
from tare._measures.text.parameters import all_needs
from tare._signature import Signature, tare_version
from tare.errors import MeasureError, MismatchError, OptionError, choose

__all__ = ["score_texts"]

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
    engine: ActorEngine | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Scores:
    """Return the scores of all systems' texts; `evaluate_texts` describes the options."""
    if missing is not None:
        choose("missing", missing, MISSING)
    cells = Cells.of(texts)
    inside = [_inside(measure) for measure in wanted]
    learned = [feature for measure in inside for feature in features_of(measure.innermost)]
    innermost = dict.fromkeys(measure.innermost for measure in (*inside, *learned))
    _check_needs(texts, cells, inside)
    if engine is not None and not any(m.definition.name == "BERTScore" for m in innermost):
        raise OptionError(
            "BERTScore is the only text measure that runs on an engine; leave the engine out."
        )
    findings = [*people_findings(cells), *missing_findings(cells, missing)]
    left_out = cells.missing & np.repeat(
        [policy_of(cells, system, missing) == "skip" for system in cells.systems], len(cells.items)
    )
    evaluation = TextEvaluation(
        cells, innermost, threads, seed=seed, samples=samples, progress=progress, engine=engine
    )
    shape = (len(cells.systems), len(cells.items))
    values, errors = np.empty((*shape, len(wanted))), np.zeros((*shape, len(wanted)))
    ratios: dict[Measure, Ratio] = {}
    statistics: dict[Measure, SummedStatistics] = {}
    for m, (measure, inner) in enumerate(zip(wanted, inside, strict=True)):
        column = evaluation.values(inner)
        column = np.where(left_out, np.nan, column)
        if measure.aggregate == "ratio":
            parts = evaluation.ratios[inner]
            gone = left_out | np.isnan(sum(parts))
            ratios[measure] = Ratio(*(np.where(gone, np.nan, x).reshape(shape) for x in parts))
        elif measure.aggregate == "statistics":
            rows = np.where(left_out[:, None], np.nan, evaluation.statistics[inner])
            statistics[measure] = SummedStatistics(measure, rows.reshape(*shape, -1))
        values[:, :, m] = column.reshape(shape)
        errors[:, :, m] = evaluation.errors(inner).reshape(shape)
        if measure.definition.across is not None:
            values[:, :, m] = measure.definition.across(values[:, :, m], measure)
    refuse_without_room(ratios)
    met = (*evaluation.findings, *_sampled(errors, seed))
    return Scores(
        cells.systems,
        cells.items,
        wanted,
        values,
        tuple(
            _signature(measure, evaluation.facts(inner), missing, cells, texts)
            for measure, inner in zip(wanted, inside, strict=True)
        ),
        (*_of_reading(texts, inside, met), *findings, *met),
        errors=errors if errors.any() else None,
        seed=seed,
        ratios=ratios,
        statistics=statistics,
    )


def _inside(measure: Measure) -> Measure:
    """Return the text measure: the measure itself, or the one inside a comparison of systems."""
    inner = measure.inner if measure.definition.across is not None else measure
    assert inner is not None
    innermost = inner.innermost
    if innermost.definition.family == "text":
        return inner
    if innermost.definition.family == "answers":
        raise MeasureError(
            f"{measure} measures assigned answers: use tare.evaluate_answers, or `tare answers`."
        )
    raise MeasureError(
        f"{measure} measures rankings: it needs {innermost.definition.needs}, which texts do not have. "
        "`tare list measures` lists the text measures."
    )


def _sampled(errors: NDArray[np.float64], seed: int) -> list[Finding]:
    largest = float(errors.max(initial=0.0))
    if largest == 0:
        return []
    message = (
        f"some values under chance have no closed form and were sampled (seed {seed}); the largest "
        f"standard error is {largest:.2g}."
    )
    return [Finding("sampled values", message, int((errors > 0).sum()), severity="note")]


def _check_needs(texts: Summaries, cells: Cells, measures: list[Measure]) -> None:
    for measure in measures:
        for need in all_needs(measure):
            if not cells.has(need).any():
                what, _, how = HOW_TO_GIVE[need].partition(": ")
                raise MismatchError(
                    f"{measure} needs {what}, and {texts.name} has none. Give {how}."
                )


def _of_reading(
    texts: Summaries, measures: list[Measure], met: tuple[Finding, ...]
) -> list[Finding]:
    """Return the findings of the reader that the measures do not repeat and that concern them."""
    again = {"empty texts": "empty candidates", "no references": "no references"}
    kinds = {finding.kind for finding in met}
    asked = {need for measure in measures for need in all_needs(measure)}
    return [
        finding
        for finding in texts.findings
        if again.get(finding.kind) not in kinds
        and (finding.kind != "no references" or "references" in asked)
    ]


def _signature(
    measure: Measure, facts: dict[str, object], missing: str | None, cells: Cells, texts: Summaries
) -> Signature:
    own: dict[str, object] = {
        p.name: measure[p.name]
        for p in measure.definition.parameters
        if measure.definition.across is not None
    }
    rest = {
        "missing": missing or "zero",
        "people": "skip" if missing is None and cells.people else None,
        "n": len(cells.items),
        "texts": texts.digest,
        "tare": tare_version(),
    }
    return Signature.of(str(measure), {**own, **facts, **rest})
