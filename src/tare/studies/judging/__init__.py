"""Judging: studies in which people judge, as a design, a log of events and pure functions of both."""

from tare.studies.judging.answers import check_answer
from tare.studies.judging.decisions import Refusal, Turn
from tare.studies.judging.design import KINDS, Design, Dimension, GateQuestion, Study
from tare.studies.judging.events import Event
from tare.studies.judging.outcomes import Outcomes
from tare.studies.judging.plan import read_study
from tare.studies.judging.state import State
from tare.studies.judging.tasks import Task, make_pairs, make_triplets

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
