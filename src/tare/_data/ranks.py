"""Ranks: the rank of the relevant item of each query among its candidates, by system.

Results of link prediction and recommendation are often stored like this: the rank of the correct
answer and the number of candidates, without documents. Tied candidates give a range of ranks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.columns import quoted
from tare._data.findings import Finding, listed
from tare._data.pools import MOST, Candidates, read_candidates
from tare._data.tables import InputTable, Layout, is_columns, numbers_of, rows_of
from tare.errors import MAX_REPORTED, FormatError, MismatchError, OptionError, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RankTable", "SystemRanks", "read_ranks"]


Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SystemRanks:
    """The ranks of one system: the best and worst rank per query, and the number of candidates."""

    system: str
    queries: tuple[str, ...]
    low: Array
    high: Array
    candidates: NDArray[np.int64]

    @property
    def tied(self) -> NDArray[np.bool_]:
        """Whether each item is tied with other candidates."""
        return self.low < self.high

    @property
    def middle(self) -> Array:
        """The mean of the tied ranks."""
        return (self.low + self.high) / 2


@dataclass(frozen=True, eq=False)
class RankTable:
    """The ranks of several systems; each system has its own queries."""

    name: str
    systems: tuple[SystemRanks, ...]

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The queries of the ranks of all systems, in order of first appearance."""
        return tuple(dict.fromkeys(q for ranks in self.systems for q in ranks.queries))

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify these ranks; the order of rows does not matter."""
        made = hashlib.blake2b(digest_size=4)
        for ranks in sorted(self.systems, key=lambda one: one.system):
            cells = (
                ranks.queries,
                ranks.low.tolist(),
                ranks.high.tolist(),
                ranks.candidates.tolist(),
            )
            made.update(repr((ranks.system, sorted(zip(*cells, strict=True)))).encode())
        return made.hexdigest()

    def refuse_halves(self, ties: str) -> None:
        """Raise an error for ranks such as 2.5, means of tied ranks, which need ties=realistic."""
        for ranks in self.systems:
            halves = np.flatnonzero(ranks.low != np.floor(ranks.low))
            if len(halves):
                q = int(halves[0])
                raise FormatError(
                    f"{self.name}: query {ranks.queries[q]!r} has rank {ranks.low[q]:g}, a mean of tied "
                    f"ranks ({len(halves):,} such queries of {ranks.system}). ties={ties} needs the range "
                    "of tied ranks: give rank_min and rank_max, or use ties=realistic."
                )

    def above(self, *, keep: bool) -> list[Finding]:
        """Return a finding about ranks above their number of candidates; raise an error unless `keep`."""
        found = {
            ranks.system: np.flatnonzero(ranks.high > ranks.candidates) for ranks in self.systems
        }
        count = sum(map(len, found.values()))
        if count == 0:
            return []
        ranks = next(one for one in self.systems if len(found[one.system]))
        q = int(found[ranks.system][0])
        by_system = listed(
            [f"{system} {len(where):,}" for system, where in found.items() if len(where)]
        )
        if not keep:
            raise MismatchError(
                f"{self.name}: {count:,} ranks are greater than their number of candidates "
                f"({', '.join(by_system)}); {ranks.system} has rank {ranks.high[q]:g} of "
                f"{int(ranks.candidates[q]):,} on query {ranks.queries[q]!r}. Are the ranks and the candidates "
                "from the same setting (filtered or raw, head or tail)? To score them anyway: "
                "--ranks-above keep; in Python ranks_above='keep'."
            )
        total = sum(len(one.queries) for one in self.systems)
        message = f"{count:,} of {total:,} ranks are greater than their number of candidates and were kept."
        return [Finding("ranks above the candidates", message, count, examples=by_system)]


# Checks of a table of ranks: cells that are not valid, and duplicate queries.


def _refuse_bad_cells(
    table: InputTable, cells: list[pl.Series], places: list[Any], raw: pl.Series, counts: Any
) -> None:
    """Raise one error for all rows of ranks whose rank or number of candidates is not valid."""
    spots = [cell.name for cell in cells]
    low, high = places
    single = spots[0] == spots[1]
    halves = np.where(low == high, 2, 1)  # the mean of tied ranks may end in .5
    problems: dict[int, str] = {}
    for spot, cell, place in zip(spots, cells, places, strict=True):
        steps = halves * place
        with np.errstate(invalid="ignore"):
            bad = ~((place >= 1) & (place <= MOST) & (steps == np.floor(steps)))
        accepted = "a whole number, 1 or more" + (
            " (or a mean of tied ranks, such as 2.5)" if single else ""
        )
        for row in np.flatnonzero(bad):
            problems.setdefault(
                int(row), f"the {spot} {cell[int(row)]!r} is not a rank; accepted: {accepted}."
            )
    for row in np.flatnonzero(low > high):
        problems.setdefault(
            int(row), f"{spots[0]} {low[row]:g} is greater than {spots[1]} {high[row]:g}."
        )
    with np.errstate(invalid="ignore"):
        bad = ~((counts >= 1) & (counts <= MOST) & (counts == np.floor(counts)))
    for row in np.flatnonzero(bad):
        problems.setdefault(
            int(row),
            f"{raw[int(row)]!r} is not a number of candidates; accepted: a whole number, 1 or more.",
        )
    messages = [f"{table.where(row)}: {problems[row]}" for row in sorted(problems)[:MAX_REPORTED]]
    raise_all(messages, len(problems))


def _refuse_duplicates(table: InputTable, systems: list[str], ids: list[str]) -> None:
    """Raise one error for all rows of ranks that repeat a query of the same system."""
    seen: dict[tuple[str, str], int] = {}
    problems = []
    for row, (system, query) in enumerate(zip(systems, ids, strict=True)):
        first = seen.setdefault((system, query), row)
        if first != row:
            problems.append(
                f"{table.where(row)}: duplicate query {query!r} of system {system!r} (first seen on "
                f"{table.place(first)}). Give each rank its own query id, such as 'head:17' and 'tail:17'."
            )
    raise_all(problems)


# Reader of ranks: from a file, a data frame, a dictionary or a sequence.


LAYOUT = Layout(
    "ranks",
    (),
    ("query", "rank", "rank_min", "rank_max", "candidates", "system"),
    accepted="{query: rank}, {query: (best, worst)}, {system: {query: rank}}, a sequence of ranks, rows",
)
SHAPE = "A table of ranks has the columns query, rank (or rank_min and rank_max), candidates and, for several systems, system."


def read_ranks(source: Any, candidates: Any = None, *, system: str = "ranks") -> RankTable:
    """Read the ranks of relevant items and the number of candidates of each.

    Parameters
    ----------
    source : path, data frame, dict or sequence
        A table with the columns query, rank (or rank_min and rank_max), candidates and, for several
        systems, system; a dictionary {query: rank}, {query: (best, worst)} or
        {system: {query: rank}}; or a sequence of ranks, whose queries are numbered from 1.
    candidates : int, dict, sequence or path, optional
        The number of candidates, if the source does not contain it: one number, {query: number}, one
        number per rank, or a file.
    system : str, default "ranks"
        The name of the system, if the source does not contain it.

    Returns
    -------
    RankTable
        The ranks of each system.

    Raises
    ------
    FormatError
        If a rank or a number of candidates is not valid.

    Examples
    --------
    >>> table = read_ranks([1, 3], [10, 10])
    >>> table.systems[0].middle.tolist()
    [1.0, 3.0]
    """
    if isinstance(source, RankTable):
        return source
    if isinstance(source, Mapping) and not is_columns(source, ("query",)):
        columns = _columns_of_mapping(source, system)
        return _of_columns(columns, "dictionary", candidates, system)
    if isinstance(source, Sequence | np.ndarray) and not isinstance(source, str | bytes):
        first = source[0] if len(source) else None
        if not isinstance(first, Mapping) and not hasattr(first, "_fields"):
            return _of_sequence(source, candidates, system)
    return _of_table(rows_of(source, LAYOUT), candidates, system)


def _of_columns(
    columns: Mapping[str, list[Any]], name: str, candidates: Any, system: str
) -> RankTable:
    import polars as pl

    table = InputTable(name, pl.DataFrame(columns, strict=False)).recognised(LAYOUT)
    return _of_table(table, candidates, system)


def _of_sequence(source: Any, candidates: Any, system: str) -> RankTable:
    lows, highs = zip(*map(_places, source), strict=True) if len(source) else ((), ())
    columns = {
        "query": [str(k) for k in range(1, len(lows) + 1)],
        "rank_min": list(lows),
        "rank_max": list(highs),
    }
    if isinstance(candidates, Sequence | np.ndarray) and not isinstance(candidates, str | bytes):
        if len(candidates) != len(lows):
            raise MismatchError(
                f"{len(lows):,} ranks and {len(candidates):,} numbers of candidates; give one per rank."
            )
        columns["candidates"] = list(candidates)
        candidates = None
    return _of_columns(columns, "sequence", candidates, system)


def _places(given: Any) -> tuple[Any, Any]:
    """Return the best and the worst rank of tied candidates from a pair, or from a single number."""
    if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str | bytes):
        if len(given) != 2:
            raise FormatError(
                f"{given!r} is not a rank; give a number, or the pair (best, worst) of tied ranks."
            )
        return given[0], given[1]
    return given, given


def _columns_of_mapping(source: Mapping[Any, Any], system: str) -> dict[str, list[Any]]:
    nested = [isinstance(inner, Mapping) for inner in source.values()]
    if any(nested) and not all(nested):
        raise FormatError(
            "dictionary: expected either {query: rank} or {system: {query: rank}}, not both."
        )
    systems = source if nested and all(nested) else {system: source}
    columns: dict[str, list[Any]] = {"system": [], "query": [], "rank_min": [], "rank_max": []}
    for name, ranks in systems.items():
        for query, given in ranks.items():
            low, high = _places(given)
            for column, cell in zip(
                columns.values(), (str(name), str(query), low, high), strict=True
            ):
                column.append(cell)
    return columns


def _of_table(table: InputTable, candidates: Any, system: str) -> RankTable:
    """Return the systems of a table."""
    import polars as pl

    if not len(table):
        raise FormatError(f"{table.name}: no ranks found. {SHAPE}")
    _refuse_lacking(table, candidates)
    name, number = table.name, table.columns.get("candidates")
    if number is not None and candidates is not None:
        raise OptionError(
            f"{name} has a column {number!r}, and candidates are also given; give only one."
        )
    ids = table.ids("query").to_list()
    names = table.ids("system").to_list() if "system" in table.columns else [system] * len(ids)
    ends = ("rank_min", "rank_max") if "rank_min" in table.columns else ("rank", "rank")
    cells = [table.series(role) for role in ends]
    places = [_numbers(cell) for cell in cells]
    counts = _given(candidates, ids, name) if number is None else _numbers(table.frame[number])
    raw = pl.Series(counts) if number is None else table.frame[number]
    _refuse_bad_cells(table, cells, places, raw, counts)
    _refuse_duplicates(table, names, ids)
    groups: dict[str, list[int]] = {}
    for row, one in enumerate(names):
        groups.setdefault(one, []).append(row)
    return RankTable(
        name,
        tuple(
            SystemRanks(
                one,
                tuple(ids[row] for row in rows),
                places[0][rows],
                places[1][rows],
                counts[rows].astype(np.int64),
            )
            for one, rows in groups.items()
        ),
    )


def _refuse_lacking(table: InputTable, candidates: Any) -> None:
    """Raise one error for all columns that a table of ranks lacks."""
    found = table.columns
    lacking = [] if "query" in found else ["query"]
    if ("rank_min" in found) != ("rank_max" in found):
        lacking.append("rank_max" if "rank_min" in found else "rank_min")
    elif "rank_min" not in found and "rank" not in found:
        lacking.append("rank")
    if "candidates" not in found and candidates is None:
        lacking.append("candidates")
    if lacking:
        more = (
            " The number of candidates can also be given separately (--candidates FILE; in Python candidates=…)."
            if "candidates" in lacking
            else ""
        )
        raise FormatError(
            f"{table.name}: no column {', '.join(map(repr, lacking))}; found "
            f"{quoted(table.frame.columns)}. {SHAPE}{more}"
        )


def _numbers(column: pl.Series) -> Any:
    """Return the numbers of a column of ranks; NaN for cells that are not numbers."""
    import polars as pl

    if column.dtype == pl.Boolean:
        return np.full(len(column), np.nan)
    try:
        return numbers_of(column).fill_null(float("nan")).to_numpy().copy()
    except pl.exceptions.PolarsError:
        return np.full(len(column), np.nan)


def _given(candidates: Any, ids: list[str], name: str) -> Any:
    """Return the number of candidates of each rank, from a source apart from the table of ranks."""
    found: Candidates = read_candidates(candidates)
    if found.lists is not None:
        raise FormatError(
            f"{found.name}: ranks need the number of candidates per query, but lists of documents were found."
        )
    counts = [found.count(query) for query in ids]
    absent = list(dict.fromkeys(q for q, n in zip(ids, counts, strict=True) if n is None))
    if absent:
        raise MismatchError(
            f"{found.name}: {len(absent):,} queries of {name} have no candidates "
            f"({', '.join(absent[:5])}{', …' if len(absent) > 5 else ''})."
        )
    return np.array(counts, dtype=np.float64)
