"""Standard streams that are closed, or that cannot take every character."""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import re
import sys

from tare.errors import OptionError

__all__ = ["prepare", "write_data"]

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
"""Signs of tables and sentences, by one sign each, so that columns stay aligned."""


def prepare() -> None:
    """Makes the streams safe to write to; raises where there is no standard output at all.

    A closed stream is None in Python, and `print(…, file=None)` would put words among the numbers.
    """
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    if sys.stdout is None:
        raise OSError(
            errno.EBADF,
            "standard output is closed, so there is nowhere to print. Redirect it, for example to "
            "/dev/null",
        )
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):  # not a stream of the system
            if codecs.lookup(stream.encoding).name != "utf-8":
                codecs.register_error("tare", _alike)
                stream.reconfigure(errors="tare")  # type: ignore[union-attr]


def _alike(error: UnicodeError) -> tuple[str, int]:
    """What the encoding lacks: by a sign that looks alike, else written out."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end].translate(ALIKE)
    return lacking.encode("ascii", "backslashreplace").decode(), error.end


def write_data(text: str, format: str = "") -> None:
    """Prints data for programs: unchanged, or not at all.

    JSON can name any character in ASCII; in other formats a character that the encoding lacks is an
    error, since a changed id would be another id.
    """
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError as error:
        if format not in ("json", "jsonl"):
            lacking = ascii(error.object[error.start])[1:-1]
            raise OptionError(
                f"standard output is encoded as {encoding}, which lacks the character {lacking} of "
                "these data. Set PYTHONIOENCODING=utf-8, or choose --format json."
            ) from None
        text = re.sub(r"[^\x00-\x7f]", _named, text)
    sys.stdout.write(text)


def _named(found: re.Match[str]) -> str:
    """A character as JSON names it in ASCII: by one or two units of UTF-16."""
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
