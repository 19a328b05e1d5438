"""An evaluator for sentence-transformers that adds measures of tare, such as scores net of chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tare._measures.evaluate_rankings import evaluate
from tare._measures.names import parse
from tare.errors import MissingExtraError

try:
    try:
        from sentence_transformers.sentence_transformer.evaluation import (
            InformationRetrievalEvaluator,
        )
    except ImportError:  # before version 6
        from sentence_transformers.evaluation import InformationRetrievalEvaluator
except ImportError:
    raise MissingExtraError(
        "sentence-transformers", None, "tare.compat.sentence_transformers"
    ) from None

__all__ = ["NetRetrievalEvaluator"]

MEASURES = ("E(nDCG@10)", "Net(nDCG@10)")


class NetRetrievalEvaluator(InformationRetrievalEvaluator):  # type: ignore[misc]
    """The evaluator of retrieval, with further measures.

    It is used like `InformationRetrievalEvaluator`, of which it is a subclass: all keys, files and the
    primary measure are the same. Each further measure adds a key, such as `cosine_Net(nDCG@10)`. Chance is
    a random ranking of the whole corpus.

    Parameters
    ----------
    queries, corpus : dict
        Texts by id.
    relevant_docs : dict
        By query the relevant ids, or a dictionary {id: grade}. Grades are used by the further measures.
    measures : list of str
        Measures of tare.
    **options
        Options of `InformationRetrievalEvaluator`, such as name, batch_size and ndcg_at_k.

    Examples
    --------
    >>> from tare.compat.sentence_transformers import NetRetrievalEvaluator
    >>> evaluator = NetRetrievalEvaluator(
    ...     {"q": "a cat"}, {"d1": "a cat sat", "d2": "a dog"}, {"q": {"d1"}}, name="pets"
    ... )
    >>> evaluator.greater_is_better
    True
    """

    def __init__(
        self,
        queries: Mapping[str, Any],
        corpus: Mapping[str, Any],
        relevant_docs: Mapping[str, Any],
        *positional: Any,
        measures: Sequence[str] = MEASURES,
        **options: Any,
    ) -> None:
        self.measures = [parse(measure) for measure in measures]
        self._grades = {
            query: dict(found) if isinstance(found, Mapping) else dict.fromkeys(found, 1)
            for query, found in relevant_docs.items()
        }
        sets = {
            query: {document for document, grade in found.items() if grade > 0}
            for query, found in self._grades.items()
        }
        super().__init__(dict(queries), dict(corpus), sets, *positional, **options)

    def compute_metrics(self, queries_result_list: Any) -> dict[str, dict[int, float]]:
        """Return the means of all measures for the rankings of one score function.

        Parameters
        ----------
        queries_result_list : list
            The found documents of each query.

        Returns
        -------
        dict
            Means by name and cutoff.
        """
        found: dict[str, dict[int, float]] = super().compute_metrics(queries_result_list)
        run = {
            query: {hit["corpus_id"]: float(hit["score"]) for hit in hits}
            for query, hits in zip(self.queries_ids, queries_result_list, strict=True)
        }
        grades = {query: self._grades[query] for query in self.queries_ids}
        scores = evaluate(grades, run, self.measures, pool="corpus", corpus=len(self.corpus_ids))
        for measure, mean in scores.means()["run"].items():
            found[str(measure)] = {0: mean}
        return found
