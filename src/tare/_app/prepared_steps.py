"""Comparisons as pieces of HTML: the template is rendered once with marks, which values replace later.

Rendering the template takes several times as long as joining its pieces.
"""

from __future__ import annotations

import re
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from markupsafe import escape

from tare._app.store import DisplayedText

__all__ = ["PreparedStep", "is_preparable", "prepared_step"]

SLOTS = (
    "half",
    "rest",
    "submission",
    "number",
    "done",
    "total",
    "left",
    "time",
    "query",
    "title_a",
    "title_b",
    "html_a",
    "html_b",
)
MARKS = {name: chr(0xE000 + i) for i, name in enumerate(SLOTS)}  # characters of private use
NAMES = {mark: name for name, mark in MARKS.items()}
MAX_KNOWN = 16 * 1024  # characters of a text that is kept in JSON
HALF = 24  # characters of the form's token in the id of an undo
ANY_MARK = re.compile(f"([{''.join(NAMES)}])")


class PreparedStep(NamedTuple):
    """The HTML of a step: pieces with a value between each two of them.

    encoded: the pieces of {"step", "html", "notice"} in JSON, with the same values between them.
    """

    pieces: tuple[str, ...]
    slots: tuple[str, ...]
    encoded: tuple[bytes, ...]

    def html(self, turn: Any, task: dict[str, Any], csrf: str, time: str) -> str:
        """Return the step with these values; words are escaped, and texts are sanitised HTML."""
        words, numbers = _values(turn, task, csrf, time)
        values = words | numbers
        made = [""] * (2 * len(self.slots) + 1)
        made[::2] = self.pieces
        made[1::2] = [values[name] for name in self.slots]
        return "".join(made)

    def json(self, turn: Any, task: dict[str, Any], csrf: str, time: str) -> bytes:
        """Return the step as JSON with these values; JSON encodes each character for itself."""
        words, numbers = _values(turn, task, csrf, time)
        values = {name: value.encode("ascii") for name, value in numbers.items()}
        for name, value in words.items():
            values[name] = _known_json(value) if len(value) < MAX_KNOWN else in_json(value)
        made = [b""] * (2 * len(self.slots) + 1)
        made[::2] = self.encoded
        made[1::2] = [values[name] for name in self.slots]
        return b"".join(made)


def _values(
    turn: Any, task: dict[str, Any], csrf: str, time: str
) -> tuple[dict[str, str], dict[str, str]]:
    """Return words in HTML, which come again, and ids and numbers, which JSON does not change."""
    a, b = task["shown"]
    words = {
        "query": _escaped(task["query"]),
        "title_a": _escaped(a.title),
        "title_b": _escaped(b.title),
    }
    words |= {"html_a": a.html, "html_b": b.html}
    done, left = turn.done, turn.left
    return words, {
        "half": csrf[:HALF],
        "rest": csrf[HALF:],
        "submission": task["submission"],
        "number": str(task["number"]),
        "done": str(done),
        "total": str(done + left),
        "left": str(left),
        "time": time,
    }


def in_json(text: str) -> bytes:
    r"""Return a text as it is in a JSON string.

    >>> in_json('<a href="x">'), in_json("é") == "é".encode()
    (b'<a href=\\"x\\">', True)
    """
    return encode_basestring(text)[1:-1].encode()


@lru_cache(maxsize=1024)
def _escaped(text: str) -> str:
    return str(escape(text))


_known_json = lru_cache(maxsize=4096)(in_json)


class _Marked(NamedTuple):
    """What the template reads of a turn, with marks instead of numbers."""

    undo: bool
    step: str = "task"
    done: str = MARKS["done"]
    left: str = MARKS["left"]

    @property
    def lease(self) -> dict[str, str]:
        return {"number": MARKS["number"]}


def is_preparable(turn: Any, design: Any, task: dict[str, Any], notice: str) -> bool:
    """Return whether a step is a plain comparison of two texts, without a message."""
    if notice or turn.step != "task" or not design.compares:
        return False
    return not task["source"] and not task["given"] and not ANY_MARK.search(task["question"])


def prepared_step(template: Any, turn: Any, design: Any, task: dict[str, Any]) -> PreparedStep:
    """Return the pieces of the template `step` for a comparison."""
    a, b = task["shown"]
    return _prepared(
        template,
        design,
        task["question"],
        task["choices"],
        turn.undo,
        bool(task["query"]),
        bool(a.title),
        bool(b.title),
    )


@lru_cache(maxsize=64)
def _prepared(
    template: Any,
    design: Any,
    question: str,
    choices: Any,
    undo: bool,
    query: bool,
    title_a: bool,
    title_b: bool,
) -> PreparedStep:
    shown = [
        DisplayedText(MARKS[f"title_{side}"] if titled else "", MARKS[f"html_{side}"], "")
        for side, titled in (("a", title_a), ("b", title_b))
    ]
    task = {
        "number": MARKS["number"],
        "question": question,
        "query": MARKS["query"] if query else "",
        "source": None,
        "given": [],
        "shown": shown,
        "choices": choices,
        "submission": MARKS["submission"],
    }
    csrf = MARKS["half"] * HALF + MARKS["rest"]
    html = str(template(_Marked(undo), design, task, csrf, "", "", MARKS["total"], MARKS["time"]))
    parts = ANY_MARK.split(html.replace(MARKS["half"] * HALF, MARKS["half"]))
    encoded = [in_json(piece) for piece in parts[::2]]
    encoded[0] = b'{"step":"task","html":"' + encoded[0]
    encoded[-1] += b'","notice":""}'
    slots = tuple(NAMES[mark] for mark in parts[1::2])
    return PreparedStep(tuple(parts[::2]), slots, tuple(encoded))
