"""`tare study consistency`: do measures rank systems the same way on other items?"""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.engines import EngineOptions
from tare._cli.options import (
    FiguresFolder,
    FilePath,
    Format,
    Journal,
    Measures,
    PoolOptions,
    ReportFile,
    Seed,
    verb,
)
from tare._cli.output import Progress
from tare._cli.results import show_study
from tare._measures.defaults import MAIN_MEASURES

__all__ = ["app", "consistency"]

app = verb(
    "consistency",
    "tare study consistency scores.csv",
    "tare study consistency scores.csv scores.csv --names 2011 2012 --format csv",
)


@app.default
def consistency(
    first: str,
    *others: str,
    measures: Measures = None,
    kinds: Annotated[bool, Parameter(negative="")] = False,
    halves: Annotated[bool, Parameter(negative="")] = False,
    pools: PoolOptions | None = None,
    kind_size: float = 0.5,
    by: str | None = None,
    names: Annotated[tuple[str, str] | None, Parameter(negative="")] = None,
    kind: Literal["tau_b", "tau_ap", "spearman", "pearson"] = "tau_b",
    level: float = 0.05,
    width: float | None = None,
    draws: int = 1000,
    seed: Seed = 0,
    engine: Literal["local", "ray"] | None = None,
    address: str | None = None,
    journal: Journal = None,
    save: FilePath | None = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Measure how often two systems swap places on other items: swap rates and correlations.

    Compares two score tables (of two data sets, or of two halves of the documents), or one table whose
    items are grouped by an attribute, or resamples of the items of a single table. With --kinds or
    --halves, FIRST is judgements and OTHERS are runs: uninformative queries are compared with ideal ones,
    broad with focused ones, and the two halves of each query's documents with each other.

    Parameters
    ----------
    first
        Score table: written by `tare score --save`, or with the columns system, item, measure, value. With
        --kinds or --halves, judgements.
    others
        Another score table of the same systems; with --kinds or --halves, runs.
    measures
        Measures of the tables, or measures for the runs (default: nDCG@10 and AP).
    kinds
        Compare uninformative with ideal queries, and broad with focused ones; needs a pool.
    halves
        Split each query's documents into random halves, and compare them.
    kind_size
        Number of queries in the uninformative and in the ideal set, or their share if below 1.
    by
        Attribute of the items of a single table; compare every two of its values.
    names
        Names of the two tables (default: first and second).
    kind
        Rank correlation coefficient.
    level
        Swap rate for which the required difference is printed.
    width
        Step width of that difference.
    draws
        Number of resamples.
    engine
        Where items are resampled; the results are the same.
    address
        Address of the Ray cluster, such as auto or head:6379 (default: a cluster on this machine).
    save
        Write the rows behind the table to this folder, as CSV; with --kinds or --halves also the scores
        (scores.parquet), with the kinds as attributes of the queries.
    """
    from tare.errors import OptionError

    options = EngineOptions(engine, address=address, unit="blocks")
    if kinds or halves:
        if by is not None or names is not None:
            raise OptionError(
                "--by and --names apply to score tables; they cannot be used with --kinds or --halves."
            )
        if not others:
            raise OptionError(
                "--kinds and --halves need judgements and runs; name at least 2 runs."
            )
        from tare.studies import run_consistency

        steps = 3 * len(measures or MAIN_MEASURES)
        with options.opened() as place, Progress("resampling", steps) as progress:
            found = run_consistency(
                first,
                list(others),
                measures or MAIN_MEASURES,
                by_kind=kinds,
                by_half=halves,
                **({} if pools is None else pools.arguments()),
                kind_size=kind_size,
                kind=kind,
                level=level,
                width=width,
                draws=draws,
                seed=seed,
                engine=place,
                progress=progress,
                journal=journal,
            )
        show_study(found, format, save, report, figures, scores=found.scores)
        return
    if len(others) > 1:
        raise OptionError(
            f"found {1 + len(others)} score tables; expected 1 or 2. To compare judgements and runs, add "
            "--kinds or --halves."
        )
    if pools is not None and pools.given:
        raise OptionError("a pool applies to --kinds and --halves, with judgements and runs.")
    from tare._measures.scores import Scores
    from tare.studies import consistency as study

    def load(path: str) -> Scores:
        table = Scores.load(path)
        return table.select(measures=measures) if measures else table

    one = load(first)
    with options.opened() as place, Progress("resampling", len(one.measures)) as progress:
        found = study(
            one,
            load(others[0]) if others else None,
            by=by,
            names=names or ("first", "second"),
            kind=kind,
            level=level,
            width=width,
            draws=draws,
            seed=seed,
            engine=place,
            progress=progress,
            journal=journal,
        )
    show_study(found, format, save, report, figures)
