"""The explorer: a local page that shows rankings, texts and answers one query at a time."""

from __future__ import annotations

from tare._web.view.answers import AnswerFiles
from tare._web.view.build import opened_index
from tare._web.view.index import ViewInputs
from tare._web.view.server import Notes, ServedView, application

__all__ = ["AnswerFiles", "Notes", "ServedView", "ViewInputs", "application", "opened_index"]
