"""`tare power`: power and size of significance tests."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from cyclopts import Parameter

from tare._cli.engines import EngineOptions
from tare._cli.files import check_writable
from tare._cli.options import Format, ReportFile, Seed, verb
from tare._cli.output import emit
from tare._cli.results import write_report

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
    measure: Annotated[str | None, Parameter(name=["--measure", "--measures", "-m"])] = None,
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
    seed: Seed = 0,
    engine: Literal["local", "ray"] | None = None,
    address: str | None = None,
    format: Format = None,
    report: ReportFile = None,
) -> None:
    """Estimate the power and the size of significance tests.

    With two groups of systems: the power of each test as the scores of one system move from the first
    group to the second. Without groups: the size of each test on these scores, which are swapped at
    random so that there is no difference to detect.

    Parameters
    ----------
    scores
        Score table: written by `tare score --save`, or with the columns system, item, measure, value.
    measure
        Measure to use, if the table has several.
    first
        First group of systems; the scores of both simulated systems start here.
    second
        Second group of systems; the scores of one simulated system move here.
    tests
        Tests to try.
    items
        Items in each simulated experiment (default: as many as the table has).
    documents
        Simulate items of different difficulty.
    side
        Rejection on both sides, or only where the second group scores above, or below, the first.
    steps
        Mixtures of the two groups, between 0 and 1 (default: 0, 0.1, … 1).
    alpha
        Significance level of the tests.
    simulations
        Simulated experiments per step.
    engine
        Where experiments are simulated and random draws are made; the results are the same.
    address
        Address of the Ray cluster, such as auto or head:6379 (default: a cluster on this machine).
    """
    from tare._decide.pairs import matrix_of, pairs_of
    from tare._measures.scores import Scores
    from tare.errors import OptionError
    from tare.stats import power_curve, sizes_of_tests
    from tare.stats._power import STEPS

    check_writable(report)
    table = Scores.load(scores)
    if (first is None) != (second is None):
        raise OptionError("name both groups, --first and --second, or neither of them.")
    if first is None and (steps or side != "both"):
        raise OptionError(
            "--steps and --side apply to power curves; also name --first and --second."
        )
    chosen: dict[str, Any] = {"tests": tests, "simulations": simulations}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    options = EngineOptions(engine, address=address, unit="blocks")
    if first is None or second is None:
        with options.opened() as place:
            size = sizes_of_tests(
                pairs_of(table, measure=measure),
                alpha=alpha,
                seed=seed,
                engine=place,
                **chosen,
            )
        emit(format, size.table, size.table)
        write_report(size, report)
        return
    table = table.select(systems=[*dict.fromkeys([*first, *second])])
    with options.opened() as place:
        curve = power_curve(
            matrix_of(table, measure)[1],
            [table.systems.index(name) for name in first],
            [table.systems.index(name) for name in second],
            items=items,
            documents=documents,
            alpha=alpha,
            seed=seed,
            side=side,
            steps=steps or STEPS,
            engine=place,
            **chosen,
        )
    emit(format, curve.table, curve.table)
    write_report(curve, report)
