"""`tare score`: runs against judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tare._choices import TIES, Missing, Order, RankTies, Ties, Unjudged
from tare._cli.options import Format, PoolOptions, ReportFile
from tare._cli.source import Source, refuse_options
from tare._cli.verb import verb
from tare.errors import choose

__all__ = ["app", "score"]


app = verb(
    "score",
    "tare score qrels.txt bm25.run dense.run -m nDCG@10 AP --pool judged",
    "zcat bm25.run.gz | tare score qrels.txt - --by-query --format csv",
)


@app.default
def score(
    qrels: Source | None = None,
    *runs: Source,
    measures: Annotated[
        list[str] | None, Parameter(name=["--measure", "-m"], consume_multiple=True)
    ] = None,
    ranks: Source | None = None,
    ranks_above: Literal["refuse", "keep"] = "refuse",
    feature: Annotated[list[int] | None, Parameter(consume_multiple=True)] = None,
    kinds: Annotated[bool, Parameter(negative="")] = False,
    kind_size: float = 0.1,
    by_query: Annotated[bool, Parameter(name=["--by-query", "-q"], negative="")] = False,
    ties: Ties | RankTies | None = None,
    missing: Missing = "zero",
    unjudged: Unjudged = "nonrelevant",
    depth: int | None = None,
    order: Order = "score",
    pools: PoolOptions | None = None,
    format: Format = None,
    save: Path | None = None,
    report: ReportFile = None,
    seed: int = 0,
    samples: int = 10_000,
    engine: Literal["local", "ray"] | None = None,
    memory: str | None = None,
    temporary: Path | None = None,
    address: str | None = None,
    strict: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Score runs against judgements.

    QRELS and RUN are TREC text, .jsonl, .csv, .tsv or .parquet, texts also as .gz or .zst; "-" is
    standard input. The measures tell what QRELS holds: grades, grades by subtopic (alpha_nDCG@20), or
    preferences (nPrf@20).

    With --pool, --corpus or --candidates each measure is followed by its tare, the expected score of
    a random ranking (E), and by its net score: (score − tare)/(ideal − tare), 1 perfect, 0 chance.

    With --ranks there are no QRELS and no RUN: a table says at which rank each query's relevant item
    stands, and among how many candidates, as in link prediction and recommendation.

    Parameters
    ----------
    qrels
        The judgements.
    runs
        One run or several.
    ranks
        A table instead of QRELS and RUN: query, rank (or rank_min and rank_max), candidates[, system];
        .csv, .tsv, .jsonl or .parquet.
    ranks_above
        Ranks above their number of candidates: refuse, or keep and count them.
    measures
        Measures such as nDCG@10, 'P(rel=2)@5', 'Net(nDCG@10)'; `tare list measures` shows all.
    feature
        QRELS is a LETOR file, and its rows are ranked by these features instead of runs.
    kinds
        Score the kinds of queries (uninformative, ideal, hard, easy, informative) apart.
    kind_size
        Queries in the uninformative and ideal sets, or their share if below 1.
    by_query
        Print a line a query instead of means.
    ties
        Equal scores: by document id as trec_eval does (trec, the default), as given (order), or averaged
        over all orders (expected). For --ranks: averaged over the tied places (expected, the default), at
        their mean (realistic), at the best (optimistic) or at the worst (pessimistic).
    missing
        Judged queries that a run lacks: count as 0, leave out, or refuse.
    unjudged
        Unjudged documents: not relevant, or taken out before ranking.
    depth
        Use only the first documents of each ranking.
    order
        Rank documents by their scores, or by the rank column as ndeval does.
    save
        Write the score table to this Parquet file.
    seed
        For expected values without a closed form, and for the bootstrap intervals.
    samples
        Orders to sample for such values.
    engine
        local scores runs larger than memory, ray works on a cluster; the numbers are the same.
    memory
        What local or a node of ray may use for rows, such as 800MB or 4GB; half of it if not said.
    temporary
        The folder in which local keeps rows that do not fit.
    address
        The Ray cluster, such as auto or head:6379; one on this machine if not said.
    strict
        Exit with 1 if there are findings.
    """
    from tare._cli.engine import EngineOptions
    from tare._cli.scoring import ScoreOptions, run
    from tare.errors import OptionError

    refuse_options(*(source for source in (qrels, ranks, *runs) if source is not None))
    if ranks is not None:
        from tare._cli.rank_scoring import RankOptions, refuse_run_options, run_ranks

        refuse_run_options(
            {
                "QRELS and RUN": qrels is not None, "--feature": bool(feature), "--kinds": kinds,
                "--missing": missing != "zero", "--unjudged": unjudged != "nonrelevant",
                "--depth": depth is not None, "--order": order != "score", "--engine": engine is not None,
                "--memory": memory is not None, "--temporary": temporary is not None, "--address": address is not None,
                "--pool": pools is not None and pools.pool is not None,
                "--corpus": pools is not None and pools.corpus is not None,
            }
        )  # fmt: skip
        return run_ranks(
            RankOptions(
                ranks, None if pools is None else pools.candidates, tuple(measures or ()), ties,
                ranks_above, by_query, format, save, report, seed, samples, strict,
            )
        )  # fmt: skip
    if ranks_above != "refuse":
        raise OptionError("--ranks-above is for --ranks FILE.")
    if qrels is None:
        raise OptionError("no qrels were given. Usage: tare score QRELS RUN… -m nDCG@10")
    return run(
        ScoreOptions(
            qrels, runs, tuple(measures or ()), tuple(feature or ()), kinds, kind_size, by_query,
            choose("ties", ties or "trec", TIES), missing, unjudged, depth, format, save, seed, samples, strict, order,
            EngineOptions(engine, memory, address, temporary), report, pools,
        )
    )  # fmt: skip
