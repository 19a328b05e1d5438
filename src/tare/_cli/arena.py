"""`tare arena`: ratings of systems from battles."""

from __future__ import annotations

from typing import Annotated

import tare
from tare._cli.output import Progress
from tare._cli.results import say_findings
from tare._cli.types import Input, Several, StudyOutput
from tare._cli.verb import Given, verb_of

__all__ = ["arena"]


@verb_of(
    tare.arena,
    "tare arena battles.csv --covariates length,position",
    "tare arena battles.csv --draws 200 --report arena.html",
)
def arena(
    battles: Input,
    *,
    covariates: Annotated[list[str] | None, Several] = None,
    output: StudyOutput,
    **options: Given,
) -> None:
    """Rate systems from battles, with rank intervals.

    BATTLES is a table with one row per battle: system_a, system_b, winner (a, b, tie, both bad, or the
    name of a system), and optionally prompt, judge, first, and pairs of covariates such as length_a and
    length_b. The ratings come from Bradley and Terry's model with ties. Systems that no chain of battles
    connects are never ranked against each other.

    Parameters
    ----------
    battles
        The table of battles: .csv, .tsv, .jsonl or .parquet.
    draws
        Number of sign patterns that are drawn, where there are more.
    """
    names = [c.strip() for given in covariates or () for c in given.split(",") if c.strip()]
    with Progress("rating", None) as progress:
        made = tare.arena(battles, covariates=names, progress=progress, **options)
    output.show(made)
    say_findings(made.findings)
