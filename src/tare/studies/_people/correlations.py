"""Correlations of measures with people: intervals, tests between measures, improvements."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tare._measures.names import parse
from tare._result import Rows
from tare.errors import MeasureError
from tare.stats._corrections import adjust
from tare.stats._intervals import correlation_interval
from tare.stats._meta_evaluation import (
    COEFFICIENTS,
    LEVELS,
    correlation_draws,
    correlation_with_people,
    exchange_test,
    row_correlations,
)
from tare.stats._paired_differences import rounded
from tare.studies._people.data import SideBySide

__all__ = [
    "assessor_rows",
    "correlation_rows",
    "difference_rows",
    "enough_draws",
    "gap_rows",
    "improvement_rows",
    "pooled_by_assessor",
]

Places = NDArray[np.int64]
DRAWS_PER_TEST = 40


def correlation_rows(
    data: SideBySide,
    human: str,
    peers: str,
    places: Places,
    measure: str,
    *,
    draws: int,
    confidence: float,
    seed: int,
    threads: int,
) -> Rows:
    """Return one dictionary per level and coefficient, with intervals over systems, items and both."""
    x, y = data.measured[measure][places], data.judged[human][places]
    made = []
    for level, kind in itertools.product(LEVELS, COEFFICIENTS):
        value = correlation_with_people(x, y, level=level, kind=kind)
        row = {
            "peers": peers,
            "human": human,
            "level": level,
            "coefficient": kind,
            "measure": measure,
            "systems": len(places),
            "items": len(data.items),
            "value": value,
        }
        drawn = correlation_draws(
            x, y, level=level, kind=kind, draws=draws, seed=seed, threads=threads
        )
        for over, values in drawn.items():
            low, high = correlation_interval(value, values, confidence)
            row |= {f"low_{over}": low, f"high_{over}": high}
        made.append(row)
    return made


def enough_draws(tests: int, draws: int) -> int:
    """Return as many draws as Holm's correction over so many tests needs to find anything."""
    return max(draws, DRAWS_PER_TEST * tests)


def difference_rows(
    data: SideBySide,
    human: str,
    peers: str,
    places: Places,
    *,
    kind: str,
    draws: int,
    seed: int,
    threads: int,
) -> Rows:
    """Return one dictionary per level and pair of measures: the difference and its p-values."""
    y = data.judged[human][places]
    draws = enough_draws(math.comb(len(data.measures), 2), draws)
    made: Rows = []
    for level in LEVELS:
        rows: Rows = []
        for first, second in itertools.combinations(data.measures, 2):
            a, b = (data.measured[m][places] for m in (first, second))
            found = exchange_test(
                a, b, y, level=level, kind=kind, draws=draws, seed=seed, threads=threads
            )
            rows.append(
                {
                    "peers": peers,
                    "human": human,
                    "level": level,
                    "coefficient": kind,
                    "first": first,
                    "second": second,
                    "difference": found.difference,
                    "p": found.pvalue,
                    "exact": found.exact,
                }
            )
        adjusted = adjust([row["p"] for row in rows], "holm").tolist()
        made += [row | {"p_adjusted": p} for row, p in zip(rows, adjusted, strict=True)]
    return made


def improvement_rows(correlations: Rows) -> Rows:
    """Return the PAI of each normalised measure over the measure that it normalises.

    PAI, the percentage improvement of the correlation, is (r_V − r)/|r| · 100; undefined at r = 0.
    """
    known = {_key(row): row["value"] for row in correlations}
    made = []
    for row in correlations:
        try:
            inner = parse(row["measure"]).inner
        except MeasureError:
            continue
        original = known.get(_key(row | {"measure": str(inner)})) if inner is not None else None
        if original is None:
            continue
        gain = 100 * (row["value"] - original) / abs(original) if original else None
        keys = ("peers", "human", "level", "coefficient", "measure")
        made.append(
            {k: row[k] for k in keys}
            | {"inside": str(inner), "value": row["value"], "inside_value": original, "pai": gain}
        )
    return made


def _key(row: dict[str, object]) -> tuple[object, ...]:
    return tuple(row[k] for k in ("peers", "human", "level", "coefficient", "measure"))


def assessor_rows(data: SideBySide, human: str, peers: str, places: Places) -> Rows:
    """Return one dictionary per assessor, coefficient and measure, over all outputs they judged."""
    made: Rows = []
    for assessor in sorted({a for a in data.assessors if a is not None}):
        mine = np.array([a == assessor for a in data.assessors])
        y = data.judged[human][np.ix_(places, np.flatnonzero(mine))].reshape(1, -1)
        for measure, kind in itertools.product(data.measures, COEFFICIENTS):
            x = data.measured[measure][np.ix_(places, np.flatnonzero(mine))].reshape(1, -1)
            a, b = (x, y) if kind == "pearson" else (rounded(x), rounded(y))
            made.append(
                {
                    "peers": peers,
                    "human": human,
                    "assessor": assessor,
                    "coefficient": kind,
                    "measure": measure,
                    "items": int(mine.sum()),
                    "outputs": int((~(np.isnan(x) | np.isnan(y))).sum()),
                    "value": float(row_correlations(a, b, kind)[0]),
                }
            )
    return made


def pooled_by_assessor(rows: Rows) -> dict[tuple[str, str], float]:
    """Return the mean of `assessor_rows` over assessors, by measure and coefficient.

    This is the assessor level of Rankel (2016, Table 6.4): all outputs that one person judged are
    compared with each other, whatever their items. Undefined correlations are skipped.
    """
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        own = found.setdefault((row["measure"], row["coefficient"]), [])
        if not np.isnan(row["value"]):
            own.append(row["value"])
    return {key: float(np.mean(v)) if v else float("nan") for key, v in found.items()}


def gap_rows(data: SideBySide, human: str, measures: Sequence[str] | None = None) -> Rows:
    """Return one dictionary per system and measure: both means, the fitted line, and the gap to it.

    The line is fitted to the machines. The gap of a model (a human author) shows how much better
    people rate it than the measure predicts.
    """
    made: Rows = []
    machine = np.array([s not in data.models for s in data.systems])
    for measure in measures or data.measures:
        gone = np.isnan(data.measured[measure]) | np.isnan(data.judged[human])
        counts = np.maximum((~gone).sum(axis=1), 1)
        x, y = (
            np.where(gone, 0.0, z).sum(axis=1) / counts
            for z in (data.measured[measure], data.judged[human])
        )
        known = np.asarray(~gone.all(axis=1))
        fit = machine & known
        spread = x[fit] - x[fit].mean() if fit.any() else np.zeros(1)
        square = float((spread**2).sum())
        slope = float((spread * (y[fit] - y[fit].mean())).sum() / square) if square > 0 else 0.0
        for s, system in enumerate(data.systems):
            if known[s]:
                line = float(y[fit].mean() + slope * (x[s] - x[fit].mean()))
                made.append(
                    {
                        "human": human,
                        "measure": measure,
                        "system": system,
                        "model": not bool(machine[s]),
                        "measured": float(x[s]),
                        "judged": float(y[s]),
                        "fitted": line,
                        "gap": float(y[s]) - line,
                    }
                )
    return made
