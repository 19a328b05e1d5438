"""Evaluation of lists of ids, of arrays and of matrices of scored labels, without query ids: the inputs of RAG and of machine learning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tare._choices import Ties, Unjudged
from tare._data.findings import Finding
from tare._data.qrels import Qrels, read_qrels
from tare._data.runs import Run, read_run
from tare._data.tables import is_list
from tare._measures.evaluate_rankings import evaluate
from tare.errors import FormatError, MismatchError

if TYPE_CHECKING:
    from tare._measures.inputs import CandidatesInput, MeasuresInput
    from tare._measures.scores import Scores

__all__ = ["evaluate_arrays", "evaluate_lists", "lrap"]


# Evaluation of lists of ids and of arrays, without query ids: the inputs of RAG and of machine
# learning.


def evaluate_lists(
    retrieved: Sequence[Sequence[object]] | Mapping[str, Sequence[Sequence[object]]],
    relevant: Sequence[object],
    measures: MeasuresInput,
    *,
    queries: Sequence[object] | None = None,
    system: str = "run",
    unjudged: Unjudged = "nonrelevant",
    depth: int | None = None,
    pool: str | None = None,
    corpus: int | str | None = None,
    candidates: CandidatesInput | None = None,
    seed: int = 0,
) -> Scores:
    """Score lists of retrieved ids against lists of relevant ids.

    If an id appears again in a list, the first one counts, and a finding reports it.

    Parameters
    ----------
    retrieved
        One list of ids per query, best first; or ``{system: lists}`` for several systems.
    relevant
        For each query, in the same order: the relevant ids as a list or set, one id, or
        ``{id: grade}``. A query without relevant ids is left out, and a finding reports it.
    measures
        One or several measures, such as ``["nDCG@10", "Recall@5"]``.
    queries
        The ids of the queries; by default they are numbered from 1.
    system
        The name of the system, if there is one.
    unjudged, depth, pool, corpus, candidates, seed
        See `evaluate`.

    Returns
    -------
    Scores
        One value per query and measure.

    Raises
    ------
    MismatchError
        If the lists have different lengths.
    FormatError
        If a list does not hold ids.

    Examples
    --------
    >>> import tare
    >>> retrieved = [["d2", "d1", "d2"], ["d7", "d9"]]
    >>> scores = tare.evaluate_lists(retrieved, [["d1"], ["d7", "d8"]], ["RR", "Recall@2"])
    >>> scores["RR"].mean, scores["Recall@2"].mean
    (0.75, 0.75)
    """
    systems = dict(retrieved) if isinstance(retrieved, Mapping) else {system: retrieved}
    ids = _query_ids(queries, len(_lists(relevant, "relevant")))
    runs = []
    for name, lists in systems.items():
        given = _lists(lists, f"retrieved ids of {name!r}")
        if len(given) != len(ids):
            raise MismatchError(
                f"{name}: {len(given):,} lists of retrieved ids, but {len(ids):,} of relevant ids. "
                "Give one list per query in both."
            )
        for number, one in enumerate(given, 1):
            if not is_list(one) or isinstance(one, AbstractSet):
                raise FormatError(
                    f"retrieved ids of {name!r}, query {number}: a {type(one).__name__}; expected a "
                    "list of ids, best first."
                )
        runs.append(_run_of(dict(zip(ids, given, strict=True)), str(name)))
    return evaluate(
        _qrels_of(dict(zip(ids, relevant, strict=True))),
        runs,
        measures,
        unjudged=unjudged,
        depth=depth,
        pool=pool,
        corpus=corpus,
        candidates=candidates,
        seed=seed,
    )


def evaluate_arrays(
    y_true: ArrayLike,
    y_score: ArrayLike,
    measures: MeasuresInput,
    *,
    indexes: ArrayLike | None = None,
    system: str = "run",
    ties: Ties = "trec",
    depth: int | None = None,
    pool: str | None = None,
    seed: int = 0,
) -> Scores:
    """Score arrays of predicted scores against arrays of grades.

    Every value is a document that was ranked and judged. A document is named by its place.

    Parameters
    ----------
    y_true
        The grades: one row per query, or one value per document with `indexes`.
    y_score
        The predicted scores, in the same shape.
    measures
        One or several measures, such as ``["nDCG@10", "AP"]``.
    indexes
        The query of each value, if the arrays have one dimension.
    system
        The name of the system.
    ties, depth, pool, seed
        See `evaluate`.

    Returns
    -------
    Scores
        One value per query and measure.

    Raises
    ------
    MismatchError
        If the arrays have different shapes.
    FormatError
        If the arrays are not numbers, or `indexes` is missing.

    Examples
    --------
    >>> import tare
    >>> y_true, y_score = [1, 0, 0, 1], [0.9, 0.1, 0.8, 0.3]
    >>> tare.evaluate_arrays(y_true, y_score, "RR", indexes=[0, 0, 1, 1]).mean
    0.75
    """
    grades, scores = _numbers(y_true, "y_true"), _numbers(y_score, "y_score")
    if grades.shape != scores.shape:
        raise MismatchError(f"y_true has the shape {grades.shape}, y_score {scores.shape}.")
    if grades.ndim == 2 and indexes is None:
        places = np.repeat(np.arange(1, len(grades) + 1), grades.shape[1])
    elif grades.ndim == 1 and indexes is not None:
        places = np.asarray(indexes)
        if places.shape != grades.shape:
            raise MismatchError(f"indexes has the shape {places.shape}, y_true {grades.shape}.")
    else:
        raise FormatError(
            f"y_true has {grades.ndim} dimensions. Give arrays of one row per query, or arrays of one "
            "dimension and the query of each value as indexes=."
        )
    columns = {"query": places.tolist(), "document": list(range(grades.size))}
    return evaluate(
        read_qrels(columns | {"grade": grades.reshape(-1).tolist()}),
        read_run(columns | {"score": scores.reshape(-1).tolist()}, system=system),
        measures,
        ties=ties,
        depth=depth,
        pool=pool,
        seed=seed,
    )


def _numbers(given: ArrayLike, name: str) -> Any:
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise FormatError(f"{name} is not an array of numbers.") from None


def _lists(given: Any, what: str) -> Sequence[Any]:
    if isinstance(given, str | bytes | Mapping | AbstractSet) or not hasattr(given, "__len__"):
        raise FormatError(
            f"{what}: a {type(given).__name__}; expected a list with one list of ids per query."
        )
    found: Sequence[Any] = given
    return found


def _query_ids(queries: Sequence[object] | None, count: int) -> list[str]:
    if queries is None:
        return [str(number) for number in range(1, count + 1)]
    ids = [str(query) for query in queries]
    if len(ids) != count:
        raise MismatchError(f"{len(ids):,} queries, but {count:,} lists of relevant ids.")
    if len(set(ids)) < len(ids):
        again = next(query for place, query in enumerate(ids) if query in ids[:place])
        raise FormatError(f"the query {again!r} appears twice in queries.")
    return ids


def _run_of(lists: dict[str, Any], system: str) -> Run:
    """Return the run of lists of retrieved ids; a system that retrieved nothing at all is an error."""
    if not any(len(one) for one in lists.values()):
        raise FormatError(f"retrieved ids of {system!r}: all lists are empty.")
    return read_run(lists, system=system)


def _qrels_of(relevant: dict[str, Any]) -> Qrels:
    grades: dict[str, dict[str, Any]] = {}
    repeats: list[str] = []
    for query, given in relevant.items():
        if isinstance(given, Mapping):
            grades[query] = {str(document): grade for document, grade in given.items()}
            continue
        if not is_list(given) and not isinstance(given, str | int | np.integer):
            raise FormatError(
                f"relevant ids, query {query}: a {type(given).__name__}; expected a list or set of ids, "
                "one id, or {id: grade}."
            )
        ids = [str(one) for one in given] if is_list(given) else [str(given)]
        grades[query] = dict.fromkeys(ids, 1)
        repeats += [f"{query} {one}" for place, one in enumerate(ids) if one in ids[:place]]
    empty = [query for query, documents in grades.items() if not documents]
    kept = {query: documents for query, documents in grades.items() if documents}
    if not kept:
        raise FormatError("relevant ids: no query has a relevant id.")
    qrels = read_qrels(kept)
    findings = list(qrels.findings)
    if repeats:
        findings.append(
            Finding(
                "duplicate judgements",
                f"relevant ids: {_count(len(repeats))} again in the same list; each id counts once.",
                len(repeats),
                examples=tuple(repeats[:3]),
            )
        )
    if empty:
        findings.append(
            Finding(
                "empty lists",
                f"relevant ids: {len(empty):,} of {len(grades):,} queries have no relevant id and are "
                "left out.",
                len(empty),
                examples=tuple(empty[:3]),
            )
        )
    qrels.findings = tuple(findings)
    return qrels


def _count(number: int) -> str:
    return "1 id appears" if number == 1 else f"{number:,} ids appear"


# Label ranking average precision, for matrices of scored labels.


def lrap(truth: ArrayLike, scores: ArrayLike) -> float:
    """Return the label ranking average precision (LRAP) of a matrix of scores.

    LRAP is the mean over rows of (1/R) Σ_{true d} |true, s ≥ s_d| / |all, s ≥ s_d|. Tied labels count
    as ranked above. With one true label per row it equals the mean reciprocal rank. A row without a
    true label counts 1, as in scikit-learn.

    Parameters
    ----------
    truth
        A matrix of 0 and 1, one row per item and one column per label.
    scores
        A matrix of the same shape; higher scores rank first.

    Returns
    -------
    float
        The mean over rows; 0 for a matrix without rows.

    Raises
    ------
    MismatchError
        If the shapes differ, or a value is not accepted.

    References
    ----------
    Tsoumakas, Katakis, Vlahavas. Mining Multi-label Data. Data Mining and Knowledge Discovery
    Handbook, 2010.

    Examples
    --------
    >>> import tare
    >>> round(tare.lrap([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]), 4)
    0.4167
    """
    labels, given = np.asarray(truth), np.asarray(scores, dtype=np.float64)
    if labels.ndim != 2 or labels.shape != given.shape:
        raise MismatchError(
            f"truth of shape {labels.shape} and scores of shape {given.shape}: both must be "
            "matrices of the same shape, with one row per item and one column per label."
        )
    if not np.isin(labels, (0, 1)).all():
        raise MismatchError("truth contains values other than 0 and 1.")
    if not np.isfinite(given).all():
        raise MismatchError("scores contain values that are not finite.")
    true = labels.astype(bool)
    total = 0.0
    for row, line in zip(true, given, strict=True):
        if not row.any():
            total += 1.0
            continue
        everyone, relevant = np.sort(line), np.sort(line[row])
        at_least = len(line) - np.searchsorted(everyone, relevant, side="left")
        true_at_least = len(relevant) - np.searchsorted(relevant, relevant, side="left")
        total += float(np.mean(true_at_least / at_least))
    return total / len(true) if len(true) else 0.0
