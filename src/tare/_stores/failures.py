"""Failures of stores as errors of tare, without the text of the answer, which may contain secrets."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager

from tare._stores.addresses import parsed, shown
from tare.errors import TareError, UnreadableError

__all__ = ["changed", "panics", "reading", "reason", "writing"]

STATUS = re.compile(r"status code: (\d{3})")
CODE = re.compile(r"<Code>(\w{1,60})</Code>")
EXPIRED = ("ExpiredToken", "TokenRefreshRequired", "RequestExpired", "InvalidToken")
THROTTLED = ("429", "503")
SETTINGS = re.compile(r"retry_timeout[^\n]*|uri: Some\([^)]*\)|Error performing \S+ \S+")
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
    """Turn every failure of the store into an UnreadableError."""
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
    """Turn every failure of the store into an error about an output, as a full disk raises."""
    try:
        with panics():
            yield
    except TareError:
        raise
    except Exception as error:
        raise OSError(errno.EIO, reason(error, address), shown(address)) from None


def changed(address: str) -> UnreadableError:
    """Return the error for an object that was replaced."""
    return UnreadableError(
        f"{shown(address)}: the object changed while it was read. Read it again when no program "
        "writes to it."
    )


def _is_changed(error: Exception) -> bool:
    return type(error).__name__ in ("PreconditionError", "NotModifiedError")


def reason(error: Exception, address: str) -> str:
    """Return why a request failed, in words that contain nothing of the request."""
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
    lower = SETTINGS.sub("", text).lower()
    found = next((words for phrase, words in PHRASES if phrase in lower), None)
    return found or f"the request failed ({type(error).__name__})"
