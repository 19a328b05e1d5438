"""`tare design`: the number of items that an evaluation needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tare import stats
from tare._cli.output import emit
from tare._cli.types import Input, OneMeasure, Printing
from tare._cli.verb import Given, group, verb_of
from tare._decide.estimates import Estimates
from tare._decide.labels_needed import queries_for_width
from tare._decide.pairs import pairs_of
from tare._measures.scores import Scores

if TYPE_CHECKING:
    from tare._tables import Table

__all__ = ["app"]

app = group(
    "design",
    "tare design t --difference 0.05 --deviation 0.2",
    "tare design pilot scores.csv A B --test wilcoxon",
    help="Compute how many items an evaluation needs.",
)


def _print(made: Table, format: str | None) -> None:
    emit(format, lambda: made, lambda: made)


@app.command
@verb_of(
    stats.items_for_t,
    "tare design t --difference 0.05 --deviation 0.2",
    "tare design t --difference 0.03 --deviation 0.15 --power 0.9",
)
def t(*, difference: float, deviation: float, printing: Printing, **options: Given) -> None:
    """Items that the paired t-test needs to detect a mean difference.

    Parameters
    ----------
    deviation
        Standard deviation of the differences.
    """
    _print(stats.items_for_t(difference, deviation, **options).table(), printing.format)


@app.command
@verb_of(
    stats.items_for_anova,
    "tare design anova --systems 10 --difference 0.1 --deviation 0.25",
    "tare design anova --systems 3 --difference 0.05 --deviation 0.2 --power 0.9",
)
def anova(
    *,
    systems: int,
    difference: float,
    deviation: float,
    printing: Printing,
    **options: Given,
) -> None:
    """Items that one-way analysis of variance needs to detect a difference between best and worst system.

    Parameters
    ----------
    difference
        Difference between the best and the worst system to detect.
    """
    made = stats.items_for_anova(systems, difference, deviation, **options)
    _print(made.table(), printing.format)


@app.command
@verb_of(
    stats.items_for_interval,
    "tare design interval --width 0.1 --deviation 0.2",
    "tare design interval --width 0.05 --deviation 0.2 --alpha 0.01",
)
def interval(*, width: float, deviation: float, printing: Printing, **options: Given) -> None:
    """Items that keep the interval of a mean difference within a given width.

    Parameters
    ----------
    alpha
        The confidence level of the interval is 1 − alpha.
    """
    _print(stats.items_for_interval(width, deviation, **options).table(), printing.format)


@app.command
@verb_of(
    stats.items_from_pilot,
    "tare design pilot scores.csv hybrid bm25 --measure nDCG@10",
    "tare design pilot scores.csv A B --difference 0.03 --test wilcoxon --power 0.9",
    without=("draws",),
)
def pilot(
    scores: Input,
    system: str,
    against: str,
    *,
    measure: OneMeasure = None,
    printing: Printing,
    **options: Given,
) -> None:
    """Items needed, by simulation: experiments are resampled from the differences in a pilot.

    The pilot's own sampling error is not counted: more often than not a small pilot gives too few
    items.

    Parameters
    ----------
    scores
        Score table: written by `tare score --save`, or with the columns system, item, measure, value.
    system
        One system of the pilot.
    against
        The system to compare it with.
    difference
        Difference to detect (default: the difference in the pilot).
    test
        Significance test to use.
    simulations
        Simulated experiments for each number of items.
    """
    pair = pairs_of(Scores.load(scores).select(systems=[system, against]), measure=measure)
    made = stats.items_from_pilot(pair.differences[0], **options)
    _print(made.table(), printing.format)


@app.command
@verb_of(
    queries_for_width,
    "tare design judge --pilot estimates.parquet --width 0.05",
    "tare design judge --pilot estimates.parquet --width 0.04 --system dense --against bm25 -m nDCG@10",
)
def judge(
    *,
    pilot: Input,
    width: float,
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    printing: Printing,
    **options: Given,
) -> None:
    """Queries that people must label, with and without a model's labels, for a narrow interval.

    Parameters
    ----------
    pilot
        File that `tare estimate --save` wrote.
    width
        Largest width of the interval of a difference.
    measure
        Measure to use, if the estimates have several.
    system
        One system (default: the pair with the widest interval).
    against
        The system to compare it with.
    queries
        Number of queries that the model labels (default: as in the pilot).
    """
    made = queries_for_width(Estimates.load(pilot), width, measure=measure, **options)
    _print(made.table(), printing.format)
