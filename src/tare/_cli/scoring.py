"""What `tare score` does, once it knows what was asked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare._choices import Missing, Order, Ties, Unjudged
from tare._cli.output import Progress, emit, tell_findings

if TYPE_CHECKING:
    from tare._cli.engine import EngineOptions
    from tare._cli.options import PoolOptions
    from tare._measures.scores import Scores

__all__ = ["ScoreOptions", "plain_call", "run"]

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "Recall@100")
DEFAULT_WITH_CHANCE = ("nDCG@10", "AP")  # each takes three columns
NO_POOL = (
    "To see what chance would score and the score net of it, say what could have been ranked: "
    "--pool judged, --corpus N or --candidates FILE."
)


@dataclass(frozen=True)
class ScoreOptions:
    """The options of `tare score`, in the order of its help."""

    qrels: str
    runs: tuple[str, ...]
    measures: tuple[str, ...] = ()
    feature: tuple[int, ...] = ()
    kinds: bool = False
    kind_size: float = 0.1
    by_query: bool = False
    ties: Ties = "trec"
    missing: Missing = "zero"
    unjudged: Unjudged = "nonrelevant"
    depth: int | None = None
    format: str | None = None
    save: Path | None = None
    seed: int = 0
    samples: int = 10_000
    strict: bool = False
    order: Order = "score"
    engine: EngineOptions | None = None
    report: Path | None = None
    pools: PoolOptions | None = None


def plain_call(arguments: list[str]) -> ScoreOptions | None:
    """Options of the plainest calls, `QRELS RUN… [-q] [-m MEASURE…]`; None for any other.

    Loading the parser of the other calls takes longer than scoring a small run, so the calls that
    need no parser do without it.
    """
    places: list[str] = []
    measures: list[str] = []
    by_query = False
    target = places
    for argument in arguments:
        if argument in ("-m", "--measure"):
            target = measures
        elif argument in ("-q", "--by-query"):
            by_query, target = True, places
        elif argument.startswith("-") and argument != "-":
            return None
        else:
            target.append(argument)
    if len(places) < 2 or (target is measures and not measures):
        return None
    return ScoreOptions(places[0], tuple(places[1:]), tuple(measures), by_query=by_query)


def run(options: ScoreOptions) -> int:
    """Scores, prints, and returns the exit code."""
    from tare import evaluate
    from tare._measures.score_table import long_table, query_table, score_table
    from tare.errors import OptionError

    if options.feature and options.runs:
        raise OptionError("with --feature the rows of the LETOR file are ranked; name no runs.")
    place = options.engine
    if place is not None and place.name is not None and options.kinds:
        raise OptionError("--kinds reads all runs into memory; it cannot work on an engine.")
    judgements, rankings = _data(options)
    if not rankings:
        raise OptionError("no run was given. Usage: tare score QRELS RUN… -m nDCG@10")
    pools = {} if options.pools is None else options.pools.arguments()
    known = bool(options.feature) or (options.pools is not None and options.pools.given)
    usual = DEFAULT_WITH_CHANCE if known and not options.kinds else DEFAULT_MEASURES
    measures: Sequence[Any] = options.measures or usual
    if options.save is not None or options.report is not None:
        from tare._cli.reporting import can_be_written

        can_be_written(options.save, options.report)
    if known and not options.kinds:
        from tare.chance._columns import with_chance

        measures = with_chance(measures)
    progress = Progress(len(rankings), "reading")
    with place.opened() if place is not None else nullcontext() as engine:
        try:
            scores = evaluate(
                judgements,
                rankings,
                measures,
                ties=options.ties,
                missing=options.missing,
                unjudged=options.unjudged,
                depth=options.depth,
                order=options.order,
                seed=options.seed,
                samples=options.samples,
                engine=engine,
                progress=progress,
                **pools,
            )
        finally:
            progress.end()
    if known:
        from tare.chance._columns import without_trivial_ideals

        scores = without_trivial_ideals(scores)
    told = False
    if options.kinds:
        from tare._cli.kinds import by_kind

        found = by_kind(judgements, rankings, scores, options.kind_size, pools)
        emit(options.format, found.table, found.long)
        for name, values in found.kinds.attributes().items():  # kept with the scores by --save
            scores = scores.with_attribute(name, values)
    elif options.by_query:
        emit(options.format, lambda: query_table(scores), lambda: query_table(scores))
    else:
        told = options.format == "table" or (options.format is None and sys.stdout.isatty())
        emit(options.format, lambda: score_table(scores), lambda: long_table(scores))
        if told and not _nets(scores):
            print(NO_POOL)
    if not told:
        tell_findings(scores.findings)
    if options.save is not None:  # after the table: what cannot be kept has been seen
        scores.save(options.save)
    if options.report is not None:
        from tare._cli.reporting import tell

        tell(scores, options.report)
    warnings = any(finding.severity != "note" for finding in scores.findings)
    return 1 if options.strict and warnings else 0


def _nets(scores: Scores) -> bool:
    """Whether the table shows anything net of chance."""
    return any(name.startswith(("Net(", "E(", "V1(", "V2(")) for name in scores.measure_names)


def _data(options: ScoreOptions) -> tuple[Any, list[Any]]:
    """Judgements and runs; a LETOR file is both, one run a feature."""
    if not options.feature:
        return options.qrels, list(options.runs)
    from tare._data.letor import read_letor

    letor = read_letor(options.qrels)
    runs = [letor.run(feature=f, system=f"feature {f}") for f in options.feature]
    return letor.qrels(), runs
