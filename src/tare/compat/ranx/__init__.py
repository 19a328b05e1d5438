"""The interface of ranx 0.3.21 for evaluation and comparison; nothing is compiled at the first call."""

from tare.compat.ranx._compare import compare
from tare.compat.ranx._evaluate import evaluate
from tare.compat.ranx._report import Report
from tare.compat.ranx._tables import Qrels, Run

__all__ = ["Qrels", "Report", "Run", "compare", "evaluate"]
