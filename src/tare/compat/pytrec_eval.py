"""The interface of pytrec_eval (pytrec_eval-terrier 0.5.11), with the same values to the last bit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import index

import numpy as np

from tare._measures.one_system import RankingEvaluation, Sampling
from tare.compat._arguments import flag, found
from tare.compat._trec_eval.columns import (
    NICKNAMES,
    SUPPORTED,
    as_divided_by_zero,
    requested_columns,
)
from tare.compat._trec_eval.measures import Settings
from tare.compat._trec_eval.rankings import LARGEST, judge_scores, prepare, qrels_of

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

__version__ = "0.5.11"

supported_measures = set(SUPPORTED)
supported_nicknames = {name: set(measures) for name, measures in NICKNAMES.items()}


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of a TREC run.

    Parameters
    ----------
    f_run : iterable of str
        Lines `query Q0 document rank score tag`, such as an open file.

    Returns
    -------
    dict
        The scores, {query: {document: score}}.

    Raises
    ------
    ValueError
        If a line does not have six fields, or a score is not a number.
    AssertionError
        If a document occurs twice for one query.

    Examples
    --------
    >>> dict(parse_run(["q1 Q0 d1 1 2.5 bm25"]))
    {'q1': {'d1': 2.5}}
    """
    run: dict[str, dict[str, float]] = defaultdict(dict)
    for line in f_run:
        query, _, document, _, score, _ = line.split()
        if document in run[query]:
            raise AssertionError(f"duplicate document {document!r} for query {query!r}")
        run[query][document] = float(score)
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read the lines of TREC qrels.

    Parameters
    ----------
    f_qrel : iterable of str
        Lines `query 0 document grade`, such as an open file.

    Returns
    -------
    dict
        The grades, {query: {document: grade}}.

    Raises
    ------
    ValueError
        If a line does not have four fields, or a grade is not an integer.
    AssertionError
        If a document occurs twice for one query.

    Examples
    --------
    >>> dict(parse_qrel(["q1 0 d1 2"]))
    {'q1': {'d1': 2}}
    """
    qrel: dict[str, dict[str, int]] = defaultdict(dict)
    for line in f_qrel:
        query, _, document, grade = line.split()
        if document in qrel[query]:
            raise AssertionError(f"duplicate document {document!r} for query {query!r}")
        qrel[query][document] = int(grade)
    return qrel


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Return the summary of a measure over queries.

    Parameters
    ----------
    measure : str
        The key of the result. The values of `num_` measures are added; those of `gm_` measures are
        logarithms, of which the geometric mean is made; others are averaged.
    values : sequence of float
        One value per query.

    Returns
    -------
    float
        The sum or mean.

    Examples
    --------
    >>> compute_aggregated_measure("map", [0.25, 0.75])
    0.5
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))


class RelevanceEvaluator:
    """Evaluates runs against relevance judgements.

    Parameters
    ----------
    query_relevance : dict
        The grades, {query: {document: grade}}. Queries without documents are ignored.
    measures : iterable of str
        Measures of trec_eval (`map`), with parameters (`ndcg_cut_10`, `ndcg_cut.1,3,10`), or sets of
        measures (`official`, `all_trec`).
    relevance_level : int, default 1
        The least relevant grade.
    judged_docs_only_flag : bool, default False
        Remove documents without a judgement from the rankings.

    Raises
    ------
    ValueError
        If a measure does not exist, or cannot have its parameters. pytrec_eval ends the process for
        some parameters, such as `P.0`.
    TypeError
        If an id is not a string, a grade is not an integer, or the level is below 1.

    Examples
    --------
    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 0, "d2": 1}}, {"map", "ndcg_cut.5"})
    >>> evaluator.evaluate({"q1": {"d1": 2.5, "d2": 1.5}})
    {'q1': {'map': 0.5, 'ndcg_cut_5': 0.6309297535714575}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        try:
            relevance_level = index(relevance_level)
        except TypeError:
            raise TypeError(
                f"Argument relevance_level should be integer, not {found(relevance_level)}."
            ) from None
        if not 1 <= relevance_level <= LARGEST:
            raise TypeError(
                "Argument relevance_level should be positive. It is "
                f"{found(relevance_level)}; the least relevant grade is from 1 to 2^53."
            )
        self._settings = Settings(
            level=relevance_level,
            judged_only=flag("judged_docs_only_flag", judged_docs_only_flag),
            compat=9,
        )
        self._columns = requested_columns(measures, self._settings)
        self._qrels = qrels_of(query_relevance)
        self._index = {query: i for i, query in enumerate(self._qrels.items)}

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return the values of a run.

        Parameters
        ----------
        scores : dict
            The scores, {query: {document: score}}. Scores are compared as 32-bit numbers, and documents
            with equal scores are ordered by descending id, as in trec_eval 9.

        Returns
        -------
        dict
            The values, {query: {measure: value}}, of the queries that have both scores and judgements.

        Raises
        ------
        TypeError
            If an id is not a string, or a score is not a number.
        ValueError
            If a score is NaN.
        """
        if not flag("scores", scores):
            return {}
        if not isinstance(scores, Mapping):
            raise TypeError(
                f"Argument object scores should be of type dictionary, not {type(scores).__name__}."
            )
        if not self._index:
            return {}
        judged, _ = prepare(judge_scores(self._qrels, scores), self._settings)
        evaluation = RankingEvaluation(judged, Sampling())
        columns = [column for _, column, _ in self._columns if column is not None]
        evaluation.prepare(c.measure for c in columns if c.measure is not None)
        table = np.empty((len(self._index), len(self._columns)))
        for at, (_, column, constant) in enumerate(self._columns):
            table[:, at] = constant if column is None else column.values(evaluation)
        as_divided_by_zero(table, self._columns, judged)
        names = [name for name, _, _ in self._columns]
        rows = table.tolist()
        return {
            query: dict(zip(names, rows[self._index[query]], strict=True))
            for query in scores
            if query in self._index
        }
