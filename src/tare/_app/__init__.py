"""The web room: where assessors judge and owners watch."""

from tare._app.exporting import export
from tare._app.server import application, serve
from tare._app.store import Store

__all__ = ["Store", "application", "export", "serve"]
