"""The documents design: which labelled documents each run ranks where, and the sums of their gains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._choices import SystemNames
from tare._data.judged import Policies
from tare._data.qrels import read_qrels
from tare._decide.estimate.labels import MatchedLabels
from tare._decide.estimate.linear_measures import gains, rank_weights
from tare._decide.ppi.document_design import document_weights
from tare._decide.ppi.samples import DocumentSample, Floats
from tare._measures.evaluate_rankings import judged_runs
from tare._measures.measure import Measure
from tare.errors import MismatchError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RankedLabels", "document_sample", "ranked_labels"]

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
        """Return Σ w·value over the documents, or some of them, by system and query."""
        place = slice(None) if chosen is None else chosen
        made = np.zeros((len(self.systems), len(self.queries)))
        for s, ranks in enumerate(self.ranks):
            weights = self.weights(measure, ranks[place])
            made[s] = np.bincount(
                self.query[place], weights=weights * values, minlength=len(self.queries)
            )
        return made

    def weights(self, measure: Measure, ranks: Integers) -> Floats:
        """Return the weight of each document by its rank; 0 if it is not ranked."""
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
    """Return the covariance of the sums over queries that comes from drawing documents."""
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
