"""Measures derived from chance: Net, E, Ideal, U, V1, V2, Z, MinMax, pValue, Std. Each wraps another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from tare._choices import EXPECTED, UPPER
from tare._measures.definition import Definition, Parameter, RandomText, Value
from tare._measures.measure import Measure, make
from tare._measures.names import parse_all
from tare._measures.one_system import RankingEvaluation
from tare._measures.scores import Scores
from tare.chance import _normalise as normalise
from tare.chance._expected_values import Chances, chances_of
from tare.chance._runs_against_chance import p_values
from tare.errors import MeasureError

if TYPE_CHECKING:
    from tare._measures.answers import AnswerEvaluation
    from tare._measures.text.cells import TextEvaluation
    from tare.chance._texts_and_answers import AnswerChances, TextChances

__all__ = [
    "BOUNDED",
    "DEFINITIONS",
    "HOW",
    "LENGTH",
    "MEAN",
    "NET_MEANING",
    "POOL",
    "SCALE_A",
    "SCALE_B",
    "TOP",
    "completed",
    "has_net",
    "net",
    "option",
    "random_text",
    "refuse_without_net",
    "settle",
    "with_chance",
    "without_trivial_ideals",
]


# Parameters of the measures derived from chance: pool, expected value, upper bound, length, mean.


POOL = Parameter(
    "pool",
    "pool",
    None,
    "What could have been ranked: judged, corpus=N, corpus=inf, candidates, union or retrieved; the "
    "call's pool if the measure names none.",
)
MEAN = Parameter(
    "mean",
    "choice",
    "ratio",
    "Over a set: the ratio of means, or the mean of the items that have room (items), which has heavy "
    "tails where rooms are small.",
    choices=("ratio", "items"),
)
HOW = Parameter(
    "expected",
    "choice",
    "exact",
    "exact (sampled where there is no closed form) or sampled; independent: the published "
    "approximation k(R/n)² for SP@k and AP@k; for texts published: one random text; for BERTScore best "
    "and worst: the words nearest to the source, and farthest.",
    choices=(*EXPECTED, "sampled", "random", "published", "best", "worst"),
)
TOP = Parameter(
    "upper",
    "choice",
    "ideal",
    "ideal: the value of the perfect ranking, 1 for texts; published: the constant k for SP@k; for "
    "texts oracle: the best extract, human: the references held against one another.",
    choices=(*UPPER, "1", "oracle", "human"),
)
LENGTH = Parameter(
    "length",
    "length",
    None,
    "Of a random text: that of the reference, of the candidate, or a number of words. V1, V2 and MinMax "
    "take the candidate's if nothing is given, as published; the others the reference's, so that chance "
    "is the same for every system.",
    choices=("candidate", "reference"),
    low=1,
    high=1_000_000,
)
BOUNDED = ("Net", "Ideal", "U", "V1", "V2", "MinMax")  # those that need the upper bound
BY_CANDIDATE = ("V1", "V2", "MinMax")  # random texts as long as the candidate
SCALE_A = Parameter("a", "number", 0.15, "Scale A of std-AB.")
SCALE_B = Parameter("b", "number", 0.5, "Middle B of std-AB.")


def settle(name: str, given: dict[str, Value]) -> dict[str, Value]:
    """Replace synonyms among the parameters of a measure of chance by one word, and drop the default length."""
    same = {("expected", "random"): "sampled", ("upper", "1"): "ideal"}
    usual = ("length", _usual_length(name))
    return {k: same.get((k, str(v)), v) for k, v in given.items() if (k, v) != usual}


def _usual_length(name: str) -> str:
    return "candidate" if name in BY_CANDIDATE else "reference"


def option(measure: Measure, name: str) -> Value | None:
    """Return a parameter of a measure derived from chance, or the default if the measure has no such parameter."""
    known = {p.name for p in measure.definition.parameters}
    default = {p.name: p.default for p in (POOL, HOW, TOP, LENGTH)}[name]
    return measure[name] if name in known else default


def random_text(measure: Measure) -> RandomText:
    """Return how the random texts are drawn for a measure derived from chance."""
    length = option(measure, "length") or _usual_length(measure.name)
    return RandomText(
        str(option(measure, "expected")), length if isinstance(length, str) else int(str(length))
    )


# Net: the score above chance, as a share of the room above chance.
#
#     Net(A) = (A − E)/(U − E)
#
# A is the score, E its expected value under a uniformly random order of the pool, U its value on the best
# order of the pool. 1 is perfect, 0 is expected at chance, below 0 is worse than chance. Over a set of
# queries Net is the ratio of the means, (mean A − mean E)/(mean U − mean E), like Cohen's κ.


Array = NDArray[np.float64]

NET_MEANING = (
    "1 is the ideal, 0 is what chance scores. Net removes chance, not the effect of how many documents "
    "are relevant, of the pool's size or of the cutoff: compare Net between sets only where these are "
    "alike. Which of two systems is better does not change."
)


def net(gain: Array, room: Array) -> Array:
    """Return Net, (A − E)/(U − E), per query; NaN if U = E."""
    return np.where(room == 0, np.nan, gain / np.where(room == 0, 1.0, room))


def has_net(measure: Measure) -> bool:
    """Return whether chance can be subtracted from a measure, so that Net may wrap it.

    >>> from tare._measures.names import parse
    >>> has_net(parse("nDCG@10")), has_net(parse("GMAP"))
    (True, False)
    """
    return _reason(measure) is None


def refuse_without_net(measure: Measure) -> None:
    """Raise an error with the reason if the measure has no net score."""
    inner = measure.inner
    assert inner is not None
    reason = _reason(inner)
    if reason is not None:
        raise MeasureError(f"{measure}: {inner} has no net score, because {reason}.")


def _reason(measure: Measure) -> str | None:
    definition = measure.definition
    if definition.wraps:
        return "it is already derived from another measure"
    if definition.without_net:
        return definition.without_net
    if definition.aggregate == "sum":
        return "it is a count that is summed over queries"
    if definition.aggregate == "geometric":
        return "its geometric mean is defined for a set of queries only"
    if definition.family == "text":
        return None if definition.text_chance is not None else "it is not defined for a random text"
    if definition.family == "answers":
        return None  # chance is known from answers to other topics, if the data have them
    if definition.needs == "groups":
        return "the pool that several assessors share is not defined"
    if definition.arguments is None and definition.chance is None and definition.function is None:
        return "its expected value under chance is not known"
    return None


Evaluated: TypeAlias = "RankingEvaluation | TextEvaluation | AnswerEvaluation"
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
    """Return the inner measure of Net, E, Z and so on under chance, computed once for all measures that wrap it."""
    assert measure.inner is not None
    if measure.innermost.definition.family == "answers":
        from tare.chance._texts_and_answers import answer_chances

        return answer_chances(cast("AnswerEvaluation", evaluation), measure, expected=expected)
    if not isinstance(evaluation, RankingEvaluation):
        texts = cast("TextEvaluation", evaluation)
        return _of_texts(texts, measure, variance=variance, expected=expected)
    if option(measure, "length") is not None:
        raise MeasureError(f"{measure}: length applies to texts only, not to rankings.")
    pool = evaluation.pools.require(measure, option(measure, "pool"))
    how, top = str(option(measure, "expected")), str(option(measure, "upper"))
    inner = measure.inner
    key = (inner, pool, how, top, variance, worst)
    pool.check(evaluation.judged)
    keep = evaluation.resource if pool.shared else evaluation.shared
    made: Chances = keep(
        key,
        lambda: chances_of(
            evaluation.judged, inner, pool, how, top, evaluation.sampling, variance, worst
        ),
    )
    evaluation.set_errors(measure, made.expected_error)
    greedy = measure.name in BOUNDED and made.greedy
    evaluation.set_facts(measure, pool.facts() | ({"upper": "greedy"} if greedy else {}))
    return made


def _of_texts(
    evaluation: TextEvaluation, measure: Measure, *, variance: bool, expected: bool
) -> TextChances:
    """Return the inner measure of texts under chance, computed once for all that wrap it, and record facts and findings."""
    from tare.chance._texts_and_answers import provider_of, text_chances_of, upper_findings

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
    """Return the facts about chance for the signature of a derived measure; seed and samples only if values were sampled."""
    from tare.chance._texts_and_answers import provider_of

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
    evaluation.set_parts(measure, gross=score, tare=found.expected, ideal=found.upper)
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
        from tare.chance._texts_and_answers import answer_p_values

        values = answer_p_values(cast("AnswerEvaluation", evaluation), measure, score)
        errors = np.zeros(len(values))
    elif not isinstance(evaluation, RankingEvaluation):
        from tare.chance._texts_and_answers import text_p_values

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


# The columns of chance in a score table: score, expected value, ideal and net score.


def with_chance(measures: Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Return each measure followed by its expected value (E), its ideal and its net score, if defined.

    >>> with_chance(["RR"])
    (RR, E(RR), Ideal(RR), Net(RR))
    """
    made: dict[Measure, None] = {}
    for measure in parse_all(measures):
        made.setdefault(measure)
        if measure.inner is None and has_net(measure):
            made |= dict.fromkeys(make(name, inner=measure) for name in ("E", "Ideal", "Net"))
    return tuple(made)


def completed(scores: Scores) -> Scores:
    """Return the table with the columns of chance (E, Ideal, Net) of each measure, if the pool is known."""
    if scores.rescoring is None or not scores.rescoring.pool_known:
        return scores
    plain = [m for m in scores.measures if m.registered]
    return without_trivial_ideals(scores.also(with_chance(plain)))


def without_trivial_ideals(scores: Scores) -> Scores:
    """Return the table without the columns Ideal that are 1 for every item."""
    kept = [
        measure
        for m, measure in enumerate(scores.measures)
        if measure.name != "Ideal" or not _all_one(scores, m)
    ]
    return scores if len(kept) == len(scores.measures) else scores.select(measures=kept)


def _all_one(scores: Scores, m: int) -> bool:
    values = scores.values[:, :, m]
    return bool((np.abs(values[~np.isnan(values)] - 1) <= 1e-12).all())
