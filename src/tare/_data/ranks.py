"""Ranks: the rank of the relevant item of each query among its candidates, by system.

Results of link prediction and recommendation are often stored like this: the rank of the correct
answer and the number of candidates, without documents. Tied candidates give a range of ranks.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data import frames
from tare._data.columns import COLUMNS, ids_of, quoted
from tare._data.findings import Finding, listed
from tare._data.pools import MOST, NUMBERS, Candidates, read_candidates
from tare._data.table_files import table_in
from tare._files.opening import name_of
from tare.errors import MAX_REPORTED, FormatError, MismatchError, OptionError, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RankTable", "SystemRanks", "read_ranks", "refuse_bad_cells", "refuse_duplicates"]


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
        """The queries of all systems, in order of first appearance."""
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


def refuse_bad_cells(
    name: str,
    first: int,
    spots: list[str],
    cells: list[pl.Series],
    places: list[Any],
    raw: pl.Series,
    counts: Any,
) -> None:
    """Raise one error for all rows whose rank or number of candidates is not valid."""
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
    messages = [
        f"{name}, row {row + first}: {problems[row]}" for row in sorted(problems)[:MAX_REPORTED]
    ]
    raise_all(messages, len(problems))


def refuse_duplicates(name: str, first: int, systems: list[str], ids: list[str]) -> None:
    """Raise one error for all rows that repeat a query of the same system."""
    seen: dict[tuple[str, str], int] = {}
    problems = []
    for row, key in enumerate(zip(systems, ids, strict=True), first):
        if key in seen:
            problems.append(
                f"{name}, row {row}: duplicate query {key[1]!r} of system {key[0]!r} (first seen on row "
                f"{seen[key]}). Give each rank its own query id, such as 'head:17' and 'tail:17'."
            )
        seen.setdefault(key, row)
    raise_all(problems)


# Reader of ranks: from a file, a data frame, a dictionary or a sequence.


LOWEST = ("rank_min", "min_rank", "rank_low", "optimistic", "optimistic_rank")
HIGHEST = ("rank_max", "max_rank", "rank_high", "pessimistic", "pessimistic_rank")
SUFFIXES = ".csv, .tsv, .jsonl or .parquet"
LAYOUT = "A table of ranks has the columns query, rank (or rank_min and rank_max), candidates and, for several systems, system."


def read_ranks(source: Any, candidates: Any = None, *, system: str = "ranks") -> RankTable:
    """Read ranks and the number of candidates of each.

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
    import polars as pl

    if isinstance(source, RankTable):
        return source
    if isinstance(source, str | os.PathLike):
        table = table_in(source)
        if table is None:
            raise FormatError(f"{name_of(source)}: ranks are read from {SUFFIXES} files. {LAYOUT}")
        return _of_table(table.read(), name_of(source), candidates, table.first, system)
    if frames.is_frame(source):
        return _of_table(frames.to_polars(source), "data frame", candidates, 1, system)
    if isinstance(source, Mapping):
        rows = _rows_of_mapping(source, system)
        return _of_table(pl.DataFrame(rows, strict=False), "dictionary", candidates, 1, system)
    if isinstance(source, Sequence | np.ndarray) and not isinstance(source, str | bytes):
        return _of_sequence(source, candidates, system)
    raise FormatError(
        f"ranks cannot be read from a {type(source).__name__}. Accepted: a path, a data frame, "
        "{query: rank}, {query: (best, worst)}, {system: {query: rank}}, or a sequence of ranks."
    )


def _of_sequence(source: Any, candidates: Any, system: str) -> RankTable:
    import polars as pl

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
    return _of_table(pl.DataFrame(columns, strict=False), "sequence", candidates, 1, system)


def _places(given: Any) -> tuple[Any, Any]:
    """Return the best and the worst rank of a pair, or of a single number."""
    if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str | bytes):
        if len(given) != 2:
            raise FormatError(
                f"{given!r} is not a rank; give a number, or the pair (best, worst) of tied ranks."
            )
        return given[0], given[1]
    return given, given


def _rows_of_mapping(source: Mapping[Any, Any], system: str) -> dict[str, list[Any]]:
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


def _of_table(
    frame: pl.DataFrame, name: str, candidates: Any, first: int, system: str
) -> RankTable:
    """Return the systems of a table."""
    import polars as pl

    if frame.height == 0:
        raise FormatError(f"{name}: no ranks found. {LAYOUT}")
    known = {column.strip().lower(): column for column in reversed(frame.columns)}

    def column(spellings: tuple[str, ...]) -> str | None:
        return next((known[s] for s in spellings if s in known), None)

    query, rank = column(COLUMNS["query"]), column(COLUMNS["rank"])
    lowest, highest = column(LOWEST), column(HIGHEST)
    number, of_system = column(NUMBERS), column(COLUMNS["system"])
    lacking = [] if query else ["query"]
    if (lowest is None) != (highest is None):
        lacking.append("rank_min" if lowest is None else "rank_max")
    elif lowest is None and rank is None:
        lacking.append("rank")
    if number is None and candidates is None:
        lacking.append("candidates")
    if lacking:
        more = (
            " The number of candidates can also be given separately (--candidates FILE; in Python candidates=…)."
            if "candidates" in lacking
            else ""
        )
        raise FormatError(
            f"{name}: no column {', '.join(map(repr, lacking))}; found "
            f"{quoted(frame.columns)}. {LAYOUT}{more}"
        )
    if number is not None and candidates is not None:
        raise OptionError(
            f"{name} has a column {number!r}, and candidates are also given; give only one."
        )
    assert query is not None
    ids = _texts(frame[query], name, "query", first)
    names = (
        [system] * len(ids)
        if of_system is None
        else _texts(frame[of_system], name, "system", first)
    )
    spots = [lowest or rank, highest or rank]
    cells = [frame[str(spot)] for spot in spots]
    places = [_numbers(cell) for cell in cells]
    counts = _given(candidates, ids, name) if number is None else _numbers(frame[number])
    raw = pl.Series(counts) if number is None else frame[number]
    refuse_bad_cells(name, first, [str(s) for s in spots], cells, places, raw, counts)
    refuse_duplicates(name, first, names, ids)
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


def _texts(column: pl.Series, name: str, what: str, first: int) -> list[str]:
    import polars as pl

    try:
        found = ids_of(column).to_list()
    except pl.exceptions.PolarsError:
        raise FormatError(
            f"{name}: the column {column.name!r} holds {column.dtype}; a {what} must be text or a number."
        ) from None
    if None in found:
        raise FormatError(f"{name}, row {found.index(None) + first}: the {what} is missing.")
    return [str(one) for one in found]


def _numbers(column: pl.Series) -> Any:
    """Return the numbers of a column; NaN for cells that are not numbers."""
    import polars as pl

    if column.dtype == pl.String:
        column = column.str.strip_chars()
    if column.dtype == pl.Boolean:
        return np.full(len(column), np.nan)
    try:
        return column.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy().copy()
    except pl.exceptions.PolarsError:
        return np.full(len(column), np.nan)


def _given(candidates: Any, ids: list[str], name: str) -> Any:
    """Return the number of candidates of each row, from a separate source."""
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
