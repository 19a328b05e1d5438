"""Winners and positions of battles as codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._data.battle_columns import BattleColumns, text_of, winner_words
from tare._data.findings import Finding
from tare.errors import MAX_REPORTED, OptionError, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = ["coded_first", "coded_winners"]

ACCEPTED = (
    "Accepted: the name of one of the two systems, a, b, left, right, 1, 2, tie (0) and both bad."
)


def coded_winners(
    base: pl.DataFrame,
    frame: pl.DataFrame,
    columns: BattleColumns,
    column: str | None,
    name: str,
    start: int,
    unknown: str,
) -> tuple[pl.DataFrame, list[Finding]]:
    """Return the battles of one column of winners, and findings about winners that were left out."""
    import polars as pl

    findings: list[Finding] = []
    judge = column if columns.wide else None
    given = (
        _one_hot(frame, columns.one_hot, name) if column is None else _plain(frame, column, name)
    )
    table = base.with_columns(given.alias("given"))
    if judge is not None:
        table = table.with_columns(pl.lit(judge).alias("judge"))
    words = winner_words()
    low = pl.col("given").str.to_lowercase()
    by_word = low.replace_strict(words, default=None, return_dtype=pl.Int8)
    by_name = (
        pl.when(pl.col("given") == pl.col("a"))
        .then(1)
        .when(pl.col("given") == pl.col("b"))
        .then(-1)
    ).cast(pl.Int8)
    table = table.with_columns(by_word.alias("word"), by_name.alias("name"))
    clash = table.filter(pl.col("word").is_not_null() & (pl.col("word") != pl.col("name")))
    problems = [
        f"{name}, row {row}: the winner {given!r} is the name of a system and also a word for another "
        "outcome. Rename the system, or write a, b or tie."
        for row, given in clash.select("row", "given").head(MAX_REPORTED).iter_rows()
    ]
    raise_all(problems, clash.height)
    table = table.with_columns(pl.coalesce("name", "word").alias("code"))
    lost = table.filter(pl.col("code").is_null())
    if lost.height and unknown == "refuse":
        rows = lost.select("row", "given", "a", "b").head(MAX_REPORTED).iter_rows()
        problems = [f"{name}, row {row}: {_shown(given, a, b)}" for row, given, a, b in rows]
        problems[0] += f" {ACCEPTED} unknown=drop (--unknown drop) leaves such battles out."
        raise_all(problems, lost.height)
    if lost.height:
        whose = f" of {judge}" if judge else ""
        counts = lost["given"].fill_null("").value_counts(sort=True, name="n").head(3)
        what = tuple(f"{g or 'empty'!r} ({n:,})" for g, n in counts.iter_rows())
        message = f"{lost.height:,} winners{whose} could not be read; these battles were left out."
        findings.append(Finding("unknown winners", message, lost.height, examples=what))
    kept = table.filter(pl.col("code").is_not_null()).with_columns(
        pl.when(pl.col("code") == 2)
        .then(0)
        .otherwise(pl.col("code"))
        .cast(pl.Int8)
        .alias("outcome"),
        (pl.col("code") == 2).alias("bad"),
    )
    return kept.drop("given", "word", "name", "code"), findings


def _shown(given: str | None, a: str, b: str) -> str:
    if not given:
        return "the winner is missing."
    return f"the winner {given[:60]!r} is neither {a!r} nor {b!r} nor a tie."


def _plain(frame: pl.DataFrame, column: str, name: str) -> pl.Series:
    """Return the words of a column; whole numbers lose their decimal point."""
    return text_of(frame, column, name).str.replace(r"^(\d)\.0$", "$1")


def _one_hot(frame: pl.DataFrame, columns: tuple[str, ...], name: str) -> pl.Series:
    """Return the winner from three columns of 0 and 1: a, b and tie."""
    import polars as pl

    flags = [text_of(frame, c, name).cast(pl.Float64, strict=False) for c in columns]
    table = pl.DataFrame({"a": flags[0], "b": flags[1], "tie": flags[2]}).with_columns(
        pl.sum_horizontal("a", "b", "tie").alias("sum")
    )
    one = pl.col("sum") == 1
    return table.select(
        pl.when(one & (pl.col("a") == 1))
        .then(pl.lit("a"))
        .when(one & (pl.col("b") == 1))
        .then(pl.lit("b"))
        .when(one & (pl.col("tie") == 1))
        .then(pl.lit("tie"))
    ).to_series()


def coded_first(
    table: pl.DataFrame,
    frame: pl.DataFrame,
    columns: BattleColumns,
    name: str,
    start: int,
    first: str | None,
) -> pl.Series:
    """Return which system was shown first: 1 for a, −1 for b, 0 if it is unknown."""
    import polars as pl

    column = first if first is not None and first in frame.columns else columns.first
    if first in ("a", "b") and first not in (*columns.systems, columns.first):
        return (
            pl.Series("first", [1 if first == "a" else -1])
            .cast(pl.Int8)
            .new_from_index(0, table.height)
        )
    if first is not None and first not in frame.columns:
        raise OptionError(
            f"first={first!r}: {name} has no such column. Accepted: a, b, or a column that names the system "
            "that was shown first."
        )
    if column is None:
        known = 1 if columns.sided else 0  # the left answer is read first
        return pl.Series("first", [known]).cast(pl.Int8).new_from_index(0, table.height)
    given = _plain(frame, column, name)
    words = {w: c for w, c in winner_words().items() if c in (1, -1)}
    codes = (
        table.with_columns(given.alias("given"))
        .select(
            pl.when(pl.col("given") == pl.col("a"))
            .then(1)
            .when(pl.col("given") == pl.col("b"))
            .then(-1)
            .when(pl.col("given").is_null() | (pl.col("given") == ""))
            .then(0)
            .otherwise(
                pl.col("given")
                .str.to_lowercase()
                .replace_strict(words, default=None, return_dtype=pl.Int8)
            )
            .cast(pl.Int8)
            .alias("first")
        )
        .to_series()
    )
    bad = codes.is_null().arg_true()
    raise_all(
        [
            f"{name}, row {int(k) + start}: {given[int(k)]!r} (column {column!r}) is not the system that was shown "
            "first. Accepted: one of the two names, a, b, left, right, 1 or 2, or an empty cell."
            for k in bad[:MAX_REPORTED]
        ],
        len(bad),
    )
    return codes
