"""Mean scores by kind of query, for `tare score --kinds`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tare._measures.scores import Scores
from tare._tables import Column, Table
from tare._tables.table import Cell
from tare.chance._kinds_of_queries import Kinds, kinds
from tare.errors import MeasureError

__all__ = ["ScoresByKind", "scores_by_kind"]


@dataclass(frozen=True)
class ScoresByKind:
    """The kinds of queries, and the mean scores on each kind."""

    kinds: Kinds
    scores: Scores

    def _means(self) -> list[tuple[str, int, dict[str, dict[str, float]]]]:
        return [
            (kind, len(queries), self.scores.select(items=queries).means())
            for kind, queries in self.kinds.sets().items()
            if queries
        ]

    def table(self) -> Table:
        """Return a table with one row per kind and system."""
        columns: list[Column | str] = ["kind", Column("queries"), "system"]
        columns += [Column(measure) for measure in self.scores.measure_names]
        rows: list[tuple[Cell, ...]] = [
            (kind, n, system, *(means[system][m] for m in self.scores.measure_names))
            for kind, n, means in self._means()
            for system in self.scores.systems
        ]
        empty = [kind for kind, queries in self.kinds.sets().items() if not queries]
        notes = list(self.kinds.table().notes)
        if empty:
            notes.append(f"no query is {' or '.join(empty)} at these thresholds.")
        return Table.of(columns, rows, notes=notes)

    def long_table(self) -> Table:
        """Return a table with one row per kind, system and measure, for programs."""
        rows = [
            (kind, n, system, m, means[system][m])
            for kind, n, means in self._means()
            for system in self.scores.systems
            for m in self.scores.measure_names
        ]
        columns: list[Column | str] = ["kind", Column("queries"), "system", "measure"]
        columns.append(Column("mean"))
        return Table.of(columns, rows)


def scores_by_kind(
    qrels: Any, runs: list[Any], scores: Scores, size: float, pools: dict[str, Any]
) -> ScoresByKind:
    """Sort the queries into kinds by the measures that were asked for; Net(m) counts as m."""
    inside = []
    for measure in (m.innermost for m in scores.measures):
        if measure.definition.upper and measure not in inside:
            inside.append(measure)
    if not inside:
        raise MeasureError("--kinds needs a measure with an upper bound, such as nDCG@10.")
    return ScoresByKind(kinds(qrels, runs, inside, size=size, **pools), scores)
