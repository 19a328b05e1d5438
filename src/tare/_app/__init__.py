"""The web application: assessors judge, and the owner follows the study."""

from tare._app.exports import export
from tare._app.server import application, serve
from tare._app.store import StudyStore

__all__ = ["StudyStore", "application", "export", "serve"]
