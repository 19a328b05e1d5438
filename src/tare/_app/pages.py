"""Pages: templates, and what they are given."""

from __future__ import annotations

import secrets
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from tare._app.contents import rendered
from tare._app.store import Shown, Store
from tare.studies._judging import Turn
from tare.studies._judging.design import SUMMARIES

__all__ = ["page", "rendered_page", "task_of"]

HERE = Path(__file__).parent
CHOICES = {
    "left": "A is better",
    "right": "B is better",
    "equal": "Equally good",
    "bad": "Both are bad",
    "cannot": "I cannot judge this",
}
QUESTIONS = {
    "preference": "Which of the two would you rather see?",
    "conditional": "Having read this, which of the two would you rather see next?",
    "grades": "How relevant is this document?",
    "ratings": "Please rate this text.",
    "headtohead": "Which of the two is the better summary?",
    "scus": "Which of these statements does the text express?",
    "markup": "Mark the units of content that the texts express.",
}


@lru_cache(maxsize=1)
def templates() -> Environment:
    """The environment; everything is escaped unless it was sanitised before."""
    return Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def rendered_page(name: str, **values: Any) -> str:
    """A template, filled in."""
    return templates().get_template(name).render(values)


def page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page as an answer."""
    return HTMLResponse(rendered_page(name, **values), status_code=status)


@lru_cache(maxsize=8)
def guidelines_of(body: str) -> Markup:
    """Guidelines as safe HTML."""
    return Markup(rendered(body, "markdown"))


def task_of(store: Store, turn: Turn, draft: Any = None) -> dict[str, Any]:
    """What the templates are told of the task before an assessor; no name of a system is in it."""
    lease, study = turn.lease, store.study
    if lease is None:
        return {}
    design, task = study.design, study.by_id[lease.task]
    shown = [_text(store, "text", study.key(task.query, name)) for name in task.shown]
    if lease.swapped:
        shown.reverse()
    query = store.shown("query", task.query)
    words = query.body if query is not None else ("" if design.kind in SUMMARIES else task.query)
    return {
        "number": lease.number,
        "question": design.question
        or (QUESTIONS["preference"] if design.compares and not task.given and design.kind == "conditional"
            else QUESTIONS[design.kind]),
        "query": words,
        "source": Markup(query.html) if query is not None and _is_source(design.kind) else None,
        "given": [_text(store, "text", study.key(task.query, name)) for name in task.given],
        "shown": shown,
        "units": list(task.units),
        "choices": [(name, CHOICES[name]) for name in design.choices] if design.compares else [],
        "submission": secrets.token_hex(16),
        "draft": draft or {},
    }  # fmt: skip


def _is_source(kind: str) -> bool:
    return kind in SUMMARIES or kind == "markup"


def _text(store: Store, place: str, key: str) -> dict[str, Any]:
    found = store.shown(place, key) or Shown("", "", "")
    return {"title": found.title, "html": Markup(found.html), "body": found.body}
