"""Clusters of items, such as the queries of one session: the units that tests and intervals take."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tare._data.columns import COLUMNS, SPELLINGS, quoted
from tare._data.findings import Frame, listed
from tare._data.table_files import TABLES, table_in
from tare._data.tables import InputTable, read_table, to_polars
from tare._files.addresses import exists, is_address, is_file
from tare._files.opening import PathLike, name_of, plain_suffix
from tare._plain_text import plain
from tare.errors import FormatError, MismatchError, OptionError, nearest

if TYPE_CHECKING:
    from tare._measures.measure import Measure
    from tare._measures.scores import ScoreData, Scores

__all__ = ["Clusters", "clusters_named", "clusters_of", "singular", "unit_name", "with_clusters"]

Clusters: TypeAlias = "PathLike | Frame | Mapping[Any, Any]"
"""An attribute of the items, {item: cluster}, or a path or frame with the columns query and cluster."""

RANKED = ("grades", "subtopics", "preferences", "groups")  # what measures of rankings need
HEADINGS = ("cluster", "cluster_id")
ITEMS = (*SPELLINGS["query"][0].split(), "item", "item_id", "query", "topic", *COLUMNS["item"])


def clusters_of(scores: ScoreData, cluster: Clusters) -> NDArray[np.int64]:
    """Return the cluster of each item of a score table, as numbers from 0.

    Parameters
    ----------
    scores
        The table.
    cluster
        The name of an attribute of its items, {item: cluster}, or a path or data frame with two columns,
        the query (or item) and its cluster. Items that the table lacks are ignored.

    Raises
    ------
    MismatchError
        If an item has no cluster.
    FormatError
        If a table of clusters has other columns, or an item is in two clusters.
    OptionError
        If there is no such attribute and no such file.
    """
    name, given = _given(scores, cluster)
    names = [_text(given.get(item)) for item in scores.items]
    without = [plain(item) for item, text in zip(scores.items, names, strict=True) if text is None]
    if without:
        raise MismatchError(
            f"{name}: {len(without):,} of {len(names):,} items have no cluster "
            f"({', '.join(listed(without))}). Every item needs one; an item that belongs to no other is a "
            "cluster of its own."
        )
    if not names:
        return np.zeros(0, dtype=np.int64)
    _, place = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
    return np.asarray(place.ravel(), dtype=np.int64)


def with_clusters(scores: Scores, cluster: Clusters) -> Scores:
    """Return a score table whose items are in these clusters; tests and intervals then take whole clusters."""
    clusters_of(scores, cluster)  # refuses what are none
    if isinstance(cluster, str) and cluster in scores.attributes:
        made, name = scores, cluster
    else:
        free = chain(["cluster"], (f"cluster {k}" for k in count(2)))
        name = next(name for name in free if name not in scores.attributes)
        given = _given(scores, cluster)[1]
        made = scores.with_attribute(name, {item: _text(given[item]) for item in scores.items})
    signatures = tuple(s.with_facts(cluster=name.replace("|", "/")) for s in made.signatures)
    return replace(made, cluster=name, signatures=signatures)


def clusters_named(scores: ScoreData, cluster: Clusters, tables: Iterable[PathLike]) -> Clusters:
    """Return the clusters of items that a name means: a column of the tables that were scored, or what was given."""
    if (
        not isinstance(cluster, str)
        or cluster in scores.attributes
        or plain_suffix(cluster) in TABLES
    ):
        return cluster
    made: dict[str, Any] = {}
    for path in tables:
        table = table_in(path) if is_address(path) or is_file(path) else None
        if table is None:
            continue
        read = read_table(table)
        if cluster not in read.frame.columns:
            continue
        item = _first([c for c in read.frame.columns if c != cluster], ITEMS)
        if item is not None:
            _collect(made, read, item, cluster)
    return made or cluster


def unit_name(measure: Measure, clustered: bool = False) -> str:
    """Return what the units of a mean are called: clusters, queries, or items.

    >>> from tare._measures.names import parse
    >>> unit_name(parse("nDCG@10")), unit_name(parse("ROUGE-1"))
    ('queries', 'items')
    """
    if clustered:
        return "clusters"
    ranked = measure.registered and measure.innermost.definition.needs in RANKED
    return "queries" if ranked else "items"


def singular(unit: str) -> str:
    """Return one of the units: "queries" becomes "query"."""
    return "query" if unit == "queries" else unit.removesuffix("s")


def _given(scores: ScoreData, cluster: Clusters) -> tuple[str, Mapping[str, Any]]:
    """Return the name of a source of clusters for messages, and {item: cluster}."""
    if isinstance(cluster, str) and cluster in scores.attributes:
        column = scores.attributes[cluster]
        return f"the column {cluster!r}", dict(zip(scores.items, column, strict=True))
    if isinstance(cluster, Mapping):
        return "clusters", {str(item): value for item, value in cluster.items()}
    if not isinstance(cluster, str | os.PathLike):
        return "clusters", _of_table(InputTable("clusters", to_polars(cluster)))
    table = table_in(cluster) if exists(cluster) or plain_suffix(cluster) in TABLES else None
    if table is None:
        known = list(scores.attributes)
        raise OptionError(
            f"cluster={str(cluster)!r} is neither an attribute of the items ({', '.join(known) or 'there are none'}) "
            f"nor a .csv, .tsv, .jsonl or .parquet file with the columns query and cluster."
            f"{nearest(str(cluster), known)}"
        )
    return name_of(cluster), _of_table(read_table(table))


def _of_table(table: InputTable) -> dict[str, Any]:
    """Return {item: cluster} of a table of two columns, or of one with a column named cluster."""
    columns = table.frame.columns
    item = _first(columns, ITEMS)
    others = [column for column in columns if column != item]
    cluster = others[0] if len(others) == 1 else _first(others, HEADINGS)
    if item is None or cluster is None:
        raise FormatError(
            f"{table.name}: found {quoted(columns)}. A table of clusters has the columns query and cluster."
        )
    made: dict[str, Any] = {}
    _collect(made, table, item, cluster)
    return made


def _collect(made: dict[str, Any], table: InputTable, item: str, cluster: str) -> None:
    """Add the rows of a table of items and clusters to {item: cluster}."""
    for row, (key, value) in enumerate(table.frame.select(item, cluster).iter_rows()):
        if key is None:
            raise FormatError(f"{table.where(row)}: the {item} is missing.")
        if _text(made.setdefault(str(key), value)) != _text(value):
            raise FormatError(
                f"{table.where(row)}: {plain(str(key))} is in the clusters {made[str(key)]!r} and {value!r}; "
                "an item belongs to one."
            )


def _first(columns: Sequence[str], wanted: Sequence[str]) -> str | None:
    lowered = {column.strip().lower(): column for column in reversed(columns)}
    return next((lowered[name] for name in wanted if name in lowered), None)


def _text(value: Any) -> str | None:
    """Return the cluster of an item as text; None if it is missing."""
    if value is None or value == "" or (isinstance(value, float) and value != value):
        return None
    return str(value)
