"""Rate limits for log messages: each message a few times per minute, in one line, without tokens."""

from __future__ import annotations

import logging
import os
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

__all__ = ["LogLimit", "limit_logs"]

LOGGERS = ("asyncio", "uvicorn.error", "tare._app")
MAX_MESSAGES = 200  # distinct messages that are counted


class LogLimit(logging.Filter):
    """Pass each message `most` times per `window` seconds, then report how many were suppressed.

    Tracebacks are removed, because they may contain a token; TARE_DEBUG shows them.
    """

    def __init__(
        self, most: int = 5, window: float = 60.0, clock: Callable[[], float] = monotonic
    ) -> None:
        super().__init__()
        self.most, self.window, self.clock = most, window, clock
        self._seen: OrderedDict[tuple[str, str], tuple[float, int]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a message is logged; shorten it to one line."""
        words = (record.getMessage().strip().splitlines() or [""])[0]
        if record.exc_info and not os.environ.get("TARE_DEBUG"):
            kind = record.exc_info[0]
            words += f": {kind.__name__}" if kind is not None else ""
            record.exc_info = record.exc_text = None
        key, now = (record.name, words), self.clock()
        since, count = self._seen.get(key, (now, 0))
        left_out = 0
        if now - since >= self.window:
            since, count, left_out = now, 0, max(0, count - self.most)
        self._seen[key] = (since, count + 1)
        self._seen.move_to_end(key)
        if len(self._seen) > MAX_MESSAGES:
            self._seen.popitem(last=False)
        if left_out:
            words += f" ({left_out:,} more such messages were suppressed)"
        record.msg, record.args = words, None
        return count < self.most


LOG_LIMIT = LogLimit()


def limit_logs() -> None:
    """Apply the limit to the server's loggers; calling it again changes nothing."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(LOG_LIMIT)
