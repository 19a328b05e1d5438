"""`tare score`: score runs against judgements."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

import tare
from tare._choices import (
    RANK_TIES,
    TIES,
    Missing,
    Order,
    RanksAbove,
    RankTies,
    SystemNames,
    Ties,
    Unjudged,
)
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
from tare._cli.output import Progress, emit, emit_scores, say_findings
from tare._cli.scores import prepared
from tare._measures.defaults import DEFAULT_MEASURES, MAIN_MEASURES, RANK_MEASURES
from tare._measures.scores import Scores
from tare._tables import Column, Table
from tare._tables.table import Cell
from tare.errors import MeasureError, OptionError, choose

if TYPE_CHECKING:
    from tare._cli.part_and_join import JoinedParts
    from tare.chance import Kinds

__all__ = ["ScoreOptions", "ScoresByKind", "app", "run", "score", "scores_by_kind"]


# Mean scores by kind of query, for `tare score --kinds`.


@dataclass(frozen=True)
class ScoresByKind:
    """The kinds of queries, and the mean scores on each kind."""

    kinds: Kinds
    scores: Scores

    def _means(self) -> list[tuple[str, int, dict[str, dict[str, float]]]]:
        return [
            (kind, len(queries), self.scores.select(items=queries).means())
            for kind, queries in self.kinds.sets().items()
            if queries
        ]

    def table(self) -> Table:
        """Return a table with one row per kind and system."""
        columns: list[Column | str] = ["kind", Column("queries"), "system"]
        columns += [Column(measure) for measure in self.scores.measure_names]
        rows: list[tuple[Cell, ...]] = [
            (kind, n, system, *(means[system][m] for m in self.scores.measure_names))
            for kind, n, means in self._means()
            for system in self.scores.systems
        ]
        empty = [kind for kind, queries in self.kinds.sets().items() if not queries]
        notes = list(self.kinds.table().notes)
        if empty:
            notes.append(f"no query is {' or '.join(empty)} at these thresholds.")
        return Table.of(columns, rows, notes=notes)

    def long_table(self) -> Table:
        """Return a table with one row per kind, system and measure, for programs."""
        rows = [
            (kind, n, system, m, means[system][m])
            for kind, n, means in self._means()
            for system in self.scores.systems
            for m in self.scores.measure_names
        ]
        columns: list[Column | str] = ["kind", Column("queries"), "system", "measure"]
        columns.append(Column("mean"))
        return Table.of(columns, rows)


def scores_by_kind(
    qrels: Any, runs: list[Any], scores: Scores, size: float, pools: dict[str, Any]
) -> ScoresByKind:
    """Sort the queries into kinds by the measures that were asked for; Net(m) counts as m."""
    inside = []
    for measure in (m.innermost for m in scores.measures):
        if measure.definition.upper and measure not in inside:
            inside.append(measure)
    if not inside:
        raise MeasureError("--kinds needs a measure with an upper bound, such as nDCG@10.")
    return ScoresByKind(tare.chance.kinds(qrels, runs, inside, size=size, **pools), scores)


# The work of `tare score`, once its options are known.


USAGE = "Usage: tare score QRELS RUN… -m nDCG@10"
NO_POOL = (
    "To see the expected score of a random ranking and the net score, name the documents that could "
    "have been ranked: --pool judged, --corpus N or --candidates FILE."
)


@dataclass(frozen=True)
class ScoreOptions:
    """The options of `tare score`, in the order of its help."""

    qrels: str | None = None
    runs: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    ranks: str | None = None
    ranks_above: RanksAbove = "refuse"
    feature: tuple[int, ...] = ()
    kinds: bool = False
    kind_size: float = 0.1
    by_query: bool = False
    ties: Ties | RankTies | None = None
    missing: Missing = "zero"
    unjudged: Unjudged = "nonrelevant"
    depth: int | None = None
    order: Order = "score"
    system_names: SystemNames = "file"
    allow_extra_fields: bool = False
    replicates: bool = False
    cluster: str | None = None
    range: str | None = None
    pools: PoolOptions | None = None
    format: str | None = None
    save: Path | None = None
    report: Path | None = None
    seed: int = 0
    samples: int = 10_000
    engine: EngineOptions | JoinedParts | None = None
    strict: bool = False


def run(options: ScoreOptions) -> int:
    """Score, print the results and return the exit code."""
    if options.save is not None or options.report is not None:
        from tare._cli.files import check_writable

        check_writable(options.save, options.report)
    if options.ranks is not None:
        scores = prepared(_score_ranks(options), False, options.cluster, options.range)
        _print(options, scores)
    else:
        scores = _score_runs(options)
    if options.save is not None:  # after printing: if saving fails, the scores have been shown
        scores.save(options.save)
    if options.report is not None:
        from tare._cli.results import write_report

        write_report(scores, options.report)
    warnings = any(finding.severity != "note" for finding in scores.findings)
    return 1 if options.strict and warnings else 0


def _print(options: ScoreOptions, scores: Scores, hint: str = "") -> None:
    """Print scores by query or as means; findings go to stderr unless they are notes of the table."""
    from tare._measures.means_and_intervals import query_table

    if options.by_query:
        emit(options.format, lambda: query_table(scores), lambda: query_table(scores))
        say_findings(scores.findings)
    elif emit_scores(options.format, scores) and hint:
        print(hint)


def _score_ranks(options: ScoreOptions) -> Scores:
    """Score a table of ranks."""
    from tare.chance._ranks import ranks

    assert options.ranks is not None
    return ranks(
        options.ranks,
        None if options.pools is None else options.pools.candidates,
        options.measures or RANK_MEASURES,
        ties=choose("ties", options.ties or "expected", RANK_TIES),
        ranks_above=options.ranks_above,
        seed=options.seed,
        samples=options.samples,
    )


def _score_runs(options: ScoreOptions) -> Scores:
    """Score runs against qrels, and print the scores."""
    engines = options.engine
    if options.feature and options.runs:
        raise OptionError("--feature ranks the rows of the LETOR file; do not name runs.")
    if options.kinds and (options.replicates or options.cluster is not None):
        raise OptionError(
            "--kinds describes single runs and queries; it does not work with --replicates or --cluster."
        )
    if engines is not None and engines.name is not None and options.kinds:
        raise OptionError("--kinds reads all runs into memory; it does not work with --engine.")
    judgements, rankings = _data(options)
    if not rankings:
        raise OptionError(f"no run was given. {USAGE}")
    pools = {} if options.pools is None else options.pools.arguments()
    known = bool(options.feature) or (options.pools is not None and options.pools.given)
    chance = known and not options.kinds
    measures: Sequence[Any] = options.measures or (MAIN_MEASURES if chance else DEFAULT_MEASURES)
    if options.allow_extra_fields:
        from tare._measures.evaluate_rankings import read_judgements
        from tare._measures.names import parse_all

        judgements = read_judgements(judgements, parse_all(measures), allow_extra_fields=True)
    if chance:
        from tare.chance._net_measures import with_chance

        measures = with_chance(measures)
    with (
        engines.opened() if engines is not None else nullcontext() as engine,
        Progress("reading", len(rankings)) as progress,
    ):
        scores = tare.evaluate(
            judgements,
            rankings,
            measures,
            ties=choose("ties", options.ties or "trec", TIES),
            missing=options.missing,
            unjudged=options.unjudged,
            depth=options.depth,
            order=options.order,
            system_names=options.system_names,
            seed=options.seed,
            samples=options.samples,
            engine=engine,
            progress=progress,
            **pools,
        )
    scores = prepared(scores, options.replicates, options.cluster, options.range, options.runs)
    if known:
        from tare.chance._net_measures import without_trivial_ideals

        scores = without_trivial_ideals(scores)
    if not options.kinds:
        _print(options, scores, "" if _has_chance(scores) else NO_POOL)
        return scores

    found = scores_by_kind(judgements, rankings, scores, options.kind_size, pools)
    emit(options.format, found.table, found.long_table)
    say_findings(scores.findings)
    for name, values in found.kinds.attributes().items():  # saved with the scores
        scores = scores.with_attribute(name, values)
    return scores


def _has_chance(scores: Scores) -> bool:
    """Return whether a measure of the table takes chance into account."""
    return any(name.startswith(("Net(", "E(", "V1(", "V2(")) for name in scores.measure_names)


def _data(options: ScoreOptions) -> tuple[Any, list[Any]]:
    """Return judgements and runs; a LETOR file holds both, with one run per feature."""
    if not options.feature:
        return options.qrels, list(options.runs)
    assert options.qrels is not None
    from tare._data.letor import read_letor

    letor = read_letor(options.qrels)
    runs = [letor.run(feature=f, system=f"feature {f}") for f in options.feature]
    return letor.qrels(), runs


# The options of `tare score`.


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
