"""The work of `tare score`, once its options are known."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from tare._cli.output import emit, emit_scores, say_findings
from tare._cli.progress import Progress
from tare._cli.scores import prepared
from tare._measures.defaults import DEFAULT_MEASURES, MAIN_MEASURES, RANK_MEASURES
from tare.errors import OptionError, choose

if TYPE_CHECKING:
    from tare._cli.engines import EngineOptions
    from tare._cli.join import JoinedParts
    from tare._cli.options import PoolOptions
    from tare._measures.scores import Scores

__all__ = ["ScoreOptions", "run"]

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
    from tare import evaluate

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
        scores = evaluate(
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
    from tare._cli.score.kinds import scores_by_kind

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
