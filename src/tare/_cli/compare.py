"""`tare compare`: differences between systems, with intervals and p-values."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal

import tare
from tare._cli.engines import EngineOptions
from tare._cli.output import emit, emit_several, for_reading, say
from tare._cli.results import say_findings
from tare._cli.sources import baselines_of, load_scores, load_scores_with_chance
from tare._cli.types import (
    Baselines,
    ClusterOption,
    Input,
    MeasureList,
    Output,
    Pools,
    Replicates,
    Strict,
    SystemNamesOption,
)
from tare._cli.verb import Given, verb_of
from tare._decide.estimates import Estimates
from tare._decide.saved_estimates import is_saved
from tare._measures.defaults import MAIN_MEASURES
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._decide.compare import Comparison

__all__ = ["compare"]

PAPER = ("latex", "markdown", "html")  # formats of tables that people paste
MAX_PAIRS = 100  # with more pairs, only the systems are shown unless --show asks for pairs


@verb_of(
    tare.compare,
    "tare compare qrels.txt bm25.run dense.run hybrid.run -m nDCG@10",
    "tare compare scores.csv --baseline bm25 --test permutation --correction holm --format latex",
)
def compare(
    source: Input,
    *runs: Input,
    measures: MeasureList = None,
    baseline: Baselines = None,
    correction: str = "auto",
    interval: str = "auto",
    digits: int = 10,
    show: Literal["all", "pairs", "systems"] | None = None,
    marks: Literal["superscript", "dagger", "bold"] | None = None,
    table_digits: int = 3,
    caption: str | None = None,
    label: str | None = None,
    system_names: SystemNamesOption = "file",
    replicates: Replicates = False,
    cluster: ClusterOption = None,
    strict: Strict = False,
    pools: Pools,
    engine: EngineOptions,
    output: Output,
    **options: Given,
) -> int:
    """Compare systems: differences, intervals and p-values.

    SOURCE is qrels followed by runs, or a single score table: written by `tare score --save`, or a .csv,
    .tsv, .jsonl or .parquet file with the columns system, item, measure, value. It can also be a file that
    `tare estimate --save` wrote; estimates are tested with t, z or bootstrap. Items are paired by id,
    tests are two-sided, and with more than two systems the p-values are adjusted for multiple comparisons.

    Parameters
    ----------
    source
        Judgements, or a score table.
    runs
        Runs, if SOURCE is judgements.
    measures
        Measures to compare by (default: nDCG@10 and AP, or all measures of a score table).
    test
        permutation (the default) and hybrid (of the mean; with -t or -w, of t or of W), t, wilcoxon
        (exact for few items), wilcoxon-normal, sign, bootstrap, bootstrap-sacrebleu; for all pairs at
        once tukey, tukey-kramer (with missing values), tukey-randomised.
    correction
        max-t (the default for several pairs), none, bonferroni, holm, hochberg, bh, by.
    alpha
        Significance level; intervals have the confidence level 1 − alpha.
    interval
        t, percentile, bca, studentised; Tukey's tests use their own.
    zeros
        How Wilcoxon's test treats differences of 0.
    digits
        Differences that agree to this many digits are treated as equal.
    draws
        Number of random draws for tests and intervals that need them.
    show
        One row per system (with letters), one row per pair, or both (default: both on a terminal, pairs in
        a pipe, and a table of systems × measures for a paper with --format latex, markdown or html).
    marks
        Marks of the table for a paper: the systems that a score is significantly better than
        (superscript, the default), daggers for differences from the baseline or from the best, or the
        best and its ties in bold.
    table_digits
        Digits after the decimal point in the table for a paper.
    caption
        Caption of the table for a paper.
    label
        Label of the table for a paper, in LaTeX.
    """
    format = output.format
    for_paper = show is None and format in PAPER
    if not for_paper and any(given is not None for given in (marks, caption, label)):
        raise OptionError(
            "--marks, --caption and --label belong to the table for a paper: use them with --format "
            "latex, markdown or html, and without --show."
        )
    saved = not runs and is_saved(source)
    scores: Any
    how: dict[str, Any] = {
        "pools": pools,
        "system_names": system_names,
        "replicates": replicates,
        "cluster": cluster,
    }
    if saved:
        _refuse_pools(pools)
        if replicates or cluster is not None:
            raise OptionError(
                "--replicates and --cluster need a score of every item; give them to tare estimate instead."
            )
        scores, whole = Estimates.load(source), None
    elif output.report is None or not runs:
        scores = whole = load_scores(source, runs, measures, **how)
    else:
        whole = load_scores_with_chance(source, runs, measures, **how)
        scores = whole.select(measures=measures or MAIN_MEASURES)
    with engine.opened() as place:
        made = tare.compare(
            scores,
            measures=measures if saved else None,
            baseline=baselines_of(baseline, scores.systems, runs),
            correction=correction,
            interval=interval,
            digits=digits,
            engine=place,
            **options,
        )
    printed = {"systems": (made.systems, made.systems), "pairs": (made.table, made.long_table)}
    piped = show is None and not for_reading(format)
    if for_paper:
        _print_for_paper(made, format, marks, table_digits, caption, label)
    elif show == "pairs" or piped:
        emit(format, *printed["pairs"])
    elif show == "systems" or (show is None and len(made) > MAX_PAIRS):
        emit(format, *printed["systems"])
    else:
        emit_several(format, printed)
    say(f"\n{made.methods}")
    output.write_report(made, scores=whole)
    found = say_findings(made.findings) if not for_reading(format) else len(made.findings)
    return 1 if strict and found + made.inherited else 0


def _refuse_pools(pools: Pools) -> None:
    if pools.given:
        raise OptionError(
            "--pool, --corpus and --candidates need qrels and runs; these estimates are already computed."
        )


def _print_for_paper(
    made: Comparison,
    format: str | None,
    marks: str | None,
    digits: int,
    caption: str | None,
    label: str | None,
) -> None:
    """Print the table of systems × measures."""
    options: dict[str, Any] = {"marks": marks, "digits": digits, "caption": caption}
    if format == "latex":
        sys.stdout.write(made.to_latex(label=label, **options))
    elif label is not None:
        raise OptionError("--label is the label of a table in LaTeX; use it with --format latex.")
    else:
        sys.stdout.write(
            made.to_markdown(**options) if format == "markdown" else made.to_html(**options)
        )
