"""The progress of a verb, shown on stderr if it is a terminal."""

from __future__ import annotations

import os
import sys
from typing import Self

from tare._plain_text import plain

__all__ = ["Progress"]

BAR_WIDTH = 24
NAME_WIDTH = 60


class Progress:
    """One line on stderr with a bar, the number of finished steps and the current step.

    Call it with the name of a step when the step begins, or with a name, the number of finished steps
    and the total. Nothing is shown if stderr is not a terminal or if there is only one step. With a
    total of None, the number of steps is unknown and only the current step is shown.
    """

    def __init__(self, label: str = "", total: int | None = 0, unit: str = "") -> None:
        self.label, self.total, self.unit = label, total, unit
        self.done = 0
        self.shown = sys.stderr.isatty()

    def __call__(self, name: str, done: int | None = None, total: int | None = None) -> None:
        """Show the current step."""
        if total is not None:
            self.total = total
        if done is not None:
            self.done = done
        if done is None:
            self._show(os.path.basename(name))  # noqa: PTH119 (not always a path)
            self.done += 1
        elif done == self.total:
            self.end()
        else:
            self._show(name)

    def _show(self, name: str) -> None:
        if not self.shown:
            return
        parts = [self.label]
        if self.total is not None:
            self.total = max(self.total, self.done)  # some steps are only known later
            if self.total < 2:
                return
            filled = BAR_WIDTH * self.done // self.total
            bar = "━" * filled + "─" * (BAR_WIDTH - filled)
            parts += [bar, f"{self.done:,}/{self.total:,}", self.unit]
        line = " ".join(part for part in (*parts, plain(name)[-NAME_WIDTH:]) if part)
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()

    def end(self) -> None:
        """Remove the line."""
        if self.shown and (self.total is None or self.total > 1):
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
