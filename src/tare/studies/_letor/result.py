"""The answers of the study of rankers: means, agreement, power, swaps, beside what was published."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from tare._measures.scores import Scores
from tare._result import MultiTableResult, Rows
from tare._tables import Column, Table
from tare.chance._kinds import Kinds
from tare.studies._consistency.result import Consistency
from tare.studies._discrimination.result import Discrimination
from tare.studies._letor.claims import VERDICTS, claim_rows
from tare.studies._letor.measures import Family
from tare.studies._letor.published import (
    difference_rows,
    difference_table,
    published_rows,
    published_table,
)
from tare.studies._letor.resamples import CONFIDENCE, Resamples

__all__ = ["LetorStudy"]


@dataclass(frozen=True, eq=False, repr=False)
class LetorStudy(MultiTableResult):
    """Rankers, what each measure says of them, and how far the measures can be relied on.

    `scores` holds all queries of the test parts. `kinds`, `sets` and `discrimination` are by case
    study, nDCG and MAP: each makes its uninformative and ideal sets by its own measure. `swaps` has
    an answer for each two sets of queries or documents that were compared; `counts` describes the
    data; `resamples` is what the verdicts on claims rest on.
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.letor"

    name: str
    scores: Scores
    kinds: dict[str, Kinds]
    sets: dict[str, dict[str, tuple[str, ...]]]
    families: tuple[Family, ...]
    cutoffs: tuple[int, ...]
    discrimination: dict[str, Discrimination]
    swaps: dict[str, Consistency]
    chances: Rows
    counts: Rows
    resamples: Resamples
    published: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def items(self) -> tuple[str, ...]:
        """The test queries that have a relevant document."""
        return self.sets["nDCG"]["all"]

    def mean_rows(self) -> Rows:
        """One dictionary per system, measure and cutoff: means over two sets of queries.

        `mean` is over the queries with a relevant document, `counted` over all, where a query without
        one counts as 0, as in RankLib.
        """
        inside = self.scores.select(items=self.items)
        made = []
        plain = [m for m in self.scores.measure_names if m not in self._places]
        rows = [(label, cutoff, measure) for measure, (label, cutoff) in self._places.items()]
        rows += [(m.split("@")[0], int(m.split("@")[1]), m) for m in plain]
        for label, cutoff, measure in rows:
            kept, every = inside.matrix(measure), self.scores.matrix(measure)
            for s, system in enumerate(self.scores.systems):
                made.append(
                    {
                        "measure": label,
                        "cutoff": cutoff,
                        "system": system,
                        "mean": float(kept[s].mean()),
                        "counted": float(np.nan_to_num(every[s]).mean()),
                        "queries": len(inside.items),
                        "all_queries": len(self.scores.items),
                    }
                )
        return made

    @property
    def _places(self) -> dict[str, tuple[str, int]]:
        return {f.at(k): (f.label, k) for f in self.families for k in self.cutoffs}

    @property
    def _labels(self) -> dict[str, str]:
        return {f.name: f.label for f in self.families}

    def agreement_rows(self) -> Rows:
        """τ, conflicts and comparisons of each original measure with what normalises it, set by set."""
        pairs = {(f.original, f.label) for f in self.families if f.original}
        made = []
        for told in self.discrimination.values():
            for row in told.conflict_rows():
                first, second = self._labels[row["first"]], self._labels[row["second"]]
                if (first, second) in pairs:
                    made.append({**row, "first": first, "second": second})
        return made

    def power_rows(self) -> Rows:
        """Significant pairs and PAD of each measure, set by set."""
        return [
            {**row, "family": self._labels[row["family"]]}
            for told in self.discrimination.values()
            for row in told.family_rows()
        ]

    def swap_rows(self) -> Rows:
        """Swap rates of each measure, for each two sets that were compared."""
        return [
            {"between": what, **row, "measure": self._labels[row["measure"]]}
            for what, found in self.swaps.items()
            for row in found.measure_rows()
        ]

    def query_rows(self) -> Rows:
        """For the scatter: a query's mean score and expected value, and the sets it is in."""
        return [
            {"case": case, **row}
            for case, found in self.kinds.items()
            for row in found.to_frame().to_dicts()
        ]

    def headlines(self) -> list[str]:
        """What was found, in a few sentences."""
        rows = self.claim_rows()
        agreement = {(r["second"], r["set"]): r for r in self.agreement_rows()}
        power = {(r["family"], r["set"]): r for r in self.power_rows()}
        made = []
        for family in self.families:
            if family.original is None:
                continue
            own = [r for r in rows if r["measure"] == family.label]
            held, failed, open_ = (sum(r["verdict"] == v for r in own) for v in VERDICTS)
            one, other = power[family.label, "all"], power[family.original, "all"]
            made.append(
                f"{family.label} orders the rankers as {family.original} does with "
                f"τ = {agreement[family.label, 'all']['tau']:.3f} and finds {one['significant']} of "
                f"{one['pairs']} comparisons significant where {family.original} finds "
                f"{other['significant']}; of {len(own)} claims of the article {held} hold, {failed} "
                f"do not, and {open_} are not decided."
            )
        return made

    def claim_rows(self) -> Rows:
        """Which claims of Feng and Karmaker hold on these data."""
        return claim_rows(self)

    def published_rows(self) -> Rows:
        """The numbers of the article beside those measured here, where both exist."""
        return published_rows(self)

    def difference_rows(self) -> Rows:
        """How far the published means lie from the measured ones, table by table."""
        return difference_rows(self.published_rows())

    def all_rows(self) -> dict[str, Rows]:
        """Rows by name; `queries` is for scatters, `chances` for histograms."""
        made = {
            "means": self.mean_rows(),
            "agreement": self.agreement_rows(),
            "power": self.power_rows(),
            "swaps": self.swap_rows(),
            "claims": self.claim_rows(),
            "queries": self.query_rows(),
            "chances": self.chances,
            "data": self.counts,
        }
        if self.published:
            made |= {"published": self.published_rows(), "differences": self.difference_rows()}
        return made

    def facts(self) -> dict[str, Any]:
        """Data, options, sets, signatures."""
        return {
            "name": self.name,
            "options": self.options,
            "sets": {
                case: {name: len(items) for name, items in own.items()}
                for case, own in self.sets.items()
            },
            "signatures": [str(s) for s in self.scores.signatures],
            "notes": list(self.notes),
        }

    def tables(self) -> dict[str, Table]:
        """Means, agreement, power, swap rates, claims, and the published numbers."""
        made = {"means": self._mean_table(), "data": self._count_table()}
        columns: list[Column | str] = ["set", "measure", "normalised", Column("τ", digits=3)]
        columns += [Column("conflicts"), Column("comparisons")]
        rows: list[tuple[Any, ...]] = [
            (r["set"], r["first"], r["second"], r["tau"], r["conflicts"], r["comparisons"])
            for r in self.agreement_rows()
        ]
        made["agreement"] = Table.of(columns, rows, title="Does normalising change the answer?")
        columns = ["set", "measure", Column("queries"), Column("comparisons")]
        columns += [Column("significant"), Column("PAD", digits=2)]
        rows = [
            (r["set"], r["family"], r["items"], r["pairs"], r["significant"], r["pad"])
            for r in self.power_rows()
        ]
        d = next(iter(self.discrimination.values()))
        note = (
            f"{d.test} test, α = {d.alpha:g}, {d.draws:,} draws, seed {d.seed}, no correction; PAD is "
            "100·|a₁ − a₂|/max(|a₁|, |a₂|) of means over cutoffs, averaged over pairs. Uninformative "
            "and ideal queries are those of nDCG@k for measures of DCG, of AP@k for measures of SP."
        )
        made["power"] = Table.of(
            columns, rows, title="How many pairs of rankers differ significantly?", notes=[note]
        )
        columns = [
            "between",
            "measure",
            Column("queries"),
            Column("and"),
            Column("swaps"),
            Column("swap rate", digits=3),
        ]
        columns += [Column("τ", digits=3), Column("low", digits=3), Column("high", digits=3)]
        keys = (
            *("between", "measure", "items_first", "items_second", "swaps", "swap_rate"),
            *("coefficient", "low", "high"),
        )
        rows = [tuple(r[k] for k in keys) for r in self.swap_rows()]
        made["swaps"] = Table.of(columns, rows, title="Does it order rankers alike on other data?")
        claims = self.claim_rows()
        names = ("claim", "measure", "baseline", "found", "low", "high", "verdict")
        rows = [tuple(r[k] for k in names) for r in claims]
        columns = [*names[:4], Column("low", digits=3), Column("high", digits=3), "verdict"]
        note = (
            f"Low, high: {100 * CONFIDENCE:g} % bootstrap interval over queries, the wider ends of the "
            "percentile and the bias-corrected one "
            f"({self.resamples.draws:,} draws, seed {self.resamples.seed}) of the difference that the "
            "claim is about (the measure minus its original; uninformative minus ideal for conflicts), "
            "or of τ. A claim is not decided where the interval has values on both sides of it. "
            "Resampled significance is that of a paired t test."
        )
        made["claims"] = Table.of(
            columns, rows, title="Claims of Feng and Karmaker 2023", notes=[note]
        )
        if self.published:
            made["published"] = published_table(self)
            made["differences"] = difference_table(self)
        return made

    def _mean_table(self) -> Table:
        columns: list[Column | str] = ["measure", "system"]
        columns += [Column(f"@{k}", digits=3) for k in self.cutoffs]
        cells: dict[tuple[str, str], dict[int, float]] = {}
        for row in self.mean_rows():
            cells.setdefault((row["measure"], row["system"]), {})[row["cutoff"]] = row["mean"]
        rows: list[tuple[Any, ...]] = [
            (*key, *(found.get(k, math.nan) for k in self.cutoffs)) for key, found in cells.items()
        ]
        notes = [
            f"{self.name}: means over {len(self.items):,} of {len(self.scores.items):,} test "
            "queries; the others have no relevant document.",
            *self.notes,
        ]
        return Table.of(columns, rows, title="Means", notes=notes)

    def _count_table(self) -> Table:
        names = list(self.counts[0])
        columns: list[Column | str] = [*names[:2]]
        columns += [Column(n.replace("_", " "), digits=1) for n in names[2:]]
        rows = [tuple(row.values()) for row in self.counts]
        return Table.of(columns, rows, title="Data")
