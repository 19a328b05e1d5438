"""`tare part`: one part of a batch job."""

from __future__ import annotations

import os
import sys
from typing import Annotated

from cyclopts import Parameter

from tare._choices import Order, Ties, Unjudged
from tare._cli.files import check_file_names
from tare._cli.options import FilePath, SystemNamesOption, verb
from tare._cli.streams import print_bytes
from tare._plain_text import plain
from tare.errors import OptionError

__all__ = ["app", "part"]

app = verb(
    "part",
    "tare part qrels.txt bm25.run dense.run --index 0 --of 8 --output parts",
    "tare part qrels.txt bm25.run --index 7 --of 8 --depth 100 --output top100",
)


@app.default
def part(
    qrels: str,
    *runs: str,
    index: int,
    of: int,
    output: Annotated[FilePath, Parameter(name=["--output", "-o"])],
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
    from tare.engines._batch_jobs import judge_part

    check_file_names(qrels, *runs)
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
