"""Addresses of objects: which text is one, how it is shown, and paths that keep it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path, PosixPath, WindowsPath
from typing import Any

from tare.errors import OptionError

__all__ = ["SCHEMES", "Address", "ObjectPath", "as_path", "is_address", "parsed", "shown"]

SCHEMES = ("s3://", "gs://", "az://", "https://")


def is_address(source: Any) -> bool:
    """Return whether a source is the address of an object; all other texts are paths.

    >>> is_address("s3://bucket/bm25.run"), is_address("runs/bm25.run"), is_address("ftp://host/a")
    (True, False, False)
    """
    if not isinstance(source, str | os.PathLike):
        return False
    text = os.fspath(source)
    return isinstance(text, str) and text.startswith(SCHEMES)


def shown(address: str) -> str:
    """Return an address for messages and names, without what may give access to it.

    >>> shown("https://user:secret@host/run.txt?X-Amz-Signature=0f3a")
    'https://host/run.txt'
    """
    scheme, _, rest = address.partition("://")
    host, slash, key = rest.partition("/")
    if scheme == "https":
        key = key.partition("?")[0].partition("#")[0]
    return f"{scheme}://{host.rpartition('@')[2].partition('?')[0]}{slash}{key}"


@dataclass(frozen=True)
class Address:
    """The parts of an address: the store as a URL, and the key of an object in it."""

    store: str
    key: str


def parsed(address: str) -> Address:
    """Return the store and the key of an address."""
    scheme, _, rest = address.partition("://")
    host, _, key = rest.partition("/")
    if "@" in host:
        raise OptionError(
            f"{shown(address)}: an address must not contain credentials. Set them in the environment."
        )
    if not host:
        raise OptionError(f"{shown(address)}: the name after {scheme}:// is missing.")
    if scheme != "https":
        return Address(f"{scheme}://{host}", key)
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(address)
    query = f"/?{parts.query}" if parts.query else ""
    return Address(f"https://{parts.netloc}{query}", unquote(parts.path).lstrip("/"))


if sys.platform == "win32":
    _Base = WindowsPath
else:
    _Base = PosixPath


class ObjectPath(_Base):
    """A path that keeps the two slashes of an address, so that outputs can be objects.

    >>> ObjectPath("s3://bucket/parts") / "a.csv"
    ObjectPath('s3://bucket/parts/a.csv')
    """

    def __str__(self) -> str:
        scheme, _, rest = self.as_posix().partition(":/")
        return f"{scheme}://{rest.lstrip('/')}"

    def __fspath__(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def as_posix(self) -> str:
        """Return the parts, joined by single slashes."""
        return "/".join(self.parts)

    def is_dir(self, **_: Any) -> bool:
        """Return False: a store has no folders."""
        return False

    def is_file(self, **_: Any) -> bool:
        """Return False: it is not a file of this machine."""
        return False

    def exists(self, **_: Any) -> bool:
        """Return False: it is not on this machine."""
        return False

    def mkdir(self, *_: Any, **__: Any) -> None:
        """Do nothing: a store has no folders."""


def as_path(path: str | os.PathLike[str]) -> Path:
    """Return a path; an address keeps its form."""
    return ObjectPath(os.fspath(path)) if is_address(path) else Path(path)
