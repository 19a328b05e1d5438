"""Comparisons as pieces of HTML: the template is rendered once with marks, which values replace later.

Rendering the template takes several times as long as joining its pieces.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from markupsafe import escape

from tare._app.store import DisplayedText

__all__ = ["PreparedStep", "is_preparable", "prepared_step"]

SLOTS = ("half", "rest", "submission", "number", "done", "total", "left", "time", "query", "title_a", "title_b",
         "html_a", "html_b")  # fmt: skip
MARKS = {name: chr(0xE000 + i) for i, name in enumerate(SLOTS)}  # characters of private use
NAMES = {mark: name for name, mark in MARKS.items()}
HALF = 24  # characters of the form's token in the id of an undo
ANY_MARK = re.compile(f"([{''.join(NAMES)}])")


class PreparedStep(NamedTuple):
    """The HTML of a step: pieces with a value between each two of them."""

    pieces: tuple[str, ...]
    slots: tuple[str, ...]

    def html(self, turn: Any, task: dict[str, Any], csrf: str, time: str) -> str:
        """Return the step with these values; words are escaped, and texts are sanitised HTML."""
        a, b = task["shown"]
        values = {
            "half": csrf[:HALF],
            "rest": csrf[HALF:],
            "submission": task["submission"],
            "number": str(task["number"]),
            "done": str(turn.done),
            "total": str(turn.done + turn.left),
            "left": str(turn.left),
            "time": time,
            "query": str(escape(task["query"])),
            "title_a": str(escape(a.title)),
            "title_b": str(escape(b.title)),
            "html_a": a.html,
            "html_b": b.html,
        }
        made = [""] * (2 * len(self.slots) + 1)
        made[::2] = self.pieces
        made[1::2] = [values[name] for name in self.slots]
        return "".join(made)


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
        template, design, task["question"], task["choices"], turn.undo, bool(task["query"]), bool(a.title),
        bool(b.title),
    )  # fmt: skip


@lru_cache(maxsize=64)
def _prepared(
    template: Any, design: Any, question: str, choices: Any, undo: bool, query: bool, title_a: bool, title_b: bool
) -> PreparedStep:  # fmt: skip
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
    return PreparedStep(tuple(parts[::2]), tuple(NAMES[mark] for mark in parts[1::2]))
