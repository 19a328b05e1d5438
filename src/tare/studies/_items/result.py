"""The result of the study of items: omnibus tests and simultaneous intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tare._result import MultiTableResult, Row, Rows
from tare._signature import Signature
from tare._tables import Column, PColumn, Table, interval_column, p_stated

__all__ = ["ItemStudy"]


@dataclass(frozen=True, eq=False, repr=False)
class ItemStudy(MultiTableResult):
    """Omnibus tests of systems, items and groups of items, and simultaneous intervals.

    Attributes
    ----------
    omnibus, levels : list of dict
        One row per factor and test, and one row per factor and level.
    measure : str
        The measure.
    method : {"means", "ranks"}
        Whether means or mean ranks are compared.
    alpha : float
        Significance level.
    systems, items : int
        Number of systems and of items.
    signatures : tuple of Signature
        The signatures of the scores.
    notes : tuple of str
        Remarks on the data.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, ["nDCG@10"])
    >>> found = tare.studies.items(scores)
    >>> found.measure, found.systems, found.items
    ('nDCG@10', 5, 20)
    >>> [row["factor"] for row in found.omnibus]
    ['system', 'system', 'system', 'item', 'item', 'item']
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.items"

    omnibus: Rows
    levels: Rows
    measure: str
    method: str
    alpha: float
    systems: int
    items: int
    signatures: tuple[Signature, ...]
    notes: tuple[str, ...] = ()

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors: system, item, and attributes that group items."""
        return tuple(dict.fromkeys(row["factor"] for row in self.omnibus))

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows by name: omnibus, levels."""
        return {"omnibus": self.omnibus, "levels": self.levels}

    def facts(self) -> Row:
        """Return the measure, method, significance level, sizes, signatures and notes."""
        names = ("measure", "method", "alpha", "systems", "items")
        return {n: getattr(self, n) for n in names} | {
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def headlines(self) -> list[str]:
        """Return one sentence per factor: whether its levels differ, and how many."""
        made = []
        for factor in self.factors:
            first = next(r for r in self.omnibus if r["factor"] == factor)
            own = [r for r in self.levels if r["factor"] == factor]
            apart = sum(bool(r["differs"]) for r in own)
            if first["p"] != first["p"]:
                made.append(
                    f"Levels of {factor} could not be tested: the scores do not vary beyond systems and items."
                )
                continue
            verb = (
                f"Levels of {factor} differ significantly"
                if first["p"] <= self.alpha
                else f"No difference between the levels of {factor} is shown"
            )
            made.append(
                f"{verb} (F = {first['statistic']:.2f}, {p_stated(first['p'])}); "
                f"{apart} of {len(own) - 1} differ significantly from {own[0]['against']}."
            )
        return made

    def tables(self) -> dict[str, Table]:
        """Return the omnibus tests, then the levels of each factor, best first."""
        columns: list[Column | str] = [
            "factor",
            "test",
            Column("statistic"),
            Column("df", digits=0),
        ]
        columns += [Column("df error", digits=0), PColumn("p"), Column("levels"), Column("n")]
        made = {
            "omnibus": Table.of(
                columns,
                [tuple(row.values()) for row in self.omnibus],
                title=f"Omnibus tests: {self.measure}",
                notes=[
                    "Statistic: F of the analysis of variance, H of Kruskal–Wallis, Q of Friedman. "
                    "Kruskal–Wallis treats all scores as independent. Friedman ranks systems within "
                    "items, and items within systems. Groups of items use one value per item: its mean "
                    "over systems, adjusted for missing scores. Each p is on its own, without a "
                    "correction for the number of factors and tests.",
                    *self.notes,
                    *(f"signature: {s}" for s in self.signatures),
                ],
            )
        }
        what = "mean" if self.method == "means" else "mean rank"
        for factor in self.factors:
            own = [r for r in self.levels if r["factor"] == factor]
            if not own:
                continue
            against = own[0]["against"]
            marks = frozenset((k, 4) for k, r in enumerate(own) if r["differs"])
            made[factor] = Table.of(
                [
                    factor,
                    Column("n"),
                    Column(what),
                    interval_column("interval"),
                    PColumn(f"p vs {against}"),
                ],
                [
                    (
                        r["level"],
                        r["n"],
                        r["mean"],
                        None if r["low"] is None else (r["low"], r["high"]),
                        r["p"],
                    )
                    for r in own
                ],
                title=f"{factor}: {self.measure}",
                notes=[
                    f"Simultaneous comparison intervals ({100 * (1 - self.alpha):g} %): two levels differ "
                    "significantly if their intervals do not overlap (Hochberg and Tamhane 1987). Assumes "
                    "normal scores whose spread is the same at all levels. p: Tukey–Kramer test"
                    + (" on ranks" if self.method == "ranks" else "")
                    + " over all pairs of levels"
                    + f"; * differs significantly from {against}.",
                ],
                marks=marks,
            )
        return made
