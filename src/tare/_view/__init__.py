"""The explorer: a local page that shows rankings, texts and answers one query at a time."""

from __future__ import annotations

from tare._view.answer_files import AnswerFiles
from tare._view.build import opened_index
from tare._view.inputs import ViewInputs
from tare._view.notes import Notes
from tare._view.server import ServedView, application

__all__ = ["AnswerFiles", "Notes", "ServedView", "ViewInputs", "application", "opened_index"]
