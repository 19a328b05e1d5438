"""The engine that a verb runs on, from its options."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tare._cli.output import say
from tare._cli.progress import Progress
from tare.errors import EngineError, OptionError, TareError

if TYPE_CHECKING:
    from tare.engines._engine import Engine

__all__ = ["EngineOptions"]


@dataclass(frozen=True)
class EngineOptions:
    """The options --engine, --memory, --address, --temporary and --resume."""

    engine: str | None = None
    memory: str | None = None
    address: str | None = None
    temporary: Path | None = None
    resume: Path | None = None
    unit: str = "parts"  # what progress counts

    @property
    def name(self) -> str | None:
        """Name of the engine; None without an engine."""
        given = self.memory or self.temporary or self.resume
        return self.engine or ("local" if given else None)

    @contextmanager
    def opened(self) -> Iterator[Engine | None]:
        """Open the engine for the work inside; yield None without an engine."""
        engine: Engine | None = None
        self._say_kept()
        try:
            with _uninterrupted():
                engine = self._engine()
            yield engine
        finally:
            if engine is not None:
                with _uninterrupted():
                    engine.close()
                if getattr(engine, "lost", False):  # Ray could end or crash the process from now on
                    error = sys.exc_info()[1]
                    _end(
                        str(error)
                        if isinstance(error, TareError)
                        else "the head of the cluster was lost."
                    )

    def _engine(self) -> Engine | None:
        if self.name == "ray":
            from tare.engines._ray import Ray

            if self.temporary is not None:
                raise OptionError("--temporary needs --engine local; Ray uses its own folders.")
            return Ray(
                address=self.address,
                memory=self.memory,
                on_progress=Progress(unit=self.unit),
                on_wait=say,
                on_lost=_end,
                resume=self.resume,
            )
        if self.address is not None:
            raise OptionError("--address is the address of a Ray cluster; it needs --engine ray.")
        if self.name is None:
            return None
        from tare.engines._local import Local

        return Local(
            memory=self.memory,
            temporary=self.temporary,
            on_progress=Progress(unit=self.unit),
            resume=self.resume,
        )

    def _say_kept(self) -> None:
        """Say how many parts of a job that was stopped are there."""
        if self.resume is None:
            return
        from tare.engines._join_parts import parts_in

        if kept := len(parts_in(str(self.resume))):
            say(f"{self.resume}: continuing with {kept:,} finished parts.")


def _end(message: str) -> None:
    """End the command at once, without the calls of Ray at the end of a process."""
    advice = "Nothing was written; start the cluster again, and run the command again."
    say(f"tare: {message}" if "Nothing was" in message else f"tare: {message} {advice}")
    os._exit(EngineError.exit_code)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay a Ctrl-C until the block ends; a second one interrupts at once.

    Ray crashes if it is interrupted while it starts or stops.
    """
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    if not main or before is not signal.default_int_handler:  # the caller handles it
        yield
        return
    asked = False

    def interrupted(*_: object) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt
