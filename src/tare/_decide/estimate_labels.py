"""People's and the judge's labels behind an estimate: matched by query and document, their design, and the gains of what each run ranks."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._choices import SystemNames
from tare._data.findings import Finding, listed
from tare._data.judged import Policies
from tare._data.labels import LabelSet, read_labels
from tare._data.qrels import Qrels, read_qrels
from tare._data.table_files import table_in
from tare._data.tables import is_frame, to_polars
from tare._decide.judge_corrected import (
    Bounds,
    DocumentSample,
    Floats,
    Places,
    QuerySample,
    document_weights,
)
from tare._files.addresses import exists
from tare._files.opening import name_of
from tare._measures.aggregation import averaging
from tare._measures.clusters import Clusters, clusters_of
from tare._measures.evaluate_rankings import judged_runs
from tare._measures.measure import Measure
from tare._measures.ranking.counting import gains_of, unit_gains
from tare._measures.scores import Scores
from tare.errors import MeasureError, MismatchError, OptionError, choose, nearest

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "DESIGNS",
    "LINEAR",
    "SAMPLINGS",
    "MatchedLabels",
    "RankedLabels",
    "aligned_tables",
    "bounds_of",
    "check_range",
    "cluster_fact",
    "design_of",
    "document_sample",
    "gains",
    "match_labels",
    "qrels_of",
    "query_clusters",
    "query_samples",
    "rank_weights",
    "ranked_labels",
    "refuse_cluster",
    "refuse_not_linear",
    "table_of",
    "with_inclusion",
]


# The bounds of a measure: what its definition says, or what the caller knows.


SLACK = 1e-9  # of the width: rounding of values at a bound


def check_range(measures: Sequence[Measure], range: tuple[float, float] | None) -> None:
    """Raise if the range given for an estimate is not in order, or every measure has bounds of its own."""
    if range is None:
        return
    if not -1e150 < range[0] < range[1] < 1e150:
        raise OptionError(
            f"range={range[0]:g}:{range[1]:g} is not possible. Give the lowest and the highest value that "
            "the measure can have, such as 1:5."
        )
    if all(None not in measure.definition.bounds for measure in measures):
        raise OptionError(
            f"range is for measures whose definition gives no bounds; {', '.join(map(str, measures))} "
            f"{'has its' if len(measures) == 1 else 'have their'} own. Leave it out."
        )


def bounds_of(
    measure: Measure, sample: QuerySample | DocumentSample, given: tuple[float, float] | None
) -> Bounds | None:
    """Return the lowest and the highest value that labels can give a query; None for open bounds and ratios of means.

    They are never taken from the values, which must not leave them. `given` is for measures with open bounds.
    """
    if measure.aggregate == "ratio":
        return None
    defined = measure.definition.bounds
    low, high = defined if None not in defined or given is None else given
    if low is None or high is None:
        return None
    if isinstance(sample, QuerySample):
        parts = [x for x in (sample.human, sample.judge, sample.others) if x.size]
        least, most = min(float(x.min()) for x in parts), max(float(x.max()) for x in parts)
        slack = SLACK * (high - low)
        if least < low - slack or most > high + slack:
            given_by, advice = "its definition", "Divide percentages by 100, or rename the column."
            if (low, high) != defined:
                given_by, advice = (
                    "range",
                    "Give the lowest and the highest value that is possible.",
                )
            raise MismatchError(
                f"{measure}: the values reach from {least:g} to {most:g}, outside {low:g} to {high:g} "
                f"({given_by}). {advice}"
            )
    return float(low), float(high)


# Clusters of queries: labelled as a whole, or not at all.


def refuse_cluster(cluster: Clusters | None, design: str, method: str) -> None:
    """Raise if clusters of queries were given where the intervals of estimates are not known to be right."""
    if cluster is None:
        return
    if design == "documents":
        raise OptionError(
            "cluster is for the queries design. Estimates from some documents of clustered queries were not "
            "examined, so nothing is known about their intervals. Let people label whole clusters of queries."
        )
    if method != "t":
        raise OptionError(
            f"cluster needs method t, whose error is that of clusters; found {method!r}."
        )


def cluster_fact(cluster: Clusters | None) -> dict[str, str]:
    """Return what a signature says of clusters."""
    if cluster is None:
        return {}
    return {"cluster": name_of(cluster) if isinstance(cluster, str | os.PathLike) else "given"}


def query_clusters(
    judge: Scores, labelled: Sequence[str], others: Sequence[str], cluster: Clusters | None
) -> tuple[Places, Places] | None:
    """Return the cluster of each labelled and of each other query, numbered from 0 in each.

    Parameters
    ----------
    judge : Scores
        The scores under the judge's labels, with all queries.
    labelled, others : sequence of str
        The queries that people labelled, and the others.
    cluster : optional
        As for `tare.estimate`.

    Raises
    ------
    MismatchError
        If a cluster holds labelled and other queries, or fewer than two clusters are labelled.
    """
    if cluster is None:
        return None
    number = dict(zip(judge.items, clusters_of(judge, cluster).tolist(), strict=True))
    mine, theirs = ([number[query] for query in queries] for queries in (labelled, others))
    mixed = set(mine) & set(theirs)
    if mixed:
        first = [query for query, k in zip(labelled, mine, strict=True) if k in mixed]
        raise MismatchError(
            f"{len(mixed):,} clusters hold queries with human labels and queries without, such as those of "
            f"{', '.join(map(repr, first[:3]))}. The error of an estimate takes labelled and "
            "other clusters as two separate samples, and clusters that are in both were not examined. Let "
            "people label whole clusters, or leave out the queries of these clusters on one side."
        )
    if len(set(mine)) < 2:
        raise MismatchError(
            "people labelled one cluster only; an interval needs at least 2, and 8 or more to be of use."
        )
    made = [
        np.unique(np.array(ids, dtype=np.int64), return_inverse=True)[1] for ids in (mine, theirs)
    ]
    return made[0].astype(np.int64), made[1].astype(np.int64)


# People's and the judge's labels, matched by query and document.


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
        """The pairs of query and document that people and judge both labelled, with the judge's grade in the column `guess`."""
        guess = self.judge.rename({"grade": "guess"})
        return self.human.join(guess, on=["query", "document"], how="inner").sort(
            "query", "document"
        )

    def queries(self) -> tuple[list[str], list[str]]:
        """Return the queries that people and judge both labelled, and those that only the judge labelled."""
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
    """Read the labels of one person or model for an estimate; FILE:NAME names one of several in a file."""
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
    """Return a person's or judge's labels as a table, sorted by query and document."""
    import polars as pl

    queries, documents = zip(*labels.values, strict=True)
    columns = {"query": queries, "document": documents, "grade": tuple(labels.values.values())}
    types = {"query": pl.String, "document": pl.String, "grade": pl.Float64}
    return pl.DataFrame(columns, schema=types).sort("query", "document")


def qrels_of(table: pl.DataFrame, name: str, queries: Sequence[str] | None = None) -> Qrels:
    """Return people's or the judge's labels as qrels, of some queries or of all."""
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
    table = table_in(human) if isinstance(human, str | os.PathLike) else None
    if table is not None:
        frame = table.read()
    elif is_frame(human):
        frame = to_polars(human)
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
    """Raise if the inclusion probability of a label of people is missing or outside (0, 1]."""
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


# The design: did people label all of some queries, or some documents of every query?


DESIGNS = ("auto", "queries", "documents")
SAMPLINGS = ("auto", "fixed", "poisson")
NEARLY_ALL = 0.9  # of the judge's documents in the queries that people labelled


def design_of(labels: MatchedLabels, design: str, inclusion: float | str | None) -> str:
    """Return the labelling design (queries or documents) that was asked for, or the one that the labels show."""
    choose("design", design, DESIGNS)
    if design != "auto":
        return design
    if inclusion is not None or "inclusion" in labels.human.columns:
        return "documents"
    both, alone = labels.queries()
    shares = _coverage(labels)
    if all(share >= 1 for share in shares.values()):
        return "queries"
    if not alone:
        return "documents"
    if np.mean(list(shares.values())) >= NEARLY_ALL:
        return "queries"
    partly = [query for query, share in shares.items() if share < 1]
    raise OptionError(
        f"the labels do not show the design: people labelled {len(both):,} of {len(both) + len(alone):,} "
        f"queries, and only some of the documents of {len(partly):,} of them, such as {partly[0]!r} "
        f"({100 * shares[partly[0]]:.0f} %). Give design='queries' if people labelled whole queries "
        "drawn at random, or design='documents' if they labelled documents drawn at random."
    )


def _coverage(labels: MatchedLabels) -> dict[str, float]:
    """Return the share of the judge's documents that people labelled, by query."""
    import polars as pl

    counts = labels.judge.group_by("query").agg(pl.len().alias("all"))
    mine = labels.common.group_by("query").agg(pl.len().alias("labelled"))
    joined = mine.join(counts, on="query").sort("query")
    return dict(zip(joined["query"], (joined["labelled"] / joined["all"]).to_list(), strict=True))


def with_inclusion(
    labels: MatchedLabels, inclusion: float | str | None, sampling: str
) -> tuple[pl.DataFrame, str]:
    """Return the pairs that people and judge both labelled with their inclusion probability, and how they were drawn.

    Adds the columns `inclusion`, `drawn` (labelled documents of the query) and `frame` (documents that
    could have been drawn: those that the judge labelled).
    """
    import polars as pl

    choose("sampling", sampling, SAMPLINGS)
    counts = labels.judge.group_by("query").agg(pl.len().cast(pl.Float64).alias("frame"))
    table = labels.common.join(counts, on="query", maintain_order="left").with_columns(
        pl.len().over("query").cast(pl.Float64).alias("drawn")
    )
    share = pl.col("drawn") / pl.col("frame")
    given = True
    if isinstance(inclusion, int | float):
        table = table.with_columns(pl.lit(float(inclusion)).alias("inclusion"))
        if not 0 < inclusion <= 1:
            raise MismatchError(
                f"inclusion={inclusion} is outside (0, 1]. It is the probability with which a document "
                "was drawn for labelling."
            )
    elif "inclusion" not in table.columns:
        given = False
        table = table.with_columns(share.alias("inclusion"))
    refuse_impossible(table)
    gap = table.select((pl.col("inclusion") - share).abs().max()).item()
    if sampling == "fixed" and gap > 1e-6:
        raise MismatchError(
            "sampling='fixed' means that a fixed number of documents was drawn in each query, each with "
            "the same probability; the inclusion probabilities differ from the number of labelled documents "
            f"divided by that of the judge's, by up to {gap:.3g}. Use sampling='poisson'."
        )
    chosen = sampling if sampling != "auto" else "fixed" if gap <= 1e-6 else "poisson"
    _, alone = labels.queries()
    if alone and not (given and chosen == "poisson"):
        raise MismatchError(
            f"{len(alone):,} queries of the judge have no human label, such as {alone[0]!r}. The documents "
            "design needs labelled documents in every query. If documents were drawn independently of each "
            "other, so that a query can end up without any, give their probabilities and "
            "sampling='poisson'; if these queries were not drawn at all, remove them from the judge's labels."
        )
    return table, chosen


# Measures that are linear in the gains at given ranks: weights of ranks and gains of grades.


LINEAR = ("P", "CG", "DCG", "SDCG", "RBP")


def refuse_not_linear(measure: Measure) -> None:
    """Raise if a measure is not linear in the gains of the ranked documents, so that some labels cannot estimate it."""
    if measure.inner is None and measure.definition.name in LINEAR:
        return
    reason = (
        "its ideal depends on all grades of the query, and is not known when people label only some "
        "documents"
        if measure.innermost.definition.name in ("nDCG", "AP", "Recall", "Rprec")
        or measure.inner is not None
        else "it is not linear in the gains of the ranked documents"
    )
    raise MeasureError(
        f"{measure} cannot be estimated when people labelled some documents of every query, because "
        f"{reason}. Use one of {', '.join(LINEAR)}, such as DCG@10, or let people label whole queries."
    )


def rank_weights(measure: Measure, depth: int) -> Floats:
    """Return the weight that a linear measure gives each rank from 1 to `depth`; 0 beyond the cutoff.

    >>> from tare._measures.names import parse
    >>> rank_weights(parse("P@2"), 3).tolist()
    [0.5, 0.5, 0.0]
    """
    rank = np.arange(1, depth + 1, dtype=np.float64)
    name = measure.definition.name
    k = depth if measure.cutoff is None else int(measure.cutoff)
    if name == "P":
        made = np.full(depth, 1 / k)
    elif name == "CG":
        made = np.ones(depth)
    elif name == "RBP":
        p = float(measure["p"])
        made = (1 - p) * p ** (rank - 1)
    elif name == "SDCG":
        made = 1 / np.log2(rank + 1)
        made /= (1 / np.log2(np.arange(2, k + 2))).sum()
    elif measure["discount"] == "jk":
        base = float(measure["base"])
        made = np.where(rank < base, 1.0, np.log(base) / np.log(np.maximum(rank, base)))
    else:
        made = np.log(float(measure["base"])) / np.log(rank + 1)
    return np.where(rank <= k, made, 0.0)


def gains(measure: Measure, grades: Floats, levels: Floats) -> Floats:
    """Return the gain of each label's grade; `levels` are all grades of both sets of labels, ascending."""
    name = measure.definition.name
    if name == "P" or (name == "RBP" and measure["max_rel"] is None):
        of_level = (levels >= max(float(measure["rel"]), 0.0)).astype(np.float64)
    elif name == "RBP":
        most = float(measure["max_rel"])
        of_level = np.clip(levels, 0.0, most) / most
    elif name == "SDCG":
        of_level = unit_gains(measure, levels)
    else:
        of_level = gains_of(measure, levels)
    made: Floats = of_level[np.searchsorted(levels, grades)]
    return made


# The documents design: which labelled documents each run ranks where, and the sums of their
# gains.


Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RankedLabels:
    """The ranks of the judge's documents in every run.

    Attributes
    ----------
    systems, queries : tuple of str
        The runs and the queries.
    guesses : ndarray
        The judge's grade of each of its documents.
    query : ndarray
        The place of the query of each document.
    ranks : tuple of ndarray
        For each run the rank of each document; 0 if it is not ranked.
    retrieved : ndarray
        The length of every ranking, systems × queries.
    """

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    guesses: Floats
    query: Integers
    ranks: tuple[Integers, ...]
    retrieved: Integers

    def sums(self, measure: Measure, values: Floats, chosen: Integers | None = None) -> Floats:
        """Return Σ w·value over the judge's documents, or some of them, by system and query."""
        place = slice(None) if chosen is None else chosen
        made = np.zeros((len(self.systems), len(self.queries)))
        for s, ranks in enumerate(self.ranks):
            weights = self.weights(measure, ranks[place])
            made[s] = np.bincount(
                self.query[place], weights=weights * values, minlength=len(self.queries)
            )
        return made

    def weights(self, measure: Measure, ranks: Integers) -> Floats:
        """Return the weight of each of the judge's documents by its rank; 0 if it is not ranked."""
        depth = max(1, int(self.retrieved.max(initial=1)))
        return np.concatenate([[0.0], rank_weights(measure, depth)])[ranks]

    def refuse_unlabelled(self, measure: Measure) -> None:
        """Raise if a run ranks documents above the cutoff that the judge did not label."""
        missing, example = 0, ""
        for s, ranks in enumerate(self.ranks):
            most = self.retrieved[s]
            if measure.cutoff is not None:
                most = np.minimum(most, int(measure.cutoff))
            there = (ranks > 0) & (ranks <= most[self.query])
            found = np.bincount(self.query[there], minlength=len(self.queries))
            lacking = most - found
            if lacking.any():
                q = int(np.argmax(lacking))
                example = example or (
                    f"{int(lacking[q])} of {int(most[q])} in run {self.systems[s]}, query "
                    f"{self.queries[q]!r}"
                )
                missing += int(lacking.sum())
        if missing:
            raise MismatchError(
                f"{measure}: {missing:,} ranked documents have no label of the judge ({example}). When "
                "people label some documents, the judge must label every document that a run ranks above "
                "the cutoff. Use a smaller cutoff, or let the judge label the missing documents."
            )


def ranked_labels(
    labels: MatchedLabels,
    runs: Any,
    names: SystemNames,
    progress: Callable[[str], None] | None,
) -> RankedLabels:
    """Join the judge's documents with the runs."""
    import polars as pl

    numbered = labels.judge.with_row_index("grade_index").select(
        "query", "document", pl.col("grade_index").cast(pl.Float64).alias("grade")
    )
    index = read_qrels(numbered)
    rankings = judged_runs(index, runs, Policies(system_names=names), progress)
    queries = rankings[0].items
    place = {query: k for k, query in enumerate(queries)}
    query = np.array([place[q] for q in labels.judge["query"]], dtype=np.int64)
    ranks = []
    retrieved = np.zeros((len(rankings), len(queries)), dtype=np.int64)
    for s, judged in enumerate(rankings):
        found = judged.rankings
        where = index.levels[found.codes].astype(np.int64)
        of_run = np.zeros(len(query), dtype=np.int64)
        of_run[where] = found.ranks
        retrieved[s] = judged.retrieved
        of_run[of_run > retrieved[s][query]] = 0
        ranks.append(of_run)
    return RankedLabels(
        tuple(judged.system for judged in rankings),
        tuple(queries),
        labels.judge["grade"].to_numpy().astype(np.float64),
        query,
        tuple(ranks),
        retrieved,
    )


def document_sample(
    ranked: RankedLabels,
    measure: Measure,
    pairs: pl.DataFrame,
    places: Integers,
    weight: float | None,
    sampling: str | None,
) -> DocumentSample:
    """Return the sums of one measure.

    Parameters
    ----------
    ranked : RankedLabels
        The ranks.
    measure : Measure
        A measure that is linear in the gains.
    pairs : polars.DataFrame
        The documents that people labelled, with the columns grade, guess, inclusion, drawn and frame.
    places : ndarray
        The place of each of them among the judge's documents.
    weight : float or None
        λ, if it is fixed.
    sampling : {"fixed", "poisson"} or None
        How documents were drawn, if the design variance is needed.
    """
    ranked.refuse_unlabelled(measure)
    grade, guess, chance = (
        pairs[column].to_numpy().astype(np.float64) for column in ("grade", "guess", "inclusion")
    )
    levels = np.unique(np.concatenate([ranked.guesses, grade]))
    mine, theirs = gains(measure, grade, levels), gains(measure, guess, levels)
    judge = ranked.sums(measure, gains(measure, ranked.guesses, levels))
    people = ranked.sums(measure, mine / chance, places)
    control = ranked.sums(measure, theirs / chance, places) - judge
    if sampling is None:
        return DocumentSample(people, control, judge)
    of_query = document_weights(people, control, weight)[1][ranked.query[places]]
    weights = np.stack([ranked.weights(measure, ranks[places]) for ranks in ranked.ranks])
    spread, freedom = [], 0.0
    for values in (weights * (mine - of_query * theirs), weights * mine):
        found, freedom = _design_covariance(values, pairs, ranked.query[places], sampling)
        spread.append(found / len(ranked.queries) ** 2)
    return DocumentSample(people, control, judge, (spread[0], spread[1]), freedom)


def _design_covariance(
    values: Floats, pairs: pl.DataFrame, query: Integers, sampling: str
) -> tuple[Floats, float]:
    """Return the covariance of the sums over queries that comes from drawing the documents that people label."""
    if sampling == "poisson":
        chance = pairs["inclusion"].to_numpy()
        return (values * ((1 - chance) / chance**2)) @ values.T, float(max(1, len(chance) - 1))
    drawn, frame = pairs["drawn"].to_numpy(), pairs["frame"].to_numpy()
    if ((drawn < 2) & (frame > drawn)).any():
        raise MismatchError(
            "people labelled one document only in some query, so the error of drawing documents is not "
            "known there. Use the target all-queries, or label at least two documents in every query."
        )
    counts = np.bincount(query)
    sums = np.stack([np.bincount(query, weights=row) for row in values])
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(counts > 0, sums / counts, 0.0)
        factor = frame**2 * (1 - drawn / frame) / drawn / (drawn - 1)
    centred = values - means[:, query]
    factor = np.where(frame > drawn, factor, 0.0)
    partial = counts[np.unique(query[frame > drawn])] if (frame > drawn).any() else np.array([2])
    return (centred * factor) @ centred.T, float(max(1, (partial - 1).sum()))


# The queries design: values under both sets of labels, from score tables.


def query_samples(
    human: Scores,
    judge: Scores,
    labelled: Sequence[str],
    others: Sequence[str],
    cluster: Clusters | None = None,
) -> list[QuerySample]:
    """Return the values of every measure under people's labels and under the judge's.

    Parameters
    ----------
    human, judge : Scores
        The same systems and measures under both sets of labels.
    labelled, others : sequence of str
        The queries that people labelled, and the others.
    cluster : optional
        The clusters of the queries.

    Returns
    -------
    list of QuerySample
        One per measure.
    """
    made = []
    clusters = query_clusters(judge, labelled, others, cluster)
    for name, measure in zip(human.measure_names, human.measures, strict=True):
        if averaging(measure) != "mean":
            raise MeasureError(
                f"{name} is not a mean over queries, so it cannot be estimated from a sample of queries."
            )
        ratio = measure in human.ratios
        gains = _three(human, judge, name, labelled, others, "gain" if ratio else "")
        rooms = _three(human, judge, name, labelled, others, "room") if ratio else None
        if rooms is not None and (rooms[0].mean(axis=1) <= 0).any():
            raise MismatchError(
                f"{name} is undefined: under people's labels chance scores as high as the ideal."
            )
        made.append(QuerySample(*gains, rooms, clusters))
    return made


def _three(
    human: Scores,
    judge: Scores,
    name: str,
    labelled: Sequence[str],
    others: Sequence[str],
    part: str,
) -> tuple[Floats, Floats, Floats]:
    tables = ((human, labelled, "people's"), (judge, labelled, "the judge's"))
    parts = []
    for scores, items, whose in (*tables, (judge, others, "the judge's")):
        place = {item: k for k, item in enumerate(scores.items)}
        column = [place[item] for item in items]
        m = scores.measure_names.index(name)
        values = (
            getattr(scores.ratios[scores.measures[m]], part) if part else scores.values[:, :, m]
        )
        chosen = np.ascontiguousarray(values[:, column])
        if np.isnan(chosen).any():
            s, i = (int(k) for k in np.argwhere(np.isnan(chosen))[0])
            raise MismatchError(
                f"{name} of {scores.systems[s]} on {items[i]!r} is undefined under {whose} labels. An "
                "estimate needs a value of every system and query."
            )
        parts.append(chosen)
    return parts[0], parts[1], parts[2]


def aligned_tables(
    human: Scores, judge: Scores
) -> tuple[Scores, Scores, list[str], list[str], list[Finding]]:
    """Return people's and the judge's score tables with the same systems and measures, and their items.

    Returns
    -------
    tuple
        Both tables, the items with human scores, the other items of the judge, and findings.
    """
    findings = []
    names = {
        "systems": (human.systems, judge.systems),
        "measures": (human.measure_names, judge.measure_names),
    }
    kept: dict[str, list[str]] = {}
    for what, (mine, theirs) in names.items():
        kept[what] = [name for name in mine if name in theirs]
        if not kept[what]:
            raise MismatchError(
                f"the two score tables have no {what} in common: people's have "
                f"{', '.join(mine[:3])}, the judge's {', '.join(theirs[:3])}."
            )
        lost = [name for name in (*mine, *theirs) if name not in kept[what]]
        if lost:
            message = f"{len(lost):,} {what} are not in both score tables; left out"
            findings.append(Finding("left out", message, len(lost), examples=listed(lost)))
    both = [
        table.select(systems=kept["systems"], measures=kept["measures"]) for table in (human, judge)
    ]
    complete = []
    for scores in both:
        there = np.asarray(~np.isnan(_known(scores)).any(axis=(0, 2)))
        complete.append({item for item, whole in zip(scores.items, there, strict=True) if whole})
    every = sorted(complete[1])
    labelled = [item for item in every if item in complete[0]]
    if not labelled:
        raise MismatchError(
            "no item has scores of people and of the judge for every system. Items are matched by id: "
            f"people's begin with {human.items[0]!r}, the judge's with {judge.items[0]!r}."
        )
    used = set(every)
    lost = sorted((set(human.items) - set(labelled)) | (set(judge.items) - used))
    if lost:
        message = (
            f"{len(lost):,} items lack a score of people or of the judge for some system; left out"
        )
        findings.append(Finding("left out", message, len(lost), examples=listed(lost)))
    known = set(labelled)
    return both[0], both[1], labelled, [item for item in every if item not in known], findings


def _known(scores: Scores) -> Floats:
    """Return the values under people's or the judge's labels; for a ratio of means the gains, which a query without room has as well."""
    values = scores.values.copy()
    for m, measure in enumerate(scores.measures):
        if measure in scores.ratios:
            values[:, :, m] = scores.ratios[measure].gain
    return values
