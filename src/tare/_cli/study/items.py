"""`tare study items`: do systems, items or groups of items differ?"""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.files import check_writable
from tare._cli.options import FiguresFolder, Format, ReportFile, RowsFolder, verb
from tare._cli.results import show_study
from tare._cli.scores import load_scores
from tare._measures.defaults import MAIN_MEASURES

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
    measure: Annotated[str | None, Parameter(name=["--measure", "--measures", "-m"])] = None,
    by: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None,
    method: Literal["means", "ranks"] = "means",
    against: str | None = None,
    alpha: float = 0.05,
    save: RowsFolder = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Test whether systems, items or groups of items differ, and show which do.

    Analysis of variance, Kruskal–Wallis and Friedman tests over systems, items and groups of items, such as
    those of one assessor or category; and simultaneous intervals of every level, with the levels marked
    that differ from a chosen one. Missing values are allowed.

    Parameters
    ----------
    scores
        Score table: written by `tare score --save`, or with the columns system, item, measure, value; other
        columns are attributes of the items. If runs follow, judgements.
    runs
        Runs to score first.
    measure
        Measure to use, if the table has several.
    by
        Attributes that group the items (default: all that do).
    method
        Intervals of means (Tukey–Kramer) or of mean ranks (after Kruskal–Wallis).
    against
        System, item or group to compare the others with (default: the best of each).
    alpha
        Significance level of the tests.
    """
    from tare.studies import items as study

    check_writable(report)
    chosen = measure or (MAIN_MEASURES[0] if runs else None)
    given = load_scores(scores, runs, None if chosen is None else [chosen])
    found = study(given, by=by, method=method, against=against, alpha=alpha)
    show_study(found, format, save, report, figures)
