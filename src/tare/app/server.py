"""The server: routes, refusals and headers put together; loopback unless told otherwise."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from tare.app.pages import page
from tare.app.room import Room
from tare.app.routes import doors, owner, work
from tare.app.security import Headers
from tare.app.store import Store, Writer
from tare.studies.judging import Refusal

if TYPE_CHECKING:
    import uvicorn

__all__ = ["application", "serve", "server_of"]

STATIC = Path(__file__).parent / "static"
log = logging.getLogger("tare.app")


def application(store: Store, *, base: str = "") -> Any:
    """The application of one study, for any ASGI server."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.room = Room(store, Writer(store), base.rstrip("/"), base.startswith("https:"))
        yield
        app.state.room.writer.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    for routes in (doors, work, owner):
        app.include_router(routes.router)
    app.mount("/static", StaticFiles(directory=STATIC))
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(HTTPException, _other)
    app.add_exception_handler(Exception, _broken)
    return Headers(app)


def _answer(request: Request, status: int, reason: str) -> Response:
    told = reason[:1].upper() + reason[1:]
    if request.headers.get("content-type", "").startswith("application/json"):
        return JSONResponse({"error": told}, status)
    return page("problem.html", status, title="Not possible", reason=told)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return _answer(request, error.status, error.reason)


async def _other(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 400)
    reasons = {404: "there is no such page.", 405: "this page is not used like that."}
    return _answer(request, status, reasons.get(status, "this cannot be done."))


async def _broken(request: Request, error: Exception) -> Response:
    log.error("a request failed: %s", type(error).__name__)  # its path may hold a token
    return _answer(request, 503, "this failed on our side and nothing was changed; try again.")


def server_of(
    store: Store, *, host: str = "127.0.0.1", port: int = 8000, base: str = ""
) -> uvicorn.Server:
    """The server, not yet running; it logs no requests, because links hold tokens."""
    import uvicorn

    config = uvicorn.Config(
        application(store, base=base),
        host=host,
        port=port,
        access_log=False,
        log_config=None,  # its own would close the handlers of whoever runs the server
        log_level="warning",
        http="h11",
        h11_max_incomplete_event_size=32 * 1024,
        timeout_keep_alive=30,
        server_header=False,
        limit_concurrency=2000,
    )
    return uvicorn.Server(config)


def serve(store: Store, *, host: str = "127.0.0.1", port: int = 8000, base: str = "") -> None:
    """Serves until it is stopped."""
    server_of(store, host=host, port=port, base=base).run()
