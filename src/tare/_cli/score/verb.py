"""The options of `tare score`."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare._choices import Missing, Order, RankTies, Ties, Unjudged
from tare._cli.engines import EngineOptions
from tare._cli.files import check_file_names
from tare._cli.options import (
    ClusterOption,
    FilePath,
    Format,
    Measures,
    PoolOptions,
    RangeOption,
    Replicates,
    ReportFile,
    Source,
    SystemNamesOption,
    verb,
)
from tare._cli.score.run import USAGE, ScoreOptions, run
from tare.errors import OptionError

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
    measures: Measures = None,
    ranks: Source | None = None,
    ranks_above: Literal["refuse", "keep"] = "refuse",
    feature: Annotated[list[int] | None, Parameter(negative="")] = None,
    kinds: Annotated[bool, Parameter(negative="")] = False,
    kind_size: float = 0.1,
    by_query: Annotated[bool, Parameter(name=["--by-query", "-q"], negative="")] = False,
    ties: Literal[Ties, RankTies] | None = None,
    missing: Missing = "zero",
    unjudged: Unjudged = "nonrelevant",
    depth: int | None = None,
    order: Order = "score",
    system_names: SystemNamesOption = "file",
    allow_extra_fields: Annotated[bool, Parameter(negative="")] = False,
    replicates: Replicates = False,
    cluster: ClusterOption = None,
    range: RangeOption = None,
    pools: PoolOptions | None = None,
    format: Format = None,
    save: FilePath | None = None,
    report: ReportFile = None,
    seed: int = 0,
    samples: int = 10_000,
    engine: Literal["local", "ray"] | None = None,
    memory: str | None = None,
    address: str | None = None,
    resume: FilePath | None = None,
    strict: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Score runs against judgements.

    QRELS and RUN are TREC text, .jsonl, .csv, .tsv or .parquet files; text files may be compressed
    (.gz, .zst); "-" is standard input. The measures decide how QRELS is read: as grades, as grades by
    subtopic (alpha_nDCG@20), or as preferences (nPrf@20).

    With --pool, --corpus or --candidates, each measure is followed by its expected score under a random
    ranking (E) and by its net score, (score − E)/(ideal − E): 1 is ideal, 0 is chance.

    With --ranks, a table takes the place of QRELS and RUN: the rank of each query's relevant item and
    the number of candidates, as in link prediction and recommendation.

    Parameters
    ----------
    qrels
        Judgements.
    runs
        One or more runs.
    ranks
        Table that replaces QRELS and RUN, with the columns query, rank (or rank_min and rank_max),
        candidates and optionally system; .csv, .tsv, .jsonl or .parquet.
    ranks_above
        Ranks above the number of candidates: refuse them, or keep and count them.
    measures
        Measures such as nDCG@10, 'P(rel=2)@5', 'Net(nDCG@10)'; `tare list measures` shows all.
    feature
        Read QRELS as a LETOR file, and rank its rows by these features instead of reading runs.
    kinds
        Show mean scores by kind of query: uninformative, ideal, hard, easy, informative.
    kind_size
        Number of queries in the uninformative and in the ideal set, or their share if below 1.
    by_query
        Print one line per query instead of means.
    ties
        Equal scores: by document id as in trec_eval (trec, the default), in the order of the file
        (order), or averaged over all orders (expected). With --ranks: averaged over the tied places
        (expected, the default), at their mean (realistic), at the best (optimistic) or at the worst
        (pessimistic).
    missing
        Judged queries that a run lacks: count them as 0, skip them, or raise an error.
    unjudged
        Unjudged documents: count them as not relevant, or remove them before ranking.
    depth
        Use only the first documents of each ranking.
    order
        Rank documents by score, or by the rank column as ndeval does.
    allow_extra_fields
        Read QRELS although its lines have the fields of a run; those after the fourth are ignored.
    save
        Write the score table to this Parquet file.
    seed
        Seed for expected values without a closed form.
    samples
        Number of sampled rankings for expected values without a closed form.
    engine
        local scores runs larger than memory, ray uses a cluster; the results are the same.
    memory
        Memory for rows on this machine or on each Ray node, such as 4GB (default: half of the available
        memory).
    address
        Address of the Ray cluster, such as auto or head:6379 (default: a cluster on this machine).
    resume
        Folder for finished parts. If the command is stopped, the same command continues with them.
    strict
        Exit with code 1 if there are findings.
    """
    check_file_names(*(source for source in (qrels, ranks, *runs) if source is not None))
    place = EngineOptions(engine, memory, address, resume)
    options = ScoreOptions(
        qrels=qrels,
        runs=runs,
        measures=tuple(measures or ()),
        ranks=ranks,
        ranks_above=ranks_above,
        feature=tuple(feature or ()),
        kinds=kinds,
        kind_size=kind_size,
        by_query=by_query,
        ties=ties,
        missing=missing,
        unjudged=unjudged,
        depth=depth,
        order=order,
        system_names=system_names,
        allow_extra_fields=allow_extra_fields,
        replicates=replicates,
        cluster=cluster,
        range=range,
        pools=pools,
        format=format,
        save=save,
        report=report,
        seed=seed,
        samples=samples,
        engine=place,
        strict=strict,
    )
    if ranks is not None:
        _refuse_run_options(options, place)
    elif ranks_above != "refuse":
        raise OptionError("--ranks-above needs --ranks FILE.")
    elif qrels is None:
        raise OptionError(f"no qrels were given. {USAGE}")
    return run(options)


def _refuse_run_options(options: ScoreOptions, engine: EngineOptions) -> None:
    """Raise if an option was given that has no meaning without runs."""
    given = {
        "QRELS and RUN": options.qrels is not None,
        "--feature": bool(options.feature),
        "--kinds": options.kinds,
        "--missing": options.missing != "zero",
        "--unjudged": options.unjudged != "nonrelevant",
        "--depth": options.depth is not None,
        "--order": options.order != "score",
        "--allow-extra-fields": options.allow_extra_fields,
        "--replicates": options.replicates,
        "--engine": engine.engine is not None,
        "--memory": engine.memory is not None,
        "--address": engine.address is not None,
        "--resume": engine.resume is not None,
        "--pool": options.pools is not None and options.pools.pool is not None,
        "--corpus": options.pools is not None and options.pools.corpus is not None,
    }
    unfit = [name for name, was in given.items() if was]
    if unfit:
        raise OptionError(
            f"{', '.join(unfit)} cannot be used with --ranks: the table of ranks replaces qrels and "
            "runs, and its candidates are the pool."
        )
