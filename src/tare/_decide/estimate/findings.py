"""What a reader should know about the labels behind an estimate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tare._data.findings import Finding, listed
from tare._decide.ppi.balance import balance_of, balance_of_documents
from tare._decide.ppi.estimates import LEAST_CLUSTERS
from tare._decide.ppi.estimators import Estimator
from tare._decide.ppi.samples import Places, QuerySample
from tare._tables.text import p_stated
from tare.stats._corrections import adjust

if TYPE_CHECKING:
    import polars as pl

    from tare._decide.estimate.ranked_labels import RankedLabels

__all__ = ["FEW", "document_balance", "estimate_findings"]

EQUAL = 1e-6  # difference of probabilities that are the same

FEW = 10  # queries with human labels
UNBALANCED = 0.05  # p of the balance, below which it is reported as a warning


def estimate_findings(
    estimators: Sequence[Estimator], systems: Sequence[str], seed: int
) -> list[Finding]:
    """Return findings about the number of labels and the worth of the judge."""
    found = []
    sample = estimators[0].sample
    if sample.n < FEW:
        message = f"only {sample.n} queries have human labels; intervals from fewer than {FEW} are not reliable."
        found.append(Finding("few human labels", message, sample.n))
    if isinstance(sample, QuerySample):
        labelled, others = (len(sizes) for sizes in sample.cluster_sizes)
        if sample.clusters is not None and labelled < LEAST_CLUSTERS:
            message = (
                f"only {labelled} clusters have human labels; differences of systems are tested from "
                f"{LEAST_CLUSTERS} labelled clusters on."
            )
            found.append(Finding("few human labels", message, labelled))
        if not sample.judged:
            unit = "query" if sample.clusters is None else "cluster"
            message = (
                f"people labelled every {unit} of the judge, so the estimates use people's labels only."
                if others == 0
                else f"the judge labelled one {unit} more than people, which is too few to use its labels."
            )
            found.append(Finding("no other queries", message))
            return found
    found += _balance(estimators, seed)
    for estimator in estimators:
        if estimator.people_only:
            found.append(_people_only(estimator, systems))
        elif estimator.weight is None and float(estimator.fit.weight) == 0:
            message = (
                f"{estimator.measure}: λ = 0. The judge's labels do not predict people's here; they are worth "
                "nothing, and the estimates use people's labels only."
            )
            found.append(Finding("worthless judge", message))
    return found


def _balance(estimators: Sequence[Estimator], seed: int) -> list[Finding]:
    """Compare the judge's scores of labelled and other queries: was the sample drawn at random?"""
    tested = [
        (estimator.measure, balance, estimator.sample)
        for estimator in estimators
        if isinstance(estimator.sample, QuerySample)
        and (balance := balance_of(estimator.sample, seed)) is not None
    ]
    if not tested:
        return []
    _, first, sample = tested[0]
    drawn, others = (f"{len(sizes):,}" for sizes in sample.cluster_sizes)
    unit = "queries" if sample.clusters is None else "clusters"
    means = [
        f"{measure} {found.labelled:.3f} and {found.others:.3f} ({p_stated(found.p)})"
        for measure, found, _ in tested
    ]
    tried = f"all {first.samples:,}" if first.exact else f"{first.samples:,}"
    message = (
        f"Sample: the judge's mean scores of the {drawn} labelled and the {others} other {unit}, averaged over "
        f"systems: {', '.join(means)}; p is the share of {tried} random draws of {drawn} {unit} whose means "
        "are at least as far apart"
    )
    adjusted = adjust([found.p for _, found, _ in tested], "holm")
    corrected = f" after Holm's correction for {len(tested)} measures" if len(tested) > 1 else ""
    apart = [
        f"{measure} ({p_stated(p)})"
        for (measure, _, _), p in zip(tested, adjusted.tolist(), strict=True)
        if p <= UNBALANCED
    ]
    if not apart:
        message += f". No gap is significant{corrected}, which does not show that the sample was drawn at random"
        return [Finding("balance of the sample", message, severity="note")]
    message += (
        f". Random draws are seldom as far apart by {', '.join(apart)}{corrected}: find out how the {unit} "
        "for people were chosen"
    )
    return [Finding("unbalanced sample", message, len(apart))]


def document_balance(
    ranked: RankedLabels, pairs: pl.DataFrame, places: Places, seed: int
) -> list[Finding]:
    """Compare the judge's grades of labelled and other documents, if all of a query were equally likely."""
    share = pairs["drawn"] / pairs["frame"]
    equal = (pairs["inclusion"] - share).abs().max() <= EQUAL  # type: ignore[operator]
    if not (equal or pairs["inclusion"].n_unique() == 1):
        return []
    labelled = np.zeros(len(ranked.query), dtype=np.bool_)
    labelled[places] = True
    found = balance_of_documents(ranked.query, ranked.guesses, labelled, seed)
    if found is None:
        return []
    message = (
        f"Sample: the judge's mean grade is {found.labelled:.3f} for the documents that people labelled and "
        f"{found.others:.3f} for the others of the same queries ({p_stated(found.p)}: how often {found.samples:,} "
        "random draws within the queries are at least as far apart). "
    )
    if found.p > UNBALANCED:
        message += "This does not show that the sample was drawn at random"
        return [Finding("balance of the sample", message, severity="note")]
    message += (
        "Random draws are seldom as far apart: find out how the documents for people were chosen"
    )
    return [Finding("unbalanced sample", message)]


def _people_only(estimator: Estimator, systems: Sequence[str]) -> Finding:
    """Say why the judge is not used."""
    reasons = estimator.people_only
    low, high = estimator.bounds or (0.0, 1.0)
    outcomes = {word for why in reasons.values() for word in ("success", "failure") if word in why}
    if outcomes or estimator.binary:
        what = "failures" if outcomes == {"failure"} else "successes"
        why = f"too few labelled {what} to use the judge"
    else:
        why = f"the judge is not used, because it takes estimates out of the range {low:g} to {high:g}"
    message = f"{estimator.measure}: {why}. The estimates of all systems use people's labels only"
    examples = [f"{systems[s]}: {reason}" for s, reason in reasons.items()]
    return Finding("too few labels", message, len(reasons), examples=listed(examples))
