"""Rogan and Gladen's estimate of a share from a judge that says yes or no.

    θ = (J − (1 − Sp)·m)/(Se + Sp − 1)

J is the share of the judge's yes, m the share of ranks that hold a document (1 for full rankings), Se and Sp
the judge's sensitivity and specificity on the documents that people labelled. They are assumed to be the same
for all systems.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tare._decide.ppi.influences import Influences, Part
from tare._decide.ppi.samples import Floats
from tare.errors import MismatchError

__all__ = ["LabelCounts", "fit_shares"]


@dataclass(frozen=True, eq=False)
class LabelCounts:
    """Labels of people and judge by query, weighted by 1/π; queries without human labels have zeros.

    Attributes
    ----------
    found, relevant : ndarray
        Documents that both call relevant, and that people call relevant, by query.
    rejected, other : ndarray
        Documents that neither calls relevant, and that people do not call relevant, by query.
    yes, ranks : ndarray
        Share of ranks with a yes of the judge, and with a document: (systems, queries).
    """

    found: Floats
    relevant: Floats
    rejected: Floats
    other: Floats
    yes: Floats
    ranks: Floats

    @property
    def sensitivity(self) -> float:
        """Share of yes among the documents that people call relevant."""
        return float(self.found.sum() / self.relevant.sum())

    @property
    def specificity(self) -> float:
        """Share of no among the other documents that people labelled."""
        return float(self.rejected.sum() / self.other.sum())


def fit_shares(counts: LabelCounts, measure: str) -> Influences:
    """Estimate the shares of all systems, with the jackknife over queries.

    Parameters
    ----------
    counts : LabelCounts
        The labels by query.
    measure : str
        The name of the measure, for messages.

    Returns
    -------
    Influences
        The estimates and their errors; the error includes that of sensitivity and specificity.

    References
    ----------
    Rogan and Gladen (1978). American Journal of Epidemiology 107.
    """
    if counts.relevant.sum() == 0 or counts.other.sum() == 0:
        which = "no relevant" if counts.relevant.sum() == 0 else "only relevant"
        raise MismatchError(
            f"{measure}: people labelled {which} documents, so sensitivity and specificity are not "
            "both defined. Choose another method, or a measure with another rel=."
        )
    skill = counts.sensitivity + counts.specificity - 1
    if skill <= 0:
        raise MismatchError(
            f"{measure}: sensitivity {counts.sensitivity:.3f} and specificity "
            f"{counts.specificity:.3f} of the judge sum to {skill + 1:.3f}. Rogan and Gladen's estimate "
            "needs a sum above 1: the judge must be better than chance. Use the method t."
        )
    labelled = (counts.relevant + counts.other) > 0
    total = len(labelled)
    value = _shares(
        counts.sensitivity,
        counts.specificity,
        counts.yes.mean(axis=1),
        counts.ranks.mean(axis=1),
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        left = _shares(
            _without(counts.found) / _without(counts.relevant),
            _without(counts.rejected) / _without(counts.other),
            _without(counts.yes) / (total - 1),
            _without(counts.ranks) / (total - 1),
        )
    if not np.isfinite(left).all():
        raise MismatchError(
            f"{measure}: all documents of one class were labelled in one query, so the error of "
            "sensitivity and specificity cannot be estimated. Label more queries, or use the method t."
        )
    rows = -np.sqrt((total - 1) / total) * (left - left.mean(axis=1, keepdims=True))
    freedom = max(1.0, float(labelled.sum()) - 2)
    return Influences(value, (Part(rows, freedom),), np.asarray(np.nan))


def _shares(sensitivity: object, specificity: object, yes: Floats, ranks: Floats) -> Floats:
    se, sp = np.asarray(sensitivity), np.asarray(specificity)
    made: Floats = (yes - (1 - sp) * ranks) / (se + sp - 1)
    return made


def _without(values: Floats) -> Floats:
    """Return the sums without each query."""
    made: Floats = values.sum(axis=-1, keepdims=True) - values
    return made
