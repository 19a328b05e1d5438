"""The server of a view: pages, notes and static files on 127.0.0.1."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

from tare._app.failures import FailureHandler
from tare._app.security import Headers
from tare._judging import Refusal
from tare._plain_text import plain
from tare._view.access import Access
from tare._view.index import ViewIndex
from tare._view.notes import Notes, mark
from tare.errors import TareError
from tare.report._rankings import number, signed, template_text
from tare.report._theme import stylesheet as report_stylesheet

__all__ = ["ServedView", "application", "page", "stylesheet"]

HERE = Path(__file__).parent


@dataclass(frozen=True)
class ServedView:
    """What the pages need: the index, the notes and the access."""

    index: ViewIndex
    notes: Notes
    access: Access
    title: str


@lru_cache(maxsize=1)
def _templates() -> Environment:
    made = Environment(
        loader=ChoiceLoader(
            [
                FileSystemLoader(HERE / "templates"),
                DictLoader({"rankings.html.j2": template_text("rankings.html.j2")}),
            ]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["plain"] = plain
    made.filters |= {"number": number, "signed": signed, "breakable": breakable}
    made.globals["mark"] = mark
    return made


def breakable(name: str) -> Markup:
    """Return a name that lines can be broken in, after the marks between its parts.

    >>> breakable("bm25+rm3")
    Markup('bm25+<wbr>rm3')
    """
    parts = re.split(r"(?<=[-+_./:,)])", plain(name))
    return Markup("<wbr>").join(part for part in parts if part)


def page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template as a response."""
    text = _templates().get_template(name).render(values)
    return HTMLResponse(text.encode("utf-8", "replace"), status_code=status)


@lru_cache(maxsize=1)
def stylesheet() -> str:
    """Return the stylesheet of the report, which the explorer shares, and its own rules."""
    return report_stylesheet("page", "rankings") + (HERE / "static" / "view.css").read_text(
        encoding="utf-8"
    )


def application(served: ServedView) -> Any:
    """Return the ASGI application of one view."""
    from tare._view.routes import router

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.served = served
    app.include_router(router)
    app.mount("/static", StaticFiles(directory=HERE / "static"))
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(TareError, _unreadable)
    app.add_exception_handler(HTTPException, _other)
    app.add_middleware(FailureHandler, answer=_answer)
    return Headers(app)


def _answer(request: Request, status: int, reason: str) -> Response:
    return page("problem.html", status, title="tare view", reason=reason[:1].upper() + reason[1:])


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return _answer(request, error.status, error.reason)


async def _unreadable(request: Request, error: Exception) -> Response:
    """Show the message about a file that another program changed while it is shown."""
    return _answer(request, 503, str(error))


async def _other(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 400)
    reasons = {404: "page not found.", 405: "this request method is not allowed."}
    return _answer(request, status, reasons.get(status, "the request failed."))
