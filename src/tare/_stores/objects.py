"""One version of an object, read in ranges: never a mixture of two versions."""

from __future__ import annotations

import hashlib
import os
import time
from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any, cast

from tare._stores import connections
from tare._stores.addresses import parsed, shown
from tare._stores.failures import changed, panics, reading, writing
from tare._stores.object_files import RangedFile, Stream
from tare.errors import OptionError, UnreadableError

__all__ = ["StoredObject", "find_object", "write_object"]

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
        """Two numbers that differ between versions: its size and a digest of its ETag; None without."""
        if self.tag is None:
            return None
        return self.size, int.from_bytes(hashlib.blake2b(self.tag.encode(), digest_size=6).digest())

    def read(self, start: int, stop: int) -> memoryview:
        """Return a range of bytes; an answer that breaks off is requested again."""
        if start >= stop:
            return memoryview(b"")
        where = parsed(self.address)
        for attempt in range(1 + connections.RETRIES):
            with reading(self.address):
                store = connections.connection(where.store)
                options: dict[str, Any] = {"range": (start, stop)}
                if self.tag is not None and not self.tag.startswith("W/"):
                    options["if_match"] = self.tag
                answer = connections.library().get(store, where.key, options=options)
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
            f"{1 + connections.RETRIES} times. Try again later."
        )

    def ranges(self, start: int, stop: int, size: int) -> Generator[memoryview, None, None]:
        """Yield the bytes in ranges of `size`; the next ones are requested while one is used."""
        edges = [(a, min(a + size, stop)) for a in range(start, stop, size)]
        if len(edges) <= 1:
            yield from (self.read(*edge) for edge in edges)
            return
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
        """Return a file that is read from beginning to end."""
        return cast(IO[bytes], Stream(self.ranges(0, self.size, size)))

    def open(self) -> IO[bytes]:
        """Return a file with random access; each read is one request."""
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
        found = _about(connections.connection(where.store), where.key, address)
        return StoredObject(
            address, found["size"], found["e_tag"], found["last_modified"].timestamp()
        )


def _about(store: Any, key: str, address: str) -> Any:
    """Return size, tag and time of an object. An answer to HEAD has no text that explains a failure."""
    obstore = connections.library()
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
        connections.library().put(connections.connection(where.store), where.key, data)
