"""Algorithm 1 of Feng (2023): the dictionary of a source's tokens, by similarity to the source."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from tare._measures.text.embedding.bertscore import rank_source

ENCODER: Any = SimpleNamespace(special=((101,), (102,)))


def vectors(*angles: float) -> Any:
    """Unit vectors of the tokens, between those of the two special ones."""
    turned = [[np.cos(a), np.sin(a)] for a in (2.0, *angles, 2.0)]
    return np.array(turned, dtype=np.float32)


def test_each_distinct_token_is_drawn_once() -> None:
    # The tokens 7 and 8 occur twice; the source points to the angle 0 by symmetry.
    tokens = (7, 8, 7, 9, 8, 5)
    found = rank_source(ENCODER, tokens, vectors(0.1, 0.6, -0.1, -0.6, 0.9, -0.9))
    assert found.best(2) == (7, 9)
    assert found.best(3) == (7, 9, 8)  # 8: the mean of cos .6 and cos .9
    assert found.worst(2) == (5, 8)
    assert found.best(100) == (7, 9, 8, 5)
    assert found.worst(100) == (5, 8, 9, 7)
    # A random text still draws places: a frequent token may come as often as the source has it.
    assert sorted(found.random(6, 0, 1, 0)) == sorted(tokens)


def test_of_equally_similar_tokens_the_first_in_the_source_comes_first() -> None:
    found = rank_source(ENCODER, (3, 1, 2, 1), vectors(0.5, -0.5, 0.5, -0.5))
    assert found.best(3) == (3, 1, 2)
    assert found.worst(3) == (2, 1, 3)


def test_a_source_without_tokens() -> None:
    found = rank_source(ENCODER, (), vectors())
    assert found.best(3) == found.worst(3) == ()
