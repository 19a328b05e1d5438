"""`tare part` and `tare join`: one part of a batch job, and the scores of all its parts."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tare._choices import Order, Ties, Unjudged
from tare._cli.output import print_bytes
from tare._cli.score import RunScoring, Scoring, run
from tare._cli.types import Input, Output, OutputFolder, Pools, SystemNamesOption
from tare._cli.verb import verb
from tare._plain_text import plain
from tare.engines._batch_jobs import Parts, judge_part
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._measures.one_system import RankingEngine

__all__ = ["join", "part"]


# `tare part`: one part of a batch job.


@verb(
    "tare part qrels.txt bm25.run dense.run --index 0 --of 8 --output parts",
    "tare part qrels.txt bm25.run --index 7 --of 8 --depth 100 --output top100",
)
def part(
    qrels: Input,
    *runs: Input,
    index: int,
    of: int,
    output: Annotated[OutputFolder, Parameter(name=["--output", "-o"])],
    ties: Ties = "trec",
    unjudged: Unjudged = "nonrelevant",
    depth: int | None = None,
    order: Order = "score",
    system_names: SystemNamesOption = "file",
) -> None:
    """Judge one part of runs, as one process of a batch job.

    Runs are TREC text files or Parquet files, grouped by query. Start one process per part, on any machines
    that see the same files; then join the parts with `tare join`, where measures are chosen. A part that
    failed is started again by the same command.

    Parameters
    ----------
    qrels
        Judgements, the same for all parts.
    runs
        One or more runs, in the same order for all parts.
    index
        The number of this part, from 0.
    of
        The number of parts.
    output
        Folder for the parts.
    ties
        Equal scores: by document id as in trec_eval (trec), in the order of the file (order), or averaged
        over all orders (expected).
    unjudged
        Unjudged documents: count them as not relevant, or remove them before ranking.
    depth
        Use only the first documents of each ranking.
    order
        Rank documents by score, or by the rank column as ndeval does.
    """
    if not runs:
        raise OptionError(
            "no run was given. Usage: tare part QRELS RUN… --index 0 --of 8 --output FOLDER"
        )
    written = judge_part(
        qrels,
        list(runs),
        index=index,
        of=of,
        output=output,
        ties=ties,
        unjudged=unjudged,
        depth=depth,
        order=order,
        system_names=system_names,
    )
    if sys.stdout.isatty():
        print(plain(str(written)))
    else:  # a program uses it as a path
        print_bytes(os.fsencode(f"{written}{os.linesep}"))


# `tare join`: the scores of runs from the parts of a batch job.


class JoinedParts:
    """The engine that joins parts, in the place of `EngineOptions`."""

    name = "parts"

    @contextmanager
    def opened(self) -> Iterator[RankingEngine]:
        """Yield the engine."""
        yield Parts()


@verb(
    "tare join qrels.txt parts -m nDCG@10 AP",
    "tare join qrels.txt parts -m nDCG@10 --pool judged --save scores.parquet",
)
def join(
    qrels: Input,
    *parts: Input,
    options: Scoring,
    pools: Pools,
    output: Output,
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
    """
    if not parts:
        raise OptionError("no parts were given. Usage: tare join QRELS FOLDER -m nDCG@10")
    whole = RunScoring(**vars(options))
    return run(qrels, parts, whole, pools, JoinedParts(), output)
