"""The tables of the study of battles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tare._result import Rows
from tare._tables import Column, Table, interval_column

if TYPE_CHECKING:
    from tare.studies._arena.result import Arena

__all__ = [
    "biases",
    "both_orders",
    "conclusions",
    "covariates",
    "estimates",
    "fit",
    "fit_rows",
    "judges",
    "next_battles",
    "ratings",
    "residuals",
]

MAX_LETTERED = 26
SHOWN = 10
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
        Column("best in draws", 3),
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
            s.best,
            *([s.letters] if lettered else []),
            s.battles,
        )
        for s in study.systems
    ]
    level = f"{100 * (1 - study.alpha):g} %"
    notes = [
        f"{RULES[study.ties]}, {study.battles:,} battles; intervals by the sandwich over "
        f"{study.units:,} {UNITS[study.cluster]} ({level}); ranks with {level} confidence for all systems of a "
        f"component together ({study.draws:,} draws, seed {study.seed}).",
        "Rating: logit of winning, mean 0. Win rate: expected against the other systems; 0.5 is the mean.",
        *study.notes,
    ]
    return Table.of(columns, rows, title="Ratings", notes=notes)


def covariates(study: Arena) -> Table | None:
    """Return the effect of each covariate."""
    if not study.covariates:
        return None
    columns: list[Column | str] = [
        "covariate",
        Column("effect"),
        interval_column("interval"),
        Column("per unit", 6),
        Column("p"),
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


def fit_rows(study: Arena) -> Rows:
    """Return the goodness of fit and the cyclic triads as one row."""
    return [
        {
            **vars(study.goodness),
            **{f"triads_{k}" if k != "triads" else k: v for k, v in vars(study.triads).items()},
        }
    ]


def fit(study: Arena) -> Table:
    """Return the goodness of fit and the cyclic triads."""
    good, triads = study.goodness, study.triads
    columns: list[Column | str] = [
        Column("check", align="left"),
        Column("value", 2),
        Column("expected", 2),
        Column("design effect", 2),
        Column("p"),
    ]
    rows: list[tuple[Any, ...]] = [
        (
            "deviance from the pair model",
            good.deviance,
            good.freedom * good.design_effect,
            good.design_effect,
            good.p_value,
        ),
        ("cyclic triads", triads.cyclic, triads.expected, None, triads.p_value),
    ]
    notes = [
        f"A small p means that one rating per system is not enough. Deviance: {good.freedom:,} degrees of "
        "freedom, divided by the design effect of dependent battles.",
        f"Cyclic triads among {triads.triads:,} triads; if coins decided, {triads.coin:,.1f} would be cyclic. "
        "Expected: simulated from the ratings.",
    ]
    return Table.of(columns, rows, title="Goodness of fit", notes=notes)


def residuals(study: Arena) -> Table:
    """Return the pairs that differ most from the ratings."""
    rows = sorted(study.pairs, key=lambda r: (-abs(r["residual"]), r["a"], r["b"]))[:SHOWN]
    columns: list[Column | str] = [
        "system",
        "against",
        Column("battles", 0),
        Column("score", 3),
        Column("expected", 3),
        Column("residual", 2),
    ]
    cells = [
        (r["a"], r["b"], r["battles"], r["score"], r["expected_score"], r["residual"]) for r in rows
    ]
    note = "Score: share of wins, a tie counts half. Residual: observed − expected, in standard deviations."
    return Table.of(columns, cells, title="Pairs that differ most from the ratings", notes=[note])


def both_orders(study: Arena) -> Table | None:
    """Return position bias by battles in both orders."""
    found = study.both_orders
    if found is None:
        return None
    columns: list[Column | str] = [
        Column("battles", 0),
        Column("same outcome", 0),
        Column("first favoured", 0),
        Column("second favoured", 0),
        Column("bias", 3),
        Column("p"),
    ]
    cells = [(found.battles, found.same, found.first, found.second, found.bias, found.p_value)]
    note = "Battles of the same systems and prompt that one judge saw in both orders; exact test over prompts."
    return Table.of(columns, cells, title="Both orders", notes=[note])


def judges(study: Arena) -> Table | None:
    """Return the agreement of judges with people."""
    rows = study.judge_rows.get("judges")
    if not rows:
        return None
    columns: list[Column | str] = [
        "judge",
        Column("battles", 0),
        Column("equal", 3),
        Column("kappa", 3),
        interval_column("kappa interval", digits=3),
        Column("both decisive", 0),
        Column("equal if decisive", 3),
    ]
    cells = [
        (
            r["judge"],
            r["battles"],
            r["equal"],
            r["kappa"],
            (r["kappa_low"], r["kappa_high"]),
            r["decisive"],
            r["decisive_equal"],
        )
        for r in rows
    ]
    note = "Most frequent outcome of each prompt and pair; κ with ties as a class, intervals over prompts."
    return Table.of(columns, cells, title="Judges and people on the same battles", notes=[note])


def biases(study: Arena) -> Table | None:
    """Return the biases of people and judges."""
    rows = study.judge_rows.get("biases")
    if not rows:
        return None
    columns: list[Column | str] = [
        "judge",
        "toward",
        Column("effect", 3),
        interval_column("interval", digits=3),
        Column("p"),
    ]
    cells = [
        (r["judge"], r["toward"], r["effect"], (r["effect_low"], r["effect_high"]), r["p_value"])
        for r in rows
    ]
    note = "Effect on the logit of winning, net of the ratings; length per standard deviation of the difference."
    return Table.of(columns, cells, title="Biases of judges", notes=[note])


def conclusions(study: Arena) -> Table | None:
    """Return the nine cells of conclusions about pairs of systems."""
    rows = study.judge_rows.get("conclusions")
    if not rows:
        return None
    words = ("better", "none", "worse")
    columns: list[Column | str] = [
        "judge",
        "by people",
        Column("judge: better", 0),
        Column("none", 0),
        Column("worse", 0),
    ]
    cells = [(r["judge"], h, *(r[f"{h}_{j}"] for j in words)) for r in rows for h in words]
    note = f"Pairs of systems by what people and the judge conclude about them (α = {study.alpha:g} for each pair)."
    return Table.of(columns, cells, title="Conclusions of people and judges", notes=[note])


def estimates(study: Arena) -> Table | None:
    """Return win rates of pairs from people's battles and all battles of a judge."""
    rows = study.judge_rows.get("win rates")
    if not rows:
        return None
    columns: list[Column | str] = [
        "judge",
        "system",
        "against",
        Column("prompts", 0),
        Column("more by judge", 0),
        Column("win rate", 3),
        interval_column("interval", digits=3),
        Column("people alone", 3),
        interval_column("people interval", digits=3),
    ]
    cells = [
        (
            r["judge"],
            r["a"],
            r["b"],
            r["prompts"],
            r["more"],
            r["win_rate"],
            (r["low"], r["high"]),
            r["people"],
            (r["people_low"], r["people_high"]),
        )
        for r in rows
    ]
    note = "Win rate of the system by people, a tie counts half; the judge's battles of further prompts reduce the error without bias (prediction-powered inference)."
    return Table.of(columns, cells, title="Win rates from people and judges together", notes=[note])


def next_battles(study: Arena) -> Table | None:
    """Return the next battles."""
    if not study.next:
        return None
    columns: list[Column | str] = [
        Column("order", 0),
        "system",
        "against",
        "prompt",
        Column("gain", 5),
    ]
    cells = [(k, r["a"], r["b"], r["prompt"] or "", r["gain"]) for k, r in enumerate(study.next, 1)]
    note = "Gain: expected decrease of the mean width of the rank intervals; pairs that connect components come first."
    return Table.of(columns, cells, title="Next battles", notes=[note])
