"""Judging: studies in which people judge, as a design, a log of events and pure functions of both."""

from tare.studies._judging.answers import check_answer
from tare.studies._judging.decisions import Refusal, Turn
from tare.studies._judging.design import KINDS, Design, Dimension, GateQuestion, Study
from tare.studies._judging.events import Event
from tare.studies._judging.outcomes import Outcomes
from tare.studies._judging.plan import read_study
from tare.studies._judging.state import State
from tare.studies._judging.tasks import Task, make_pairs, make_triplets

__all__ = [
    "KINDS",
    "Design",
    "Dimension",
    "Event",
    "GateQuestion",
    "Outcomes",
    "Refusal",
    "State",
    "Study",
    "Task",
    "Turn",
    "check_answer",
    "make_pairs",
    "make_triplets",
    "read_study",
]
