"""`tare power`: power and size of significance tests."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare import stats
from tare._cli.engines import EngineOptions
from tare._cli.output import emit
from tare._cli.types import Input, OneMeasure, Output, Several
from tare._cli.verb import Given, verb_of
from tare._decide.pairs import matrix_of, pairs_of
from tare._measures.scores import Scores
from tare.errors import OptionError

__all__ = ["power"]

Names = Annotated[list[str] | None, Several]


@verb_of(
    stats.power_curve,
    "tare power scores.csv -m nDCG@10",
    "tare power scores.csv --first A B --second C D --documents --test t wilcoxon",
    without=("draws", "null_simulations"),
)
def power(
    scores: Input,
    *,
    measure: OneMeasure = None,
    first: Names = None,
    second: Names = None,
    tests: Annotated[list[str] | None, Parameter(name="--test", consume_multiple=True)] = None,
    items: int | None = None,
    documents: bool = False,
    side: Literal["both", "above", "below"] = "both",
    steps: Annotated[list[float] | None, Several] = None,
    simulations: int | None = None,
    engine: EngineOptions,
    output: Output,
    **options: Given,
) -> None:
    """Estimate the power and the size of significance tests.

    With two groups of systems: the power of each test as the scores of one system move from the first
    group to the second. Without groups: the size of each test on these scores, which are swapped at
    random so that there is no difference to detect.

    Parameters
    ----------
    scores
        Score table: written by `tare score --save`, or with the columns system, item, measure, value.
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
    simulations
        Simulated experiments per step.
    """
    table = Scores.load(scores)
    if (first is None) != (second is None):
        raise OptionError("name both groups, --first and --second, or neither of them.")
    if first is None and (steps or side != "both"):
        raise OptionError(
            "--steps and --side apply to power curves; also name --first and --second."
        )
    optional = {"tests": tests, "simulations": simulations}
    options |= {name: value for name, value in optional.items() if value is not None}
    with engine.opened() as place:
        options |= {"engine": place}
        made: stats.Sizes | stats.PowerCurve
        if first is None or second is None:
            made = stats.sizes_of_tests(pairs_of(table, measure=measure), **options)
        else:
            if steps:
                options["steps"] = steps
            table = table.select(systems=[*dict.fromkeys([*first, *second])])
            rows = ([table.systems.index(name) for name in group] for group in (first, second))
            options |= {"items": items, "documents": documents, "side": side}
            made = stats.power_curve(matrix_of(table, measure)[1], *rows, **options)
    emit(output.format, made.table, made.table)
    output.write_report(made)
