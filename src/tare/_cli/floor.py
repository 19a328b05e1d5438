"""`tare floor`: the scores of a random ranker on a collection."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from tare._cli.files import check_file_names, check_writable
from tare._cli.options import FilePath, Format, Measures, PoolOptions, Source, verb
from tare._cli.output import emit, say_findings
from tare._measures.defaults import MAIN_MEASURES

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
    measures: Measures = None,
    pools: PoolOptions | None = None,
    by_query: Annotated[bool, Parameter(name=["--by-query", "-q"], negative="")] = False,
    confidence: float = 0.95,
    seed: int = 0,
    samples: int = 10_000,
    save: FilePath | None = None,
    format: Format = None,
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
    confidence
        Share of random rankers in the band.
    seed
        Seed for values without a closed form.
    samples
        Number of sampled rankings for such values.
    save
        Write expected value, standard deviation and ideal score of every query to this Parquet file.
    """
    from tare._files.writing import write_bytes
    from tare.chance._runs_against_chance import floor as floor_of

    check_file_names(qrels)
    check_writable(save)
    where = {} if pools is None else pools.arguments()
    asked = tuple(measures or MAIN_MEASURES)
    found = floor_of(qrels, asked, confidence=confidence, seed=seed, samples=samples, **where)
    made = found.query_table if by_query else found.table
    emit(format, made, made)
    if by_query or format not in (None, "table"):
        say_findings(found.findings)
    if save is not None:
        import io

        buffer = io.BytesIO()
        found.frames()["queries"].write_parquet(buffer)
        write_bytes(save, buffer.getvalue())
