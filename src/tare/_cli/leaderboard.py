"""`tare leaderboard`: ranks with intervals, for many systems on many data sets."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.files import check_writable
from tare._cli.options import FilePath, Format, ReportFile, Seed, verb
from tare._cli.output import emit, for_reading, say, say_findings
from tare._cli.results import write_report

__all__ = ["app", "leaderboard"]

app = verb(
    "leaderboard",
    "tare leaderboard scores.csv -m nDCG@10",
    "tare leaderboard matrix.csv --without n_parameters --incomplete rank --report board.html",
)


@app.default
def leaderboard(
    *scores: str,
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    by: str | None = None,
    over: Literal["auto", "datasets", "queries"] = "auto",
    incomplete: str = "refuse",
    without: Annotated[list[str] | None, Parameter(negative="", consume_multiple=True)] = None,
    languages: Annotated[list[str] | None, Parameter(negative="", consume_multiple=True)] = None,
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: Seed = 0,
    format: Format = None,
    save: FilePath | None = None,
    report: ReportFile = None,
) -> int:
    """Rank many systems on many data sets, with rank intervals.

    SCORES are score tables written by `tare score --save`, one per data set; one table whose items have
    an attribute that names the data set; a CSV matrix with one row per system and one column per task; or
    a folder of result files of MTEB. The rank interval of a system contains all ranks that the test of all
    pairs does not exclude. If the tables have Net of the measure, such as Net(nDCG@10), a column shows the net mean; it
    cannot be computed from scores alone.

    Parameters
    ----------
    scores
        Score tables, a matrix, or a folder of MTEB results.
    measure
        The measure, if the tables have several.
    by
        Attribute of the items that names the data set.
    over
        The unit of the test: the data sets, for ranks on data sets like these, or the queries, for ranks
        on these data sets only (default: the data sets if there are at least 6, otherwise the queries).
    incomplete
        Systems that lack scores: refuse them; drop them; rank them without a mean, each pair on its common
        data sets; or impute=worst, impute=mean (of the other systems on the item) or impute=NUMBER.
    without
        Columns of a matrix that are not tasks.
    languages
        Use only subsets of MTEB tasks all of whose languages are among these, such as eng.
    alpha
        Error rate of all rank intervals together.
    draws
        Number of sign patterns that are drawn, where there are more.
    save
        Write the table to this file: .csv, .json, .parquet, .md, .tex or .html.
    """
    from tare._decide.leaderboard import leaderboard as ranked
    from tare._decide.leaderboard_data import board_scores

    check_writable(save, report)
    table, attribute = board_scores(scores, without=without or (), languages=languages or ())
    made = ranked(
        table,
        measure=measure,
        by=by or attribute,
        over=over,
        incomplete=incomplete,
        alpha=alpha,
        draws=draws,
        seed=seed,
    )
    emit(format, made.table, made.long_table)
    if not for_reading(format):
        say_findings(made.findings)
    if save is not None:
        made.save(save)
        say(f"Leaderboard written to {save}.")
    write_report(made, report)
    return 0
