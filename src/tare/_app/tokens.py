"""Tokens of links, and values derived from them; only their digests are stored."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

__all__ = [
    "completion_code",
    "csrf_of",
    "digest",
    "is_token",
    "new_submission",
    "new_token",
    "study_id",
    "tokens_match",
]

SHAPE = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """Return a random token of 256 bits, as 43 characters that are safe in a URL."""
    return secrets.token_urlsafe(32)


def new_submission() -> str:
    """Return a random id for an answer, as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def is_token(given: str) -> bool:
    """Return whether a string has the form of a token.

    >>> is_token("../../etc/passwd")
    False
    """
    return SHAPE.fullmatch(given) is not None


def digest(token: str) -> str:
    """Return the digest that is stored; tokens are long and random, so no salt is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def csrf_of(token: str) -> str:
    """Return the value that protects the forms of the holder of this token."""
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
