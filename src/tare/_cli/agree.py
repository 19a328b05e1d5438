"""`tare agree`: the agreement of assessors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tare import studies
from tare._cli.output import emit
from tare._cli.types import Input, Level, Output, Rescaling
from tare._cli.verb import Given, verb_of
from tare._data.ratings import read_ratings

if TYPE_CHECKING:
    from tare.studies import Agreement, Kappa, SelfConsistency

__all__ = ["agree"]


@verb_of(
    studies.agreement,
    "tare agree ratings.csv --level ordinal",
    "tare agree ratings.jsonl --repeats --format json",
)
def agree(
    ratings: Annotated[Input, Parameter(help="A .csv, .tsv, .jsonl or .parquet file.")],
    *,
    level: Level = "auto",
    kappa: Literal["cohen", "linear", "quadratic", "fleiss"] | None = None,
    by: str | None = None,
    repeats: bool = False,
    same: str | None = None,
    coders: Literal["auto", "rows", "columns"] = "auto",
    confidence: float = 0.95,
    rescaling: Rescaling,
    output: Output,
    **resampling: Given,
) -> None:
    """Measure the agreement of assessors: Krippendorff's α, per coder, and without each coder.

    RATINGS is a table with the columns unit, coder, value, or a matrix of units and coders.

    Parameters
    ----------
    kappa
        Print this κ instead of α.
    by
        Attribute of the units; compute α within each of its values.
    repeats
        Compute self-consistency from repeated judgements of the same assessor.
    same
        Column with equal values for identical units, for --repeats.
    coders
        Whether the coders of a matrix are its rows or its columns.
    confidence
        Confidence level of the interval over units.
    draws
        Number of resamples of the units.
    """
    given = rescaling.of(read_ratings(ratings, coders=coders))
    resampling["confidence"] = confidence
    made: Agreement | Kappa | SelfConsistency
    if repeats or same is not None:
        made = studies.self_consistency(given, same=same, level=level)
    elif kappa == "fleiss":
        made = studies.fleiss_kappa(given, **resampling)
    elif kappa is not None:
        made = studies.cohen_kappa(
            given, weights="none" if kappa == "cohen" else kappa, **resampling
        )
    else:
        made = studies.agreement(given, level=level, by=by, **resampling)
    emit(output.format, made.table, made.table)
    output.write_report(made)
