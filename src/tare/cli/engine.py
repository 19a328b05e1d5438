"""Options of verbs that can work on an engine, and the engine that they ask for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tare.cli.output import Parts
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare.engines.engine import Engine

__all__ = ["EngineOptions"]


@dataclass(frozen=True)
class EngineOptions:
    """What `--engine` and the options that go with it say."""

    engine: str | None = None
    memory: str | None = None
    address: str | None = None
    temporary: Path | None = None

    def made(self) -> Engine | None:
        """The engine; None where none was asked for."""
        name = self.engine or ("local" if self.memory or self.temporary else None)
        if name == "ray":
            from tare.engines.ray import Ray

            if self.temporary is not None:
                raise OptionError("--temporary is for --engine local; Ray has folders of its own.")
            return Ray(address=self.address, memory=self.memory, told=Parts())
        if self.address is not None:
            raise OptionError("--address is that of a Ray cluster; it needs --engine ray.")
        if name is None:
            return None
        from tare.engines.local import Local

        return Local(memory=self.memory, temporary=self.temporary, told=Parts())
