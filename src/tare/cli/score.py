"""`tare score`: runs against judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tare.cli.output import Format, Progress, emit, tell_findings
from tare.cli.source import Source, refuse_options
from tare.cli.verb import verb

__all__ = ["app", "score"]

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "Recall@100")


app = verb(
    "score",
    "tare score qrels.txt bm25.run dense.run -m nDCG@10 AP 'P(rel=2)@5'",
    "zcat bm25.run.gz | tare score qrels.txt - --by-query --format csv",
)


@app.default
def score(
    qrels: Source,
    *runs: Source,
    measures: Annotated[
        list[str] | None, Parameter(name=["--measure", "-m"], consume_multiple=True)
    ] = None,
    by_query: Annotated[bool, Parameter(name=["--by-query", "-q"], negative="")] = False,
    ties: Literal["trec", "order", "expected"] = "trec",
    missing: Literal["zero", "skip", "error"] = "zero",
    unjudged: Literal["nonrelevant", "condensed"] = "nonrelevant",
    depth: int | None = None,
    format: Format = None,
    save: Path | None = None,
    seed: int = 0,
    samples: int = 10_000,
    strict: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Score runs against judgements.

    QRELS and RUN are TREC text, .jsonl, .csv, .tsv or .parquet, texts also as .gz or .zst; "-" is
    standard input.

    Parameters
    ----------
    qrels
        The judgements.
    runs
        One run or several.
    measures
        Measures such as nDCG@10, AP, 'P(rel=2)@5'; `tare list measures` shows all.
    by_query
        Print a line a query instead of means.
    ties
        Equal scores: by document id as trec_eval does, as given, or averaged over all orders.
    missing
        Judged queries that a run lacks: count as 0, leave out, or refuse.
    unjudged
        Unjudged documents: not relevant, or taken out before ranking.
    depth
        Use only the first documents of each ranking.
    save
        Write the score table to this Parquet file.
    seed
        For expected values without a closed form, and for the bootstrap intervals.
    samples
        Orders to sample for such values.
    strict
        Exit with 1 if there are findings.
    """
    from tare.errors import OptionError
    from tare.measures.evaluate import evaluate
    from tare.measures.score_table import long_table, query_table, score_table

    refuse_options(qrels, *runs)
    if not runs:
        raise OptionError("no run was given. Usage: tare score QRELS RUN… -m nDCG@10")
    progress = Progress(len(runs), "reading")
    try:
        scores = evaluate(
            qrels,
            list(runs),
            measures or DEFAULT_MEASURES,
            ties=ties,
            missing=missing,
            unjudged=unjudged,
            depth=depth,
            seed=seed,
            samples=samples,
            progress=progress,
        )
    finally:
        progress.end()
    if save is not None:
        scores.save(save)
    if by_query:
        emit(format, lambda: query_table(scores), lambda: query_table(scores))
        found = tell_findings(scores.findings)
    else:
        emit(format, lambda: score_table(scores), lambda: long_table(scores))
        found = sum(f.severity != "note" for f in scores.findings)
        if format not in (None, "table") or not _is_terminal():
            tell_findings(scores.findings)
    return 1 if strict and found else 0


def _is_terminal() -> bool:
    import sys

    return sys.stdout.isatty()
