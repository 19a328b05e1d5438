"""The files behind a comparison: rankings, judgements and texts of the queries that are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tare._data.passages import Passage, passages_by_id
from tare._data.qrels import read_qrels
from tare.report._rankings.runs import ranked, runs_of_systems
from tare.report._rankings.sides import RankedQuery

__all__ = ["RankingFiles"]

DEPTH = 100  # documents of a ranking that count


@dataclass(frozen=True)
class RankingFiles:
    """Qrels and runs of a report, and the texts of its queries and documents if there are any."""

    qrels: Path
    runs: tuple[Path, ...]
    queries: Path | None = None
    documents: str | None = None

    def ranked_queries(
        self, systems: Sequence[str], pair: Sequence[str], items: Sequence[str]
    ) -> dict[str, RankedQuery]:
        """Return some queries with their judgements and the rankings of the systems in `pair`."""
        wanted = frozenset(items)
        texts = {}
        if self.queries is not None:
            found = passages_by_id(str(self.queries), wanted)
            texts = {key: passage.text for key, passage in found.items()}
        grades = {q: dict(own) for q, own in read_qrels(self.qrels).by_query() if q in wanted}
        rankings: dict[str, dict[str, list[tuple[str, float]]]] = {item: {} for item in items}
        for system, run in runs_of_systems(self.runs, systems):
            if system in pair:
                for query, documents in ranked(run, DEPTH, wanted):
                    rankings[query][system] = documents
        return {
            item: RankedQuery(
                texts.get(item, ""),
                grades.get(item, {}),
                {system: rankings[item].get(system, []) for system in pair},
            )
            for item in items
        }

    def passages(self, queries: Sequence[RankedQuery], shown: int) -> dict[str, Passage]:
        """Return the texts of the documents that are shown; other texts are not kept."""
        if self.documents is None:
            return {}
        lists = [own for query in queries for own in query.rankings.values()]
        return passages_by_id(self.documents, {name for own in lists for name, _ in own[:shown]})
