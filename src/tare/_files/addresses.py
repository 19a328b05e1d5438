"""Paths of files and addresses of objects in buckets (`s3://`, `gs://`, `az://`, `https://`): which text is one, whether it is there, and how it is shown."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path, PosixPath, WindowsPath
from typing import Any

from tare.errors import OptionError

__all__ = [
    "QUERY",
    "SCHEMES",
    "Address",
    "ObjectPath",
    "as_path",
    "exists",
    "is_address",
    "is_file",
    "is_folder",
    "is_like_address",
    "parsed",
    "refuse_query",
    "shown",
    "shown_path",
    "written_at",
]


# Whether there is something at a place that a user named; a name that no file can have has
# nothing.


PathLike = str | os.PathLike[str]

# The methods of `Path` raise an error for a name that is too long; these functions do not.


def exists(path: PathLike) -> bool:
    """Return whether there is a file, a folder or anything else at a path.

    >>> exists("a" * 5000)
    False
    """
    return os.path.exists(path)  # noqa: PTH110


def written_at(path: PathLike) -> str:
    """Return where an output is written: links are followed, and `MISSING/../file` is `file`."""
    return os.path.realpath(path)


def is_file(path: PathLike) -> bool:
    """Return whether a path leads to a regular file, or to a link to one."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: PathLike) -> bool:
    """Return whether a path leads to a folder, or to a link to one."""
    return os.path.isdir(path)  # noqa: PTH112


# Addresses of objects: which text is one, how it is shown, and paths that keep it.


SCHEMES = ("s3://", "gs://", "az://", "https://")
LIKE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # a Path has one slash there
QUERY = re.compile(r"[?#]")
HOST = re.compile(r"(\[[^\]]*\]|[^:]*)(:[0-9]*)?")  # the port is a number
NO_HOST = re.compile(r"[\s\x00-\x1f\x7f<>^|%\"\\{}`]")
NO_KEY = re.compile(r"(?:^|/)(?:\.{1,2})?/|(?:^|/)\.{1,2}$|[\x00-\x1f\x7f]")


def is_address(source: Any) -> bool:
    """Return whether a source is the address of an object; all other texts are paths.

    >>> is_address("s3://bucket/bm25.run"), is_address("runs/bm25.run"), is_address("ftp://host/a")
    (True, False, False)
    """
    if not isinstance(source, str | os.PathLike):
        return False
    text = os.fspath(source)
    return isinstance(text, str) and text.startswith(SCHEMES)


def is_like_address(text: str) -> bool:
    """Return whether a text begins with any scheme, such as http://, whether tare reads it or not."""
    return LIKE.match(text) is not None


def shown(address: str) -> str:
    """Return an address for messages and names, without what may give access to it.

    What follows ? or # is left out for every scheme, and so are user names and passwords.

    >>> shown("https://user:secret@host/run.txt?X-Amz-Signature=0f3a")
    'https://host/run.txt'
    >>> shown("az://container/run.txt?sig=0f3a/9c")
    'az://container/run.txt'
    """
    scheme, separator, rest = QUERY.split(address, maxsplit=1)[0].partition("://")
    if not separator:
        return scheme
    host, slash, key = rest.partition("/")
    host = host.rpartition("@")[2]
    if not HOST.fullmatch(host):  # the beginning of a password with ? or /
        return f"{scheme}://…"
    return f"{scheme}://{host}{slash}{key}"


def shown_path(source: str | os.PathLike[str]) -> Path:
    """Return a path for the name and the suffix of a source, without what may give access to it.

    >>> shown_path("https://host/run.txt?sig=0f/3a").name
    'run.txt'
    """
    return ObjectPath(shown(os.fspath(source))) if is_address(source) else Path(source)


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
    if scheme != "https":
        refuse_query(address)
    if not host:
        raise OptionError(f"{shown(address)}: the name after {scheme}:// is missing.")
    if NO_HOST.search(host):
        raise _no_host(address)
    if scheme != "https":
        return Address(f"{scheme}://{host}", _checked(key, address))
    from urllib.parse import unquote, urlsplit

    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        raise _no_host(address) from None
    query = f"/?{parts.query}" if parts.query else ""
    key = _checked(unquote(parts.path).lstrip("/"), address)
    return Address(f"https://{parts.netloc}{query}", key)


def _no_host(address: str) -> OptionError:
    """Return the error for a name of a bucket or of a server that no store can have."""
    scheme = address.partition("://")[0]
    what = "server, with a port up to 65535 or none" if scheme == "https" else "bucket"
    return OptionError(f"{shown(address)}: after {scheme}:// comes the name of a {what}.")


def _checked(key: str, address: str) -> str:
    """Return the key of an object in an address if it can be requested; obstore would read another object or fail."""
    if NO_KEY.search(key):
        raise OptionError(
            f"{shown(address)}: the key of an object must not contain an empty folder (//), the folders "
            "'.' and '..', or control characters. Correct the address, or copy the object to another key."
        )
    return key


def refuse_query(address: str) -> None:
    """Raise if the address of a bucket contains ? or #, which may begin a signature."""
    if is_address(address) and not address.startswith("https://") and QUERY.search(address):
        scheme = address.partition("://")[0]
        raise OptionError(
            f"{shown(address)}: an address of {scheme}:// must not contain '?' or '#'. Credentials come from "
            "the environment; a signed address begins with https://. Objects whose keys contain these "
            "characters cannot be read: copy them to other keys."
        )


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
    """Return the path of an output; an address keeps its form, and one that cannot be written is an error."""
    if not is_address(path):
        return Path(path)
    address = os.fspath(path)
    refuse_query(address)
    if address.startswith("https://"):
        raise OptionError(
            f"{shown(address)}: https:// is read only. Write to s3://, gs:// or az://."
        )
    return ObjectPath(address)
