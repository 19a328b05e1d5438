"""`tare score`: runs against judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from tare.cli.output import Format, Progress, emit, tell_findings

__all__ = ["score"]

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "Recall@100")


def score(
    qrels: str,
    *runs: str,
    measures: Annotated[
        list[str] | None, Parameter(name=["--measure", "-m"], consume_multiple=True)
    ] = None,
    feature: Annotated[list[int] | None, Parameter(consume_multiple=True)] = None,
    kinds: Annotated[bool, Parameter(negative="")] = False,
    kind_size: float = 0.1,
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

    **Examples**

        tare score qrels.txt bm25.run dense.run -m nDCG@10 'V2(nDCG@10)' 'E(AP)'
        zcat bm25.run.gz | tare score qrels.txt - --by-query --format csv

    Parameters
    ----------
    qrels
        The judgements.
    runs
        One run or several.
    measures
        Measures such as nDCG@10, 'P(rel=2)@5', 'V2(nDCG@10)'; `tare list measures` shows all.
    feature
        QRELS is a LETOR file, and its rows are ranked by these features instead of runs.
    kinds
        Score the kinds of queries (uninformative, ideal, hard, easy, informative) apart.
    kind_size
        Queries in the uninformative and ideal sets, or their share if below 1.
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
    from tare import evaluate
    from tare.errors import OptionError
    from tare.measures.score_table import long_table, query_table, score_table

    judgements, rankings = _letor(qrels, feature) if feature else (qrels, list(runs))
    if not rankings:
        raise OptionError("no run was given. Usage: tare score QRELS RUN… -m nDCG@10")
    if feature and runs:
        raise OptionError("with --feature the rows of the LETOR file are ranked; name no runs.")
    progress = Progress(len(rankings), "reading")
    scores = evaluate(
        judgements,
        rankings,
        measures or DEFAULT_MEASURES,
        ties=ties,
        missing=missing,
        unjudged=unjudged,
        depth=depth,
        seed=seed,
        samples=samples,
        progress=progress,
    )
    progress.end()
    if save is not None:
        scores.save(save)
    if kinds:
        from tare.cli.kinds import by_kind

        sorted_queries = by_kind(judgements, rankings, scores, kind_size)
        emit(format, sorted_queries.table, sorted_queries.long)
        found = tell_findings(scores.findings)
    elif by_query:
        emit(format, lambda: query_table(scores), lambda: query_table(scores))
        found = tell_findings(scores.findings)
    else:
        emit(format, lambda: score_table(scores), lambda: long_table(scores))
        found = sum(f.severity != "note" for f in scores.findings)
        if format not in (None, "table") or not _is_terminal():
            tell_findings(scores.findings)
    return 1 if strict and found else 0


def _letor(path: str, features: list[int]) -> tuple[Any, list[Any]]:
    """A LETOR file as judgements and one run a feature."""
    from tare.data.letor import read_letor

    letor = read_letor(path)
    runs = [letor.run(feature=f, system=f"feature {f}") for f in features]
    return letor.qrels(), runs


def _is_terminal() -> bool:
    import sys

    return sys.stdout.isatty()
