"""`tare rank`: a ranker trained on LETOR data, and the rankings it makes of others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from tare._cli.options import Format
from tare._cli.output import Progress, emit, say, tell_findings
from tare._cli.reporting import can_be_written
from tare._cli.source import Source, refuse_options
from tare._cli.streams import write_data
from tare._cli.verb import verb

__all__ = ["app", "rank"]

app = verb(
    "rank",
    "tare rank train.txt test.txt --ranker lambdamart -o run.txt",
    "tare rank train.txt test.txt --ranker coordinateascent --option restarts=2 --save model.json",
)


@app.default
def rank(
    train: Source,
    test: Source,
    *,
    ranker: Annotated[str, Parameter(name=["--ranker", "-r"])] = "lambdamart",
    valid: Path | None = None,
    output: Annotated[
        str | None, Parameter(name=["--output", "-o"], allow_leading_hyphen=True)
    ] = None,
    mode: Literal["corrected", "ranklib"] = "corrected",
    normalise: Literal["none", "sum", "zscore", "linear"] = "none",
    option: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    measures: Annotated[
        list[str] | None, Parameter(name=["--measure", "-m"], consume_multiple=True)
    ] = None,
    documents: Annotated[bool, Parameter(negative="")] = False,
    save: Path | None = None,
    threads: int | None = None,
    seed: int = 0,
    format: Format = None,
) -> int:
    """Train a ranker on LETOR data, and rank with it.

    TRAIN and TEST are lines 'grade qid:query 1:value 2:value …', also as .gz or .zst. What the ranker
    reaches on TEST is printed; the rankings go to --output as a TREC run.

    Parameters
    ----------
    train
        The data to learn from; or a model that --save wrote (.json).
    test
        The data to rank.
    ranker
        ranknet, rankboost, adarank, randomforest, lambdamart, coordinateascent, listnet or
        logisticregression; feature, random or ideal as a baseline.
    valid
        LETOR data that choose among what was learnt, such as the number of trees.
    output
        Write the run here; "-" is standard output, and then no scores are printed.
    mode
        As it should be, or as RankLib does it, its defects included.
    normalise
        Features query by query: by their sum, as z-scores, or from 0 to 1.
    option
        An option of the ranker, such as trees=500; several may follow.
    measures
        What to score the test rankings by; nDCG(gain=exp2)@10 with its tare and net score by default.
    documents
        Name documents by the 'docid = …' of the comments of TEST, not by their row.
    save
        Write the model to this JSON file.
    threads
        Threads to train with; TARE_THREADS or 1 if not given. The model does not depend on it.
    seed
        For everything that is drawn.
    """
    from tare import evaluate
    from tare._data.letor import read_letor
    from tare._measures.score_table import long_table, score_table

    refuse_options(train, test)
    can_be_written(save, None if output in (None, "-") else Path(output))
    data = read_letor(test, documents=documents)
    if train.endswith(".json"):
        from tare.rankers import load

        model = load(train)
    else:
        model = _fitted(train, valid, ranker, mode, normalise, option or [], threads, seed)
    for note in model.notes:
        say(f"{model.ranker}: {note}")
    tell_findings((*data.findings, *model.findings(data)))
    if save is not None:
        model.save(save)
    run = model.run(data)
    if output == "-":
        write_data(run.text())
        return 0
    if output is not None:
        run.write(output)
    scores = evaluate(data.qrels(), run, measures or list(DEFAULT_MEASURES))
    emit(format, lambda: score_table(scores), lambda: long_table(scores))
    say(str(model.signature))
    return 0


DEFAULT_MEASURES = ("nDCG(gain=exp2)@10", "E(nDCG(gain=exp2)@10)", "Net(nDCG(gain=exp2)@10)")


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
    from tare.rankers import ranker

    given = dict(_option(text) for text in options)
    if threads is not None:
        given.setdefault("threads", threads)
    chosen = ranker(name, mode=mode, normalise=normalise, **given)
    bar = Progress(100, f"training {chosen.title}")
    shown = -1

    def progress(done: int, total: int) -> None:
        nonlocal shown
        share = 100 * done // max(total, 1)
        if share != shown:
            shown = bar.done = share
            bar("")

    try:
        return chosen.fit(train, valid, seed=seed, progress=progress)
    finally:
        bar.end()


def _option(text: str) -> tuple[str, Any]:
    """`trees=500` as a name and a number, a word or a truth."""
    from tare.errors import OptionError

    name, sign, value = text.partition("=")
    if not sign or not name or not value:
        raise OptionError(f"--option {text}: name=value is needed, such as trees=500.")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value
