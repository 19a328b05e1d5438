"""Comparison of runs by measures with the names of ranx."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np

from tare.compat._arguments import number, texts
from tare.compat.ranx._evaluate import Values, evaluate, values_of
from tare.compat.ranx._report import Report
from tare.compat.ranx._tables import Qrels, Run
from tare.errors import OptionError, choose
from tare.stats._pairs import Pairs
from tare.stats._tests import TestOptions, run_test

__all__ = ["compare"]

TESTS = {"student": "t", "fisher": "permutation", "tukey": "tukey"}


def compare(
    qrels: Qrels,
    runs: Sequence[Run],
    metrics: str | Sequence[str],
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
) -> Report:
    """Evaluate runs and test all pairs.

    As in ranx, p-values of "student" and "fisher" are not corrected for the number of pairs;
    `tare.compare` corrects them. Identical runs have p = 1. "fisher" is exact or has a p of at least
    1/(draws + 1), and does not depend on threads. "tukey" takes the queries into account.

    Parameters
    ----------
    qrels : Qrels
        The judgements.
    runs : list of Run
        The systems.
    metrics : str or list of str
        Names such as "ndcg@10"; see `evaluate`.
    stat_test : {"student", "fisher", "tukey"}
        The paired t-test, the randomisation test, or Tukey's HSD.
    n_permutations : int, default 1000
        Random draws of "fisher".
    max_p : float, default 0.01
        A difference with a p-value up to this is significant.
    random_seed : int, default 42
        Seed of "fisher".
    threads : int, default 0
        Number of threads of the test; 0 uses all cores.
    rounding_digits : int, default 3
        Digits of the report.
    show_percentages : bool, default False
        Whether the report shows percentages.
    make_comparable : bool, default False
        See `evaluate`.

    Returns
    -------
    Report
        Means, p-values, wins, ties and losses.

    Raises
    ------
    OptionError
        If the test does not exist, or two runs have the same name.

    Examples
    --------
    >>> qrels = Qrels({f"q{i}": {"a": 1, "b": 0} for i in range(8)})
    >>> runs = [Run({f"q{i}": {"a": s - i, "b": 0.5} for i in range(8)}, name=f"s{s}") for s in (1, 8)]
    >>> print(compare(qrels, runs, ["map", "hits@1"]))
    #    Model  MAP     Hits@1
    ---  -----  ------  ------
    a    s1     0.562   0.125
    b    s8     1.000ᵃ  1.000ᵃ
    """
    choose("stat_test", stat_test, tuple(TESTS))
    names = [metrics] if isinstance(metrics, str) else texts("metrics", metrics)
    max_p = number("max_p", max_p)
    models = [run.name if run.name is not None else f"run_{i}" for i, run in enumerate(runs, 1)]
    twice = sorted({model for model in models if models.count(model) > 1})
    if twice:
        raise OptionError(f"two runs have the name {twice[0]!r}; give each run its own name.")
    values: dict[str, dict[str, Values]] = {}
    for model, run in zip(models, runs, strict=True):
        evaluate(qrels, run, names, make_comparable=make_comparable)
        values[model] = values_of(qrels, run, names, make_comparable)[1]
    options = TestOptions(draws=n_permutations, seed=random_seed, threads=threads)
    comparisons: dict[frozenset[str], dict[str, Any]] = {
        frozenset(pair): {} for pair in combinations(models, 2)
    }
    for name in names if len(models) > 1 else []:
        pairs = Pairs.of_matrix(np.array([values[model][name] for model in models]))
        tested = run_test(pairs, TESTS[stat_test], options)
        for k, p in enumerate(tested.p.tolist()):
            one, other = (models[int(position)] for position in tested.pairs.name(k))
            p = 1.0 if np.isnan(p) else p
            found = {"p_value": p, "significant": bool(p <= max_p)}
            comparisons[frozenset((one, other))][name] = found
    return Report(
        model_names=models,
        results={m: {n: float(np.mean(values[m][n])) for n in names} for m in models},
        comparisons=comparisons,
        metrics=names,
        max_p=max_p,
        win_tie_loss={
            (one, other): {name: _counts(values[one][name], values[other][name]) for name in names}
            for one, other in permutations(models, 2)
        },
        rounding_digits=rounding_digits,
        show_percentages=show_percentages,
        stat_test=stat_test,
    )


def _counts(one: Values, other: Values) -> dict[str, int]:
    """Return on how many queries one system wins, ties and loses."""
    return {
        "W": int((one > other).sum()),
        "T": int((one == other).sum()),
        "L": int((one < other).sum()),
    }
