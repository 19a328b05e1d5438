"""Reports of verbs: what `tare report` and the option `--report` share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tare._cli.output import say

if TYPE_CHECKING:
    from tare._cli.options import PoolOptions
    from tare._measures.scores import Scores

__all__ = ["can_be_written", "chance_scores", "say_if_undrawn", "tell", "write_report"]


def chance_scores(
    source: str,
    runs: Sequence[str],
    measures: Sequence[str] | None,
    *,
    seed: int = 0,
    pools: PoolOptions | None = None,
) -> Scores:
    """The scores of a source; where the pool is known, each measure with its tare and its net score."""
    from tare._cli.score_source import DEFAULT_MEASURES, scores_of

    if not runs or pools is None or not pools.given:
        return scores_of(source, runs, measures, seed=seed, pools=pools)
    from tare.chance._columns import with_chance, without_trivial_ideals

    wanted = with_chance(measures or DEFAULT_MEASURES)
    return without_trivial_ideals(scores_of(source, runs, wanted, seed=seed, pools=pools))


def can_be_written(*paths: Path | None) -> None:
    """Says at once that a file cannot be written where it was asked for."""
    for path in paths:
        if path is None:
            continue
        above = next((folder for folder in path.absolute().parents if folder.exists()), path.parent)
        if path.is_dir() or not above.is_dir():
            from tare.errors import OptionError

            what = "it is a folder" if path.is_dir() else f"{above} is not a folder"
            raise OptionError(f"{path} cannot be written: {what}. Name a file.")


def tell(result: Any, path: Path | None, **options: Any) -> None:
    """Writes the report of a result, if one was asked for, and says so."""
    if path is None:
        return
    from tare.report import write

    write(result, path, **options)
    say(f"The report is in {path}.")
    say_if_undrawn()


def say_if_undrawn() -> None:
    """Says why a report has no charts, if it has none."""
    from tare.report._charts.optional_altair import charts_available

    if not charts_available():
        say("The report has no charts: they need pip install 'tare-eval[report]'.")


def write_report(
    scores: Scores,
    path: Path,
    *,
    title: str | None = None,
    baseline: Sequence[str] | None = None,
    figures: Path | None = None,
    formats: Sequence[str] | None = None,
    seed: int = 0,
    people: Sequence[str] = (),
) -> None:
    """Writes the report of scores, compared as was asked."""
    from tare.errors import OptionError
    from tare.report import report
    from tare.report._figure_files import FORMATS
    from tare.report._reported_measures import reported_measures
    from tare.stats import compare

    if formats and figures is None:
        raise OptionError("--format names formats of figures; name their folder with --figures.")
    result: Any = scores
    if baseline:
        compared = [m.name for m in reported_measures(scores)]
        result = compare(scores.select(measures=compared), baseline=list(baseline), seed=seed)
    made = report(result, scores=scores, title=title, people=people)
    made.write(path)
    say_if_undrawn()
    if figures is not None:
        written = made.save_figures(figures, formats or FORMATS)
        say(f"{len(written)} figures are in {figures}.")
