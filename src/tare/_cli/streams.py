"""Standard streams that are closed, or that cannot encode every character."""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import re
import sys

from tare.errors import OptionError

__all__ = ["prepare", "print_bytes", "write_data"]

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
    """Make the streams safe to write to; raise if there is no standard output.

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
    """Replace a character that the encoding lacks: by a similar one, otherwise by its escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end].translate(ALIKE)
    return lacking.encode("ascii", "backslashreplace").decode(), error.end


def write_data(text: str, format: str = "") -> None:
    """Print data for programs: unchanged, or not at all.

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
    """Print bytes as they are; a stream in memory, which takes only text, gets them decoded."""
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(data.decode(errors="replace"))
    else:
        buffer.write(data)


def _named(found: re.Match[str]) -> str:
    """Return the JSON escape of a character: one or two UTF-16 units."""
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
