"""Measures averaged over intents, subtopic recall, and Sakai's D♯ family."""

from __future__ import annotations

from typing import Any

from tare import _kernels as kernels
from tare._measures.definition import Definition
from tare._measures.diversity.kernel import DiversityChance, kernel, values_by
from tare._measures.diversity.parameters import GAIN, GREEDY, REL, SEVERAL
from tare._measures.measure import Measure
from tare._measures.parameter import Parameter

__all__ = ["DEFINITIONS"]

AGRAWAL09 = "Agrawal, Gollapudi, Halverson, Ieong. Diversifying Search Results. WSDM 2009."
ZHAI03 = (
    "Zhai, Cohen, Lafferty. Beyond Independent Relevance: Methods and Evaluation Metrics for "
    "Subtopic Retrieval. SIGIR 2003."
)
SAKAI11 = (
    "Sakai, Song. Evaluating Diversified Search Results Using Per-intent Graded Relevance. "
    "SIGIR 2011."
)
GAMMA = Parameter("gamma", "number", 0.5, "Weight of subtopic recall.", low=0, high=1)


def _entry(kind: str, *fields: Any, **more: Any) -> Definition:
    def kernel_of(measure: Measure) -> kernels.DiversityKernel:
        return kernel(measure, kind)

    more |= {"family": "diversity", "needs": "subtopics"}
    more |= {"derive": values_by(kernel_of), "chance": DiversityChance(kernel_of)}
    return Definition(*fields, **more)


DEFINITIONS = (
    _entry(
        "subtopic_recall",
        "StRecall",
        "Subtopic recall",
        "|∪_{i≤k} subtopics of d_i| / m",
        ZHAI03,
        (REL,),
        "required",
        aliases=("S_recall", "strec", "I_recall", "I-recall", "I_rec"),
        expected="(1/m) Σ_j [1 − C(n−R_j, K)/C(n, K)]",
        upper=GREEDY,
        notes=f"The same as the I-rec of Sakai. {SEVERAL}",
    ),
    _entry(
        "precision",
        "P_IA",
        "Intent-aware precision",
        "Σ_j P(j|q)·P_j@k",
        AGRAWAL09,
        (REL,),
        "required",
        aliases=("P-IA",),
        expected="Σ_j P(j|q)·K·R_j/(n·k)",
        upper="documents by the probability of their subtopics, descending",
        notes=SEVERAL,
    ),
    _entry(
        "average_precision",
        "AP_IA",
        "Intent-aware average precision",
        "Σ_j P(j|q)·AP_j@k",
        AGRAWAL09,
        (REL,),
        "optional",
        aliases=("MAP_IA", "MAP-IA", "AP-IA"),
        expected="Σ_j P(j|q)·(1/R_j) Σ_{i≤K} (1/i)(R_j/n)[1 + (i−1)(R_j−1)/(n−1)]",
        upper=GREEDY,
        notes=SEVERAL,
    ),
    _entry(
        "reciprocal_rank",
        "RR_IA",
        "Intent-aware reciprocal rank",
        "Σ_j P(j|q)·RR_j@k",
        AGRAWAL09,
        (REL,),
        "optional",
        aliases=("MRR_IA", "MRR-IA", "RR-IA"),
        expected="Σ_j P(j|q) Σ_{i≤K} (1/i)·C(n−i, R_j−1)/C(n, R_j)",
        upper=GREEDY,
        notes=SEVERAL,
    ),
    _entry(
        "intent_ndcg",
        "nDCG_IA",
        "Intent-aware nDCG",
        "Σ_j P(j|q)·nDCG_j@k",
        AGRAWAL09,
        (GAIN, REL),
        "optional",
        aliases=("nDCG-IA", "NDCG_IA"),
        expected="Σ_{i≤K} 1/log2(i+1) · Σ_j P(j|q)·(mean gain)/IDCG_j",
        upper="documents by Σ_j P(j|q)·g_j/IDCG_j, descending",
        notes=SEVERAL,
    ),
    _entry(
        "global_ndcg",
        "D_nDCG",
        "D-nDCG",
        "nDCG@k of the global gain GG(d) = Σ_j P(j|q)·g_j(d)",
        SAKAI11,
        (GAIN, REL),
        "optional",
        aliases=("D-nDCG",),
        expected="Σ_{i≤K} 1/log2(i+1) · (mean GG)/ideal DCG of GG",
        upper="1",
        notes=SEVERAL,
    ),
    _entry(
        "sharp_ndcg",
        "Dsharp_nDCG",
        "D♯-nDCG",
        "γ·StRecall@k + (1−γ)·D_nDCG@k",
        SAKAI11,
        (GAMMA, GAIN, REL),
        "required",
        aliases=("D#-nDCG", "D♯-nDCG", "D#_nDCG", "D♯_nDCG"),
        expected="γ·E[StRecall] + (1−γ)·E[D_nDCG]",
        upper=GREEDY,
        notes=SEVERAL,
    ),
)
