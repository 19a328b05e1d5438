"""What both web rooms share: unexpected failures, trailing slashes, garbage collection, limits of the log."""

from __future__ import annotations

import logging
from collections.abc import Callable

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["FailureHandler", "TrailingSlashes"]


# Unexpected failures: the client gets a short message and the connection stays open.


log = logging.getLogger("tare._web.judge")
MESSAGE = "something went wrong on the server, and nothing was saved. Please try again."


class FailureHandler:
    """Respond with status 503 if the application fails.

    Starlette's own handler raises the exception again after responding; uvicorn would then print a
    traceback and close the connection.
    """

    def __init__(self, app: ASGIApp, answer: Callable[[Request, int, str], Response]) -> None:
        self.app, self.answer = app, answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        started = False

        async def watched_send(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watched_send)
        except ClientDisconnect:
            return  # the client has gone
        except Exception as error:
            if scope["type"] != "http":
                raise
            log.error("request failed: %s", _description(error))
            if not started:
                response = self.answer(Request(scope, receive), 503, MESSAGE)
                await response(scope, receive, send)


def _description(error: Exception) -> str:
    """Describe an unexpected error of a web request without the data of the request, which may contain a token."""
    reason = str(getattr(error, "orig", "") or "").strip()
    return f"{type(error).__name__}{f' ({reason.splitlines()[0]})' if reason else ''}"


# Paths with a slash at their end: people and mail programs add one to a link.


class TrailingSlashes:
    """Serve a path of a web page that ends with slashes like the path without them.

    A redirect would send the token of a link again, and behind a proxy without TLS.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and scope["path"].endswith("/"):
            scope["path"] = scope["path"].rstrip("/") or "/"
        await self.app(scope, receive, send)
