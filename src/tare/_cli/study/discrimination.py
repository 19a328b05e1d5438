"""`tare study discrimination`: which measure discriminates best between systems?"""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.engines import EngineOptions
from tare._cli.options import (
    FiguresFolder,
    Format,
    Journal,
    Measures,
    PoolOptions,
    ReportFile,
    RowsFolder,
    Seed,
    verb,
)
from tare._cli.output import Progress
from tare._cli.results import show_study
from tare._cli.scores import load_scores

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
    measures: Measures = None,
    kinds: Annotated[bool, Parameter(negative="")] = False,
    kind_size: float = 0.1,
    by: str | None = None,
    test: str = "bootstrap",
    correction: str = "none",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: Seed = 0,
    pools: PoolOptions | None = None,
    engine: Literal["local", "ray"] | None = None,
    address: str | None = None,
    memory: str | None = None,
    journal: Journal = None,
    save: RowsFolder = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Measure how well measures discriminate between systems: discriminative power, conflicts, distances.

    For each measure and set of items: the pairs of systems that differ significantly, over all cutoffs and
    at each cutoff; the percentage of absolute difference (PAD); and the four-way table of every two
    measures.

    Parameters
    ----------
    scores
        Score table: written by `tare score --save`, or with the columns system, item, measure, value. If
        runs follow, judgements.
    runs
        Runs to score first.
    measures
        Measures of the table, or measures for the runs.
    kinds
        With runs: also use the sets of uninformative, ideal, hard, easy, informative, broad and focused
        queries.
    kind_size
        Number of queries in the uninformative and in the ideal set, or their share if below 1.
    by
        Attribute of the items; also use the set of items of each of its values.
    test
        A test of `tare compare`.
    correction
        none, bonferroni, holm, hochberg, bh, by or max-t.
    alpha
        Significance level of the test.
    draws
        Number of resamples for tests by simulation.
    engine
        Where runs are scored and random draws are made; the results are the same.
    address
        Address of the Ray cluster, such as auto or head:6379 (default: a cluster on this machine).
    memory
        Memory for rows of runs on this machine or on each Ray node, such as 4GB (default: half of the
        available memory).
    """
    from tare.errors import OptionError
    from tare.studies import discrimination as study

    with EngineOptions(engine, memory, address).opened() as place:
        given = load_scores(scores, runs, measures, pools=pools, engine=place)
        sets = None
        if kinds:
            if not runs:
                raise OptionError("--kinds needs judgements and runs; for a score table, use --by.")
            from tare._data.qrels import read_qrels
            from tare.chance._kinds_of_queries import broad_and_focused
            from tare.chance._kinds_of_queries import kinds as kinds_of

            qrels = read_qrels(scores)
            where = {} if pools is None else pools.arguments()
            sets = kinds_of(qrels, list(runs), size=kind_size, **where).sets() | broad_and_focused(
                qrels, seed=seed
            )
        with Progress("testing", len(given.measures) * (1 + len(sets or ()))) as progress:
            found = study(
                given,
                sets=sets,
                by=by,
                test=test,
                correction=correction,
                alpha=alpha,
                draws=draws,
                seed=seed,
                engine=place,
                progress=progress,
                journal=journal,
            )
    show_study(found, format, save, report, figures)
