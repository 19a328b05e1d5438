"""Columns of battle files: the two systems, the prompt, the winner, the judge, and covariates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tare._data.columns import recognise
from tare.errors import FormatError, OptionError, nearest

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BattleColumns", "battle_columns", "text_of", "winner_words"]

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
JUDGE = ("judge", "worker", "annotator", "assessor", "rater", "judge_id", "worker_id", "user")
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
    """Return a column of ids or words as text without surrounding spaces."""
    import polars as pl

    kind = frame[column].dtype
    if not (kind.is_numeric() or kind in (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Null)):
        raise FormatError(f"{name}: the column {column!r} holds {kind}; expected text or numbers.")
    return frame[column].cast(pl.String, strict=False).str.strip_chars()


def _like_winners(frame: pl.DataFrame, column: str) -> bool:
    """Return whether most cells of a column are winners, and both systems win."""
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
    """Return the columns that exist for both systems: numbers by name, and texts."""
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
