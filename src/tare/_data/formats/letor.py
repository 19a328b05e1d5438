"""Writer of LETOR text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tare._data.text_rows import refuse_unwritable
from tare._files.opening import COMPRESSED
from tare._files.writing import new_file
from tare._kernels import letor_text
from tare.errors import OptionError

__all__ = ["write_letor"]


def _check(ids: Iterable[str]) -> None:
    for id_ in ids:
        refuse_unwritable(id_, "LETOR text")


def write_letor(
    path: Path,
    queries: tuple[str, ...],
    offsets: NDArray[np.int64],
    grades: NDArray[np.float64],
    features: NDArray[np.float32],
    documents: tuple[str, ...] | None,
) -> None:
    """Write `grade qid:query 1:value 2:value …` with every feature, and `#docid = …` if known."""
    if path.suffix.lower() in COMPRESSED:
        raise OptionError(
            f"{path}: compressed LETOR files cannot be written; compress the file afterwards."
        )
    _check(chain(queries, filter(None, documents or ())))
    with new_file(path) as file:
        for query, first, last in zip(queries, offsets, offsets[1:], strict=False):
            named = documents[first:last] if documents else ()
            file.write(letor_text(query, grades[first:last], features[first:last], named))
