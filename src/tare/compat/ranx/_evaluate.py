"""Evaluation of a run by measures with the names of ranx."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._measures.evaluate import evaluate as evaluate_run
from tare.compat._arguments import flag, mapping, texts
from tare.compat.ranx._dictionary import Dictionary
from tare.compat.ranx._names import read_name
from tare.compat.ranx._tables import Qrels, Run
from tare.errors import MismatchError

__all__ = ["evaluate", "values_of"]

Values = NDArray[np.float64]


def evaluate(
    qrels: Qrels | Dictionary,
    run: Run | Dictionary,
    metrics: str | Sequence[str],
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """Return the scores of a run.

    Documents with equal scores are ordered by descending id, as in trec_eval; ranx keeps the order in
    which they were added. RBP counts relevant documents, as it is defined; ranx multiplies by the grade,
    so that its values can exceed 1.

    Parameters
    ----------
    qrels : Qrels or dict
        The judgements.
    run : Run or dict
        The ranked documents.
    metrics : str or list of str
        Names such as "ndcg@10", "map@100", "mrr", "hit_rate@5", "rbp.95", "recall@10-l2".
    return_mean : bool, default True
        Return means; otherwise arrays with one value per query, sorted by query id.
    return_std : bool, default False
        With means, also return standard deviations.
    threads : int, default 0
        Has no effect: all cores are used, and the values do not depend on it.
    save_results_in_run : bool, default True
        Save the values in `run.scores`, `run.mean_scores` and `run.std_scores`.
    make_comparable : bool, default False
        Evaluate the queries of the qrels: those missing from the run score 0, others are ignored. The
        run itself is not changed.

    Returns
    -------
    float, ndarray or dict
        One result for one name, otherwise a dictionary of results by name.

    Raises
    ------
    MismatchError
        If the queries of run and qrels differ, unless `make_comparable` is set.
    MeasureError
        If a name is not known.

    Examples
    --------
    >>> qrels = Qrels({"q_1": {"d_12": 5, "d_25": 3}})
    >>> run = Run({"q_1": {"d_12": 0.9, "d_23": 0.8, "d_25": 0.7}}, name="bm25")
    >>> float(evaluate(qrels, run, "map")), float(evaluate(qrels, run, "mrr"))
    (0.8333333333333333, 1.0)
    """
    names = [metrics] if isinstance(metrics, str) else texts("metrics", metrics)
    queries, values = values_of(qrels, run, names, make_comparable)
    if isinstance(run, Run) and save_results_in_run:
        for name, found in values.items():
            run.mean_scores[name] = np.mean(found)
            if return_mean and return_std:
                run.std_scores[name] = np.std(found)
            run.scores[name] = dict(zip(queries, found.tolist(), strict=True))
    results: dict[str, Any] = {}
    for name, found in values.items():
        results[name] = found
        if return_mean:
            mean = np.mean(found)
            results[name] = {"mean": mean, "std": np.std(found)} if return_std else mean
    return results[names[0]] if len(names) == 1 else results


def values_of(
    qrels: Qrels | Dictionary,
    run: Run | Dictionary,
    names: Sequence[str],
    make_comparable: bool = False,
) -> tuple[list[str], dict[str, Values]]:
    """Return the queries in ascending order, and by name one value for each of them."""
    grades = qrels.qrels if isinstance(qrels, Qrels) else mapping("qrels", qrels)
    ranked = run.run if isinstance(run, Run) else mapping("run", run)
    if flag("make_comparable", make_comparable):
        ranked = {query: ranked.get(query, {}) for query in grades}
    _check_queries(grades, ranked)
    named = {name: read_name(name) for name in names}
    found: dict[str, Values] = {}
    for level in dict.fromkeys(one.level for one in named.values()):
        wanted = {name: one for name, one in named.items() if one.level == level}
        above = {
            q: {d: g if g >= level else 0 for d, g in docs.items()} for q, docs in grades.items()
        }
        if not any(above.values()) or not any(ranked.values()):
            found |= {name: np.zeros(len(grades)) for name in wanted}
            continue
        judged = {query: docs for query, docs in above.items() if docs}
        measures = list(dict.fromkeys(one.measure for one in wanted.values()))
        scores = evaluate_run(judged, {q: ranked[q] for q in judged}, measures)
        rows = {item: i for i, item in enumerate(scores.items)}
        for name, one in wanted.items():
            column = scores.values[0, :, measures.index(one.measure)]
            values = [column[rows[q]] if q in rows else 0.0 for q in sorted(grades)]
            found[name] = one.finish(np.array(values, dtype=np.float64))
    return sorted(grades), {name: found[name] for name in names}


def _check_queries(grades: Mapping[str, Any], ranked: Mapping[str, Any]) -> None:
    if grades.keys() == ranked.keys():
        return
    missing, unknown = sorted(grades.keys() - ranked.keys()), sorted(ranked.keys() - grades.keys())
    parts = [
        f"{len(found):,} queries are only in the {name}, such as {found[0]!r}"
        for name, found in (("qrels", missing), ("run", unknown))
        if found
    ]
    raise MismatchError(
        f"Qrels and Run query ids do not match: {'; '.join(parts)}. Pass make_comparable=True to give 0 "
        "to queries missing from the run and to ignore those not in the qrels."
    )
