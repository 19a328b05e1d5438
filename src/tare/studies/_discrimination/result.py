"""The result of the study of discriminative power."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import correlations
from tare._result import MultiTableResult, Row, Rows
from tare._signature import Signature
from tare._tables import Table
from tare.stats._paired_differences import rounded
from tare.studies._cutoffs import by_family, family_of
from tare.studies._discrimination.tables import tables_of
from tare.studies._discrimination.tested import Tested, percentage_distance

__all__ = ["Discrimination"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Discrimination(MultiTableResult):
    """Discriminative power of each measure on each set of items.

    A family is a measure at all its cutoffs: nDCG@5 and nDCG@10 are the family nDCG.

    Attributes
    ----------
    systems : tuple of str
        The systems.
    sets : dict of str to tuple of str
        The items of each set; "all" is the first.
    tested : tuple of Tested
        The p-values by set and measure.
    test, correction : str
        The test and the correction for multiple comparisons.
    alpha : float
        Significance level.
    draws, seed : int
        Draws of the test, and their seed.
    signatures : tuple of Signature
        The signatures of the scores.
    notes : tuple of str
        Remarks on the data.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, ["nDCG@10"])
    >>> found = tare.studies.discrimination(scores, test="t")
    >>> int(found.significant("nDCG@10").sum()), len(found.significant("nDCG@10"))
    (8, 10)
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.discrimination"

    systems: tuple[str, ...]
    sets: dict[str, tuple[str, ...]]
    tested: tuple[Tested, ...]
    test: str
    correction: str
    alpha: float
    draws: int
    seed: int
    signatures: tuple[Signature, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def _by(self) -> dict[tuple[str, str], Tested]:
        return {(t.set, t.measure): t for t in self.tested}

    @cached_property
    def families(self) -> dict[str, list[str]]:
        """The measures of each family."""
        return by_family(tuple(dict.fromkeys(t.measure for t in self.tested)))

    def tested_on(self, measure: str, set: str = "all") -> Tested:
        """Return the test of one measure on one set of items.

        Parameters
        ----------
        measure : str
            The measure, as in `tested`.
        set : str
            The set of items.

        Returns
        -------
        Tested
            The p-values of all pairs of systems.
        """
        return self._by[set, measure]

    def significant(self, measure: str, set: str = "all") -> NDArray[np.bool_]:
        """Return which pairs of systems differ significantly by one measure on one set.

        Parameters
        ----------
        measure : str
            The measure, as in `tested`.
        set : str
            The set of items.

        Returns
        -------
        numpy.ndarray of bool
            One value per pair, in the order of pairs.
        """
        found: NDArray[np.bool_] = self._by[set, measure].adjusted <= self.alpha * (1 + 1e-9)
        return found

    def family_means(self, family: str, set: str = "all") -> Floats:
        """Return the mean of each system over the cutoffs of a family.

        Parameters
        ----------
        family : str
            The family, as in `families`.
        set : str
            The set of items.

        Returns
        -------
        numpy.ndarray of float
            One mean per system.
        """
        means = [self._by[set, m].means() for m in self.families[family]]
        return np.asarray(np.mean(means, axis=0), dtype=np.float64)

    def measure_rows(self) -> Rows:
        """Return one dictionary per set and measure: pairs, significant pairs, and their share."""
        made = []
        for t in self.tested:
            pairs = int((~np.isnan(t.p)).sum())
            found = int((t.adjusted <= self.alpha * (1 + 1e-9)).sum())
            family, cutoff = family_of(t.measure)
            made.append(
                {
                    "set": t.set,
                    "family": family,
                    "cutoff": cutoff,
                    "measure": t.measure,
                    "items": len(self.sets[t.set]),
                    "pairs": pairs,
                    "significant": found,
                    "power": found / pairs if pairs else float("nan"),
                }
            )
        return made

    def family_rows(self) -> Rows:
        """Return one dictionary per set and family: significant pairs over all cutoffs, and PAD."""
        made = []
        rows = self.measure_rows()
        for name, family in itertools.product(self.sets, self.families):
            own = [r for r in rows if r["set"] == name and r["family"] == family]
            pairs, found = (sum(r[key] for r in own) for key in ("pairs", "significant"))
            means = self.family_means(family, name)
            distance, undefined = percentage_distance(means)
            made.append(
                {
                    "set": name,
                    "family": family,
                    "cutoffs": len(own),
                    "items": len(self.sets[name]),
                    "pairs": pairs,
                    "significant": found,
                    "power": found / pairs if pairs else float("nan"),
                    "pad": distance,
                    "pad_published": percentage_distance(means, published=True)[0],
                    "pad_undefined": undefined,
                }
            )
        return made

    def curve_rows(self) -> Rows:
        """Return the ASL curves: achieved significance levels of each measure, largest first."""
        made = []
        for t in self.tested:
            order = np.argsort(-np.nan_to_num(t.p, nan=-1.0), kind="stable")
            for place, k in enumerate(order[: int((~np.isnan(t.p)).sum())]):
                first, second = t.pairs.name(int(k))
                made.append(
                    {
                        "set": t.set,
                        "measure": t.measure,
                        "place": place + 1,
                        "asl": float(t.p[k]),
                        "system": first,
                        "against": second,
                    }
                )
        return made

    def conflict_rows(self) -> Rows:
        """Return conflicts between each two families over all cutoffs, and τ-b of their rankings."""
        made = []
        for name, (first, second) in itertools.product(
            self.sets, itertools.combinations(self.families, 2)
        ):
            measures = _at_same_cutoffs(self.families[first], self.families[second])
            if not measures:
                continue
            counts = np.zeros(5, dtype=np.int64)
            for m, n in measures:
                counts += self._four_ways(name, m, n)
            both, only_first, only_second, neither, opposite = counts.tolist()
            one, other = (rounded(self.family_means(f, name))[None, :] for f in (first, second))
            tau = float(correlations(one, other, "tau_b")[0])
            made.append(
                {
                    "set": name,
                    "first": first,
                    "second": second,
                    "comparisons": both + only_first + only_second + neither,
                    "both": both,
                    "only_first": only_first,
                    "only_second": only_second,
                    "neither": neither,
                    "conflicts": only_first + only_second,
                    "opposite": opposite,
                    "tau": tau,
                }
            )
        return made

    def _four_ways(self, name: str, first: str, second: str) -> NDArray[np.int64]:
        """Count pairs that both, one or neither find significant, and those with opposite signs."""
        one, other = self._by[name, first], self._by[name, second]
        known = ~np.isnan(one.p) & ~np.isnan(other.p)
        a, b = ((t.adjusted <= self.alpha * (1 + 1e-9))[known] for t in (one, other))
        opposite = (np.sign(one.pairs.means) != np.sign(other.pairs.means))[known]
        return np.array(
            [
                (a & b).sum(),
                (a & ~b).sum(),
                (~a & b).sum(),
                (~a & ~b).sum(),
                (a & b & opposite).sum(),
            ]
        )

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows by name: families, measures, conflicts, curves."""
        return {
            "families": self.family_rows(),
            "measures": self.measure_rows(),
            "conflicts": self.conflict_rows(),
            "curves": self.curve_rows(),
        }

    def facts(self) -> Row:
        """Return test, correction, significance level, draws, seed, signatures and notes."""
        return {
            "test": self.test,
            "correction": self.correction,
            "alpha": self.alpha,
            "draws": self.draws,
            "seed": self.seed,
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def tables(self) -> dict[str, Table]:
        """Return the tables of families, of measures at each cutoff, and of conflicts."""
        return tables_of(self)


def _at_same_cutoffs(first: list[str], second: list[str]) -> list[tuple[str, str]]:
    """Return pairs of measures of two families with the same cutoff."""
    there = {family_of(m)[1]: m for m in second}
    found = [(m, there[family_of(m)[1]]) for m in first if family_of(m)[1] in there]
    # Two measures with one cutoff each are compared even if the cutoffs differ.
    return found or ([(first[0], second[0])] if len(first) == len(second) == 1 else [])
