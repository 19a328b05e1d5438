"""The answers of the study of diversity: rows, tables, frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tare.measures.preference.browsing import STOPS
from tare.reportable import Reportable
from tare.tables import Column, Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DiversityStudy"]


@dataclass(frozen=True)
class DiversityStudy(Reportable):
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

    def frames(self) -> dict[str, pl.DataFrame]:
        """Plot-ready polars frames by name."""
        import polars as pl

        def frame(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> pl.DataFrame:
            return pl.DataFrame(rows, schema=list(names), orient="row")

        return {
            "agreement": frame(("stop", "combine", "measure", "tau"), self.agreement),
            "combinations": frame(("stop", "tau"), self.combinations),
            "profiles": frame(("first", "second", "tau"), self.profiles),
            "incomplete": frame(("triplets", "repeat", "tau"), self.incomplete),
            "noisy": frame(("noise", "repeat", "tau"), self.noisy),
            "means": pl.DataFrame({"system": list(self.systems), **{m: list(v) for m, v in self.means.items()}}),
        }  # fmt: skip

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

    def table(self) -> Table:
        """The first answer."""
        return self.tables()["a"]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain lists."""
        return {name: frame.to_dicts() for name, frame in self.frames().items()}

    def __repr__(self) -> str:
        return "\n\n".join(str(table) for table in self.tables().values())


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
