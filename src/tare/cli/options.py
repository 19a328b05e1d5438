"""Options that several verbs share."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

__all__ = ["Format"]

Format = Annotated[
    Literal["table", "tsv", "csv", "json", "jsonl", "latex", "markdown", "html"] | None,
    Parameter(name="--format", help="table on a terminal, tsv in a pipe, unless told otherwise."),
]
