"""Strengths of documents from preferences, by the models of Bradley–Terry and Davidson.

P(a beats b) ∝ π_a, P(b beats a) ∝ π_b, P(tie) ∝ ν·√(π_a·π_b). Without ties this is Bradley–Terry.

Bradley, Terry. Rank Analysis of Incomplete Block Designs. Biometrika 39, 1952.
Davidson. On Extending the Bradley–Terry Model to Accommodate Ties. JASA 65, 1970.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tare._data import findings
from tare._data.preferences import Judgement, Preferences, read_preferences
from tare._result import Result, Rows
from tare._tables import Column, Table
from tare.errors import OptionError

__all__ = ["Strengths", "strengths"]

Array = NDArray[np.float64]
STEPS = 100


@dataclass(frozen=True, repr=False)
class Strengths(Result):
    """Strengths of the documents of each query, with confidence intervals.

    Attributes
    ----------
    queries, documents
        The query and id of each document.
    values
        The strength log π of each document; the mean per query is 0.
    low, high
        The confidence interval of each strength.
    ties
        log ν of each query with ties.
    confidence
        The confidence level of the intervals.
    """

    queries: tuple[str, ...]
    documents: tuple[str, ...]
    values: Array
    low: Array
    high: Array
    ties: dict[str, float]
    confidence: float

    def rows(self) -> Rows:
        """Return one row per document."""
        columns = zip(self.queries, self.documents, self.values, self.low, self.high, strict=True)
        return [
            {
                "query": query,
                "document": document,
                "strength": float(value),
                "low": float(low),
                "high": float(high),
            }
            for query, document, value, low, high in columns
        ]

    def table(self) -> Table:
        """Return one row per document."""
        columns = [Column("query", align="left"), Column("document", align="left")]
        columns += map(Column, ("strength", "low", "high"))
        note = f"Strength is log π, with {self.confidence:.0%} confidence intervals."
        return Table.of(columns, [tuple(row.values()) for row in self.rows()], notes=[note])

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return {query: {document: strength}}, which `read_qrels` accepts as grades."""
        found: dict[str, dict[str, float]] = {}
        for query, document, value in zip(self.queries, self.documents, self.values, strict=True):
            found.setdefault(query, {})[document] = float(value)
        return found


def strengths(
    preferences: findings.Table | Preferences, *, prior: float = 0.1, confidence: float = 0.95
) -> Strengths:
    """Estimate the strength of each query's documents from simple preferences.

    Parameters
    ----------
    preferences
        Preferences, as in `tare.read_preferences`. Conditional judgements are not used.
    prior
        The precision of a normal prior on log π. Without it, a document that never lost would have
        an infinite strength.
    confidence
        The confidence level of the intervals.

    Returns
    -------
    Strengths
        The strength of each document.

    Raises
    ------
    OptionError
        If `prior` or `confidence` is out of range.

    Examples
    --------
    >>> found = strengths([("q", "a", "b", "a"), ("q", "a", "c", "a"), ("q", "b", "c", "b")])
    >>> [document for _, document in sorted(zip(-found.values, found.documents))]
    ['a', 'b', 'c']
    """
    if prior <= 0 or not 0 < confidence < 1:
        raise OptionError("prior must be above 0, and confidence between 0 and 1.")
    given = read_preferences(preferences)
    width = NormalDist().inv_cdf(0.5 + confidence / 2)
    queries: list[str] = []
    documents: list[str] = []
    parts: list[Array] = []
    ties: dict[str, float] = {}
    for query, judgements in given.by_query.items():
        simple = [j for j in judgements if not j.given]
        if not simple:
            continue
        names = sorted({d for j in simple for d in (j.left, j.right)}, key=str.encode)
        value, error, tie = _fit(simple, names, prior)
        queries += [query] * len(names)
        documents += names
        parts.append(np.stack([value, value - width * error, value + width * error]))
        if tie is not None:
            ties[query] = tie
    values, low, high = np.concatenate(parts, axis=1) if parts else np.zeros((3, 0))
    return Strengths(tuple(queries), tuple(documents), values, low, high, ties, confidence)


def _fit(
    judgements: list[Judgement], names: list[str], prior: float
) -> tuple[Array, Array, float | None]:
    """Fit by Newton's method; the posterior of this logit model has a single mode."""
    place = {d: i for i, d in enumerate(names)}
    left = np.array([place[j.left] for j in judgements])
    right = np.array([place[j.right] for j in judgements])
    outcome = np.array([{1.0: 0, 0.0: 1, 0.5: 2}[j.share] for j in judgements])
    n, with_ties = len(names), bool((outcome == 2).any())
    design = np.zeros((len(judgements), 3, n + 1))
    row = np.arange(len(judgements))
    design[row, 0, left] = design[row, 1, right] = 1
    design[row, 2, left] = design[row, 2, right] = 0.5
    design[:, 2, n] = 1
    penalty = np.full(n + 1, prior)
    theta = np.zeros(n + 1)
    theta[n] = 0.0 if with_ties else -math.inf
    hessian = np.eye(n + 1)
    for _ in range(STEPS):
        scores = design @ np.where(np.isfinite(theta), theta, 0.0)
        if not with_ties:
            scores[:, 2] = -np.inf
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        mean = np.matmul(p[:, None, :], design)[:, 0, :]
        free = np.where(np.isfinite(theta), theta, 0.0)
        gradient = design[row, outcome].sum(axis=0) - mean.sum(axis=0) - penalty * free
        rooted = (design * np.sqrt(p)[:, :, None]).reshape(-1, n + 1)
        hessian = rooted.T @ rooted - mean.T @ mean + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        theta = theta + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-10:
            break
    centre = np.eye(n) - 1 / n  # intervals are for the centred strengths
    error = np.sqrt(np.diag(centre @ np.linalg.inv(hessian)[:n, :n] @ centre))
    value = theta[:n] - theta[:n].mean()
    return value, error, float(theta[n]) if with_ties else None
