"""`tare study consistency`: do measures rank systems alike on other items?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import FiguresFolder, Format, PoolOptions, ReportFile
from tare._cli.output import Progress
from tare._cli.study.answers import tell
from tare._cli.verb import verb

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
    measures: Annotated[
        list[str] | None, Parameter(name=["--measure", "-m"], consume_multiple=True, negative="")
    ] = None,
    kinds: Annotated[bool, Parameter(negative="")] = False,
    halves: Annotated[bool, Parameter(negative="")] = False,
    pools: PoolOptions | None = None,
    kind_size: float = 0.5,
    by: str | None = None,
    names: tuple[str, str] | None = None,
    kind: Literal["tau_b", "tau_ap", "spearman", "pearson"] = "tau_b",
    level: float = 0.05,
    width: float | None = None,
    draws: int = 1000,
    seed: int = 0,
    journal: Path | None = None,
    save: Path | None = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Say how often other items put two systems in another order: swap rates, correlations.

    Two score tables (of two data sets, or of two halves of the documents), or one whose items fall
    into sets by an attribute, or one alone: then resamples of its items are compared. With --kinds or
    --halves, judgements and runs: uninformative against ideal and broad against focused queries, and
    the two halves of each query's documents.

    Parameters
    ----------
    first
        A score table: what `tare score --save` wrote, or system, item, measure, value. With --kinds or
        --halves, judgements.
    others
        Another table with scores of the same systems; with --kinds or --halves, runs.
    measures
        Measures of the tables, or to score runs by (nDCG@10 and AP by default).
    kinds
        Compare uninformative with ideal queries, and broad with focused ones; needs a pool.
    halves
        Split each query's documents at random in two, and compare the halves.
    kind_size
        How many queries the uninformative and ideal sets hold, or their share if below 1.
    by
        An attribute of the items of the one table: compare each two of its values.
    names
        What the two tables are called; first and second by default.
    kind
        The coefficient of rank correlation.
    level
        The swap rate for which the difference needed is printed.
    width
        Steps of that difference.
    draws
        Resamples.
    seed
        For everything that is drawn.
    journal
        A file that keeps what is done: the same call goes on from there after an interruption.
    save
        Write the rows behind the table as CSV into this folder; with --kinds or --halves also the
        scores (scores.parquet), with the kinds as attributes of the queries.
    """
    from tare.errors import OptionError

    if kinds or halves:
        if by is not None or names is not None:
            raise OptionError(
                "--by and --names are for score tables; leave out --kinds and --halves."
            )
        if not others:
            raise OptionError(
                "--kinds and --halves need judgements and runs; name at least 2 runs."
            )
        from tare.studies import run_consistency

        progress = Progress(3 * len(measures or ("nDCG@10", "AP")), "resampling")
        try:
            found = run_consistency(
                first,
                list(others),
                measures or ("nDCG@10", "AP"),
                by_kind=kinds,
                by_half=halves,
                **({} if pools is None else pools.arguments()),
                kind_size=kind_size,
                kind=kind,
                level=level,
                width=width,
                draws=draws,
                seed=seed,
                progress=progress,
                journal=journal,
            )
        finally:
            progress.end()
        tell(found, format, save, report, figures, scores=found.scores)
        return
    if len(others) > 1:
        raise OptionError(
            f"{1 + len(others)} score tables were named; 1 or 2 are compared. Judgements and runs need "
            "--kinds or --halves."
        )
    if pools is not None and pools.given:
        raise OptionError("a pool is for --kinds and --halves, with judgements and runs.")
    from tare._measures.scores import Scores
    from tare.studies import consistency as study

    def load(path: str) -> Scores:
        table = Scores.load(path)
        return table.select(measures=measures) if measures else table

    one = load(first)
    progress = Progress(len(one.measures), "resampling")
    try:
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
            progress=progress,
            journal=journal,
        )
    finally:
        progress.end()
    tell(found, format, save, report, figures)
