"""The evaluation of BEIR 2.2: `EvaluateRetrieval`."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tare._measures.evaluate_rankings import evaluate as evaluate_run
from tare.compat.pytrec_eval import RelevanceEvaluator
from tare.errors import MismatchError, OptionError

__all__ = ["EvaluateRetrieval"]

Grades = Mapping[str, Mapping[str, int]]
Results = Mapping[str, Mapping[str, float]]
Means = dict[str, float]

K_VALUES = (1, 3, 5, 10, 100, 1000)
_TABLES = {"NDCG": "ndcg_cut", "MAP": "map_cut", "Recall": "recall", "P": "P"}
_CUSTOM = {
    "mrr": ("MRR", "RR"),
    "mrr@k": ("MRR", "RR"),
    "mrr_cut": ("MRR", "RR"),
    "recall_cap": ("R_cap", "RelP"),
    "r_cap": ("R_cap", "RelP"),
    "r_cap@k": ("R_cap", "RelP"),
    "hole": ("Hole", ""),
    "hole@k": ("Hole", ""),
    "acc": ("Accuracy", "Success"),
    "top_k_acc": ("Accuracy", "Success"),
    "accuracy": ("Accuracy", "Success"),
    "accuracy@k": ("Accuracy", "Success"),
    "top_k_accuracy": ("Accuracy", "Success"),
}


class EvaluateRetrieval:
    """Retrieval and its evaluation, as in BEIR.

    Parameters
    ----------
    retriever : object, optional
        An object with the method `search(corpus, queries, top_k, score_function)`.
    k_values : list of int
        The cutoffs; `retrieve` returns as many documents as the largest.
    score_function : str, default "cos_sim"
        Passed to the retriever.

    Examples
    --------
    >>> qrels, results = {"q1": {"d1": 1, "d2": 1}}, {"q1": {"d3": 0.9, "d1": 0.5, "q1": 1.0}}
    >>> EvaluateRetrieval.evaluate(qrels, results, [1, 10])
    ({'NDCG@1': 0.0, 'NDCG@10': 0.38685}, {'MAP@1': 0.0, 'MAP@10': 0.25}, {'Recall@1': 0.0, 'Recall@10': 0.5}, {'P@1': 0.0, 'P@10': 0.1})
    """

    def __init__(
        self,
        retriever: Any = None,
        k_values: Sequence[int] = K_VALUES,
        score_function: str | None = "cos_sim",
    ) -> None:
        self.retriever = retriever
        self.k_values = list(k_values)
        self.top_k = max(k_values)
        self.score_function = score_function

    def retrieve(self, corpus: Any, queries: Any, **options: Any) -> Any:
        """Return what the retriever finds.

        Parameters
        ----------
        corpus, queries : dict
            Passed to the retriever.
        **options
            Passed to the retriever.

        Returns
        -------
        dict
            The results, {query: {document: score}}.
        """
        if self.retriever is None:
            raise OptionError("no retriever was given. Use EvaluateRetrieval(retriever).")
        return self.retriever.search(corpus, queries, self.top_k, self.score_function, **options)

    @staticmethod
    def evaluate(
        qrels: Grades,
        results: Results,
        k_values: Sequence[int],
        ignore_identical_ids: bool = True,
    ) -> tuple[Means, Means, Means, Means]:
        """Return means of nDCG, AP, recall and precision as BEIR does, rounded to five decimals.

        Parameters
        ----------
        qrels : dict
            The grades, {query: {document: grade}}.
        results : dict
            The scores, {query: {document: score}}. They are not changed.
        k_values : list of int
            The cutoffs.
        ignore_identical_ids : bool, default True
            Ignore a document whose id is that of the query.

        Returns
        -------
        tuple of dict
            The keys are NDCG@k, MAP@k, Recall@k and P@k. Queries that are not in both are left out of the
            means, as in BEIR; `tare.evaluate` counts missing queries as 0.

        Raises
        ------
        MismatchError
            If no query is in both.
        """
        if ignore_identical_ids:
            results = {
                query: {d: s for d, s in found.items() if d != query} if query in found else found
                for query, found in results.items()
            }
        cutoffs = ",".join(map(str, k_values))
        names = [f"{measure}.{cutoffs}" for measure in _TABLES.values()]
        scores = RelevanceEvaluator(qrels, names).evaluate(results)
        if not scores:
            raise MismatchError("no query of the results has judgements; compare the ids of both.")
        ndcg, ap, recall, precision = (
            {
                f"{label}@{k}": round(
                    _added(found[f"{measure}_{k}"] for found in scores.values()) / len(scores), 5
                )
                for k in k_values
            }
            for label, measure in _TABLES.items()
        )
        return ndcg, ap, recall, precision

    @staticmethod
    def evaluate_custom(
        qrels: Grades, results: Results, k_values: Sequence[int], metric: str
    ) -> Means:
        """Return means of another measure of BEIR, rounded to five decimals.

        Documents with equal scores are ordered by descending id, as in `evaluate`.

        Parameters
        ----------
        qrels, results : dict
            As in `evaluate`.
        k_values : list of int
            The cutoffs.
        metric : str
            "mrr", "recall_cap", "hole" (the share of documents that no query judges) or "top_k_accuracy".

        Returns
        -------
        dict
            The keys are MRR@k, R_cap@k, Hole@k or Accuracy@k.

        Raises
        ------
        OptionError
            If the measure is not known.
        """
        if metric.lower() not in _CUSTOM:
            raise OptionError(f"metric={metric!r} is not known. Accepted: {', '.join(_CUSTOM)}.")
        label, measure = _CUSTOM[metric.lower()]
        if label == "Hole":
            values = _holes(qrels, results, k_values)
        else:
            scores = evaluate_run(qrels, results, [f"{measure}@{k}" for k in k_values])
            values = [float(scores.values[0, :, i].sum()) for i in range(len(k_values))]
        return {
            f"{label}@{k}": round(v / len(qrels), 5) for k, v in zip(k_values, values, strict=True)
        }


def _added(values: Any) -> float:
    """Add one after the other, as BEIR does."""
    total = 0.0
    for value in values:
        total += value
    return total


def _holes(qrels: Grades, results: Results, k_values: Sequence[int]) -> list[float]:
    """Return BEIR's sum over queries of the share of unjudged documents (holes), by cutoff."""
    judged = {document for found in qrels.values() for document in found}
    order: Callable[[tuple[str, float]], tuple[float, str]] = lambda one: (one[1], one[0])  # noqa: E731
    sums = [0.0] * len(k_values)
    for found in results.values():
        first = [d for d, _ in heapq.nlargest(max(k_values), found.items(), key=order)]
        for i, k in enumerate(k_values):
            sums[i] += sum(document not in judged for document in first[:k]) / k
    return sums
