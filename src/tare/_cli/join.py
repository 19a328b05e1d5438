"""`tare join`: the scores of runs from the parts of a batch job."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tare._choices import Missing
from tare._cli.files import check_file_names
from tare._cli.options import FilePath, Format, Measures, PoolOptions, ReportFile, verb
from tare._cli.score.run import ScoreOptions, run
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._measures.one_system import RankingEngine

__all__ = ["app", "join"]

app = verb(
    "join",
    "tare join qrels.txt parts -m nDCG@10 AP",
    "tare join qrels.txt parts -m nDCG@10 --pool judged --save scores.parquet",
)


class JoinedParts:
    """The engine that joins parts, in the place of `EngineOptions`."""

    name = "parts"

    @contextmanager
    def opened(self) -> Iterator[RankingEngine]:
        """Yield the engine."""
        from tare.engines._batch_jobs import Parts

        yield Parts()


@app.default
def join(
    qrels: str,
    *parts: str,
    measures: Measures = None,
    by_query: Annotated[bool, Parameter(name=["--by-query", "-q"], negative="")] = False,
    missing: Missing = "zero",
    pools: PoolOptions | None = None,
    format: Format = None,
    save: FilePath | None = None,
    report: ReportFile = None,
    seed: int = 0,
    samples: int = 10_000,
    strict: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Join the parts that `tare part` wrote, and print the scores of the whole runs.

    The numbers are those of `tare score` on the same files. All parts must be present, made
    with the same judgements. If --candidates lists documents, this machine reads the runs again,
    because parts hold only judged documents.

    Parameters
    ----------
    qrels
        Judgements.
    parts
        The folder of the parts, or their files.
    measures
        Measures such as nDCG@10, 'P(rel=2)@5', 'Net(nDCG@10)'; `tare list measures` shows all.
    by_query
        Print one line per query instead of means.
    missing
        Judged queries that a run lacks: count them as 0, skip them, or raise an error.
    save
        Write the score table to this Parquet file.
    seed
        Seed for expected values without a closed form.
    samples
        Number of sampled rankings for expected values without a closed form.
    strict
        Exit with code 1 if there are findings.
    """
    check_file_names(qrels, *parts)
    if not parts:
        raise OptionError("no parts were given. Usage: tare join QRELS FOLDER -m nDCG@10")
    return run(
        ScoreOptions(
            qrels=qrels,
            runs=parts,
            measures=tuple(measures or ()),
            by_query=by_query,
            missing=missing,
            pools=pools,
            format=format,
            save=save,
            report=report,
            seed=seed,
            samples=samples,
            engine=JoinedParts(),
            strict=strict,
        )
    )
