"""Objects of stores (extra `cloud`): listed, read in ranges of one version, with the failures of stores as errors of tare."""

from __future__ import annotations

import errno
import fnmatch
import io
import os
import re
import time
from collections import deque
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import IO, Any, Protocol, cast

from tare._files.addresses import parsed, shown
from tare.errors import MissingExtraError, OptionError, TareError, UnreadableError

__all__ = [
    "RangedFile",
    "StoredObject",
    "Stream",
    "addresses_like",
    "changed",
    "check_endpoints",
    "connection",
    "find_object",
    "library",
    "panics",
    "reading",
    "reason",
    "write_object",
    "writing",
]


# Addresses of servers in the environment, checked: obstore panics on text that is not an address.


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
    """Return what is wrong with the address of the server of an object store; None if it can be used."""
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


# Connections to stores, made by obstore; credentials come from the environment in its usual ways.


RETRIES = 6  # of a request that was throttled or that failed on the way
WAITING = timedelta(seconds=60)  # for all retries of a request
SETTINGS = ("AWS_", "GOOGLE_", "AZURE_", "AZURITE_", "SSL_CERT_")

MOST = 64  # connections that are kept

_OPENED: dict[Any, Any] = {}


def library() -> Any:
    """Return obstore."""
    try:
        import obstore
    except ImportError:
        raise MissingExtraError("obstore", "cloud", "An address of an object store") from None
    return obstore


def connection(store: str) -> Any:
    """Return the connection to a store, made once for the same settings."""
    library()
    from obstore.store import from_url

    settings = {name: value for name, value in os.environ.items() if name.startswith(SETTINGS)}
    key = (store, RETRIES, frozenset(settings.items()))
    if key not in _OPENED:
        check_endpoints(store, settings)
        options: dict[str, Any] = {
            "client_options": {"timeout": "60s", "connect_timeout": "10s"},
            "retry_config": {"max_retries": RETRIES, "retry_timeout": WAITING},
        }
        # The user named a server without encryption.
        if any("http://" in value.lower() for value in settings.values()):
            options["client_options"]["allow_http"] = True
        profile = settings.get("AWS_PROFILE") and "AWS_ACCESS_KEY_ID" not in settings
        if store.startswith("s3://") and profile:
            options["credential_provider"] = _profile()
        if len(_OPENED) >= MOST:
            _OPENED.clear()
        _OPENED[key] = from_url(store, **options)
    return _OPENED[key]


def _profile() -> Any:
    """Return the credentials of AWS_PROFILE, which boto3 reads."""
    try:
        from obstore.auth.boto3 import Boto3CredentialProvider
    except ImportError:
        raise MissingExtraError("boto3", None, "A profile of AWS (AWS_PROFILE)") from None
    return Boto3CredentialProvider()


# Failures of stores as errors of tare, without the text of the answer, which may contain secrets.


STATUS = re.compile(r"status code: (\d{3})")
CODE = re.compile(r"<Code>(\w{1,60})</Code>")
EXPIRED = ("ExpiredToken", "TokenRefreshRequired", "RequestExpired", "InvalidToken")
THROTTLED = ("429", "503")
SECRET_PARTS = re.compile(r"retry_timeout[^\n]*|uri: Some\([^)]*\)|Error performing \S+ \S+")
PHRASES = (  # of obstore 0.8 to 0.12, in lower case
    ("certificate", "the certificate of the server is not valid"),
    ("dns", "the name of the server is not known"),
    ("timedout", "the server did not answer in time"),
    ("timeout", "the server did not answer in time"),
    ("timed out", "the server did not answer in time"),
    ("partial", "the server ignores ranges of bytes; download the file"),
    ("range", "the server answered with a damaged range of bytes"),
    ("metadata", "no credentials were found in the environment"),
    ("credential", "no credentials were found in the environment"),
    ("scheme is not allowed", "the address of the server must begin with https://"),
    ("connect", "there is no connection to the server"),
    ("sending request", "there is no connection to the server"),
)


class _PanicError(Exception):
    """A panic of obstore, such as one about a region that cannot be part of an address."""


@contextmanager
def panics() -> Iterator[None]:
    """Turn a panic of obstore into an Exception; in Python it is only a BaseException."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise _PanicError from None


@contextmanager
def reading(address: str) -> Iterator[None]:
    """Turn every failure of reading from an object store into an UnreadableError."""
    try:
        with panics():
            yield
    except TareError:
        raise
    except Exception as error:
        if _is_changed(error):
            raise changed(address) from None
        raise UnreadableError(f"{shown(address)}: {reason(error, address)}.") from None


@contextmanager
def writing(address: str) -> Iterator[None]:
    """Turn every failure of writing to an object store into an error about an output, as a full disk raises."""
    try:
        with panics():
            yield
    except TareError:
        raise
    except Exception as error:
        raise OSError(errno.EIO, reason(error, address), shown(address)) from None


def changed(address: str) -> UnreadableError:
    """Return the error for an object of a store that was replaced while it was read."""
    return UnreadableError(
        f"{shown(address)}: the object changed while it was read. Read it again when no program "
        "writes to it."
    )


def _is_changed(error: Exception) -> bool:
    return type(error).__name__ in ("PreconditionError", "NotModifiedError")


def reason(error: Exception, address: str) -> str:
    """Return why a request to an object store failed, in words that contain nothing of the request."""
    if isinstance(error, _PanicError):
        return (
            "the library obstore failed; check the variables of the environment that begin with AWS_, "
            "GOOGLE_ or AZURE_"
        )
    text = str(error)
    status, code = STATUS.search(text), CODE.search(text)
    number, name = status[1] if status else "", code[1] if code else ""
    what = f" ({name or number})" if name or number else ""
    if name in EXPIRED:
        return f"the credentials have expired{what}; renew them and run the command again"
    if name == "NoSuchBucket":
        return f"no such bucket, {shown(parsed(address).store)}"
    if isinstance(error, FileNotFoundError) or number == "404":
        return "no such object"
    if number in ("401", "403") or name in ("AccessDenied", "SignatureDoesNotMatch"):
        return f"access denied{what}; check the credentials and their permissions"
    if number in THROTTLED or name in ("SlowDown", "RequestLimitExceeded"):
        return (
            f"the store limits the rate of requests{what}; try again later, or with fewer workers"
        )
    if number.startswith("3"):
        return f"the object is elsewhere{what}; check the region (AWS_REGION) and the endpoint"
    if number == "416":
        return f"the store has no such range of bytes{what}; the object changed while it was read"
    if number:
        return f"the store could not answer{what}; try again later"
    lower = SECRET_PARTS.sub("", text).lower()
    found = next((words for phrase, words in PHRASES if phrase in lower), None)
    return found or f"the request failed ({type(error).__name__})"


# Objects whose addresses match a pattern, or that are in a folder.


def addresses_like(pattern: str) -> list[str]:
    """Return the sorted addresses that match a glob pattern, or that begin with a folder."""
    where = parsed(pattern)
    if where.store.startswith("https://"):
        raise OptionError(f"{shown(pattern)}: objects of https:// cannot be listed. Name each one.")
    fixed = re.split(r"[*?\[]", where.key, maxsplit=1)[0]
    folder = fixed[: fixed.rfind("/") + 1]
    with reading(pattern):
        store = connection(where.store)
        listed = library().list(store, folder.rstrip("/") or None)
        keys = sorted(one["path"] for page in listed for one in page)
    found = [key for key in keys if fixed == where.key or _matches(key, where.key)]
    return [f"{where.store}/{key}" for key in found]


def _matches(key: str, pattern: str) -> bool:
    """Match keys of objects as glob does: a star stays within one folder, and two stars match any folders."""
    parts, wanted = key.split("/"), pattern.split("/")
    if "**" in wanted:
        at = wanted.index("**")
        return fnmatch.fnmatchcase("/".join(parts[:at]), "/".join(wanted[:at])) and any(
            _matches("/".join(parts[k:]), "/".join(wanted[at + 1 :])) for k in range(at, len(parts))
        )
    return len(parts) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))


# Objects as files: with random access, or read from beginning to end.


class Ranges(Protocol):
    """What is read in ranges of bytes."""

    @property
    def size(self) -> int:
        """The number of bytes."""
        ...

    def read(self, start: int, stop: int) -> memoryview:
        """Return a range of bytes."""
        ...


class RangedFile(io.RawIOBase):
    """Random access to an object."""

    def __init__(self, stored: Ranges) -> None:
        self._stored, self._place = stored, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, place: int, whence: int = 0) -> int:
        self._place = place + (0, self._place, self._stored.size)[whence]
        return self._place

    def size(self) -> int:
        return self._stored.size

    def readinto(self, buffer: Any) -> int:
        stop = min(self._stored.size, self._place + len(buffer))
        data = self._stored.read(self._place, stop)
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)


class Stream(io.RawIOBase):
    """A file without seeking, made of ranges."""

    def __init__(self, ranges: Generator[memoryview, None, None]) -> None:
        self._ranges = ranges
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._left:
            self._left = next(self._ranges, memoryview(b""))
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count

    def close(self) -> None:
        self._ranges.close()
        super().close()


# One version of an object, read in ranges: never a mixture of two versions.


AHEAD = 4  # ranges that are requested before they are needed
PAUSE = 0.1  # seconds before a broken answer is requested again


@dataclass(frozen=True)
class StoredObject(os.PathLike[str]):
    """An object in the version that was found first; reading fails if another version is there."""

    address: str = field(repr=False)
    size: int
    tag: str | None  # its ETag
    time: float  # of the last change, if there is no ETag

    def __fspath__(self) -> str:
        return self.address

    def __str__(self) -> str:
        return shown(self.address)

    @property
    def state(self) -> tuple[int, int] | None:
        """Two numbers that differ between versions of an object: its size and a digest of its ETag; None without."""
        if self.tag is None:
            return None
        import hashlib  # loads OpenSSL, which a call without objects does not need

        return self.size, int.from_bytes(hashlib.blake2b(self.tag.encode(), digest_size=6).digest())

    def read(self, start: int, stop: int) -> memoryview:
        """Return a range of bytes; an answer that breaks off is requested again."""
        if start >= stop:
            return memoryview(b"")
        where = parsed(self.address)
        for attempt in range(1 + RETRIES):
            with reading(self.address):
                store = connection(where.store)
                options: dict[str, Any] = {"range": (start, stop)}
                if self.tag is not None and not self.tag.startswith("W/"):
                    options["if_match"] = self.tag
                answer = library().get(store, where.key, options=options)
                self._refuse_other(answer.meta)
            try:
                with panics():
                    data = memoryview(answer.bytes())
            except Exception:
                data = memoryview(b"")
            if len(data) == stop - start:
                return data
            time.sleep(PAUSE * attempt)
        raise UnreadableError(
            f"{self}, bytes {start:,} to {stop:,}: the answer of the store broke off "
            f"{1 + RETRIES} times. Try again later."
        )

    def ranges(self, start: int, stop: int, size: int) -> Generator[memoryview, None, None]:
        """Yield the bytes of an object in ranges of `size`; the next ones are requested while one is used."""
        edges = [(a, min(a + size, stop)) for a in range(start, stop, size)]
        if len(edges) <= 1:
            yield from (self.read(*edge) for edge in edges)
            return
        from concurrent.futures import Future, ThreadPoolExecutor  # brings logging along

        pool = ThreadPoolExecutor(min(AHEAD, len(edges)))
        asked: deque[Future[memoryview]] = deque()
        try:
            rest = iter(edges)
            for edge in rest:
                asked.append(pool.submit(self.read, *edge))
                if len(asked) == AHEAD:
                    break
            while asked:
                yield asked.popleft().result()
                if (following := next(rest, None)) is not None:
                    asked.append(pool.submit(self.read, *following))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def stream(self, size: int) -> IO[bytes]:
        """Return an object as a file that is read from beginning to end."""
        return cast(IO[bytes], Stream(self.ranges(0, self.size, size)))

    def open(self) -> IO[bytes]:
        """Return an object as a file with random access; each read is one request."""
        return cast(IO[bytes], RangedFile(self))

    def _refuse_other(self, found: Any) -> None:
        if (found["e_tag"], found["size"]) != (self.tag, self.size) or (
            self.tag is None and found["last_modified"].timestamp() != self.time
        ):
            raise changed(self.address)


def find_object(source: str | os.PathLike[str]) -> StoredObject:
    """Return the present version of an object; an object that was found before is returned as it is."""
    if isinstance(source, StoredObject):
        return source
    address = os.fspath(source)
    where = parsed(address)
    if not where.key or where.key.endswith("/"):
        raise UnreadableError(
            f"{shown(address)} is a folder, not an object. Name the objects in it."
        )
    with reading(address):
        found = _about(connection(where.store), where.key, address)
        return StoredObject(
            address, found["size"], found["e_tag"], found["last_modified"].timestamp()
        )


def _about(store: Any, key: str, address: str) -> Any:
    """Return size, tag and time of an object. An answer to HEAD has no text that explains a failure."""
    obstore = library()
    if not address.startswith("https://") or "?" not in address:  # a signature is for GET only
        with suppress(Exception):
            return obstore.head(store, key)
    return obstore.get(store, key, options={"range": (0, 1)}).meta


def write_object(target: str | os.PathLike[str], data: bytes) -> None:
    """Write an object, which appears only when it is complete."""
    address = os.fspath(target)
    where = parsed(address)
    if where.store.startswith("https://"):
        raise OptionError(
            f"{shown(address)}: https:// is read only. Write to s3://, gs:// or az://."
        )
    if not where.key:
        raise OptionError(f"{shown(address)}: name an object in the bucket.")
    with writing(address):
        library().put(connection(where.store), where.key, data)
