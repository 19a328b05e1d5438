"""`tare learn`: a measure learned from human judgements and tested on unseen data."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from tare import studies
from tare._cli.output import Progress, say
from tare._cli.types import (
    Input,
    OutputFile,
    Rescaling,
    RowsOutput,
    measure_names,
)
from tare._cli.verb import Given, verb_of
from tare._measures.scores import Scores
from tare.errors import OptionError
from tare.stats._regression import FITS

__all__ = ["learn"]


@verb_of(
    studies.learned_measure,
    "tare learn features.csv human.csv -o model.json",
    "tare learn features.csv human.csv --protocol systems --folds 3 --method ridge --draws 200",
)
def learn(
    features: Input,
    human: Input,
    *,
    measures: Annotated[
        list[str] | None,
        Parameter(name=["--feature", "--measures", "-m"], converter=measure_names),
    ] = None,
    methods: Annotated[list[str] | None, Parameter(name="--method", consume_multiple=True)] = None,
    protocol: Literal["items", "systems", "years", "leave-one-out"] = "items",
    folds: int = 5,
    output: Annotated[OutputFile | None, Parameter(name=["--output", "-o"])] = None,
    rescaling: Rescaling,
    results: RowsOutput,
    **options: Given,
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
    level
        Correlation that chooses the subset: over all outputs, over systems on one item, or over system
        means.
    ridge
        Penalty of the method ridge, on standardised features.
    scale
        Scale of robust fits: without the p smallest residuals, as published, or without p − 1, as in
        Matlab's robustfit.
    output
        Write the learned measure to this file.
    """
    if results.save is not None and results.save.suffix.lower() == ".json":
        raise OptionError(
            f"--save writes the rows behind the tables to a folder; to keep the learned measure, write "
            f"-o {results.save}"
        )
    table = Scores.load(features)
    if measures:
        table = table.select(measures=measures)
    chosen = tuple(methods or FITS)
    parts = folds if protocol in ("items", "systems") and folds else 3
    with Progress("learning", len(chosen) * (parts + 2) + len(table.measures)) as progress:
        found = studies.learned_measure(
            table,
            rescaling.of(Scores.load(human)),
            methods=chosen,
            protocol=protocol,
            folds=folds,
            progress=progress,
            **options,
        )
    results.show(found)
    if output is not None:
        found.model(chosen[0]).save(output)
        say(f"Measure learned by {chosen[0]}: Learned(path={output})")
