"""The server: routes, error pages and headers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from tare._app.addresses import check_proxies, check_url
from tare._app.exact_routes import ExactRoutes
from tare._app.failures import FailureHandler
from tare._app.garbage import rare_collections
from tare._app.pages import page
from tare._app.quick_answers import QuickAnswers
from tare._app.routes import entry, owner, work
from tare._app.security import Headers
from tare._app.served_study import ServedStudy
from tare._app.store import StudyStore, Writer
from tare._app.trailing_slashes import TrailingSlashes
from tare.errors import OptionError
from tare.studies._judging import Refusal

if TYPE_CHECKING:
    import uvicorn

    from tare._app.connections import Limits

__all__ = ["application", "serve", "server_of"]

STATIC = Path(__file__).parent / "static"


def application(store: StudyStore, *, base: str = "", quick: QuickAnswers | None = None) -> Any:
    """Return the ASGI application of one study.

    base: public address, such as https://study.example.org.
    quick: responds to answers while the application runs.
    """
    base, quick = check_url(base), quick or QuickAnswers()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        served = ServedStudy(store, Writer(store), base, base.startswith("https:"))
        app.state.served = quick.served = served
        yield
        quick.served = None
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
    # Answers come most often, and carry the next task. This is for those that `quick` leaves.
    direct = ExactRoutes(app, {("POST", "/judge"): work.submit_answer}, _answer)
    return TrailingSlashes(Headers(FailureHandler(direct, _answer)))


def _answer(request: Request, status: int, reason: str) -> Response:
    message = reason[:1].upper() + reason[1:]
    if request.headers.get("content-type", "").startswith("application/json"):
        return JSONResponse({"error": message}, status)
    return page("problem.html", status, title="Something went wrong", reason=message)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return _answer(request, error.status, error.reason)


async def _other(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 400)
    reasons = {404: "page not found.", 405: "this request method is not allowed."}
    return _answer(request, status, reasons.get(status, "the request failed."))


def server_of(
    store: StudyStore,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    base: str = "",
    proxies: Sequence[str] = (),
    limits: Limits | None = None,
) -> uvicorn.Server:
    """Return the server, not yet running; it does not log requests, because links contain tokens.

    proxies: addresses of proxies whose X-Forwarded-For header is trusted; none by default.
    """
    import uvicorn

    from tare._app.connections import limits_of, protocol_of
    from tare._app.log_limits import limit_logs

    limits = limits or limits_of(descriptors())
    trusted = check_proxies(proxies)
    limit_logs()
    quick = QuickAnswers()
    config = uvicorn.Config(
        application(store, base=base, quick=quick),
        host=host,
        port=port,
        access_log=False,
        log_config=None,  # uvicorn's configuration would replace the caller's handlers
        log_level="warning",
        http=protocol_of(limits, quick=["/judge"], shortcut=quick.start),
        ws="none",
        h11_max_incomplete_event_size=32 * 1024,
        timeout_keep_alive=30,
        server_header=False,
        backlog=limits.backlog,
        proxy_headers=bool(trusted),
        forwarded_allow_ips=list(trusted),
    )
    return uvicorn.Server(config)


def descriptors() -> int:
    """Return how many files this process may open."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return 1 << 16
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 16 if soft == resource.RLIM_INFINITY else soft


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

    on_start: called when the server listens, before the first request.
    """
    server = server_of(store, host=host, port=port, base=base, proxies=proxies)
    startup = server.startup

    async def startup_and_call(sockets: list[socket] | None = None) -> None:
        await startup(sockets)
        if on_start is not None:
            on_start()

    server.startup = startup_and_call  # type: ignore[method-assign]
    try:
        with rare_collections():
            server.run()
    except SystemExit:  # uvicorn has logged the reason
        if server.started:
            raise
        raise OptionError(
            f"--port {port}: cannot listen on {host}. Choose another port, or stop the other program."
        ) from None
    finally:  # after a second Ctrl-C the application has not closed it
        store.close()
