"""Who may open the pages: the holder of the link, from this machine's own address."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from tare._app.addresses import origin_of
from tare._app.tokens import csrf_of, digest, tokens_match
from tare._judging import Refusal

__all__ = ["Access"]

LOCAL = ("127.0.0.1", "localhost", "[::1]")


class Access:
    """The token of one session; its cookie is named after it, because ports share cookies."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.csrf = csrf_of(token)
        self.cookie = f"tare_view_{digest(token)[:12]}"

    def open(self, given: str, response: Response) -> Response:
        """Store the token of the link in a cookie that scripts cannot read."""
        if not tokens_match(given, self.token):
            raise Refusal(404, "this link is not valid. Use the link that `tare view` printed.")
        response.set_cookie(self.cookie, self.token, httponly=True, samesite="lax")
        return response

    def check(self, request: Request) -> None:
        """Refuse requests without the cookie, or under a name that is not this machine's."""
        host = request.headers.get("host", "").rpartition(":")[0] or request.headers.get("host", "")
        if host not in LOCAL:  # a name that another site points to this machine
            raise Refusal(421, "this page is only served on 127.0.0.1.")
        if not tokens_match(request.cookies.get(self.cookie, ""), self.token):
            raise Refusal(401, "please open the link that `tare view` printed.")

    def check_form(self, request: Request, given: object) -> None:
        """Refuse a form that was sent by another site."""
        self.check(request)
        origin = request.headers.get("origin")
        site = request.headers.get("sec-fetch-site", "same-origin")
        own = origin_of(f"http://{request.headers.get('host', '')}")
        same = site in ("same-origin", "none") and (origin is None or origin_of(origin) == own)
        if not same or not isinstance(given, str) or not tokens_match(given, self.csrf):
            raise Refusal(403, "this form was sent from another site. Please open the page again.")
