"""The public address of the server, and the proxies that it trusts."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from tare.errors import OptionError

__all__ = [
    "LOOPBACK",
    "check_proxies",
    "check_url",
    "is_same_place",
    "local_port",
    "local_url",
    "origin_of",
]

PORTS = {"http": 80, "https": 443}
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def origin_of(url: str) -> tuple[str, str, int] | None:
    """Return scheme, host and port of a URL or an Origin header; None if it is not valid.

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
    """Return the port of an address of this machine; None for other addresses.

    >>> local_port("http://127.0.0.1:9000"), local_port("https://study.example.org")
    (9000, None)
    """
    found = origin_of(url)
    return found[2] if found is not None and found[1] in LOOPBACK else None


def local_url(host: str, port: int) -> str:
    """Return the address of a server; an IPv6 address is in brackets.

    >>> local_url("::1", 9000)
    'http://[::1]:9000'
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_same_place(url: str, other: str) -> bool:
    """Return whether two addresses lead to the same server; this machine has several names."""
    local = local_port(url)
    return origin_of(url) == origin_of(other) or (local is not None and local == local_port(other))


def check_url(url: str) -> str:
    """Return the public address without a trailing slash; raise if it is not valid."""
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
    """Return addresses and networks of proxies in canonical form; raise if one is not valid."""
    made = []
    for one in given:
        try:
            made.append(str(ipaddress.ip_network(one) if "/" in one else ipaddress.ip_address(one)))
        except ValueError:
            raise OptionError(
                f"--proxy {one}: expected an IP address or a network, such as 127.0.0.1 or 10.0.0.0/8."
            ) from None
    return tuple(made)
