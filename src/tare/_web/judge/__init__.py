"""The judging app: assessors judge, and the owner follows the study."""

from tare._web.judge.exports import export
from tare._web.judge.server import application, serve
from tare._web.judge.store import StudyStore

__all__ = ["StudyStore", "application", "export", "serve"]
