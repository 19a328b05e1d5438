"""`tare study letor`: rankers on LETOR data, scored with and without chance correction."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.engines import EngineOptions
from tare._cli.options import FiguresFolder, FilePath, Format, ReportFile, RowsFolder, Seed, verb
from tare._cli.output import Progress
from tare._cli.results import show_study

__all__ = ["app", "letor"]

app = verb(
    "letor",
    "tare study letor train.txt test.txt --ranker rankboost adarank listnet --draws 1000",
    "tare study letor train.txt test.txt --ranker rankboost adarank --draws 1000 -o results",
)


@app.default
def letor(
    train: str | None = None,
    test: str | None = None,
    valid: str | None = None,
    *,
    folds: FilePath | None = None,
    against: FilePath | None = None,
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
    seed: Seed = 0,
    threads: int | None = None,
    engine: Literal["local", "ray"] | None = None,
    address: str | None = None,
    published: Literal["MSLR", "MQ2007"] | None = None,
    output: Annotated[FilePath | None, Parameter(name=["--output", "-o"])] = None,
    save: RowsFolder = None,
    report: ReportFile = None,
    figures: FiguresFolder = None,
    format: Format = None,
) -> None:
    """Train rankers, score them with and without chance correction, and test how reliable the measures are.

    Mean tables of nDCG, DCG and SP, and of their normalised versions (V1, V2; SP with the exact and with
    the published expected value); Kendall's τ, significance conflicts, significant pairs and PAD on all,
    uninformative and ideal queries; swap rates between kinds of queries, halves of documents and data
    sets; and which claims of Feng and Karmaker 2023 hold.

    Parameters
    ----------
    train
        LETOR data for training; join several files with a plus sign: S1.txt+S2.txt.
    test
        LETOR data to rank.
    valid
        LETOR data for validation.
    folds
        Folder of folds, instead of TRAIN, TEST and VALID: Fold1/train.txt, vali.txt, test.txt, Fold2/…
    against
        Folder of another study; adds swap rates between the two studies.
    ranker
        Rankers of `tare rank` (default: all eight).
    mode
        Corrected algorithms, or the behaviour of RankLib.
    cutoffs
        Cutoffs (default: 5, 10, 15, 20 and 30).
    gain
        Gain of nDCG: 2^grade − 1, or the grade.
    kind_size
        Number of queries in the uninformative and in the ideal set, or their share if below 1. The article
        used half of the queries of MQ2007 and a tenth of those of MSLR.
    draws
        Number of draws of the studentised bootstrap test.
    threads
        Threads for training (default: TARE_THREADS or 1).
    engine
        Where rankers are trained and random draws are made; the results are the same.
    address
        Address of the Ray cluster, such as auto or head:6379 (default: a cluster on this machine).
    published
        Show the article's numbers for this data set next to the measured ones.
    output
        Keep models, runs, scores and tables in this folder; a second call computes only what is missing.
    """
    from tare.studies import letor as study
    from tare.studies._letor.data import CUTOFFS

    options = EngineOptions(engine, address=address)
    with options.opened() as place, Progress("studying", 150) as progress:
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
            engine=place,
            published=published,
            folder=output,
            progress=progress,
            cutoffs=cutoffs or CUTOFFS,
        )
    show_study(found, format, save, report, figures)


def _parts(names: str | None) -> list[str] | None:
    return None if names is None else [name for name in names.split("+") if name]
