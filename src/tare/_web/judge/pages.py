"""Pages of the judging app: the templates and their values, and comparisons as pieces of HTML that are rendered once."""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from tare._judging import StudyDesign, Turn
from tare._judging.design import SUMMARIES
from tare._web.contents import render_html
from tare._web.guard import completion_code, new_submission
from tare._web.judge.store import DisplayedText, StudyStore
from tare.report._theme import stylesheet

__all__ = ["DRAFTED", "app_stylesheet", "code_of", "page", "step_html", "task_values"]


HERE = Path(__file__).parent
CHOICES = {
    "left": "A is better",
    "right": "B is better",
    "equal": "Equally good",
    "bad": "Both are bad",
    "cannot": "I cannot judge this",
}
DRAFTED = ("ratings", "scus", "markup")  # kinds of studies whose unfinished answers are saved
FORMS = ("compare", "grades", "markup", "ratings", "scus")
QUESTIONS = {
    "preference": "Which of the two would you rather see?",
    "conditional": "After reading this, which of the two would you rather see next?",
    "grades": "How relevant is this document?",
    "ratings": "Please rate this text.",
    "headtohead": "Which of the two is the better summary?",
    "scus": "Which of these statements does the text express?",
    "markup": "Mark the content units in these texts.",
}


@lru_cache(maxsize=1)
def templates() -> Environment:
    """Return the template environment of the judging app; values are escaped unless they are sanitised HTML."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # looking for changed files at every use takes longer than rendering
    )
    # Macros are globals: an import or an include would be resolved again for every page.
    parts = _macros(made, "parts.html")
    names = ("article", "cannot", "choice_buttons", "hidden_fields", "source", "undo")
    made.globals |= {name: getattr(parts, name) for name in names}
    made.globals["kinds"] = {
        kind: getattr(_macros(made, f"kinds/{kind}.html"), kind) for kind in FORMS
    }
    return made


def _macros(environment: Environment, name: str) -> Any:
    return environment.get_template(name).module


@lru_cache(maxsize=1)
def _step() -> Any:
    return _macros(templates(), "step.html").step


def step_html(
    turn: Turn,
    design: StudyDesign,
    task: dict[str, Any],
    csrf: str,
    *,
    notice: str = "",
    code: str = "",
) -> Markup:
    """Render the current step of an assessor as a piece of HTML, without the page around it."""
    total, time = turn.done + turn.left, _time_left(turn.seconds_left)
    return _step()(turn, design, task, csrf, notice, code, total, time)  # type: ignore[no-any-return]


def code_of(store: StudyStore, turn: Turn) -> str:
    """Return the completion code that an assessor sees at the end; empty before."""
    if turn.lease is not None:
        return ""
    return store.study.design.code or completion_code(store.salt, turn.assessor)


def _time_left(seconds: float | None) -> str:
    """Return the estimated time left for an assessor, to follow the number of tasks left; empty if it is unknown."""
    if not seconds:
        return ""
    return ", about a minute" if seconds < 90 else f", about {ceil(seconds / 60)} min"


@lru_cache(maxsize=1)
def app_stylesheet() -> str:
    """Return the stylesheet that report and explorer share, and the rules of the judging app's pages."""
    return stylesheet() + (HERE / "static" / "app.css").read_text(encoding="utf-8")


def page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template as an HTTP response."""
    return HTMLResponse(templates().get_template(name).render(values), status_code=status)


@lru_cache(maxsize=8)
def render_guidelines(body: str) -> Markup:
    """Render guidelines as safe HTML."""
    return Markup(render_html(body, "markdown"))


def task_values(store: StudyStore, turn: Turn, draft: Any = None) -> dict[str, Any]:
    """Return the template values of an assessor's current task; they never name a system."""
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
        or (
            QUESTIONS["preference"]
            if design.compares and not task.given and design.kind == "conditional"
            else QUESTIONS[design.kind]
        ),
        "query": words,
        "source": Markup(query.html) if query is not None and _is_source(design.kind) else None,
        "given": [_text(store, "text", study.key(task.query, name)) for name in task.given],
        "shown": shown,
        "units": list(task.units),
        "choices": tuple((name, CHOICES[name]) for name in design.choices)
        if design.compares
        else (),
        "submission": new_submission(),
        "draft": draft or {},
    }


def _is_source(kind: str) -> bool:
    return kind in SUMMARIES or kind == "markup"


def _text(store: StudyStore, place: str, key: str) -> DisplayedText:
    return store.shown(place, key) or DisplayedText("", "", "")
