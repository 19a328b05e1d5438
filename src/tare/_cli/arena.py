"""`tare arena`: ratings of systems from battles."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.files import check_file_names, check_writable
from tare._cli.options import FiguresFolder, Format, ReportFile, RowsFolder, Seed, verb
from tare._cli.output import Progress, say_findings
from tare._cli.results import show_study

__all__ = ["app", "arena"]

app = verb(
    "arena",
    "tare arena battles.csv --covariates length,position",
    "tare arena battles.csv --draws 200 --report arena.html",
)
Names = Annotated[list[str] | None, Parameter(negative="", consume_multiple=True)]


@app.default
def arena(
    battles: str,
    *,
    covariates: Names = None,
    cluster: Literal["auto", "prompt", "judge", "battle"] = "auto",
    ties: Literal["davidson", "rao-kupper", "half"] = "davidson",
    both_bad: Literal["tie", "drop"] = "tie",
    winner: Names = None,
    first: str | None = None,
    unknown: Literal["refuse", "drop"] = "refuse",
    prior: float | None = None,
    alpha: float = 0.05,
    draws: int = 1000,
    seed: Seed = 0,
    save: RowsFolder = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> int:
    """Rate systems from battles, with rank intervals.

    BATTLES is a table with one row per battle: system_a, system_b, winner (a, b, tie, both bad, or the
    name of a system), and optionally prompt, judge, first, and pairs of covariates such as length_a and
    length_b. The ratings come from Bradley and Terry's model with ties. Systems that no chain of battles
    connects are never ranked against each other.

    Parameters
    ----------
    battles
        The table of battles: .csv, .tsv, .jsonl or .parquet.
    covariates
        Covariates to test and to remove, such as length and position.
    cluster
        What is a sample (default: prompts if they are known, otherwise battles).
    ties
        The model of ties.
    both_bad
        Battles in which both answers are bad: count them as ties, or drop them.
    winner
        The column of winners; several columns are one judge each. The battles of all judges are rated
        together.
    first
        The system that was shown first: a, b, or a column that names it.
    unknown
        Winners that cannot be read: refuse them, or drop and count them.
    prior
        Standard deviation of a normal prior of the ratings (default: none, or 3 where a system won or
        lost everything).
    alpha
        Error rate of the intervals.
    draws
        Number of sign patterns that are drawn, where there are more.
    """
    from tare._decide.arena import arena as rated

    check_file_names(battles)
    check_writable(report)
    names = [c.strip() for given in covariates or () for c in given.split(",") if c.strip()]
    with Progress("rating", None) as progress:
        made = rated(
            battles,
            covariates=names,
            cluster=cluster,
            ties=ties,
            both_bad=both_bad,
            winner=winner,
            first=first,
            unknown=unknown,
            prior=prior,
            alpha=alpha,
            draws=draws,
            seed=seed,
            progress=progress,
        )
    show_study(made, format, save, report, figures)
    say_findings(made.findings)
    return 0
