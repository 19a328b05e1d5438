"""Scores: the table of system × item × measure that every evaluation returns; selected, joined, and extended with more measures."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from operator import lt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, Frame
from tare._files.addresses import as_path
from tare._files.opening import PathLike
from tare._measures.aggregation import (
    Ratio,
    SummedStatistics,
    aggregate,
    averaging,
    number_of,
)
from tare._measures.clusters import Clusters, with_clusters
from tare._measures.exports import dictionary_of, flat_means, frame_of, json_of
from tare._measures.geometric_ranks import ERROR, JUDGED, STATISTICS, Columns, ratios_of
from tare._measures.means_and_intervals import (
    DRAWS,
    best_of,
    paper_table,
    score_intervals,
    score_table,
)
from tare._measures.measure import Measure
from tare._measures.names import canonical, column_measures, parse_all
from tare._measures.replicates import averaged
from tare._result import PaperResult, Rows
from tare._signature import Signature
from tare.errors import MismatchError, MissingExtraError, OptionError, nearest
from tare.stats._ranks_with_ties import rescaled

if TYPE_CHECKING:
    import polars as pl
    import pyarrow

    from tare._data.judged import Judged
    from tare._data.pools import Pools
    from tare._tables import Table

__all__ = [
    "Rescoring",
    "ScoreData",
    "Scores",
    "items_with",
    "joined",
    "selected",
    "with_measures",
]


# The data behind a score table, kept so that more measures can be computed on it.


@dataclass(frozen=True)
class Rescoring:
    """How a score table gets more measures: a function that scores them on the same data, and the pools of the queries.

    If there are rankings, the function also takes some of them, to score only these.
    """

    score: Callable[..., Scores]
    pool_known: bool  # whether chance can be computed without asking the user for a pool
    rankings: Sequence[Judged] = ()
    pools: Pools | None = None


# The data of a score table, checked, and the means over items.


def _differ(names: tuple[str, ...]) -> bool:
    """Return whether all names of a score table differ; only names without an order need a set, which is large."""
    return all(map(lt, names, islice(names, 1, None))) or len(set(names)) == len(names)


def _immutable(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return an array of a score table in memory that cannot become writable again; it is copied if it is not there yet."""
    held: object = array
    while isinstance(held, np.ndarray):
        held = held.base
    if isinstance(held, bytes) and len(held) == array.nbytes:
        return array
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreData:
    """The data of `Scores`, which describes the fields."""

    systems: tuple[str, ...]
    items: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: NDArray[np.float64]
    signatures: tuple[Signature, ...]
    findings: tuple[Finding, ...] = ()
    attributes: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    columns: Columns = field(default_factory=dict)
    seed: int = 0
    rescoring: Rescoring | None = field(default=None, repr=False)
    cluster: str = ""
    range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "measures", column_measures(self.measures))
        shape = (len(self.systems), len(self.items), len(self.measures))
        if self.values.shape != shape:
            raise MismatchError(f"values of shape {self.values.shape} do not fit {shape}.")
        names: dict[str, tuple[str, ...]] = {
            "systems": self.systems,
            "items": self.items,
            "measures": self.measure_names,
        }
        for name, given in names.items():
            if not _differ(given):
                twice = next(x for x in given if given.count(x) > 1)
                raise MismatchError(f"duplicate {twice!r} among the {name}; names must differ.")
        if len(self.signatures) != len(self.measures):
            raise MismatchError(
                f"{len(self.signatures)} signatures for {len(self.measures)} measures."
            )
        for measure, named in self.columns.items():
            for name, array in named.items():
                if array.shape[:2] != shape[:2]:
                    raise MismatchError(
                        f"{name} of {measure}: an array of shape {array.shape} does not fit {shape[:2]}."
                    )
        self._protect()

    def _protect(self) -> None:
        """Replace the arrays of this score table by copies that nobody can write to."""
        object.__setattr__(self, "values", _immutable(self.values))
        columns = {
            measure: {name: _immutable(array) for name, array in named.items()}
            for measure, named in self.columns.items()
        }
        object.__setattr__(self, "columns", columns)

    def _column(self, name: str) -> dict[Measure, NDArray[np.float64]]:
        """Return the arrays of a name, by measure."""
        return {m: self.columns[m][name] for m in self.measures if name in self.columns.get(m, {})}

    @cached_property
    def ratios(self) -> dict[Measure, Ratio]:
        """The parts of each measure that is a ratio of means, such as Net."""
        return ratios_of(self.columns, self.measures)

    @cached_property
    def statistics(self) -> dict[Measure, SummedStatistics]:
        """The statistics of each measure that is made of sums, such as BLEU."""
        return {m: SummedStatistics(m, cells) for m, cells in self._column(STATISTICS).items()}

    @cached_property
    def judged(self) -> dict[Measure, NDArray[np.float64]]:
        """The share of judged documents by measure, if the table was loaded from a file that has it."""
        return self._column(JUDGED)

    @cached_property
    def errors(self) -> NDArray[np.float64] | None:
        """Standard errors of sampled values, 0 for exact ones; None if all are exact."""
        known = self._column(ERROR)
        if not known:
            return None
        exact = np.zeros(self.values.shape[:2])
        return _immutable(np.stack([known.get(m, exact) for m in self.measures], axis=2))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "rescoring": None}  # the data behind the table are not pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._protect()  # numpy may restore pickled arrays as writable

    @cached_property
    def measure_names(self) -> tuple[str, ...]:
        """The texts of the measures: the names of the columns."""
        return tuple(measure.text for measure in self.measures)

    def means(self) -> dict[str, dict[str, float]]:
        """Return {system: {measure: mean}}; each measure defines how its items are averaged."""
        columns = {name: self._aggregated(m) for m, name in enumerate(self.measure_names)}
        return {
            system: {name: column[s] for name, column in columns.items()}
            for s, system in enumerate(self.systems)
        }

    def flat(self, *, separator: str = "_") -> dict[str, float]:
        """Return the means under flat names that experiment trackers accept.

        Parameters
        ----------
        separator
            Put between system and measure, if there are several systems. With "_", the names are
            accepted by MLflow, TensorBoard and Weights & Biases, which can also sort by them; "/"
            makes one group per system in MLflow and TensorBoard.

        Returns
        -------
        dict of str to float

        Examples
        --------
        >>> import tare
        >>> scores = tare.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["nDCG@10", "P(rel=1)@1"])
        >>> scores.flat()  # mlflow.log_metrics(scores.flat()), wandb.log(scores.flat())
        {'nDCG_at_10': 1.0, 'P_at_1': 1.0}
        """
        return flat_means(self, separator)

    def _aggregated(self, m: int) -> list[float]:
        parts = self.ratios.get(self.measures[m]) or self.statistics.get(self.measures[m])
        if parts is not None:
            return [float(mean) for mean in parts.means()]
        how = averaging(self.measures[m])
        return [aggregate(row, how) for row in self.values[:, :, m]]

    @property
    def mean(self) -> float:
        """The mean, if the table has one system and one measure."""
        if len(self.systems) != 1 or len(self.measures) != 1:
            raise OptionError(
                f"the table has {len(self.systems)} systems and {len(self.measures)} measures; "
                "means() returns the mean of each, and select() chooses one."
            )
        return self._aggregated(0)[0]

    def counts(self) -> NDArray[np.int64]:
        """Return the number of items in each mean, systems × measures."""
        counted: NDArray[np.int64] = (~np.isnan(self.values)).sum(axis=1)
        for m, measure in enumerate(self.measures):
            if measure in self.ratios:
                counted[:, m] = self.ratios[measure].counts()
            elif measure in self.statistics:
                counted[:, m] = self.statistics[measure].counts()
        return counted

    def intervals(
        self, *, confidence: float = 0.95, draws: int = DRAWS, seed: int | None = None
    ) -> NDArray[np.float64]:
        """Return confidence intervals of the means, systems × measures × (low, high).

        The mean of a measure with a finite range has Wilson's interval, scaled to the observed spread; it
        never leaves the range. A ratio of means, such as Net, has Fieller's interval, a value of summed
        statistics, such as BLEU, the percentiles of resampled items, and any other mean Student's. NaN
        where there is none: for sums, for a single item, and where `table` says why.

        Parameters
        ----------
        confidence
            Between 0 and 1.
        draws, seed
            Number and seed of the resamples of summed statistics; the seed of the table by default.

        References
        ----------
        Wilson (1927); Fieller (1954); Kish (1965) for clusters of unequal sizes.

        Examples
        --------
        >>> import polars as pl, tare
        >>> frame = pl.DataFrame({"system": ["a"] * 4, "item": [1, 2, 3, 4], "RR": [1.0, 0.5, 1.0, 0.25]})
        >>> tare.Scores.load(frame).intervals().round(3).tolist()
        [[[0.186, 0.955]]]
        """
        chosen = self.seed if seed is None else seed
        return score_intervals(self, confidence, draws, chosen).ends


# Selection of systems, items and measures from a score table.


def selected(
    scores: Scores,
    systems: Sequence[str] | None,
    items: Sequence[str] | None,
    measures: Sequence[str | Measure] | None,
) -> Scores:
    """Return a score table with these systems, items and measures, in the order given; None keeps all."""
    s = _positions(scores.systems, systems, "system")
    i = _positions(scores.items, items, "item")
    wanted = None if measures is None else [_text_of(scores, m) for m in measures]
    m = _positions(scores.measure_names, wanted, "measure")
    cells = np.ix_(s, i, m)
    chosen = tuple(scores.measures[k] for k in m)
    place = np.ix_(s, i)
    columns = {
        x: {name: array[place] for name, array in scores.columns[x].items()}
        for x in chosen
        if x in scores.columns
    }
    ratios = {} if items is None else ratios_of(columns, chosen)
    signatures = tuple(scores.signatures[k] for k in m)
    if items is not None:
        signatures = tuple(
            _with_count(signature, scores.values[np.ix_(s, i, [k])], ratios.get(measure))
            for signature, k, measure in zip(signatures, m, chosen, strict=True)
        )
    return replace(
        scores,
        systems=tuple(scores.systems[k] for k in s),
        items=scores.items if items is None else tuple(scores.items[k] for k in i),
        measures=chosen,
        values=scores.values[cells],
        signatures=signatures,
        columns=columns,
        attributes=scores.attributes
        if items is None
        else {name: tuple(column[k] for k in i) for name, column in scores.attributes.items()},
    )


def items_with(scores: Scores, attribute: str, value: object) -> list[str]:
    """Return the items of a score table that have this value of an attribute."""
    if attribute not in scores.attributes:
        known = list(scores.attributes)
        raise OptionError(
            f"the items have no attribute {attribute!r}; they have: {', '.join(known) or 'none'}."
            f"{nearest(attribute, known)}"
        )
    column = scores.attributes[attribute]
    return [item for item, given in zip(scores.items, column, strict=True) if given == value]


def _text_of(scores: Scores, measure: str | Measure) -> str:
    """The name of the score table's column that is meant; a measure can be spelled in several ways."""
    text = str(measure)
    if text in scores.measure_names:
        return text
    meant = canonical(text)
    alike = [m.text for m in scores.measures if canonical(m) == meant]  # such as a column `map`
    return alike[0] if meant not in scores.measure_names and len(alike) == 1 else meant


def _positions(known: tuple[str, ...], wanted: Sequence[str] | None, what: str) -> NDArray[np.intp]:
    if wanted is None:
        return np.arange(len(known))
    place = {name: k for k, name in enumerate(known)}
    for name in wanted:
        if name not in place:
            shown = ", ".join(known[:10]) + (", …" if len(known) > 10 else "")
            raise OptionError(
                f"there is no {what} {name!r}; there are: {shown}.{nearest(str(name), known)}"
            )
    return np.array([place[name] for name in wanted], dtype=np.intp)


def _with_count(
    signature: Signature, values: NDArray[np.float64], ratio: Ratio | None
) -> Signature:
    """Return the signature of a score with the number of items that the mean is over."""
    counts = (~np.isnan(values[:, :, 0])).sum(axis=1) if ratio is None else ratio.counts()
    return signature.with_facts(n=number_of(counts))


# Join of two score tables, aligned by ids, and of a table with more measures.


def with_measures(scores: Scores, measures: str | Measure | Iterable[str | Measure]) -> Scores:
    """Return a score table with more measures, computed on the data behind it."""
    if scores.rescoring is None:
        raise OptionError(
            "the data behind this table are not available; score them again with all measures."
        )
    more = tuple(m for m in parse_all(measures) if m not in scores.measures)
    if not more:
        return scores
    made = scores.rescoring.score(more)
    added = scores.join(made.select(systems=scores.systems, items=scores.items))
    chosen = added.select(items=scores.items, measures=[*scores.measures, *more])
    return replace(chosen, rescoring=scores.rescoring)


def joined(one: Scores, other: Scores) -> Scores:
    """Return two score tables joined as one; cells that neither table has are missing."""

    systems = tuple(dict.fromkeys(one.systems + other.systems))
    items = tuple(sorted(set(one.items) | set(other.items)))
    measures = tuple(dict.fromkeys(one.measures + other.measures))
    values = np.full((len(systems), len(items), len(measures)), np.nan)
    columns = _empty_columns(one, other, values.shape[:2])
    for part in (one, other):
        place = np.ix_(
            _places(part.systems, systems),
            _places(part.items, items),
            _places(part.measures, measures),
        )
        there = values[place]
        clash = ~np.isnan(there) & ~np.isnan(part.values) & (there != part.values)
        if clash.any():
            s, i, m = (int(k) for k in np.argwhere(clash)[0])
            raise MismatchError(
                f"both tables have {part.measures[m]} of {part.systems[s]} on "
                f"{part.items[i]}, with different values. Remove one of them first."
            )
        values[place] = np.where(np.isnan(part.values), there, part.values)
        cells = np.ix_(place[0].ravel(), place[1].ravel())
        for measure in columns.keys() & part.columns.keys():
            for name, whole in columns[measure].items():
                given = part.columns[measure][name]
                whole[cells] = np.where(np.isnan(given), whole[cells], given)
    signatures = dict(zip(other.measures, other.signatures, strict=True))
    signatures |= dict(zip(one.measures, one.signatures, strict=True))
    attributes = {
        name: tuple(map((_known(other, name) | _known(one, name)).get, items))
        for name in {**one.attributes, **other.attributes}
    }
    return Scores(
        systems,
        items,
        measures,
        values,
        tuple(signatures[m] for m in measures),
        tuple(dict.fromkeys((*one.findings, *other.findings, *_differing(one, other)))),
        attributes,
        columns,
        one.seed,
        cluster=one.cluster if one.cluster == other.cluster else "",
        range=one.range if one.range == other.range else None,
    )


def _empty_columns(
    one: Scores, other: Scores, shape: tuple[int, int]
) -> dict[Measure, dict[str, NDArray[np.float64]]]:
    """Return arrays of NaN for the columns of each measure that no score table with the measure lacks."""
    made: dict[Measure, dict[str, NDArray[np.float64]]] = {}
    for measure in dict.fromkeys((*one.columns, *other.columns)):
        held = [part.columns.get(measure, {}) for part in (one, other) if measure in part.measures]
        made[measure] = {
            name: np.full((*shape, *array.shape[2:]), np.nan)
            for name, array in held[0].items()
            if all(name in columns for columns in held)
        }
    return made


def _differing(one: Scores, other: Scores) -> list[Finding]:
    """Report each measure that the two joined score tables computed in different ways."""

    def made(scores: Scores) -> dict[str, dict[str, str]]:
        return {
            signature.measure: {k: v for k, v in signature.facts if k not in ("n", "source")}
            for signature in scores.signatures
        }

    here, there = made(one), made(other)
    return [
        Finding(
            "different signatures",
            f"{measure} was computed differently in the two tables: "
            + ", ".join(
                f"{key} {here[measure].get(key, '–')} and {there[measure].get(key, '–')}"
                for key in sorted({**here[measure], **there[measure]})
                if here[measure].get(key) != there[measure].get(key)
            )
            + ".",
        )
        for measure in here
        if measure in there and here[measure] != there[measure]
    ]


def _places(names: tuple[Any, ...], among: tuple[Any, ...]) -> list[int]:
    place = {name: k for k, name in enumerate(among)}
    return [place[name] for name in names]


def _known(scores: Scores, attribute: str) -> dict[str, Any]:
    """Return the items of a score table that have a value of the attribute, with it."""
    if attribute not in scores.attributes:
        return {}
    pairs = zip(scores.items, scores.attributes[attribute], strict=True)
    return {item: value for item, value in pairs if value is not None}


# Scores: the table of system × item × measure that every evaluation returns.


OTHER_FORMATS = (".csv", ".tsv", ".json", ".md", ".tex", ".html", ".txt")


@dataclass(frozen=True, eq=False, repr=False)
class Scores(ScoreData, PaperResult):
    """A table of scores with one value per system, item and measure.

    `tare.evaluate` and `tare.evaluate_texts` return it; `Scores.load` reads one from a file.

    Parameters
    ----------
    systems, items
        Names of the systems and ids of the items (queries or texts).
    measures
        The measures; a `Measure` equals its text. Other names, such as ratings, are averaged by their mean.
    values
        Array of shape (systems, items, measures); NaN where a value is missing.
    signatures, findings
        How the numbers of each measure were computed, and what was noticed in the data.
    attributes
        Attributes of the items: {name: one value per item}.
    columns
        Arrays next to the values of a measure, {measure: {name: array}}, each of shape (systems, items) or
        (systems, items, numbers): ``error``, the standard errors of sampled values; ``gross``, ``tare`` and
        ``ideal`` of a ratio of means, such as Net; ``statistics`` of a measure made of sums, such as BLEU;
        ``judged``, the share of judged documents, in a table that was loaded.
    seed
        The seed of sampled values and of resampled statistics.
    rescoring
        The data behind the table, which `also` needs.
    cluster, range
        The attribute that names the cluster of each item ("" if there are none), and the lowest and highest
        possible value of measures whose definition leaves an end open.

    Raises
    ------
    MismatchError
        If the shapes do not fit together, or a name occurs twice.

    Examples
    --------
    >>> import tare
    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 0}}
    >>> run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0, "d": 2.0}}
    >>> scores = tare.evaluate(qrels, run, ["RR", "P@1"])
    >>> scores["RR"].mean
    0.75
    """

    def answer(self) -> str:
        """Return the system with the best mean by the first measure; `tare.compare` tests its difference."""

        return best_of(self)

    def __getitem__(self, measure: str | Measure) -> Scores:
        return self.select(measures=[measure])

    def select(
        self,
        *,
        systems: Sequence[str] | None = None,
        items: Sequence[str] | None = None,
        measures: Sequence[str | Measure] | None = None,
    ) -> Scores:
        """Return a table with only these systems, items and measures, in the order given.

        Parameters
        ----------
        systems, items, measures
            What to keep; None keeps all. A measure may be spelled in any way `tare.parse` accepts.

        Returns
        -------
        Scores

        Raises
        ------
        OptionError
            If the table has no such system, item or measure.
        """

        return selected(self, systems, items, measures)

    def filter(self, attribute: str, value: object) -> Scores:
        """Return a table with only the items that have this value of an attribute.

        Parameters
        ----------
        attribute, value
            An attribute and its value. An unknown attribute raises an `OptionError`.
        """

        return self.select(items=items_with(self, attribute, value))

    def with_attribute(self, name: str, values: Mapping[str, object]) -> Scores:
        """Return the same scores with one more attribute of the items.

        Parameters
        ----------
        name, values
            The name of the attribute, and its values {item: value}.
        """
        column = tuple(values.get(item) for item in self.items)
        return replace(self, attributes={**self.attributes, name: column})

    def join(self, other: Scores) -> Scores:
        """Return both tables as one, aligned by ids.

        Parameters
        ----------
        other
            Another table. Cells that neither table has are missing.

        Raises
        ------
        MismatchError
            If both tables have a value for a cell, and the values differ.
        """

        return joined(self, other)

    def clustered(self, cluster: Clusters) -> Scores:
        """Return the same scores, in clusters: tests and intervals then take whole clusters, not items.

        Means stay those over items. Queries of one session, for example, are no independent evidence.

        Parameters
        ----------
        cluster
            The name of an attribute of the items, {item: cluster}, or a path or data frame with the columns
            query and cluster.

        Raises
        ------
        MismatchError
            If an item has no cluster.
        FormatError
            If a table of clusters has other columns, or an item is in two clusters.
        OptionError
            If there is no such attribute and no such file.

        Examples
        --------
        >>> import polars as pl, tare
        >>> frame = pl.DataFrame({"system": ["a"] * 4, "item": [1, 2, 3, 4], "RR": [1.0, 0.5, 1.0, 0.25]})
        >>> scores = tare.Scores.load(frame).clustered({1: "x", 2: "y", 3: "x", 4: "y"})
        >>> scores.intervals().round(3).tolist()
        [[[0.006, 0.999]]]
        """
        return with_clusters(self, cluster)

    def with_range(self, low: float, high: float) -> Scores:
        """Return the same scores with the possible range of measures that are not bounded by definition.

        Their means then have the intervals of bounded means, as ratings from 1 to 5 need.

        Parameters
        ----------
        low, high
            The lowest and the highest possible value; not those that happen to occur.

        Raises
        ------
        OptionError
            If `low` is not below `high`.

        Examples
        --------
        >>> import polars as pl, tare
        >>> frame = pl.DataFrame({"system": ["a"] * 4, "item": [1, 2, 3, 4], "rating": [5, 5, 4, 5]})
        >>> tare.Scores.load(frame).with_range(1, 5).intervals().round(2).tolist()
        [[[3.11, 4.98]]]
        """
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise OptionError(
                f"range {low:g} to {high:g}: the first number must be below the second."
            )
        return replace(self, range=(float(low), float(high)))

    def averaged(self, groups: Mapping[str, Sequence[str]] | None = None) -> Scores:
        """Return a table in which repeated runs of one system are averaged per item.

        The parts of ratios of means (such as Net) and summed statistics (such as BLEU) are averaged, too,
        and the signatures say how many replicates there were.

        Parameters
        ----------
        groups
            {system: its runs in this table}. By default, runs whose names differ only in a number at the
            end, such as dense.1 and dense.2, are replicates of one system.

        Raises
        ------
        OptionError
            If no system was run twice, there is no such run, or a measure has no mean over runs.

        Examples
        --------
        >>> import tare
        >>> runs = {"dense.1": {"q": {"a": 2.0, "b": 1.0}}, "dense.2": {"q": {"a": 1.0, "b": 2.0}}}
        >>> tare.evaluate({"q": {"a": 1}}, runs, "RR").averaged().means()
        {'dense': {'RR': 0.75}}
        """
        return averaged(self, groups)

    def also(self, measures: str | Measure | Iterable[str | Measure]) -> Scores:
        """Return the same table with more measures, computed on the same data.

        Parameters
        ----------
        measures
            One or several measures.

        Raises
        ------
        OptionError
            If the table does not have its data, because it was read from a file.
        """

        return with_measures(self, measures)

    def matrix(self, measure: str | Measure | None = None) -> NDArray[np.float64]:
        """Return the values of one measure, systems × items.

        Parameters
        ----------
        measure
            May be left out if the table has only one measure.
        """
        return self._one(measure).values[:, :, 0]

    def rescaled(
        self,
        scale: tuple[float, float],
        to: tuple[float, float],
        *,
        where: tuple[str, str] | None = None,
    ) -> Scores:
        """Map the scores of all measures from one scale to another: y = (x − a)·(d − c)/(b − a) + c.

        Parameters
        ----------
        scale, to
            The ends (a, b) of the present scale, such as (1, 10), and (c, d) of the new one, such as (1, 5).
        where
            (attribute, value): rescale only the items with this value, such as those of one year.

        Raises
        ------
        OptionError
            If the two ends of a scale are equal or not finite, or `where` names an attribute or a value that
            does not exist.
        MismatchError
            If a value lies outside `scale`.

        Examples
        --------
        >>> import polars as pl
        >>> table = pl.DataFrame({"system": ["a", "a"], "item": ["x", "y"], "people": [1.0, 10.0]})
        >>> Scores.load(table).rescaled((1, 10), (1, 5)).matrix().tolist()
        [[1.0, 5.0]]
        """
        chosen = np.ones(len(self.items), dtype=bool)
        if where is not None:
            self.filter(where[0], None)  # says what attributes there are
            chosen = np.array([str(v) == where[1] for v in self.attributes[where[0]]], dtype=bool)
            if not chosen.any():
                raise OptionError(f"no item has {where[0]} {where[1]!r}.")
        values = self.values.copy()
        part = values[:, chosen]
        known = ~np.isnan(part)
        part[known] = rescaled(part[known], scale, to)
        values[:, chosen] = part
        return replace(self, values=values)

    def contributions(
        self, measure: str | Measure | None = None, *, linearised: bool = False
    ) -> NDArray[np.float64]:
        """Return the contribution of each item to the mean, systems × items.

        Their mean is the printed mean. For most measures they are the values themselves, for a ratio of
        means (A − E)/(mean room), and for a measure made of summed statistics those of the jackknife.

        Parameters
        ----------
        measure
            May be left out if the table has only one measure.
        linearised
            Return values with the same mean and with the spread of the ratio, as intervals need.
        """
        one = self._one(measure)
        ratio = one.ratios.get(one.measures[0])
        summed = one.statistics.get(one.measures[0])
        if summed is not None:
            return summed.linearised()
        if ratio is None:
            return one.values[:, :, 0]
        return ratio.linearised() if linearised else ratio.contributions()

    def _one(self, measure: str | Measure | None = None) -> Scores:
        chosen = self if measure is None else self[measure]
        if len(chosen.measures) != 1:
            example = chosen.measure_names[0] if chosen.measures else "nDCG@10"
            raise OptionError(
                f"the table has {len(chosen.measures)} measures; choose one, as in scores[{example!r}]."
            )
        return chosen

    @property
    def by_item(self) -> pl.DataFrame:
        """The table as a polars frame, as `to_frame` returns it."""
        return self.to_frame()

    def rows(self) -> Rows:
        """Return one dictionary per system, item and measure."""
        return self.to_frame().to_dicts()

    def to_frame(self) -> pl.DataFrame:
        """Return a polars data frame: system, item, measure, value and the attributes of the items."""
        return frame_of(self)

    def to_arrow(self) -> pyarrow.Table:
        """Return the same as an Arrow table; pyarrow must be installed."""
        try:
            return self.to_frame().to_arrow()
        except ModuleNotFoundError:
            raise MissingExtraError("pyarrow", None, "to_arrow()") from None

    def to_dict(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """Return {system: {measure: {item: value}}}; a missing value is None."""
        return dictionary_of(self)

    def to_json(self) -> str:
        """Return means, values, signatures and findings as JSON."""
        return json_of(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the table.

        Parameters
        ----------
        path
            ``.csv``, ``.tsv``, ``.json``, ``.md``, ``.tex``, ``.html`` and ``.txt`` choose these formats. Any
            other path is a Parquet file with signatures, findings and attributes, read by `load` without loss.

        Returns
        -------
        Path
            The path that was written.
        """
        from tare._measures.saved_scores import save

        target = as_path(path)
        if target.suffix.lower() in OTHER_FORMATS:
            return super().save(target)
        save(self, target)
        return target

    @staticmethod
    def load(source: Scores | Frame | PathLike) -> Scores:
        """Read a file that `save` wrote, or any table of scores.

        Parameters
        ----------
        source
            Path of a Parquet, CSV, TSV or JSON Lines file, or a data frame. Its columns are system,
            item, measure and value; or system, item and one numeric column per measure.

        Returns
        -------
        Scores
        """
        from tare._measures.saved_scores import load

        return load(source)

    def paper_table(self, *, marks: str | None = None, digits: int = 3) -> Table:
        """Return systems × measures; the best of each measure is marked.

        Parameters
        ----------
        marks
            Not for scores: `tare.compare` tests the differences.
        digits
            As for `to_latex`.
        """
        return paper_table(self, marks, digits)

    def table(self, *, confidence: float = 0.95) -> Table:
        """Return the means with intervals: one row per measure, or one row per system if several.

        Parameters
        ----------
        confidence
            The confidence level of the intervals.
        """
        return score_table(self, confidence=confidence)
