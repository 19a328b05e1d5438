"""Security: headers of every answer, and who a request comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tare._app.addresses import origin_of
from tare._app.room import Room, room_of
from tare._app.tokens import csrf_of, digest, is_token, same
from tare.studies._judging import Refusal

__all__ = [
    "ASSESSOR",
    "OWNER",
    "Headers",
    "Session",
    "check_form",
    "cookie_of",
    "from_here",
    "log_in",
    "session_of",
]

ASSESSOR, OWNER = "assessor", "owner"
DAYS = 60
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
    """Adds the headers; pages are kept by nobody, only what is static may be."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        static = str(scope["path"]).startswith("/static/")

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = b"public, max-age=300" if static else b"no-store"
                message["headers"] = [*message["headers"], *HEADERS, (b"cache-control", kept)]
            await send(message)

        await self.app(scope, receive, with_headers)


@dataclass(frozen=True)
class Session:
    """The token of a cookie, and its digest."""

    token: str

    @property
    def digest(self) -> str:
        """What the store knows of it."""
        return digest(self.token)

    @property
    def csrf(self) -> str:
        """What its forms carry."""
        return csrf_of(self.token)


def cookie_of(room: Room, role: str) -> str:
    """The name of a cookie; cookies know no ports, so it tells which study it belongs to."""
    return f"tare_{role}_{room.store.id}"


def session_of(request: Request, role: str) -> Session:
    """The session of a request, or a refusal."""
    token = request.cookies.get(cookie_of(room_of(request), role), "")
    if not is_token(token):
        raise Refusal(401, "open your invitation link first; it is your way in.")
    return Session(token)


def log_in(response: Response, room: Room, role: str, token: str) -> None:
    """Keeps a token in a cookie that no script can read."""
    response.set_cookie(
        cookie_of(room, role),
        token,
        max_age=DAYS * 86_400,
        httponly=True,
        samesite="lax",
        secure=room.secure,
    )


def from_here(request: Request, room: Room) -> bool:
    """Whether a page of ours has sent this form, by what the browser says of its origin.

    The page's address is that of the request's Host, or that of --url where a proxy rewrites Host.
    """
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    given = request.headers.get("origin")
    if given is None:
        return True
    origin = origin_of(given)
    if origin is None:
        return False
    if origin == origin_of(room.base):
        return True
    # Behind a proxy that keeps Host, the scheme of the request is not the one that people use.
    return origin == origin_of(f"{origin[0]}://{request.headers.get('host', '')}")


def check_form(request: Request, session: Session, given: Any) -> None:
    """Refuses what another site has sent in the name of this one."""
    known = isinstance(given, str) and same(given, session.csrf)
    if not known or not from_here(request, room_of(request)):
        raise Refusal(403, "this form is not from here, or too old; open the page again.")
