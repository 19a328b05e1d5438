"""`tare study summaries`: do text measures say what people say, net of chance?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import FiguresFolder, Format, ReportFile
from tare._cli.output import Progress
from tare._cli.study.answers import tell
from tare._cli.verb import verb

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
    measures: Annotated[
        list[str] | None, Parameter(name=["--measure", "-m"], consume_multiple=True, negative="")
    ] = None,
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
    seed: int = 0,
    save: Path | None = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Say what chance correction does to the correlation of text measures with people.

    Every measure, its V1 and its V2 against every dimension that people rated, over systems and over
    the summaries of a document; the improvement (PAI); who is right where original and normalised
    disagree. With a model also on heterogeneous and homogeneous documents. The published tables
    stand beside.

    Parameters
    ----------
    data
        Summaries with ratings, in JSON lines: SummEval's documents (doc_id, src, ref_summs,
        sys_summs), or a text a line with 'scores'.
    human
        A score table of ratings, where the data hold none.
    measures
        Measures; V1 and V2 of each are added.
    system
        Study these systems only; all unless given.
    expected
        The expected values that V1 and V2 are made with; each measure uses those that it has. Without
        it, exact, and for BERTScore also best (the published one).
    model
        The encoder of BERTScore: a folder, or an installed package that carries one.
    size
        How many heterogeneous, and how many homogeneous documents; 0 for no such sets.
    kind
        The coefficient of the tables; all are in the rows.
    samples
        Random texts where an expected value has no closed form.
    draws
        Resamples behind the intervals.
    seed
        For everything that is drawn.
    save
        Write the rows behind the tables as CSV into this folder.
    """
    from tare.studies import summaries as study

    progress = Progress(100, "studying")
    try:
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
    finally:
        progress.end()
    tell(found, format, save, report, figures)
