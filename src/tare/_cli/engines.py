"""The engine that a verb runs on, from its options."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tare._cli.output import say
from tare._cli.progress import Progress
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare.engines._engine import Engine

__all__ = ["EngineOptions"]


@dataclass(frozen=True)
class EngineOptions:
    """The options --engine, --memory, --address and --temporary."""

    engine: str | None = None
    memory: str | None = None
    address: str | None = None
    temporary: Path | None = None

    @property
    def name(self) -> str | None:
        """Name of the engine; None without an engine."""
        return self.engine or ("local" if self.memory or self.temporary else None)

    @contextmanager
    def opened(self) -> Iterator[Engine | None]:
        """Open the engine for the work inside; yield None without an engine."""
        engine: Engine | None = None
        try:
            with _uninterrupted():
                engine = self._engine()
            yield engine
        finally:
            if engine is not None:
                with _uninterrupted():
                    engine.close()

    def _engine(self) -> Engine | None:
        if self.name == "ray":
            from tare.engines._ray import Ray

            if self.temporary is not None:
                raise OptionError("--temporary needs --engine local; Ray uses its own folders.")
            return Ray(
                address=self.address,
                memory=self.memory,
                on_progress=Progress(unit="parts"),
                on_wait=say,
            )
        if self.address is not None:
            raise OptionError("--address is the address of a Ray cluster; it needs --engine ray.")
        if self.name is None:
            return None
        from tare.engines._local import Local

        return Local(
            memory=self.memory, temporary=self.temporary, on_progress=Progress(unit="parts")
        )


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
