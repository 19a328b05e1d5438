"""Parameters that several measures of diversity share."""

from __future__ import annotations

from tare._measures.parameter import Parameter

__all__ = ["ALPHA", "BETA", "GAIN", "GREEDY", "IDEAL", "NORMALIZE", "REL", "SEVERAL", "UNLIMITED"]

REL = Parameter("rel", "number", 1, "The least grade that is relevant to a subtopic.", low=0)
ALPHA = Parameter(
    "alpha", "number", 0.5, "How much a subtopic loses each time it was seen.", low=0, high=1
)
BETA = Parameter("beta", "number", 0.5, "Patience: how likely a reader goes on.", low=0, high=1)
GAIN = Parameter(
    "gain", "choice", "linear", "Gain of a grade l: l, or 2^l − 1.", choices=("linear", "exp2")
)
IDEAL = Parameter(
    "ideal", "choice", "greedy",
    "greedy, as in ndeval; or exact, the true ideal where it can be found in 2 million steps, else "
    "greedy.", choices=("greedy", "exact"),
)  # fmt: skip
NORMALIZE = Parameter(
    "normalize", "flag", True,
    "Divide by what a document for every subtopic at every rank would score, as ndeval does.",
)  # fmt: skip

GREEDY = "that of the greedy order of the pool; the true one is NP-complete (`tare.ideals` tells the gap)"
UNLIMITED = (
    "Collection-independent normalisation: 1 is a document for every subtopic at every rank."
)
SEVERAL = "Subtopics without a relevant document are not counted, as in ndeval."
