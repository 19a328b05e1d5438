"""`tare compare`: which systems differ, by how much, and how sure that is."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import Format, PoolOptions, ReportFile
from tare._cli.output import emit, emit_several, say, tell_findings
from tare._cli.reporting import can_be_written, chance_scores, tell
from tare._cli.score_source import DEFAULT_MEASURES, scores_of
from tare._cli.verb import verb

__all__ = ["app", "compare"]

SHOWN = 100  # pairs that are shown below the systems without being asked for

app = verb(
    "compare",
    "tare compare qrels.txt bm25.run dense.run hybrid.run -m nDCG@10",
    "tare compare scores.csv --baseline bm25 --test permutation --correction holm --format latex",
)


@app.default
def compare(
    source: str,
    *runs: str,
    measures: Annotated[
        list[str] | None, Parameter(name=["--measure", "-m"], consume_multiple=True, negative="")
    ] = None,
    baseline: Annotated[
        list[str] | None, Parameter(name=["--baseline", "-b"], consume_multiple=True, negative="")
    ] = None,
    test: str = "auto",
    correction: str = "auto",
    alpha: float = 0.05,
    interval: str = "auto",
    rope: float | None = None,
    zeros: Literal["dropped", "pratt", "putter"] = "dropped",
    digits: int = 10,
    draws: int = 10_000,
    seed: int = 0,
    show: Literal["all", "pairs", "systems"] | None = None,
    pools: PoolOptions | None = None,
    format: Format = None,
    report: ReportFile = None,
    strict: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Say which systems differ, by how much, and how sure that is.

    SOURCE is qrels followed by runs; or, alone, a score table: what `tare score --save` wrote, or
    any .csv, .tsv, .jsonl or .parquet with system, item, measure, value. Items are paired by id,
    tests are two-sided, and more than two systems get a procedure for the whole family.

    Parameters
    ----------
    source
        Judgements, or a score table.
    runs
        Runs, if the source is judgements.
    measures
        Measures to compare by; nDCG@10 and AP, or all of a score table.
    baseline
        Compare each system with this one (or these) instead of all pairs.
    test
        t, welch, pooled, wilcoxon (exact for few items), wilcoxon-normal, sign; permutation and
        hybrid (of the mean, or with -t or -w of t or of W), bootstrap; for all pairs at once tukey,
        tukey-kramer (where cells are missing), tukey-ranks, nemenyi, tukey-randomised.
    correction
        none, bonferroni, holm, hochberg, bh, by, max-t.
    alpha
        The level of the tests; intervals have 1 − alpha.
    interval
        t, percentile, bca, studentised; Tukey's tests have their own.
    rope
        Half the width of the region of practical equivalence: adds a Bayesian signed-rank test.
    zeros
        What Wilcoxon's test does with differences of 0.
    digits
        Differences that agree so far are equal.
    draws
        Random draws of tests and intervals that need them.
    show
        One row per system (with letters), one row per pair, or both; by default both on a terminal
        and pairs in a pipe.
    strict
        Exit with 1 if there are findings.
    """
    from tare.stats import compare as compare_scores

    can_be_written(report)
    if report is None or not runs:
        scores = whole = scores_of(source, runs, measures, pools=pools)
    else:
        whole = chance_scores(source, runs, measures, pools=pools)
        scores = whole.select(measures=measures or DEFAULT_MEASURES)
    made = compare_scores(
        scores,
        baseline=baseline,
        test=test,
        correction=correction,
        alpha=alpha,
        interval=interval,
        rope=rope,
        zeros=zeros,
        digits=digits,
        draws=draws,
        seed=seed,
    )
    printed = {"systems": (made.systems, made.systems), "pairs": (made.table, made.long_table)}
    if show is None and not _reading(format):
        show = "pairs"
    if show == "systems" or (show is None and len(made) > SHOWN):
        emit(format, *printed["systems"])
    elif show == "pairs":
        emit(format, *printed["pairs"])
    else:
        emit_several(format, printed)
    say(f"\n{made.methods}")
    tell(made, report, scores=whole)
    found = tell_findings(made.findings) if not _reading(format) else len(made.findings)
    return 1 if strict and found + made.inherited else 0


def _reading(format: str | None) -> bool:
    """Whether a person reads along."""
    import sys

    return format == "table" or (format is None and sys.stdout.isatty())
