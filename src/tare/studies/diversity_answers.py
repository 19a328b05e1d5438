"""The answers of the study of diversity: rows, tables, frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tare.measures.preference.browsing import STOPS
from tare.studies.answers import Answers, Rows
from tare.tables import Column, Table

__all__ = ["DiversityStudy"]


@dataclass(frozen=True, repr=False)
class DiversityStudy(Answers):
    """The answers of the study, each as rows that a table or a plot takes."""

    systems: tuple[str, ...]
    queries: int
    means: dict[str, tuple[float, ...]]
    agreement: tuple[tuple[str, str, str, float], ...]
    combinations: tuple[tuple[str, float], ...]
    profiles: tuple[tuple[str, str, float], ...]
    incomplete: tuple[tuple[int, int, float], ...]
    noisy: tuple[tuple[float, int, float], ...]
    seed: int

    def all_rows(self) -> dict[str, Rows]:
        """The rows behind the tables and plots, by name."""

        def named(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Rows:
            return [dict(zip(names, row, strict=True)) for row in rows]

        return {
            "agreement": named(("stop", "combine", "measure", "tau"), self.agreement),
            "combinations": named(("stop", "tau"), self.combinations),
            "profiles": named(("first", "second", "tau"), self.profiles),
            "incomplete": named(("triplets", "repeat", "tau"), self.incomplete),
            "noisy": named(("noise", "repeat", "tau"), self.noisy),
            "means": [
                {"system": system, **{m: values[i] for m, values in self.means.items()}}
                for i, system in enumerate(self.systems)
            ],
        }

    def facts(self) -> dict[str, Any]:
        """What the answers depend on."""
        return {"queries": self.queries, "seed": self.seed}

    def tables(self) -> dict[str, Table]:
        """The four answers as people read them."""
        measures = list(dict.fromkeys(m for *_, m, _ in self.agreement))
        by = {(s, c, m): t for s, c, m, t in self.agreement}
        between = dict(self.combinations)
        rows = [
            (stop, combine, *(by[stop, combine, m] for m in measures), between[stop])
            for stop in STOPS
            for combine in ("mean", "min")
        ]
        note = f"τ over {len(self.systems)} systems and {self.queries} queries, seed {self.seed}."
        return {
            "a": Table.of(
                ["stop", "combine", *(Column(m) for m in measures), Column("mean vs min")],
                rows, title="(a) nPrf and measures of subtopics", notes=[note],
            ),
            "b": Table.of(
                ["first", "second", Column("τ")], list(self.profiles), title="(b) profiles",
            ),
            "c": _curve("(c) incomplete judgements", "triplets a query", self.incomplete),
            "d": _curve("(d) noisy judgements", "ε", self.noisy),
        }  # fmt: skip


def _curve(title: str, what: str, rows: Sequence[tuple[float, int, float]]) -> Table:
    points = dict.fromkeys(x for x, *_ in rows)
    shown = []
    for point in points:
        values = np.array([t for x, _, t in rows if x == point])
        known = values[~np.isnan(values)]
        if len(known):
            spread = float(known.std(ddof=1)) if len(known) > 1 else 0.0
            shown.append((point, float(known.mean()), spread, len(known)))
    columns = [Column(what), Column("mean τ"), Column("deviation"), Column("repeats")]
    return Table.of(columns, shown, title=title)
