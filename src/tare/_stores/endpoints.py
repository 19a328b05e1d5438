"""Addresses of servers in the environment, checked: obstore panics on text that is not an address."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tare.errors import UnreadableError

__all__ = ["check_endpoints"]

NAMES = {
    "s3": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"),
    "az": ("AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"),
}
SCHEME = re.compile(r"https?://", re.IGNORECASE)
USER = re.compile(r"[\w.~%!$&*+,;=:-]*@", re.ASCII)
HOST = re.compile(r"(\[[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\]|[\w.-]+)(?::([0-9]*))?", re.ASCII)
PATH = re.compile(r"(/[!-\"$->@-~]*)?")  # ASCII without a space, ? and #
HIGHEST_PORT = 65535


def check_endpoints(store: str, settings: Mapping[str, str]) -> None:
    """Raise if a setting that contains the address of the server of this store does not contain one.

    The message does not show the setting, which may contain a password.
    """
    for name in NAMES.get(store.partition("://")[0], ()):
        if name in settings and (problem := _problem(settings[name])):
            raise UnreadableError(
                f"{name} in the environment is not the address of a server: it {problem}. Accepted: "
                "https://HOST, or http://HOST:PORT, such as http://127.0.0.1:9000. Correct or unset it."
            )


def _problem(value: str) -> str | None:
    """Return what is wrong with the address of a server; None if it can be used."""
    if not value.strip():
        return "is empty"
    scheme = SCHEME.match(value)
    if scheme is None:
        return "has no http:// or https:// at its beginning"
    start = user.end() if (user := USER.match(value, scheme.end())) else scheme.end()
    host = HOST.match(value, start)
    if host is None:
        return "has no valid name of a server"
    if int(host[2] or 0) > HIGHEST_PORT:
        return f"has a port above {HIGHEST_PORT:,}"
    if PATH.fullmatch(value, host.end()) is None:
        return "contains a character that is not accepted there"
    return None
