"""The answers of the study of rankers: means, agreement, power, swaps, beside what was published."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tare.chance.kinds import Kinds
from tare.measures.scores import Scores
from tare.studies.answers import Answers, Rows
from tare.studies.consistency_answers import Consistency
from tare.studies.discrimination_answers import Discrimination
from tare.studies.letor_claims import claim_rows
from tare.studies.letor_measures import PUBLISHED_NAMES, Family
from tare.studies.published import fk23
from tare.tables import Column, Table

__all__ = ["LetorStudy"]


@dataclass(frozen=True, eq=False, repr=False)
class LetorStudy(Answers):
    """Rankers, what each measure says of them, and how far the measures can be relied on.

    `scores` holds all queries of the test parts; `sets` the kinds of queries that have a relevant
    document. `swaps` has an answer for each two sets of queries or documents that were compared.
    """

    name: str
    scores: Scores
    kinds: Kinds
    sets: dict[str, tuple[str, ...]]
    families: tuple[Family, ...]
    cutoffs: tuple[int, ...]
    discrimination: Discrimination
    swaps: dict[str, Consistency]
    chances: Rows
    published: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def mean_rows(self) -> Rows:
        """One dictionary a system, measure and cutoff: means over two sets of queries.

        `mean` is over the queries with a relevant document, `counted` over all, where a query without
        one counts as 0, as in RankLib.
        """
        inside = self.scores.select(items=self.kinds.items)
        made = []
        plain = [m for m in self.scores.measures if m not in self._places]
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
        for row in self.discrimination.conflict_rows():
            first, second = self._labels[row["first"]], self._labels[row["second"]]
            if (first, second) in pairs:
                made.append({**row, "first": first, "second": second})
        return made

    def power_rows(self) -> Rows:
        """Significant pairs and PAD of each measure, set by set."""
        return [
            {**row, "family": self._labels[row["family"]]}
            for row in self.discrimination.family_rows()
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
        rows: Rows = self.kinds.to_frame().to_dicts()
        return rows

    def headlines(self) -> tuple[str, ...]:
        """What was found, in a few sentences."""
        rows = self.claim_rows()
        agreement = {(r["second"], r["set"]): r for r in self.agreement_rows()}
        power = {(r["family"], r["set"]): r for r in self.power_rows()}
        made = []
        for family in self.families:
            if family.original is None:
                continue
            own = [r for r in rows if r["measure"] == family.label]
            held = sum(r["holds"] for r in own)
            one, other = power[family.label, "all"], power[family.original, "all"]
            made.append(
                f"{family.label} orders the rankers as {family.original} does with "
                f"τ = {agreement[family.label, 'all']['tau']:.3f} and tells {one['significant']} of "
                f"{one['pairs']} comparisons apart where {family.original} tells "
                f"{other['significant']}; {held} of {len(own)} claims of the article hold."
            )
        return tuple(made)

    def claim_rows(self) -> Rows:
        """Which claims of Feng and Karmaker hold on these data."""
        return claim_rows(self)

    def published_rows(self) -> Rows:
        """The numbers of the article beside those measured here, where both exist."""
        if self.published is None:
            return []
        measured = self._measured()
        made = []
        for p in fk23():
            if p.dataset != self.published:
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

    def _measured(self) -> dict[tuple[str, str, str, str], tuple[float, float | None]]:
        """Numbers by what the article calls them; means also with empty queries counted as 0."""
        found: dict[tuple[str, str, str, str], tuple[float, float | None]] = {}
        every = "-".join(str(k) for k in (self.cutoffs[0], self.cutoffs[-1]))
        for row in self.mean_rows():
            for name in PUBLISHED_NAMES.get(row["measure"], ()):
                found[row["system"], "all", str(row["cutoff"]), name] = (
                    row["mean"],
                    row["counted"],
                )
        for row in self.agreement_rows():
            for one in PUBLISHED_NAMES.get(row["first"], ()):
                for other in PUBLISHED_NAMES.get(row["second"], ()):
                    key = (f"{one} vs {other}", row["set"], every)
                    found[(*key, "kendall")] = (row["tau"], None)
                    found[(*key, "conflicts of 140")] = (float(row["conflicts"]), None)
        for row in self.power_rows():
            for name in PUBLISHED_NAMES.get(row["family"], ()):
                found[name, row["set"], every, "significant of 140"] = (
                    float(row["significant"]),
                    None,
                )
                found[name, row["set"], every, "PAD %"] = (row["pad"], None)
        for row in self.swap_rows():
            for name in PUBLISHED_NAMES.get(row["measure"], ()):
                if row["swap_rate"] is not None:
                    found[name, row["between"], every, "swap rate"] = (row["swap_rate"], None)
        return found

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
        }
        return made | ({"published": self.published_rows()} if self.published else {})

    def facts(self) -> dict[str, Any]:
        """Data, options, sets, signatures."""
        return {
            "name": self.name,
            "options": self.options,
            "sets": {name: len(items) for name, items in self.sets.items()},
            "signatures": [str(s) for s in self.scores.signatures],
            "notes": list(self.notes),
        }

    def tables(self) -> dict[str, Table]:
        """Means, agreement, power, swap rates, claims, and the published numbers."""
        made = {"means": self._mean_table()}
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
        d = self.discrimination
        note = (
            f"{d.test} test, α = {d.alpha:g}, {d.draws:,} draws, seed {d.seed}, no correction; PAD is "
            "100·|a₁ − a₂|/max(|a₁|, |a₂|) of means over cutoffs, averaged over pairs."
        )
        made["power"] = Table.of(
            columns, rows, title="Which measure tells rankers apart?", notes=[note]
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
        rows = [(r["claim"], r["measure"], r["baseline"], r["found"], r["holds"]) for r in claims]
        made["claims"] = Table.of(
            ["claim", "measure", "baseline", "found", "holds"], rows,
            title="Claims of Feng and Karmaker 2023",
        )  # fmt: skip
        if self.published:
            made["published"] = self._published_table()
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
            f"{self.name}: means over {len(self.kinds.items):,} of {len(self.scores.items):,} test "
            "queries; the others have no relevant document.",
            *self.notes,
        ]
        return Table.of(columns, rows, title="Means", notes=notes)

    def _published_table(self) -> Table:
        columns: list[Column | str] = [
            Column("printed table"),
            "system or measure",
            "set",
            "cutoff",
            "of",
        ]
        columns += [Column(c, digits=3) for c in ("published", "measured", "empty as 0")]
        rows = [tuple(row.values()) for row in self.published_rows()]
        note = (
            "Published by Feng and Karmaker 2023. Measured means are over queries with a relevant "
            "document; the last column counts the others as 0, as RankLib does."
        )
        return Table.of(columns, rows, title=f"Beside the published {self.published}", notes=[note])
