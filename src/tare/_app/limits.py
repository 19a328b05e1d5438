"""Limits on the size of request bodies and on the number of failed logins."""

from __future__ import annotations

import ipaddress
import json
import re
from collections import OrderedDict
from time import monotonic
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request

from tare.studies._judging import Refusal

__all__ = [
    "JSON",
    "MAX_BODY",
    "FailedAttempts",
    "check_submission",
    "fields_of",
    "kind_of",
    "network_of",
    "read_fields",
]

JSON = "application/json"

MAX_BODY = 64 * 1024
MAX_MARKUP = 512 * 1024
MAX_FIELDS = 600
MAX_BRACKETS = 50  # of JSON that is not too deeply nested
SUBMISSION = re.compile(r"[A-Za-z0-9-]{16,64}")


class FailedAttempts:
    """Count failed attempts per address and block addresses with too many.

    >>> attempts = FailedAttempts(limit=1, window=60)
    >>> attempts.record("x"), attempts.blocked("x"), attempts.blocked("y")
    (None, True, False)
    """

    def __init__(self, limit: int = 10, window: float = 60.0, most: int = 10_000) -> None:
        self.limit, self.window, self.most = limit, window, most
        self._failures: OrderedDict[str, list[float]] = OrderedDict()

    def blocked(self, address: str) -> bool:
        """Return whether an address has failed too often recently."""
        now = monotonic()
        recent = [t for t in self._failures.get(address, ()) if now - t < self.window]
        return len(recent) >= self.limit

    def record(self, address: str) -> None:
        """Record a failed attempt."""
        now = monotonic()
        recent = [t for t in self._failures.pop(address, []) if now - t < self.window]
        self._failures[address] = [*recent[-self.limit :], now]
        while len(self._failures) > self.most:
            self._failures.popitem(last=False)


def network_of(address: str) -> str:
    """Return what counts as one address; for IPv6 the 64-bit network, which belongs to one person.

    >>> network_of("2001:db8::1:2"), network_of("192.0.2.1")
    ('2001:db8::', '192.0.2.1')
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Address(int(found) >> 64 << 64))


async def read_fields(request: Request, limit: int = MAX_BODY) -> dict[str, Any]:
    """Read the fields of a request body, JSON or form; refuse other types and large bodies."""
    kind = kind_of(request)
    if kind not in (JSON, "application/x-www-form-urlencoded"):
        raise Refusal(415, "expected a form (application/x-www-form-urlencoded) or JSON.")
    return fields_of(await _body(request, limit), kind)


def kind_of(request: Request) -> str:
    """Return the content type without its parameters."""
    return request.headers.get("content-type", "").split(";")[0].strip().lower()


def fields_of(body: bytes, kind: str) -> dict[str, Any]:
    """Return the fields of a body, JSON or form, or refuse it."""
    try:
        text = body.decode("utf-8")
        if kind == JSON:
            fields = _decode(text)
        else:
            fields = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS))
        # Lone surrogates cannot be stored, and deeply nested values neither. Both show in the text.
        if kind != JSON or "\\u" in text or text.count("[") + text.count("{") > MAX_BRACKETS:
            _encode(fields).encode()
    except (ValueError, RecursionError):
        raise Refusal(400, "the request body cannot be read.") from None
    if not isinstance(fields, dict):
        raise Refusal(400, "the request body must be a JSON object.")
    return fields


def _no_constant(name: str) -> Any:
    raise ValueError(name)


# The functions of `json` would make a decoder and an encoder for each call.
_decode = json.JSONDecoder(parse_constant=_no_constant).decode
_encode = json.JSONEncoder(ensure_ascii=False).encode


async def _body(request: Request, limit: int) -> bytes:
    length = request.headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or int(length) > limit:
        raise Refusal(413, f"the request body is too large; the limit is {limit:,} bytes.")
    found, more = b"", True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        found += message.get("body", b"")
        more = message.get("more_body", False)
        if len(found) > limit:
            raise Refusal(413, f"the request body is too large; the limit is {limit:,} bytes.")
    return found


def check_submission(given: Any) -> str:
    """Return the id that the client gave an answer; raise if it is malformed."""
    if not isinstance(given, str) or not SUBMISSION.fullmatch(given):
        raise Refusal(422, "a submission id must have 16 to 64 letters, digits or hyphens.")
    return given
