"""Scores: the table of system × item × measure that every evaluation returns."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Frame
from tare._files.addresses import as_path
from tare._files.opening import PathLike
from tare._measures.measure import Measure
from tare._measures.rescoring import Rescoring
from tare._measures.score_data import ScoreData
from tare._result import PaperResult, Rows
from tare.errors import MissingExtraError, OptionError

if TYPE_CHECKING:
    import polars as pl
    import pyarrow

    from tare._measures.clusters import Clusters
    from tare._tables import Table

__all__ = ["Rescoring", "Scores"]

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
    errors, seed
        Standard errors of sampled values (None if all are exact), and the seed of resampled statistics.
    ratios, statistics
        The parts of each measure that is a ratio of means, such as Net, or made of sums, such as BLEU.
    rescoring, judged
        The data behind the table, which `also` needs, and the share of judged documents in each cell, if
        the table was loaded from a file that contains it.
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

    figure_module: ClassVar[str] = "tare.report._chapters.score_table"

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
        from tare._measures.score_selection import selected

        return selected(self, systems, items, measures)

    def filter(self, attribute: str, value: object) -> Scores:
        """Return a table with only the items that have this value of an attribute.

        Parameters
        ----------
        attribute, value
            An attribute and its value. An unknown attribute raises an `OptionError`.
        """
        from tare._measures.score_selection import items_with

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
        from tare._measures.score_join import joined

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
        from tare._measures.clusters import with_clusters

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
        from tare._measures.replicates import averaged

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
        from tare._measures.score_join import with_measures

        return with_measures(self, measures)

    def matrix(self, measure: str | Measure | None = None) -> NDArray[np.float64]:
        """Return the values of one measure, systems × items.

        Parameters
        ----------
        measure
            May be left out if the table has only one measure.
        """
        return self._one(measure).values[:, :, 0]

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
        from tare._measures.score_export import frame_of

        return frame_of(self)

    def to_arrow(self) -> pyarrow.Table:
        """Return the same as an Arrow table; pyarrow must be installed."""
        try:
            return self.to_frame().to_arrow()
        except ModuleNotFoundError:
            raise MissingExtraError("pyarrow", None, "to_arrow()") from None

    def to_dict(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """Return {system: {measure: {item: value}}}; a missing value is None."""
        from tare._measures.score_export import dictionary_of

        return dictionary_of(self)

    def to_json(self) -> str:
        """Return means, values, signatures and findings as JSON."""
        from tare._measures.score_export import json_of

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
        from tare._measures.score_files import save

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
        from tare._measures.score_files import load

        return load(source)

    def paper_table(self, *, marks: str | None = None, digits: int = 3) -> Table:
        """Return systems × measures; the best is marked, or `tare.compare` tests the differences.

        Parameters
        ----------
        marks, digits
            As for `to_latex`.
        """
        from tare._measures.score_table import paper_table

        return paper_table(self, marks, digits)

    def table(self, *, confidence: float = 0.95) -> Table:
        """Return the means with intervals: one row per measure, or one row per system if several.

        Parameters
        ----------
        confidence
            The confidence level of the intervals.
        """
        from tare._measures.score_table import score_table

        return score_table(self, confidence=confidence)
