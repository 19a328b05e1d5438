"""Reader of ranks: from a file, a data frame, a dictionary or a sequence."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data import frames
from tare._data.candidates import NUMBERS, Candidates, read_candidates
from tare._data.columns import COLUMNS, quoted
from tare._data.odd_columns import ids_of
from tare._data.rank_checks import refuse_bad_cells, refuse_duplicates
from tare._data.ranks import RankTable, SystemRanks
from tare._data.rows import TABLES, first_row
from tare._files.opening import name_of, plain_suffix
from tare.errors import FormatError, MismatchError, OptionError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_ranks"]

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
        module = TABLES.get(plain_suffix(source))
        if module is None:
            raise FormatError(f"{name_of(source)}: ranks are read from {SUFFIXES} files. {LAYOUT}")
        return _of_table(
            module.read(source), name_of(source), candidates, first_row(source), system
        )
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
