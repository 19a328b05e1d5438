"""`tare rank`: train a ranker on LETOR data and rank other data with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from tare import evaluate
from tare._cli.output import Progress, emit, say, write_data
from tare._cli.results import say_findings
from tare._cli.types import Format, InputFile, MeasureList, OutputFile, Role, Seed, Several, Source
from tare._cli.verb import verb
from tare._data.letor import read_letor
from tare._measures.defaults import RANKER_MEASURES
from tare._measures.means_and_intervals import long_table, score_table
from tare.errors import OptionError
from tare.rankers import load, ranker

__all__ = ["rank"]


@verb(
    "tare rank train.txt test.txt --ranker lambdamart -o run.txt",
    "tare rank train.txt test.txt --ranker coordinateascent --option restarts=2 --save model.json",
)
def rank(
    train: Source,
    test: Source,
    *,
    ranker: Annotated[str, Parameter(name=["--ranker", "-r"])] = "lambdamart",
    valid: InputFile | None = None,
    output: Annotated[
        str | None, Role.FILE, Parameter(name=["--output", "-o"], allow_leading_hyphen=True)
    ] = None,
    mode: Literal["corrected", "ranklib"] = "corrected",
    normalise: Literal["none", "sum", "zscore", "linear"] = "none",
    option: Annotated[list[str] | None, Several] = None,
    measures: MeasureList = None,
    documents: bool = False,
    save: OutputFile | None = None,
    threads: int | None = None,
    seed: Seed = 0,
    format: Format = None,
) -> int:
    """Train a ranker on LETOR data and rank with it.

    TRAIN and TEST hold lines 'grade qid:query 1:value 2:value …' and may be compressed (.gz, .zst). The
    scores of the ranker on TEST are printed; the rankings are written to --output as a TREC run.

    Parameters
    ----------
    train
        Training data, or a model written by --save (.json).
    test
        Data to rank.
    ranker
        ranknet, rankboost, adarank, randomforest, lambdamart, coordinateascent, listnet or
        logisticregression; feature, random or ideal as a baseline.
    valid
        LETOR data for validation, for example to choose the number of trees.
    output
        Write the run to this file; "-" is standard output, and then no scores are printed.
    mode
        Corrected algorithms, or the behaviour of RankLib including its defects.
    normalise
        Normalise features per query: by their sum, as z-scores, or linearly from 0 to 1.
    option
        Options of the ranker, such as trees=500.
    measures
        Measures of the test rankings (default: nDCG(gain=exp2)@10, its expected value and its net score).
    documents
        Name documents by the 'docid = …' in the comments of TEST, not by their row.
    save
        Write the model to this JSON file.
    threads
        Threads for training (default: TARE_THREADS or 1). The model does not depend on it.
    """
    data = read_letor(test, documents=documents)
    if train.endswith(".json"):
        model = load(train)
    else:
        model = _fitted(train, valid, ranker, mode, normalise, option or [], threads, seed)
    for note in model.notes:
        say(f"{model.ranker}: {note}")
    say_findings((*data.findings, *model.findings(data)))
    if save is not None:
        model.save(save)
    run = model.run(data)
    if output == "-":
        write_data(run.text())
        return 0
    if output is not None:
        run.write(output)
    scores = evaluate(data.qrels(), run, measures or list(RANKER_MEASURES))
    emit(format, lambda: score_table(scores), lambda: long_table(scores))
    say(str(model.signature))
    return 0


def _fitted(
    train: str,
    valid: Path | None,
    name: str,
    mode: str,
    normalise: str,
    options: list[str],
    threads: int | None,
    seed: int,
) -> Any:
    given = dict(_option(text) for text in options)
    if threads is not None:
        given.setdefault("threads", threads)
    chosen = ranker(name, mode=mode, normalise=normalise, **given)
    with Progress(f"training {chosen.title}", 100, "%") as bar:

        def progress(done: int, total: int) -> None:
            share = 100 * done // max(total, 1)
            if share != bar.done:
                bar("", share, 100)

        return chosen.fit(train, valid, seed=seed, progress=progress)


def _option(text: str) -> tuple[str, Any]:
    """Parse an option of a ranker such as `trees=500` into a name and a number, a Boolean or a string."""
    name, sign, value = text.partition("=")
    if not sign or not name or not value:
        raise OptionError(f"--option {text}: expected name=value, such as trees=500.")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value
