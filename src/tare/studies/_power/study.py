"""How much do tests find on scores like these? Power from one group of systems to another.

Rankel (2016, §3.7): rejection rates against the mixture t, without and with document effects.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tare._measures.scores import Scores
from tare._result import MultiTableResult, Rows
from tare._signature import Signature
from tare._tables import Column, Table
from tare.errors import OptionError, choose
from tare.stats._power import PAIR_TESTS, SIDE_WORDS, SIDES, STEPS, power_curve
from tare.stats._size import sizes_of_tests
from tare.studies._journal import Journal, digest

__all__ = ["PowerStudy", "power"]

TESTS = ("t", "welch", "wilcoxon", "sign")
CURVE = {"test": str, "t": float, "power": float, "error": float, "nominal": float}
EFFECTS = {"without": False, "with": True}


@dataclass(frozen=True, eq=False, repr=False)
class PowerStudy(MultiTableResult):
    """Power curves of several tests, their cutoffs, and their size on the user's own scores."""

    figure_module: ClassVar[str] = "tare.report._chapters.studies.power_study"

    curves: Rows
    cutoffs: Rows
    sizes: Rows
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

    def all_rows(self) -> dict[str, Rows]:
        """Rows by name: curves, cutoffs, sizes."""
        return {"curves": self.curves, "cutoffs": self.cutoffs, "sizes": self.sizes}

    def facts(self) -> dict[str, Any]:
        """What the answers depend on."""
        names = ("items", "alpha", "side", "simulations", "null_simulations", "seed")
        return {n: getattr(self, n) for n in names} | {
            "first": list(self.first),
            "second": list(self.second),
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def tables(self) -> dict[str, Table]:
        """Power against t for each test, without and with document effects; sizes."""
        made = {}
        for effects in dict.fromkeys(r["document_effects"] for r in self.curves):
            own = [r for r in self.curves if r["document_effects"] == effects]
            tests = list(dict.fromkeys(r["test"] for r in own))
            by = {(r["test"], r["t"]): r["power"] for r in own}
            steps = list(dict.fromkeys(r["t"] for r in own))
            rows = [[t, *(by[test, t] for test in tests)] for t in steps]
            notes = [
                f"Share of experiments on {self.items} items in which a test rejects, one system moving "
                f"from {', '.join(self.first)} (t = 0) to {', '.join(self.second)} (t = 1); cutoffs from "
                f"{self.null_simulations:,} experiments at t = 0 (size {self.alpha:g}), "
                f"{self.simulations:,} at each other t; {SIDE_WORDS[self.side]}; seed {self.seed}.",
                *self.notes,
            ]
            title = f"Power {effects} document effects"
            columns = [Column("mixture", digits=2), *map(Column, tests)]
            made[f"power {effects}"] = Table.of(columns, rows, title=title, notes=notes)
        made["sizes"] = Table.of(
            ["test", Column("size"), Column("error")],
            [[r["test"], r["size"], r["error"]] for r in self.sizes],
            title="Size",
            notes=["Share of rejections when the scores of each pair are swapped at random."],
        )
        return made


def power(
    scores: Any,
    first: Sequence[str],
    second: Sequence[str],
    *,
    measure: Any = None,
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
    progress: Callable[[str], None] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> PowerStudy:
    """Rankel's power study on a score table: two groups of systems, such as machines and people.

    Curves as `tare.stats.power_curve` gives them, for each test, without and with document effects;
    beside them the size of each test when nothing is there to find (`sizes_of_tests`). `side` as in
    `power_curve`; sizes are two-sided.
    """
    given = scores if isinstance(scores, Scores) else Scores.load(scores)
    for test in tests:
        choose("tests", test, PAIR_TESTS)
    choose("side", side, SIDES)
    for effect in effects:
        choose("effects", effect, tuple(EFFECTS))
    if not tests or not effects:
        raise OptionError("name at least one test, and effects 'with', 'without' or both.")
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
    book = Journal(journal, about)
    curves: Rows = []
    cutoffs: Rows = []
    notes: list[str] = []
    count = 0
    for effect in effects:
        for test in tests:
            if progress is not None:
                progress(f"{test}, {effect} document effects")
            found = book.step(
                f"{effect}\t{test}",
                lambda effect=effect, test=test: _curve(  # type: ignore[misc]
                    given, first, second, test, EFFECTS[effect],
                    measure=measure, steps=steps, items=items, alpha=alpha,
                    simulations=simulations, null_simulations=null_simulations, draws=draws,
                    seed=seed, threads=threads, side=side,
                ),
                {"rows": [CURVE], "cutoff": (float, None), "items": int, "notes": [str]},
            )  # fmt: skip
            curves += [{"document_effects": effect} | row for row in found["rows"]]
            cutoffs.append({"document_effects": effect, "test": test, "cutoff": found["cutoff"]})
            notes += [n for n in found["notes"] if n not in notes]
            count = found["items"]
    sizes = book.step(
        "sizes\t" + " ".join(tests),
        lambda: sizes_of_tests(
            given.select(systems=list(dict.fromkeys([*first, *second]))),
            measure=measure, tests=tests, alpha=alpha, simulations=max(100, min(simulations, 2000)),
            draws=draws, seed=seed, threads=threads,
        ).to_frame().to_dicts(),
        [{"test": str, "size": float, "error": float}],
    )  # fmt: skip
    return PowerStudy(
        curves, cutoffs, sizes, tuple(first), tuple(second), count, alpha, simulations,
        null_simulations, seed, given.signatures, tuple(notes), side,
    )  # fmt: skip


def _curve(
    scores: Scores,
    first: Sequence[str],
    second: Sequence[str],
    test: str,
    documents: bool,
    **options: Any,
) -> dict[str, Any]:
    curve = power_curve(scores, first, second, tests=[test], documents=documents, **options)
    return {
        "rows": curve.rows(),
        "cutoff": curve.cutoffs[test],
        "items": curve.items,
        "notes": list(curve.notes),
    }
