"""Battles: two systems answer the same prompt, and a judge names the better answer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tare._data.columns import COLUMNS, recognise
from tare._data.findings import Finding, TableSource
from tare._data.table_files import TABLES, table_in
from tare._data.tables import MISSING, InputTable, is_frame, read_table, to_polars
from tare._files.opening import name_of, plain_suffix
from tare.errors import MAX_REPORTED, FormatError, OptionError, choose, nearest, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "BattleColumns",
    "BattleSource",
    "Battles",
    "battle_columns",
    "coded_first",
    "coded_winners",
    "read_battles",
    "text_of",
    "winner_words",
]


# Columns of battle files: the two systems, the prompt, the winner, the judge, and covariates.


SIDES = (
    *(
        ("system_a", "system_b"),
        ("model_a", "model_b"),
        ("left", "right"),
        ("left_model", "right_model"),
    ),
    *(
        ("system_1", "system_2"),
        ("model_1", "model_2"),
        ("model1", "model2"),
        ("model_x", "model_y"),
    ),
    *(("player_a", "player_b"), ("a", "b"), ("x", "y")),
)
PROMPT = (
    *("prompt", "prompt_id", "question_id", "query", "query_id", "qid", "item", "item_id", "topic"),
    *("question", "instruction", "instance_id"),
)
WINNER = ("winner", "preferred", "preference", "choice", "verdict", "outcome")
ONE_HOT = ("winner_model_a", "winner_model_b", "winner_tie")
JUDGE = COLUMNS["assessor"]
FIRST = ("first", "shown_first", "first_shown", "position")
ENDINGS = (("_a", "_b"), ("_1", "_2"), ("_left", "_right"), ("_x", "_y"))
TEXTS = ("response", "answer", "output", "completion", "text")
LENGTHS = ("length", "len", "tokens", "words", "characters", "response_length", "token_len")
LIKE_WINNERS = 0.9  # share of cells that must be winners in a column of a judge

A = (
    "a",
    "model_a",
    "system_a",
    "left",
    "first",
    "1",
    "model_1",
    "system_1",
    "model1",
    "model_x",
    "x",
    "a wins",
)
B = (
    "b",
    "model_b",
    "system_b",
    "right",
    "second",
    "2",
    "model_2",
    "system_2",
    "model2",
    "model_y",
    "y",
    "b wins",
)
TIE = ("tie", "tied", "equal", "draw", "0", "=", "both", "both good", "c")
BAD = ("both bad", "bothbad", "tie (bothbad)", "tie(bothbad)", "both_bad", "bad", "neither", "none")


def winner_words() -> dict[str, int]:
    """Return the code of each word for a winner: 1 a, −1 b, 0 tie, 2 both bad."""
    return {
        **dict.fromkeys(A, 1),
        **dict.fromkeys(B, -1),
        **dict.fromkeys(TIE, 0),
        **dict.fromkeys(BAD, 2),
    }


class BattleColumns(NamedTuple):
    """The columns of a table of battles; `winners` has one column, or one per judge.

    `covariates` maps a name to the columns of both systems, and `texts` are columns whose lengths are
    the covariate "length" if no column of lengths exists.
    """

    systems: tuple[str, str]
    prompt: str | None
    winners: tuple[str, ...]
    wide: bool
    one_hot: tuple[str, ...]
    judge: str | None
    first: str | None
    sided: bool
    covariates: dict[str, tuple[str, str]]
    texts: tuple[str, str] | None


def battle_columns(
    frame: pl.DataFrame, name: str, winner: str | Sequence[str] | None = None
) -> BattleColumns:
    """Find the columns of a table of battles; `winner` names the columns that hold winners."""
    lowered = {column.strip().lower(): column for column in reversed(frame.columns)}
    pair = next((p for p in SIDES if p[0] in lowered and p[1] in lowered), None)
    if pair is None:
        raise FormatError(
            f"{name}: no columns of two systems, such as system_a and system_b; found "
            f"{', '.join(map(repr, frame.columns[:20]))}. Also accepted: "
            f"{', '.join(' and '.join(p) for p in SIDES[1:])}."
        )

    def one(names: Sequence[str]) -> str | None:
        return next((lowered[n] for n in names if n in lowered), None)

    used = {lowered[pair[0]], lowered[pair[1]]}
    wanted = [winner] if isinstance(winner, str) else list(winner or ())
    for column in wanted:
        if column not in frame.columns:
            raise OptionError(
                f"winner={column!r}: {name} has no such column; found "
                f"{', '.join(map(repr, frame.columns[:20]))}.{nearest(column, frame.columns)}"
            )
    one_hot: tuple[str, ...] = ()
    found = [] if wanted else [c for c in (one(WINNER),) if c is not None]
    wide = len(wanted) > 1
    if not wanted and not found:
        if all(n in lowered for n in ONE_HOT):
            one_hot = tuple(lowered[n] for n in ONE_HOT)
        else:
            known = {c for n in (PROMPT, JUDGE, FIRST) for c in (one(n),) if c}
            found = [c for c in frame.columns if c not in used | known and _like_winners(frame, c)]
            wide = True
        if not found and not one_hot:
            recognise(list(lowered), ["preferred"], name)  # raises: no column of winners
    sides = {lowered[n] for p in SIDES for n in p if n in lowered}
    paired, texts = _pairs(frame, lowered, sides | {*wanted, *found, *one_hot})
    return BattleColumns(
        (lowered[pair[0]], lowered[pair[1]]),
        one(PROMPT),
        tuple(wanted or found),
        wide,
        one_hot,
        None if wide else one(JUDGE),
        one(FIRST),
        "left" in lowered and "right" in lowered,
        paired,
        texts,
    )


def text_of(frame: pl.DataFrame, column: str, name: str) -> pl.Series:
    """Return a column of a table of battles (ids or words) as text without surrounding spaces."""
    import polars as pl

    kind = frame[column].dtype
    if not (kind.is_numeric() or kind in (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Null)):
        raise FormatError(f"{name}: the column {column!r} holds {kind}; expected text or numbers.")
    return frame[column].cast(pl.String, strict=False).str.strip_chars()


def _like_winners(frame: pl.DataFrame, column: str) -> bool:
    """Return whether a column of battles names winners in most cells, and both systems win."""
    import polars as pl

    given = frame[column]
    if not (given.dtype == pl.String or given.dtype.is_integer()):
        return False
    cells = given.cast(pl.String, strict=False).drop_nulls().str.strip_chars().str.to_lowercase()
    words = winner_words()
    if not cells.len() or cells.is_in(list(words)).mean() < LIKE_WINNERS:  # type: ignore[operator]
        return False
    codes = {words[w] for w in cells.unique().to_list() if w in words}
    return {1, -1} <= codes


def _pairs(
    frame: pl.DataFrame, lowered: dict[str, str], used: set[str]
) -> tuple[dict[str, tuple[str, str]], tuple[str, str] | None]:
    """Return the columns of battles that exist for both systems: covariates by name, and texts of answers."""
    import polars as pl

    paired: dict[str, tuple[str, str]] = {}
    texts: tuple[str, str] | None = None
    for low, column in lowered.items():
        for mine, theirs in ENDINGS:
            stem = low.removesuffix(mine).rstrip("_")
            other = lowered.get(low[: len(low) - len(mine)] + theirs)
            if not low.endswith(mine) or not stem or other is None or {column, other} & used:
                continue
            kinds = [frame[c].dtype for c in (column, other)]
            if stem in TEXTS and all(kind == pl.String for kind in kinds):
                texts = texts or (column, other)
                continue
            if not all(kind == pl.String or kind.is_numeric() for kind in kinds):
                continue
            parts = [frame[c].cast(pl.Float64, strict=False) for c in (column, other)]
            if all(p.null_count() < p.len() for p in parts):
                paired.setdefault("length" if stem in LENGTHS else stem, (column, other))
    return paired, texts


# Winners and positions of battles as codes.


ACCEPTED = (
    "Accepted: the name of one of the two systems, a, b, left, right, 1, 2, tie (0) and both bad."
)


def coded_winners(
    base: pl.DataFrame,
    source: InputTable,
    columns: BattleColumns,
    column: str | None,
    unknown: str,
) -> tuple[pl.DataFrame, list[Finding]]:
    """Return the battles of one column of winners, and findings about winners that were left out."""
    import polars as pl

    findings: list[Finding] = []
    frame, name = source.frame, source.name
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
    """Return the words of a column of battles, null where one is missing; whole numbers lose their decimal point."""
    import polars as pl

    words = text_of(frame, column, name).str.replace(r"^(\d)\.0$", "$1")
    missing = pl.col(words.name).str.to_lowercase().is_in(list(MISSING))
    return words.to_frame().select(pl.when(~missing).then(pl.col(words.name))).to_series()


def _one_hot(frame: pl.DataFrame, columns: tuple[str, ...], name: str) -> pl.Series:
    """Return the winner of each battle from three columns of 0 and 1: a, b and tie."""
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
    table: pl.DataFrame, source: InputTable, columns: BattleColumns, first: str | None
) -> pl.Series:
    """Return which system of each battle was shown first: 1 for a, −1 for b, 0 if it is unknown."""
    import polars as pl

    frame, name = source.frame, source.name
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
            f"{source.where(int(k))}: {given[int(k)]!r} (column {column!r}) is not the system that was shown "
            "first. Accepted: one of the two names, a, b, left, right, 1 or 2, or an empty cell."
            for k in bad[:MAX_REPORTED]
        ],
        len(bad),
    )
    return codes


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
        """The judges of the battles, sorted; empty if the source names none."""
        return tuple(sorted(j for j in self.frame["judge"].unique().to_list() if j is not None))

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, sorted."""
        names = set(self.frame["a"].unique().to_list()) | set(self.frame["b"].unique().to_list())
        return tuple(sorted(names, key=str.encode))

    def __repr__(self) -> str:
        return f"Battles({self.name!r}: {len(self):,} battles of {len(self.systems):,} systems)"


BattleSource: TypeAlias = "TableSource | Battles"
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
    if isinstance(source, Battles):
        return source
    if isinstance(source, str | os.PathLike):
        file = table_in(source)
        if file is None:
            raise FormatError(
                f"{name_of(source)}: battles are read from tables: {', '.join(TABLES)}; found the suffix "
                f"{plain_suffix(source)!r}."
            )
        table = read_table(file)
    elif is_frame(source):
        table = InputTable("data frame", to_polars(source))
    elif isinstance(source, Iterable) and not isinstance(source, Mapping):
        table = InputTable("rows", _of_rows(list(source)))
    else:
        raise FormatError(
            f"battles cannot be read from a {type(source).__name__}. Accepted: a path, a data frame, rows "
            "(prompt, system_a, system_b, winner)."
        )
    name = table.name
    if not len(table):
        raise FormatError(f"{name}: no battles found; the table is empty.")
    columns = battle_columns(table.frame, name, winner)
    base = _base(table, columns, first)
    names: list[str | None] = list(columns.winners)
    made = []
    findings: list[Finding] = []
    for column in names or [None]:
        part, found = coded_winners(base, table, columns, column, unknown)
        made.append(part)
        findings += found
    whole = pl.concat(made)
    if not whole.height:
        raise FormatError(f"{name}: no battle has a winner that can be read.")
    covariates = tuple(c[2:] for c in whole.columns if c.startswith("x:"))
    return Battles(whole, covariates, columns.prompt is not None, name, tuple(findings))


def _of_rows(rows: list[Any]) -> pl.DataFrame:
    """Return rows of battles, given as tuples or dictionaries, as a frame of texts."""
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


def _base(source: InputTable, columns: BattleColumns, first: str | None) -> pl.DataFrame:
    """Return the columns of battles that all winners share; problems of all rows are reported together."""
    import polars as pl

    frame, name = source.frame, source.name

    def text(column: str | None, part: str) -> pl.Series:
        if column is None:
            return pl.Series(part, [None], dtype=pl.String).new_from_index(0, frame.height)
        return text_of(frame, column, name).alias(part)

    a, b = columns.systems
    table = pl.DataFrame(
        [
            pl.Series("row", source.line_numbers),
            text(columns.prompt, "prompt"),
            text(a, "a"),
            text(b, "b"),
            text(columns.judge, "judge"),
        ]
    )
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
    return table.with_columns(coded_first(table, source, columns, first), *differences)
