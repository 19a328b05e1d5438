"""Columns of trec_eval: each printed value, how it is requested, computed and averaged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data import Judged
from tare._measures import Measure, make
from tare._measures.one_system import RankingEvaluation
from tare.compat._arguments import texts
from tare.compat._trec_eval.measures import (
    CALCULATION,
    ENTRIES,
    PARAMETERS,
    SETS,
    Entry,
    RefusedError,
    Settings,
    gains_by_grade,
    read_cutoffs,
    read_numbers,
    read_pairs,
    read_shares,
)
from tare.compat._trec_eval.rankings import judged_code
from tare.errors import MeasureError, nearest

__all__ = [
    "FLOOR",
    "NICKNAMES",
    "SUPPORTED",
    "Column",
    "Requested",
    "as_divided_by_zero",
    "columns_of",
    "gain_values",
    "rbp_residuals",
    "rbp_values",
    "requested_columns",
]


# Measures whose gains are set on the command line: `-m ndcg.1=3,2=9`, `-m rbp.p=0.8`.


OUTSIDE, POOLED = -1, -2
"""Names of the pairs for documents outside the qrels and for documents of negative grade."""

Values = NDArray[np.float64]


def gain_values(judged: Judged, kernel: str, gains: dict[int, float], rel: int) -> Values:
    """Return trec_eval's values of a core kernel; the gain of a grade is the grade itself unless `gains` sets it."""
    by_level = [gains.get(int(level), level) for level in judged.qrels.levels.tolist()]
    outside, pooled = gains.get(OUTSIDE, 0.0), gains.get(POOLED, 0.0)
    return _evaluate(judged, kernel, by_level, (outside, pooled), rel=rel, discount="log")


def rbp_values(judged: Judged, p: float, gains: dict[int, float]) -> Values:
    """Return the values of RBP for a trec_eval column; gains are scaled to [0, 1] if a gain of the query lies outside.

    The smallest and the largest gain are those of the pairs and of the grades from 0 to the largest of
    the query. The gain of a document is (g − smallest)/(largest − smallest), or 0 if it has no gain at
    all, so two sums are enough: of the gains, and of the documents that have one.
    """
    levels = judged.qrels.levels
    plain = [gains.get(int(level), level) for level in levels.tolist()]
    total = _rbp(judged, p, plain, (gains.get(OUTSIDE, 0.0), gains.get(POOLED, 0.0)))
    low = min([0.0, *gains.values()])
    reach = [_largest_gain(int(level), gains) for level in levels.tolist()]
    top = np.full(len(judged.items), _largest_gain(-1, gains))
    filled = np.diff(judged.qrels.pool_offsets) > 0
    best = judged.qrels.pool[judged.qrels.pool_offsets[:-1][filled]]
    top[filled] = np.array(reach)[best]
    if low < 0:
        counted = _rbp(judged, p, [1.0] * len(levels), (OUTSIDE in gains, POOLED in gains))
        total = total - low * counted
    width = np.where((low < 0) | (top > 1), top - low, 1.0)
    return total / width


def _largest_gain(grade: int, gains: dict[int, float]) -> float:
    """Return the largest gain on trec_eval's command line, of the pairs and of the grades from 0 to this one."""
    while grade in gains and grade >= 0:  # grades with a pair are covered by it
        grade -= 1
    return max([0.0, float(grade), *gains.values()])


def rbp_residuals(judged: Judged, p: float) -> Values:
    """Return what RBP could still gain, a column of trec_eval; 0 if every retrieved document is judged, as in trec_eval."""
    residuals = _evaluate(judged, "RBPresidual", judged.qrels.levels, parameter=p)
    is_judged = judged.rankings.codes >= judged_code(judged)
    before = np.concatenate([[0], np.cumsum(is_judged)])
    known = np.diff(before[judged.rankings.offsets])
    return np.where(judged.retrieved > known, residuals, 0.0)


def _rbp(judged: Judged, p: float, by_level: list[float], unjudged: tuple[float, float]) -> Values:
    return _evaluate(judged, "RBP", by_level, unjudged, parameter=p)


def _evaluate(
    judged: Judged,
    kernel: str,
    by_level: Any,
    unjudged: tuple[float, float] = (0.0, 0.0),
    *,
    rel: int = 1,
    discount: str = "geometric",
    parameter: float = 2.0,
) -> Values:
    levels, first = judged.qrels.levels, judged_code(judged)
    gain = np.array(by_level, dtype=np.float64)
    gain[:first] = 0.0
    rankings, pool, added = judged.rankings, judged.qrels.pool, 0
    if any(unjudged):
        rankings, pool, added = *_filled(judged, first), 3 - first
        gain = np.concatenate([[*unjudged, 0.0], gain[first:]])
    measure = kernels.MeasureKernel(
        kernel,
        0,
        int(np.searchsorted(levels, max(rel, 0))) + added,
        first + added,
        gain,
        np.array([parameter]),
        discount,
        parameter,
        int(judged.retrieved.max(initial=0)),
    )
    values, _ = kernels.evaluate(
        rankings, judged.qrels.pool_offsets, pool, judged.streams, [measure]
    )
    return np.asarray(values[0])


def _filled(judged: Judged, first: int) -> tuple[kernels.JudgedRankings, NDArray[np.int32]]:
    """Return rankings that list every document, so that trec_eval's gains reach unjudged ones.

    The codes 0 and 1 are retrieved documents outside the qrels and of negative grade, 2 is a negative
    grade of the pool, which never has a gain, and the grades from 0 on follow.
    """
    offsets = np.concatenate([[0], np.cumsum(judged.retrieved)]).astype(np.int64)
    counts = np.diff(offsets)
    ranks = (np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts) + 1).astype(np.int32)
    codes = np.zeros(offsets[-1], dtype=np.int32)
    hits = np.repeat(offsets[:-1], np.diff(judged.rankings.offsets)) + judged.rankings.ranks - 1
    known = judged.rankings.codes
    codes[hits] = np.where(known < first, 1, known + (3 - first))
    pool = judged.qrels.pool
    shifted = np.where(pool < first, 2, pool + (3 - first)).astype(np.int32)
    return replace(judged.rankings, offsets=offsets, ranks=ranks, codes=codes), shifted


# Columns: each printed value, how it is computed and how it is averaged.


FLOOR = 0.00001
"""The value that replaces 0 in a geometric mean."""


@dataclass(frozen=True)
class Column:
    """One column of trec_eval, by its printed name; `values` returns one number per query of the qrels."""

    name: str
    values: Callable[[RankingEvaluation], NDArray[np.float64]]
    measure: Measure | None = None
    summary: Literal["mean", "sum", "geometric"] = "mean"
    integer: bool = False
    by_query: bool = True

    @property
    def cleared(self) -> bool:
        """Whether trec_eval 10 prints 0 in this column for queries that the run lacks, under -c."""
        return self.name in ("num_ret", "utility", "rbp_resid") or self.name.startswith("unj")


def columns_of(entry: Entry, typed: str, settings: Settings) -> list[Column]:
    """Return the columns of a measure of trec_eval with the parameters after its dot."""
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


def _value(measure: Measure, evaluation: RankingEvaluation) -> NDArray[np.float64]:
    return evaluation.values(measure)


def _logarithm(measure: Measure, evaluation: RankingEvaluation) -> NDArray[np.float64]:
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


# Requests: measure strings of pytrec_eval, such as `ndcg_cut.1,3,10`, and the columns they ask
# for.


SUPPORTED = tuple(
    name
    for name, entry in ENTRIES.items()
    if entry.since == 9 and entry.judges in (None, "grades") and name != "yaap"
)
"""The measures that pytrec_eval computes."""

NICKNAMES = {name: tuple(n for n in names if ENTRIES[n].since == 9) for name, names in SETS.items()}
"""The sets of measures, by name."""

_CONSTANTS = {"runid": 0.0, "num_q": 1.0, "relstring": 0.0}
_PARAMETERS = re.compile(r"(.+?)[._]([0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)")


class Requested(NamedTuple):
    """A requested key of trec_eval's result with its column, or with the same value for every query."""

    name: str
    column: Column | None
    constant: float = 0.0


def requested_columns(measures: Iterable[str], settings: Settings) -> list[Requested]:
    """Return the columns of trec_eval that the strings ask for, in its order.

    Raises `MeasureError`, a ValueError, for an unknown name and for parameters that are not possible.
    """
    asked = _parameters(measures)
    found: list[Requested] = []
    for name, entry in ENTRIES.items():
        if name not in asked:
            continue
        if name in _CONSTANTS:
            found.append(Requested(name, None, _CONSTANTS[name]))
            continue
        try:
            columns = columns_of(entry, ",".join(sorted(asked[name])), settings)
        except RefusedError as error:
            message = str(error).replace("trec_eval: ", "").replace("\n", ". ")
            raise MeasureError(f"unsupported parameters of {name}: {message}") from None
        by_parameter = entry.takes in ("cutoffs", "shares")
        found += [Requested(c.name if by_parameter else name, c) for c in columns]
    return found


def _parameters(measures: Iterable[str]) -> dict[str, set[str]]:
    """Return the parameters of each requested measure of trec_eval; those of several strings are joined."""
    asked: dict[str, set[str]] = {}
    if isinstance(measures, str):
        raise MeasureError(f"measures is {measures!r}; expected a list or set of names.")
    for measure in texts("measures", measures):
        if measure in NICKNAMES:
            for name in NICKNAMES[measure]:
                asked.setdefault(_supported(name, name), set())
        elif measure in SUPPORTED:
            asked.setdefault(measure, set())
        else:
            found = _PARAMETERS.match(measure)
            name = _supported(found.group(1) if found else "", measure)
            parameters = found.group(2).split(",") if found else []
            asked.setdefault(name, set()).update(parameters)
    return asked


def _supported(name: str, measure: str) -> str:
    if name not in SUPPORTED:
        hint = nearest(measure, [*SUPPORTED, *NICKNAMES])
        raise MeasureError(f"unsupported measure {measure}{'.' if hint else ''}{hint}")
    return name


# Empty rankings: trec_eval 9 divides 0 by 0 for interpolated precision.


def as_divided_by_zero(
    table: NDArray[np.float64], columns: Sequence[Requested], judged: Judged
) -> None:
    """Set trec_eval's interpolated precision to NaN where a ranking is empty and no relevant document is needed.

    tare's own value is 0.
    """
    empty = np.flatnonzero(judged.retrieved == 0)
    if len(empty) == 0:
        return
    for at, (_, column, _) in enumerate(columns):
        measure = column.measure if column is not None else None
        if measure is None or measure.name not in ("iPrec", "iPrecMean"):
            continue
        recalls = (
            [measure.cutoff or 0.0]
            if measure.name == "iPrec"
            else [float(recall) for recall in str(measure["recalls"]).split("/")]
        )
        needed = (np.outer(_relevant(judged, measure["rel"])[empty], recalls) + 0.9).astype(int)
        table[empty[(needed == 0).any(axis=1)], at] = np.nan


def _relevant(judged: Judged, level: float) -> NDArray[np.int64]:
    """Return the number of relevant documents of each query for trec_eval's columns."""
    qrels = judged.qrels
    before = np.concatenate([[0], np.cumsum(qrels.levels[qrels.pool] >= level)])
    return np.asarray(np.diff(before[qrels.pool_offsets]), dtype=np.int64)
