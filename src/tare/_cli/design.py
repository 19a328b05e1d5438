"""`tare design`: the number of items that an evaluation needs."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from tare._cli.options import Format, Seed
from tare._cli.output import emit

__all__ = ["app"]

app = App(
    name="design",
    help="Compute how many items an evaluation needs.",
    help_epilogue="Examples:\n\n    tare design t --difference 0.05 --deviation 0.2\n    tare design pilot scores.csv A B --test wilcoxon",
    help_format="markdown",
)


@app.command
def t(
    *,
    difference: float,
    deviation: float,
    alpha: float = 0.05,
    power: float = 0.8,
    format: Format = None,
) -> None:
    """Items that the paired t-test needs to detect a mean difference.

    **Examples**

        tare design t --difference 0.05 --deviation 0.2
        tare design t --difference 0.03 --deviation 0.15 --power 0.9

    Parameters
    ----------
    difference
        Mean difference to detect.
    deviation
        Standard deviation of the differences.
    alpha
        Significance level of the test.
    power
        Probability to detect the difference.
    """
    from tare.stats import items_for_t

    made = items_for_t(difference, deviation, alpha=alpha, power=power).table()
    emit(format, lambda: made, lambda: made)


@app.command
def anova(
    *,
    systems: int,
    difference: float,
    deviation: float,
    alpha: float = 0.05,
    power: float = 0.8,
    format: Format = None,
) -> None:
    """Items that one-way analysis of variance needs to detect a difference between best and worst system.

    **Examples**

        tare design anova --systems 10 --difference 0.1 --deviation 0.25
        tare design anova --systems 3 --difference 0.05 --deviation 0.2 --power 0.9

    Parameters
    ----------
    systems
        Number of systems.
    difference
        Difference between the best and the worst system to detect.
    deviation
        Standard deviation of the scores within a system.
    alpha
        Significance level of the test.
    power
        Probability to detect the difference.
    """
    from tare.stats import items_for_anova

    made = items_for_anova(systems, difference, deviation, alpha=alpha, power=power).table()
    emit(format, lambda: made, lambda: made)


@app.command
def interval(*, width: float, deviation: float, alpha: float = 0.05, format: Format = None) -> None:
    """Items that keep the interval of a mean difference within a given width.

    **Examples**

        tare design interval --width 0.1 --deviation 0.2
        tare design interval --width 0.05 --deviation 0.2 --alpha 0.01

    Parameters
    ----------
    width
        Largest expected width of the interval.
    deviation
        Standard deviation of the differences.
    alpha
        The confidence level of the interval is 1 − alpha.
    """
    from tare.stats import items_for_interval

    made = items_for_interval(width, deviation, alpha=alpha).table()
    emit(format, lambda: made, lambda: made)


@app.command
def pilot(
    scores: str,
    system: str,
    against: str,
    *,
    measure: Annotated[str | None, Parameter(name=["--measure", "--measures", "-m"])] = None,
    difference: float | None = None,
    test: str = "t",
    alpha: float = 0.05,
    power: float = 0.8,
    simulations: int = 2000,
    most: int = 5000,
    seed: Seed = 0,
    format: Format = None,
) -> None:
    """Items needed, by simulation: experiments are resampled from the differences in a pilot.

    The pilot's own sampling error is not counted: more often than not a small pilot gives too few
    items.

    **Examples**

        tare design pilot scores.csv hybrid bm25 --measure nDCG@10
        tare design pilot scores.csv A B --difference 0.03 --test wilcoxon --power 0.9

    Parameters
    ----------
    scores
        Score table: written by `tare score --save`, or with the columns system, item, measure, value.
    system
        One system of the pilot.
    against
        The system to compare it with.
    measure
        Measure to use, if the table has several.
    difference
        Difference to detect (default: the difference in the pilot).
    test
        Significance test to use.
    alpha
        Significance level of the test.
    power
        Probability to detect the difference.
    simulations
        Simulated experiments for each number of items.
    most
        Largest number of items to consider.
    """
    from tare._decide.pairs import pairs_of
    from tare._measures.scores import Scores
    from tare.stats import items_from_pilot

    pair = Scores.load(scores).select(systems=[system, against])
    made = items_from_pilot(
        pairs_of(pair, measure=measure).differences[0],
        difference=difference,
        test=test,
        alpha=alpha,
        power=power,
        simulations=simulations,
        most=most,
        seed=seed,
    ).table()
    emit(format, lambda: made, lambda: made)


@app.command
def judge(
    *,
    pilot: str,
    width: float,
    system: str | None = None,
    against: str | None = None,
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    queries: int | None = None,
    format: Format = None,
) -> None:
    """Queries that people must label, with and without a model's labels, for a narrow interval.

    **Examples**

        tare design judge --pilot estimates.parquet --width 0.05
        tare design judge --pilot estimates.parquet --width 0.04 --system dense --against bm25 -m nDCG@10

    Parameters
    ----------
    pilot
        File that `tare estimate --save` wrote.
    width
        Largest width of the interval of a difference.
    system
        One system (default: the pair with the widest interval).
    against
        The system to compare it with.
    measure
        Measure to use, if the estimates have several.
    queries
        Number of queries that the model labels (default: as in the pilot).
    """
    from tare._decide.estimates import Estimates
    from tare._decide.labels_needed import queries_for_width

    made = queries_for_width(
        Estimates.load(pilot),
        width,
        system=system,
        against=against,
        measure=measure,
        queries=queries,
    ).table()
    emit(format, lambda: made, lambda: made)
