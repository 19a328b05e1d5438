"""Things that are given: qrels, runs, LETOR data, summaries, and what was found in them."""

from tare.data.findings import Finding
from tare.data.judged import Judged, Policies, judge
from tare.data.letor import Letor, read_letor
from tare.data.qrels import Qrels, read_qrels
from tare.data.ratings import Ratings, read_ratings
from tare.data.run import Run, read_run, read_runs
from tare.data.summaries import Summaries, read_summaries

__all__ = [
    "Finding",
    "Judged",
    "Letor",
    "Policies",
    "Qrels",
    "Ratings",
    "Run",
    "Summaries",
    "judge",
    "read_letor",
    "read_qrels",
    "read_ratings",
    "read_run",
    "read_runs",
    "read_summaries",
]
