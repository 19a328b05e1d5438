"""The floor of a collection: what a ranker without skill scores on it, before any run is scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data.findings import Finding
from tare._data.judged import Judged, Policies
from tare._data.pools import Pool, Pools
from tare._measures.defaults import MAIN_MEASURES
from tare._measures.evaluate_rankings import Judgements, findings_of, join, read_judgements
from tare._measures.measure import make
from tare._measures.names import parse_all
from tare._measures.one_system import Sampling
from tare._measures.ranking_findings import pool_findings
from tare._result import MultiTableResult, Row, Rows
from tare._tables import Column, Table
from tare.chance._chances import Chances
from tare.chance._mean_distribution import (
    MeanDistribution,
    band_notes,
    check_confidence,
    measures_under_chance,
)
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._measures.inputs import CandidatesInput, MeasuresInput, QrelsInput

__all__ = ["Floor", "floor"]


@dataclass(frozen=True, repr=False)
class Floor(MultiTableResult):
    """Expected value, band of random rankers and ideal of each measure on a collection.

    Attributes
    ----------
    chances
        Each measure under chance, query by query.
    means
        For each measure the distribution of a random ranker's mean.
    confidence
        The share of random rankers between `low` and `high`.
    findings
        The pool, and warnings.

    Examples
    --------
    >>> import tare
    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1, "c": 0}}
    >>> found = tare.chance.floor(qrels, "P@1", pool="judged")
    >>> [(row["query"], round(row["expected"], 3)) for row in found.query_rows()]
    [('q1', 0.5), ('q2', 0.333)]
    """

    chances: tuple[Chances, ...]
    means: tuple[MeanDistribution, ...]
    confidence: float
    findings: tuple[Finding, ...] = ()

    def rows(self) -> Rows:
        """Return one dictionary per measure."""
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

    def query_rows(self) -> Rows:
        """Return one dictionary per query and measure."""
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

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows by measure and the rows by query."""
        return {"measures": self.rows(), "queries": self.query_rows()}

    def facts(self) -> Row:
        """Return confidence and findings."""
        return {"confidence": self.confidence, "findings": [str(f) for f in self.findings]}

    def table(self) -> Table:
        """Return a table with one row per measure."""
        columns: list[Column | str] = ["measure", Column("expected"), Column("low"), Column("high")]
        columns += [Column("ideal"), Column("without room"), Column("n"), "how"]
        note = "Without room: queries on which chance scores as well as the ideal."
        return Table.of(
            columns,
            [tuple(row.values()) for row in self.rows()],
            notes=band_notes(self.findings, self.confidence, note),
        )

    def query_table(self) -> Table:
        """Return a table with one row per query and measure."""
        rows = [tuple(row.values()) for row in self.query_rows()]
        columns: list[Column | str] = ["query", "measure", Column("pool"), Column("expected")]
        return Table.of([*columns, Column("deviation"), Column("ideal")], rows)

    def tables(self) -> dict[str, Table]:
        """Return the table by measure and the table by query."""
        return {"measures": self.table(), "queries": self.query_table()}

    def _shown(self) -> list[Table]:
        return [self.table()]


def floor(
    qrels: QrelsInput,
    measures: MeasuresInput = MAIN_MEASURES,
    *,
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: CandidatesInput | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    samples: int = 10_000,
) -> Floor:
    """Compute what a ranker without skill scores on a collection; no run is needed.

    Parameters
    ----------
    qrels
        Judgements, as for `tare.evaluate`.
    measures
        Measures of rankings.
    pool, corpus, candidates
        The documents that could be ranked, as for `tare.evaluate`. Pools of runs ("union",
        "retrieved") are not possible.
    confidence
        The share of random rankers in the band.
    seed, samples
        Seed and number of random orders for values without a closed form.

    Returns
    -------
    Floor
        Expected value, band and ideal by measure, and by query.

    Raises
    ------
    MeasureError
        If a measure is unknown, or has no value under chance.
    OptionError
        If no pool or a pool of runs is given, or an option is out of range.
    DataError
        If the qrels cannot be read, or do not fit the pool.

    Examples
    --------
    >>> import tare
    >>> qrels = {"q": {"a": 1, "b": 0, "c": 0, "d": 0}}
    >>> row = tare.chance.floor(qrels, "Success@2", pool="judged").rows()[0]
    >>> row["expected"], row["ideal"]
    (0.5, 1.0)
    """
    check_confidence(confidence)
    wanted = parse_all(measures)
    judgements = read_judgements(qrels, wanted)
    pools = Pools.of(pool, corpus, candidates).known_from(judgements)
    chosen = pools.require("the floor of a collection")
    if chosen.kind in ("union", "retrieved"):
        raise OptionError(
            f"pool={chosen} is a pool of runs, and the floor uses no run. Give pool=judged, corpus=N or "
            "candidates."
        )
    judged = _without_a_run(judgements)
    made = measures_under_chance(judged, wanted, chosen, Sampling(seed, samples))
    expected = tuple(make("E", inner=measure) for measure in wanted)
    found = pool_findings([judged], expected, pools, "zero")
    findings = (*(f for f in found if f.kind == "pool"), *findings_of(judgements))
    return Floor(tuple(c for c, _ in made), tuple(d for _, d in made), confidence, findings)


def _without_a_run(judgements: Judgements) -> Judged:
    """Return the judgements joined with a run of one judged document, as the core needs a run."""
    documents: Any = getattr(judgements, "documents", judgements)
    query, ranked = next(iter(documents.by_query()))
    return join(judgements, {query: {ranked[0][0]: 1.0}}, Policies())
