"""`tare report`: a page that tells scores to a reader, and its charts for papers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import PoolOptions
from tare._cli.reporting import can_be_written, chance_scores, write_report
from tare._cli.verb import verb
from tare._plain_text import plain

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
    measures: Annotated[
        list[str] | None, Parameter(name=["--measure", "-m"], consume_multiple=True, negative="")
    ] = None,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("report.html"),
    title: str | None = None,
    baseline: Annotated[
        list[str] | None, Parameter(name=["--baseline", "-b"], consume_multiple=True, negative="")
    ] = None,
    models: Annotated[
        list[str] | None, Parameter(name="--model", consume_multiple=True, negative="")
    ] = None,
    figures: Path | None = None,
    formats: Annotated[
        list[Literal["svg", "png", "pdf"]] | None,
        Parameter(name="--format", consume_multiple=True, negative=""),
    ] = None,
    pools: PoolOptions | None = None,
    seed: int = 0,
) -> None:
    """Write a report: one page that opens anywhere, without a network.

    SOURCE is qrels followed by runs; or, alone, a score table: what `tare score --save` wrote, or
    any .csv, .tsv, .jsonl or .parquet with system, item, measure, value. With qrels, runs and a
    pool each measure is shown next to its expected value under chance and its net score.

    Parameters
    ----------
    source
        Judgements, or a score table.
    runs
        Runs, if the source is judgements.
    measures
        Measures to tell of, the most important first; nDCG@10 and AP, or all of a score table.
    output
        The page to write.
    title
        Its title.
    baseline
        Compare each system with this one (or these) instead of all pairs.
    models
        Systems that are people; they stand apart in the score matrix.
    figures
        Write the charts into this folder too.
    formats
        Formats of these charts.
    seed
        For intervals and tests that draw.
    """
    can_be_written(output)
    scores = chance_scores(source, runs, measures, seed=seed, pools=pools)
    write_report(scores, output, title=title, baseline=baseline, figures=figures, formats=formats, seed=seed, people=models or ())  # fmt: skip
    print(plain(str(output)) if sys.stdout.isatty() else output)
