"""What `tare score --ranks` does: ranks with numbers of candidates instead of qrels and runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tare._choices import RANK_TIES, RanksAbove, RankTies, Ties
from tare._cli.output import emit, tell_findings
from tare.errors import OptionError, choose

__all__ = ["RankOptions", "refuse_run_options", "run_ranks"]


@dataclass(frozen=True)
class RankOptions:
    """The options of `tare score` that apply to ranks."""

    ranks: str
    candidates: Path | None = None
    measures: tuple[str, ...] = ()
    ties: Ties | RankTies | None = None
    ranks_above: RanksAbove = "refuse"
    by_query: bool = False
    format: str | None = None
    save: Path | None = None
    report: Path | None = None
    seed: int = 0
    samples: int = 10_000
    strict: bool = False


def refuse_run_options(given: Mapping[str, bool]) -> None:
    """Refuses options that mean nothing without runs; none is silently ignored."""
    unfit = [name for name, was in given.items() if was]
    if unfit:
        raise OptionError(
            f"{', '.join(unfit)}: not with --ranks, where a table of ranks takes the place of qrels and "
            "runs, and its candidates are the pool."
        )


def run_ranks(options: RankOptions) -> int:
    """Scores, prints, and returns the exit code."""
    from tare._measures.score_table import long_table, query_table, score_table
    from tare.chance._ranks import MEASURES, ranks

    if options.save is not None or options.report is not None:
        from tare._cli.reporting import can_be_written

        can_be_written(options.save, options.report)
    scores = ranks(
        options.ranks,
        options.candidates,
        options.measures or MEASURES,
        ties=choose("ties", options.ties or "expected", RANK_TIES),
        ranks_above=options.ranks_above,
        seed=options.seed,
        samples=options.samples,
    )
    told = False
    if options.by_query:
        emit(options.format, lambda: query_table(scores), lambda: query_table(scores))
    else:
        told = options.format == "table" or (options.format is None and sys.stdout.isatty())
        emit(options.format, lambda: score_table(scores), lambda: long_table(scores))
    if not told:
        tell_findings(scores.findings)
    if options.save is not None:
        scores.save(options.save)
    if options.report is not None:
        from tare._cli.reporting import tell

        tell(scores, options.report)
    warnings = any(finding.severity != "note" for finding in scores.findings)
    return 1 if options.strict and warnings else 0
