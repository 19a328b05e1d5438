"""Measures of novelty and diversity: their values, and their moments under chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data import findings
from tare._data.judged import Judged
from tare._data.subtopics import Subtopics, read_subtopics
from tare._measures.definition import Definition, Moments, Parameter
from tare._measures.measure import Measure
from tare._measures.names import parse
from tare._measures.one_system import RankingEvaluation, Sampling
from tare._measures.ranking.counting import refuse_too_large
from tare._result import Result, Row, Rows
from tare._tables import Column, Table
from tare.errors import MeasureError

__all__ = [
    "ALPHA",
    "BETA",
    "DEFINITIONS",
    "GAIN",
    "GREEDY",
    "IDEAL",
    "NORMALIZE",
    "REL",
    "SEVERAL",
    "UNLIMITED",
    "DiversityChance",
    "Ideals",
    "KernelOf",
    "ideals",
    "kernel",
    "values_by",
]


# Parameters shared by several measures of diversity.


REL = Parameter(
    "rel", "number", 1, "The lowest grade that counts as relevant to a subtopic.", low=0
)
ALPHA = Parameter(
    "alpha",
    "number",
    0.5,
    "Share of its weight that a subtopic loses each time it is seen.",
    low=0,
    high=1,
)
BETA = Parameter(
    "beta", "number", 0.5, "Patience: the probability of reading the next document.", low=0, high=1
)
GAIN = Parameter(
    "gain",
    "choice",
    "linear",
    "Gain of a grade l: l (linear) or 2^l − 1 (exp2).",
    choices=("linear", "exp2"),
)
IDEAL = Parameter(
    "ideal",
    "choice",
    "greedy",
    "greedy, as in ndeval; or exact, the true ideal if it is found within 2 million steps (fewer if more "
    "than 100 documents are relevant), else greedy.",
    choices=("greedy", "exact"),
)
NORMALIZE = Parameter(
    "normalize",
    "flag",
    True,
    "Divide by the score of a ranking in which every document covers every subtopic, as in ndeval.",
)

GREEDY = "that of the greedy order of the pool; the exact optimum is NP-hard (`tare.ideals` shows the gap)"
UNLIMITED = (
    "Collection-independent normalisation: 1 means that every document covers every subtopic."
)
SEVERAL = "Subtopics without a relevant document are not counted, as in ndeval."


# Kernels of diversity measures: their values, and their moments under chance.


Array = NDArray[np.float64]
KernelOf = Callable[[Measure], kernels.DiversityKernel]


def kernel(
    measure: Measure,
    kind: str,
    *,
    weights: str = "logarithmic",
    scale: str = "none",
) -> kernels.DiversityKernel:
    """Return the kernel of a diversity measure, with the parameters of its definition."""
    known = {p.name for p in measure.definition.parameters}

    def of(name: str, otherwise: float) -> float:
        return float(measure[name]) if name in known else otherwise

    return kernels.DiversityKernel(
        kind,
        weights,
        scale,
        "ideal" in known and measure["ideal"] == "exact",
        int(measure.cutoff or 0),
        of("rel", 1.0),
        of("alpha", 0.5),
        of("beta", 0.5),
        of("gamma", 0.5),
        "gain" in known and measure["gain"] == "exp2",
    )


def values_by(kernel_of: KernelOf) -> Callable[[RankingEvaluation, Measure], Array]:
    """Return the function that computes the values of a diversity measure by its kernel."""

    def derive(evaluation: RankingEvaluation, measure: Measure) -> Array:
        values, errors = _call("values", evaluation.judged, measure, kernel_of, evaluation.sampling)
        evaluation.set_errors(measure, errors)
        return values

    return derive


@dataclass(frozen=True)
class DiversityChance:
    """Moments of a diversity measure under chance: closed forms, greedy bounds, sampled variances."""

    kernel_of: KernelOf

    def moments(
        self,
        judged: Judged,
        measure: Measure,
        tied: kernels.Rankings,
        sampling: Sampling,
        *,
        variance: bool,
        worst: bool,
    ) -> Moments:
        """Return mean, bounds and, on request, variance of a diversity measure over all orders of each pool."""

        def found(what: Any) -> tuple[Array, Array]:
            return _call(what, judged, measure, self.kernel_of, sampling, tied)

        spread = found("variances") if variance else (None, None)
        return Moments(
            *found("expected"),
            upper=found("greedy")[0],
            variance=spread[0],
            variance_error=spread[1],
            worst=found("worst")[0] if worst else None,
            greedy=measure.definition.upper == GREEDY,
        )

    def tails(
        self,
        judged: Judged,
        measure: Measure,
        tied: kernels.Rankings,
        sampling: Sampling,
        observed: Array,
    ) -> tuple[Array, Array]:
        """Return the share of orders whose diversity measure is at least `observed`, and its standard error."""
        return _call("tails", judged, measure, self.kernel_of, sampling, tied, observed)


def _call(
    what: Any,
    judged: Judged,
    measure: Measure,
    kernel_of: KernelOf,
    sampling: Sampling,
    rankings: kernels.Rankings | None = None,
    observed: Array | None = None,
) -> tuple[Array, Array]:
    subtopics = judged.judgements
    if not isinstance(subtopics, Subtopics):
        raise MeasureError(
            f"{measure} needs judgements by subtopic ('query subtopic document grade'); read them "
            "with tare.read_subtopics."
        )
    if "gain" in {p.name for p in measure.definition.parameters}:
        largest = subtopics.arrays.cell_grades.max(initial=0.0)
        refuse_too_large(measure, np.array([largest]), exponential=measure["gain"] == "exp2")
    key = str(measure)
    values, errors, divisors = kernels.evaluate_diversity(
        what,
        judged.rankings if rankings is None else rankings,
        judged.streams,
        subtopics.arrays,
        kernel_of(measure),
        observed=observed,
        divisors=subtopics.divisors.get(key),
        most_orders=sampling.most_orders,
        samples=sampling.samples,
        seed=sampling.seed,
    )
    subtopics.divisors[key] = divisors  # the ideals are the same for every run
    return values, errors


# Measures in which a subtopic counts less each time it is seen: α-nDCG, ERR-IA, NRBP.


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


def _cascade_measure(kernel_of: KernelOf, *fields: Any, **more: Any) -> Definition:
    more |= {"family": "diversity", "needs": "subtopics"}
    more |= {"derive": values_by(kernel_of), "chance": DiversityChance(kernel_of)}
    return Definition(*fields, **more)


# Comparison of the greedy ideal ranking, the usual divisor, with the true ideal.


@dataclass(frozen=True, repr=False)
class Ideals(Result):
    """The values of the greedy and of the true ideal ranking of each query.

    Attributes
    ----------
    measure
        The measure.
    items
        The queries.
    greedy
        The value of the greedy ranking of each query.
    exact
        The value of the true ideal; NaN if the search was stopped.
    """

    measure: Measure
    items: tuple[str, ...]
    greedy: Array
    exact: Array

    @property
    def gap(self) -> Array:
        """The relative difference between the true and the greedy ideal."""
        return np.where(
            self.exact > 0, 1 - self.greedy / np.where(self.exact > 0, self.exact, 1), 0
        )

    def answer(self) -> str:
        """Return for how many queries the true ideal is known, and the largest gap."""
        gaps = np.where(np.isnan(self.exact), np.nan, self.gap)
        found = int((~np.isnan(self.exact)).sum())
        largest = float(np.nanmax(gaps)) if found else float("nan")
        return (
            f"{self.measure}: the true ideal was found for {found:,} of {len(self.items):,} "
            f"queries; the largest gap of the greedy ideal is {largest:.2%}."
        )

    def rows(self) -> Rows:
        """Return one row per query."""
        gaps = np.where(np.isnan(self.exact), np.nan, self.gap)
        columns = zip(self.items, self.greedy, self.exact, gaps, strict=True)
        return [
            {"query": query, "greedy": float(greedy), "exact": float(exact), "gap": float(gap)}
            for query, greedy, exact, gap in columns
        ]

    def facts(self) -> Row:
        """Return the measure."""
        return {"measure": str(self.measure)}

    def table(self) -> Table:
        """Return one row per query, with the largest gap in the note."""
        columns = [Column("query", align="left"), *map(Column, ("greedy", "exact", "gap"))]
        rows = [tuple(row.values()) for row in self.rows()]
        return Table.of(columns, rows, notes=[self.answer()])


def ideals(
    subtopics: findings.TableSource | Subtopics, measure: str | Measure = "alpha_DCG@20"
) -> Ideals:
    """Compute the greedy and the true ideal ranking of each query's judged documents.

    Parameters
    ----------
    subtopics
        Judgements by subtopic: a path, a data frame, or a dictionary, as in `tare.read_subtopics`.
    measure
        A measure of diversity.

    Returns
    -------
    Ideals
        Both values of each query.

    Raises
    ------
    MeasureError
        If the measure is not a measure of diversity.

    Examples
    --------
    >>> found = ideals({"q": {"1": {"a": 1, "b": 1}, "2": {"b": 1}}}, "alpha_DCG(normalize=false)@2")
    >>> [round(float(x), 4) for x in (found.greedy[0], found.exact[0])]
    [2.3155, 2.3155]
    """
    wanted = parse(measure)
    provider = wanted.definition.chance
    if not isinstance(provider, DiversityChance):
        raise MeasureError(
            f"{wanted} is not a measure of diversity; its ideal is known without a search."
        )
    given = read_subtopics(subtopics)
    offsets = given.arrays.document_offsets
    sizes = np.diff(offsets)
    numbers = (np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)).astype(np.int32)
    pool = kernels.Rankings(
        offsets=offsets,
        ranks=numbers + np.int32(1),
        codes=numbers,
        lows=np.zeros(0, dtype=np.int64),
        highs=np.zeros(0, dtype=np.int64),
        retrieved=sizes,
    )
    streams = kernels.stream_ids(given.items)
    kernel = provider.kernel_of(wanted)
    greedy, *_ = kernels.evaluate_diversity("greedy", pool, streams, given.arrays, kernel)
    exact, *_ = kernels.evaluate_diversity("exact", pool, streams, given.arrays, kernel)
    return Ideals(wanted, given.items, greedy, exact)


# Measures averaged over intents, subtopic recall, and Sakai's D♯ family.


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


def _intent_measure(kind: str, *fields: Any, **more: Any) -> Definition:
    def kernel_of(measure: Measure) -> kernels.DiversityKernel:
        return kernel(measure, kind)

    more |= {"family": "diversity", "needs": "subtopics"}
    more |= {"derive": values_by(kernel_of), "chance": DiversityChance(kernel_of)}
    return Definition(*fields, **more)


DEFINITIONS: tuple[Definition, ...] = (
    _cascade_measure(
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
    _cascade_measure(
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
    _cascade_measure(
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
    _cascade_measure(
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
    _cascade_measure(
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
    _cascade_measure(
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
    _intent_measure(
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
    _intent_measure(
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
    _intent_measure(
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
    _intent_measure(
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
    _intent_measure(
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
    _intent_measure(
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
    _intent_measure(
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
