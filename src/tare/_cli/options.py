"""Options that several verbs share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

__all__ = ["FiguresFolder", "Format", "PoolOptions", "ReportFile"]

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


@Parameter(name="*")
@dataclass(frozen=True)
class PoolOptions:
    """What a system without skill could have ranked: none of these is assumed."""

    pool: Annotated[
        str | None,
        Parameter(
            help="judged if your systems order the judged documents; union for judged or retrieved by "
            "any of these runs; corpus=inf; retrieved for re-ranking studies."
        ),
    ] = None
    corpus: Annotated[
        str | None, Parameter(help="Number of documents that your systems search, such as 8841823.")
    ] = None
    candidates: Annotated[
        Path | None,
        Parameter(help="File with a list or a number of candidates per query, for re-ranking."),
    ] = None

    @property
    def given(self) -> bool:
        """Whether a pool was named."""
        return any(x is not None for x in (self.pool, self.corpus, self.candidates))

    def arguments(self) -> dict[str, Any]:
        """As `tare.evaluate` takes them."""
        return {"pool": self.pool, "corpus": self.corpus, "candidates": self.candidates}
