"""`tare study letor`: rankers on LETOR data, scored with and without chance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import FiguresFolder, Format, ReportFile
from tare._cli.output import Progress
from tare._cli.study.answers import tell
from tare._cli.verb import verb

__all__ = ["app", "letor"]

app = verb(
    "letor",
    "tare study letor train.txt test.txt --ranker rankboost adarank listnet --draws 1000",
    "tare study letor train.txt test.txt --ranker rankboost adarank --draws 1000 --folder results",
)


@app.default
def letor(
    train: str | None = None,
    test: str | None = None,
    valid: str | None = None,
    *,
    folds: Path | None = None,
    against: Path | None = None,
    ranker: Annotated[
        list[str] | None, Parameter(name=["--ranker", "-r"], consume_multiple=True, negative="")
    ] = None,
    mode: Literal["corrected", "ranklib"] = "corrected",
    cutoffs: Annotated[
        list[int] | None, Parameter(name="--cutoff", consume_multiple=True, negative="")
    ] = None,
    gain: Literal["exp2", "linear"] = "exp2",
    kind_size: float = 0.5,
    draws: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
    published: Literal["MSLR", "MQ2007"] | None = None,
    folder: Path | None = None,
    save: Path | None = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Train rankers, score them with and without chance, and say how far the measures can be relied on.

    Mean tables of nDCG, DCG, SP and of both normalised (V1, V2; SP with the exact expected value and
    with the published one); Kendall τ, significance conflicts, significant pairs and PAD on all,
    uninformative and ideal queries; swap rates between kinds of queries, halves of documents and data;
    and which claims of Feng and Karmaker 2023 hold.

    Parameters
    ----------
    train
        LETOR data to learn from; several files are joined by a plus sign: S1.txt+S2.txt.
    test
        LETOR data to rank.
    valid
        LETOR data that choose among what was learnt.
    folds
        Instead of these, a folder of folds: Fold1/train.txt, vali.txt, test.txt, Fold2/…
    against
        The folder of another study: swap rates across the two are told as well.
    ranker
        Rankers as `tare rank` knows them; all eight unless told otherwise.
    mode
        Rankers as they should be, or as RankLib does them.
    cutoffs
        5, 10, 15, 20 and 30 unless told otherwise.
    gain
        Of nDCG: 2^grade − 1, or the grade.
    kind_size
        Queries in the uninformative and ideal sets, or their share if below 1; the article took half
        of the queries of MQ2007, and a tenth of MSLR.
    draws
        Of the studentised bootstrap test.
    seed
        For everything that is drawn.
    threads
        Threads to train with; TARE_THREADS or 1 if not given.
    published
        Put the numbers of the article on these data beside the measured ones.
    folder
        Keep models, runs, scores and tables here; a second call makes only what is missing.
    save
        Write the rows behind the tables as CSV into this folder.
    """
    from tare.studies import letor as study
    from tare.studies._letor.measures import CUTOFFS

    progress = Progress(150, "study")
    try:
        found = study(
            _parts(train),
            _parts(test),
            _parts(valid),
            folds=folds,
            against=against,
            rankers=ranker or None,
            mode=mode,
            gain=gain,
            kind_size=kind_size,
            draws=draws,
            seed=seed,
            threads=threads,
            published=published,
            folder=folder,
            progress=progress,
            cutoffs=cutoffs or CUTOFFS,
        )
    finally:
        progress.end()
    tell(found, format, save, report, figures)


def _parts(names: str | None) -> list[str] | None:
    return None if names is None else [name for name in names.split("+") if name]
