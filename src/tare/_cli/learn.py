"""`tare learn`: a measure learned from what people said, tested on what it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import Format, ReportFile
from tare._cli.output import Progress, say
from tare._cli.reporting import can_be_written
from tare._cli.rescaling import Rescale, RescaleWhere, rescaled
from tare._cli.study.answers import tell
from tare._cli.verb import verb

__all__ = ["app", "learn"]

app = verb(
    "learn",
    "tare learn features.csv human.csv --save model.json",
    "tare learn features.csv human.csv --protocol systems --folds 3 --method ridge --draws 200",
)


@app.default
def learn(
    features: str,
    human: str,
    *,
    target: str | None = None,
    measures: Annotated[
        list[str] | None, Parameter(name=["--feature", "-m"], consume_multiple=True, negative="")
    ] = None,
    methods: Annotated[
        list[str] | None, Parameter(name="--method", consume_multiple=True, negative="")
    ] = None,
    protocol: Literal["items", "systems", "years", "leave-one-out"] = "items",
    by: str | None = None,
    folds: int = 5,
    level: Literal["output", "item", "system"] = "output",
    kind: Literal["pearson", "spearman", "tau_b"] = "pearson",
    refit: Literal["select", "both"] = "select",
    ridge: float = 1.0,
    scale: Literal["published", "matlab"] = "published",
    models: Annotated[
        list[str] | None, Parameter(name="--model", consume_multiple=True, negative="")
    ] = None,
    rescale: Rescale = None,
    rescale_where: RescaleWhere = None,
    draws: int = 1000,
    seed: int = 0,
    journal: Path | None = None,
    save: Path | None = None,
    rows: Path | None = None,
    report: ReportFile = None,
    format: Format = None,
) -> None:
    """Learn a measure from what people said, and test it on what it has not seen.

    Every subset of the features is fitted on one part of the outputs, the best is chosen on a
    second, fitted again, and used on a third that took no part. `--save` keeps the measure:
    `tare text summaries.jsonl -m 'Learned(path=model.json)'`.

    Parameters
    ----------
    features
        A score table with the features, such as `tare text -m features --save` writes.
    human
        A score table of what people said about the same systems and items.
    target
        Which human score, if there are several; the first unless told.
    measures
        Which columns are features; all unless told.
    methods
        robust, nnls, cca, ridge; all unless told. The first is the one that --save keeps.
    protocol
        What is held out: items, systems, or values of an attribute of the items.
    by
        That attribute, such as year.
    folds
        Of items or systems; 0 holds them out one by one.
    level
        The correlation that chooses: of all outputs, of systems on one item, of means of systems.
    kind
        Its coefficient.
    refit
        Fit the chosen subset on the part it was chosen on, or on both.
    ridge
        The penalty of the method ridge, on standardised features.
    scale
        Of robust fits: leave the p smallest residuals out of the scale, as published, or p − 1, as
        Matlab's robustfit does.
    models
        Systems that are people, for the gap between people and machines.
    draws
        Resamples of the intervals.
    seed
        For everything that is drawn.
    journal
        A file that keeps what is done: the same call goes on from there after an interruption.
    save
        Write the learned measure to this file.
    rows
        Write the rows behind the tables as CSV into this folder.
    """
    from tare._measures.scores import Scores
    from tare.stats._regression import FITS
    from tare.studies import learned_measure

    can_be_written(save, report)
    table = Scores.load(features)
    if measures:
        table = table.select(measures=measures)
    chosen = tuple(methods or FITS)
    parts = folds if protocol in ("items", "systems") and folds else 3
    progress = Progress(len(chosen) * (parts + 2) + len(table.measures), "learning")
    try:
        found = learned_measure(
            table,
            rescaled(Scores.load(human), rescale, rescale_where),
            target=target,
            methods=chosen,
            protocol=protocol,
            by=by,
            folds=folds,
            level=level,
            kind=kind,
            refit=refit,
            ridge=ridge,
            scale=scale,
            models=models or (),
            draws=draws,
            seed=seed,
            progress=progress,
            journal=journal,
        )
    finally:
        progress.end()
    tell(found, format, rows, report)
    if save is not None:
        found.model(chosen[0]).save(save)
        say(f"The measure learned by {chosen[0]} is Learned(path={save}).")
