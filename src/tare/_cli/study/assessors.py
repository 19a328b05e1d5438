"""`tare study assessors`: who repeats himself, and what changes without the worst?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import FiguresFolder, Format, ReportFile
from tare._cli.output import say
from tare._cli.rescaling import Rescale, RescaleWhere, rescaled
from tare._cli.study.answers import tell
from tare._cli.verb import verb

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
    seed: int = 0,
    save: Path | None = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Say which assessors repeat themselves, and what changes without the worst of them.

    Self-consistency on things judged twice, with contingency tables; manual − automatic pyramid by
    assessor; the order of systems, the correlation of measures with people and learned measures
    without the worst one or two assessors.

    Parameters
    ----------
    ratings
        A table with the columns unit, coder, value; and system, item and others.
    same
        A column that says which units are identical, such as the text.
    level
        How values differ; auto is ordinal for numbers and nominal for words.
    system
        The column with the system of a unit.
    item
        The column with the item of a unit.
    worst
        How many assessors are left out: 1 and 2 unless told.
    worst_by
        The worst by self-consistency, or by manual − automatic.
    scores
        A score table of measures of the same outputs.
    features
        A score table of features of the same outputs, for learned measures.
    manual
        A score table of one measure, such as Pyramid.
    automatic
        The same measured automatically, such as AutoPyramid.
    draws
        Resamples of intervals.
    seed
        For everything that is drawn.
    save
        Write the rows behind the tables as CSV into this folder.
    """
    from tare._data.ratings import read_ratings
    from tare.studies import assessors as study

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
        progress=lambda what: say(f"{what} …"),
    )
    tell(found, format, save, report, figures)
