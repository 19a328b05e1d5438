"""The tables of the study of battles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tare._tables import Column, PColumn, Table, interval_column

if TYPE_CHECKING:
    from tare._decide.arena.result import Arena

__all__ = ["covariates", "pairs", "ratings"]

MAX_LETTERED = 26
SHOWN = 20
RULES = {
    "davidson": "Bradley–Terry with ties by Davidson",
    "rao-kupper": "Bradley–Terry with ties by Rao and Kupper",
    "half": "Bradley–Terry, a tie is half a win for each",
}
UNITS = {"prompt": "prompts", "judge": "judges", "battle": "battles"}


def ratings(study: Arena) -> Table:
    """Return one row per system, best first."""
    lettered = len(study.systems) <= MAX_LETTERED
    several = len(study.components) > 1
    adjusted = bool(study.covariates)
    columns: list[Column | str] = [
        *([Column("component", 0)] if several else []),
        Column("rank", 0),
        Column("ranks", 0, parts=("low", "high"), between="–"),
        Column("system", align="left"),
        Column("rating", 3),
        interval_column("interval", digits=3),
        *([Column("unadjusted", 3)] if adjusted else []),
        Column("Elo scale", 0),
        Column("win rate", 3),
        PColumn("p to best"),
        *([Column("letters", align="left")] if lettered else []),
        Column("battles", 0),
    ]
    rows: list[tuple[Any, ...]] = [
        (
            *([s.component] if several else []),
            s.rank,
            (s.rank_low, s.rank_high),
            s.system,
            s.rating,
            (s.low, s.high),
            *([s.unadjusted] if adjusted else []),
            s.elo,
            s.win_rate,
            None if s.rank == 1 else s.p_best,
            *([s.letters] if lettered else []),
            s.battles,
        )
        for s in study.systems
    ]
    level = f"{100 * (1 - study.alpha):g} %"
    notes = [
        f"{RULES[study.ties]}, {study.battles:,} battles; intervals by the sandwich over "
        f"{study.units:,} {UNITS[study.cluster]} ({level}, each rating alone).",
        f"Ranks: all intervals of a component together contain the true ranks in about {level} of "
        f"samples; {_patterns(study)} of {UNITS[study.cluster]}, adjusted by the largest |t| "
        "of all pairs.",
        "Rating: logit of winning, mean 0. Win rate: expected against the other systems; 0.5 is the mean.",
        *study.notes,
    ]
    return Table.of(columns, rows, title="Ratings", notes=notes)


def _patterns(study: Arena) -> str:
    if study.flips.exact:
        return f"all {study.flips.patterns:,} sign patterns"
    return f"{study.flips.patterns:,} drawn sign patterns (seed {study.seed})"


def covariates(study: Arena) -> Table | None:
    """Return the effect of each covariate."""
    if not study.covariates:
        return None
    columns: list[Column | str] = [
        "covariate",
        Column("effect"),
        interval_column("interval"),
        Column("per unit", 6),
        PColumn("p"),
    ]
    rows = [
        (
            r["covariate"],
            r["effect"],
            (r["effect_low"], r["effect_high"]),
            r["per_unit"],
            r["p_value"],
        )
        for r in study.covariates
    ]
    note = (
        "Effect on the logit of winning: of being shown first (position), or of one standard deviation of the "
        "difference between the two answers. The ratings hold for equal covariates."
    )
    return Table.of(columns, rows, title="Covariates", notes=[note])


def pairs(study: Arena) -> Table:
    """Return the win rates of the pairs with the most battles."""
    rows = sorted(study.pairs, key=lambda r: (-r["battles"], r["a"], r["b"]))
    columns: list[Column | str] = [
        "system",
        "against",
        Column("battles", 0),
        Column("wins", 0),
        Column("ties", 0),
        Column("losses", 0),
        Column("win rate", 3),
        Column("expected", 3),
    ]
    names = ("a", "b", "battles", "wins", "ties", "losses", "win_rate", "expected_win_rate")
    cells = [tuple(r[name] for name in names) for r in rows[:SHOWN]]
    notes = ["Win rate: a tie counts half. Expected: by the ratings and covariates."]
    if len(rows) > SHOWN:
        notes.append(f"The {SHOWN} pairs with the most battles, of {len(rows):,}.")
    return Table.of(columns, cells, title="Pairs of systems", notes=notes)
