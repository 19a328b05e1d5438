"""What the command prints without a verb: its version, or the list of verbs.

It needs nothing but Python: loading cyclopts and rich takes ten times as long as printing the page.
"""

from __future__ import annotations

import os
import sys

__all__ = ["front_page", "help_page", "printed"]

LEAST = 40  # columns of a page
FLAGS = {
    "--help (-h)": "Display this message and exit.",
    "--version": "Display application version.",
}


def front_page(argv: list[str], verbs: dict[str, str], about: str, epilogue: str) -> str | None:
    """Return what a call without a verb prints: the version, or the verbs; None for other calls."""
    if argv == ["--version"]:
        try:
            from tare._version import version
        except ImportError:  # run from a source tree that was never built
            return None
        return f"{version}\n"
    if argv in ([], ["--help"], ["-h"]):
        return help_page(verbs, about, epilogue, _columns())
    return None


def help_page(verbs: dict[str, str], about: str, epilogue: str, width: int) -> str:
    """Return the verbs with their descriptions, in a box of this many columns."""
    rows = {**dict(sorted(verbs.items())), **FLAGS}
    left = max(map(len, rows)) + 2
    inner = width - 4
    box = [f"╭─ Commands {'─' * (width - 13)}╮"]
    for name, text in rows.items():
        for k, line in enumerate(_wrapped(text, inner - left)):
            box.append(f"│ {(name if k == 0 else '').ljust(left)}{line.ljust(inner - left)} │")
    box.append(f"╰{'─' * (width - 2)}╯")
    last = _wrapped(epilogue.replace("`", ""), width)
    return "\n".join(["Usage: tare COMMAND", "", *_wrapped(about, width), "", *box, "", *last, ""])


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return lines


def _columns() -> int:
    """Return the columns of the terminal, or of the variable COLUMNS; 80 for pipes and files."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal():
        return max(LEAST, int(given))
    try:
        return max(LEAST, os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError, AttributeError):
        return 80


def printed(page: str) -> bool:
    """Print a page and return True; False if the stream is closed or may lack characters."""
    if sys.stdout is None or (sys.stdout.encoding or "").lower().replace("-", "") != "utf8":
        return False
    try:
        sys.stdout.write(page)
        sys.stdout.flush()
    except OSError:
        return False
    return True
