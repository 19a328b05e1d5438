"""`tare study consistency`: do measures rank systems alike on other items?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tare.cli.options import Format, ReportFile
from tare.cli.output import Progress
from tare.cli.study.answers import tell
from tare.cli.verb import verb

__all__ = ["app", "consistency"]

app = verb(
    "consistency",
    "tare study consistency scores.csv",
    "tare study consistency scores.csv scores.csv --names 2011 2012 --format csv",
)


@app.default
def consistency(
    first: str,
    second: str | None = None,
    *,
    measures: Annotated[
        list[str] | None, Parameter(name=["--measure", "-m"], consume_multiple=True, negative="")
    ] = None,
    by: str | None = None,
    names: tuple[str, str] = ("first", "second"),
    kind: Literal["tau_b", "tau_ap", "spearman", "pearson"] = "tau_b",
    level: float = 0.05,
    width: float | None = None,
    draws: int = 1000,
    seed: int = 0,
    journal: Path | None = None,
    save: Path | None = None,
    report: ReportFile = None,
    format: Format = None,
) -> None:
    """Say how often other items put two systems in another order: swap rates, correlations.

    Two score tables (of two data sets, or of two halves of the documents), or one whose items fall
    into sets by an attribute, or one alone: then resamples of its items are compared.

    Parameters
    ----------
    first
        A score table: what `tare score --save` wrote, or system, item, measure, value.
    second
        Another table with scores of the same systems.
    measures
        Measures of the tables.
    by
        An attribute of the items of the one table: compare each two of its values.
    names
        What the two tables are called.
    kind
        The coefficient of rank correlation.
    level
        The swap rate for which the difference needed is told.
    width
        Steps of that difference.
    draws
        Resamples.
    seed
        For everything that is drawn.
    journal
        A file that keeps what is done: the same call goes on from there after an interruption.
    save
        Write the rows behind the table as CSV into this folder.
    """
    from tare.measures.scores import Scores
    from tare.studies import consistency as study

    def load(path: str) -> Scores:
        table = Scores.load(path)
        return table.select(measures=measures) if measures else table

    one = load(first)
    progress = Progress(len(one.measures), "resampling")
    try:
        found = study(
            one,
            None if second is None else load(second),
            by=by,
            names=names,
            kind=kind,
            level=level,
            width=width,
            draws=draws,
            seed=seed,
            progress=progress,
            journal=journal,
        )
    finally:
        progress.end()
    tell(found, format, save, report)
