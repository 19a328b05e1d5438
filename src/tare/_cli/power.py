"""`tare power`: how often tests find a difference, and how often they err without one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from cyclopts import Parameter

from tare._cli.options import Format, ReportFile
from tare._cli.output import emit
from tare._cli.reporting import can_be_written, tell
from tare._cli.verb import verb

__all__ = ["app", "power"]

app = verb(
    "power",
    "tare power scores.csv -m nDCG@10",
    "tare power scores.csv --first A B --second C D --documents --test t wilcoxon",
)


@app.default
def power(
    scores: str,
    *,
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    first: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None,
    second: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None,
    tests: Annotated[
        list[str] | None, Parameter(name="--test", consume_multiple=True, negative="")
    ] = None,
    items: int | None = None,
    documents: Annotated[bool, Parameter(negative="")] = False,
    side: Literal["both", "above", "below"] = "both",
    steps: Annotated[list[float] | None, Parameter(consume_multiple=True, negative="")] = None,
    alpha: float = 0.05,
    simulations: int | None = None,
    seed: int = 0,
    format: Format = None,
    report: ReportFile = None,
) -> None:
    """Say how often tests find a difference, and how often they err without one.

    With two groups of systems: the power of each test as one system moves from the scores of the
    first group to those of the second. Without: the size of each test on these scores, swapped at
    random so that nothing is there to find.

    Parameters
    ----------
    scores
        A score table: what `tare score --save` wrote, or system, item, measure, value.
    measure
        Which measure, if the table has several.
    first
        Systems whose scores both start from.
    second
        Systems whose scores one of them moves to.
    tests
        Tests to try.
    items
        Items in an experiment; as many as the table has, unless told.
    documents
        Take it into account that some items are easy and some are hard.
    side
        Cutoffs of both sides, or only where the second group scores above, or below, the first.
    steps
        Mixtures of the two groups, between 0 and 1; 0, 0.1, … 1 by default.
    alpha
        The level of the tests.
    simulations
        Experiments at each step.
    """
    from tare._measures.scores import Scores
    from tare.errors import OptionError
    from tare.stats import power_curve, sizes_of_tests
    from tare.stats._power import STEPS

    can_be_written(report)
    table = Scores.load(scores)
    if (first is None) != (second is None):
        raise OptionError("name both groups, --first and --second, or neither.")
    if first is None and (steps or side != "both"):
        raise OptionError(
            "--steps and --side belong to power curves: name --first and --second too."
        )
    chosen: dict[str, Any] = {"tests": tests, "simulations": simulations}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    if first is None or second is None:
        size = sizes_of_tests(
            table,
            measure=measure,
            alpha=alpha,
            seed=seed,
            **chosen,
        )
        emit(format, size.table, size.table)
        tell(size, report)
        return
    curve = power_curve(
        table,
        first,
        second,
        measure=measure,
        items=items,
        documents=documents,
        alpha=alpha,
        seed=seed,
        side=side,
        steps=steps or STEPS,
        **chosen,
    )
    emit(format, curve.table, curve.table)
    tell(curve, report)
