"""The store: an append-only log in SQLite or PostgreSQL."""

from tare._app.store.store import Keys, Shown, Store
from tare._app.store.writer import Writer

__all__ = ["Keys", "Shown", "Store", "Writer"]
