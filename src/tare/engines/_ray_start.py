"""The start of Ray on this machine, or the connection to a cluster."""

from __future__ import annotations

import re
import socket
from typing import Any

from tare.errors import EngineError, MissingExtraError

__all__ = ["ray_module", "start_ray"]

STARTS = 3
CONNECTING = 10.0  # seconds
LATE = "timed out during startup"  # Ray waits 30 seconds for its processes, and a busy machine may need longer


def ray_module() -> Any:
    """Return the package `ray`."""
    try:
        import ray
    except ImportError:
        raise MissingExtraError("ray", "ray", "The engine ray") from None
    return ray


def start_ray(ray: Any, address: str | None, options: dict[str, Any]) -> None:
    """Start Ray on this machine with these options, or join the cluster at an address."""
    left = STARTS
    while True:
        left -= 1
        try:
            _check_address(address)
            ray.init(
                # "local" starts a new instance instead of joining one that is running.
                address=address or "local",
                log_to_driver=False,
                logging_level="ERROR",
                **(options if address is None else {}),
            )
            return
        except Exception as error:  # Ray raises plain exceptions too
            if address is not None:
                raise EngineError(
                    f"no Ray cluster responds at {address} ({error}). Start one with `ray start --head`, or omit "
                    "the address to use Ray on this machine."
                ) from error
            if left == 0 or LATE not in str(error):
                raise EngineError(
                    f"Ray did not start on this machine ({error}). Try again when the machine is less busy, or use "
                    "the engine `local`."
                ) from error
            ray.shutdown()  # the processes that did start


def _check_address(address: str | None) -> None:
    """Fail at once if nothing listens at host:port; Ray would try again for more than a minute."""
    if address is not None and re.fullmatch(r"[\w.-]+:\d+", address):
        host, _, port = address.rpartition(":")
        socket.create_connection((host, int(port)), timeout=CONNECTING).close()
