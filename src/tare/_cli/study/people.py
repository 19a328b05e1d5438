"""`tare study people`: which measure says what people say?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import FiguresFolder, Format, ReportFile
from tare._cli.output import Progress
from tare._cli.rescaling import Rescale, RescaleWhere, rescaled
from tare._cli.study.answers import tell
from tare._cli.verb import verb

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
    measures: Annotated[
        list[str] | None, Parameter(name=["--measure", "-m"], consume_multiple=True, negative="")
    ] = None,
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
    swap: Literal["both", "systems", "items"] = "both",
    rescale: Rescale = None,
    rescale_where: RescaleWhere = None,
    draws: int = 1000,
    chance: int = 100,
    seed: int = 0,
    journal: Path | None = None,
    save: Path | None = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Say which measure says what people say.

    Significant differences that people find and measures find; correlations of systems and of
    outputs, with intervals; tests between measures; the consensus of measures; win, lose and tie.
    What chance and a constant measure would reach stands beside.

    Parameters
    ----------
    scores
        A score table of measures: what `tare score --save` or `tare text --save` wrote, or system,
        item, measure, value.
    human
        A score table of what people said about the same systems and items.
    measures
        Measures of the first table.
    models
        Systems that are people; results are given with and without them.
    top
        Also look at the best k systems alone.
    assessor
        The attribute of the items that says who judged them.
    preferences
        Preferences between systems on items, for win, lose and tie.
    consensus
        Measures of which all subsets are looked at.
    test
        The test of significance, for people and measures alike.
    correction
        none, bonferroni, holm, hochberg, bh or by.
    alpha
        The level of the test.
    kind
        The coefficient of the tests between measures.
    swap
        What those tests exchange: cells, systems or items.
    draws
        Resamples and swaps.
    chance
        Random measures that show what chance reaches.
    seed
        For everything that is drawn.
    journal
        A file that keeps what is done: the same call goes on from there after an interruption.
    save
        Write the rows behind the tables as CSV into this folder.
    """
    from tare._measures.scores import Scores
    from tare.studies import measures_and_people

    table, said = Scores.load(scores), Scores.load(human)
    said = rescaled(said, rescale, rescale_where)
    if measures:
        table = table.select(measures=measures)
    groups = (1 + bool(models) + len(top or ())) * len(said.measures)
    progress = Progress(groups * (len(table.measures) + 2), "studying")
    try:
        found = measures_and_people(
            table,
            said,
            models=models or (),
            top=top or (),
            assessor=assessor,
            preferences=preferences,
            consensus=consensus,
            test=test,
            correction=correction,
            alpha=alpha,
            kind=kind,
            swap=swap,
            draws=draws,
            chance=chance,
            seed=seed,
            progress=progress,
            journal=journal,
        )
    finally:
        progress.end()
    tell(found, format, save, report, figures)
