"""Sparing logs: the same message a few times a minute, in one line, without what a link holds."""

from __future__ import annotations

import logging
import os
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

__all__ = ["Sparing", "spare_logs"]

LOGGERS = ("asyncio", "uvicorn.error", "tare._app")
KINDS = 200  # of messages that are counted


class Sparing(logging.Filter):
    """Lets a message through `most` times in `window` seconds, then says how many were left out.

    Tracebacks are left out, because what they show may hold a token; TARE_DEBUG shows them.
    """

    def __init__(
        self, most: int = 5, window: float = 60.0, clock: Callable[[], float] = monotonic
    ) -> None:
        super().__init__()
        self.most, self.window, self.clock = most, window, clock
        self._seen: OrderedDict[tuple[str, str], tuple[float, int]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a message is written; one that is may be changed."""
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
        if len(self._seen) > KINDS:
            self._seen.popitem(last=False)
        if left_out:
            words += f" ({left_out:,} more like this were left out)"
        record.msg, record.args = words, None
        return count < self.most


SPARING = Sparing()


def spare_logs() -> None:
    """Makes the logs of the server sparing; a second time changes nothing."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(SPARING)
