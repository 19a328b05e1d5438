"""`tare score`: score runs against judgements."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

from cyclopts import Parameter

import tare
from tare._choices import RANK_TIES, TIES, Missing, Order, RanksAbove, RankTies, Ties, Unjudged
from tare._cli.engines import EngineOfScores
from tare._cli.output import Progress, emit
from tare._cli.results import emit_scores, exit_code, say_findings
from tare._cli.sources import prepared, with_chance, without_trivial_ideals
from tare._cli.types import (
    ByQuery,
    ClusterOption,
    MeasureList,
    Output,
    OutputFile,
    Pools,
    RangeOption,
    Replicates,
    Source,
    Strict,
    SystemNamesOption,
)
from tare._cli.verb import verb
from tare._measures.defaults import DEFAULT_MEASURES, MAIN_MEASURES, RANK_MEASURES
from tare._measures.evaluate_rankings import read_judgements
from tare._measures.means_and_intervals import query_table
from tare._measures.names import parse_all
from tare._measures.scores import Scores
from tare._tables import Column, Table
from tare._tables.table import Cell
from tare.errors import MeasureError, OptionError, choose

if TYPE_CHECKING:
    from tare._measures.one_system import RankingEngine
    from tare.chance import Kinds

__all__ = ["RunScoring", "Scoring", "run", "score"]


# Mean scores by kind of query, for `tare score --kinds`.


@dataclass(frozen=True)
class ScoresByKind:
    """The kinds of queries in `tare score`, and the mean scores on each kind."""

    kinds: Kinds
    scores: Scores

    def _means(self) -> list[tuple[str, int, dict[str, dict[str, float]]]]:
        return [
            (kind, len(queries), self.scores.select(items=queries).means())
            for kind, queries in self.kinds.sets().items()
            if queries
        ]

    def table(self) -> Table:
        """Return a table of mean scores with one row per kind of queries and system."""
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
        """Return a table of mean scores with one row per kind of queries, system and measure, for programs."""
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
    """Sort the queries of `tare score` into kinds by the measures that were asked for; Net(m) counts as m."""
    inside = []
    for measure in (m.innermost for m in scores.measures):
        if measure.definition.upper and measure not in inside:
            inside.append(measure)
    if not inside:
        raise MeasureError("--kinds needs a measure with an upper bound, such as nDCG@10.")
    return ScoresByKind(tare.chance.kinds(qrels, runs, inside, size=size, **pools), scores)


# The options of `tare score`, and those that `tare join` has as well.

USAGE = "Usage: tare score QRELS RUN… -m nDCG@10"
NO_POOL = (
    "To see the expected score of a random ranking and the net score, name the documents that could "
    "have been ranked: --pool judged, --corpus N or --candidates FILE."
)


class Opening(Protocol):
    """What opens an engine: the options of one, or the parts of a batch job."""

    @property
    def name(self) -> str | None:
        """Name of the engine; None without an engine."""

    def opened(self) -> AbstractContextManager[RankingEngine | None]:
        """Open the engine for the work inside."""


@Parameter(name="*")
@dataclass(frozen=True)
class Scoring:
    """Which scores are computed, printed and saved."""

    measures: Annotated[
        MeasureList,
        Parameter(
            help="Measures such as nDCG@10, 'P(rel=2)@5', 'Net(nDCG@10)'; `tare list measures` shows all."
        ),
    ] = None
    by_query: ByQuery = False
    missing: Annotated[
        Missing,
        Parameter(
            help="Judged queries that a run lacks: count them as 0, skip them, or raise an error."
        ),
    ] = "zero"
    save: Annotated[
        OutputFile | None, Parameter(help="Write the score table to this Parquet file.")
    ] = None
    seed: Annotated[int, Parameter(help="Seed for expected values without a closed form.")] = 0
    samples: Annotated[
        int,
        Parameter(help="Number of sampled rankings for expected values without a closed form."),
    ] = 10_000
    strict: Strict = False


@Parameter(name="*")
@dataclass(frozen=True)
class RunScoring(Scoring):
    """How `tare score` reads, ranks and groups runs before they are scored."""

    ranks: Annotated[
        Source | None,
        Parameter(
            help="Table that replaces QRELS and RUN, with the columns query, rank (or rank_min and rank_max), "
            "candidates and optionally system; .csv, .tsv, .jsonl or .parquet."
        ),
    ] = None
    ranks_above: Annotated[
        RanksAbove,
        Parameter(
            help="Ranks above the number of candidates: refuse them, or keep and count them."
        ),
    ] = "refuse"
    feature: Annotated[
        list[int] | None,
        Parameter(
            help="Read QRELS as a LETOR file, and rank its rows by these features instead of reading runs."
        ),
    ] = None
    kinds: Annotated[
        bool,
        Parameter(
            help="Show mean scores by kind of query: uninformative, ideal, hard, easy, informative."
        ),
    ] = False
    kind_size: Annotated[
        float,
        Parameter(
            help="Number of queries in the uninformative and in the ideal set, or their share if below 1."
        ),
    ] = 0.1
    ties: Annotated[
        Literal[Ties, RankTies] | None,
        Parameter(
            help="Equal scores: by document id as in trec_eval (trec, the default), in the order of the file "
            "(order), or averaged over all orders (expected). With --ranks: averaged over the tied places "
            "(expected, the default), at their mean (realistic), at the best (optimistic) or at the worst "
            "(pessimistic)."
        ),
    ] = None
    unjudged: Annotated[
        Unjudged,
        Parameter(
            help="Unjudged documents: count them as not relevant, or remove them before ranking."
        ),
    ] = "nonrelevant"
    depth: Annotated[
        int | None, Parameter(help="Use only the first documents of each ranking.")
    ] = None
    order: Annotated[
        Order,
        Parameter(help="Rank documents by score, or by the rank column as ndeval does."),
    ] = "score"
    system_names: SystemNamesOption = "file"
    allow_extra_fields: Annotated[
        bool,
        Parameter(
            help="Read QRELS although its lines have the fields of a run; those after the fourth are ignored."
        ),
    ] = False
    replicates: Replicates = False
    cluster: ClusterOption = None
    range: RangeOption = None


@verb(
    "tare score qrels.txt bm25.run dense.run -m nDCG@10 AP --pool judged",
    "zcat bm25.run.gz | tare score qrels.txt - --by-query --format csv",
)
def score(
    qrels: Source | None = None,
    *runs: Source,
    options: RunScoring,
    pools: Pools,
    engine: EngineOfScores,
    output: Output,
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
    """
    if options.ranks is not None:
        _refuse_run_options(qrels, options, pools, engine)
        scores = _score_ranks(options, pools)
        _print(options, output, scores)
        return _end(options, output, scores)
    if options.ranks_above != "refuse":
        raise OptionError("--ranks-above needs --ranks FILE.")
    if qrels is None:
        raise OptionError(f"no qrels were given. {USAGE}")
    return run(qrels, runs, options, pools, engine, output)


NOT_OF_RANKS = (
    "feature",
    "kinds",
    "missing",
    "unjudged",
    "depth",
    "order",
    "allow_extra_fields",
    "replicates",
    "engine",
    "memory",
    "address",
    "resume",
    "pool",
    "corpus",
)


def _refuse_run_options(
    qrels: str | None, options: RunScoring, pools: Pools, engine: EngineOfScores
) -> None:
    """Raise if an option of `tare score` was given that has no meaning without runs."""
    given = {
        one.name
        for group in (options, pools, engine)
        for one in fields(group)
        if getattr(group, one.name) != one.default
    }
    unfit = ["QRELS and RUN"] if qrels is not None else []
    unfit += [f"--{name.replace('_', '-')}" for name in NOT_OF_RANKS if name in given]
    if unfit:
        raise OptionError(
            f"{', '.join(unfit)} cannot be used with --ranks: the table of ranks replaces qrels and "
            "runs, and its candidates are the pool."
        )


# The work of `tare score`, once its options are known.


def run(
    qrels: str,
    runs: tuple[str, ...],
    options: RunScoring,
    pools: Pools,
    engine: Opening,
    output: Output,
) -> int:
    """Score the runs of `tare score`, print and save the scores, and return the exit code."""
    scores = _score_runs(qrels, runs, options, pools, engine, output)
    return _end(options, output, scores)


def _end(options: Scoring, output: Output, scores: Scores) -> int:
    """Save the scores of `tare score` and write their report; if that fails, the scores have been printed."""
    if options.save is not None:
        scores.save(options.save)
    output.write_report(scores)
    return exit_code(scores.findings, options.strict)


def _print(options: Scoring, output: Output, scores: Scores, hint: str = "") -> None:
    """Print scores of runs by query or as means; findings go to stderr unless they are notes of the table."""
    if options.by_query:
        emit(output.format, lambda: query_table(scores), lambda: query_table(scores))
        say_findings(scores.findings)
    elif emit_scores(output.format, scores) and hint:
        print(hint)


def _score_ranks(options: RunScoring, pools: Pools) -> Scores:
    """Score a table of ranks."""
    assert options.ranks is not None
    scores = tare.ranks(
        options.ranks,
        pools.candidates,
        tuple(options.measures or RANK_MEASURES),
        ties=choose("ties", options.ties or "expected", RANK_TIES),
        ranks_above=options.ranks_above,
        seed=options.seed,
        samples=options.samples,
    )
    return prepared(scores, False, options.cluster, options.range)


def _score_runs(
    qrels: str,
    runs: tuple[str, ...],
    options: RunScoring,
    pools: Pools,
    engine: Opening,
    output: Output,
) -> Scores:
    """Score runs against qrels, and print the scores."""
    _check_run_options(runs, options, engine)
    judgements, rankings = _data(qrels, runs, options)
    if not rankings:
        raise OptionError(f"no run was given. {USAGE}")
    known = bool(options.feature) or pools.given
    chance = known and not options.kinds
    measures: Sequence[Any] = tuple(
        options.measures or (MAIN_MEASURES if chance else DEFAULT_MEASURES)
    )
    if options.allow_extra_fields:
        judgements = read_judgements(judgements, parse_all(measures), allow_extra_fields=True)
    if chance:
        measures = with_chance(measures)
    with engine.opened() as place, Progress("reading", len(rankings)) as progress:
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
            engine=place,
            progress=progress,
            **pools.arguments(),
        )
    scores = prepared(scores, options.replicates, options.cluster, options.range, runs)
    if known:
        scores = without_trivial_ideals(scores)
    if not options.kinds:
        _print(options, output, scores, "" if _has_chance(scores) else NO_POOL)
        return scores

    found = scores_by_kind(judgements, rankings, scores, options.kind_size, pools.arguments())
    emit(output.format, found.table, found.long_table)
    say_findings(scores.findings)
    for name, values in found.kinds.attributes().items():  # saved with the scores
        scores = scores.with_attribute(name, values)
    return scores


def _check_run_options(runs: tuple[str, ...], options: RunScoring, engine: Opening) -> None:
    if options.feature and runs:
        raise OptionError("--feature ranks the rows of the LETOR file; do not name runs.")
    if options.kinds and (options.replicates or options.cluster is not None):
        raise OptionError(
            "--kinds describes single runs and queries; it does not work with --replicates or --cluster."
        )
    if engine.name is not None and options.kinds:
        raise OptionError("--kinds reads all runs into memory; it does not work with --engine.")


def _has_chance(scores: Scores) -> bool:
    """Return whether a measure of the table of `tare score` takes chance into account."""
    return any(name.startswith(("Net(", "E(", "V1(", "V2(")) for name in scores.measure_names)


def _data(qrels: str, runs: tuple[str, ...], options: RunScoring) -> tuple[Any, list[Any]]:
    """Return judgements and runs of `tare score`; a LETOR file holds both, with one run per feature."""
    if not options.feature:
        return qrels, list(runs)
    letor = tare.read_letor(qrels)
    return letor.qrels(), [letor.run(feature=f, system=f"feature {f}") for f in options.feature]
