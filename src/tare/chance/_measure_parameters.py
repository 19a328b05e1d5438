"""Parameters of the measures derived from chance: pool, expected value, upper bound, length, mean."""

from __future__ import annotations

from tare._choices import EXPECTED, UPPER
from tare._measures.definition import Parameter, RandomText, Value
from tare._measures.measure import Measure

__all__ = [
    "BOUNDED",
    "HOW",
    "LENGTH",
    "MEAN",
    "POOL",
    "SCALE_A",
    "SCALE_B",
    "TOP",
    "option",
    "random_text",
    "settle",
]

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
    """Replace synonyms by one word, and drop the default length."""
    same = {("expected", "random"): "sampled", ("upper", "1"): "ideal"}
    usual = ("length", _usual_length(name))
    return {k: same.get((k, str(v)), v) for k, v in given.items() if (k, v) != usual}


def _usual_length(name: str) -> str:
    return "candidate" if name in BY_CANDIDATE else "reference"


def option(measure: Measure, name: str) -> Value | None:
    """Return a parameter of the measure, or the default if the measure has no such parameter."""
    known = {p.name for p in measure.definition.parameters}
    default = {p.name: p.default for p in (POOL, HOW, TOP, LENGTH)}[name]
    return measure[name] if name in known else default


def random_text(measure: Measure) -> RandomText:
    """Return how the random texts of a measure are drawn."""
    length = option(measure, "length") or _usual_length(measure.name)
    return RandomText(
        str(option(measure, "expected")), length if isinstance(length, str) else int(str(length))
    )
