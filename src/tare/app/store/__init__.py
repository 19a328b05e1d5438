"""The store: an append-only log in SQLite or PostgreSQL."""

from tare.app.store.store import Keys, Shown, Store
from tare.app.store.writer import Writer

__all__ = ["Keys", "Shown", "Store", "Writer"]
