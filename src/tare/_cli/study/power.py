"""`tare study power`: the power of significance tests on given scores."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.engines import EngineOptions
from tare._cli.options import FiguresFolder, Format, Journal, ReportFile, RowsFolder, Seed, verb
from tare._cli.output import Progress
from tare._cli.results import show_study

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
    measure: Annotated[str | None, Parameter(name=["--measure", "--measures", "-m"])] = None,
    tests: Annotated[
        list[str] | None, Parameter(name="--test", consume_multiple=True, negative="")
    ] = None,
    effects: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None,
    items: int | None = None,
    side: Literal["both", "above", "below"] = "both",
    steps: Annotated[list[float] | None, Parameter(consume_multiple=True, negative="")] = None,
    alpha: float = 0.05,
    simulations: int = 10_000,
    seed: Seed = 0,
    engine: Literal["local", "ray"] | None = None,
    address: str | None = None,
    journal: Journal = None,
    save: RowsFolder = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Estimate the power of significance tests on scores like these.

    One system scores like the first group, the other moves towards the second group. Shows how often each
    test rejects, with and without document effects, at cutoffs that reject a share alpha if there is no
    difference; and the size of each test on these scores.

    Parameters
    ----------
    scores
        Score table: written by `tare score --save`, or with the columns system, item, measure, value.
    first
        Systems from whose scores both start, such as machines.
    second
        Systems to whose scores one of them moves, such as people.
    measure
        Measure to use, if the table has several.
    tests
        Tests to try (default: t, welch, wilcoxon and sign).
    effects
        with, without or both: whether to model that some items are easier than others.
    items
        Items in each simulated experiment (default: as many as the table has).
    side
        Rejection on both sides, or only where the second group scores above, or below, the first.
    steps
        Mixtures of the two groups, between 0 and 1 (default: 0, 0.1, … 1).
    alpha
        Significance level of the tests.
    simulations
        Simulated experiments per step; five times as many where there is no difference.
    engine
        Where experiments are simulated; the results are the same.
    address
        Address of the Ray cluster, such as auto or head:6379 (default: a cluster on this machine).
    """
    from tare._decide.power import TESTS
    from tare._decide.power import power as study
    from tare.stats._power import STEPS

    chosen, kinds = tuple(tests or TESTS), tuple(effects or ("without", "with"))
    options = EngineOptions(engine, address=address, unit="blocks")
    with options.opened() as place, Progress("simulating", len(chosen) * len(kinds)) as progress:
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
            engine=place,
            progress=progress,
            journal=journal,
        )
    show_study(found, format, save, report, figures)
