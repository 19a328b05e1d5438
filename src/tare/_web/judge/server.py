"""The server of the judging app: routes, error pages and headers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from socket import AF_INET, AF_INET6, IPPROTO_TCP, TCP_NODELAY, create_server, socket
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from tare._judging import Refusal
from tare._web.base import FailureHandler, TrailingSlashes
from tare._web.guard import check_proxies, check_url
from tare._web.judge import routes as entry
from tare._web.judge import routes as owner
from tare._web.judge import routes as work
from tare._web.judge.cookies_and_headers import Headers
from tare._web.judge.pages import page
from tare._web.judge.store import StudyStore
from tare._web.judge.study import ServedStudy
from tare._web.judge.writer import Writer
from tare.errors import OptionError

if TYPE_CHECKING:
    import uvicorn

__all__ = ["application", "listen", "serve", "server_of"]


STATIC = Path(__file__).parent / "static"
BACKLOG = 2048  # connections that wait; beyond, a browser tries again after a second, then two …


def application(store: StudyStore, *, base: str = "") -> Any:
    """Return the ASGI application of one study.

    base: public address, such as https://study.example.org.
    """
    base = check_url(base)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        served = ServedStudy(store, Writer(store), base, base.startswith("https:"))
        app.state.served = served
        yield
        served.writer.close()
        store.close()

    app = FastAPI(
        lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False
    )
    for routes in (entry, work, owner):
        app.include_router(routes.router)
    app.mount("/static", StaticFiles(directory=STATIC))
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(HTTPException, _other)
    app.add_middleware(FailureHandler, answer=_answer)
    return TrailingSlashes(Headers(app))


def _answer(request: Request, status: int, reason: str) -> Response:
    message = reason[:1].upper() + reason[1:]
    if request.headers.get("content-type", "").startswith("application/json"):
        return JSONResponse({"error": message}, status)
    return page("problem.html", status, title="Something went wrong", reason=message)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    response = _answer(request, error.status, error.reason)
    if error.status == 408:  # the rest of the body is not read
        response.headers["connection"] = "close"
    return response


async def _other(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 400)
    reasons = {404: "page not found.", 405: "this request method is not allowed."}
    return _answer(request, status, reasons.get(status, "the request failed."))


def listen(host: str, port: int) -> socket:
    """Return a socket on which the server of the judging app listens; 0 is a free port."""
    family = AF_INET6 if ":" in host else AF_INET
    try:
        opened = create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise OptionError(
            f"--port {port}: cannot listen on {host} ({error.strerror}). Choose another port, or stop "
            "the other program."
        ) from None
    opened.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)  # else a reply in two parts waits for 40 ms
    return opened


def server_of(app: ASGIApp, *, proxies: Sequence[str] = ()) -> uvicorn.Server:
    """Return the server of the judging app, not yet running; it does not log requests, because links contain tokens.

    It waits without limit for the head of a request and for a client that does not read; a proxy does not.

    proxies: addresses of proxies whose X-Forwarded-For header is trusted; none by default.
    """
    import uvicorn

    trusted = check_proxies(proxies)
    raise_descriptor_limit()
    config = uvicorn.Config(
        app,
        access_log=False,
        log_config=None,  # uvicorn's configuration would replace the caller's handlers
        log_level="warning",
        http="h11",
        ws="none",
        backlog=BACKLOG,
        h11_max_incomplete_event_size=32 * 1024,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=5,
        server_header=False,
        proxy_headers=bool(trusted),
        forwarded_allow_ips=list(trusted),
    )
    return uvicorn.Server(config)


def raise_descriptor_limit() -> None:
    """Let the server's process open as many files as the system allows; each connection needs one."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # macOS allows less than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def serve(
    store: StudyStore,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    base: str = "",
    proxies: Sequence[str] = (),
    on_start: Callable[[], None] | None = None,
) -> None:
    """Serve a study until the server is stopped.

    on_start: called when the port is open, before the first request.
    """
    server = server_of(application(store, base=base), proxies=proxies)
    try:
        with listen(host, port) as opened:
            if on_start is not None:
                on_start()
            server.run(sockets=[opened])
    finally:  # after a second Ctrl-C the application has not closed it
        store.close()
