"""Options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

__all__ = ["FiguresFolder", "Format", "ReportFile"]

Format = Annotated[
    Literal["table", "tsv", "csv", "json", "jsonl", "latex", "markdown", "html"] | None,
    Parameter(name="--format", help="table on a terminal, tsv in a pipe, unless told otherwise."),
]

ReportFile = Annotated[
    Path | None,
    Parameter(name="--report", help="Write a report as well: one HTML page with charts."),
]

FiguresFolder = Annotated[
    Path | None,
    Parameter(
        name="--figures",
        help="Write the charts into this folder as well, each as SVG, PNG and PDF.",
    ),
]
