"""Measures that sum gains over ranks: CG, DCG, nDCG, RBP, and the nDCG variants of trec_eval."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._measures.definition import Arguments, Definition, KernelArguments, Parameter
from tare._measures.measure import Measure
from tare._measures.ranking.counting import (
    BASE,
    DISCOUNT,
    GAIN,
    GAINS,
    MAX_REL,
    MIN_REL,
    REL,
    gains_of,
    plain,
    unit_gains,
)

__all__ = ["DEFINITIONS"]

TREC_EVAL = "NIST. trec_eval. https://github.com/usnistgov/trec_eval"
JK02 = (
    "Järvelin, Kekäläinen. Cumulated Gain-Based Evaluation of IR Techniques. "
    "ACM Transactions on Information Systems 20(4), 2002."
)
MZ08 = (
    "Moffat, Zobel. Rank-Biased Precision for Measurement of Retrieval Effectiveness. "
    "ACM Transactions on Information Systems 27(1), 2008."
)
CWL = (
    "Azzopardi, Thomas, Moffat. cwl_eval: An Evaluation Tool for Information Retrieval. SIGIR 2019."
)
PERSISTENCE = Parameter(
    "p", "number", 0.8, "Probability of reading the next document.", low=0, high=1, open_ends=True
)
GRADED = Parameter(
    "max_rel",
    "number",
    None,
    "Use the gain grade/max_rel instead of 1 for relevant documents.",
    low=0,
    open_ends=True,
)


def _dcg(kernel: str) -> Arguments:
    def arguments(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
        return KernelArguments(
            kernel,
            gain=gains_of(measure, levels),
            discount=measure["discount"],
            discount_parameter=float(measure["base"]),
        )

    return arguments


def _cg(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
    return KernelArguments("DCG", gain=gains_of(measure, levels))


def _lagged(kernel: str) -> Arguments:
    def arguments(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
        has_rel = any(p.name == "rel" for p in measure.definition.parameters)
        rel = float(measure["rel"]) if has_rel else 1.0
        return KernelArguments(kernel, rel=rel, gain=gains_of(measure, levels), discount="log")

    return arguments


def _sdcg(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
    return KernelArguments("SDCG", gain=unit_gains(measure, levels), discount="log")


def _rbp(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
    rel, p = float(measure["rel"]), float(measure["p"])
    if measure["max_rel"] is None:
        gain = (levels >= max(rel, 0.0)).astype(np.float64)
    else:
        gain = np.clip(levels, 0.0, float(measure["max_rel"])) / float(measure["max_rel"])
    return KernelArguments("RBP", rel, gain, (p,), "geometric", p)


def _residual(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
    p = float(measure["p"])
    return KernelArguments(
        "RBPresidual", parameters=(p,), discount="geometric", discount_parameter=p
    )


DEFINITIONS = (
    Definition(
        "CG",
        "Cumulated gain",
        "CG@k = Σ_{i≤k} gain(g_i)",
        JK02,
        (GAIN, GAINS),
        "optional",
        bounds=(0, None),
        arguments=_cg,
        expected="mean gain × K",
        upper="sum of the k largest gains",
    ),
    Definition(
        "DCG",
        "Discounted cumulated gain",
        "DCG@k = Σ_{i≤k} gain(g_i)·disc(i)",
        JK02,
        (GAIN, GAINS, DISCOUNT, BASE),
        "optional",
        bounds=(0, None),
        arguments=_dcg("DCG"),
        expected="mean gain × Σ_{i≤K} disc(i)",
        upper="IDCG@k",
    ),
    Definition(
        "nDCG",
        "Normalised discounted cumulated gain",
        "nDCG@k = DCG@k / DCG@k of all judged documents by descending gain",
        JK02,
        (GAIN, GAINS, DISCOUNT, BASE),
        "optional",
        arguments=_dcg("nDCG"),
        aliases=("NDCG",),
        expected="E[DCG@k] / IDCG@k",
        upper="1",
        notes="Gain exp2 (2^l − 1): Burges et al., Learning to Rank Using Gradient Descent, ICML 2005.",
    ),
    Definition(
        "SDCG",
        "Scaled DCG",
        "Σ_{i≤k} gain_i/log2(i+1) / Σ_{i≤k} 1/log2(i+1), gains in [0, 1]",
        CWL,
        (MIN_REL, MAX_REL),
        "required",
        arguments=_sdcg,
        expected="mean gain × Σ_{i≤K} disc(i) / Σ_{i≤k} disc(i)",
        upper="that of the ideal order",
    ),
    Definition(
        "RBP",
        "Rank-biased precision",
        "RBP = (1−p) Σ_i gain_i·p^{i−1}",
        MZ08,
        (PERSISTENCE, GRADED, REL),
        "optional",
        arguments=_rbp,
        expected="mean gain × (1 − p^K)",
        upper="that of the ideal order",
    ),
    Definition(
        "RBPresidual",
        "Residual of rank-biased precision",
        "increase of RBP if every unjudged document, and all beyond the end, had gain 1",
        MZ08,
        (PERSISTENCE,),
        "optional",
        arguments=_residual,
        expected="1 − (judged/n)(1 − p^K)",
        upper="that of the order with judged documents last",
        notes="Smaller values are better. The rbp_resid of trec_eval is 0 if every document is judged; this measure is not.",
    ),
    Definition(
        "nDCGrel",
        "nDCG at relevant documents",
        "mean of nDCG at the ranks of the relevant documents; missed ones count with nDCG at the end",
        TREC_EVAL,
        (GAIN, GAINS),
        bounds=(0, None),
        arguments=_lagged("nDCGrel"),
        expected="by enumeration or sampling",
        upper="that of the ideal order",
    ),
    Definition(
        "RnDCG",
        "nDCG at levels",
        "mean of nDCG at the ranks where the ideal gain drops, and at the end of the ranking",
        TREC_EVAL,
        (GAIN, GAINS, REL),
        arguments=_lagged("RnDCG"),
        expected="linear in DCG at fixed ranks",
        upper="1",
    ),
    Definition(
        "G",
        "Lagged gain",
        "Σ gain_i/log2(2 + ideal so far − gained so far) / Σ ideal gains",
        TREC_EVAL,
        (GAIN, GAINS),
        bounds=(0, None),
        arguments=_lagged("G"),
        expected="by enumeration or sampling",
        upper="that of the ideal order",
    ),
    Definition(
        "binG",
        "Binary lagged gain",
        "(1/R) Σ over relevant: 1/log2(2 + non-relevant above)",
        TREC_EVAL,
        (REL,),
        arguments=plain("binG"),
        expected="by the number of relevant documents above, hypergeometric",
        upper="1",
    ),
)
