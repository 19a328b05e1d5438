"""Measures with a model of how users browse a ranking: ERR, the C/W/L family, Compat."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._measures.definition import Arguments, Definition, KernelArguments, Parameter
from tare._measures.measure import Measure
from tare._measures.ranking.counting import MAX_REL, MIN_REL, largest, refuse_too_large, unit_gains
from tare.errors import MeasureError

__all__ = ["DEFINITIONS"]

ERR09 = (
    "Chapelle, Metzler, Zhang, Grinspan. Expected Reciprocal Rank for Graded Relevance. CIKM 2009."
)
NOT_CWL = "Azzopardi, Mackenzie, Moffat. ERR is not C/W/L. ICTIR 2021."
LMAX = Parameter(
    "lmax",
    "number",
    None,
    "The largest possible grade; by default the largest of the qrels.",
    low=0,
)
TARGET = Parameter(
    "T", "number", 1, "The number of documents that the user wants to find.", low=0, open_ends=True
)
DEPTH = Parameter(
    "depth", "integer", 1000, "The number of ranks that the user may read, as in cwl_eval.", low=1
)
P90 = Parameter("p", "number", 0.9, "Patience.", low=0, high=1, open_ends=True)
P95 = Parameter("p", "number", 0.95, "Patience.", low=0, high=1, open_ends=True)


def _err(kernel: str) -> Arguments:
    def arguments(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
        top = float(measure["lmax"]) if measure["lmax"] is not None else largest(levels)
        if len(levels) and levels[-1] > top:
            raise MeasureError(
                f"{measure}: lmax={top:g} is below the grade {levels[-1]:g} of the qrels."
            )
        refuse_too_large(measure, np.append(levels, top), exponential=True)
        theta = (np.exp2(np.maximum(levels, 0.0)) - 1) / 2**top
        return KernelArguments(kernel, gain=np.ascontiguousarray(theta))

    return arguments


def _cwl(kernel: str, *names: str) -> Arguments:
    def arguments(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
        parameters = tuple(float(measure[name]) for name in names)
        return KernelArguments(kernel, gain=unit_gains(measure, levels), parameters=parameters)

    return arguments


def _insq(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
    target, depth = float(measure["T"]), float(measure["depth"])
    gain = unit_gains(measure, levels)
    return KernelArguments(
        "INSQ",
        gain=gain,
        parameters=(target, depth),
        discount="inverse_square",
        discount_parameter=target,
    )


def _compat(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
    above_zero = np.nextafter(0.0, 1.0)
    parameters = (float(measure["p"]), float(measure["depth"]), float(measure["normalize"]))
    return KernelArguments("Compat", rel=float(above_zero), parameters=parameters)


SAMPLED = "by enumeration or sampling"
DEFINITIONS = (
    Definition(
        "ERR",
        "Expected reciprocal rank",
        "ERR@k = Σ_{i≤k} (1/i)·θ_i·Π_{j<i}(1−θ_j), θ(l) = (2^l − 1)/2^lmax",
        ERR09,
        (LMAX,),
        "optional",
        arguments=_err("ERR"),
        expected="Σ_{i≤K} (1/i)(s_{i−1} − s_i), s_i = e_i(1−θ)/C(n, i)",
        upper="ERR of the grades in descending order",
    ),
    Definition(
        "nERR",
        "Normalised ERR",
        "nERR@k = ERR@k / ERR@k of all judged documents by descending grade",
        "Sakai, Song. Evaluating Diversified Search Results Using Per-intent Graded Relevance. "
        "SIGIR 2011.",
        (LMAX,),
        "optional",
        arguments=_err("nERR"),
        expected="E[ERR@k] / its ideal",
        upper="1",
    ),
    Definition(
        "INST",
        "INST",
        "Σ W_i·gain_i / Σ W_i, W_{i+1} = W_i·((i+s−1)/(i+s))², s = 2T − gained so far",
        "Moffat, Bailey, Scholer, Thomas. INST: An Adaptive Metric for Information Retrieval "
        "Evaluation. ADCS 2015.",
        (TARGET, MIN_REL, MAX_REL, DEPTH),
        arguments=_cwl("INST", "T", "depth"),
        expected=SAMPLED,
        upper="that of the ideal order",
    ),
    Definition(
        "INSQ",
        "INSQ",
        "Σ W_i·gain_i / Σ W_i, W_i ∝ 1/(i + 2T − 1)²",
        "Moffat, Scholer, Thomas. Models and Metrics: IR Evaluation as a User Process. ADCS 2012.",
        (TARGET, MIN_REL, MAX_REL, DEPTH),
        arguments=_insq,
        expected="mean gain × Σ_{i≤K} W_i / Σ W_i",
        upper="that of the ideal order",
    ),
    Definition(
        "BPM",
        "Bejeweled player measure",
        "mean gain up to the rank where the total gain reaches T, at most k",
        "Zhang, Liu, Li, Zhang, Xu, Ma. Evaluating Web Search with a Bejeweled Player Model. "
        "SIGIR 2017.",
        (TARGET, MIN_REL, MAX_REL),
        "required",
        arguments=_cwl("BPM", "T"),
        expected=SAMPLED,
        upper="that of the ideal order",
    ),
    Definition(
        "NERR8",
        "ERR as a weighted mean, form 8",
        "C_i = 1 − gain_i, over k ranks",
        NOT_CWL,
        (MIN_REL, MAX_REL),
        "required",
        arguments=_cwl("NERR8"),
        expected=SAMPLED,
        upper="that of the ideal order",
    ),
    Definition(
        "NERR9",
        "ERR as a weighted mean, form 9",
        "C_i = (i/(i+1))·(1 − gain_i), over k ranks",
        NOT_CWL,
        (MIN_REL, MAX_REL),
        "required",
        arguments=_cwl("NERR9"),
        expected=SAMPLED,
        upper="that of the ideal order",
    ),
    Definition(
        "NERR10",
        "ERR as a weighted mean, form 10",
        "C_i = p·(1 − gain_i)",
        NOT_CWL,
        (P90, MIN_REL, MAX_REL, DEPTH),
        arguments=_cwl("NERR10", "p", "depth"),
        expected=SAMPLED,
        upper="that of the ideal order",
    ),
    Definition(
        "NERR11",
        "ERR as a weighted mean, form 11",
        "C_i = ((i+2T−1)/(i+2T))²·(1 − gain_i)",
        NOT_CWL,
        (TARGET, MIN_REL, MAX_REL, DEPTH),
        arguments=_cwl("NERR11", "T", "depth"),
        expected=SAMPLED,
        upper="that of the ideal order",
    ),
    Definition(
        "Compat",
        "Compatibility",
        "RBO(run, ideal) / RBO(ideal, ideal), RBO = Σ_i p^{i−1}·|first i of both|/i; "
        "equal grades of the ideal are in the order of the run",
        "Clarke, Vtyurina, Smucker. Assessing Top-k Preferences. "
        "ACM Transactions on Information Systems 39(3), 2021.",
        (
            P95,
            Parameter(
                "depth",
                "integer",
                0,
                "Depth of the overlap; 0 means the longer of the two lists, "
                "as in ir_measures; Clarke's program uses 1000.",
                low=0,
            ),
            Parameter("normalize", "flag", True, "Divide by the overlap of the ideal with itself."),
        ),
        arguments=_compat,
        aliases=("compat",),
        expected="Σ_i p^{i−1}/i · Σ_grades E[min(drawn, room)], drawn hypergeometric",
        upper="1",
    ),
)
