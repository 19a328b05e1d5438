"""`tare design`: how many items an evaluation needs."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from tare._cli.options import Format
from tare._cli.output import emit

__all__ = ["app"]

app = App(
    name="design",
    help="Say how many items an evaluation needs.",
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
    """Items for the paired t test to find a mean difference.

    **Examples**

        tare design t --difference 0.05 --deviation 0.2
        tare design t --difference 0.03 --deviation 0.15 --power 0.9

    Parameters
    ----------
    difference
        The mean difference to be found.
    deviation
        The standard deviation of the differences.
    alpha
        The level of the test.
    power
        The chance to find it.
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
    """Items for one-way analysis of variance to find that best and worst system differ.

    **Examples**

        tare design anova --systems 10 --difference 0.1 --deviation 0.25
        tare design anova --systems 3 --difference 0.05 --deviation 0.2 --power 0.9

    Parameters
    ----------
    systems
        How many systems are compared.
    difference
        The difference of the best and the worst that is to be found.
    deviation
        The standard deviation of scores within a system.
    alpha
        The level of the test.
    power
        The chance to find it.
    """
    from tare.stats import items_for_anova

    made = items_for_anova(systems, difference, deviation, alpha=alpha, power=power).table()
    emit(format, lambda: made, lambda: made)


@app.command
def interval(*, width: float, deviation: float, alpha: float = 0.05, format: Format = None) -> None:
    """Items for which the interval of a mean difference is no wider than wanted.

    **Examples**

        tare design interval --width 0.1 --deviation 0.2
        tare design interval --width 0.05 --deviation 0.2 --alpha 0.01

    Parameters
    ----------
    width
        The expected width of the interval, at most.
    deviation
        The standard deviation of the differences.
    alpha
        The interval has the confidence 1 − alpha.
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
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    difference: float | None = None,
    test: str = "t",
    alpha: float = 0.05,
    power: float = 0.8,
    simulations: int = 2000,
    most: int = 5000,
    seed: int = 0,
    format: Format = None,
) -> None:
    """Items by simulation from a pilot: its differences are drawn again and again.

    **Examples**

        tare design pilot scores.csv hybrid bm25 --measure nDCG@10
        tare design pilot scores.csv A B --difference 0.03 --test wilcoxon --power 0.9

    Parameters
    ----------
    scores
        A score table: what `tare score --save` wrote, or system, item, measure, value.
    system
        One system of the pilot.
    against
        The other.
    measure
        Which measure, if the table has several.
    difference
        The difference to be found; the pilot's own, unless told.
    test
        The test that is to find it.
    alpha
        The level of the test.
    power
        The chance to find it.
    simulations
        Experiments at each number of items.
    most
        The largest number of items to think of.
    """
    from tare._measures.scores import Scores
    from tare.stats import items_from_pilot

    made = items_from_pilot(
        Scores.load(scores),
        system,
        against,
        measure=measure,
        difference=difference,
        test=test,
        alpha=alpha,
        power=power,
        simulations=simulations,
        most=most,
        seed=seed,
    ).table()
    emit(format, lambda: made, lambda: made)
