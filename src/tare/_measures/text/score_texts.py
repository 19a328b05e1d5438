"""The score table of texts."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._choices import MISSING, Missing
from tare._data.findings import Finding
from tare._data.summaries import Summaries
from tare._measures.engine import TextEngine
from tare._measures.measure import Measure
from tare._measures.ratio import Ratio, without_room
from tare._measures.scores import Scores
from tare._measures.summed_statistics import SummedStatistics
from tare._measures.text.cell_findings import findings_of
from tare._measures.text.given_texts import GivenTexts
from tare._measures.text.missing import missing_findings, people_findings, policy_of
from tare._measures.text.parameters import all_needs
from tare._measures.text.text_work import TextWork
from tare._signature import Signature, tare_version
from tare.errors import MeasureError, MismatchError, choose

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
    engine: TextEngine | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    resources: dict[Hashable, Any] | None = None,
) -> Scores:
    """Return the scores of all systems' texts; `evaluate_texts` describes the options.

    resources: what does not depend on the texts, such as models; loaded ones are added to it.
    """
    if missing is not None:
        choose("missing", missing, MISSING)
    inside = [_inside(measure) for measure in wanted]
    work = TextWork(tuple(inside), seed, samples, threads)
    given = GivenTexts(texts)
    grid = given.grid
    _check_needs(given, inside)
    findings = [*people_findings(grid), *missing_findings(grid, missing)]
    left_out = grid.missing & np.repeat(
        [policy_of(grid, system, missing) == "skip" for system in grid.systems], len(grid.items)
    )
    columns = work.columns(given, engine, progress, resources)
    shape = (len(grid.systems), len(grid.items))
    values, errors = np.empty((*shape, len(wanted))), np.zeros((*shape, len(wanted)))
    ratios: dict[Measure, Ratio] = {}
    statistics: dict[Measure, SummedStatistics] = {}
    for m, (measure, column) in enumerate(zip(wanted, columns, strict=True)):
        if measure.aggregate == "ratio":
            gone = left_out | np.isnan(sum(column.ratio))
            ratios[measure] = Ratio(
                *(np.where(gone, np.nan, x).reshape(shape) for x in column.ratio)
            )
        elif measure.aggregate == "statistics":
            assert column.statistics is not None
            rows = np.where(left_out[:, None], np.nan, column.statistics)
            statistics[measure] = SummedStatistics(measure, rows.reshape(*shape, -1))
        values[:, :, m] = np.where(left_out, np.nan, column.values).reshape(shape)
        errors[:, :, m] = column.errors.reshape(shape)
        if measure.definition.across is not None:
            values[:, :, m] = measure.definition.across(values[:, :, m], measure)
    findings += without_room(ratios)
    noted = (one for column in columns for one in column.noted)
    met = (*findings_of(noted, grid.label), *_sampled(errors, seed))
    return Scores(
        grid.systems,
        grid.items,
        wanted,
        values,
        tuple(
            _signature(measure, column.facts, missing, given)
            for measure, column in zip(wanted, columns, strict=True)
        ),
        (*_of_reading(texts.findings, inside, met), *findings, *met),
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
    largest = float(np.nanmax(errors, initial=0.0))
    if largest == 0:
        return []
    message = (
        f"some values under chance have no closed form and were sampled (seed {seed}); the largest "
        f"standard error is {largest:.2g}."
    )
    return [Finding("sampled values", message, int((errors > 0).sum()), severity="note")]


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
    """Return the findings of the reader that the measures do not repeat and that concern them."""
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
    measure: Measure, facts: dict[str, object], missing: str | None, given: GivenTexts
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
