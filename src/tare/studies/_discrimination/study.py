"""Which measure tells systems apart? Discriminative power, ASL curves, conflicts, distances.

Sakai (2006), Evaluating evaluation metrics based on the bootstrap; Feng and Karmaker (2023).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._measures.scores import Scores
from tare.chance._kinds import Kinds
from tare.errors import MismatchError, OptionError, choose
from tare.stats._corrections import CORRECTIONS
from tare.stats._families import adjusted_p
from tare.stats._pairs import DIGITS, Pairs
from tare.stats._randomisation import DRAWS, check_draws
from tare.stats._tests import TESTS, TestOptions, run_test
from tare.studies._discrimination.result import Discrimination, Tested
from tare.studies._item_sets import item_sets
from tare.studies._journal import Journal, digest
from tare.studies._shapes import Fixed

__all__ = ["discrimination"]

Floats = NDArray[np.float64]


def discrimination(
    scores: Any,
    *,
    sets: Mapping[str, Sequence[str]] | Kinds | None = None,
    by: str | None = None,
    test: str = "bootstrap",
    correction: str = "none",
    alpha: float = 0.05,
    draws: int = DRAWS,
    seed: int = 0,
    digits: int = DIGITS,
    threads: int = 0,
    progress: Callable[[str], None] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> Discrimination:
    """How many pairs of systems each measure tells apart, on all items and on sets of them.

    sets: {name: items}, or what `tare.chance.kinds` found; by: an attribute of the items instead.
    test, correction: as in `tare.compare`. The default is the field's: Sakai's studentised
    bootstrap of each pair without a correction, so that measures are compared at the same risk a
    pair; "tukey-randomised", or a correction, covers the family.
    journal: a file that keeps what is done, from which an interrupted study goes on.

    Discriminative power says how sensitive a measure is, not whether it is right (Sakai 2006).
    """
    given = scores if isinstance(scores, Scores) else Scores.load(scores)
    choose("test", test, tuple(TESTS))
    choose("correction", correction, (*CORRECTIONS, "max-t"))
    check_draws(draws, seed)
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha} is not possible; it lies between 0 and 1.")
    if TESTS[test].family_wise and correction != "none":
        raise OptionError(
            f"test={test!r} covers the whole family already; leave out correction={correction!r}."
        )
    if correction == "max-t" and not TESTS[test].steps_down:
        raise OptionError(
            f"correction='max-t' needs test='permutation' or 'bootstrap', not {test!r}."
        )
    if not given.measures:
        raise MismatchError("the score table holds no measure; there is nothing to compare.")
    chosen, notes = item_sets(given, sets, by)
    options = TestOptions(draws, seed, alpha, step_down=correction == "max-t", threads=threads)
    about = {
        "study": "discrimination",
        "data": digest(given, chosen),
        "options": f"{test} {correction} {alpha} {draws} {seed} {digits}",
    }
    book = Journal(journal, about)
    tested: list[Tested] = []
    for name, items in chosen.items():
        part = given.select(items=items)
        for measure in given.measure_names:
            if progress is not None:
                progress(f"{name}: {measure}")
            pairs = Pairs.of(part, measure=measure, digits=digits)
            found = book.step(
                f"{name}\t{measure}",
                lambda pairs=pairs: _p_values(pairs, test, correction, options),  # type: ignore[misc]
                Fixed.of(Fixed.of(float, len(pairs)), 2),
            )
            p, adjusted = (np.array(x, dtype=np.float64) for x in found)
            tested.append(Tested(name, measure, pairs, p, adjusted))
    return Discrimination(
        given.systems, chosen, tuple(tested), test, correction, alpha, draws, seed,
        given.signatures, tuple(notes),
    )  # fmt: skip


def _p_values(
    pairs: Pairs, test: str, correction: str, options: TestOptions
) -> tuple[list[float], list[float]]:
    """p and adjusted p of each pair; NaN where two systems share fewer than two items."""
    keep = pairs.n >= 2
    p, adjusted = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    if keep.any():
        result = run_test(pairs.take(keep), test, options)
        p[keep], adjusted[keep] = result.p, adjusted_p(result, correction)
    return p.tolist(), adjusted.tolist()
