"""Cache of vectors: in memory up to a limit, on disk on request."""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tare._files.writing import new_file
from tare.errors import UnreadableError

__all__ = ["Store"]

Vectors = NDArray[np.float32]
MOST_BYTES = 1 << 30


class Store:
    """Vectors by tokens; the oldest in memory are dropped, those on disk are kept."""

    def __init__(
        self, folder: str | os.PathLike[str] | None, made_by: str, most_bytes: int = MOST_BYTES
    ) -> None:
        self.made_by, self.most_bytes, self.bytes = made_by, most_bytes, 0
        self.known: OrderedDict[tuple[int, ...], Vectors] = OrderedDict()
        self.folder = Path(folder) / made_by if folder is not None else None
        if self.folder is not None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UnreadableError(
                    f"{folder}: cannot create the folder for vectors: {error.strerror}."
                ) from None

    def get(self, tokens: tuple[int, ...]) -> Vectors | None:
        """Return the vectors of a text, or None."""
        if tokens in self.known:
            self.known.move_to_end(tokens)
            return self.known[tokens]
        path = self._path(tokens)
        if path is None or not path.is_file():
            return None
        try:
            vectors: Vectors = np.load(path, allow_pickle=False)
        except (OSError, ValueError):  # damaged: it is computed again
            return None
        self._remember(tokens, vectors)
        return vectors

    def put(self, tokens: tuple[int, ...], vectors: Vectors) -> None:
        """Store the vectors of a text."""
        self._remember(tokens, vectors)
        path = self._path(tokens)
        if path is not None:
            with new_file(path) as file:
                np.save(file, vectors)

    def forget(self) -> None:
        """Drop the vectors in memory."""
        self.known.clear()
        self.bytes = 0

    def _remember(self, tokens: tuple[int, ...], vectors: Vectors) -> None:
        self.known[tokens] = vectors
        self.bytes += vectors.nbytes
        while self.bytes > self.most_bytes and len(self.known) > 1:
            _, oldest = self.known.popitem(last=False)
            self.bytes -= oldest.nbytes

    def _path(self, tokens: tuple[int, ...]) -> Path | None:
        if self.folder is None:
            return None
        name = hashlib.sha256(np.array(tokens, dtype=np.int64).tobytes()).hexdigest()[:32]
        return self.folder / f"{name}.npy"
