"""`tare report`: a page that presents scores, and its charts for papers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from tare._cli.files import check_file
from tare._cli.output import say
from tare._cli.results import say_if_no_charts
from tare._cli.sources import baselines_of, load_scores_with_chance
from tare._cli.types import (
    Baselines,
    Input,
    InputFile,
    MeasureList,
    OutputFile,
    OutputFolder,
    Pools,
    Seed,
    SystemNamesOption,
)
from tare._cli.verb import verb
from tare._data.runs import expand
from tare._decide.compare import compare
from tare._decide.estimates import Estimates
from tare._decide.saved_estimates import is_saved
from tare._files.addresses import exists
from tare._plain_text import plain
from tare.errors import OptionError, UnreadableError
from tare.report import report as report_of
from tare.report._context import reported_measures
from tare.report._encoding import optional_charts
from tare.report._page import FORMATS
from tare.report._queries import rankings
from tare.report._rankings import RankingFiles
from tare.report._report import report_of_scores
from tare.report._score_table import context_of

if TYPE_CHECKING:
    from tare.report._rankings import RankingFiles

__all__ = ["report"]

DRILL = 50
MAX_DRILL = 1000


@verb(
    "tare report qrels.txt bm25.run dense.run -m nDCG@10 AP --pool judged -o report.html",
    "tare report scores.csv --title 'Six systems' --figures figures --format svg",
)
def report(
    source: Input,
    *runs: Input,
    measures: MeasureList = None,
    output: Annotated[OutputFile, Parameter(name=["--output", "-o"])] = Path("report.html"),
    title: str | None = None,
    baseline: Baselines = None,
    models: Annotated[list[str] | None, Parameter(name="--model", consume_multiple=True)] = None,
    figures: OutputFolder | None = None,
    formats: Annotated[
        list[Literal["svg", "png", "pdf"]] | None,
        Parameter(name="--format", consume_multiple=True),
    ] = None,
    drill: int | None = None,
    drill_pair: Annotated[tuple[str, str] | None, Parameter()] = None,
    queries: InputFile | None = None,
    documents: str | None = None,
    system_names: SystemNamesOption = "file",
    pools: Pools,
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
    drill
        Embed the rankings of this many queries: those with the largest differences in both directions,
        uninformative ones, and those on which all systems fail (default: none; 50 with --queries or
        --documents). This part of the page is limited to 5 MB.
    drill_pair
        The two systems whose rankings are shown (default: the best one and the baseline, or the best two).
    queries
        Texts of the queries: JSON lines with id and text, or lines with id, tab and text.
    documents
        Texts of the documents: such a file, a folder with one file per document, or ir_datasets:ID,
        which is read from its local cache and never downloaded.
    """
    if formats and figures is None:
        raise OptionError("--format is the format of the charts; name their folder with --figures.")
    files = _ranking_files(source, runs, drill, drill_pair, queries, documents)
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
    if files is None:
        made = report_of(result, scores=scores, title=title, people=models or ())
    else:
        made = _drilled(
            result, scores, title, models or [], files, drill or DRILL, drill_pair or ()
        )
    made.write(output)
    say_if_no_charts()
    if figures is not None:
        written = made.save_figures(figures, formats or FORMATS)
        say(f"{len(written)} charts written to {figures}.")
    print(plain(str(output)) if sys.stdout.isatty() else output)


def _ranking_files(
    source: str,
    runs: tuple[str, ...],
    drill: int | None,
    pair: tuple[str, str] | None,
    queries: Path | None,
    documents: str | None,
) -> RankingFiles | None:
    """Return the files behind the rankings to embed in a report, after checking them; None without rankings."""
    if drill is None and pair is None and queries is None and documents is None:
        return None
    if not runs:
        raise OptionError("--drill, --queries and --documents show rankings; give qrels and runs.")
    if drill is not None and not 1 <= drill <= MAX_DRILL:
        raise OptionError(f"--drill {drill}: expected a number from 1 to {MAX_DRILL:,}.")
    named = [Path(path) for run in runs for path in expand(run)]
    for path in (Path(source), *named, *([queries] if queries else [])):
        check_file(path, "--drill")
    local = documents is not None and not documents.startswith("ir_datasets:")
    if local and not exists(str(documents)):
        raise UnreadableError(f"{plain(str(documents))}: no such file or folder.")
    return RankingFiles(Path(source), tuple(named), queries, documents)


def _drilled(
    result: Any,
    scores: Any,
    title: str | None,
    people: list[str],
    files: RankingFiles,
    count: int,
    pair: tuple[str, ...],
) -> Any:
    """Return the report of scores with the rankings of some queries."""
    with optional_charts():
        context = context_of(result, scores=scores, people=people)
        return report_of_scores(context, title, rankings(context, files, count, pair))


def _estimates(
    source: str,
    measures: Any,
    baseline: Any,
    models: list[str] | None,
    pools: Pools,
) -> Any:
    """Return saved estimates, or their comparison with baselines."""
    if models or (pools.given):
        raise OptionError("--model and the options of pools need scores; SOURCE holds estimates.")
    found = Estimates.load(source)
    if measures:
        found = found.select(measures=list(measures))
    if not baseline:
        return found
    return compare(found, baseline=list(baseline))
