"""Tokens: unguessable, kept only as digests; and what is derived from them."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

__all__ = ["completion_code", "csrf_of", "digest", "is_token", "new_token", "same", "study_id"]

SHAPE = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """256 random bits in 43 characters that a URL can hold."""
    return secrets.token_urlsafe(32)


def is_token(given: str) -> bool:
    """Whether this could be a token at all.

    >>> is_token("../../etc/passwd")
    False
    """
    return SHAPE.fullmatch(given) is not None


def digest(token: str) -> str:
    """What is kept of a token; it is random and long, so a plain digest needs no salt."""
    return hashlib.sha256(token.encode()).hexdigest()


def csrf_of(token: str) -> str:
    """What a form of the holder of this token carries, and nobody else can know."""
    return hmac.new(token.encode(), b"form", hashlib.sha256).hexdigest()


def same(given: str, wanted: str) -> bool:
    """Compares without telling by time how much is right."""
    return hmac.compare_digest(given.encode(), wanted.encode())


def study_id(salt: str) -> str:
    """Tells studies apart where they share a host, as cookies do; it tells nothing of the salt."""
    return hmac.new(salt.encode(), b"study", hashlib.sha256).hexdigest()[:12]


def completion_code(salt: str, assessor: str) -> str:
    """A code that tells the owner who has finished, and that nobody can make up."""
    made = hmac.new(salt.encode(), assessor.encode(), hashlib.sha256).hexdigest()
    return made[:8].upper()
