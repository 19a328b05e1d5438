"""`tare floor`: the scores of a random ranker on a collection."""

from __future__ import annotations

import io
from typing import Annotated

from cyclopts import Parameter

from tare import chance
from tare._cli.output import emit
from tare._cli.results import say_findings
from tare._cli.types import MeasureList, OutputFile, Pools, Printing, Source
from tare._cli.verb import Given, verb_of
from tare._files.writing import write_bytes
from tare._measures.defaults import MAIN_MEASURES

__all__ = ["floor"]


@verb_of(
    chance.floor,
    "tare floor qrels.txt --pool judged -m nDCG@10 AP",
    "tare floor qrels.txt --corpus 8841823 -m RR@10 --by-query --format csv",
    without=("pool", "corpus", "candidates"),
)
def floor(
    qrels: Source,
    *,
    measures: MeasureList = None,
    by_query: Annotated[bool, Parameter(name=["--by-query", "-q"])] = False,
    confidence: float = 0.95,
    save: OutputFile | None = None,
    pools: Pools,
    printing: Printing,
    **sampling: Given,
) -> None:
    """Show what a random ranker scores on a collection, before any run is scored.

    For each measure: the expected mean of a random ranker, the band that holds 95 % of random rankers,
    the mean of the ideal ranking, and the number of queries on which chance scores as well as the ideal.

    Parameters
    ----------
    qrels
        Judgements.
    measures
        Measures (default: nDCG@10 and AP).
    by_query
        Print one line per query and measure.
    samples
        Number of sampled rankings for expected values without a closed form.
    save
        Write expected value, standard deviation and ideal score of every query to this Parquet file.
    """
    format = printing.format
    asked = tuple(measures or MAIN_MEASURES)
    found = chance.floor(qrels, asked, confidence=confidence, **pools.arguments(), **sampling)
    made = found.query_table if by_query else found.table
    emit(format, made, made)
    if by_query or format not in (None, "table"):
        say_findings(found.findings)
    if save is not None:
        buffer = io.BytesIO()
        found.frames()["queries"].write_parquet(buffer)
        write_bytes(save, buffer.getvalue())
