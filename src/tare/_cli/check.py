"""`tare check`: errors and findings in qrels and runs."""

from __future__ import annotations

from typing import Literal

from tare._cli.output import emit, say
from tare._cli.types import Format, Source
from tare._cli.verb import verb
from tare._data.findings import Finding
from tare._data.judged import Policies, check_judged
from tare._measures.evaluate_rankings import findings_of, judged_runs, read_kind
from tare._tables import Column, Table
from tare.errors import DataError

__all__ = ["check"]


@verb(
    "tare check qrels.txt runs/*.run",
    "tare check qrels.txt bm25.run --strict --format json",
)
def check(
    qrels: Source,
    *runs: Source,
    cutoff: int = 10,
    format: Format = None,
    kind: Literal["grades", "subtopics", "preferences", "groups"] = "grades",
    strict: bool = False,
) -> int:
    """Check qrels and runs for errors and for findings.

    Malformed lines, duplicates and values that are not numbers are errors (exit code 3). Findings are
    facts that affect how the scores should be read: queries missing on either side, unjudged documents
    near the top, tied scores, negative grades, ranks that contradict the scores.

    Parameters
    ----------
    qrels
        Judgements.
    runs
        Runs to check against them.
    cutoff
        Depth at which the share of unjudged documents is computed.
    kind
        Content of QRELS: grades, grades by subtopic, preferences, or levels by groups of assessors.
    strict
        Exit with code 1 if there is a warning.
    """

    judgements = read_kind(qrels, kind)
    found: list[tuple[str, Finding]] = [(qrels, f) for f in findings_of(judgements)]
    failures: list[str] = []
    for run in runs:
        try:
            for judged in judged_runs(judgements, run, Policies()):
                found += [(run, f) for f in check_judged(judged, cutoff=cutoff)]
        except DataError as error:
            failures.append(str(error))
    rows = [(f.severity, f.kind, f.count, str(f)) for _, f in found]
    columns: list[Column | str] = ["severity", "kind", Column("count"), "finding"]
    table = Table.of(columns, rows)
    if rows or format not in (None, "table"):
        emit(format, lambda: table, lambda: table)
    for failure in failures:
        say(f"tare: {failure}")
    warnings = sum(f.severity != "note" for _, f in found)
    say(
        f"{len(judgements):,} judgements of {len(judgements.items):,} queries; "
        f"{len(runs)} runs; {warnings} warnings, {len(found) - warnings} notes, "
        f"{len(failures)} unusable."
    )
    if failures:
        return DataError.exit_code
    return 1 if strict and warnings else 0
