"""The result of the learning-to-rank study."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from tare._measures.scores import Scores
from tare._result import MultiTableResult, Row, Rows
from tare._tables import Table
from tare.chance._kinds_of_queries import Kinds
from tare.studies._consistency.result import Consistency
from tare.studies._discrimination.result import Discrimination
from tare.studies._letor.claims import VERDICTS, claim_rows
from tare.studies._letor.measures import StudiedMeasure
from tare.studies._letor.published import (
    difference_rows,
    published_rows,
)
from tare.studies._letor.resamples import Resamples
from tare.studies._letor.tables import letor_tables

__all__ = ["LetorStudy"]


@dataclass(frozen=True, eq=False, repr=False)
class LetorStudy(MultiTableResult):
    """Scores of rankers, and how reliable each measure is.

    Attributes
    ----------
    name : str
        The name of the data.
    scores : Scores
        The scores of all test queries.
    kinds, sets, discrimination : dict
        By case study (nDCG, MAP): the kinds of queries, the sets of queries, and the discriminative
        power on these sets.
    families : tuple of StudiedMeasure
        The measures of both case studies.
    cutoffs : tuple of int
        The cutoffs.
    swaps : dict of str to Consistency
        Swap rates by comparison of two sets of queries or documents.
    chances, counts : list of dict
        The expected value of each query, and counts that describe the data.
    resamples : Resamples
        Bootstrap resamples, behind the verdicts on claims.
    published : str or None
        The data set whose published numbers are shown.
    options : dict
        Digests of the data, and the options.
    notes : tuple of str
        Remarks on the data.

    Examples
    --------
    >>> import random, tempfile
    >>> from pathlib import Path
    >>> import tare
    >>> draw = random.Random(1).random
    >>> lines = [
    ...     f"{grade} qid:{query} 1:{grade + 3 * draw():.3f} 2:{draw():.3f}\\n"
    ...     for query in range(20) for grade in (0, 0, 0, 1, 2)
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train, test = Path(folder) / "train.txt", Path(folder) / "test.txt"
    ...     _ = train.write_text("".join(lines[:50])), test.write_text("".join(lines[50:]))
    ...     options = {"rankers": ["rankboost", "listnet"], "cutoffs": [3, 5], "draws": 100}
    ...     found = tare.studies.letor(train, test, **options)
    >>> found.cutoffs, list(found.discrimination)
    ((3, 5), ['nDCG', 'MAP'])
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.letor"

    name: str
    scores: Scores
    kinds: dict[str, Kinds]
    sets: dict[str, dict[str, tuple[str, ...]]]
    families: tuple[StudiedMeasure, ...]
    cutoffs: tuple[int, ...]
    discrimination: dict[str, Discrimination]
    swaps: dict[str, Consistency]
    chances: Rows
    counts: Rows
    resamples: Resamples
    published: str | None = None
    options: dict[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def items(self) -> tuple[str, ...]:
        """The test queries with a relevant document."""
        return self.sets["nDCG"]["all"]

    def mean_rows(self) -> Rows:
        """Return one dictionary per system, measure and cutoff, with means over two sets of queries.

        `mean` is over the queries with a relevant document. `counted` is over all queries; as in
        RankLib, a query without a relevant document counts as 0.
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
        """Return τ and conflicts of each normalised measure with its original, by set of queries."""
        pairs = {(f.original, f.label) for f in self.families if f.original}
        made = []
        for found in self.discrimination.values():
            for row in found.conflict_rows():
                first, second = self._labels[row["first"]], self._labels[row["second"]]
                if (first, second) in pairs:
                    made.append({**row, "first": first, "second": second})
        return made

    def power_rows(self) -> Rows:
        """Return significant pairs and PAD of each measure, by set of queries."""
        return [
            {**row, "family": self._labels[row["family"]]}
            for found in self.discrimination.values()
            for row in found.family_rows()
        ]

    def swap_rows(self) -> Rows:
        """Return the swap rates of each measure, by comparison."""
        return [
            {"between": what, **row, "measure": self._labels[row["measure"]]}
            for what, found in self.swaps.items()
            for row in found.measure_rows()
        ]

    def query_rows(self) -> Rows:
        """Return the mean score, the expected value and the kind of each query, by case study."""
        return [
            {"case": case, **row}
            for case, found in self.kinds.items()
            for row in found.to_frame().to_dicts()
        ]

    def headlines(self) -> list[str]:
        """Return one sentence per normalised measure: agreement, power and claims."""
        rows = self.claim_rows()
        agreement = {(r["second"], r["set"]): r for r in self.agreement_rows()}
        power = {(r["family"], r["set"]): r for r in self.power_rows()}
        made = []
        for family in self.families:
            if family.original is None:
                continue
            own = [r for r in rows if r["measure"] == family.label]
            held, failed, undecided = (sum(r["verdict"] == v for r in own) for v in VERDICTS)
            one, other = power[family.label, "all"], power[family.original, "all"]
            made.append(
                f"{family.label} and {family.original} rank the rankers with "
                f"τ = {agreement[family.label, 'all']['tau']:.3f}. {family.label} finds "
                f"{one['significant']} of {one['pairs']} comparisons significant, {family.original} "
                f"{other['significant']}. Of {len(own)} published claims, {held} hold, {failed} do "
                f"not hold, and {undecided} are not decided."
            )
        return made

    def claim_rows(self) -> Rows:
        """Return the claims of Feng and Karmaker (2023) with a verdict on these data."""
        return claim_rows(self)

    def published_rows(self) -> Rows:
        """Return published and measured numbers, where both exist."""
        return published_rows(self)

    def difference_rows(self) -> Rows:
        """Return the differences between measured and published means, by published table."""
        return difference_rows(self.published_rows())

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows by name; `queries` and `chances` are for figures."""
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

    def facts(self) -> Row:
        """Return the data, options, set sizes, signatures and notes."""
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
        """Return means, data, agreement, power, swap rates, claims, and published numbers."""
        return letor_tables(self)
