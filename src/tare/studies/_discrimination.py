"""The study of discriminative power: significant pairs, ASL curves, conflicts and distances.

Sakai (2006), Evaluating evaluation metrics based on the bootstrap; Feng and Karmaker (2023).
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from tare._decide.families import adjusted_p
from tare._decide.journal import Journal, digest
from tare._decide.pairs import pairs_of
from tare._kernels.statistics import correlations
from tare._measures.one_system import opened_engine
from tare._measures.saved_scores import ScoreSource, scores_of
from tare._result import MultiTableResult, Row, RowsByName
from tare._signature import Signature
from tare._tables import Column, Table
from tare.chance._kinds_of_queries import Kinds
from tare.errors import MismatchError, OptionError, choose
from tare.stats._corrections import CORRECTIONS
from tare.stats._draws import Drawing
from tare.stats._flips import least_units
from tare.stats._named_tests import TESTS, TestOptions, run_test
from tare.stats._paired_differences import DIGITS, Pairs, rounded
from tare.stats._randomisation import DRAWS, check_draws
from tare.studies._consistency import item_sets
from tare.studies._cutoffs import by_family, family_of

__all__ = [
    "Discrimination",
    "Tested",
    "corrected",
    "discrimination",
    "percentage_distance",
    "tables_of",
]


# The tables of the study of discriminative power.


def corrected(found: Discrimination) -> str:
    """Return what the p-values are corrected for."""
    if TESTS[found.test].family_wise:
        return "for all pairs of systems of one measure and set of items together"
    if found.correction == "none":
        return "each pair of systems on its own, without a correction"
    return (
        f"correction {found.correction} over the pairs of systems of one measure and set of items"
    )


def tables_of(found: Discrimination) -> dict[str, Table]:
    """Return the tables of discriminative power: of families, of measures at each cutoff, and of conflicts."""
    rows = found.family_rows()
    numbers = ("cutoffs", "items", "pairs", "significant", "power")
    columns: list[Column | str] = ["set", Column("measure", align="left", of="family")]
    columns += map(Column, numbers)
    columns += [Column("PAD", 2, of="pad"), Column("PAD as published", 2, of="pad_published")]
    notes = [
        f"Significant: test {found.test}, {corrected(found)}, α = {found.alpha:g}, "
        f"{len(found.systems)} systems, {found.draws:,} draws, seed {found.seed}. Power: the share "
        "of significant pairs over all cutoffs. It shows sensitivity, not validity. Whether measures differ "
        "in it was not tested.",
        "PAD: 100·|a₁ − a₂|/max(|a₁|, |a₂|), where a is the mean over cutoffs. The published PAD "
        "is divided by max(a₁, a₂), which is misleading if means are not positive.",
        *found.notes,
    ]
    undefined = sum(row["pad_undefined"] for row in rows)
    if undefined:
        notes.append(f"PAD is undefined for {undefined:,} pairs in which both means are 0.")
    made = {
        "families": Table.of_rows(
            columns, rows, title="Discriminative power by measure", notes=notes
        )
    }
    if any(len(measures) > 1 for measures in found.families.values()):
        columns = ["set", "measure", *map(Column, ("items", "pairs", "significant", "power"))]
        made["measures"] = Table.of_rows(
            columns, found.measure_rows(), title="Discriminative power by measure and cutoff"
        )
    conflicts = found.conflict_rows()
    if conflicts:
        names = [name.replace("_", " ") for name in conflicts[0]]
        columns = [*names[:3], *map(Column, names[3:])]
        note = (
            "Number of comparisons (pairs × cutoffs) that are significant by both measures, by only "
            "one, or by neither. Conflicts: significant by only one. Opposite: significant by both, "
            "with opposite signs. τ: τ-b of the system means over cutoffs."
        )
        made["conflicts"] = Table.of_rows(
            columns,
            conflicts,
            title="Significance conflicts between measures",
            notes=[note],
        )
    return made


# The tests of one measure on one set of items, and the distance between means of systems.


Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tested:
    """One measure on one set of items: the p-value of each pair of systems, NaN if it was not tested."""

    set: str
    measure: str
    pairs: Pairs
    p: Floats
    adjusted: Floats

    def means(self) -> Floats:
        """Return the mean of each system by the tested measure over its scored items; NaN if it has none."""
        values = self.pairs.scores
        counts = (~np.isnan(values)).sum(axis=1)
        total = np.nansum(values, axis=1)
        made: Floats = np.divide(total, counts, out=np.full(len(total), np.nan), where=counts > 0)
        return made


def percentage_distance(means: Floats, *, published: bool = False) -> tuple[float, int]:
    """Return the PAD of a measure, the mean percentage distance of systems, and the number of pairs for which it is undefined.

    PAD, the percentage absolute distance, is the mean over pairs of 100·|a₁ − a₂| / max(|a₁|, |a₂|).
    If `published`, divide by max(a₁, a₂) as Feng and Karmaker (2023, eq. 8): the result is negative
    if both means are negative, and above 100 if one is.

    >>> percentage_distance(np.array([0.2, 0.4])), percentage_distance(np.array([-0.1, -0.2]), published=True)
    ((50.0, 0), (-100.0, 0))
    """
    a, b = np.triu_indices(len(means), 1)
    first, second = means[a], means[b]
    below = np.maximum(first, second) if published else np.maximum(abs(first), abs(second))
    known = (below != 0) & ~np.isnan(below)
    if not known.any():
        return float("nan"), len(a)
    shares = 100 * np.abs(first - second)[known] / below[known]
    return float(shares.mean()), int((~known).sum())


# The result of the study of discriminative power.


class MeasurePower(TypedDict):
    """The pairs of systems that one measure finds significantly different on one set of items."""

    set: str
    family: str
    cutoff: float | None
    measure: str
    items: int
    pairs: int
    significant: int
    power: float


class FamilyPower(TypedDict):
    """Significant pairs over all cutoffs of a family of measures, with PAD: the mean percentage distance of systems."""

    set: str
    family: str
    cutoffs: int
    items: int
    pairs: int
    significant: int
    power: float
    pad: float
    pad_published: float
    pad_undefined: int


class LevelOfPair(TypedDict):
    """One point of an ASL curve: the p-value of a pair of systems, and its place among those of the measure."""

    set: str
    measure: str
    place: int
    asl: float
    system: str
    against: str


class Conflicts(TypedDict):
    """Comparisons of systems by two measures: significant by both, one or neither, and with opposite signs."""

    set: str
    first: str
    second: str
    comparisons: int
    both: int
    only_first: int
    only_second: int
    neither: int
    conflicts: int
    opposite: int
    tau: float


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

    def measure_rows(self) -> list[MeasurePower]:
        """Return one dictionary per set and measure: pairs, significant pairs, and their share."""
        made: list[MeasurePower] = []
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

    def family_rows(self) -> list[FamilyPower]:
        """Return one dictionary per set and family: significant pairs over all cutoffs, and PAD."""
        made: list[FamilyPower] = []
        rows = self.measure_rows()
        for name, family in itertools.product(self.sets, self.families):
            own = [r for r in rows if r["set"] == name and r["family"] == family]
            pairs = sum(r["pairs"] for r in own)
            found = sum(r["significant"] for r in own)
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

    def curve_rows(self) -> list[LevelOfPair]:
        """Return the ASL curves: achieved significance levels of each measure, largest first."""
        made: list[LevelOfPair] = []
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

    def conflict_rows(self) -> list[Conflicts]:
        """Return conflicts between each two families over all cutoffs, and τ-b of their rankings."""
        made: list[Conflicts] = []
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

    def all_rows(self) -> RowsByName:
        """Return the rows by name: families, measures, conflicts, curves."""
        return {
            "families": self.family_rows(),
            "measures": self.measure_rows(),
            "conflicts": self.conflict_rows(),
            "curves": self.curve_rows(),
        }

    def headlines(self) -> list[str]:
        """Return the measure with the most significant pairs, and the two that disagree most."""
        rows = [r for r in self.family_rows() if not math.isnan(r["power"])]
        if not rows:
            return []
        best = max(rows, key=lambda r: r["power"])
        where = f" on {best['set']} queries" if len({r["set"] for r in rows}) > 1 else ""
        sentences = [
            f"{best['family']} finds {best['significant']:,} of {best['pairs']:,} pairs of systems "
            f"significantly different{where} (test: {self.test}, {corrected(self)}, α = {self.alpha:g})"
            + (
                f", the largest share of {len(rows):,}. Whether measures differ in this was not tested."
                if len(rows) > 1
                else "."
            )
        ]
        conflicts = [r for r in self.conflict_rows() if r["comparisons"]]
        if conflicts:
            most = max(conflicts, key=lambda r: r["conflicts"] / r["comparisons"])
            sentences.append(
                f"{most['first']} and {most['second']}{' disagree most' if len(conflicts) > 1 else ''}: "
                f"{most['conflicts']:,} of {most['comparisons']:,} comparisons are significant by only one of "
                f"them, and {most['opposite']:,} are significant in opposite directions."
            )
        return sentences

    def answer(self) -> str:
        """Return the measure that finds most pairs of systems significantly different."""
        return next(iter(self.headlines()), "No pair of systems could be tested by any measure.")

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
    """Return pairs of measures of two families with the same cutoff, to count their conflicts."""
    there = {family_of(m)[1]: m for m in second}
    found = [(m, there[family_of(m)[1]]) for m in first if family_of(m)[1] in there]
    # Two measures with one cutoff each are compared even if the cutoffs differ.
    return found or ([(first[0], second[0])] if len(first) == len(second) == 1 else [])


RESAMPLING = ("bootstrap", "hybrid", "hybrid-t", "hybrid-w")  # few items have few resamples


def discrimination(
    scores: ScoreSource,
    *,
    sets: Mapping[str, Sequence[str]] | Kinds | None = None,
    by: str | None = None,
    test: str = "bootstrap",
    correction: str = "none",
    alpha: float = 0.05,
    draws: int = DRAWS,
    seed: int = 0,
    digits: int = DIGITS,
    threads: int = 0,
    engine: str | Drawing | None = None,
    progress: Callable[[str], None] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> Discrimination:
    """Count the pairs of systems that each measure finds significantly different.

    Discriminative power shows how sensitive a measure is, not whether it is valid (Sakai 2006).

    Parameters
    ----------
    scores : Scores, path or data frame
        The score table.
    sets : mapping of str to items, or Kinds, optional
        Also test on these sets of items: {name: items}, or the result of `tare.chance.kinds`.
    by : str, optional
        Also test on the sets of items that share a value of this attribute.
    test, correction : str
        The test and the correction for multiple comparisons, as in `tare.compare`. By default
        Sakai's studentised bootstrap test without a correction, as is usual in such studies. Choose
        "tukey-randomised" or a correction to control the family-wise error rate.
    alpha : float
        Significance level.
    draws : int
        Draws of the test.
    seed : int
        Seed of random draws.
    digits : int
        Digits after the point to which scores are rounded before they are compared.
    threads : int
        Number of threads; 0 uses all cores.
    engine : str or engine, optional
        Where random draws are made: "local", "ray" or an engine of `tare.engines`. The numbers are the
        same.
    progress : callable, optional
        Called with a short description of each step.
    journal : path, optional
        A file of finished steps, from which an interrupted study continues.

    Returns
    -------
    Discrimination
        Discriminative power by measure and set, ASL curves, conflicts and distances.

    Raises
    ------
    OptionError
        If the test, the correction or their combination is not possible.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, ["nDCG@10", "P@10"])
    >>> found = discrimination(scores, test="t")
    >>> [(row["family"], row["pairs"]) for row in found.rows()]
    [('nDCG', 10), ('P', 10)]
    """
    given = scores_of(scores)
    choose("test", test, tuple(TESTS))
    choose("correction", correction, (*CORRECTIONS, "max-t"))
    check_draws(draws, seed)
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha} is not valid. It must lie between 0 and 1.")
    if TESTS[test].family_wise and correction != "none":
        raise OptionError(
            f"test={test!r} already controls the family-wise error rate. Remove "
            f"correction={correction!r}."
        )
    if correction == "max-t" and not TESTS[test].by_largest:
        raise OptionError(
            f"correction='max-t' needs test='permutation' or 'bootstrap', not {test!r}."
        )
    if not given.measures:
        raise MismatchError("the score table has no measures, so there is nothing to compare.")
    chosen, notes = item_sets(given, sets, by)
    with opened_engine(engine) as place:
        options = TestOptions(
            draws, seed, alpha, largest=correction == "max-t", threads=threads, engine=place
        )
        about = {
            "study": "discrimination",
            "data": digest(given, chosen),
            "options": f"{test} {correction} {alpha} {draws} {seed} {digits}",
        }
        record = Journal(journal, about)
        tested: list[Tested] = []
        for name, items in chosen.items():
            if test in RESAMPLING and len(items) < least_units(alpha):
                notes.append(
                    f"{name}: no pair was tested. {len(items)} items are too few for the {test} test, which "
                    f"needs {least_units(alpha)}; test='t' assumes normal differences instead."
                )
            part = given.select(items=items)
            for measure in given.measure_names:
                if progress is not None:
                    progress(f"{name}: {measure}")
                pairs = pairs_of(part, measure=measure, digits=digits)
                found = record.step(
                    f"{name}\t{measure}",
                    lambda pairs=pairs: _p_values(pairs, test, correction, options),  # type: ignore[misc]
                )
                p, adjusted = (np.array(x, dtype=np.float64) for x in found)
                tested.append(Tested(name, measure, pairs, p, adjusted))
    return Discrimination(
        given.systems,
        chosen,
        tuple(tested),
        test,
        correction,
        alpha,
        draws,
        seed,
        given.signatures,
        tuple(notes),
    )


def _p_values(
    pairs: Pairs, test: str, correction: str, options: TestOptions
) -> tuple[list[float], list[float]]:
    """Return p-values and adjusted p-values of pairs of systems for one measure; NaN if two share too few items."""
    keep = pairs.n >= (least_units(options.alpha) if test in RESAMPLING else 2)
    p, adjusted = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    if keep.any():
        result = run_test(pairs.take(keep), test, options)
        p[keep], adjusted[keep] = result.p, adjusted_p(result, correction)
    return p.tolist(), adjusted.tolist()
