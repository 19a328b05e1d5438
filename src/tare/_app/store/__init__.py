"""The database of a study: an append-only log in SQLite or PostgreSQL."""

from tare._app.store.store import AccessTokens, DisplayedText, StudyStore
from tare._app.store.writer import Writer

__all__ = ["AccessTokens", "DisplayedText", "StudyStore", "Writer"]
