"""Digests of texts, made row by row."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tare._data.summary_references import Text

if TYPE_CHECKING:
    from tare._data.scus import Scus

__all__ = ["content_digest", "digest_of_rows"]


def content_digest(
    text: Text,
    references: tuple[Text, ...],
    source: Text | None,
    base: tuple[Text, ...] = (),
    scus: Scus | None = None,
    authors: tuple[str, ...] = (),
) -> bytes:
    """Return the digest of a row without its system and item; extra columns count if they are given."""
    more = [("base", base), ("scus", scus), ("authors", authors if any(authors) else ())]
    whole = repr((text, references, source, *(pair for pair in more if pair[1])))
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).digest()


def digest_of_rows(rows: Iterable[tuple[str, str, bytes]]) -> str:
    """Return eight hexadecimal digits for rows (system, item, digest of the content) in any order."""
    each = []
    for system, item, content in rows:
        row = hashlib.sha256(repr((system, item)).encode("utf-8", "surrogatepass"))
        row.update(content)
        each.append(row.digest())
    return hashlib.sha256(b"".join(sorted(each))).hexdigest()[:8]
