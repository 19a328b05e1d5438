"""`tare agree`: how far assessors agree, and who does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import Format, ReportFile
from tare._cli.output import emit
from tare._cli.reporting import can_be_written, tell
from tare._cli.rescaling import Rescale, RescaleWhere, rescaled
from tare._cli.verb import verb

if TYPE_CHECKING:
    from tare.stats._agreement import Agreement
    from tare.stats._consistency import SelfConsistency
    from tare.stats._kappa import Kappa

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
    seed: int = 0,
    format: Format = None,
    report: ReportFile = None,
) -> None:
    """Say how far assessors agree: Krippendorff's α, by coder, and without each of them.

    RATINGS is a table with the columns unit, coder, value, or a matrix of them.

    Parameters
    ----------
    ratings
        A .csv, .tsv, .jsonl or .parquet file.
    level
        How values differ; auto is ordinal for numbers and nominal for words.
    kappa
        Print this κ instead of α.
    by
        An attribute of the units: α within each of its values.
    repeats
        Look at repeated judgements of one assessor instead: self-consistency.
    same
        A column that says which units are identical, for --repeats.
    coders
        Where a matrix has its coders.
    confidence
        Of the interval over units.
    draws
        Resamples of units.
    """
    from tare._data.ratings import read_ratings
    from tare.stats import agreement, cohen_kappa, fleiss_kappa, self_consistency

    can_be_written(report)
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
    tell(made, report)
