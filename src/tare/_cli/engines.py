"""The engine that a verb runs on, from its options."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from cyclopts import Parameter

import tare
from tare._cli.output import Progress, say
from tare._cli.types import OutputFolder
from tare.errors import EngineError, OptionError, TareError

if TYPE_CHECKING:
    from tare.engines._engine import Engine as OpenEngine

__all__ = ["EngineOfRankers", "EngineOfRuns", "EngineOfScores", "EngineOfTexts", "EngineOptions"]


NOT_OFFERED = Parameter(parse=False)


@Parameter(name="*")
@dataclass(frozen=True)
class EngineOptions:
    """The engine of random draws."""

    engine: Annotated[
        Literal["local", "ray"] | None,
        Parameter(
            help="Where the work is done: on this machine (local, which shows progress) or on a Ray cluster "
            "(ray). The results are the same."
        ),
    ] = None
    memory: Annotated[str | None, NOT_OFFERED] = None
    address: Annotated[
        str | None,
        Parameter(
            help="Address of the Ray cluster, such as auto or head:6379 (default: a cluster on this machine)."
        ),
    ] = None
    resume: Annotated[Path | None, NOT_OFFERED] = None
    unit: ClassVar[str] = "blocks"  # what progress counts
    texts: ClassVar[bool] = False  # whether texts are scored, whose systems are kept

    @property
    def name(self) -> str | None:
        """Name of the engine; None without an engine."""
        return self.engine or ("local" if self.memory or self.resume else None)

    @contextmanager
    def opened(self) -> Iterator[OpenEngine | None]:
        """Open the engine that a verb runs on, for the work inside; yield None without an engine."""
        engine: OpenEngine | None = None
        self._say_kept()
        try:
            with _uninterrupted():
                engine = self._engine()
            yield engine
        except EngineError as failure:
            if kept := self._kept_words():
                raise type(failure)(f"{failure} {kept}") from failure
            raise
        finally:
            if engine is not None:
                with _uninterrupted():
                    engine.close()

    def _engine(self) -> OpenEngine | None:
        if self.name == "ray":
            return tare.engines.Ray(
                address=self.address,
                memory=self.memory,
                on_progress=Progress(unit=self.unit),
                resume=self.resume,
            )
        if self.address is not None:
            raise OptionError("--address is the address of a Ray cluster; it needs --engine ray.")
        if self.name is None:
            return None
        return tare.engines.Local(
            memory=self.memory,
            on_progress=Progress(unit=self.unit),
            resume=self.resume,
        )

    def _say_kept(self) -> None:
        """Say how many files of finished parts or systems are in the folder of --resume; none has been read yet."""
        if kept := self._kept():
            found = (
                f"1 file of a finished {self._what}; it is"
                if kept == 1
                else f"{kept:,} files of finished {self._what}s; they are"
            )
            job = "the same texts and measures" if self.texts else "this job"
            say(f"{self.resume}: found {found} used if complete and of {job}.")

    @property
    def _what(self) -> str:
        """What is kept in the folder of --resume."""
        return "system" if self.texts else "part"

    def _kept(self) -> int:
        """Return the number of files of what is finished in the folder of --resume."""
        if self.resume is None:
            return 0
        if self.texts:
            from tare._measures.text.scoring_in_parts import finished_systems_in

            return finished_systems_in(self.resume)
        from tare.engines._batch_jobs import parts_in

        return len(parts_in(str(self.resume)))

    def _kept_words(self) -> str:
        """Return what an error says about parts or systems finished under --resume; empty if there are none."""
        try:
            kept = self._kept()
        except (OSError, TareError):  # the store of the parts does not respond
            return ""
        parts = (
            f"1 finished {self._what} is" if kept == 1 else f"{kept:,} finished {self._what}s are"
        )
        return (
            f"{parts} kept in {self.resume}; the same command continues from there." if kept else ""
        )


@Parameter(name="*")
@dataclass(frozen=True)
class EngineOfRankers(EngineOptions):
    """The engine that trains rankers."""

    unit = "parts"


@Parameter(name="*")
@dataclass(frozen=True)
class EngineOfRuns(EngineOptions):
    """The engine that scores runs, which may be larger than memory."""

    memory: Annotated[
        str | None,
        Parameter(
            help="Memory for rows on this machine or on each Ray node, such as 4GB (default: half of the "
            "available memory)."
        ),
    ] = None
    unit = "parts"


@Parameter(name="*")
@dataclass(frozen=True)
class EngineOfScores(EngineOfRuns):
    """The engine of `tare score`: what is finished can be kept."""

    engine: Annotated[
        Literal["local", "ray"] | None,
        Parameter(
            help="local scores runs larger than memory, ray uses a cluster; the results are the same."
        ),
    ] = None
    resume: Annotated[
        OutputFolder | None,
        Parameter(
            help="Folder for finished parts. If the command is stopped, the same command continues with them."
        ),
    ] = None


@Parameter(name="*")
@dataclass(frozen=True)
class EngineOfTexts(EngineOptions):
    """The engine of `tare text`."""

    engine: Annotated[
        Literal["local", "ray"] | None,
        Parameter(
            help="Score the texts in parts on this machine (local) or on a Ray cluster (ray). The workers of ray "
            "each load the model of BERTScore once, on a GPU if there is one."
        ),
    ] = None
    resume: Annotated[
        OutputFolder | None,
        Parameter(
            help="Folder for finished systems. If the command is stopped, the same command continues with them."
        ),
    ] = None
    unit = "parts"
    texts = True


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay a Ctrl-C while the engine Ray starts or stops, until the block ends; a second one interrupts at once.

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
