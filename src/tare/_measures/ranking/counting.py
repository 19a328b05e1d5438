"""Measures that count documents, such as precision and recall, at a cutoff or over the whole set; and parameters shared by many measures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._measures.definition import Arguments, Definition, KernelArguments, Parameter
from tare._measures.measure import Measure
from tare.errors import MeasureError, MismatchError

__all__ = [
    "BASE",
    "DEFINITIONS",
    "DISCOUNT",
    "GAIN",
    "GAINS",
    "MAX_REL",
    "MIN_REL",
    "REL",
    "gains_of",
    "largest",
    "plain",
    "refuse_too_large",
    "unit_gains",
]


# Parameters shared by many measures, and the gains of grades.


MOST_EXPONENT = 900.0
MOST_GAIN = 1e250

REL = Parameter("rel", "number", 1, "The lowest grade that counts as relevant.", low=0)
GAIN = Parameter(
    "gain",
    "choice",
    "linear",
    "Gain of a grade l: l (linear) or 2^l − 1 (exp2).",
    choices=("linear", "exp2"),
)
GAINS = Parameter(
    "gains", "gains", None, "Gains by grade, such as {1:3,2:9}; other grades use `gain`."
)
DISCOUNT = Parameter(
    "discount",
    "choice",
    "log",
    "log: 1/log_b(i+1); jk, as in Järvelin and Kekäläinen: 1 for i < b, else 1/log_b(i).",
    choices=("log", "jk"),
)
BASE = Parameter("base", "number", 2, "Base b of the logarithm.", low=1, open_ends=True)
MIN_REL = Parameter("min_rel", "number", 0, "The grade with gain 0.", low=0)
MAX_REL = Parameter(
    "max_rel", "number", None, "The grade with gain 1; by default the largest of the qrels.", low=0
)


def largest(levels: NDArray[np.float64]) -> float:
    """Return the largest grade of all queries of the qrels, at least 1, for measures of gains."""
    return float(max(1.0, levels[-1])) if len(levels) else 1.0


def gains_of(measure: Measure, levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the gain of each grade by the parameters `gain` and `gains`; negative grades have gain 0."""
    positive = np.maximum(levels, 0.0)
    exponential = measure["gain"] == "exp2"
    refuse_too_large(measure, levels, exponential=exponential)
    gain = np.exp2(positive) - 1 if exponential else positive.copy()
    for level, value in measure["gains"] or ():
        gain[levels == level] = value
    gain[levels < 0] = 0.0
    return np.ascontiguousarray(gain)


def refuse_too_large(measure: Measure, levels: NDArray[np.float64], *, exponential: bool) -> None:
    """Raise an error for grades that are so large that the gains of a measure would overflow."""
    most = MOST_EXPONENT if exponential else MOST_GAIN
    if len(levels) and levels[-1] > most:
        gain = "2^l − 1" if exponential else "l"
        raise MismatchError(
            f"{measure}: the grade {levels[-1]:g} is too large for a gain of {gain}; grades up to "
            f"{most:g} are accepted. Use smaller grades."
        )


def unit_gains(measure: Measure, levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map grades from `min_rel` to `max_rel` linearly to gains from 0 to 1."""
    low = float(measure["min_rel"])
    high = float(measure["max_rel"] if measure["max_rel"] is not None else largest(levels))
    if high <= low:
        raise MeasureError(f"{measure}: max_rel={high:g} must be above min_rel={low:g}.")
    return np.ascontiguousarray((np.clip(np.maximum(levels, 0), low, high) - low) / (high - low))


def plain(kernel: str, *names: str) -> Arguments:
    """Return the arguments of a ranking measure's kernel that takes `rel` and the named parameters."""

    def arguments(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
        has_rel = any(p.name == "rel" for p in measure.definition.parameters)
        return KernelArguments(
            kernel,
            rel=float(measure["rel"]) if has_rel else 1.0,
            parameters=tuple(float(measure[name]) for name in names),
        )

    return arguments


# Measures that count documents, such as precision and recall, at a cutoff or over the whole set.


RIJSBERGEN = "van Rijsbergen. Information Retrieval. Butterworths, 1979."
TREC_EVAL = "NIST. trec_eval. https://github.com/usnistgov/trec_eval"
IR_MEASURES = "MacAvaney, Macdonald, Ounis. Streamlining Evaluation with ir-measures. ECIR 2022."
BETA = Parameter("beta", "number", 1, "Weight of recall relative to precision.", low=0)
WEIGHTS = Parameter(
    "weights",
    "numbers",
    "1/-1/0/0",
    "Weights of relevant retrieved, other retrieved, relevant missed and other missed documents.",
    most=4,
)
SAME_FOR_ALL_ORDERS = "it does not depend on the order of the documents"
COLLECTION = Parameter("collection", "integer", 0, "Number of documents in the collection.", low=0)


def _utility(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
    weights = [float(part) for part in str(measure["weights"]).split("/")]
    padded = (weights + [0.0] * 4)[:4]
    parameters = (*padded, float(measure["collection"]))
    return KernelArguments("Utility", rel=float(measure["rel"]), parameters=parameters)


DEFINITIONS = (
    Definition(
        "P",
        "Precision",
        "P@k = r_k / k, with r_k the relevant documents among the first k",
        RIJSBERGEN,
        (REL,),
        "required",
        arguments=plain("P"),
        aliases=("Precision",),
        expected="(R/n)·K/k, K = min(k, n)",
        upper="min(k, R)/k",
    ),
    Definition(
        "RelP",
        "Relative precision",
        "RelP@k = r_k / min(k, R)",
        TREC_EVAL,
        (REL,),
        "required",
        arguments=plain("RelP"),
        expected="(R/n)·K/min(k, R)",
        upper="1",
    ),
    Definition(
        "Recall",
        "Recall",
        "Recall@k = r_k / R",
        RIJSBERGEN,
        (REL,),
        "optional",
        arguments=plain("Recall"),
        aliases=("R",),
        expected="K/n",
        upper="min(k, R)/R",
    ),
    Definition(
        "F",
        "F measure",
        "F@k = (1+β²)·P·Recall / (β²·P + Recall), both at k",
        RIJSBERGEN,
        (BETA, REL),
        "required",
        arguments=plain("F", "beta"),
        aliases=("F1",),
        expected="(1+β²)·(R·K/n) / (β²R + k): F is linear in r_k",
        upper="(1+β²)·min(k, R)/(β²R + k)",
    ),
    Definition(
        "Success",
        "Success",
        "Success@k = 1 if a relevant document is among the first k, else 0",
        "Craswell, Hawking. Overview of the TREC 2004 Web Track. TREC 2004.",
        (REL,),
        "required",
        arguments=plain("Success"),
        aliases=("Hit", "HitRate"),
        expected="1 − C(n−R, K)/C(n, K)",
        upper="1",
    ),
    Definition(
        "Rprec",
        "R-precision",
        "Rprec = r_m / m, m = ⌊multiple·R + 0.9⌋ (multiple 1: m = R)",
        "Buckley, Voorhees. Retrieval System Evaluation. In TREC: Experiment and Evaluation in "
        "Information Retrieval. MIT Press, 2005.",
        (Parameter("multiple", "number", 1, "The cutoff as a multiple of R.", low=0), REL),
        arguments=plain("Rprec", "multiple"),
        aliases=("RPrec",),
        expected="R/n (multiple 1)",
        upper="min(m, R)/m",
    ),
    Definition(
        "Judged",
        "Judged share",
        "Judged@k = judged documents among the first k / min(k, retrieved)",
        IR_MEASURES,
        (),
        "optional",
        arguments=plain("Judged"),
        expected="judged/n",
        upper="min(K, judged)/K",
    ),
    Definition(
        "Unjudged",
        "Unjudged share",
        "Unjudged@k = documents without a grade ≥ 0 among the first k / k",
        TREC_EVAL,
        (),
        "required",
        better="neither",
        arguments=plain("Unjudged"),
        expected="(1 − judged/n)·K/k",
        upper="min(K, n − judged)/k",
        notes="Smaller values are better: less of the ranking is unjudged.",
    ),
    Definition(
        "Accuracy",
        "Pairwise accuracy",
        "share of the pairs (relevant, other) within the first k that are in the right order",
        IR_MEASURES,
        (REL,),
        "optional",
        arguments=plain("Accuracy"),
        expected="1/2 if the whole pool is ranked",
        upper="1",
    ),
    Definition(
        "NumRet",
        "Documents retrieved",
        "NumRet = n",
        TREC_EVAL,
        bounds=(0, None),
        aggregate="sum",
        better="neither",
        arguments=plain("NumRet"),
        expected="n",
        upper="n",
    ),
    Definition(
        "NumRel",
        "Relevant documents",
        "NumRel = R",
        TREC_EVAL,
        (REL,),
        bounds=(0, None),
        aggregate="sum",
        better="neither",
        arguments=plain("NumRel"),
        expected="R",
        upper="R",
    ),
    Definition(
        "NumRelRet",
        "Relevant documents retrieved",
        "NumRelRet = r_n",
        TREC_EVAL,
        (REL,),
        bounds=(0, None),
        aggregate="sum",
        arguments=plain("NumRelRet"),
        expected="R·min(n, pool)/pool",
        upper="R",
    ),
    Definition(
        "NumNonrelRet",
        "Judged non-relevant documents retrieved",
        "number of retrieved documents with 0 ≤ grade < rel",
        TREC_EVAL,
        (REL,),
        bounds=(0, None),
        aggregate="sum",
        better="neither",
        arguments=plain("NumNonrelRet"),
        expected="N",
        upper="N",
    ),
    Definition(
        "setP",
        "Set precision",
        "setP = r_n / n over all n retrieved",
        TREC_EVAL,
        (REL,),
        arguments=plain("setP"),
        aliases=("SetP",),
        expected="R/n",
        without_net=SAME_FOR_ALL_ORDERS,
        upper="R/n",
    ),
    Definition(
        "setRelP",
        "Set relative precision",
        "setRelP = r_n / min(n, R)",
        TREC_EVAL,
        (REL,),
        arguments=plain("setRelP"),
        aliases=("SetRelP",),
        expected="1",
        without_net=SAME_FOR_ALL_ORDERS,
        upper="1",
    ),
    Definition(
        "setR",
        "Set recall",
        "setR = r_n / R",
        TREC_EVAL,
        (REL,),
        arguments=plain("setR"),
        aliases=("SetR",),
        expected="1",
        without_net=SAME_FOR_ALL_ORDERS,
        upper="1",
    ),
    Definition(
        "setF",
        "Set F measure",
        "setF = (1+β)·P·R/(β·P + R) of setP and setR (β is not squared)",
        TREC_EVAL,
        (BETA, REL),
        arguments=plain("setF", "beta"),
        aliases=("SetF",),
        expected="(1+β)R/(βR + n)",
        without_net=SAME_FOR_ALL_ORDERS,
        upper="the same",
        notes="trec_eval and ir_measures do not square β here; F@k does.",
    ),
    Definition(
        "setAP",
        "Set average precision",
        "setAP = setP · setR",
        TREC_EVAL,
        (REL,),
        arguments=plain("setAP"),
        aliases=("SetAP",),
        expected="R/n",
        without_net=SAME_FOR_ALL_ORDERS,
        upper="R/n",
    ),
    Definition(
        "Utility",
        "Utility",
        "w1·r_n + w2·(n − r_n) + w3·(R − r_n) + w4·(collection + r_n − n − R)",
        TREC_EVAL,
        (WEIGHTS, COLLECTION, REL),
        bounds=(None, None),
        arguments=_utility,
        expected="the same for every order of the pool",
        without_net=SAME_FOR_ALL_ORDERS,
        upper="the same",
    ),
)
