"""Files of named arrays and facts about them, with a checksum: finished parts of a job."""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._files.addresses import exists, is_address, is_file
from tare._files.cloud import find_object
from tare._files.opening import name_of
from tare._files.writing import note_address, note_input, write_bytes
from tare.errors import UnreadableError

__all__ = ["DAMAGES", "Arrays", "read_arrays", "ready_folder", "write_arrays"]


Arrays = Mapping[str, NDArray[Any]]
SIZE = 32  # bytes of the checksum
FIRST, LAST = b"PK\x03\x04", b"PK\x05\x06"  # marks of the first and the last record of a ZIP file
LENGTH = 22  # bytes of the last record
DAMAGES = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)  # what numpy, zipfile and json raise for content that they cannot read


def ready_folder(folder: str | os.PathLike[str]) -> None:
    """Make a folder for finished parts, and raise an error if parts cannot be written there."""
    if is_address(folder):
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        why = "it is a file" if Path(folder).is_file() else error.strerror
        raise UnreadableError(
            f"{name_of(folder)}: finished parts cannot be kept in this folder ({why}). Name another folder "
            "(resume=, --resume)."
        ) from error


def write_arrays(path: str | os.PathLike[str], facts: object, arrays: Arrays) -> None:
    """Write a finished part: facts (as JSON) and arrays; the file appears only when it is complete."""
    if not is_address(path) and exists(target := os.path.realpath(path)) and not is_file(target):
        raise UnreadableError(
            f"{name_of(path)}: a finished part cannot be kept here: it is not a regular file. Remove it, and "
            "repeat the command."
        )
    text = json.dumps(facts).encode()
    memory = io.BytesIO()
    np.savez(memory, facts=np.frombuffer(text, dtype=np.uint8), **arrays)  # type: ignore[arg-type]
    data = memory.getvalue()
    write_bytes(path, data + hashlib.blake2b(data, digest_size=SIZE).digest(), part=True)


def read_arrays(path: str | os.PathLike[str]) -> tuple[Any, dict[str, NDArray[Any]]] | None:
    """Read a finished part: facts and arrays; None if the checksum is not that of the content.

    Content with a correct checksum may still raise any of `DAMAGES`.
    """
    try:
        return _unpacked(_content(path))
    except MemoryError as error:  # not among DAMAGES: the part may be sound
        raise MemoryError(
            f"{name_of(path)}: not enough memory to read this finished part"
        ) from error


def _content(path: str | os.PathLike[str]) -> bytes:
    try:
        if not is_address(path):
            return _local(path)
        found = find_object(path)
        note_address(found.address, part=True)
        return bytes(found.read(0, found.size))
    except OSError as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError(f"{name_of(path)}: cannot be read ({error.strerror}).") from error


def _local(path: str | os.PathLike[str]) -> bytes:
    """Return the content of the file of a finished part; nothing if its first and last bytes are not those of a part."""
    if exists(path) and not is_file(path):
        raise UnreadableError(
            f"{name_of(path)}: it is not a regular file. Name the files of finished parts."
        )
    with Path(path).open("rb") as file:
        note_input(file.fileno(), part=True)
        if file.read(len(FIRST)) != FIRST or file.seek(0, os.SEEK_END) < SIZE + LENGTH:
            return b""
        file.seek(-SIZE - LENGTH, os.SEEK_END)
        if file.read(len(LAST)) != LAST:
            return b""
        file.seek(0)
        return file.read()


def _unpacked(data: bytes) -> tuple[Any, dict[str, NDArray[Any]]] | None:
    content, digest = data[:-SIZE], data[-SIZE:]
    if hashlib.blake2b(content, digest_size=SIZE).digest() != digest:
        return None
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        named = {key: arrays[key] for key in arrays.files}
    return json.loads(named.pop("facts").tobytes()), named
