"""Options of verbs that can work on an engine, and the engine that they ask for."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tare._cli.output import Parts
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare.engines._engine import Engine

__all__ = ["EngineOptions"]


@dataclass(frozen=True)
class EngineOptions:
    """What `--engine` and the options that go with it say."""

    engine: str | None = None
    memory: str | None = None
    address: str | None = None
    temporary: Path | None = None

    @property
    def name(self) -> str | None:
        """The engine's name; None where none was asked for."""
        return self.engine or ("local" if self.memory or self.temporary else None)

    @contextmanager
    def opened(self) -> Iterator[Engine | None]:
        """The engine, which ends with the work; None where none was asked for."""
        engine: Engine | None = None
        try:
            with _unbroken():
                engine = self._made()
            yield engine
        finally:
            if engine is not None:
                with _unbroken():
                    engine.close()

    def _made(self) -> Engine | None:
        if self.name == "ray":
            from tare.engines._ray import Ray

            if self.temporary is not None:
                raise OptionError("--temporary is for --engine local; Ray has folders of its own.")
            return Ray(address=self.address, memory=self.memory, on_progress=Parts())
        if self.address is not None:
            raise OptionError("--address is that of a Ray cluster; it needs --engine ray.")
        if self.name is None:
            return None
        from tare.engines._local import Local

        return Local(memory=self.memory, temporary=self.temporary, on_progress=Parts())


@contextmanager
def _unbroken() -> Iterator[None]:
    """Within it a Ctrl-C waits until the end, and only a second one is heard at once.

    Ray crashes where its beginning or its end is interrupted.
    """
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    if not main or before is not signal.default_int_handler:  # somebody else sees to it
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
