"""Routes of exact paths, without a router: for requests that come many times per second."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tare.studies._judging import Refusal

__all__ = ["ExactRoutes"]

Endpoint = Callable[[Request], Awaitable[Response]]


class ExactRoutes:
    """Call the endpoint of a method and path; the application serves all other requests.

    The application has the same endpoints. Its router and its layers take longer than an answer itself.
    """

    def __init__(
        self,
        app: ASGIApp,
        endpoints: Mapping[tuple[str, str], Endpoint],
        answer: Callable[[Request, int, str], Response],
    ) -> None:
        self.app, self.endpoints, self.answer = app, endpoints, answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        endpoint = None
        if scope["type"] == "http" and not scope.get("root_path"):
            endpoint = self.endpoints.get((scope["method"], scope["path"]))
        if endpoint is None:
            await self.app(scope, receive, send)
            return
        scope["app"] = self.app
        request = Request(scope, receive)
        try:
            response = await endpoint(request)
        except Refusal as refusal:
            response = self.answer(request, refusal.status, refusal.reason)
        await response(scope, receive, send)
