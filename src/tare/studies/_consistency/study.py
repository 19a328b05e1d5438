"""The study of consistency: swap rates and rank correlations between sets of items.

Voorhees and Buckley (2002); Sakai (2006), whose swap method resamples the items.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping, Sequence

from tare._decide.journal import Journal, digest
from tare._measures.one_system import opened_engine
from tare._measures.saved_scores import ScoreSource, scores_of
from tare._measures.scores import Scores
from tare.chance._kinds_of_queries import Kinds
from tare.errors import MismatchError, OptionError
from tare.stats._draws import Drawing
from tare.stats._paired_differences import DIGITS
from tare.studies._consistency.result import Consistency, Swaps
from tare.studies._consistency.swaps import SwapOptions, swaps_between
from tare.studies._cutoffs import by_family, over_cutoffs
from tare.studies._item_sets import item_sets

__all__ = ["compared", "consistency", "with_families"]

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
    kind : str
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
    """Compare every measure on every pair of tables; `data` is their digest for the journal."""
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
    """Return pairs of tables with the same systems and measures, with means over cutoffs added."""
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
    """Return the table with a column of means over cutoffs for each measure with several."""
    several = [f for f, measures in by_family(scores.measures).items() if len(measures) > 1]
    several = [family for family in several if family not in scores.measures]
    if not several:
        return scores
    return scores.join(over_cutoffs(scores).select(measures=several))
