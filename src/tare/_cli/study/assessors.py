"""`tare study assessors`: how consistent are assessors, and what changes without the worst?"""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import (
    FiguresFolder,
    Format,
    ReportFile,
    Rescale,
    RescaleWhere,
    RowsFolder,
    Seed,
    rescaled,
    verb,
)
from tare._cli.output import Progress
from tare._cli.results import show_study

__all__ = ["app", "assessors"]

app = verb(
    "assessors",
    "tare study assessors ratings.jsonl --level ordinal",
    "tare study assessors rated.csv --same text --scores scores.csv --worst 1 --save study",
)


@app.default
def assessors(
    ratings: str,
    *,
    same: str | None = None,
    level: Literal["auto", "nominal", "ordinal", "interval", "ratio"] = "auto",
    system: str = "system",
    item: str = "item",
    worst: Annotated[list[int] | None, Parameter(consume_multiple=True, negative="")] = None,
    worst_by: Literal["alpha", "difference"] = "alpha",
    scores: str | None = None,
    features: str | None = None,
    manual: str | None = None,
    automatic: str | None = None,
    rescale: Rescale = None,
    rescale_where: RescaleWhere = None,
    draws: int = 1000,
    seed: Seed = 0,
    save: RowsFolder = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Measure how consistent assessors are, and what changes without the worst of them.

    Self-consistency on outputs that were judged twice, with contingency tables; manual − automatic pyramid
    scores per assessor; and, without the worst one or two assessors, the order of systems, the correlation
    of measures with people, and learned measures.

    Parameters
    ----------
    ratings
        Table with the columns unit, coder and value, and optionally system, item and others.
    same
        Column with equal values for identical units, such as the text.
    level
        Level of measurement; auto is ordinal for numbers and nominal for other values.
    system
        Column with the system of a unit.
    item
        Column with the item of a unit.
    worst
        How many assessors to leave out (default: 1 and 2).
    worst_by
        Rank assessors by self-consistency, or by manual − automatic.
    scores
        Score table with measures of the same outputs.
    features
        Score table with features of the same outputs, for learned measures.
    manual
        Score table with one manual measure, such as Pyramid.
    automatic
        Score table with its automatic version, such as AutoPyramid.
    draws
        Number of resamples in the study of learned measures.
    """
    from tare._data.ratings import read_ratings
    from tare.studies import assessors as study

    with Progress("studying", None) as progress:
        found = study(
            rescaled(read_ratings(ratings), rescale, rescale_where),
            same=same,
            level=level,
            system=system,
            item=item,
            worst=worst or (1, 2),
            worst_by=worst_by,
            scores=scores,
            features=features,
            manual=manual,
            automatic=automatic,
            draws=draws,
            seed=seed,
            progress=progress,
        )
    show_study(found, format, save, report, figures)
