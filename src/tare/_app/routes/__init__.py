"""Routes: entry by links, the work of assessors, and the owner's overview."""

from tare._app.routes import entry, owner, work

__all__ = ["entry", "owner", "work"]
