"""Who may open pages: addresses and trusted proxies, tokens of links, and the holder of a link on this machine."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import secrets
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from tare._judging import Refusal
from tare.errors import OptionError

__all__ = [
    "LOOPBACK",
    "Access",
    "check_proxies",
    "check_url",
    "completion_code",
    "csrf_of",
    "digest",
    "is_same_place",
    "is_token",
    "local_port",
    "local_url",
    "new_submission",
    "new_token",
    "origin_of",
    "study_id",
    "tokens_match",
]


# The public address of the server, and the proxies that it trusts.


PORTS = {"http": 80, "https": 443}
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def origin_of(url: str) -> tuple[str, str, int] | None:
    """Return scheme, host and port of a server's URL or an Origin header; None if it is not valid.

    >>> origin_of("https://Study.example.org/") == origin_of("https://study.example.org:443")
    True
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in PORTS or not host:
        return None
    return parts.scheme, host, port or PORTS[parts.scheme]


def local_port(url: str) -> int | None:
    """Return the port of a server's address on this machine; None for other addresses.

    >>> local_port("http://127.0.0.1:9000"), local_port("https://study.example.org")
    (9000, None)
    """
    found = origin_of(url)
    return found[2] if found is not None and found[1] in LOOPBACK else None


def local_url(host: str, port: int) -> str:
    """Return the address at which a server listens; an IPv6 address is in brackets.

    >>> local_url("::1", 9000)
    'http://[::1]:9000'
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_same_place(url: str, other: str) -> bool:
    """Return whether two addresses lead to the same server; this machine has several names."""
    local = local_port(url)
    return origin_of(url) == origin_of(other) or (local is not None and local == local_port(other))


def check_url(url: str) -> str:
    """Return the public address of a server without a trailing slash; raise if it is not valid."""
    if not url:
        return ""
    parts = urlsplit(url) if origin_of(url) is not None else None
    if parts is None or parts.path.strip("/") or parts.query or parts.fragment or parts.username:
        raise OptionError(
            f"--url {url}: expected a scheme and a host, such as https://study.example.org. The "
            "study cannot be served under a path; use a separate host name or port."
        )
    return f"{parts.scheme}://{parts.netloc}"


def check_proxies(given: Iterable[str]) -> tuple[str, ...]:
    """Return addresses and networks of trusted proxies in canonical form; raise if one is not valid."""
    made = []
    for one in given:
        try:
            made.append(str(ipaddress.ip_network(one) if "/" in one else ipaddress.ip_address(one)))
        except ValueError:
            raise OptionError(
                f"--proxy {one}: expected an IP address or a network, such as 127.0.0.1 or 10.0.0.0/8."
            ) from None
    return tuple(made)


# Tokens of links, and values derived from them; only their digests are stored.


SHAPE = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """Return a random token for a link, of 256 bits, as 43 characters that are safe in a URL."""
    return secrets.token_urlsafe(32)


def new_submission() -> str:
    """Return a random id for the submission of an answer, as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def is_token(given: str) -> bool:
    """Return whether a string has the form of a link's token.

    >>> is_token("../../etc/passwd")
    False
    """
    return SHAPE.fullmatch(given) is not None


def digest(token: str) -> str:
    """Return the digest of a link's token that is stored; tokens are long and random, so no salt is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def csrf_of(token: str) -> str:
    """Return the value that protects the forms of the holder of this token from other sites."""
    return hmac.digest(token.encode(), b"form", "sha256").hex()


def tokens_match(given: str, wanted: str) -> bool:
    """Compare two strings in constant time."""
    return hmac.compare_digest(given.encode(), wanted.encode())


def study_id(salt: str) -> str:
    """Return an id of the study for cookie names; it reveals nothing about the salt."""
    return hmac.digest(salt.encode(), b"study", "sha256").hex()[:12]


def completion_code(salt: str, assessor: str) -> str:
    """Return a code that identifies an assessor who has finished, and that cannot be guessed."""
    made = hmac.digest(salt.encode(), assessor.encode(), "sha256").hex()
    return made[:8].upper()


# Who may open the pages: the holder of the link, from this machine's own address.


LOCAL = ("127.0.0.1", "localhost", "[::1]")


class Access:
    """The token of one session of the explorer; its cookie is named after it, because ports share cookies."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.csrf = csrf_of(token)
        self.cookie = f"tare_view_{digest(token)[:12]}"

    def open(self, given: str, response: Response) -> Response:
        """Store the token of the explorer's link in a cookie that scripts cannot read."""
        if not tokens_match(given, self.token):
            raise Refusal(404, "this link is not valid. Use the link that `tare view` printed.")
        response.set_cookie(self.cookie, self.token, httponly=True, samesite="lax")
        return response

    def check(self, request: Request) -> None:
        """Refuse requests to the explorer without the cookie, or under a name that is not this machine's."""
        host = request.headers.get("host", "").rpartition(":")[0] or request.headers.get("host", "")
        if host not in LOCAL:  # a name that another site points to this machine
            raise Refusal(421, "this page is only served on 127.0.0.1.")
        if not tokens_match(request.cookies.get(self.cookie, ""), self.token):
            raise Refusal(401, "please open the link that `tare view` printed.")

    def check_form(self, request: Request, given: object) -> None:
        """Refuse a form of the explorer that was sent by another site."""
        self.check(request)
        origin = request.headers.get("origin")
        site = request.headers.get("sec-fetch-site", "same-origin")
        own = origin_of(f"http://{request.headers.get('host', '')}")
        same = site in ("same-origin", "none") and (origin is None or origin_of(origin) == own)
        if not same or not isinstance(given, str) or not tokens_match(given, self.csrf):
            raise Refusal(403, "this form was sent from another site. Please open the page again.")
