"""`tare estimate`: true values from few human labels and many labels of a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from cyclopts import Parameter

import tare
from tare._cli.output import Progress, emit, emit_several, for_reading, say
from tare._cli.results import exit_code, say_findings
from tare._cli.sources import baselines_of
from tare._cli.types import Input, MeasureList, Output, OutputFile, Pools, Strict, SystemNamesOption
from tare._cli.verb import Given, verb_of
from tare._measures.defaults import MAIN_MEASURES
from tare.errors import OptionError

__all__ = ["estimate"]

MAX_PAIRS = 100  # with more pairs, only the estimates are shown unless --show asks for differences


@verb_of(
    tare.estimate,
    "tare estimate human.qrels llm.qrels bm25.run dense.run -m nDCG@10",
    "tare estimate sample.csv llm.qrels bm25.run dense.run -m DCG@10 --save estimates.parquet",
    without=("pool", "corpus", "candidates"),
)
def estimate(
    human: Input,
    judge: Input,
    *runs: Input,
    measures: MeasureList = None,
    baseline: str | None = None,
    inclusion: str | None = None,
    cluster: str | None = None,
    range: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    confidence: float = 0.95,
    system_names: SystemNamesOption = "file",
    show: Literal["all", "estimates", "differences"] | None = None,
    save: OutputFile | None = None,
    strict: Strict = False,
    pools: Pools,
    output: Output,
    **options: Given,
) -> int:
    """Estimate true values from people's labels of a sample and a model's labels of everything.

    HUMAN holds the labels of people, JUDGE those of a model, as qrels with the same query and document ids.
    People labelled either all of some queries, drawn at random, or some documents of every query, drawn with
    known probability. The bias of the model is removed, and its labels narrow the interval as far as they
    agree with people's. Without RUNS, HUMAN and JUDGE are score tables of the same systems.

    Parameters
    ----------
    human
        Labels by people; labels.csv:human names one of several columns of labels.
    judge
        Labels by a model.
    runs
        Runs.
    measures
        Measures (default: nDCG@10 and AP).
    baseline
        Show the differences from this system (default: all pairs).
    method
        t: Student's interval with the jackknife variance, within the bounds of the measure; z: the normal
        interval; bootstrap: over queries.
    design
        queries: people labelled all of some queries; documents: people labelled some documents of every query
        (default: decided by the labels).
    weight
        Weight of the judge's labels, from 0 (people only) to 1 (default: estimated).
    target
        all-queries: the queries are a sample; these-queries: only these queries matter, and the error is that
        of drawing documents.
    inclusion
        Probability with which a document was drawn for labelling: a number or a column of HUMAN (default: a
        column inclusion, probability or pi, or the share of labelled documents in each query).
    sampling
        How documents were drawn within a query: a fixed number, or each independently (poisson).
    cluster
        Cluster of each query, such as its session: a column of the score tables, or a file with the columns
        query and cluster. People labelled whole clusters, drawn at random.
    range
        Lowest and highest value of a measure whose definition gives none, such as 1:5 for ratings.
    confidence
        Confidence level of the intervals.
    draws
        Number of bootstrap draws.
    show
        The estimates, the differences, or both (default: both on a terminal, estimates in a pipe).
    save
        Write the estimates to this file; a .parquet file is read by tare compare, report and design judge.
    """
    with Progress("reading", len(runs)) as progress:
        made = tare.estimate(
            human,
            judge,
            list(runs) if runs else None,
            measures or (MAIN_MEASURES if runs else None),
            inclusion=_probability(inclusion),
            cluster=cluster,
            range=_range(range),
            confidence=confidence,
            system_names=system_names,
            progress=progress,
            **pools.arguments(),
            **options,
        )
    if baseline is not None:
        named = baselines_of([baseline], made.systems, runs)
        made = replace(made, baseline=baseline if named is None else named[0])
    pairs, format = made.differences, output.format
    printed = {"estimates": (made.table, made.long_table)}
    if pairs is not None:
        printed["differences"] = (pairs.table, pairs.long_table)
    if show == "differences" and pairs is None:
        one = len(made.systems) == 1
        why = (
            "There is one system" if one else "People labelled too few clusters to test differences"
        )
        say(f"{why}, so the estimates are shown.")
        show = "estimates"
    if show is None and (not for_reading(format) or (pairs is not None and len(pairs) > MAX_PAIRS)):
        show = "estimates"
    if show in ("estimates", "differences"):
        emit(format, *printed[show])
    else:
        emit_several(format, printed)
    if save is not None:
        made.save(save)
        say(f"Estimates written to {save}.")
    output.write_report(made)
    if not for_reading(format):
        say_findings(made.findings)
    return exit_code(made.findings, strict)


def _probability(given: str | None) -> float | str | None:
    """Return the sampling probability of `tare estimate`: a number if the option is one, else the name of a column."""
    try:
        return None if given is None else float(given)
    except ValueError:
        return given


def _range(given: str | None) -> tuple[float, float] | None:
    """Return the two numbers of LOW:HIGH."""
    if given is None:
        return None
    try:
        low, high = map(float, given.split(":"))
    except ValueError:
        raise OptionError(
            f"--range {given}: expected the lowest and the highest value, such as --range 1:5."
        ) from None
    return low, high
