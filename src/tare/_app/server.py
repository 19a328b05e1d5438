"""The server: routes, refusals and headers put together; loopback unless told otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from tare._app.addresses import check_proxies, check_url
from tare._app.failures import Failures
from tare._app.pages import page
from tare._app.room import Room
from tare._app.routes import doors, owner, work
from tare._app.security import Headers
from tare._app.store import Store, Writer
from tare.studies._judging import Refusal

if TYPE_CHECKING:
    import uvicorn

    from tare._app.connections import Limits

__all__ = ["application", "serve", "server_of"]

STATIC = Path(__file__).parent / "static"


def application(store: Store, *, base: str = "") -> Any:
    """The application of one study, for any ASGI server.

    base: the address that people use, such as https://study.example.org.
    """
    base = check_url(base)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.room = Room(store, Writer(store), base, base.startswith("https:"))
        yield
        app.state.room.writer.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    for routes in (doors, work, owner):
        app.include_router(routes.router)
    app.mount("/static", StaticFiles(directory=STATIC))
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(HTTPException, _other)
    app.add_middleware(Failures, answer=_answer)
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


def server_of(
    store: Store,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    base: str = "",
    proxies: Sequence[str] = (),
    limits: Limits | None = None,
) -> uvicorn.Server:
    """The server, not yet running; it logs no requests, because links hold tokens.

    proxies: whose X-Forwarded-For is believed; nobody's unless named.
    """
    import uvicorn

    from tare._app.connections import limits_of, protocol_of
    from tare._app.sparing import spare_logs

    limits = limits or limits_of(_descriptors())
    trusted = check_proxies(proxies)
    spare_logs()
    config = uvicorn.Config(
        application(store, base=base),
        host=host,
        port=port,
        access_log=False,
        log_config=None,  # its own would close the handlers of whoever runs the server
        log_level="warning",
        http=protocol_of(limits),
        ws="none",
        h11_max_incomplete_event_size=32 * 1024,
        timeout_keep_alive=30,
        server_header=False,
        backlog=limits.backlog,
        proxy_headers=bool(trusted),
        forwarded_allow_ips=list(trusted),
    )
    return uvicorn.Server(config)


def _descriptors() -> int:
    """How many files this process may open."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return 1 << 16
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 16 if soft == resource.RLIM_INFINITY else soft


def serve(
    store: Store,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    base: str = "",
    proxies: Sequence[str] = (),
) -> None:
    """Serves until it is stopped."""
    server_of(store, host=host, port=port, base=base, proxies=proxies).run()
