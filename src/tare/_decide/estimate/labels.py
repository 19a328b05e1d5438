"""People's and the judge's labels, matched by query and document."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tare._data import frames
from tare._data.findings import Finding, listed
from tare._data.labels import LabelSet, read_labels
from tare._data.qrels import Qrels, read_qrels
from tare._data.rows import TABLES
from tare._files.addresses import exists
from tare._files.opening import plain_suffix
from tare.errors import MismatchError, OptionError, nearest

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MatchedLabels", "match_labels", "qrels_of", "table_of"]

INCLUSION = (
    "inclusion",
    "inclusion_probability",
    "inclusion-probability",
    "probability",
    "pi",
    "π",
)


@dataclass(frozen=True, eq=False)
class MatchedLabels:
    """Labels of people and of the judge.

    Attributes
    ----------
    human, judge : polars.DataFrame
        The columns query, document and grade, sorted; people's may have a column `inclusion`.
    names : tuple of two str
        Where the labels come from.
    findings : tuple of Finding
        Labels that could not be used.
    """

    human: pl.DataFrame
    judge: pl.DataFrame
    names: tuple[str, str]
    findings: tuple[Finding, ...]

    @property
    def common(self) -> pl.DataFrame:
        """The pairs that both labelled, with the judge's grade in the column `guess`."""
        guess = self.judge.rename({"grade": "guess"})
        return self.human.join(guess, on=["query", "document"], how="inner").sort(
            "query", "document"
        )

    def queries(self) -> tuple[list[str], list[str]]:
        """Return the queries that both labelled, and those that only the judge labelled."""
        labelled = set(self.human["query"].unique())
        every = sorted(self.judge["query"].unique())
        return [q for q in every if q in labelled], [q for q in every if q not in labelled]


def match_labels(human: Any, judge: Any, column: str | None = None) -> MatchedLabels:
    """Read both sets of labels and match them.

    Parameters
    ----------
    human, judge : path, data frame, dict or Qrels
        The labels.
    column : str, optional
        The column of people's table that holds the inclusion probabilities.

    Returns
    -------
    MatchedLabels
        The labels.

    Raises
    ------
    MismatchError
        If the labels have no query or no pair in common.
    """
    import polars as pl

    people, guesses = _one_set(human, "people"), _one_set(judge, "the judge")
    findings: list[Finding] = [*people.findings(), *guesses.findings()]
    tables = [table_of(people), table_of(guesses)]
    given = _inclusion_table(human, column)
    if given is not None:
        tables[0] = tables[0].join(given, on=["query", "document"], how="left")
    names = (people.source, guesses.source)
    mine, theirs = tables
    known = set(theirs["query"].unique())
    lost = sorted(set(mine["query"].unique()) - known)
    if len(lost) == mine["query"].n_unique():
        raise MismatchError(
            f"{names[0]} and {names[1]} have no query in common: people's begin with "
            f"{_shown(lost)}, the judge's with {_shown(sorted(known))}. Both must use the same query ids."
        )
    if lost:
        message = f"{len(lost):,} queries with human labels have no label of the judge; left out"
        findings.append(Finding("no label of the judge", message, len(lost), examples=listed(lost)))
        mine = mine.filter(pl.col("query").is_in(list(known)))
    made = MatchedLabels(mine, theirs, names, tuple(findings))
    both = made.common
    if both.height == 0:
        raise MismatchError(
            f"{names[0]} and {names[1]} have no pair of query and document in common. Query "
            f"{mine['query'][0]!r} has the documents {_shown(_documents(mine))} in the first and "
            f"{_shown(_documents(theirs.filter(pl.col('query') == mine['query'][0])))} in the second. "
            "Both must use the same document ids."
        )
    missing = mine.height - both.height
    if missing:
        message = f"{missing:,} pairs with a human label have no label of the judge"
        rows = mine.join(theirs, on=["query", "document"], how="anti").head(6)
        examples = [f"{q} {d}" for q, d in rows.select("query", "document").iter_rows()]
        findings.append(
            Finding("no label of the judge", message, missing, examples=listed(examples))
        )
    return MatchedLabels(mine, theirs, names, tuple(findings))


def _one_set(source: Any, whose: str) -> LabelSet:
    """Read the labels of one person or model; FILE:NAME names one of several in a file."""
    name = None
    if isinstance(source, str) and not exists(source) and ":" in source:
        path, _, rest = source.rpartition(":")
        if exists(path):
            source, name = path, rest
    sets = read_labels(source)
    known = [found.name for found in sets]
    if name is not None:
        sets = [found for found in sets if found.name == name]
        if not sets:
            raise OptionError(
                f"{source}: no labels of {name!r}; there are: {', '.join(known[:12])}."
                f"{nearest(name, known)}"
            )
    if len(sets) != 1:
        where = sets[0].source
        raise OptionError(
            f"{where} holds the labels of {len(sets)} persons or models ({', '.join(known[:6])}), and the "
            f"labels of {whose} are those of one. Name it after the file, as in {where}:{known[0]}."
        )
    if sets[0].kind != "grades" or sets[0].categories is not None:
        raise MismatchError(
            f"{sets[0].source}: the labels are {sets[0].kind}, and an estimate of measures of runs needs "
            "grades of documents that are numbers. For ratings, give score tables and no runs."
        )
    return sets[0]


def table_of(labels: LabelSet) -> pl.DataFrame:
    """Return the labels as a table, sorted by query and document."""
    import polars as pl

    queries, documents = zip(*labels.values, strict=True)
    columns = {"query": queries, "document": documents, "grade": tuple(labels.values.values())}
    types = {"query": pl.String, "document": pl.String, "grade": pl.Float64}
    return pl.DataFrame(columns, schema=types).sort("query", "document")


def qrels_of(table: pl.DataFrame, name: str, queries: Sequence[str] | None = None) -> Qrels:
    """Return labels as qrels, of some queries or of all."""
    import polars as pl

    chosen = table if queries is None else table.filter(pl.col("query").is_in(list(queries)))
    made = read_qrels(chosen.select("query", "document", "grade"))
    made.name = name
    return made


def _inclusion_table(human: Any, column: str | None) -> pl.DataFrame | None:
    """Return the inclusion probabilities of people's table, if it has such a column."""
    import polars as pl

    from tare._data.columns import recognise

    if isinstance(human, str) and not exists(human) and exists(human.rpartition(":")[0]):
        human = human.rpartition(":")[0]
    if isinstance(human, str | os.PathLike) and plain_suffix(human) in TABLES:
        frame = TABLES[plain_suffix(human)].read(human)
    elif frames.is_frame(human):
        frame = frames.to_polars(human)
    else:
        if column is not None:
            raise MismatchError(
                f"inclusion={column!r} names a column, and the human labels are not a table with columns. "
                "Give them as a .csv, .tsv, .jsonl or .parquet file, or give one number for all documents."
            )
        return None
    lowered = {name.strip().lower(): name for name in frame.columns}
    if column is not None and column not in frame.columns:
        raise MismatchError(
            f"the human labels have no column {column!r}; found "
            f"{', '.join(map(repr, frame.columns))}."
        )
    found = column or next((lowered[name] for name in INCLUSION if name in lowered), None)
    if found is None:
        return None
    ids = recognise(frame.columns, ["query", "document"], "human labels")
    made: pl.DataFrame = frame.select(
        pl.col(ids["query"]).cast(pl.String).alias("query"),
        pl.col(ids["document"]).cast(pl.String).alias("document"),
        pl.col(found).cast(pl.Float64, strict=False).alias("inclusion"),
    )
    refuse_impossible(made)
    return made.unique(["query", "document"], keep="first")


def refuse_impossible(table: pl.DataFrame) -> None:
    """Raise if an inclusion probability is missing or outside (0, 1]."""
    import polars as pl

    probability = pl.col("inclusion")
    wrong = table.filter(
        probability.is_null() | probability.is_nan() | (probability <= 0) | (probability > 1)
    )
    if wrong.height == 0:
        return
    query, document, found = wrong.select("query", "document", "inclusion").row(0)
    shown = "not a number" if found is None else f"{found:g}"
    raise MismatchError(
        f"{wrong.height:,} inclusion probabilities are outside (0, 1]; the first is {shown}, of query "
        f"{query!r}, document {document!r}. The probability is that with which the document was drawn for "
        "labelling."
    )


def _documents(table: pl.DataFrame) -> list[str]:
    return table["document"].head(4).to_list()


def _shown(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:3])) + (", …" if len(names) > 3 else "")
