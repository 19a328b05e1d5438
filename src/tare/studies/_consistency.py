"""The study of consistency: swap rates and rank correlations between sets of items, kinds of queries and halves of the documents."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from tare._data.pools import Pool, Pools
from tare._data.qrels import Qrels, read_qrels
from tare._data.runs import Run, read_run, read_runs
from tare._decide.journal import Journal, digest
from tare._decide.pairs import matrix_of, pairs_of
from tare._kernels import bootstrap_means, stream_ids
from tare._kernels.threads_and_blocks import seams
from tare._measures.defaults import MAIN_MEASURES
from tare._measures.evaluate_rankings import evaluate
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare._measures.one_system import opened_engine
from tare._measures.saved_scores import ScoreSource, scores_of
from tare._measures.scores import Scores
from tare._result import MultiTableResult, Row, RowsByName
from tare._signature import Signature
from tare._tables import Column, Table
from tare.chance._kinds_of_queries import Kinds, broad_and_focused, halves, kinds
from tare.errors import MismatchError, OptionError, choose
from tare.stats._correlation import KINDS, correlate
from tare.stats._draws import Drawing, summed
from tare.stats._paired_differences import DIGITS
from tare.stats._randomisation import check_draws
from tare.studies._cutoffs import by_family, family_of, over_cutoffs

if TYPE_CHECKING:
    from tare._measures.inputs import CandidatesInput, GradesInput, RunsInput

__all__ = [
    "Consistency",
    "SwapOptions",
    "Swaps",
    "compared",
    "consistency",
    "item_sets",
    "run_consistency",
    "swaps_between",
    "with_families",
]


# Sets of items on which a study is repeated, such as uninformative and ideal queries.


MIN_ITEMS = 2  # of a paired test


def item_sets(
    scores: Scores, sets: Mapping[str, Sequence[str]] | Kinds | None, by: str | None
) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Return the sets of items to be compared for consistency by name, "all" first, and notes on skipped items and sets.

    Parameters
    ----------
    scores
        The score table.
    sets
        {name: items}, or the result of `tare.chance.kinds`.
    by
        An attribute of the items; each of its values is a set.
    """
    if sets is not None and by is not None:
        raise OptionError("sets= and by= cannot be combined. Give one of them.")
    given: dict[str, Sequence[Any]] = {}
    if by is not None:
        scores.filter(by, None)  # raises an error that lists the attributes
        column = scores.attributes[by]
        for item, value in zip(scores.items, column, strict=True):
            if value is not None:
                given[str(value)] = [*given.get(str(value), []), item]
    elif sets is not None:
        given = dict(sets.sets() if isinstance(sets, Kinds) else sets)
    known = set(scores.items)
    found = {"all": tuple(scores.items)}
    notes = []
    for name, items in given.items():
        inside = tuple(dict.fromkeys(str(item) for item in items if str(item) in known))
        missing = len(set(map(str, items)) - known)
        if missing:
            notes.append(f"{name}: {missing:,} items have no scores and were skipped.")
        if len(inside) < MIN_ITEMS:
            notes.append(f"{name}: {len(inside)} items are too few; the set was skipped.")
        else:
            found[name] = inside
    if len(found["all"]) < MIN_ITEMS:
        raise MismatchError(
            f"the table has {len(scores.items)} item(s), but a study needs at least {MIN_ITEMS}."
        )
    return found, notes


# The result of the study of consistency: swap rates and rank correlations.


@dataclass(frozen=True)
class Swaps:
    """Swaps of pairs of systems by one measure between two sets of items.

    `swaps` of the `pairs` of systems are ordered differently; `tied` pairs are tied on one set only.
    `counts` and `swapped` count resampled pairs and swaps by absolute difference, in bins of `width`;
    the last bin is open. If a set is compared with itself, only the resamples are known.
    """

    first: str
    second: str
    measure: str
    systems: int
    items: tuple[int, int]
    pairs: int
    swaps: int | None
    tied: int | None
    width: float
    counts: tuple[int, ...]
    swapped: tuple[int, ...]
    coefficient: tuple[float, float | None, float | None] | None

    @property
    def rate(self) -> float | None:
        """The swap rate: the share of pairs of systems that two sets of items order differently."""
        return self.swaps / self.pairs if self.swaps is not None and self.pairs else None

    @property
    def resampled_rate(self) -> float | None:
        """The swap rate of resamples, over all differences."""
        total = sum(self.counts)
        return sum(self.swapped) / total if total else None

    def needed(self, level: float = 0.05) -> float | None:
        """Return the smallest difference of two systems from which the swap rate stays at or below `level`."""
        needed = None
        for k in reversed(range(len(self.counts))):
            if self.counts[k] == 0:
                continue
            if self.swapped[k] > level * self.counts[k]:
                break
            needed = k * self.width
        return needed

    def reached(self, level: float = 0.05) -> float | None:
        """Return the share of resampled differences of systems that are at least as large as `needed()` for few swaps."""
        needed, total = self.needed(level), sum(self.counts)
        if total == 0:
            return None
        if needed is None:
            return 0.0
        return sum(self.counts[round(needed / self.width) :]) / total


class SwapRow(TypedDict):
    """One measure on two sets of items: swaps of pairs of systems, rank correlation, and reliable differences."""

    first: str
    second: str
    measure: str
    family: str
    cutoff: float | None
    systems: int
    items_first: int
    items_second: int
    pairs: int
    swaps: int | None
    tied: int | None
    swap_rate: float | None
    coefficient: float | None
    low: float | None
    high: float | None
    resampled_rate: float | None
    needed: float | None
    reached: float | None


SwapsByDifference = TypedDict(
    "SwapsByDifference",
    {
        "first": str,
        "second": str,
        "measure": str,
        "from": float,
        "to": float | None,
        "count": int,
        "swapped": int,
        "swap_rate": float,
    },
)
"""Resampled swaps of one measure where two systems differ by at least `from` and less than `to`."""


@dataclass(frozen=True, repr=False)
class Consistency(MultiTableResult):
    """Swap rates and rank correlations of every measure between every two sets of items.

    Attributes
    ----------
    found : tuple of Swaps
        The swaps by measure and pair of sets.
    kind : {"tau_b", "tau_ap", "spearman", "pearson"}
        The rank correlation coefficient.
    level : float
        The swap rate for which the needed difference is determined.
    draws, seed : int
        Number of resamples, and their seed.
    confidence : float
        Confidence level of the intervals.
    signatures : tuple of Signature
        The signatures of the scores.
    notes : tuple of str
        Remarks on the data.
    scores : Scores or None
        The score table with the sets as attributes, if the study scored the runs.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, ["nDCG@10"])
    >>> sets = {"first half": scores.items[:10], "second half": scores.items[10:]}
    >>> found = tare.studies.consistency(scores, sets=sets, draws=100)
    >>> swaps = found.get("nDCG@10")
    >>> swaps.pairs, swaps.swaps, round(swaps.rate, 2)
    (10, 0, 0.0)
    """

    found: tuple[Swaps, ...]
    kind: str
    level: float
    draws: int
    confidence: float
    seed: int
    signatures: tuple[Signature, ...] = ()
    notes: tuple[str, ...] = ()
    scores: Scores | None = None

    def get(self, measure: str, first: str | None = None, second: str | None = None) -> Swaps:
        """Return the swaps of one measure between two sets.

        Parameters
        ----------
        measure : str
            The measure.
        first, second : str, optional
            The two sets; by default the first comparison of the measure.

        Returns
        -------
        Swaps
            The first match.

        Raises
        ------
        KeyError
            If there is no such comparison.
        """
        for s in self.found:
            if s.measure == measure and first in (None, s.first) and second in (None, s.second):
                return s
        raise KeyError(f"no comparison of {first} and {second} by {measure}")

    def measure_rows(self) -> list[SwapRow]:
        """Return one dictionary per pair of sets and measure."""
        made: list[SwapRow] = []
        for s in self.found:
            value, low, high = s.coefficient or (None, None, None)
            family, cutoff = family_of(s.measure)
            made.append(
                {
                    "first": s.first,
                    "second": s.second,
                    "measure": s.measure,
                    "family": family,
                    "cutoff": cutoff,
                    "systems": s.systems,
                    "items_first": s.items[0],
                    "items_second": s.items[1],
                    "pairs": s.pairs,
                    "swaps": s.swaps,
                    "tied": s.tied,
                    "swap_rate": s.rate,
                    "coefficient": value,
                    "low": low,
                    "high": high,
                    "resampled_rate": s.resampled_rate,
                    "needed": s.needed(self.level),
                    "reached": s.reached(self.level),
                }
            )
        return made

    def curve_rows(self) -> list[SwapsByDifference]:
        """Return swap rates by difference: one dictionary per pair of sets, measure and bin."""
        return [
            {
                "first": s.first,
                "second": s.second,
                "measure": s.measure,
                "from": k * s.width,
                "to": (k + 1) * s.width if k + 1 < len(s.counts) else None,
                "count": count,
                "swapped": swapped,
                "swap_rate": swapped / count,
            }
            for s in self.found
            for k, (count, swapped) in enumerate(zip(s.counts, s.swapped, strict=True))
            if count
        ]

    def all_rows(self) -> RowsByName:
        """Return the rows by name: measures, curves."""
        return {"measures": self.measure_rows(), "curves": self.curve_rows()}

    def headlines(self) -> list[str]:
        """Return the lowest and the highest swap rate, and that they were not tested against each other."""
        rows = self.measure_rows()
        rates = [r["swap_rate"] for r in rows if r["swap_rate"] is not None]
        if not rates:
            return []
        low, high = min(rates), max(rates)
        lowest, highest = ([r for r in rows if r["swap_rate"] == rate] for rate in (low, high))
        if low == high:
            return [_swaps(lowest)]
        return [
            _swaps(lowest),
            _swaps(highest),
            f"These are the lowest and the highest of {len(rates):,} swap rates on these items. Whether "
            "measures differ in their swap rates was not tested.",
        ]

    def answer(self) -> str:
        """Return the lowest and the highest swap rate."""
        return (
            " ".join(self.headlines()[:2])
            or "No swap rate is known: no two sets of items were compared."
        )

    def facts(self) -> Row:
        """Return the coefficient, level, draws, seed, signatures and notes."""
        return {
            "kind": self.kind,
            "level": self.level,
            "draws": self.draws,
            "confidence": self.confidence,
            "seed": self.seed,
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def tables(self) -> dict[str, Table]:
        """Return one table with one row per pair of sets and measure."""
        columns: list[Column | str] = ["first", "second", "measure"]
        columns += map(Column, ("pairs", "swaps", "tied", "swap rate"))
        columns += [Column(self.kind, of="coefficient"), Column("low"), Column("high")]
        columns += [Column("resampled", of="resampled_rate"), Column("needed"), Column("reached")]
        notes = [
            f"Swap rate: share of pairs of systems that are ordered differently. {self.kind}: rank "
            f"correlation, with the {100 * self.confidence:g} % interval of its expected value for item sets "
            f"of this size, each on its own; it need not contain the correlation of the true rankings. "
            f"Resampled: swap rate of resamples of both sets ({self.draws:,} draws, seed {self.seed}). "
            f"Needed: the difference from which this rate stays at or below {self.level:g}; – if no "
            "difference does. Reached: share of differences at least that large.",
            *self.notes,
        ]
        return {
            "measures": Table.of_rows(
                columns, self.measure_rows(), title="Consistency of system rankings", notes=notes
            )
        }


# Swaps of pairs of systems between two score tables, or between resamples of one.


Floats = NDArray[np.float64]
BINS = 21  # as in Sakai (2006): twenty of equal width, and an open one


MAX_NAMED = 3  # measures in a sentence


def _swaps(rows: Sequence[SwapRow]) -> str:
    """Name the measures that share a swap rate between sets of items, with the counts of the first."""
    names = list(dict.fromkeys(r["measure"] for r in rows))
    if len(names) > MAX_NAMED:
        names = [*names[: MAX_NAMED - 1], f"{len(names) - MAX_NAMED + 1} other measures"]
    named = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    first = rows[0]
    return (
        f"{named}: {first['swaps']:,} of {first['pairs']:,} pairs of systems change order between "
        f"{first['first']} and {first['second']}."
    )


@dataclass(frozen=True)
class SwapOptions:
    """The validated options of `consistency`."""

    kind: str = "tau_b"
    level: float = 0.05
    width: float | None = None
    draws: int = 1000
    confidence: float = 0.95
    seed: int = 0
    digits: int = DIGITS
    threads: int = 0
    engine: Drawing | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        choose("kind", self.kind, KINDS)
        check_draws(self.draws, self.seed)
        if not 0 < self.level < 1:
            raise OptionError(
                f"level={self.level} is out of range; a swap rate must lie between 0 and 1."
            )
        if self.width is not None and self.width <= 0:
            raise OptionError(f"width={self.width} is not valid. It must be greater than 0.")


def swaps_between(a: Scores, b: Scores, same: bool, options: SwapOptions) -> dict[str, Any]:
    """Return the fields of `Swaps` of systems for one measure on two tables, or on resamples of the same one."""
    kind, width, draws, confidence, seed, digits = (
        options.kind,
        options.width,
        options.draws,
        options.confidence,
        options.seed,
        options.digits,
    )
    one, other = pairs_of(a, digits=digits), pairs_of(b, digits=digits)
    known = (one.n > 0) & (other.n > 0)
    x, y = _signs(one.means, one.quantum)[known], _signs(other.means, other.quantum)[known]
    if width is None:
        largest = max(float(np.nanmax(np.abs(t.values), initial=0.0)) for t in (a, b))
        width = 0.01 if largest <= 1 else largest / 100
    several = len(a.items) > 1 and len(b.items) > 1  # one item has one resample
    counts, swapped = summed(
        count_swaps,
        draws=draws,
        threads=options.threads,
        engine=options.engine,
        one=one.differences[known & several],
        other=other.differences[known & several],
        quanta=(one.quantum[known & several], other.quantum[known & several]),
        width=width,
        seed=seed,
    )
    made: dict[str, Any] = {
        "systems": len(a.systems),
        "items": [len(a.items), len(b.items)],
        "pairs": int(known.sum()),
        "swaps": None if same else int((x * y < 0).sum()),
        "tied": None if same else int(((x == 0) != (y == 0)).sum()),
        "width": width,
        "counts": counts.tolist(),
        "swapped": swapped.tolist(),
        "coefficient": None,
    }
    if not same:
        systems = sorted(a.systems)
        (items, x), (others, y) = (matrix_of(t.select(systems=systems)) for t in (a, b))
        found = correlate(
            x,
            y,
            systems=systems,
            paired=items == others,
            kind=kind,
            over="items",
            confidence=confidence,
            draws=draws,
            seed=seed,
            threads=options.threads,
            engine=options.engine,
        )
        made["coefficient"] = [found.value, found.low, found.high]
    return made


def _signs(means: Floats, quantum: Floats) -> Floats:
    return np.where(np.abs(means) < quantum / 2, 0.0, np.sign(means))


def count_swaps(
    one: Floats,
    other: Floats,
    quanta: tuple[Floats, Floats],
    width: float,
    seed: int,
    threads: int,
    draws: int,
    first_draw: int = 0,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count resampled pairs of systems and swaps by the absolute difference in the first resample.

    `one` and `other` are pairs × items of differences. As in Sakai's algorithm, a pair that is tied in
    only one resample counts as a swap. Draws are numbered from `first_draw`; a task of engines.
    """
    counts = np.zeros(BINS, dtype=np.int64)
    swapped = np.zeros(BINS, dtype=np.int64)
    step = max(1, seams().resampled_cells // max(1, draws))
    for start in range(0, len(one), step):
        part = slice(start, start + step)
        # Both sets of items are resampled independently.
        x = bootstrap_means(one[part], draws, seed, threads, first_draw)
        y = bootstrap_means(other[part], draws, seed + 1, threads, first_draw)
        x, y = (
            np.where(np.abs(z) < q[part, None] / 2, 0.0, z)
            for z, q in zip((x, y), quanta, strict=True)
        )
        there = ~(np.isnan(x) | np.isnan(y))  # a resample may contain no item of a pair
        bins = np.minimum(np.nan_to_num(np.abs(x)) / width + 1e-9, BINS - 1).astype(np.int64)
        counts += np.bincount(bins[there], minlength=BINS)
        swapped += np.bincount(bins[there & (np.sign(x) != np.sign(y))], minlength=BINS)
    return counts, swapped


# The study of consistency: swap rates and rank correlations between sets of items.
#
# Voorhees and Buckley (2002); Sakai (2006), whose swap method resamples the items.


TablePair = tuple[str, Scores, str, Scores]


def consistency(
    first: ScoreSource,
    second: ScoreSource | None = None,
    *,
    sets: Mapping[str, Sequence[str]] | Kinds | None = None,
    by: str | None = None,
    names: tuple[str, str] = ("first", "second"),
    kind: str = "tau_b",
    level: float = 0.05,
    width: float | None = None,
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    digits: int = DIGITS,
    threads: int = 0,
    engine: str | Drawing | None = None,
    progress: Callable[[str], None] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> Consistency:
    """Compare how two sets of items rank the same systems, for each measure.

    The swap rate is the share of pairs of systems that the two sets order differently. A measure with
    several cutoffs is also studied with its scores averaged over them.

    Parameters
    ----------
    first, second : Scores, path or data frame
        Score tables of the same systems, such as two data sets or the halves of a pool of documents.
        Without `second`, every two `sets` of items are compared. Without sets, resamples of all
        items are compared, as in Sakai (2006).
    sets : mapping of str to items, or Kinds, optional
        Sets of items: {name: items}, or the result of `tare.chance.kinds`.
    by : str, optional
        An attribute of the items; each of its values is a set.
    names : tuple of str
        The names of the two tables.
    kind : {"tau_b", "tau_ap", "spearman", "pearson"}
        The rank correlation coefficient.
    level : float
        The swap rate for which the needed difference is determined.
    width : float, optional
        The step of this difference; by default 0.01, or a hundredth of the largest score if that is
        greater than 1.
    draws : int
        Number of resamples.
    confidence : float
        Confidence level of the intervals of correlations.
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
    Consistency
        Swap rates, needed differences and rank correlations by measure.

    Raises
    ------
    OptionError
        If `second` is combined with `sets` or `by`, or if an option is out of range.
    MismatchError
        If fewer than two systems, or no measures, are common to both tables.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, ["nDCG@10"])
    >>> sets = {"first half": scores.items[:10], "second half": scores.items[10:]}
    >>> consistency(scores, sets=sets, draws=100).get("nDCG@10").pairs
    10
    """
    one = scores_of(first)
    other = None if second is None else scores_of(second)
    with opened_engine(engine) as place:
        options = SwapOptions(kind, level, width, draws, confidence, seed, digits, threads, place)
        if other is not None and (sets is not None or by is not None):
            raise OptionError(
                "sets= and by= split a single table. With two tables, select their items first."
            )
        table_pairs, notes = _table_pairs(one, other, names, sets, by)
        data = digest(one, other, [(a, b) for a, _, b, _ in table_pairs])
        return compared(table_pairs, notes, data, options, progress, journal)


def compared(
    table_pairs: Sequence[TablePair],
    notes: Sequence[str],
    data: str,
    options: SwapOptions,
    progress: Callable[[str], None] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> Consistency:
    """Compare the consistency of every measure on every pair of tables; `data` is their digest for the journal."""
    o = options
    about = {
        "study": "consistency",
        "data": data,
        "options": f"{o.kind} {o.level} {o.width} {o.draws} {o.confidence} {o.seed} {o.digits}",
    }
    record = Journal(journal, about)
    found: list[Swaps] = []
    for name_a, a, name_b, b in table_pairs:
        for measure in a.measure_names:
            if progress is not None:
                progress(f"{name_a} – {name_b}: {measure}")
            swaps = record.step(
                f"{name_a}\t{name_b}\t{measure}",
                lambda a=a[measure], b=b[measure], same=a is b: swaps_between(a, b, same, o),  # type: ignore[misc]
            )
            found.append(Swaps(name_a, name_b, measure, **swaps))
    signatures = dict.fromkeys(s for _, a, _, _ in table_pairs for s in a.signatures)
    return Consistency(
        tuple(found),
        o.kind,
        o.level,
        o.draws,
        o.confidence,
        o.seed,
        tuple(signatures),
        tuple(notes),
    )


def _table_pairs(
    one: Scores,
    other: Scores | None,
    names: tuple[str, str],
    sets: Mapping[str, Sequence[str]] | Kinds | None,
    by: str | None,
) -> tuple[list[TablePair], list[str]]:
    """Return the pairs of tables to compare for swaps, with the same systems and measures, with means over cutoffs added."""
    notes: list[str] = []
    if other is not None:
        systems = [s for s in one.systems if s in other.systems]
        measures = [m for m in one.measure_names if m in other.measure_names]
        if len(systems) < 2 or not measures:
            raise MismatchError(
                f"the tables have {len(systems)} systems and {len(measures)} measures in common, but "
                "at least 2 systems and 1 measure are needed. They are matched by name."
            )
        left = (set(one.systems) | set(other.systems)) - set(systems)
        if left:
            notes.append(f"{len(left)} systems are in only one table and were skipped.")
        left = (set(one.measure_names) | set(other.measure_names)) - set(measures)
        if left:
            notes.append(f"{len(left)} measures are in only one table and were skipped.")
        parts = [t.select(systems=systems, measures=measures) for t in (one, other)]
        return [(names[0], with_families(parts[0]), names[1], with_families(parts[1]))], notes
    if len(one.systems) < 2:
        raise MismatchError(
            f"the table has {len(one.systems)} system(s), but at least 2 are needed."
        )
    whole = with_families(one)
    if sets is None and by is None:
        return [("resample", whole, "resample", whole)], notes
    chosen, notes = item_sets(one, sets, by)
    parts_by_name = {
        name: whole.select(items=items) for name, items in chosen.items() if name != "all"
    }
    if len(parts_by_name) < 2:
        raise MismatchError(
            f"there are {len(parts_by_name)} sets of items, but at least 2 are needed."
        )
    pairs = itertools.combinations(parts_by_name, 2)
    return [(a, parts_by_name[a], b, parts_by_name[b]) for a, b in pairs], notes


def with_families(scores: Scores) -> Scores:
    """Return the table for swap rates with a column of means over cutoffs for each measure with several."""
    several = [f for f, measures in by_family(scores.measures).items() if len(measures) > 1]
    several = [family for family in several if family not in scores.measures]
    if not several:
        return scores
    return scores.join(over_cutoffs(scores).select(measures=several))


# The study of consistency from runs: kinds of queries and halves of the documents.
#
# Feng and Karmaker (2023), §6: uninformative and ideal queries, broad and focused queries, and two
# random halves of the documents of each query.


MIN_QUERIES = 2  # to compare a set at all
FEW_QUERIES = 20  # below this, a set supports no conclusion


def run_consistency(
    qrels: GradesInput,
    runs: RunsInput,
    measures: str | Measure | Sequence[str | Measure] = MAIN_MEASURES,
    *,
    by_kind: bool = True,
    by_half: bool = True,
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: CandidatesInput | None = None,
    kind_size: float = 0.5,
    kind: str = "tau_b",
    level: float = 0.05,
    width: float | None = None,
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    engine: str | Drawing | None = None,
    progress: Callable[[str], None] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> Consistency:
    """Compare how kinds of queries, and halves of the documents, rank the same runs.

    Parameters
    ----------
    qrels, runs, measures
        Judgements, runs and measures, as in `tare.evaluate`.
    by_kind : bool
        Compare uninformative with ideal queries, which needs a pool, and broad with focused queries.
    by_half : bool
        Split the documents of each query, judged or not, into two random halves, and score each half
        separately. Only queries with a relevant document in both halves count.
    pool, corpus, candidates
        What could have been ranked, as in `tare.evaluate`. Each half of the documents uses half of
        the corpus.
    kind_size : float
        Number of uninformative and of ideal queries, or their share if it is below 1.
    kind, level, width, draws, confidence, seed, threads, engine, progress, journal
        As in `consistency`.

    Returns
    -------
    Consistency
        Swap rates and rank correlations, with the scores; kinds are attributes of their items.

    Raises
    ------
    OptionError
        If there is nothing to compare, or if no measure has an upper bound.
    MismatchError
        If fewer than two runs are given, or all sets of queries are too small.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> found = run_consistency(data.qrels, data.runs, "nDCG@10", pool="judged", draws=100)
    >>> [(s.first, s.second) for s in found.found]
    [('uninformative', 'ideal'), ('left', 'right')]
    """
    with opened_engine(engine) as place:
        options = SwapOptions(
            kind, level, width, draws, confidence, seed, threads=threads, engine=place
        )
        if not by_kind and not by_half:
            raise OptionError(
                "there is nothing to compare. Set by_kind=True, by_half=True, or both."
            )
        wanted = parse_all(measures)
        given = read_qrels(qrels)
        where: dict[str, Any] = {"pool": pool, "corpus": corpus, "candidates": candidates}
        if by_kind:
            Pools.of(**where).known_from(given).require("the kinds of queries")
        if by_half and candidates is not None:
            raise OptionError(
                "candidates= cannot be split into halves. Use pool= or corpus= instead."
            )
        rankings = _runs(runs)
        if len(rankings) < 2:
            raise MismatchError(f"found {len(rankings)} run(s), but at least 2 are needed.")
        scores = evaluate(given, rankings, wanted, **where)
        table_pairs: list[TablePair] = []
        notes: list[str] = []
        if by_kind:
            inner = [str(m) for m in dict.fromkeys(map(_innermost, wanted)) if m.definition.upper]
            if not inner:
                raise OptionError(
                    "kinds of queries need a measure with an upper bound, such as nDCG@10."
                )
            found = kinds(given, rankings, inner, size=kind_size, **where)
            for name, values in found.attributes().items():
                scores = scores.with_attribute(name, values)
            breadth = broad_and_focused(_only(given, found.items), seed=seed)
            scores = scores.with_attribute(
                "breadth", {q: n for n, qs in breadth.items() for q in qs}
            )
            sets = {"uninformative": found.uninformative, "ideal": found.ideal, **breadth}
            whole = with_families(scores)
            for one, other in (("uninformative", "ideal"), ("broad", "focused")):
                sizes = min(len(sets[one]), len(sets[other]))
                if sizes < MIN_QUERIES:
                    notes.append(
                        f"{one} and {other} were not compared: {sizes} queries are too few."
                    )
                    continue
                if sizes < FEW_QUERIES:
                    notes.append(
                        f"{one} and {other}: {sizes} queries are too few for a conclusion."
                    )
                table_pairs.append(
                    (one, whole.select(items=sets[one]), other, whole.select(items=sets[other]))
                )
        if by_half:
            where["corpus"] = half_of(corpus)
            sides = _halves(given, rankings, wanted, seed, where)
            left, right = (with_families(side) for side in sides)
            table_pairs.append(("left", left, "right", right))
        if not table_pairs:
            raise MismatchError(
                "no two sets of queries are large enough to be compared. " + " ".join(notes)
            )
        data = digest(scores, None, [(a, b) for a, _, b, _ in table_pairs])
        made = compared(table_pairs, notes, data, options, progress, journal)
        return replace(made, scores=scores)


def _runs(given: RunsInput) -> list[Run]:
    """Return the runs for the study of consistency from a source, or a list of sources, as `read_runs` takes them."""
    if isinstance(given, list | tuple):
        return [
            run for part in given for run in ([part] if isinstance(part, Run) else read_runs(part))
        ]
    return list(read_runs(given))


def _innermost(measure: Measure) -> Measure:
    while measure.inner is not None:
        measure = measure.inner
    return measure


def _only(qrels: Qrels, items: Sequence[str]) -> Qrels:
    """Return the judgements of some queries."""
    kept = set(items)
    return read_qrels({q: dict(documents) for q, documents in qrels.by_query() if q in kept})


def _halves(
    qrels: Qrels, runs: Sequence[Run], measures: Sequence[Measure], seed: int, where: dict[str, Any]
) -> list[Scores]:
    """Return the scores on both halves of the documents, for queries with a relevant document in each."""
    sides = halves(qrels, seed=seed)
    inside = [{(q, d) for q, documents in s.by_query() for d, _ in documents} for s in sides]
    relevant = [
        {q for q, documents in s.by_query() if any(g > 0 for _, g in documents)} for s in sides
    ]
    kept = sorted(relevant[0] & relevant[1])
    if len(kept) < MIN_QUERIES:
        raise MismatchError(
            f"{len(kept)} queries have a relevant document in both halves, but at least "
            f"{MIN_QUERIES} are needed."
        )
    made = []
    for number, side in enumerate(sides):
        parts = [_half(run, inside[number], inside[1 - number], number, seed) for run in runs]
        made.append(evaluate(_only(side, kept), parts, measures, **where))
    return made


def half_of(corpus: int | str | None) -> int | str | None:
    """Return half of a corpus size, for halves of the documents; a size that is not a number is left to `evaluate`."""
    try:
        return corpus if corpus is None else max(1, int(corpus) // 2)
    except ValueError:
        return corpus


def _half(
    run: Run, mine: set[tuple[str, str]], theirs: set[tuple[str, str]], number: int, seed: int
) -> Run:
    """Return a run with the documents of one half; unjudged documents are assigned at random."""
    rankings: dict[str, dict[str, float]] = {}
    for query, documents in run.by_query():
        names = [d for d, _ in documents]
        keys = stream_ids([f"{seed}\t{query}\t{name}" for name in names])
        side = np.asarray(keys >> np.uint64(63), dtype=np.int64).tolist()
        rankings[query] = {
            d: score
            for (d, score), own in zip(documents, side, strict=True)
            if (query, d) in mine or ((query, d) not in theirs and own == number)
        }
    return read_run({q: kept for q, kept in rankings.items() if kept}, system=run.system)
