"""Paths with a slash at their end: people and mail programs add one to a link."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["TrailingSlashes"]


class TrailingSlashes:
    """Serve a path that ends with slashes like the path without them.

    A redirect would send the token of a link again, and behind a proxy without TLS.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and scope["path"].endswith("/"):
            scope["path"] = scope["path"].rstrip("/") or "/"
        await self.app(scope, receive, send)
