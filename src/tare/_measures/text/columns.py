"""Columns of text measures: values, errors, statistics, facts and findings of some cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._measures.measure import Measure
from tare._measures.text.cell_findings import CellFinding, Noted, joined_findings
from tare._measures.text.evaluation import TextEvaluation

__all__ = ["TextColumn", "joined_columns", "text_columns"]

Values = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TextColumn:
    """One measure of some cells.

    `ratio` has gross score, tare and ideal of measures that are ratios of means, and `statistics` the
    statistics of measures that are computed from sums.
    """

    values: Values
    errors: Values
    ratio: tuple[Values, ...]
    statistics: Values | None
    facts: dict[str, object]
    noted: tuple[Noted, ...]


def text_columns(evaluation: TextEvaluation, measures: Sequence[Measure]) -> list[TextColumn]:
    """Return one column per measure, with the findings that the measure adds."""
    columns = []
    for measure in measures:
        before = len(evaluation.noted)
        values = evaluation.values(measure)
        columns.append(
            TextColumn(
                values,
                evaluation.errors(measure),
                tuple(evaluation.ratios.get(measure, ())),
                evaluation.statistics.get(measure),
                evaluation.facts(measure),
                tuple(evaluation.noted[before:]),
            )
        )
    return columns


def joined_columns(
    parts: Sequence[Sequence[TextColumn]], places: Sequence[Places], cells: int
) -> list[TextColumn]:
    """Return the columns of all cells from those of parts; `places` has the cells of each part."""
    return [_joined(column, places, cells) for column in zip(*parts, strict=True)]


def _joined(parts: Sequence[TextColumn], places: Sequence[Places], cells: int) -> TextColumn:
    def spread(columns: Sequence[Values]) -> Values:
        made = np.empty((cells, *columns[0].shape[1:]))
        for column, where in zip(columns, places, strict=True):
            made[where] = column
        return made

    noted = [
        [one.at(where) if isinstance(one, CellFinding) else one for one in part.noted]
        for part, where in zip(parts, places, strict=True)
    ]
    statistics = [part.statistics for part in parts if part.statistics is not None]
    return TextColumn(
        spread([part.values for part in parts]),
        spread([part.errors for part in parts]),
        tuple(spread(kind) for kind in zip(*(part.ratio for part in parts), strict=True)),
        spread(statistics) if statistics else None,
        _joined_facts([part.facts for part in parts]),
        tuple(joined_findings(noted)),
    )


def _joined_facts(parts: Sequence[dict[str, object]]) -> dict[str, object]:
    """Return the facts of all parts: values are sampled if those of a part are; nrefs may vary."""
    sampled = (facts for facts in parts if facts.get("expected") == "sampled")
    chosen = dict(next(sampled, parts[0]))
    if "nrefs" in chosen:
        counts = {facts["nrefs"] for facts in parts}
        counts = counts - {"0"} or counts
        chosen["nrefs"] = counts.pop() if len(counts) == 1 else "var"
    return chosen
