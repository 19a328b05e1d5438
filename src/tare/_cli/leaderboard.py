"""`tare leaderboard`: ranks with intervals, for many systems on many data sets."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

import tare
from tare._cli.output import emit, for_reading, say
from tare._cli.results import say_findings
from tare._cli.types import Input, Output, OutputFile, Several
from tare._cli.verb import Given, verb_of
from tare._decide.leaderboard_data import board_scores

__all__ = ["leaderboard"]

Names = Annotated[list[str] | None, Several]


@verb_of(
    tare.leaderboard,
    "tare leaderboard scores.csv -m nDCG@10",
    "tare leaderboard matrix.csv --without n_parameters --incomplete rank --report board.html",
)
def leaderboard(
    *scores: Input,
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    by: str | None = None,
    without: Names = None,
    languages: Names = None,
    save: OutputFile | None = None,
    output: Output,
    **options: Given,
) -> None:
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
    draws
        Number of sign patterns that are drawn, where there are more.
    save
        Write the table to this file: .csv, .json, .parquet, .md, .tex or .html.
    """
    table, attribute = board_scores(scores, without=without or (), languages=languages or ())
    made = tare.leaderboard(table, measure=measure, by=by or attribute, **options)
    emit(output.format, made.table, made.long_table)
    if not for_reading(output.format):
        say_findings(made.findings)
    if save is not None:
        made.save(save)
        say(f"Leaderboard written to {save}.")
    output.write_report(made)
