"""The judging app's security headers, session cookies and protection against cross-site requests."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tare._judging import Refusal
from tare._web.guard import csrf_of, digest, is_token, origin_of, tokens_match
from tare._web.judge.study import ServedStudy, served_study_of

__all__ = [
    "ASSESSOR",
    "OWNER",
    "Headers",
    "Session",
    "check_form",
    "cookie_name",
    "is_same_origin",
    "log_in",
    "session_of",
]


ASSESSOR, OWNER = "assessor", "owner"
COOKIE_DAYS = 60
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=()"),
    (b"x-robots-tag", b"noindex, nofollow"),
]


class Headers:
    """Add security headers to every response of the judging app; only static files may be cached."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        static = str(scope["path"]).startswith("/static/")
        caching = (b"cache-control", b"public, max-age=300" if static else b"no-store")

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS, caching]
            await send(message)

        await self.app(scope, receive, with_headers)


@dataclass(frozen=True)
class Session:
    """The token in a session cookie."""

    token: str

    @cached_property
    def digest(self) -> str:
        """Digest of the token, as stored."""
        return digest(self.token)

    @cached_property
    def csrf(self) -> str:
        """Value that protects the forms of this session."""
        return csrf_of(self.token)


def cookie_name(served: ServedStudy, role: str) -> str:
    """Return the name of a judging session's cookie; it contains the study, because all ports of a host share cookies."""
    return f"tare_{role}_{served.store.id}"


def session_of(request: Request, role: str) -> Session:
    """Return the session of a request to the judging app by its cookie, or refuse it."""
    token = request.cookies.get(cookie_name(served_study_of(request), role), "")
    if not is_token(token):
        raise Refusal(401, "please open your invitation link first.")
    return Session(token)


def log_in(response: Response, served: ServedStudy, role: str, token: str) -> None:
    """Store the token of an assessor or owner in a session cookie that scripts cannot read."""
    response.set_cookie(
        cookie_name(served, role),
        token,
        max_age=COOKIE_DAYS * 86_400,
        httponly=True,
        samesite="lax",
        secure=served.secure,
    )


def is_same_origin(request: Request, served: ServedStudy) -> bool:
    """Return whether a form was sent from a page of the judging app, judging by the browser's headers.

    The page's origin is the Host of the request, or --url if a proxy rewrites Host.
    """
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    given = request.headers.get("origin")
    if given is None:
        return True
    origin = origin_of(given)
    if origin is None:
        return False
    if origin == origin_of(served.base):
        return True
    # Behind a proxy that keeps Host, the scheme of the request is not the public one.
    return origin == origin_of(f"{origin[0]}://{request.headers.get('host', '')}")


def check_form(request: Request, session: Session, given: Any) -> None:
    """Refuse a form of the judging app that was sent by another site."""
    own = isinstance(given, str) and tokens_match(given, session.csrf)
    if not own or not is_same_origin(request, served_study_of(request)):
        raise Refusal(
            403, "this form has expired or was sent from another site. Please open the page again."
        )
