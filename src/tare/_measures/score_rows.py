"""The rows of a saved score table, in blocks: one row per system, item and measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._measures.judged_share import JudgedShares
from tare._measures.measure import Measure
from tare._measures.scores import Scores
from tare._measures.statistics_column import COLUMN as STATISTICS

if TYPE_CHECKING:
    import polars as pl

__all__ = ["JUDGED", "PARTS", "row_blocks"]

PARTS = ("gross", "tare", "ideal")  # of measures that are ratios of means
JUDGED = "judged"  # share of judged documents at the cutoff of the measure

Places = NDArray[np.intp]
Floats = NDArray[np.float64]


def row_blocks(scores: Scores, shares: JudgedShares | None, rows: int) -> Iterator[pl.DataFrame]:
    """Yield data frames of at most `rows` rows, all with the same columns; at least one frame.

    Systems are in the outer loop, measures in the inner one.
    """
    import polars as pl

    total = scores.values.size
    cells = scores.values.reshape(-1)
    names = {
        "system": pl.Series(scores.systems, dtype=pl.String),
        "item": pl.Series(scores.items, dtype=pl.String),
        "measure": pl.Series(scores.measure_names, dtype=pl.String),
    }
    attributes = pl.DataFrame({name: list(c) for name, c in scores.attributes.items()}).to_dict()
    for start in range(0, max(1, total), rows):
        stop = min(total, start + rows)
        s, i, m = _places(np.arange(start, stop), scores.values.shape)
        columns = {
            name: given.gather(at)
            for (name, given), at in zip(names.items(), (s, i, m), strict=True)
        }
        columns["value"] = _numbers(cells[start:stop])
        columns |= {name: given.gather(i) for name, given in attributes.items()}
        if scores.ratios:
            parts = {measure: ratio.parts for measure, ratio in scores.ratios.items()}
            for k, name in enumerate(PARTS):
                held = {measure: part[k] for measure, part in parts.items()}
                columns[name] = _numbers(_placed(scores, held, s, i, m))
        if scores.statistics:
            columns[STATISTICS] = _statistics(scores, s, i, m)
        if shares is not None and shares.measures:
            columns[JUDGED] = _numbers(_shares(scores, shares, s, i, m))
        yield pl.DataFrame(columns)


def _places(rows: Places, shape: tuple[int, ...]) -> tuple[Places, Places, Places]:
    """Return system, item and measure of each row, as numbers."""
    _, items, measures = shape
    cells, m = np.divmod(rows, max(1, measures))
    s, i = np.divmod(cells, max(1, items))
    return s, i, m


def _numbers(values: Floats) -> pl.Series:
    import polars as pl

    return pl.Series(values).fill_nan(None)


def _placed(
    scores: Scores, held: Mapping[Measure, Floats], s: Places, i: Places, m: Places
) -> Floats:
    """Return a value per row from arrays of systems × items; NaN for other measures."""
    made = np.full(len(m), np.nan)
    for measure, values in held.items():
        own = m == scores.measures.index(measure)
        made[own] = values[s[own], i[own]]
    return made


def _shares(scores: Scores, shares: JudgedShares, s: Places, i: Places, m: Places) -> Floats:
    """Return the judged share of each row, system by system; NaN for other measures."""
    made = np.full(len(m), np.nan)
    for system in np.unique(s):
        start, stop = np.searchsorted(s, (system, system + 1))
        items, measures = i[start:stop], m[start:stop]
        for measure, values in shares.of_system(int(system)).items():
            own = measures == scores.measures.index(measure)
            made[start:stop][own] = values[items[own]]
    return made


def _statistics(scores: Scores, s: Places, i: Places, m: Places) -> pl.Series:
    """Return the statistics of each row; null for other measures."""
    import polars as pl

    summed = [scores.statistics.get(measure) for measure in scores.measures]
    cells: list[list[float] | None] = []
    for system, item, measure in zip(s.tolist(), i.tolist(), m.tolist(), strict=True):
        one = summed[measure]
        known = one is not None and not np.isnan(one.cells[system, item]).any()
        cells.append(one.cells[system, item].tolist() if one is not None and known else None)
    return pl.Series(cells, dtype=pl.List(pl.Float64))
