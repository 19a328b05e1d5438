"""The measures made of chance: E, U, V1, V2, Z, MinMax, pValue, Std. Each wraps another measure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tare.chance import normalise
from tare.chance.chances import EXPECTED, UPPER, Chances, chances_of
from tare.chance.pool import Pool
from tare.chance.significance import p_values
from tare.errors import MeasureError
from tare.measures.definition import Definition, Parameter, register
from tare.measures.evaluation import Evaluation
from tare.measures.measure import Measure

__all__ = ["DEFINITIONS"]

Array = NDArray[np.float64]
Derive = Callable[[Evaluation, Measure], Array]

FK23 = (
    "Feng, Karmaker. Joint Upper & Expected Value Normalization for Evaluation of Retrieval "
    "Systems. Information Processing & Management, 2023."
)
POOL = Parameter(
    "pool", "pool", "union",
    "The documents a random ranking is made of: judged, retrieved, union or corpus=N.",
)  # fmt: skip
HOW = Parameter(
    "expected", "choice", "exact",
    "exact, or independent: the published approximation K(R/n)² for SP and AP.", choices=EXPECTED,
)  # fmt: skip
TOP = Parameter(
    "upper", "choice", "ideal",
    "ideal: the value of the perfect ranking; published: the constant k for SP@k.", choices=UPPER,
)  # fmt: skip
SCALE_A = Parameter("a", "number", 0.15, "Scale A of std-AB.")
SCALE_B = Parameter("b", "number", 0.5, "Middle B of std-AB.")


def _chances(
    evaluation: Evaluation, measure: Measure, *, variance: bool = False, worst: bool = False
) -> Chances:
    """What chance makes of the measure inside, computed once for all that wrap it."""
    assert measure.inner is not None
    known = {p.name for p in measure.definition.parameters}
    pool = Pool.parse(measure["pool"])
    how = measure["expected"] if "expected" in known else "exact"
    top = measure["upper"] if "upper" in known else "ideal"
    key = (measure.inner, pool, how, top, variance, worst)
    if key not in evaluation.notes:
        evaluation.notes[key] = chances_of(
            evaluation.judged, measure.inner, pool, how, top, evaluation.sampling, variance, worst
        )
    made: Chances = evaluation.notes[key]
    evaluation.set_errors(measure, made.expected_error)
    return made


def _score(evaluation: Evaluation, measure: Measure) -> Array:
    assert measure.inner is not None
    return evaluation.values(measure.inner)


def _e(evaluation: Evaluation, measure: Measure) -> Array:
    found = _chances(evaluation, measure)
    return np.where(found.defined, found.expected, np.nan)


def _u(evaluation: Evaluation, measure: Measure) -> Array:
    return normalise.u(_score(evaluation, measure), _chances(evaluation, measure).upper)


def _v1(evaluation: Evaluation, measure: Measure) -> Array:
    c = _chances(evaluation, measure)
    return normalise.v1(_score(evaluation, measure), c.expected, c.upper)


def _v2(evaluation: Evaluation, measure: Measure) -> Array:
    c = _chances(evaluation, measure)
    return normalise.v2(_score(evaluation, measure), c.expected, c.upper)


def _z(evaluation: Evaluation, measure: Measure) -> Array:
    c = _chances(evaluation, measure, variance=True)
    assert c.variance is not None
    return normalise.z(_score(evaluation, measure), c.expected, c.variance, c.upper)


def _min_max(evaluation: Evaluation, measure: Measure) -> Array:
    c = _chances(evaluation, measure, worst=True)
    if c.worst is None:
        raise MeasureError(f"{measure}: the worst ranking of {measure.inner} is not known.")
    return normalise.min_max(_score(evaluation, measure), c.worst, c.upper)


def _p_value(evaluation: Evaluation, measure: Measure) -> Array:
    c = _chances(evaluation, measure)
    values = p_values(evaluation.judged, c, _score(evaluation, measure))
    return np.where(c.defined, values, np.nan)


def _std(scores: Array, measure: Measure) -> Array:
    return normalise.standardised(scores)


def _std_ab(scores: Array, measure: Measure) -> Array:
    return normalise.standard_ab(scores, float(measure["a"]), float(measure["b"]))


def _entry(
    name: str,
    title: str,
    formula: str,
    bounds: tuple[float | None, float | None],
    derive: Derive,
    parameters: tuple[Parameter, ...] = (POOL, HOW, TOP),
    citation: str = FK23,
    notes: str = "",
) -> Definition:
    return Definition(
        name, title, formula, citation, parameters, bounds=bounds, family="chance", wraps=True,
        derive=derive, notes=notes,
    )  # fmt: skip


DEFINITIONS = (
    _entry("E", "Expected value", "E[A] under a uniformly random ranking of the pool",
           (None, None), _e, (POOL, HOW)),
    _entry("U", "Upper-bound normalised", "A/IUB", (None, 1), _u, (POOL, TOP)),
    _entry("V1", "Normalised by upper bound and expected value, ratio form",
           "(A/IUB)·A/(A + E)", (0, 1), _v1),
    _entry("V2", "Normalised by upper bound and expected value, chance-corrected",
           "(A − E)/(IUB − E) if A ≥ E, else (A − E)/E", (-1, 1), _v2),
    _entry("Z", "Distance from chance in standard deviations", "(A − E)/σ, σ² the variance of A under chance",
           (None, None), _z, (POOL,)),
    _entry("MinMax", "Min–max normalised", "(A − worst)/(IUB − worst), worst the value of the worst ranking",
           (0, 1), _min_max, (POOL,),
           "Gienapp, Fröbe, Hagen, Potthast. The Impact of Negative Relevance Judgments on NDCG. CIKM 2020."),
    _entry("pValue", "Probability that chance does as well", "P(A of a random ranking ≥ A)", (0, 1),
           _p_value, (POOL,), notes="A smaller value is better."),
    Definition("Std", "Standardised over systems", "(x − mean)/deviation over the systems, query by query",
               "Webber, Moffat, Zobel. Score Standardization for Inter-Collection Comparison of Retrieval "
               "Systems. SIGIR 2008.", bounds=(None, None), family="chance", wraps=True, across=_std),
    Definition("StdAB", "Standardised over systems, std-AB", "A·z + B cut to [0, 1], z the standardised score",
               "Sakai. A Simple and Effective Approach to Score Standardisation. ICTIR 2016.",
               (SCALE_A, SCALE_B), family="chance", wraps=True, across=_std_ab),
)  # fmt: skip

register(*DEFINITIONS)
