"""Numbers that articles such as Feng and Karmaker (2023) published, by table, to compare measured ones with."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib.resources import files

from tare._plain_text import lines_of

__all__ = ["Published", "fk23"]


@dataclass(frozen=True)
class Published:
    """A number published in an article: its table, data set, system or measure, set of queries, and cutoff."""

    table: int
    dataset: str
    system: str
    set: str
    cutoff: str
    measure: str
    value: float


def fk23() -> tuple[Published, ...]:
    """Return Tables 3 to 26 of Feng and Karmaker (2023), with the names of tare's rankers.

    Table 18, AdaRank, V2(SP)@15 is given as printed (0.011), which is impossible; 0.110 is likely.

    >>> fk23()[0]
    Published(table=3, dataset='MSLR', system='AdaRank', set='all', cutoff='5', measure='nDCG', value=0.321)
    """
    text = files("tare.studies._published").joinpath("fk23.tsv").read_text(encoding="utf-8")
    return tuple(
        Published(
            int(row["table"]),
            row["dataset"],
            row["system"],
            row["set"],
            row["cutoff"],
            row["measure"],
            float(row["value"]),
        )
        for row in csv.DictReader(lines_of(text), delimiter="\t")
    )
