"""Parameters shared by several measures of diversity."""

from __future__ import annotations

from tare._measures.parameter import Parameter

__all__ = ["ALPHA", "BETA", "GAIN", "GREEDY", "IDEAL", "NORMALIZE", "REL", "SEVERAL", "UNLIMITED"]

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
