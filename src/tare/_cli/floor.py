"""`tare floor`: what a ranker without skill scores on a collection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tare._cli.options import Format, PoolOptions
from tare._cli.output import emit, tell_findings
from tare._cli.reporting import can_be_written
from tare._cli.source import Source, refuse_options
from tare._cli.verb import verb

__all__ = ["app", "floor"]

app = verb(
    "floor",
    "tare floor qrels.txt --pool judged -m nDCG@10 AP",
    "tare floor qrels.txt --corpus 8841823 -m RR@10 --by-query --format csv",
)


@app.default
def floor(
    qrels: Source,
    *,
    measures: Annotated[
        list[str] | None, Parameter(name=["--measure", "-m"], consume_multiple=True, negative="")
    ] = None,
    pools: PoolOptions | None = None,
    by_query: Annotated[bool, Parameter(name=["--by-query", "-q"], negative="")] = False,
    confidence: float = 0.95,
    seed: int = 0,
    samples: int = 10_000,
    save: Path | None = None,
    format: Format = None,
) -> None:
    """Show what a ranker without skill scores on a collection, before any run is scored.

    For each measure: the expected mean of a random ranker, the band in which 95 % of random rankers
    fall, the mean of the ideal ranking, and the number of queries on which chance scores as well as
    the ideal.

    Parameters
    ----------
    qrels
        The judgements.
    measures
        Measures; nDCG@10 and AP by default.
    by_query
        Print one line per query and measure.
    confidence
        Share of random rankers in the band.
    seed
        For values without a closed form.
    samples
        Orders to sample for such values.
    save
        Write expected value, deviation and ideal of every query to this Parquet file.
    """
    from tare._writing import write_bytes
    from tare.chance._floor import floor as floor_of

    refuse_options(qrels)
    can_be_written(save)
    where = {} if pools is None else pools.arguments()
    asked = tuple(measures or ("nDCG@10", "AP"))
    found = floor_of(qrels, asked, confidence=confidence, seed=seed, samples=samples, **where)
    made = found.query_table if by_query else found.table
    emit(format, made, made)
    if by_query or format not in (None, "table"):
        tell_findings(found.findings)
    if save is not None:
        import io

        buffer = io.BytesIO()
        found.to_frame().write_parquet(buffer)
        write_bytes(save, buffer.getvalue())
