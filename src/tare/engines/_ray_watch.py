"""A watch over a Ray cluster: what waiting parts wait for, and when no answer can come."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from typing import Any

from tare.errors import EngineError

__all__ = ["Waiting", "check_address", "check_cluster"]

SHOWN = 3
CONNECTING = 10.0  # seconds


@dataclass(frozen=True)
class Waiting:
    """Parts that were started and have not finished."""

    what: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        more = f" and {len(self.parts) - SHOWN} more" if len(self.parts) > SHOWN else ""
        return f"{self.what or 'tasks'}: {'; '.join(self.parts[:SHOWN])}{more}"

    def report(self, ray: Any, seconds: float) -> str:
        """Return a message about what the parts wait for."""
        nodes = sum(bool(node.get("Alive")) for node in ray.nodes())
        free = float(ray.available_resources().get("CPU", 0))
        total = float(ray.cluster_resources().get("CPU", 0))
        reason = "for a free processor" if free < 1 else "for the end of their tasks"
        return (
            f"{self} waits {reason}. No part finished for {seconds:g} seconds. The cluster has {nodes} "
            f"nodes, and {total - free:g} of {total:g} processors are in use."
        )


def check_cluster(ray: Any, waiting: Waiting) -> None:
    """Raise an error if the head does not respond or no node can run tasks.

    Ray itself waits for nodes forever, and ends this process if the head does not come back.
    """
    address = str(ray.get_runtime_context().gcs_address)
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=CONNECTING).close()
    except (OSError, ValueError):
        raise EngineError(
            f"{waiting}: the head of the cluster at {address} does not respond. Nothing was scored; "
            "restart the cluster and run the command again."
        ) from None
    alive = [node for node in ray.nodes() if node.get("Alive")]
    if not any(node.get("Resources", {}).get("CPU", 0) >= 1 for node in alive):
        raise EngineError(
            f"{waiting}: no node of the cluster at {address} has a processor for tasks. Nothing was "
            "scored; add nodes with `ray start --address`, and run the command again."
        )


def check_address(address: str | None) -> None:
    """Fail at once if nothing listens at host:port; Ray would retry for minutes."""
    if address is not None and re.fullmatch(r"[\w.-]+:\d+", address):
        host, _, port = address.rpartition(":")
        socket.create_connection((host, int(port)), timeout=CONNECTING).close()
