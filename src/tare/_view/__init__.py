"""The explorer: a local page that shows rankings query by query and document by document."""

from __future__ import annotations

from tare._view.build import opened_index
from tare._view.inputs import ViewInputs
from tare._view.server import server_of

__all__ = ["ViewInputs", "opened_index", "server_of"]
