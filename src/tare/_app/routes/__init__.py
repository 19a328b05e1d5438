"""Routes: doors, the assessor's work, the owner's desk."""

from tare._app.routes import doors, owner, work

__all__ = ["doors", "owner", "work"]
