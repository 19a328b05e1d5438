"""Measures in which a subtopic counts less each time it is seen: α-nDCG, ERR-IA, NRBP."""

from __future__ import annotations

from typing import Any

from tare import _kernels as kernels
from tare._measures.definition import Definition
from tare._measures.diversity.kernel import DiversityChance, KernelOf, kernel, values_by
from tare._measures.diversity.parameters import (
    ALPHA,
    BETA,
    GREEDY,
    IDEAL,
    NORMALIZE,
    REL,
    SEVERAL,
    UNLIMITED,
)
from tare._measures.measure import Measure

__all__ = ["DEFINITIONS"]

CLARKE08 = (
    "Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher, MacKinnon. Novelty and Diversity in "
    "Information Retrieval Evaluation. SIGIR 2008."
)
CHAPELLE09 = (
    "Chapelle, Metzler, Zhang, Grinspan. Expected Reciprocal Rank for Graded Relevance. CIKM 2009."
)
CLARKE09 = (
    "Clarke, Kolla, Vechtomova. An Effectiveness Measure for Ambiguous and Underspecified Queries. "
    "ICTIR 2009."
)
CASCADE = "Σ_j w_j Σ_{i≤K} d(i)·(R_j/n)·E[(1−α)^M], M ~ Hypergeometric(n−1, R_j−1, i−1)"


def _by(weights: str, scale: str, plain: str = "none") -> KernelOf:
    def kernel_of(measure: Measure) -> kernels.DiversityKernel:
        named = {p.name for p in measure.definition.parameters}
        whole = "normalize" not in named or measure["normalize"]
        return kernel(measure, "cascade", weights=weights, scale=scale if whole else plain)

    return kernel_of


def _entry(kernel_of: KernelOf, *fields: Any, **more: Any) -> Definition:
    more |= {"family": "diversity", "needs": "subtopics"}
    more |= {"derive": values_by(kernel_of), "chance": DiversityChance(kernel_of)}
    return Definition(*fields, **more)


DEFINITIONS = (
    _entry(
        _by("logarithmic", "unlimited"),
        "alpha_DCG",
        "α-DCG",
        "Σ_{i≤k} 1/log2(i+1) · Σ_{j ∈ d_i} (1−α)^{times j was seen before}",
        CLARKE08,
        (ALPHA, REL, NORMALIZE),
        "required",
        (0, None),
        aliases=("α_DCG", "alpha-DCG", "α-DCG"),
        expected=CASCADE + ", d(i) = 1/log2(i+1)",
        upper=GREEDY,
        notes=f"{UNLIMITED} normalize=false gives the plain sum. {SEVERAL}",
    ),
    _entry(
        _by("logarithmic", "pool"),
        "alpha_nDCG",
        "α-nDCG",
        "α-DCG@k / α-DCG@k of the greedy ideal ranking of the judged documents",
        CLARKE08,
        (ALPHA, REL, IDEAL),
        "required",
        (0, None),
        aliases=("α_nDCG", "alpha-nDCG", "α-nDCG"),
        expected="E[α-DCG@k] / its ideal",
        upper=GREEDY,
        notes=f"A ranking better than the greedy one scores above 1. {SEVERAL}",
    ),
    _entry(
        _by("reciprocal", "unlimited", "intents"),
        "ERR_IA",
        "Intent-aware ERR",
        "Σ_j P(j|q) Σ_{i≤k} (1/i)·α(1−α)^{times j was seen before}, over the relevant d_i",
        CHAPELLE09,
        (ALPHA, REL, NORMALIZE),
        "required",
        aliases=("ERR-IA",),
        expected=CASCADE + ", d(i) = 1/i",
        upper=GREEDY,
        notes=f"{UNLIMITED} normalize=false gives the mean of ERR over intents. {SEVERAL}",
    ),
    _entry(
        _by("reciprocal", "pool"),
        "nERR_IA",
        "Normalised intent-aware ERR",
        "ERR_IA@k / ERR_IA@k of the greedy ideal ranking of the judged documents",
        CHAPELLE09,
        (ALPHA, REL, IDEAL),
        "required",
        (0, None),
        aliases=("nERR-IA",),
        expected="E[ERR_IA@k] / its ideal",
        upper=GREEDY,
        notes=SEVERAL,
    ),
    _entry(
        _by("geometric", "unlimited"),
        "NRBP",
        "Novelty- and rank-biased precision",
        "(1−(1−α)β)/m · Σ_i β^{i−1} Σ_{j ∈ d_i} (1−α)^{times j was seen before}",
        CLARKE09,
        (ALPHA, BETA, REL),
        "none",
        expected=CASCADE + ", d(i) = β^{i−1}",
        upper=GREEDY,
        notes=SEVERAL,
    ),
    _entry(
        _by("geometric", "pool"),
        "nNRBP",
        "Normalised NRBP",
        "NRBP / NRBP of the greedy ideal ranking of the judged documents",
        CLARKE09,
        (ALPHA, BETA, REL, IDEAL),
        "none",
        (0, None),
        aliases=("NNRBP",),
        expected="E[NRBP] / its ideal",
        upper=GREEDY,
        notes=f"0 for a query without a relevant document, for which ndeval prints nan. {SEVERAL}",
    ),
)
