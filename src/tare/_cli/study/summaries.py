"""`tare study summaries`: does chance correction bring text measures closer to people?"""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import FiguresFolder, Format, Measures, ReportFile, RowsFolder, Seed, verb
from tare._cli.output import Progress
from tare._cli.results import show_study

__all__ = ["app", "summaries"]

app = verb(
    "summaries",
    "tare study summaries rated.jsonl --samples 100 --draws 100",
    "tare study summaries rated.jsonl -m ROUGE-1 'ROUGE-2(refs=mean)' --draws 100 --save study",
)


@app.default
def summaries(
    data: str,
    *,
    human: str | None = None,
    measures: Measures = None,
    system: Annotated[
        list[str] | None, Parameter(name=["--system", "-s"], consume_multiple=True, negative="")
    ] = None,
    expected: Annotated[
        list[Literal["exact", "sampled", "published", "best", "worst"]] | None,
        Parameter(consume_multiple=True, negative=""),
    ] = None,
    model: str | None = None,
    size: int = 20,
    kind: Literal["pearson", "spearman", "tau_b"] = "tau_b",
    samples: int | None = None,
    draws: int = 500,
    seed: Seed = 0,
    save: RowsFolder = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Show what chance correction does to the correlation of text measures with people.

    Every measure, its V1 and its V2 against every dimension that people rated, over systems and over the
    summaries of a document; the improvement (PAI); and which one people agree with where original and
    normalised scores disagree. With a model, also on heterogeneous and homogeneous documents. The published
    tables are shown for comparison.

    Parameters
    ----------
    data
        Summaries with ratings in JSON lines: SummEval's documents (doc_id, src, ref_summs, sys_summs), or
        one text per line with 'scores'.
    human
        Score table of ratings, if the data contain none.
    measures
        Measures; V1 and V2 of each are added.
    system
        Systems to use (default: all).
    expected
        Expected values for V1 and V2; each measure uses those that it has (default: exact; for BERTScore
        also best, the published one).
    model
        Encoder of BERTScore: a folder, or an installed package that contains one.
    size
        Number of heterogeneous and of homogeneous documents; 0 for no such sets.
    kind
        Correlation coefficient of the tables; the saved rows have all of them.
    samples
        Number of random texts for expected values without a closed form.
    draws
        Number of resamples for the intervals.
    """
    from tare.studies import summaries as study

    with Progress("studying", 100) as progress:
        found = study(
            data,
            human,
            measures,
            systems=system or None,
            expected=expected or None,
            model=model,
            size=size,
            kind=kind,
            samples=samples,
            draws=draws,
            seed=seed,
            progress=progress,
        )
    show_study(found, format, save, report, figures)
