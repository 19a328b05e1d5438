"""Battles: two systems answer the same prompt, and a judge names the better answer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from tare._data import frames
from tare._data.battle_columns import BattleColumns, battle_columns, text_of
from tare._data.battle_winners import coded_first, coded_winners
from tare._data.findings import Finding
from tare._data.inputs import Table
from tare._data.rows import TABLES, first_row
from tare._files.opening import name_of, plain_suffix
from tare.errors import MAX_REPORTED, FormatError, choose, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BattleSource", "Battles", "read_battles"]

UNKNOWN = ("refuse", "drop")


@dataclass(frozen=True, eq=False)
class Battles:
    """Battles of any number of judges. Made by `read_battles`.

    Attributes
    ----------
    frame : polars.DataFrame
        One row per battle: prompt, a, b, outcome (1 if a won, −1 if b won, 0 for a tie), bad (both
        answers were bad), judge, first (1 if a was shown first, −1 if b was, 0 if unknown), and one
        column "x:name" per covariate with its value for a minus its value for b.
    covariates : tuple of str
        The names of the covariates.
    prompts : bool
        Whether the source names prompts.
    name : str
        The source, as named in messages.
    findings : tuple of Finding
        Properties of the data that users should know.
    """

    frame: pl.DataFrame
    covariates: tuple[str, ...]
    prompts: bool
    name: str
    findings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        return self.frame.height

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges, sorted; empty if the source names none."""
        return tuple(sorted(j for j in self.frame["judge"].unique().to_list() if j is not None))

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, sorted."""
        names = set(self.frame["a"].unique().to_list()) | set(self.frame["b"].unique().to_list())
        return tuple(sorted(names, key=str.encode))

    def __repr__(self) -> str:
        return f"Battles({self.name!r}: {len(self):,} battles of {len(self.systems):,} systems)"


BattleSource: TypeAlias = "Table | Battles"
"""A path, a data frame, rows (prompt, system_a, system_b, winner), or battles."""


def read_battles(
    source: BattleSource,
    *,
    winner: str | Sequence[str] | None = None,
    first: str | None = None,
    unknown: str = "refuse",
) -> Battles:
    """Read battles.

    Parameters
    ----------
    source : path, data frame, rows or Battles
        A table (.jsonl, .csv, .tsv, .parquet; text also as .gz or .zst) with the columns system_a,
        system_b, winner, and optionally prompt, judge, first, and pairs of covariates such as length_a
        and length_b. Common names are recognised (model_a, left, model_1, question_id, worker, …), as are
        tables with one column of winners per judge. Rows are (prompt, system_a, system_b, winner[, judge]).
    winner : str or sequence of str, optional
        The column of winners; several columns are one judge each.
    first : str, optional
        "a" or "b" if that system was always shown first, or the column that names it.
    unknown : {"refuse", "drop"}
        Winners that cannot be read raise an error, or are counted and left out.

    Returns
    -------
    Battles

    Raises
    ------
    FormatError
        If columns are missing, a system battles itself, or a winner cannot be read.
    UnreadableError
        If the file cannot be read.

    Examples
    --------
    >>> read_battles([("p1", "x", "y", "a"), ("p2", "y", "x", "tie")])
    Battles('rows': 2 battles of 2 systems)
    """
    import polars as pl

    choose("unknown", unknown, UNKNOWN)
    start = 1
    if isinstance(source, Battles):
        return source
    if isinstance(source, str | os.PathLike):
        name, suffix = name_of(source), plain_suffix(source)
        if suffix not in TABLES:
            raise FormatError(
                f"{name}: battles are read from tables: {', '.join(TABLES)}; found the suffix {suffix!r}."
            )
        frame, start = TABLES[suffix].read(source), first_row(source)
    elif frames.is_frame(source):
        frame, name = frames.to_polars(source), "data frame"
    elif isinstance(source, Iterable) and not isinstance(source, Mapping):
        frame, name = _of_rows(list(source)), "rows"
    else:
        raise FormatError(
            f"battles cannot be read from a {type(source).__name__}. Accepted: a path, a data frame, rows "
            "(prompt, system_a, system_b, winner)."
        )
    if not frame.height:
        raise FormatError(f"{name}: no battles found; the table is empty.")
    columns = battle_columns(frame, name, winner)
    base = _base(frame, columns, name, start, first)
    names: list[str | None] = list(columns.winners)
    made = []
    findings: list[Finding] = []
    for column in names or [None]:
        part, found = coded_winners(base, frame, columns, column, name, start, unknown)
        made.append(part)
        findings += found
    whole = pl.concat(made)
    if not whole.height:
        raise FormatError(f"{name}: no battle has a winner that can be read.")
    covariates = tuple(c[2:] for c in whole.columns if c.startswith("x:"))
    return Battles(whole, covariates, columns.prompt is not None, name, tuple(findings))


def _of_rows(rows: list[Any]) -> pl.DataFrame:
    """Return rows of tuples or dictionaries as a frame of texts."""
    import polars as pl

    if rows and isinstance(rows[0], Mapping):
        return pl.DataFrame([dict(row) for row in rows], infer_schema_length=None, strict=False)
    names = ("prompt", "system_a", "system_b", "winner", "judge")
    widths = {
        len(row) if isinstance(row, Sequence) and not isinstance(row, str) else 0 for row in rows
    }
    if rows and (len(widths) != 1 or not widths <= {4, 5}):
        raise FormatError(
            "rows: expected (prompt, system_a, system_b, winner[, judge]) in each row."
        )
    cells = [[None if cell is None else str(cell) for cell in row] for row in rows]
    width = widths.pop() if rows else 4
    return pl.DataFrame(cells, schema=dict.fromkeys(names[:width], pl.String), orient="row")


def _base(
    frame: pl.DataFrame, columns: BattleColumns, name: str, start: int, first: str | None
) -> pl.DataFrame:
    """Return the columns that all winners share; problems of all rows are reported together."""
    import polars as pl

    def text(column: str | None, part: str) -> pl.Series:
        if column is None:
            return pl.Series(part, [None], dtype=pl.String).new_from_index(0, frame.height)
        return text_of(frame, column, name).alias(part)

    a, b = columns.systems
    table = pl.DataFrame(
        [text(columns.prompt, "prompt"), text(a, "a"), text(b, "b"), text(columns.judge, "judge")]
    ).with_row_index("row", offset=start)
    missing = [
        (pl.col(part).is_null() | (pl.col(part) == ""), what)
        for part, what in (("a", "system"), ("b", "system"), ("prompt", "prompt"))
        if part != "prompt" or columns.prompt is not None
    ]
    problems: list[str] = []
    count = 0
    for mask, what in missing:
        bad = table.filter(mask)
        count += bad.height
        problems += [
            f"{name}, row {row}: the {what} is missing." for row in bad["row"][:MAX_REPORTED]
        ]
    same = table.filter(pl.col("a") == pl.col("b"))
    count += same.height
    problems += [
        f"{name}, row {row}: the system {a!r} battles itself. A battle has two different systems."
        for row, a in same.select("row", "a").head(MAX_REPORTED).iter_rows()
    ]
    differences = []
    for covariate, pair in columns.covariates.items():
        mine, theirs = (frame[c].cast(pl.Float64, strict=False) for c in pair)
        differences.append((mine - theirs).alias(f"x:{covariate}"))
    if columns.texts is not None and "length" not in columns.covariates:
        mine, theirs = (
            frame[c].cast(pl.String, strict=False).str.len_chars().cast(pl.Float64)
            for c in columns.texts
        )
        differences.append((mine - theirs).alias("x:length"))
    raise_all(problems, count)
    return table.with_columns(coded_first(table, frame, columns, name, start, first), *differences)
