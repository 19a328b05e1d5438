"""Descriptors of a summary and its source: novelty, compression, fragments, repetition.

Grusky, M., Naaman, M., Artzi, Y. (2018). Newsroom: a dataset of 1.3 million summaries. NAACL.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text, fragment_counts
from tare._measures.text.profiles import Profile, profile

__all__ = ["DESCRIPTORS", "abstractiveness"]

SIZES = (1, 2, 3, 4)
DESCRIPTORS = (
    "compression",
    "coverage",
    "density",
    *(f"{name}-{n}" for n in SIZES for name in ("novel", "repetition")),
)


def abstractiveness(
    summaries: Sequence[Text],
    sources: Sequence[Text],
    *,
    profile: Profile = profile(),  # noqa: B008 (immutable)
    sizes: Sequence[int] = SIZES,
    threads: int = 0,
) -> dict[str, NDArray[np.float64]]:
    """Return the descriptors of each summary by name; NaN if the summary is empty or too short.

    compression   tokens of the source ÷ tokens of the summary
    coverage      share of the summary's tokens in fragments copied from the source
    density       mean length of the fragment of each of the summary's tokens
    novel-n       share of its distinct n-grams that are not in the source, for n in `sizes`
    repetition-n  1 − distinct n-grams ÷ n-grams

    >>> found = abstractiveness(["the cat sat there"], ["a dog saw the cat sat down"])
    >>> [found[name].tolist() for name in ("coverage", "density", "novel-2")]
    [[0.75], [2.25], [0.3333333333333333]]
    """
    kernel = profile.for_texts([*summaries, *sources])
    counts = fragment_counts(summaries, sources, kernel, sizes, threads=threads)
    length, source, copied, squares = counts[:, :4].T
    found = {
        "compression": _ratio(source, length),
        "coverage": _ratio(copied, length),
        "density": _ratio(squares, length),
    }
    for place, n in enumerate(sizes):
        grams, distinct, novel = counts[:, 4 + 3 * place : 7 + 3 * place].T
        found[f"novel-{n}"] = _ratio(novel, distinct)
        found[f"repetition-{n}"] = 1 - _ratio(distinct, grams)
    return found


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    out = np.full(len(above), np.nan)
    np.divide(above, below, out=out, where=below > 0)
    return out
