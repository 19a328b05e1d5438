"""`tare learn`: a measure learned from human judgements and tested on unseen data."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.files import check_writable
from tare._cli.options import (
    FilePath,
    Format,
    Journal,
    ReportFile,
    Rescale,
    RescaleWhere,
    RowsFolder,
    Seed,
    measure_names,
    rescaled,
    verb,
)
from tare._cli.output import Progress, say
from tare._cli.results import show_study
from tare.errors import OptionError

__all__ = ["app", "learn"]

app = verb(
    "learn",
    "tare learn features.csv human.csv -o model.json",
    "tare learn features.csv human.csv --protocol systems --folds 3 --method ridge --draws 200",
)


@app.default
def learn(
    features: str,
    human: str,
    *,
    target: str | None = None,
    measures: Annotated[
        list[str] | None,
        Parameter(name=["--feature", "--measures", "-m"], converter=measure_names, negative=""),
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
    seed: Seed = 0,
    journal: Journal = None,
    output: Annotated[FilePath | None, Parameter(name=["--output", "-o"])] = None,
    save: RowsFolder = None,
    report: ReportFile = None,
    format: Format = None,
) -> None:
    """Learn a measure from human judgements, and test it on unseen data.

    Every subset of the features is fitted on one part of the outputs. The best subset is chosen on a
    second part, fitted again, and tested on a third part that was not used before. `-o` saves the
    measure for `tare text summaries.jsonl -m 'Learned(path=model.json)'`.

    Parameters
    ----------
    features
        Score table with the features, such as `tare text -m features --save` writes.
    human
        Score table with human scores of the same systems and items.
    target
        Human score to predict, if there are several (default: the first).
    measures
        Columns to use as features (default: all).
    methods
        robust, nnls, cca, ridge (default: all). --output saves the model of the first one.
    protocol
        What is held out: items, systems, or values of an attribute of the items.
    by
        Attribute whose values are held out, such as year.
    folds
        Number of folds of items or systems; 0 holds them out one by one.
    level
        Correlation that chooses the subset: over all outputs, over systems on one item, or over system
        means.
    kind
        Correlation coefficient.
    refit
        Fit the chosen subset on the part on which it was chosen, or on both parts.
    ridge
        Penalty of the method ridge, on standardised features.
    scale
        Scale of robust fits: without the p smallest residuals, as published, or without p − 1, as in
        Matlab's robustfit.
    models
        Systems that are people, for the gap between people and machines.
    draws
        Number of resamples for the intervals.
    output
        Write the learned measure to this file.
    """
    from tare._measures.scores import Scores
    from tare.stats._regression import FITS
    from tare.studies import learned_measure

    if save is not None and save.suffix.lower() == ".json":
        raise OptionError(
            f"--save writes the rows behind the tables to a folder; to keep the learned measure, write "
            f"-o {save}"
        )
    check_writable(output, report)
    table = Scores.load(features)
    if measures:
        table = table.select(measures=measures)
    chosen = tuple(methods or FITS)
    parts = folds if protocol in ("items", "systems") and folds else 3
    with Progress("learning", len(chosen) * (parts + 2) + len(table.measures)) as progress:
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
    show_study(found, format, save, report)
    if output is not None:
        found.model(chosen[0]).save(output)
        say(f"Measure learned by {chosen[0]}: Learned(path={output})")
