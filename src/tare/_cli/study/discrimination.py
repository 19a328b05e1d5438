"""`tare study discrimination`: which measure tells systems apart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tare._cli.options import FiguresFolder, Format, PoolOptions, ReportFile
from tare._cli.output import Progress
from tare._cli.score_source import scores_of
from tare._cli.study.answers import tell
from tare._cli.verb import verb

__all__ = ["app", "discrimination"]

app = verb(
    "discrimination",
    "tare study discrimination scores.csv --draws 1000",
    "tare study discrimination qrels.txt runs/*.run dense.run -m nDCG@5 nDCG@10 --test t",
)


@app.default
def discrimination(
    scores: str,
    *runs: str,
    measures: Annotated[
        list[str] | None, Parameter(name=["--measure", "-m"], consume_multiple=True, negative="")
    ] = None,
    kinds: Annotated[bool, Parameter(negative="")] = False,
    kind_size: float = 0.1,
    by: str | None = None,
    test: str = "bootstrap",
    correction: str = "none",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int = 0,
    pools: PoolOptions | None = None,
    journal: Path | None = None,
    save: Path | None = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Say which measure tells systems apart: discriminative power, conflicts, distances.

    For each measure and set of items: pairs of systems that differ significantly, over all cutoffs
    and at each; the percentage of absolute difference (PAD); and the four-way table of each two
    measures.

    Parameters
    ----------
    scores
        A score table: what `tare score --save` wrote, or system, item, measure, value. With runs,
        judgements.
    runs
        Runs to score first.
    measures
        Measures of the table, or to score runs by.
    kinds
        With runs: look at uninformative, ideal, hard, easy, informative, broad and focused queries
        too.
    kind_size
        How many queries the uninformative and ideal sets hold, or their share if below 1.
    by
        An attribute of the items: look at each of its values too.
    test
        A test of `tare compare`.
    correction
        none, bonferroni, holm, hochberg, bh, by or max-t.
    alpha
        The level of the test.
    draws
        Resamples of tests by simulation.
    seed
        For everything that is drawn.
    journal
        A file that keeps what is done: the same call goes on from there after an interruption.
    save
        Write the rows behind the tables as CSV into this folder.
    """
    from tare.errors import OptionError
    from tare.studies import discrimination as study

    given = scores_of(scores, runs, measures, pools=pools)
    sets = None
    if kinds:
        if not runs:
            raise OptionError("--kinds needs judgements and runs; a score table has --by.")
        from tare._data.qrels import read_qrels
        from tare.chance._kinds import kinds as kinds_of
        from tare.chance._query_sets import broad_and_focused

        qrels = read_qrels(scores)
        where = {} if pools is None else pools.arguments()
        sets = kinds_of(qrels, list(runs), size=kind_size, **where).sets() | broad_and_focused(
            qrels, seed=seed
        )
    progress = Progress(len(given.measures) * (1 + len(sets or ())), "testing")
    try:
        found = study(
            given,
            sets=sets,
            by=by,
            test=test,
            correction=correction,
            alpha=alpha,
            draws=draws,
            seed=seed,
            progress=progress,
            journal=journal,
        )
    finally:
        progress.end()
    tell(found, format, save, report, figures)
