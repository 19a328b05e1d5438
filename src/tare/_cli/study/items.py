"""`tare study items`: do systems, items or groups of items differ?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import FiguresFolder, Format, ReportFile
from tare._cli.reporting import can_be_written
from tare._cli.score_source import DEFAULT_MEASURES, scores_of
from tare._cli.study.answers import tell
from tare._cli.verb import verb

__all__ = ["app", "items"]

app = verb(
    "items",
    "tare study items scores.csv",
    "tare study items scores.csv --method ranks --against A --save study",
)


@app.default
def items(
    scores: str,
    *runs: str,
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    by: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None,
    method: Literal["means", "ranks"] = "means",
    against: str | None = None,
    alpha: float = 0.05,
    save: Path | None = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Test whether systems, items or groups of items differ, and show which do.

    Analysis of variance, Kruskal–Wallis and Friedman over systems, over items and over groups of
    items, such as those of one assessor or category; and simultaneous intervals of every level, the
    levels that differ from a chosen one marked. Missing scores are allowed.

    Parameters
    ----------
    scores
        A score table: what `tare score --save` wrote, or system, item, measure, value; other columns
        are attributes of the items. With runs, judgements.
    runs
        Runs to score first.
    measure
        Which measure, if the table has several.
    by
        Attributes that group the items; by default all that do.
    method
        Intervals of means (Tukey–Kramer) or of mean ranks (after Kruskal–Wallis).
    against
        The system, item or group to compare the others with; by default the best of each.
    alpha
        The level of the tests.
    save
        Write the rows behind the tables as CSV into this folder.
    """
    from tare.studies import items as study

    can_be_written(report)
    chosen = measure or (DEFAULT_MEASURES[0] if runs else None)
    given = scores_of(scores, runs, None if chosen is None else [chosen])
    found = study(given, by=by, method=method, against=against, alpha=alpha)
    tell(found, format, save, report, figures)
