"""Columns: each printed value, how it is computed and how it is averaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tare._measures import Measure, make
from tare._measures.one_system import Evaluation
from tare.compat._trec_eval.graded import gain_values, rbp_residuals, rbp_values
from tare.compat._trec_eval.measures import Entry
from tare.compat._trec_eval.parameters import (
    gains_by_grade,
    read_cutoffs,
    read_numbers,
    read_pairs,
    read_shares,
)
from tare.compat._trec_eval.refusal import CALCULATION, PARAMETERS, RefusedError
from tare.compat._trec_eval.settings import Settings
from tare.errors import MeasureError

__all__ = ["FLOOR", "Column", "columns_of"]

FLOOR = 0.00001
"""The value that replaces 0 in a geometric mean."""


@dataclass(frozen=True)
class Column:
    """One printed name; `values` returns one number per query of the qrels."""

    name: str
    values: Callable[[Evaluation], NDArray[np.float64]]
    measure: Measure | None = None
    summary: Literal["mean", "sum", "geometric"] = "mean"
    integer: bool = False
    by_query: bool = True

    @property
    def cleared(self) -> bool:
        """Whether trec_eval 10 prints 0 for queries that the run lacks, under -c."""
        return self.name in ("num_ret", "utility", "rbp_resid") or self.name.startswith("unj")


def columns_of(entry: Entry, typed: str, settings: Settings) -> list[Column]:
    """Return the columns of a measure with the parameters after its dot."""
    try:
        match entry.takes:
            case "cutoffs":
                return [
                    _plain(entry, f"{entry.name}_{cutoff}", settings, cutoff=cutoff)
                    for cutoff in read_cutoffs(entry.name, typed or entry.defaults)
                ]
            case "shares":
                shares = read_shares(entry.name, typed or entry.defaults)
                return [_at_share(entry, share, settings) for share in shares]
            case "pairs":
                return [_of_pairs(entry, typed, settings)]
            case "numbers":
                return [_of_numbers(entry, typed, settings)]
        return [_plain(entry, entry.name, settings)]
    except MeasureError as error:
        raise RefusedError(
            f"trec_eval: {error}\ntrec_eval: Cannot initialize measure '{entry.name}'", PARAMETERS
        ) from None


def _plain(
    entry: Entry,
    name: str,
    settings: Settings,
    parameters: dict[str, Any] | None = None,
    cutoff: float | None = None,
) -> Column:
    rel = {"rel": settings.level} if entry.rel else {}
    measure = make(entry.measure, rel | (parameters or {}), cutoff=cutoff)
    if entry.summary == "geometric":
        return Column(name, partial(_logarithm, measure), measure, "geometric", by_query=False)
    integer = entry.prints == "integer"
    return Column(name, partial(_value, measure), measure, entry.summary, integer)


def _value(measure: Measure, evaluation: Evaluation) -> NDArray[np.float64]:
    return evaluation.values(measure)


def _logarithm(measure: Measure, evaluation: Evaluation) -> NDArray[np.float64]:
    return np.log(np.maximum(evaluation.values(measure), FLOOR))


def _rounding(settings: Settings) -> dict[str, Any]:
    return {"rounding": "up" if settings.compat == 9 else "half"}


def _at_share(entry: Entry, share: float, settings: Settings) -> Column:
    name = f"{entry.name}_{f'{share:3.2f}'[:8]}"
    if entry.measure == "Rprec":
        return _plain(entry, name, settings, {"multiple": share})
    return _plain(entry, name, settings, _rounding(settings), cutoff=share)


def _of_numbers(entry: Entry, typed: str, settings: Settings) -> Column:
    name = f"{entry.name}_{typed}" if typed else entry.name
    numbers = read_numbers(entry.name, typed or entry.defaults)
    if entry.name == "11pt_avg":
        recalls = "/".join(map(repr, numbers))
        return _plain(entry, name, settings, {"recalls": recalls} | _rounding(settings))
    if entry.name == "set_F":
        return _plain(entry, name, settings, {"beta": numbers[0]})
    if len(numbers) != 4:
        raise RefusedError(
            "trec_eval.calc_utility: improper number of coefficients: 4 are needed, found "
            f"{len(numbers)}\ntrec_eval: Can't calculate measure 'utility'",
            CALCULATION,
        )
    weights = "/".join(map(repr, numbers))
    parameters = {"weights": weights, "collection": settings.collection}
    return _plain(entry, name, settings, parameters)


def _of_pairs(entry: Entry, typed: str, settings: Settings) -> Column:
    name = f"{entry.name}_{typed}" if typed else entry.name
    pairs = read_pairs(entry.name, typed) if typed else {}
    gains = gains_by_grade(pairs)
    if entry.name in ("rbp", "rbp_resid"):
        p = pairs.get("p", 0.9)
        make("RBP", {"p": p})  # raises if p is not valid
        if entry.name == "rbp":
            return Column(name, lambda evaluation: rbp_values(evaluation.judged, p, gains))
        return Column(name, lambda evaluation: rbp_residuals(evaluation.judged, p))
    return Column(
        name,
        lambda evaluation: gain_values(evaluation.judged, entry.measure, gains, settings.level),
    )
