"""What a verb prints: tables on a terminal, TSV in a pipe, other formats on request; progress; streams that are closed."""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from tare._plain_text import plain, plain_lines
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._tables import Table

__all__ = [
    "Progress",
    "emit",
    "emit_several",
    "for_reading",
    "prepare",
    "print_bytes",
    "say",
    "terminal_width",
    "use_bold",
    "write_data",
]


# Standard streams that are closed, or that cannot encode every character.


ALIKE = str.maketrans(
    {
        **dict.fromkeys("─–−‐‑", "-"),
        **dict.fromkeys("█▉▊▋▌", "#"),
        **dict.fromkeys("▍▎▏\u00a0\u202f", " "),
        **dict.fromkeys("’‘", "'"),
        **dict.fromkeys("“”", '"'),
        "━": "=",
        "…": "~",
        "×": "x",
        "·": ".",
    }
)
"""Characters of tables and messages, each with one replacement, so that columns stay aligned."""


def prepare() -> None:
    """Make stdout and stderr safe to write to; raise if there is no standard output.

    A closed stream is None in Python, and `print(…, file=None)` would write messages to stdout.
    """
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    if sys.stdout is None:
        raise OSError(
            errno.EBADF,
            "standard output is closed. Redirect it, for example to /dev/null",
        )
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):  # not a system stream
            if stream.encoding and codecs.lookup(stream.encoding).name != "utf-8":
                codecs.register_error("tare", _alike)
                stream.reconfigure(errors="tare")  # type: ignore[union-attr]


def _alike(error: UnicodeError) -> tuple[str, int]:
    """Replace a character that the encoding of the terminal lacks: by a similar one, otherwise by its escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end].translate(ALIKE)
    return lacking.encode("ascii", "backslashreplace").decode(), error.end


def write_data(text: str, format: str = "") -> None:
    """Print data for programs on stdout: unchanged, or not at all.

    JSON can escape any character in ASCII. In other formats, a character that the encoding lacks is an
    error, because a changed id would be another id.
    """
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError as error:
        if format not in ("json", "jsonl"):
            lacking = ascii(error.object[error.start])[1:-1]
            raise OptionError(
                f"standard output uses the encoding {encoding}, which lacks the character {lacking}. "
                "Set PYTHONIOENCODING=utf-8, or choose --format json."
            ) from None
        text = re.sub(r"[^\x00-\x7f]", _named, text)
    sys.stdout.write(text)


def print_bytes(data: bytes) -> None:
    """Print bytes on stdout as they are; a stream in memory, which takes only text, gets them decoded."""
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(data.decode(errors="replace"))
    else:
        buffer.write(data)


def _named(found: re.Match[str]) -> str:
    """Return the JSON escape of a character that stdout cannot encode: one or two UTF-16 units."""
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


# What a verb prints: tables on a terminal, TSV in a pipe, other formats on request.


def say(text: str) -> None:
    """Print a message on stderr; control characters in names do not reach the terminal.

    If nobody can read it, because the disk is full or the reader stopped, the work and the exit code
    remain the same.
    """
    try:
        print(plain_lines(text), file=sys.stderr, flush=True)
    except OSError:
        _discard_messages()


def _discard_messages() -> None:
    """Send this and later messages to stderr nowhere; Python would otherwise write them again when it ends."""
    with suppress(OSError, ValueError):  # a stream in memory has no file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stderr.fileno())
        os.close(nowhere)
        sys.stderr.flush()


def terminal_width() -> int | None:
    """Return the width of the terminal; None if stdout is not a terminal."""
    import shutil

    return shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else None


def use_bold() -> bool:
    """Return whether to print marked cells of a table in bold: on a terminal, unless NO_COLOR is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()


def for_reading(format: str | None) -> bool:
    """Return whether this output format prints a text table, with the notes of the table on stderr."""
    return format == "table" or (format is None and sys.stdout.isatty())


def emit(format: str | None, reading: Callable[[], Table], machine: Callable[[], Table]) -> None:
    """Print one of two tables of a verb: the one for people or the one for programs.

    The notes of a text table go to stderr, so that stdout holds only the numbers.
    """
    chosen = format or ("table" if sys.stdout.isatty() else "tsv")
    if chosen in ("table", "latex", "markdown", "html"):
        table = reading()
        if chosen == "table":
            import dataclasses

            bare = dataclasses.replace(table, notes=())
            print(bare.render("text", width=terminal_width(), bold=use_bold()))
            sys.stdout.flush()
            for note in table.notes:
                say(plain(note))
        else:
            sys.stdout.write(table.render(chosen))
    else:
        write_data(machine().render(chosen), chosen)


def emit_several(
    format: str | None, tables: Mapping[str, tuple[Callable[[], Table], Callable[[], Table]]]
) -> None:
    """Print several named tables of a verb, each in a version for people and in one for programs.

    In CSV, TSV and JSON lines, every row begins with the name of its table; JSON is one document.
    """
    chosen = format or ("table" if sys.stdout.isatty() else "tsv")
    if chosen == "json":
        from tare._tables.writers import render_several

        made = {name: machine() for name, (_, machine) in tables.items()}
        write_data(render_several(made), chosen)
        return
    for place, (name, (reading, machine)) in enumerate(tables.items()):
        if place and chosen != "jsonl":
            print()
        emit(chosen, reading, lambda name=name, machine=machine: machine().labelled(name))  # type: ignore[misc]


# The progress of a verb, shown on stderr if it is a terminal.


BAR_WIDTH = 24
NAME_WIDTH = 60


class Progress:
    """The progress of a verb: one line on stderr with a bar, the number of finished steps and the current step.

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
