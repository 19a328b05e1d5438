"""The study of discriminative power: significant pairs, ASL curves, conflicts and distances.

Sakai (2006), Evaluating evaluation metrics based on the bootstrap; Feng and Karmaker (2023).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tare._decide.families import adjusted_p
from tare._decide.journal import Journal, digest
from tare._measures.one_system import opened_engine
from tare._measures.saved_scores import ScoreSource, scores_of
from tare.chance._kinds_of_queries import Kinds
from tare.errors import MismatchError, OptionError, choose
from tare.stats._corrections import CORRECTIONS
from tare.stats._draws import Drawing
from tare.stats._flips import least_units
from tare.stats._named_tests import TESTS, TestOptions, run_test
from tare.stats._paired_differences import DIGITS, Pairs
from tare.stats._randomisation import DRAWS, check_draws
from tare.studies._discrimination.result import Discrimination
from tare.studies._discrimination.tested import Tested
from tare.studies._item_sets import item_sets

__all__ = ["discrimination"]

Floats = NDArray[np.float64]
RESAMPLING = ("bootstrap", "hybrid", "hybrid-t", "hybrid-w")  # few items have few resamples


def discrimination(
    scores: ScoreSource,
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
    engine: str | Drawing | None = None,
    progress: Callable[[str], None] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> Discrimination:
    """Count the pairs of systems that each measure finds significantly different.

    Discriminative power shows how sensitive a measure is, not whether it is valid (Sakai 2006).

    Parameters
    ----------
    scores : Scores, path or data frame
        The score table.
    sets : mapping of str to items, or Kinds, optional
        Also test on these sets of items: {name: items}, or the result of `tare.chance.kinds`.
    by : str, optional
        Also test on the sets of items that share a value of this attribute.
    test, correction : str
        The test and the correction for multiple comparisons, as in `tare.compare`. By default
        Sakai's studentised bootstrap test without a correction, as is usual in such studies. Choose
        "tukey-randomised" or a correction to control the family-wise error rate.
    alpha : float
        Significance level.
    draws : int
        Draws of the test.
    seed : int
        Seed of random draws.
    digits : int
        Digits after the point to which scores are rounded before they are compared.
    threads : int
        Number of threads; 0 uses all cores.
    engine : str or engine, optional
        Where random draws are made: "local", "ray" or an engine of `tare.engines`. The numbers are the
        same.
    progress : callable, optional
        Called with a short description of each step.
    journal : path, optional
        A file of finished steps, from which an interrupted study continues.

    Returns
    -------
    Discrimination
        Discriminative power by measure and set, ASL curves, conflicts and distances.

    Raises
    ------
    OptionError
        If the test, the correction or their combination is not possible.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, ["nDCG@10", "P@10"])
    >>> found = discrimination(scores, test="t")
    >>> [(row["family"], row["pairs"]) for row in found.rows()]
    [('nDCG', 10), ('P', 10)]
    """
    given = scores_of(scores)
    choose("test", test, tuple(TESTS))
    choose("correction", correction, (*CORRECTIONS, "max-t"))
    check_draws(draws, seed)
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha} is not valid. It must lie between 0 and 1.")
    if TESTS[test].family_wise and correction != "none":
        raise OptionError(
            f"test={test!r} already controls the family-wise error rate. Remove "
            f"correction={correction!r}."
        )
    if correction == "max-t" and not TESTS[test].by_largest:
        raise OptionError(
            f"correction='max-t' needs test='permutation' or 'bootstrap', not {test!r}."
        )
    if not given.measures:
        raise MismatchError("the score table has no measures, so there is nothing to compare.")
    chosen, notes = item_sets(given, sets, by)
    with opened_engine(engine) as place:
        options = TestOptions(
            draws, seed, alpha, largest=correction == "max-t", threads=threads, engine=place
        )
        about = {
            "study": "discrimination",
            "data": digest(given, chosen),
            "options": f"{test} {correction} {alpha} {draws} {seed} {digits}",
        }
        record = Journal(journal, about)
        tested: list[Tested] = []
        for name, items in chosen.items():
            if test in RESAMPLING and len(items) < least_units(alpha):
                notes.append(
                    f"{name}: no pair was tested. {len(items)} items are too few for the {test} test, which "
                    f"needs {least_units(alpha)}; test='t' assumes normal differences instead."
                )
            part = given.select(items=items)
            for measure in given.measure_names:
                if progress is not None:
                    progress(f"{name}: {measure}")
                pairs = Pairs.of(part, measure=measure, digits=digits)
                found = record.step(
                    f"{name}\t{measure}",
                    lambda pairs=pairs: _p_values(pairs, test, correction, options),  # type: ignore[misc]
                )
                p, adjusted = (np.array(x, dtype=np.float64) for x in found)
                tested.append(Tested(name, measure, pairs, p, adjusted))
    return Discrimination(
        given.systems,
        chosen,
        tuple(tested),
        test,
        correction,
        alpha,
        draws,
        seed,
        given.signatures,
        tuple(notes),
    )


def _p_values(
    pairs: Pairs, test: str, correction: str, options: TestOptions
) -> tuple[list[float], list[float]]:
    """Return p-values and adjusted p-values; NaN if two systems share too few items."""
    keep = pairs.n >= (least_units(options.alpha) if test in RESAMPLING else 2)
    p, adjusted = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    if keep.any():
        result = run_test(pairs.take(keep), test, options)
        p[keep], adjusted[keep] = result.p, adjusted_p(result, correction)
    return p.tolist(), adjusted.tolist()
