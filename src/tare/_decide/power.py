"""The study of power: how often do tests detect a difference between two groups of systems?

Rankel (2016, §3.7): rejection rates by mixture t, without and with document effects.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from tare._decide.journal import Journal, digest
from tare._decide.pairs import matrix_of, pairs_of
from tare._measures.measure import Measure
from tare._measures.one_system import opened_engine
from tare._measures.saved_scores import ScoreSource, scores_of
from tare._measures.scores import Scores
from tare._result import MultiTableResult, Row, RowsByName
from tare._signature import Signature
from tare._tables import Column, Table
from tare.errors import OptionError, choose
from tare.stats._draws import Drawing
from tare.stats._power import (
    PAIR_TESTS,
    SIDE_WORDS,
    SIDES,
    STEPS,
    most_powerful,
    power_curve,
    sizes_of_tests,
)

__all__ = ["PowerStudy", "power"]


# The result of the study of power.


class PowerPoint(TypedDict):
    """A point of a power curve: the share of experiments at mixture t in which a test rejects, its standard error, and the share with p ≤ alpha."""

    document_effects: str
    test: str
    t: float
    power: float
    error: float
    nominal: float


class Cutoff(TypedDict):
    """In a study of power, the p-value below which a test rejects a share alpha of experiments without a difference."""

    document_effects: str
    test: str
    cutoff: float


class Size(TypedDict):
    """The size of a test: its share of rejections where nothing differs, and its standard error, from a study of power."""

    test: str
    size: float
    error: float


@dataclass(frozen=True, eq=False, repr=False)
class PowerStudy(MultiTableResult):
    """Power curves of several tests, and their size, on the given scores.

    Attributes
    ----------
    curves, cutoffs, sizes : list of dict
        The power by test and mixture t, the critical p-values, and the size of each test.
    first, second : tuple of str
        The two groups of systems.
    items : int
        Number of items of an experiment.
    alpha : float
        Significance level.
    simulations, null_simulations, seed : int
        Number of experiments at each t > 0 and at t = 0, and the seed.
    signatures : tuple of Signature
        The signatures of the scores.
    notes : tuple of str
        Remarks on the data.
    side : str
        The side of the tests.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, ["nDCG@10"])
    >>> counts = {"simulations": 100, "null_simulations": 100}
    >>> found = tare.power(scores, ["random"], ["lexical"], tests=["t"], **counts)
    >>> [row["test"] for row in found.sizes]
    ['t']
    >>> found.items, found.side
    (20, 'both')
    """

    curves: list[PowerPoint]
    cutoffs: list[Cutoff]
    sizes: list[Size]
    first: tuple[str, ...]
    second: tuple[str, ...]
    items: int
    alpha: float
    simulations: int
    null_simulations: int
    seed: int
    signatures: tuple[Signature, ...]
    notes: tuple[str, ...] = ()
    side: str = "both"

    def answer(self) -> str:
        """Return the test with the highest power at the largest mixture."""
        last = max(row["t"] for row in self.curves)
        best = max((row for row in self.curves if row["t"] == last), key=lambda row: row["power"])
        return most_powerful(best["test"], best["power"], last, self.items)

    def all_rows(self) -> RowsByName:
        """Return the rows by name: curves, cutoffs, sizes."""
        return {"curves": self.curves, "cutoffs": self.cutoffs, "sizes": self.sizes}

    def facts(self) -> Row:
        """Return the options, groups, signatures and notes."""
        names = ("items", "alpha", "side", "simulations", "null_simulations", "seed")
        return {n: getattr(self, n) for n in names} | {
            "first": list(self.first),
            "second": list(self.second),
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def tables(self) -> dict[str, Table]:
        """Return the power by mixture t, without and with document effects, and the sizes."""
        made = {}
        for effects in dict.fromkeys(r["document_effects"] for r in self.curves):
            own = [r for r in self.curves if r["document_effects"] == effects]
            tests = list(dict.fromkeys(r["test"] for r in own))
            by = {(r["test"], r["t"]): r["power"] for r in own}
            steps = list(dict.fromkeys(r["t"] for r in own))
            rows = [[t, *(by[test, t] for test in tests)] for t in steps]
            notes = [
                f"Power: share of experiments on {self.items} items in which a test rejects. One system "
                f"moves from {', '.join(self.first)} (t = 0) to {', '.join(self.second)} (t = 1). "
                f"Cutoffs come from {self.null_simulations:,} experiments at t = 0 (size "
                f"{self.alpha:g}); {self.simulations:,} experiments at each other t; "
                f"{SIDE_WORDS[self.side]}; seed {self.seed}.",
                *self.notes,
            ]
            title = f"Power {effects} document effects"
            columns = [Column("mixture", digits=2), *map(Column, tests)]
            made[f"power {effects}"] = Table.of(columns, rows, title=title, notes=notes)
        made["sizes"] = Table.of_rows(
            ["test", Column("size"), Column("error")],
            self.sizes,
            title="Size of the tests",
            notes=["Share of rejections when the scores of each pair are swapped at random."],
        )
        return made


TESTS = ("t", "welch", "wilcoxon", "sign")
EFFECTS = {"without": False, "with": True}


def power(
    scores: ScoreSource,
    first: Sequence[str],
    second: Sequence[str],
    *,
    measure: str | Measure | None = None,
    tests: Sequence[str] = TESTS,
    steps: ArrayLike = STEPS,
    items: int | None = None,
    effects: Sequence[str] = ("without", "with"),
    alpha: float = 0.05,
    simulations: int = 10_000,
    null_simulations: int = 50_000,
    draws: int = 999,
    seed: int = 0,
    threads: int = 0,
    side: str = "both",
    engine: str | Drawing | None = None,
    progress: Callable[[str], None] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> PowerStudy:
    """Estimate the power of paired tests on scores like the given ones.

    Each experiment compares two systems on resampled items, while one of them moves from the first
    group of systems (t = 0) to the second (t = 1), such as from machines to people.

    Parameters
    ----------
    scores : Scores, path or data frame
        The score table.
    first, second : sequence of str
        The two groups of systems.
    measure : str or Measure, optional
        The measure; needed if the table has several.
    tests : sequence of str
        The paired tests.
    steps : array_like
        The mixtures t.
    items : int, optional
        Number of items of an experiment; by default that of the table.
    effects : sequence of {"without", "with"}
        Simulate without document effects, with them, or both.
    alpha : float
        Significance level.
    simulations, null_simulations : int
        Number of experiments at each t > 0, and at t = 0.
    draws : int
        Draws of resampling tests.
    seed : int
        Seed of random draws.
    threads : int
        Number of threads; 0 uses all cores.
    side : {"both", "greater", "less"}
        The side of the tests, as in `tare.stats.power_curve`. Sizes are two-sided.
    engine : str or engine, optional
        Where experiments are simulated: "local", "ray" or an engine of `tare.engines`. The numbers are the
        same.
    progress : callable, optional
        Called with a short description of each step.
    journal : path, optional
        A file of finished steps, from which an interrupted study continues.

    Returns
    -------
    PowerStudy
        Power curves, and the size of each test.

    Raises
    ------
    OptionError
        If an option is unknown, or if `tests` or `effects` is empty.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, ["nDCG@10"])
    >>> found = power(
    ...     scores, ["lexical"], ["random"], tests=["t"], simulations=100, null_simulations=100
    ... )
    >>> [(row["test"], row["document_effects"]) for row in found.cutoffs]
    [('t', 'without'), ('t', 'with')]
    """
    given = scores_of(scores)
    for test in tests:
        choose("tests", test, PAIR_TESTS)
    choose("side", side, SIDES)
    for effect in effects:
        choose("effects", effect, tuple(EFFECTS))
    if not tests or not effects:
        raise OptionError(
            "tests= and effects= must not be empty. Name at least one test, and effects "
            "'with', 'without' or both."
        )
    about = {
        "study": "power",
        "data": digest(given, tuple(first), tuple(second), str(measure)),
        "options": digest(
            np.asarray(steps, dtype=np.float64),
            items,
            alpha,
            simulations,
            null_simulations,
            draws,
            seed,
            side,
        ),
    }
    with opened_engine(engine) as place:
        record = Journal(journal, about)
        curves: list[PowerPoint] = []
        cutoffs: list[Cutoff] = []
        notes: list[str] = []
        count = 0
        for effect in effects:
            for test in tests:
                if progress is not None:
                    progress(f"{test}, {effect} document effects")
                found = record.step(
                    f"{effect}\t{test}",
                    lambda effect=effect, test=test: _curve(  # type: ignore[misc]
                        given,
                        first,
                        second,
                        test,
                        EFFECTS[effect],
                        measure=measure,
                        steps=steps,
                        items=items,
                        alpha=alpha,
                        simulations=simulations,
                        null_simulations=null_simulations,
                        draws=draws,
                        seed=seed,
                        threads=threads,
                        side=side,
                        engine=place,
                    ),
                )
                curves += [{"document_effects": effect} | row for row in found["rows"]]
                cutoffs.append(
                    {"document_effects": effect, "test": test, "cutoff": found["cutoff"]}
                )
                notes += [n for n in found["notes"] if n not in notes]
                count = found["items"]
        sizes = record.step(
            "sizes\t" + " ".join(tests),
            lambda: (
                sizes_of_tests(
                    pairs_of(
                        given.select(systems=list(dict.fromkeys([*first, *second]))),
                        measure=measure,
                    ),
                    tests=tests,
                    alpha=alpha,
                    simulations=max(100, min(simulations, 2000)),
                    draws=draws,
                    seed=seed,
                    threads=threads,
                    engine=place,
                )
                .to_frame()
                .to_dicts()
            ),
        )
    return PowerStudy(
        curves,
        cutoffs,
        sizes,
        tuple(first),
        tuple(second),
        count,
        alpha,
        simulations,
        null_simulations,
        seed,
        given.signatures,
        tuple(notes),
        side,
    )


def _curve(
    scores: Scores,
    first: Sequence[str],
    second: Sequence[str],
    test: str,
    documents: bool,
    *,
    measure: str | Measure | None,
    **options: Any,
) -> dict[str, Any]:
    chosen = scores.select(systems=[*dict.fromkeys([*first, *second])])
    curve = power_curve(
        matrix_of(chosen, measure)[1],
        *([chosen.systems.index(name) for name in group] for group in (first, second)),
        tests=[test],
        documents=documents,
        **options,
    )
    return {
        "rows": curve.rows(),
        "cutoff": curve.cutoffs[test],
        "items": curve.items,
        "notes": list(curve.notes),
    }
