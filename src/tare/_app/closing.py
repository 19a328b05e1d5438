"""Transports whose connections end: a connection that is being closed has a deadline for its unsent bytes."""

from __future__ import annotations

import asyncio
from typing import Any

__all__ = ["ClosingTransport"]


class ClosingTransport(asyncio.Transport):
    """A transport that is aborted if the client does not read the last reply in time.

    `close` of asyncio waits without limit until the client has read what is in the buffer. uvicorn
    closes connections in several places, and all of them use this object.

    seconds: time for the client to read the last reply after `close`.
    """

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, seconds: float
    ) -> None:
        self._transport, self._loop, self.seconds = transport, loop, seconds
        self._timer: asyncio.TimerHandle | None = None
        # Called for every request, so without another call between.
        self.write = transport.write  # type: ignore[method-assign]
        self.is_closing = transport.is_closing  # type: ignore[method-assign]
        self.abort = transport.abort  # type: ignore[method-assign]

    def close(self) -> None:
        """Close the connection after the buffer is sent, or when the time is over."""
        self._transport.close()
        if self._timer is None and self.has_unsent:
            self._timer = self._loop.call_later(self.seconds, self._transport.abort)

    def forget(self) -> None:
        """Cancel the deadline, because the connection has ended."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def has_unsent(self) -> bool:
        """Whether the client has to read before all bytes are sent."""
        return self._transport.get_write_buffer_size() > 0

    @property
    def is_leaving(self) -> bool:
        """Whether the connection ends in the next iteration of the event loop."""
        return self._transport.is_closing() and not self.has_unsent

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return information about the connection, such as its addresses."""
        return self._transport.get_extra_info(name, default)

    def pause_reading(self) -> None:
        """Stop receiving."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Receive again."""
        self._transport.resume_reading()
