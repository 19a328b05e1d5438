"""`tare agree`: the agreement of assessors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tare._cli.files import check_writable
from tare._cli.options import Format, ReportFile, Rescale, RescaleWhere, Seed, rescaled, verb
from tare._cli.output import emit
from tare._cli.results import write_report

if TYPE_CHECKING:
    from tare.studies._agreement import Agreement, Kappa
    from tare.studies._self_consistency import SelfConsistency

__all__ = ["agree", "app"]

app = verb(
    "agree",
    "tare agree ratings.csv --level ordinal",
    "tare agree ratings.jsonl --repeats --format json",
)


@app.default
def agree(
    ratings: str,
    *,
    level: Literal["auto", "nominal", "ordinal", "interval", "ratio"] = "auto",
    kappa: Literal["cohen", "linear", "quadratic", "fleiss"] | None = None,
    by: str | None = None,
    repeats: Annotated[bool, Parameter(negative="")] = False,
    same: str | None = None,
    coders: Literal["auto", "rows", "columns"] = "auto",
    rescale: Rescale = None,
    rescale_where: RescaleWhere = None,
    confidence: float = 0.95,
    draws: int = 1000,
    seed: Seed = 0,
    format: Format = None,
    report: ReportFile = None,
) -> None:
    """Measure the agreement of assessors: Krippendorff's α, per coder, and without each coder.

    RATINGS is a table with the columns unit, coder, value, or a matrix of units and coders.

    Parameters
    ----------
    ratings
        A .csv, .tsv, .jsonl or .parquet file.
    level
        Level of measurement; auto is ordinal for numbers and nominal for other values.
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
    from tare._data.ratings import read_ratings
    from tare.studies import agreement, cohen_kappa, fleiss_kappa, self_consistency

    check_writable(report)
    given = rescaled(read_ratings(ratings, coders=coders), rescale, rescale_where)
    made: Agreement | Kappa | SelfConsistency
    if repeats or same is not None:
        made = self_consistency(given, same=same, level=level)
    elif kappa == "fleiss":
        made = fleiss_kappa(given, confidence=confidence, draws=draws, seed=seed)
    elif kappa is not None:
        weights = "none" if kappa == "cohen" else kappa
        made = cohen_kappa(given, weights=weights, confidence=confidence, draws=draws, seed=seed)
    else:
        made = agreement(given, level=level, by=by, confidence=confidence, draws=draws, seed=seed)
    emit(format, made.table, made.table)
    write_report(made, report)
