"""A score table made of its cells and of what was saved with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._measures.geometric_ranks import parts_of
from tare._measures.measure import Measure
from tare._measures.ratio import Ratio
from tare._measures.score_rows import JUDGED
from tare._measures.scores import Scores
from tare._measures.summed_statistics import SummedStatistics
from tare._signature import Signature, tare_version

__all__ = ["MAX_VALUE", "Axes", "Cells", "scores_of_cells"]

MAX_VALUE = 1e150  # squares of larger numbers, and their sums, overflow
Axes = tuple[tuple[str, ...], tuple[str, ...], tuple[Measure, ...]]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cells:
    """Numbers by system, item and measure; NaN where there is none."""

    values: Floats
    parts: Floats | None = None  # gross, tare and ideal of ratios, each of the same shape
    judged: Floats | None = None  # shares of judged documents


def scores_of_cells(
    name: str,
    about: dict[str, Any],
    axes: Axes,
    cells: Cells,
    *,
    findings: Sequence[Finding] = (),
    attributes: Mapping[str, tuple[Any, ...]] | None = None,
    statistics: Mapping[Measure, SummedStatistics] | None = None,
) -> Scores:
    """Return the scores; signatures, findings and the seed are those of `about`, if it has them."""
    systems, items, measures = axes
    ratios, without = _ratios(measures, cells.parts)
    shares = {
        measure: cells.judged[:, :, k]
        for k, measure in enumerate(measures)
        if cells.judged is not None and measure.text in about[JUDGED]
    }
    names = [measure.text for measure in measures]
    known = dict(zip(about.get("measures", []), about.get("signatures", []), strict=False))
    signatures = tuple(
        Signature.parse(known[text])
        if text in known
        else Signature.of(text, {"source": name, "n": len(items), "tare": tare_version()})
        for text in names
    )
    stored = [
        Finding(kind, message, count, severity, tuple(examples))
        for kind, message, count, severity, examples in about.get("findings", [])
    ]
    if without:
        message = (
            f"{name}: {', '.join(without)} is a ratio of means, and the table has no columns gross, tare and "
            "ideal; the mean over items is shown instead."
        )
        stored.append(Finding("no gross, tare and ideal", message, len(without)))
    return Scores(
        systems,
        items,
        measures,
        cells.values,
        signatures,
        (*stored, *findings),
        dict(attributes or {}),
        seed=about.get("seed", 0),
        ratios=ratios,
        statistics=dict(statistics or {}),
        judged=shares,
    )


def _ratios(
    measures: tuple[Measure, ...], parts: Floats | None
) -> tuple[dict[Measure, Ratio], list[str]]:
    """Return the parts of measures that are ratios of means, and the names of those without."""
    ratios: dict[Measure, Ratio] = {}
    without = []
    for m, measure in enumerate(measures):
        kind = parts_of(measure)
        if kind is None:
            continue
        if parts is not None and not np.isnan(parts[:, :, :, m]).all():
            ratios[measure] = kind(*(part[:, :, m].copy() for part in parts))
        elif kind.needed:
            without.append(measure.text)
    return ratios, without
