"""Requests to web pages: limits on the size of bodies and on failed logins, and the fields of forms."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
from collections import OrderedDict
from collections.abc import Mapping
from time import monotonic
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request

from tare._judging import Refusal, StudyDesign

__all__ = [
    "JSON",
    "MAX_BODY",
    "FailedAttempts",
    "answer_of",
    "check_submission",
    "chosen_of",
    "network_of",
    "number_of",
    "read_fields",
]


# Limits on the size of request bodies, on the time that they may take, and on the number of
# failed logins.


JSON = "application/json"

MAX_BODY = 64 * 1024
MAX_MARKUP = 512 * 1024
MAX_FIELDS = 600
BODY_SECONDS = 60.0
SUBMISSION = re.compile(r"[A-Za-z0-9-]{16,64}")


class FailedAttempts:
    """Count failed logins per address and block addresses with too many.

    >>> attempts = FailedAttempts(limit=1, window=60)
    >>> attempts.record("x"), attempts.blocked("x"), attempts.blocked("y")
    (None, True, False)
    """

    def __init__(self, limit: int = 10, window: float = 60.0, most: int = 10_000) -> None:
        self.limit, self.window, self.most = limit, window, most
        self._failures: OrderedDict[str, list[float]] = OrderedDict()

    def blocked(self, address: str) -> bool:
        """Return whether an address has failed to log in too often recently."""
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
    """Return what counts as one address of failed logins; for IPv6 the 64-bit network, which belongs to one person.

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
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind not in (JSON, "application/x-www-form-urlencoded"):
        raise Refusal(415, "expected a form (application/x-www-form-urlencoded) or JSON.")
    body = await _body(request, limit)
    try:
        text = body.decode("utf-8")
        if kind == JSON:
            fields = json.loads(text, parse_constant=_no_constant)
        else:
            fields = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS))
        # Lone surrogates cannot be stored, and deeply nested values neither.
        json.dumps(fields, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise Refusal(400, "the request body cannot be read.") from None
    if not isinstance(fields, dict):
        raise Refusal(400, "the request body must be a JSON object.")
    return fields


def _no_constant(name: str) -> Any:
    raise ValueError(name)


async def _body(request: Request, limit: int) -> bytes:
    length = request.headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or int(length) > limit:
        raise Refusal(413, f"the request body is too large; the limit is {limit:,} bytes.")
    found = b""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                found += part
                if len(found) > limit:
                    raise Refusal(
                        413, f"the request body is too large; the limit is {limit:,} bytes."
                    )
    except TimeoutError:
        raise Refusal(408, "the request body did not arrive in time.") from None
    return found


def check_submission(given: Any) -> str:
    """Return the id that the client gave an answer in a request; raise if it is malformed."""
    if not isinstance(given, str) or not SUBMISSION.fullmatch(given):
        raise Refusal(422, "a submission id must have 16 to 64 letters, digits or hyphens.")
    return given


# Fields of submitted forms, from HTML forms or as JSON.


def number_of(fields: Mapping[str, Any], name: str = "number") -> int:
    """Return a non-negative integer field."""
    given = fields.get(name)
    if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 10:
        return int(given)
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < 10**9:
        return given
    raise Refusal(422, f"{name} must be a whole number.")


def answer_of(design: StudyDesign, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer in a form, as `check_answer` expects it; scripts send it as an object."""
    if isinstance(fields.get("answer"), dict):
        return dict(fields["answer"])
    made: dict[str, Any] = {k: fields[k] for k in ("choice", "reason", "grade") if k in fields}
    if design.kind == "ratings":
        made["ratings"] = {
            d.name: fields[f"rating-{i}"]
            for i, d in enumerate(design.dimensions)
            if f"rating-{i}" in fields
        }
    elif design.kind == "scus":
        made["present"] = {
            name.removeprefix("present-"): value
            for name, value in fields.items()
            if name.startswith("present-")
        }
    elif design.kind == "markup" and "units" in fields:
        try:
            made["units"] = json.loads(str(fields["units"]))
        except (ValueError, RecursionError):
            raise Refusal(422, "the marked units cannot be read.") from None
    return made


def chosen_of(design: StudyDesign, fields: Mapping[str, Any]) -> list[int]:
    """Return the options chosen in the form of the comprehension test, counted from 1."""
    return [
        number_of(fields, f"gate-{i}") if f"gate-{i}" in fields else 0
        for i in range(len(design.gate))
    ]
