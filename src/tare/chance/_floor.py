"""The floor: what a collection gives to a ranker without skill, before any run is scored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data.findings import Finding
from tare._data.judged import Judged
from tare._data.policies import Policies
from tare._data.pools import Pools
from tare._measures.defaults import MAIN_MEASURES
from tare._measures.evaluation import Sampling
from tare._measures.judgements import findings_of, join, read_judgements
from tare._measures.measure import Measure, make
from tare._measures.names import parse_all
from tare._measures.pool_findings import pool_findings
from tare._reportable import Reportable
from tare.chance._chances import Chances, chances_of
from tare.chance._luck import Chance, chance_of_mean
from tare.errors import OptionError

if TYPE_CHECKING:
    import polars as pl

    from tare._tables import Table

__all__ = ["Floor", "floor"]


@dataclass(frozen=True)
class Floor(Reportable):
    """Expected value, band of random rankers and ideal of each measure on a collection."""

    chances: tuple[Chances, ...]
    means: tuple[Chance, ...]
    confidence: float
    findings: tuple[Finding, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary per measure."""
        made = []
        for found, chance in zip(self.chances, self.means, strict=True):
            low, high = chance.band(self.confidence)
            made.append(
                {
                    "measure": str(found.measure),
                    "expected": chance.expected,
                    "low": low,
                    "high": high,
                    "ideal": float(np.mean(found.upper[~np.isnan(found.upper)])),
                    "without_room": int((found.room == 0).sum()),
                    "n": chance.queries,
                    "how": chance.how,
                }
            )
        return made

    def query_rows(self) -> list[dict[str, Any]]:
        """One dictionary per query and measure."""
        return [
            {
                "query": item,
                "measure": str(found.measure),
                "pool": int(found.sizes[i]),
                "expected": float(found.expected[i]),
                "deviation": float(np.sqrt(0 if found.variance is None else found.variance[i])),
                "ideal": float(found.upper[i]),
            }
            for found in self.chances
            for i, item in enumerate(found.items)
        ]

    def to_frame(self) -> pl.DataFrame:
        """A polars frame, one row per query and measure."""
        import polars as pl

        return pl.DataFrame(self.query_rows())

    def to_dict(self) -> dict[str, Any]:
        """Rows by measure, rows by query, and findings."""
        return {
            "measures": self.rows(),
            "queries": self.query_rows(),
            "confidence": self.confidence,
            "findings": [str(finding) for finding in self.findings],
        }

    def table(self) -> Table:
        """One row per measure."""
        from tare._tables import Column, Table

        columns = [
            Column("measure", align="left"),
            Column("expected"),
            Column("low"),
            Column("high"),
        ]
        columns += [
            Column("ideal"),
            Column("without room"),
            Column("n"),
            Column("how", align="left"),
        ]
        keys = ("measure", "expected", "low", "high", "ideal", "without_room", "n", "how")
        rows = [tuple(row[key] for key in keys) for row in self.rows()]
        notes = [str(f) for f in self.findings if f.kind == "pool"]
        notes.append(
            f"low to high: {100 * self.confidence:g} % of random rankers have a mean in this band. Without "
            "room: queries on which chance scores as well as the ideal."
        )
        notes += [f"! {f}" for f in self.findings if f.kind != "pool" and f.severity != "note"]
        return Table.of(columns, rows, notes=notes)

    def query_table(self) -> Table:
        """One row per query and measure."""
        from tare._tables import Column, Table

        rows = [tuple(row.values()) for row in self.query_rows()]
        columns: list[Column | str] = ["query", "measure", Column("pool"), Column("expected")]
        return Table.of([*columns, Column("deviation"), Column("ideal")], rows)

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().to_html()


def floor(
    qrels: Any,
    measures: str | Measure | Iterable[str | Measure] = MAIN_MEASURES,
    *,
    pool: Any = None,
    corpus: int | str | None = None,
    candidates: Any = None,
    confidence: float = 0.95,
    seed: int = 0,
    samples: int = 10_000,
) -> Floor:
    """What a ranker without skill scores on a collection; no run is needed.

    Parameters
    ----------
    qrels
        Judgements, as for `tare.evaluate`.
    measures
        Measures of rankings.
    pool, corpus, candidates
        What could have been ranked, as for `tare.evaluate`.
    confidence
        The share of random rankers in the band.
    seed, samples
        For values without a closed form.

    Returns
    -------
    Floor
        Expected value, band and ideal by measure, and by query.

    Examples
    --------
    >>> found = floor({"q": {"a": 1, "b": 0, "c": 0, "d": 0}}, "Success@2", pool="judged")
    >>> row = found.rows()[0]
    >>> row["expected"], row["ideal"]
    (0.5, 1.0)
    """
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} is not possible; it is between 0 and 1.")
    wanted = parse_all(measures)
    judgements = read_judgements(qrels, wanted)
    pools = Pools.of(pool, corpus, candidates).known_from(judgements)
    chosen = pools.require("the floor of a collection")
    if chosen.kind in ("union", "retrieved"):
        raise OptionError(f"pool={chosen} is a pool of runs, and the floor needs none. Give judged, corpus=N or candidates.")  # fmt: skip
    judged = _without_a_run(judgements)
    sampling = Sampling(seed, samples)
    chances = tuple(
        chances_of(judged, measure, chosen, sampling=sampling, with_variance=not chosen.unlimited)
        for measure in wanted
    )
    means = tuple(chance_of_mean(judged, found, seed=seed) for found in chances)
    told = [f for f in pool_findings([judged], tuple(make("E", inner=m) for m in wanted), pools, "zero") if f.kind == "pool"]  # fmt: skip
    return Floor(chances, means, confidence, (*told, *findings_of(judgements)))


def _without_a_run(judgements: Any) -> Judged:
    """Judgements as the core knows them, joined with a run that ranks one judged document."""
    documents = getattr(judgements, "documents", judgements)
    query, ranked = next(iter(documents.by_query()))
    return join(judgements, {query: {ranked[0][0]: 1.0}}, Policies())
