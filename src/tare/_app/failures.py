"""Failures: what goes wrong on our side becomes one sentence, and the connection stays."""

from __future__ import annotations

import logging
from collections.abc import Callable

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Failures"]

log = logging.getLogger("tare._app")
SAID = "this failed on our side and nothing was changed; try again."


class Failures:
    """Answers 503 where the application fails.

    Starlette's own handler of exceptions answers too, and then raises the exception again, upon
    which uvicorn prints a traceback and closes the connection.
    """

    def __init__(self, app: ASGIApp, answer: Callable[[Request, int, str], Response]) -> None:
        self.app, self.answer = app, answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        started = False

        async def noting(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, noting)
        except ClientDisconnect:
            return  # nobody is there to be told
        except Exception as error:
            if scope["type"] != "http":
                raise
            log.error("a request failed: %s", _said_of(error))
            if not started:
                response = self.answer(Request(scope, receive), 503, SAID)
                await response(scope, receive, send)


def _said_of(error: Exception) -> str:
    """The kind of an error, and what the database says; a path or a parameter may hold a token."""
    said = str(getattr(error, "orig", "") or "").strip()
    return f"{type(error).__name__}{f' ({said.splitlines()[0]})' if said else ''}"
