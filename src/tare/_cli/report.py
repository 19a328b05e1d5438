"""`tare report`: a page that presents scores, and its charts for papers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from tare._cli.baselines import baselines_of
from tare._cli.files import check_writable
from tare._cli.options import Baselines, Measures, PoolOptions, Seed, SystemNamesOption, verb
from tare._cli.output import say
from tare._cli.results import say_if_no_charts
from tare._cli.scores import load_scores_with_chance
from tare._plain_text import plain
from tare.errors import OptionError

__all__ = ["app", "report"]

app = verb(
    "report",
    "tare report qrels.txt bm25.run dense.run -m nDCG@10 AP --pool judged -o report.html",
    "tare report scores.csv --title 'Six systems' --figures figures --format svg",
)


@app.default
def report(
    source: str,
    *runs: str,
    measures: Measures = None,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("report.html"),
    title: str | None = None,
    baseline: Baselines = None,
    models: Annotated[
        list[str] | None, Parameter(name="--model", consume_multiple=True, negative="")
    ] = None,
    figures: Path | None = None,
    formats: Annotated[
        list[Literal["svg", "png", "pdf"]] | None,
        Parameter(name="--format", consume_multiple=True, negative=""),
    ] = None,
    system_names: SystemNamesOption = "file",
    pools: PoolOptions | None = None,
    seed: Seed = 0,
) -> None:
    """Write a report: one HTML page that opens anywhere, without a network.

    SOURCE is qrels followed by runs, or a single score table: written by `tare score --save`, or a .csv,
    .tsv, .jsonl or .parquet file with the columns system, item, measure, value. It can also be a file that
    `tare estimate --save` wrote. With qrels, runs and a
    pool, each measure is shown next to its expected value under chance and its net score.

    Parameters
    ----------
    source
        Judgements, or a score table.
    runs
        Runs, if SOURCE is judgements.
    measures
        Measures to report, the most important first (default: nDCG@10 and AP, or all measures of a score
        table).
    output
        Page to write.
    title
        Title of the page.
    models
        Systems that are people; the score matrix shows them separately.
    figures
        Also write the charts to this folder.
    formats
        Formats of these charts.
    """
    from tare.report import report as report_of
    from tare.report._figure_files import FORMATS
    from tare.report._reported_measures import reported_measures
    from tare.stats import compare
    from tare.stats._ppi.saved import is_saved

    check_writable(output)
    if formats and figures is None:
        raise OptionError("--format is the format of the charts; name their folder with --figures.")
    scores: Any = None
    if not runs and is_saved(source):
        result: Any = _estimates(source, measures, baseline, models, pools)
        baseline = None
    else:
        scores = load_scores_with_chance(
            source, runs, measures, seed=seed, pools=pools, system_names=system_names
        )
        result = scores
    if baseline:
        compared = [m.name for m in reported_measures(scores)]
        named = baselines_of(baseline, scores.systems, runs)
        result = compare(scores.select(measures=compared), baseline=named, seed=seed)
    made = report_of(result, scores=scores, title=title, people=models or ())
    made.write(output)
    say_if_no_charts()
    if figures is not None:
        written = made.save_figures(figures, formats or FORMATS)
        say(f"{len(written)} charts written to {figures}.")
    print(plain(str(output)) if sys.stdout.isatty() else output)


def _estimates(
    source: str,
    measures: Any,
    baseline: Any,
    models: list[str] | None,
    pools: PoolOptions | None,
) -> Any:
    """Return saved estimates, or their comparison with baselines."""
    from tare.stats import Estimates, compare

    if models or (pools is not None and pools.given):
        raise OptionError("--model and the options of pools need scores; SOURCE holds estimates.")
    found = Estimates.load(source)
    if measures:
        found = found.select(measures=list(measures))
    if not baseline:
        return found
    return compare(found, baseline=list(baseline))
