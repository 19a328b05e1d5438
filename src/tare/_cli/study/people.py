"""`tare study people`: how well do measures agree with people?"""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import (
    FiguresFolder,
    Format,
    Journal,
    Measures,
    ReportFile,
    Rescale,
    RescaleWhere,
    RowsFolder,
    Seed,
    rescaled,
    verb,
)
from tare._cli.output import Progress
from tare._cli.results import show_study

__all__ = ["app", "people"]

app = verb(
    "people",
    "tare study people scores.csv human.csv --chance 10",
    "tare study people scores.csv human.csv --model A --top 4 --draws 200 --chance 10 --save study",
)
Names = Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")]


@app.default
def people(
    scores: str,
    human: str,
    *,
    measures: Measures = None,
    models: Annotated[
        list[str] | None, Parameter(name="--model", consume_multiple=True, negative="")
    ] = None,
    top: Annotated[list[int] | None, Parameter(consume_multiple=True, negative="")] = None,
    assessor: str = "assessor",
    preferences: str | None = None,
    consensus: Names = None,
    test: str = "wilcoxon",
    correction: str = "none",
    alpha: float = 0.05,
    kind: Literal["pearson", "spearman", "tau_b"] = "tau_b",
    rescale: Rescale = None,
    rescale_where: RescaleWhere = None,
    draws: int = 1000,
    chance: int = 100,
    seed: Seed = 0,
    journal: Journal = None,
    save: RowsFolder = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Measure how well measures agree with people, and test whether they differ.

    Significant differences found by people and by measures; correlations over systems and over outputs,
    with intervals; tests between measures; the consensus of measures; wins, losses and ties. The values of
    chance and of a constant measure are shown for comparison.

    Parameters
    ----------
    scores
        Score table of measures: written by `tare score --save` or `tare text --save`, or with the columns
        system, item, measure, value.
    human
        Score table with human scores of the same systems and items.
    measures
        Measures of the first table.
    models
        Systems that are people; results are shown with and without them.
    top
        Also show results for the best k systems alone.
    assessor
        Attribute of the items that names the assessor.
    preferences
        Preferences between systems on items, for wins, losses and ties.
    consensus
        Measures of which all subsets are examined.
    test
        Significance test, for people and for measures.
    correction
        none, bonferroni, holm, hochberg, bh or by.
    alpha
        Significance level of the test.
    kind
        Correlation coefficient of the tests between measures.
    draws
        Number of resamples, and of exchanges that are drawn if not all are tried.
    chance
        Number of random measures that show the level of chance.
    """
    from tare._measures.scores import Scores
    from tare.studies import measures_and_people

    table, human_scores = Scores.load(scores), Scores.load(human)
    human_scores = rescaled(human_scores, rescale, rescale_where)
    if measures:
        table = table.select(measures=measures)
    groups = (1 + bool(models) + len(top or ())) * len(human_scores.measures)
    with Progress("studying", groups * (len(table.measures) + 2)) as progress:
        found = measures_and_people(
            table,
            human_scores,
            models=models or (),
            top=top or (),
            assessor=assessor,
            preferences=preferences,
            consensus=consensus,
            test=test,
            correction=correction,
            alpha=alpha,
            kind=kind,
            draws=draws,
            chance=chance,
            seed=seed,
            progress=progress,
            journal=journal,
        )
    show_study(found, format, save, report, figures)
