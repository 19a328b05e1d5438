"""The result of the study of power."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tare._result import MultiTableResult, Row, Rows
from tare._signature import Signature
from tare._tables import Column, Table
from tare.stats._power import SIDE_WORDS

__all__ = ["PowerStudy"]


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
        made["sizes"] = Table.of(
            ["test", Column("size"), Column("error")],
            [[r["test"], r["size"], r["error"]] for r in self.sizes],
            title="Size of the tests",
            notes=["Share of rejections when the scores of each pair are swapped at random."],
        )
        return made
