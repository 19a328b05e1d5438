"""Summed statistics in the file of a score table: one list of numbers per row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._data.findings import Finding
from tare._data.formats.by_suffix import guarded
from tare._measures.measure import Measure
from tare._measures.summed_statistics import SummedStatistics
from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl


__all__ = ["COLUMN", "statistics_of_frame"]

COLUMN = "statistics"


def statistics_of_frame(
    frame: pl.DataFrame,
    ids: dict[str, pl.Series],
    name: str,
    axes: tuple[tuple[str, ...], tuple[str, ...], tuple[Measure, ...]],
    first: int = 1,
) -> tuple[dict[Measure, SummedStatistics], list[Finding]]:
    """Return the statistics of measures that are made of them, and a finding about those without."""
    systems, items, measures = axes
    wanted = {m.text: m for m in measures if m.registered and m.aggregate == "statistics"}
    if not wanted:
        return {}, []
    if COLUMN not in frame.columns:
        return {}, [_without(list(wanted), name)]
    with guarded(name, "a score table whose column statistics has lists of numbers"):
        import polars as pl

        lists = frame[COLUMN].cast(pl.List(pl.Float64)).to_list()
    s, i = ({x: k for k, x in enumerate(xs)} for xs in (systems, items))
    made: dict[Measure, SummedStatistics] = {}
    names = (ids[column].to_list() for column in ("system", "item", "measure"))
    rows = zip(*names, lists, strict=True)
    for number, (system, item, text, row) in enumerate(rows, first):
        if text not in wanted or row is None:
            continue
        measure = wanted[text]
        if measure not in made:
            made[measure] = SummedStatistics.empty(measure, (len(systems), len(items)))
        cells = made[measure].cells
        if len(row) != cells.shape[2] or not all(map(_sound, row)):
            raise FormatError(
                f"{name}, row {number}: {text} needs {cells.shape[2]} statistics that are 0 or more, found "
                f"{row!r:.80}."
            )
        cells[s[system], i[item]] = row
    lacking = [text for text, measure in wanted.items() if measure not in made]
    return made, [_without(lacking, name)] if lacking else []


def _without(measures: list[str], name: str) -> Finding:
    message = (
        f"{name}: {', '.join(measures)} is made of summed statistics, and the table has none; the mean over "
        "items is shown instead."
    )
    return Finding("no statistics", message, len(measures))


def _sound(number: float | None) -> bool:
    """Return whether a number can be a count or a mean length; sums of others would overflow."""
    return number is not None and (number == 0 or 1e-6 <= number < 1e15)
