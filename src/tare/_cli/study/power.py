"""`tare study power`: how much tests find on scores like these."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import FiguresFolder, Format, ReportFile
from tare._cli.output import Progress
from tare._cli.study.answers import tell
from tare._cli.verb import verb

__all__ = ["app", "power"]

app = verb(
    "power",
    "tare study power scores.csv --first A B --second C D --simulations 500",
    "tare study power scores.csv --first A --second D --effects without --test t --simulations 500",
)
Names = Annotated[list[str], Parameter(consume_multiple=True, negative="")]


@app.default
def power(
    scores: str,
    *,
    first: Names,
    second: Names,
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    tests: Annotated[
        list[str] | None, Parameter(name="--test", consume_multiple=True, negative="")
    ] = None,
    effects: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None,
    items: int | None = None,
    side: Literal["both", "above", "below"] = "both",
    steps: Annotated[list[float] | None, Parameter(consume_multiple=True, negative="")] = None,
    alpha: float = 0.05,
    simulations: int = 10_000,
    seed: int = 0,
    journal: Path | None = None,
    save: Path | None = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Say how much tests find on scores like these.

    One system scores like the first group, the other moves to the second: how often each test
    rejects, without and with document effects, at cutoffs that reject a share alpha where nothing
    is to be found; and the size of each test on these scores.

    Parameters
    ----------
    scores
        A score table: what `tare score --save` wrote, or system, item, measure, value.
    first
        Systems whose scores both start from, such as machines.
    second
        Systems whose scores one of them moves to, such as people.
    measure
        Which measure, if the table has several.
    tests
        Tests to try: t, welch, wilcoxon and sign unless told.
    effects
        with, without or both: whether some items are easy and some are hard.
    items
        Items in an experiment; as many as the table has, unless told.
    side
        Cutoffs of both sides, or only where the second group scores above, or below, the first.
    steps
        Mixtures of the two groups, between 0 and 1; 0, 0.1, … 1 by default.
    alpha
        The level of the tests.
    simulations
        Experiments at each step; five times as many where nothing is to be found.
    seed
        For everything that is drawn.
    journal
        A file that keeps what is done: the same call goes on from there after an interruption.
    save
        Write the rows behind the tables as CSV into this folder.
    """
    from tare.stats._power import STEPS
    from tare.studies import power as study
    from tare.studies._power.study import TESTS

    chosen, kinds = tuple(tests or TESTS), tuple(effects or ("without", "with"))
    progress = Progress(len(chosen) * len(kinds), "simulating")
    try:
        found = study(
            scores,
            first,
            second,
            measure=measure,
            tests=chosen,
            effects=kinds,
            items=items,
            alpha=alpha,
            simulations=simulations,
            null_simulations=5 * simulations,
            side=side,
            steps=steps or STEPS,
            seed=seed,
            progress=progress,
            journal=journal,
        )
    finally:
        progress.end()
    tell(found, format, save, report, figures)
