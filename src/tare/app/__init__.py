"""The web room: where assessors judge and owners watch."""

from tare.app.exporting import export
from tare.app.server import application, serve
from tare.app.store import Store

__all__ = ["Store", "application", "export", "serve"]
