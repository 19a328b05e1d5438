"""What a verb prints: tables for a terminal, TSV for a pipe, other formats on request."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from tare._cli.streams import write_data
from tare._plain_text import plain, plain_lines

if TYPE_CHECKING:
    from tare._data.findings import Finding
    from tare._tables import Table

__all__ = [
    "Parts",
    "Progress",
    "coloured",
    "emit",
    "emit_several",
    "say",
    "tell_findings",
    "width_of_terminal",
]


def say(text: str) -> None:
    """A word to the person, on stderr: names of strangers in it cannot command the terminal."""
    print(plain_lines(text), file=sys.stderr)


def width_of_terminal() -> int | None:
    """Columns of the terminal; none where there is no terminal to keep within."""
    return shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else None


def coloured() -> bool:
    """Whether marks may be shown by more than a sign: on a terminal, unless NO_COLOR is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()


def emit(format: str | None, reading: Callable[[], Table], machine: Callable[[], Table]) -> None:
    """Prints one of two tables: the one for people, or the one for programs.

    The notes of a table on a terminal go to stderr, so that stdout holds the numbers alone.
    """
    chosen = format or ("table" if sys.stdout.isatty() else "tsv")
    if chosen in ("table", "latex", "markdown", "html"):
        table = reading()
        if chosen == "table":
            import dataclasses

            bare = dataclasses.replace(table, notes=())
            print(bare.render("text", width=width_of_terminal(), bold=coloured()))
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
    """Prints tables one after another, each by its name: one for people and one for programs.

    In CSV, TSV and JSON lines every row begins with the name of its table; JSON is one document.
    """
    chosen = format or ("table" if sys.stdout.isatty() else "tsv")
    if chosen == "json":
        from tare._tables.objects import render_several

        made = {name: machine() for name, (_, machine) in tables.items()}
        write_data(render_several(made), chosen)
        return
    for place, (name, (reading, machine)) in enumerate(tables.items()):
        if place and chosen != "jsonl":
            print()
        emit(chosen, reading, lambda name=name, machine=machine: machine().labelled(name))  # type: ignore[misc]


def tell_findings(findings: Iterable[Finding], *, notes: bool = False) -> int:
    """Prints findings to stderr, those of one kind together; returns how many there are."""
    from tare._measures.score_table import notes_of

    told = tuple(f for f in findings if notes or f.severity != "note")
    for line in notes_of(told, remarks=notes):
        say(plain(line))
    return len(told)


class Progress:
    """A bar on stderr when it is a terminal and there is more than one thing to do."""

    def __init__(self, total: int, what: str) -> None:
        self.shown = total > 1 and sys.stderr.isatty()
        self.total, self.what, self.done = total, what, 0

    def __call__(self, name: str) -> None:
        """Says what is being done now."""
        if not self.shown:
            return
        width = 24
        self.total = max(self.total, self.done)  # some work is known only on the way
        filled = width * self.done // self.total
        bar = "━" * filled + "─" * (width - filled)
        name = plain(os.path.basename(name))[:40]  # noqa: PTH119 (not always a path)
        sys.stderr.write(f"\r\x1b[K{self.what} {bar} {self.done}/{self.total} {name}")
        sys.stderr.flush()
        self.done += 1

    def end(self) -> None:
        """Removes the bar."""
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Parts:
    """A line on stderr, when it is a terminal, that counts the parts of a run that are done."""

    def __init__(self, noun: str = "parts") -> None:
        self.shown, self.noun = sys.stderr.isatty(), noun

    def __call__(self, what: str, done: int, total: int) -> None:
        """Says how many parts are done; removes the line after the last."""
        if not self.shown or total < 2:
            return
        filled = 24 * done // total
        bar = "━" * filled + "─" * (24 - filled)
        text = (
            "" if done == total else f"{plain(what)[-60:]} {bar} {done:,} of {total:,} {self.noun}"
        )
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
