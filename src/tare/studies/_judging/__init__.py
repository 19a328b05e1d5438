"""Studies with human assessors: a design, a log of events, and pure functions of both."""

from tare.studies._judging.answers import check_answer
from tare.studies._judging.decisions import Refusal, Turn
from tare.studies._judging.design import KINDS, Dimension, GateQuestion, Study, StudyDesign
from tare.studies._judging.events import Event
from tare.studies._judging.outcomes import Outcomes
from tare.studies._judging.plan import read_study
from tare.studies._judging.state import State
from tare.studies._judging.tasks import Task, make_pairs, make_triplets

__all__ = [
    "KINDS",
    "Dimension",
    "Event",
    "GateQuestion",
    "Outcomes",
    "Refusal",
    "State",
    "Study",
    "StudyDesign",
    "Task",
    "Turn",
    "check_answer",
    "make_pairs",
    "make_triplets",
    "read_study",
]
