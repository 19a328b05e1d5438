"""What a verb prints: tables on a terminal, TSV in a pipe, other formats on request."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from tare._cli.streams import write_data
from tare._plain_text import plain, plain_lines

if TYPE_CHECKING:
    from tare._data.findings import Finding
    from tare._measures.scores import Scores
    from tare._tables import Table

__all__ = [
    "emit",
    "emit_scores",
    "emit_several",
    "for_reading",
    "say",
    "say_findings",
    "say_inputs",
    "terminal_width",
    "use_bold",
]


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
    """Send this and later messages nowhere; Python would otherwise write them again when it ends."""
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
    """Return whether to print marked cells in bold: on a terminal, unless NO_COLOR is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()


def for_reading(format: str | None) -> bool:
    """Return whether this format prints a text table, with the notes of the table on stderr."""
    return format == "table" or (format is None and sys.stdout.isatty())


def emit(format: str | None, reading: Callable[[], Table], machine: Callable[[], Table]) -> None:
    """Print one of two tables: the one for people or the one for programs.

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
    """Print several named tables, each in a version for people and in one for programs.

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


def emit_scores(format: str | None, scores: Scores) -> bool:
    """Print mean scores and their findings; return whether a text table was printed."""
    from tare._measures.means_and_intervals import long_table, score_table

    emit(format, lambda: score_table(scores), lambda: long_table(scores))
    if for_reading(format):  # the findings are notes of the table
        say_inputs(scores.findings)
        return True
    say_findings(scores.findings)
    return False


def say_inputs(findings: Iterable[Finding]) -> None:
    """Print on stderr what was recognised in the input."""
    for line in dict.fromkeys(str(f) for f in findings if f.kind == "input"):
        say(plain(line))


def say_findings(findings: Iterable[Finding], *, notes: bool = False) -> int:
    """Print findings on stderr, grouped by kind; return how many were printed."""
    from tare._measures.means_and_intervals import notes_of

    findings = tuple(findings)
    say_inputs(findings)
    printed = tuple(f for f in findings if (notes and f.kind != "input") or f.severity != "note")
    for line in notes_of(printed, remarks=notes):
        say(plain(line))
    return len(printed)
