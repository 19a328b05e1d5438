"""Measures derived from chance: Net, E, Ideal, U, V1, V2, Z, MinMax, pValue, Std. Each wraps another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from tare._measures.definition import Definition, Parameter, RandomText
from tare._measures.measure import Measure
from tare._measures.one_system import Evaluation
from tare.chance import _normalise as normalise
from tare.chance._chances import Chances, chances_of
from tare.chance._measure_parameters import (
    BOUNDED,
    HOW,
    LENGTH,
    MEAN,
    POOL,
    SCALE_A,
    SCALE_B,
    TOP,
    option,
    random_text,
    settle,
)
from tare.chance._net import NET_MEANING, net, refuse_without_net
from tare.chance._significance import p_values
from tare.errors import MeasureError

if TYPE_CHECKING:
    from tare._measures.answers import AnswerEvaluation
    from tare._measures.text.cells import TextEvaluation
    from tare.chance._answers import AnswerChances
    from tare.chance._texts import TextChances

__all__ = ["DEFINITIONS"]

Array = NDArray[np.float64]
Evaluated: TypeAlias = "Evaluation | TextEvaluation | AnswerEvaluation"
Derive: TypeAlias = "Callable[[Evaluated, Measure], Array]"

FK23 = (
    "Feng, Karmaker. Joint Upper & Expected Value Normalization for Evaluation of Retrieval "
    "Systems. Information Processing & Management, 2023."
)


def _chances(
    evaluation: Evaluated,
    measure: Measure,
    *,
    variance: bool = False,
    worst: bool = False,
    expected: bool = True,
) -> Chances | TextChances | AnswerChances:
    """Return the inner measure under chance, computed once for all measures that wrap it."""
    assert measure.inner is not None
    if measure.innermost.definition.family == "answers":
        from tare.chance._answers import answer_chances

        return answer_chances(cast("AnswerEvaluation", evaluation), measure, expected=expected)
    if not isinstance(evaluation, Evaluation):
        texts = cast("TextEvaluation", evaluation)
        return _of_texts(texts, measure, variance=variance, expected=expected)
    if option(measure, "length") is not None:
        raise MeasureError(f"{measure}: length applies to texts only, not to rankings.")
    pool = evaluation.pools.require(measure, option(measure, "pool"))
    how, top = str(option(measure, "expected")), str(option(measure, "upper"))
    key = (measure.inner, pool, how, top, variance, worst)
    known = evaluation.shared if pool.shared else evaluation.notes
    if key not in known:
        known[key] = chances_of(
            evaluation.judged, measure.inner, pool, how, top, evaluation.sampling, variance, worst
        )
    else:
        pool.check(evaluation.judged)
    made: Chances = known[key]
    evaluation.set_errors(measure, made.expected_error)
    greedy = measure.name in BOUNDED and made.greedy
    evaluation.set_facts(measure, pool.facts() | ({"upper": "greedy"} if greedy else {}))
    return made


def _of_texts(
    evaluation: TextEvaluation, measure: Measure, *, variance: bool, expected: bool
) -> TextChances:
    """Return the same for texts, and record facts and findings."""
    from tare.chance._texts import provider_of, text_chances_of, upper_findings

    assert measure.inner is not None
    if option(measure, "pool") is not None:
        raise MeasureError(f"{measure}: pool applies to rankings only, not to texts.")
    top, text = str(option(measure, "upper")), random_text(measure)
    provider_of(measure.inner)  # raises before anything is scored
    bound = measure.name in BOUNDED
    scores = evaluation.values(measure.inner)
    found = text_chances_of(
        evaluation, measure.inner, text, top, expected=expected, variance=variance, bound=bound
    )
    facts: dict[str, object] = dict(evaluation.facts(measure.inner))
    if bound:
        facts["upper"] = top
    if expected:
        facts |= _made_by_chance(evaluation, measure, found, text)
    findings = upper_findings(evaluation, measure, found, scores, top)
    if expected or top == "oracle":
        findings += evaluation.without("source", "source")
    evaluation.set_facts(measure, facts, findings)
    evaluation.set_errors(measure, found.expected_error)
    return found


def _made_by_chance(
    evaluation: TextEvaluation, measure: Measure, found: TextChances, text: RandomText
) -> dict[str, object]:
    """Return the facts about chance for the signature; seed and samples only if values were sampled."""
    from tare.chance._texts import provider_of

    one, drawn = text.expected == "published", bool((found.expected_error > 0).any())
    way = "sampled" if drawn and text.expected == "exact" else text.expected
    facts: dict[str, object] = {"expected": way, "length": text.length}
    if one or drawn or measure.name in ("Z", "pValue"):
        usual = provider_of(found.measure).usual_samples()
        facts["seed"] = evaluation.seed
        facts["samples"] = 1 if one else evaluation.samples or usual
    return facts


def _score(evaluation: Evaluated, measure: Measure) -> Array:
    assert measure.inner is not None
    return evaluation.values(measure.inner)


def _net(evaluation: Evaluated, measure: Measure) -> Array:
    assert measure.inner is not None
    refuse_without_net(measure)
    found = _chances(evaluation, measure)
    score = _score(evaluation, measure)
    gain, room = score - found.expected, found.room
    evaluation.ratios[measure] = score, found.expected, found.upper
    # The delta rule: an error of E moves the gain and the room.
    slope = np.abs(gain - room) / np.where(room == 0, 1.0, room) ** 2
    evaluation.set_errors(measure, np.where(room == 0, 0.0, slope * found.expected_error))
    return net(gain, room)


def _e(evaluation: Evaluated, measure: Measure) -> Array:
    return _chances(evaluation, measure).expected


def _ideal(evaluation: Evaluated, measure: Measure) -> Array:
    return _chances(evaluation, measure, expected=False).upper


def _refuse_lower(measure: Measure) -> None:
    """Refuse measures for which lower is better: the published normalisers assume the opposite."""
    assert measure.inner is not None
    if measure.inner.better == "lower":
        raise MeasureError(
            f"{measure}: {measure.name} is defined for measures for which higher is better, and lower "
            f"is better for {measure.inner}. Net({measure.inner}) is 1 for the best value and 0 at chance."
        )


def _u(evaluation: Evaluated, measure: Measure) -> Array:
    _refuse_lower(measure)
    found = _chances(evaluation, measure, expected=False)
    return normalise.u(_score(evaluation, measure), found.upper)


def _v1(evaluation: Evaluated, measure: Measure) -> Array:
    _refuse_lower(measure)
    c = _chances(evaluation, measure)
    return normalise.v1(_score(evaluation, measure), c.expected, c.upper)


def _v2(evaluation: Evaluated, measure: Measure) -> Array:
    _refuse_lower(measure)
    c = _chances(evaluation, measure)
    return normalise.v2(_score(evaluation, measure), c.expected, c.upper)


def _z(evaluation: Evaluated, measure: Measure) -> Array:
    c = _chances(evaluation, measure, variance=True)
    assert c.variance is not None
    z = normalise.z(_score(evaluation, measure), c.expected, c.variance, c.upper)
    return -z if c.measure.better == "lower" else z


def _min_max(evaluation: Evaluated, measure: Measure) -> Array:
    c = _chances(evaluation, measure, worst=True, expected=False)
    if c.worst is None:
        raise MeasureError(f"{measure}: the worst value of {measure.inner} is not known.")
    return normalise.min_max(_score(evaluation, measure), c.worst, c.upper)


def _p_value(evaluation: Evaluated, measure: Measure) -> Array:
    c = _chances(evaluation, measure)
    score = _score(evaluation, measure)
    if c.measure.definition.family == "answers":
        from tare.chance._answers import answer_p_values

        values = answer_p_values(cast("AnswerEvaluation", evaluation), measure, score)
        errors = np.zeros(len(values))
    elif not isinstance(evaluation, Evaluation):
        from tare.chance._texts import text_p_values

        texts = cast("TextEvaluation", evaluation)
        values, errors = text_p_values(texts, c.measure, random_text(measure), score)
    else:
        assert isinstance(c, Chances)
        values, errors = p_values(evaluation.judged, c, score)
    evaluation.set_errors(measure, np.where(c.defined, errors, 0.0))
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
    parameters: tuple[Parameter, ...] = (POOL, HOW, TOP, LENGTH),
    citation: str = FK23,
    notes: str = "",
    **more: Any,
) -> Definition:
    return Definition(
        name,
        title,
        formula,
        citation,
        parameters,
        bounds=bounds,
        family="chance",
        wraps=True,
        derive=derive,
        notes=notes,
        settle=settle,
        **more,
    )


DEFINITIONS = (
    _entry(
        "Net",
        "Score net of chance",
        "(A − E)/(U − E); over a set (mean A − mean E)/(mean U − mean E)",
        (None, 1),
        _net,
        (POOL, HOW, TOP, LENGTH, MEAN),
        "Cohen. A Coefficient of Agreement for Nominal Scales. Educational and Psychological Measurement, "
        "1960; Berrendorf et al. On the Ambiguity of Rank-Based Evaluation of Entity Alignment or Link "
        "Prediction Methods, 2020.",
        aggregate="ratio",
        notes=f"{NET_MEANING} Below 0 is worse than chance. Within one set of queries a test of no "
        "difference has the p of the measure itself.",
    ),
    _entry(
        "E",
        "Expected value",
        "E[A] under a uniformly random ranking of the pool, a random text of the source's words, or an answer to another topic",
        (None, None),
        _e,
        (POOL, HOW, LENGTH),
        aggregate="inner",
        better="neither",
    ),
    _entry(
        "Ideal",
        "Value of the ideal",
        "U: the measure's value on the best order of the pool, 1 for texts and answers",
        (None, None),
        _ideal,
        (POOL, TOP),
        aggregate="inner",
        better="neither",
    ),
    _entry("U", "Upper-bound normalised", "A/IUB", (None, 1), _u, (POOL, TOP)),
    _entry(
        "V1",
        "Normalised by upper bound and expected value, ratio form",
        "(A/IUB)·A/(A + E)",
        (0, 1),
        _v1,
    ),
    _entry(
        "V2",
        "Normalised by upper bound and expected value, chance-corrected",
        "(A − E)/(IUB − E) if A ≥ E, else (A − E)/E",
        (-1, 1),
        _v2,
        notes="Its mean over random rankings is ½·D·(1/(IUB − E) − 1/E), D = E|A − E| under chance, and 0 "
        "only where IUB = 2E or D = 0. Net is 0 at chance.",
    ),
    _entry(
        "Z",
        "Distance from chance in standard deviations",
        "(A − E)/σ, σ² the variance of A under chance",
        (None, None),
        _z,
        (POOL, LENGTH),
        notes="Above 0 is better than chance: where lower is better, as for MeanRank, it is (E − A)/σ.",
    ),
    _entry(
        "MinMax",
        "Min–max normalised",
        "(A − worst)/(IUB − worst), worst the value of the worst ranking",
        (0, 1),
        _min_max,
        (POOL,),
        "Gienapp, Fröbe, Hagen, Potthast. The Impact of Negative Relevance Judgments on NDCG. CIKM 2020.",
    ),
    _entry(
        "pValue",
        "Probability that chance does as well",
        "P(A of a random ranking ≥ A)",
        (0, 1),
        _p_value,
        (POOL, LENGTH),
        better="lower",
        notes="A smaller value is better. For MeanRank it is P(rank of a random ranking ≤ rank).",
    ),
    Definition(
        "Std",
        "Standardised over systems",
        "(x − mean)/deviation over the systems, query by query",
        "Webber, Moffat, Zobel. Score Standardization for Inter-Collection Comparison of Retrieval "
        "Systems. SIGIR 2008.",
        bounds=(None, None),
        family="chance",
        wraps=True,
        across=_std,
    ),
    Definition(
        "StdAB",
        "Standardised over systems, std-AB",
        "A·z + B cut to [0, 1], z the standardised score",
        "Sakai. A Simple and Effective Approach to Score Standardisation. ICTIR 2016.",
        (SCALE_A, SCALE_B),
        family="chance",
        wraps=True,
        across=_std_ab,
    ),
)
