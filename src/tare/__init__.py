"""tare: evaluation of rankings and of generated text, net of chance."""

from tare.data import Qrels, Run, read_qrels, read_run, read_runs
from tare.errors import TareError
from tare.measures import Measure, parse
from tare.measures.evaluate import evaluate
from tare.measures.scores import Scores
from tare.signature import tare_version

__version__ = tare_version()

__all__ = [
    "Measure",
    "Qrels",
    "Run",
    "Scores",
    "TareError",
    "__version__",
    "evaluate",
    "parse",
    "read_qrels",
    "read_run",
    "read_runs",
]
