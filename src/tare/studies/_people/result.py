"""The answers of the study of measures and people: tables like those of Rankel (2016, ch. 5 and 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tare._result import MultiTableResult, Rows
from tare._signature import Signature
from tare._tables import Column, Table
from tare.stats._p_values import PColumn

__all__ = ["MeasuresAndPeople"]

SHOWN = 20  # subsets of measures that a reader still reads


@dataclass(frozen=True, eq=False, repr=False)
class MeasuresAndPeople(MultiTableResult):
    """Every measure against every human score; `rows` by name hold all numbers."""

    figure_module: ClassVar[str] = "tare.report._chapters.studies.people"

    rows_by_name: dict[str, Rows]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    measures: tuple[str, ...]
    people: tuple[str, ...]
    models: tuple[str, ...]
    test: str
    correction: str
    alpha: float
    kind: str
    swap: str
    draws: int
    chance: int
    confidence: float
    seed: int
    signatures: tuple[Signature, ...]
    notes: tuple[str, ...] = ()

    def all_rows(self) -> dict[str, Rows]:
        """Rows by name: agreement, correlations, tests, consensus, improvements, assessors, wins, systems."""
        return {name: rows for name, rows in self.rows_by_name.items() if rows}

    def facts(self) -> dict[str, Any]:
        """What the answers depend on."""
        names = (
            "test",
            "correction",
            "alpha",
            "kind",
            "swap",
            "draws",
            "chance",
            "confidence",
            "seed",
        )
        return {n: getattr(self, n) for n in names} | {
            "models": list(self.models),
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def find(self, kind: str, **wanted: Any) -> Rows:
        """The rows of a kind with these values."""
        return [r for r in self.rows_by_name[kind] if all(r.get(k) == v for k, v in wanted.items())]

    def tables(self) -> dict[str, Table]:
        """Significant differences found; correlations; tests; consensus; improvements; win, lose, tie."""
        made = {"agreement": self._agreement(), "correlations": self._correlations()}
        if self.rows_by_name["tests"]:
            made["tests"] = self._tests()
        if self.rows_by_name["consensus"]:
            made["consensus"] = self._consensus()
        if self.rows_by_name["improvements"]:
            made["improvements"] = _table(
                self.rows_by_name["improvements"],
                ("peers", "human", "level", "coefficient", "measure", "inside"),
                ("value", "inside_value", "pai"),
                "Improvement by normalisation",
                ["PAI: 100·(r − r of the measure inside)/|r of the measure inside|; – at 0."],
            )
        if self.rows_by_name["assessors"]:
            rows = [r for r in self.rows_by_name["assessors"] if r["coefficient"] == self.kind]
            made["assessors"] = _table(
                rows,
                ("peers", "human", "assessor", "measure"),
                ("items", "outputs", "value"),
                f"{self.kind} by assessor",
                ["Of all outputs that an assessor judged, pooled."],
            )
        if self.rows_by_name["wins"]:
            made["wins"] = _table(
                self.rows_by_name["wins"],
                ("human", "first", "second"),
                ("pairs", "disagreements", "win", "lose", "tie", "p"),
                "Win, lose, tie",
                ["Where two measures disagree which of two outputs is better: people side with the "
                 "first (win), the second (lose), or neither. p: sign test."],
            )  # fmt: skip
        return made

    def _agreement(self) -> Table:
        names = (
            "accuracy",
            "precision",
            "recall",
            "specificity",
            "balanced",
            "balanced_predictions",
        )
        notes = [
            f"Truth: {self.test} on human scores, correction {self.correction}, p < {self.alpha:g}; the "
            "same for measures; a difference found the other way round is wrong. balanced: mean of "
            "recall and specificity; balanced predictions: mean of precision and its twin for "
            "negatives, which Rankel (2016) prints.",
            "pairwise: the larger mean, all pairs; pairwise significant: pairs that people tell apart. "
            "tie calibrated: outputs about one item, ties included. soft: 1 − |p − p of people|.",
            f"(chance): mean over {self.chance} random measures; (constant): a measure that gives "
            f"everything the same. {len(self.systems)} systems, {len(self.items)} items, seed {self.seed}.",
            *self.notes,
        ]
        rest = ("pairwise", "pairwise_significant", "tie_calibrated", "soft")
        return _table(
            self.rows_by_name["agreement"],
            ("peers", "human", "measure"),
            (*names, *rest),
            "Which measure finds what people find?",
            notes,
        )

    def _correlations(self) -> Table:
        return _table(
            self.rows_by_name["correlations"],
            ("peers", "human", "level", "coefficient", "measure"),
            ("systems", "items", "value", "low_both", "high_both"),
            "Correlation with people",
            [
                f"{100 * self.confidence:g} % intervals over systems and items, {self.draws:,} draws, "
                f"seed {self.seed}; those over systems or items alone are in the rows. system: of "
                "means; item: of the systems on one item, averaged over items."
            ],
        )

    def _tests(self) -> Table:
        return _table(
            self.rows_by_name["tests"],
            ("peers", "human", "level", "first", "second"),
            ("difference", "p", "p_adjusted"),
            f"Do measures differ in {self.kind}?",
            [
                f"Two-sided p of {self.draws:,} random swaps ({self.swap}) of standardised scores, seed "
                f"{self.seed}; adjusted by Holm within a level."
            ],
        )

    def _consensus(self) -> Table:
        rows: Rows = []
        groups = dict.fromkeys((r["peers"], r["human"]) for r in self.rows_by_name["consensus"])
        for peers, human in groups:
            own = self.find("consensus", peers=peers, human=human)
            own.sort(key=lambda r: (-_or(r["balanced"]), r["size"], r["measures"]))
            rows += own[:SHOWN]
        total = len(self.rows_by_name["consensus"]) // max(len(groups), 1)
        more = f" The best {SHOWN} of {total:,} by balanced accuracy." if total > SHOWN else ""
        names = ("accuracy", "precision", "recall", "balanced", "balanced_predictions")
        return _table(
            rows,
            ("peers", "human", "measures"),
            names,
            "Consensus of measures",
            [f"Significant only where all of them say so, in one direction.{more}"],
        )


def _or(value: float) -> float:
    return -1.0 if value != value else value


def _table(
    rows: Rows, words: tuple[str, ...], numbers: tuple[str, ...], title: str, notes: list[str]
) -> Table:
    """A table of some keys; a column of words that never varies is left out and told."""
    fixed = [w for w in words if rows and len({r.get(w) for r in rows}) == 1 and len(rows) > 1]
    fixed = [w for w in fixed if w in ("peers", "human", "level", "coefficient")]
    shown = [w for w in words if w not in fixed]
    columns: list[Column | str] = [w.replace("_", " ") for w in shown]
    columns += [
        PColumn(n.replace("_", " ")) if n in ("p", "p_adjusted") else Column(n.replace("_", " "))
        for n in numbers
    ]
    told = [f"{w}: {rows[0][w]}." for w in fixed]
    made = [[r.get(k) for k in (*shown, *numbers)] for r in rows]
    return Table.of(columns, made, title=title, notes=[" ".join(told), *notes] if told else notes)
