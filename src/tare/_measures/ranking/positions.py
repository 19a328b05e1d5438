"""Measures of the ranks of relevant documents, such as reciprocal rank and average precision."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tare._measures.definition import Definition, KernelArguments, Parameter
from tare._measures.measure import Measure, make
from tare._measures.one_system import RankingEvaluation
from tare._measures.ranking.counting import GAIN, GAINS, REL, gains_of, plain
from tare.errors import MeasureError

__all__ = ["DEFINITIONS", "reads_groups", "value_at"]


# Measures of a rank that is not a whole number: the mean of tied ranks, for ties=realistic.


Array = NDArray[np.float64]
KNOWN = ("RR", "Success", "MeanRank", "GMR", "P", "Recall", "AP", "nDCG", "DCG")


def value_at(measure: Measure, rank: Array) -> Array:
    """Return the value of a measure of ranks for one relevant item of grade 1 at a rank.

    >>> from tare._measures.names import parse
    >>> value_at(parse("RR"), np.array([2.5])).tolist()
    [0.4]
    """
    seen = rank <= (np.inf if measure.cutoff is None else measure.cutoff)
    match measure.name:
        case "RR" | "AP":
            return np.where(seen, 1 / rank, 0.0)
        case "MeanRank" | "GMR":
            return rank.copy()
        case "Success" | "Recall":
            return seen.astype(np.float64)
        case "P":
            return seen / float(measure.cutoff or 1)
        case "nDCG" | "DCG" if measure["discount"] == "log" and not measure["gains"]:
            base = 2.0 if measure.name == "nDCG" else float(measure["base"])  # the ideal rank is 1
            return np.where(seen, np.log(base) / np.log1p(rank), 0.0)
    raise MeasureError(
        f"{measure} is not defined for a rank such as 2.5. ties=realistic supports {', '.join(KNOWN)}; "
        "ties=expected supports every measure."
    )


TREC_EVAL = "NIST. trec_eval. https://github.com/usnistgov/trec_eval"
FK23 = (
    "Feng, Karmaker. Joint Upper & Expected Value Normalization for Evaluation of Retrieval "
    "Systems. Information Processing & Management, 2023."
)
HARMAN = (
    "Harman. Evaluation Issues in Information Retrieval. "
    "Information Processing & Management 28(4), 1992."
)
HOYT = (
    "Hoyt, Berrendorf, Galkin, Tresp, Gyori. A Unified Framework for Rank-based Evaluation Metrics for "
    "Link Prediction in Knowledge Graphs. arXiv 2203.07544, 2022."
)
ROUNDING = Parameter(
    "rounding",
    "choice",
    "half",
    "Rounding of recall·R to a number of documents: half rounds to the nearest (trec_eval 10), "
    "up rounds up from a tenth (trec_eval 9).",
    choices=("half", "up"),
)
RECALLS = Parameter(
    "recalls",
    "numbers",
    "0/0.1/0.2/0.3/0.4/0.5/0.6/0.7/0.8/0.9/1",
    "The recall levels.",
    low=0,
    high=1,
)
THRESHOLDS = Parameter(
    "thresholds",
    "gains",
    None,
    "Probability that a user regards a level and all above as relevant, such as {1:0.7,2:0.3}; "
    "by default the same for all levels 1, 2, ….",
)


def _iprec(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
    share = float(measure.cutoff or 0.0)
    half = float(measure["rounding"] == "half")
    return KernelArguments("iPrec", rel=float(measure["rel"]), parameters=(share, half))


def _iprec_mean(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
    half = float(measure["rounding"] == "half")
    points = [float(part) for part in str(measure["recalls"]).split("/")]
    return KernelArguments("iPrecMean", rel=float(measure["rel"]), parameters=(half, *points))


def _q(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
    rel = float(measure["rel"])
    gain = np.where(levels >= rel, gains_of(measure, levels), 0.0)
    return KernelArguments("Q", rel=rel, gain=gain, parameters=(float(measure["beta"]),))


def _gap(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
    thresholds = measure["thresholds"]
    if thresholds is None:
        reach = np.floor(np.maximum(levels, 0.0))
    else:
        reach = np.zeros(len(levels))
        for level, share in thresholds:
            reach += share * (levels >= max(level, 0.0))
    return KernelArguments("GAP", gain=np.ascontiguousarray(reach))


# Label ranking average precision as a measure of runs: AP with ties.


def _values(evaluation: RankingEvaluation, measure: Measure) -> Array:
    judged = evaluation.judged
    if judged.policies.ties != "trec":  # without ties, or averaged over their orders, LRAP is AP
        average = make("AP", {"rel": measure["rel"]})
        values = evaluation.values(average)
        evaluation.set_errors(measure, evaluation.errors(average))
        return values
    levels, rel = judged.qrels.levels, max(float(measure["rel"]), 0.0)
    offsets = judged.rankings.offsets
    query = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    counted = (levels[judged.rankings.codes] >= rel) & (
        judged.rankings.ranks <= judged.retrieved[query]
    )
    query, ends = query[counted], judged.group_ends()[counted]
    # Ends ascend within a query, so documents with at least a given score form a prefix.
    width = int(ends.max(initial=0)) + 1
    places = query * width + ends
    first = np.searchsorted(query, query, side="left")
    relevant_above = np.searchsorted(places, places, side="right") - first
    sums = np.bincount(query, relevant_above / ends, minlength=len(offsets) - 1)
    in_pool = np.concatenate([[0], np.cumsum(levels[judged.qrels.pool] >= rel)])
    relevant = np.diff(in_pool[judged.qrels.pool_offsets])
    return np.divide(sums, relevant, out=np.zeros(len(sums)), where=relevant > 0)


def reads_groups(measures: Iterable[Measure]) -> bool:
    """Return whether a ranking measure, or an inner one, needs the last rank of tie groups."""
    for measure in measures:
        inside: Measure | None = measure
        while inside is not None:
            if inside.name == "LRAP":
                return True
            inside = inside.inner
    return False


DEFINITIONS: tuple[Definition, ...] = (
    Definition(
        "RR",
        "Reciprocal rank",
        "RR@k = 1 / rank of the first relevant document, 0 beyond k",
        "Kantor, Voorhees. The TREC-5 Confusion Track. Information Retrieval 2, 2000.",
        (REL,),
        "optional",
        arguments=plain("RR"),
        aliases=("MRR",),
        expected="Σ_{i≤K} (1/i)·C(n−i, R−1)/C(n, R); all ranks: R/(n−R+1)·(H_n − H_{R−1})",
        upper="1",
    ),
    Definition(
        "MeanRank",
        "Mean rank",
        "MeanRank = rank of the first relevant document; over queries, their mean",
        "Bordes, Usunier, Garcia-Duran, Weston, Yakhnenko. Translating Embeddings for Modeling "
        "Multi-relational Data. NIPS 2013.",
        (REL,),
        bounds=(1, None),
        better="lower",
        arguments=plain("MeanRank"),
        expected="(n+1)/(R+1); its variance is R(n+1)(n−R)/((R+1)²(R+2))",
        upper="1",
        notes="Lower is better. The run must retrieve a relevant document for every query that has one; "
        "queries without a relevant document have no rank and are left out of the mean. Net(MeanRank) is the "
        "adjusted mean rank index (AMRI).",
    ),
    Definition(
        "GMR",
        "Geometric mean rank",
        "GMR = exp of the mean of ln(rank of the first relevant document)",
        HOYT,
        (REL,),
        bounds=(1, None),
        aggregate="geometric",
        better="lower",
        arguments=plain("MeanRank"),
        expected="over a set of m queries with one relevant document each: Π E[r^{1/m}]",
        upper="1",
        without_net="its expected value is defined for a set of queries, not for one; tare.ranks and "
        "tare score --ranks compute it for ranks with candidate counts",
        notes="Lower is better. The value of one query is its rank; the mean over queries is geometric. Its "
        "net score, the adjusted geometric mean rank index, is defined only for a set of ranks.",
    ),
    Definition(
        "SP",
        "Sum of precision",
        "SP@k = Σ_{i≤k} Prec(i)·rel_i",
        FK23,
        (REL,),
        "optional",
        bounds=(0, None),
        arguments=plain("SP"),
        expected="Σ_{i≤K} (1/i)(R/n)[1 + (i−1)(R−1)/(n−1)]",
        upper="min(k, R)",
    ),
    Definition(
        "AP",
        "Average precision",
        "AP@k = SP@k / R",
        HARMAN,
        (REL,),
        "optional",
        arguments=plain("AP"),
        aliases=("MAP",),
        expected="E[SP@k] / R; all ranks: (R−1)/(n−1) + (n−R)/(n(n−1))·H_n",
        upper="min(k, R)/R",
        notes="Divided by R, not by min(k, R) and not by k.",
    ),
    Definition(
        "GMAP",
        "Geometric mean average precision",
        "exp of the mean of ln max(AP, 0.00001)",
        "Robertson. On GMAP: and other transformations. CIKM 2006.",
        (REL,),
        "none",
        aggregate="geometric",
        arguments=plain("AP"),
        expected="that of AP",
        upper="1",
        notes="The value of one query is its AP; the mean over queries is geometric.",
    ),
    Definition(
        "YAAP",
        "Yet another average precision",
        "ln((1 + SP)/(1 + R − SP))",
        "Robertson. On Smoothing Average Precision. ECIR 2012.",
        (REL,),
        bounds=(None, None),
        arguments=plain("YAAP"),
        expected="by enumeration or sampling",
        upper="ln(1 + R)",
    ),
    Definition(
        "bpref",
        "Binary preference",
        "(1/R) Σ over relevant retrieved: 1 − min(judged non-relevant above, R)/min(N, R)",
        "Buckley, Voorhees. Retrieval Evaluation with Incomplete Information. SIGIR 2004.",
        (REL,),
        arguments=plain("bpref"),
        aliases=("Bpref", "BPref"),
        expected="1 − Σ_{m=0..N} min(m, R)/((N+1)·min(R, N)), N = judged non-relevant",
        upper="1",
    ),
    Definition(
        "GMbpref",
        "Geometric mean bpref",
        "exp of the mean of ln max(bpref, 0.00001)",
        TREC_EVAL,
        (REL,),
        aggregate="geometric",
        arguments=plain("bpref"),
        expected="that of bpref",
        upper="1",
    ),
    Definition(
        "infAP",
        "Inferred average precision",
        "(1/R) Σ over relevant at i: 1/i + (pooled above/i)·(rel above+ε)/(judged above+2ε)",
        "Yilmaz, Aslam. Estimating Average Precision with Incomplete and Imperfect Judgments. "
        "CIKM 2006.",
        (REL,),
        arguments=plain("infAP"),
        expected="by the number of judged documents above, hypergeometric",
        upper="that of the ideal order",
        bounds=(0, None),
        notes="ε = 0.00001, so values can exceed 1 by that much.",
    ),
    Definition(
        "iPrec",
        "Interpolated precision at recall",
        "iPrec@x = max of Prec(i) over the ranks with at least x·R relevant documents",
        "Salton, McGill. Introduction to Modern Information Retrieval. McGraw-Hill, 1983.",
        (ROUNDING, REL),
        "recall",
        arguments=_iprec,
        aliases=("IPrec",),
        expected="by enumeration or sampling",
        upper="1",
    ),
    Definition(
        "iPrecMean",
        "Mean interpolated precision",
        "mean of iPrec over the recall levels (11 by default)",
        TREC_EVAL,
        (RECALLS, ROUNDING, REL),
        arguments=_iprec_mean,
        aliases=("iPrec11",),
        expected="by enumeration or sampling",
        upper="1",
    ),
    Definition(
        "Q",
        "Q-measure",
        "Q@k = (1/R) Σ_{i≤k} rel_i (c_i + β·cg_i)/(i + β·cg*_i)",
        "Sakai. On the Reliability of Information Retrieval Metrics Based on Graded Relevance. "
        "Information Processing & Management 43(2), 2007.",
        (
            Parameter("beta", "number", 1, "Weight of gains relative to counts.", low=0),
            GAIN,
            GAINS,
            REL,
        ),
        "optional",
        arguments=_q,
        expected="(1/R) Σ_i [E c_i + β·E cg_i]/(i + β·cg*_i)",
        upper="min(k, R)/R",
    ),
    Definition(
        "GAP",
        "Graded average precision",
        "GAP@k = Σ_{i≤k} (1/i) Σ_{j≤i} G(min(g_i, g_j)) / Σ_judged G(g), G(x) = Σ_{levels ≤ x} p",
        "Robertson, Kanoulas, Yilmaz. Extending Average Precision to Graded Relevance Judgments. "
        "SIGIR 2010.",
        (THRESHOLDS,),
        "optional",
        arguments=_gap,
        expected="pairs of documents: Σ_i (1/i)[ΣG/n + (i−1)/(n(n−1))·Σ_{d≠e} G(min)] / ΣG",
        upper="that of the ideal order",
    ),
    Definition(
        "LRAP",
        "Label ranking average precision",
        "(1/R) Σ over relevant d: |relevant with score ≥ s_d| / |retrieved with score ≥ s_d|",
        "Tsoumakas, Katakis, Vlahavas. Mining Multi-label Data. Data Mining and Knowledge Discovery "
        "Handbook, 2010.",
        (REL,),
        arguments=plain("AP"),
        derive=_values,
        expected="that of AP",
        upper="1",
        notes="AP in which a document ranks after all documents with the same score, as in "
        "scikit-learn; without ties it equals AP. A relevant document that is not retrieved counts 0, "
        "and so does a query without a relevant document (scikit-learn and `tare.lrap`: 1). With "
        "ties=order or ties=expected it also equals AP. Under chance there are no ties.",
    ),
)
