"""Studies with human assessors: a design, a log of events, and pure functions of both."""

from tare._judging.decisions import Refusal, Turn, check_answer
from tare._judging.design import (
    KINDS,
    Dimension,
    GateQuestion,
    Study,
    StudyDesign,
    Task,
    make_pairs,
    make_triplets,
)
from tare._judging.outcomes import Outcomes
from tare._judging.plan import read_study
from tare._judging.state import Event, State

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
