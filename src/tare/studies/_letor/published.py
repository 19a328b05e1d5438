"""The numbers published by Feng and Karmaker (2023), next to those of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._result import Rows
from tare._tables import Column, Table
from tare.studies._letor.measures import PUBLISHED_NAMES
from tare.studies._published import fk23

if TYPE_CHECKING:
    from tare.studies._letor.result import LetorStudy

__all__ = ["difference_rows", "difference_table", "published_rows", "published_table"]

# Tables of means, by system and cutoff: nDCG, V1 and V2 of DCG, MAP, V1 and V2 of SP.
MEANS = (3, 4, 5, 6, 15, 16, 17, 18)
Key = tuple[str, str, str, str]


def published_rows(study: LetorStudy) -> Rows:
    """Return one dictionary per published number that the study has also measured."""
    if study.published is None:
        return []
    measured = _measured(study)
    made = []
    for p in fk23():
        if p.dataset != study.published:
            continue
        found = measured.get((p.system, p.set, p.cutoff, p.measure))
        if found is not None:
            kept, counted = found
            made.append(
                {
                    "table": p.table,
                    "system": p.system,
                    "set": p.set,
                    "cutoff": p.cutoff,
                    "measure": p.measure,
                    "published": p.value,
                    "measured": kept,
                    "counted": counted,
                }
            )
    return made


def _measured(study: LetorStudy) -> dict[Key, tuple[float, float | None]]:
    """Return the numbers under the names of the article; means also with empty queries as 0."""
    found: dict[Key, tuple[float, float | None]] = {}
    every = "-".join(str(k) for k in (study.cutoffs[0], study.cutoffs[-1]))
    for row in study.mean_rows():
        for name in PUBLISHED_NAMES.get(row["measure"], ()):
            found[row["system"], "all", str(row["cutoff"]), name] = (row["mean"], row["counted"])
    for row in study.agreement_rows():
        for one in PUBLISHED_NAMES.get(row["first"], ()):
            for other in PUBLISHED_NAMES.get(row["second"], ()):
                key = (f"{one} vs {other}", row["set"], every)
                found[(*key, "kendall")] = (row["tau"], None)
                found[(*key, "conflicts of 140")] = (float(row["conflicts"]), None)
    for row in study.power_rows():
        for name in PUBLISHED_NAMES.get(row["family"], ()):
            significant = float(row["significant"])
            found[name, row["set"], every, "significant of 140"] = (significant, None)
            found[name, row["set"], every, "PAD %"] = (row["pad"], None)
    for row in study.swap_rows():
        for name in PUBLISHED_NAMES.get(row["measure"], ()):
            if row["swap_rate"] is not None:
                found[name, row["between"], every, "swap rate"] = (row["swap_rate"], None)
    return found


def difference_rows(rows: Rows) -> Rows:
    """Return one dictionary per table of means and measure, with the mean absolute difference.

    Measured means count queries without a relevant document as 0, like the published means.
    """
    groups: dict[tuple[int, str], list[float]] = {}
    for row in rows:
        if row["table"] in MEANS and row["counted"] is not None:
            gap = row["counted"] - row["published"]
            groups.setdefault((row["table"], row["measure"]), []).append(gap)
    return [
        {
            "table": table,
            "measure": measure,
            "cells": len(gaps),
            "mean_absolute_difference": sum(map(abs, gaps)) / len(gaps),
            "mean_difference": sum(gaps) / len(gaps),
        }
        for (table, measure), gaps in groups.items()
    ]


def published_table(study: LetorStudy) -> Table:
    """Return the table of published and measured numbers."""
    columns: list[Column | str] = [
        Column("printed table"),
        "system or measure",
        "set",
        "cutoff",
        "quantity",
    ]
    columns += [Column(c, digits=3) for c in ("published", "measured", "empty as 0")]
    rows = [tuple(row.values()) for row in published_rows(study)]
    note = (
        "Published by Feng and Karmaker (2023). Measured means are over queries with a relevant "
        "document; the last column counts the other queries as 0, like RankLib and the article. The "
        "article calls its MAP SP/k, but its tables fit SP@k/min(k,R), with the expected value "
        "k(R/n)² and the upper bound min(k,R) for V1(SP) and V2(SP). The study uses these."
    )
    return Table.of(
        columns, rows, title=f"Published and measured numbers: {study.published}", notes=[note]
    )


def difference_table(study: LetorStudy) -> Table:
    """Return the table of differences between measured and published means."""
    columns: list[Column | str] = [Column("printed table"), "measure", Column("cells")]
    columns += [Column("mean |difference|", digits=3), Column("mean difference", digits=3)]
    rows = [tuple(row.values()) for row in difference_rows(published_rows(study))]
    note = "Measured minus published, over systems and cutoffs. Queries without a relevant document count as 0."
    return Table.of(columns, rows, title="Differences from the published means", notes=[note])
