"""The result of the study of measures and people (tables as in Rankel 2016, ch. 5 and 7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from tare._result import Row, Rows
from tare._signature import Signature
from tare._tables import Column, PColumn, Table
from tare.studies._named_rows import NamedRowsResult
from tare.studies._people.correlations import enough_draws

__all__ = ["MeasuresAndPeople"]

MAX_SHOWN = 20  # subsets of measures in the table


@dataclass(frozen=True, eq=False, repr=False)
class MeasuresAndPeople(NamedRowsResult):
    """Agreement of every measure with every human score.

    Attributes
    ----------
    rows_by_name : dict of str to list of dict
        All numbers: agreement, correlations, tests, consensus, improvements, assessors, wins and
        systems.
    systems, items, measures : tuple of str
        What was compared.
    people : tuple of str
        The human scores.
    models : tuple of str
        The systems that are human authors.
    test, correction, alpha
        The test of differences between systems.
    kind : str
        The coefficient of the tests between measures.
    draws, chance, seed : int
        Number of resamples and of random measures, and the seed.
    confidence : float
        Confidence level of the intervals.
    signatures : tuple of Signature
        The signatures of the scores.
    notes : tuple of str
        Remarks on the data.

    Examples
    --------
    >>> import polars as pl
    >>> import tare
    >>> rows = [(f"s{s}", f"i{i}", s + (i * s) % 3, s + i % 2) for s in range(4) for i in range(6)]
    >>> frame = pl.DataFrame(rows, schema=["system", "item", "BLEU", "adequacy"], orient="row")
    >>> scores, human = (tare.Scores.load(frame.drop(name)) for name in ("adequacy", "BLEU"))
    >>> found = tare.studies.measures_and_people(scores, human, draws=100, chance=10)
    >>> list(found.all_rows())
    ['agreement', 'correlations', 'consensus', 'systems']
    >>> len(found.find("agreement", measure="BLEU"))
    1
    """

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
    draws: int
    chance: int
    confidence: float
    seed: int
    signatures: tuple[Signature, ...]
    notes: tuple[str, ...] = ()

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows of `rows_by_name` that are not empty."""
        return {name: rows for name, rows in self.rows_by_name.items() if rows}

    def facts(self) -> Row:
        """Return the options, human authors, signatures and notes."""
        names = (
            "test",
            "correction",
            "alpha",
            "kind",
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

    def tables(self) -> dict[str, Table]:
        """Return agreement, correlations, tests, consensus, improvements, assessors, and wins."""
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
                "Improvement of the correlation by normalisation",
                [
                    "PAI: 100·(r − r₀)/|r₀|, where r₀ is the correlation of the measure without "
                    "normalisation; undefined (–) if r₀ = 0."
                ],
            )
        if self.rows_by_name["assessors"]:
            rows = [r for r in self.rows_by_name["assessors"] if r["coefficient"] == self.kind]
            made["assessors"] = _table(
                rows,
                ("peers", "human", "assessor", "measure"),
                ("items", "outputs", "value"),
                f"Correlation with people by assessor ({self.kind})",
                ["Over all outputs that an assessor judged."],
            )
        if self.rows_by_name["wins"]:
            made["wins"] = _table(
                self.rows_by_name["wins"],
                ("human", "first", "second"),
                ("pairs", "disagreements", "win", "lose", "tie", "p", "p_adjusted"),
                "Disagreements between measures: win, lose, tie",
                [
                    "Pairs of outputs that two measures order differently: people agree with the first "
                    "measure (win), with the second (lose), or see no difference (tie). "
                    f"{self._exchanges('wins')} Statistic: |win − lose|. {self._holm('one human score')}"
                ],
            )
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
            f"Reference: significant differences of human scores ({self.test} test, "
            f"{_correction(self.correction)}, p ≤ {self.alpha:g}). Measures are tested in the same way; a difference "
            "with the opposite sign counts as wrong. balanced: mean of recall and specificity. balanced "
            "predictions: mean of precision and negative predictive value, as in Rankel (2016).",
            "pairwise: agreement on which mean is larger, over all pairs. pairwise significant: over "
            "pairs that differ significantly for people. tie calibrated: over outputs for one item, "
            "with ties. soft: 1 − |p − p of people|.",
            f"(chance): mean over {self.chance} random measures. (constant): a measure with the same "
            f"score for every output. {len(self.systems)} systems, {len(self.items)} items, seed "
            f"{self.seed}.",
            *self.notes,
        ]
        rest = ("pairwise", "pairwise_significant", "tie_calibrated", "soft")
        return _table(
            self.rows_by_name["agreement"],
            ("peers", "human", "measure"),
            (*names, *rest),
            "Agreement with people on significant differences",
            notes,
        )

    def _correlations(self) -> Table:
        return _table(
            self.rows_by_name["correlations"],
            ("peers", "human", "level", "coefficient", "measure"),
            ("systems", "items", "value", "low_both", "high_both"),
            "Correlation with people",
            [
                f"{100 * self.confidence:g} % intervals of the expected coefficient for sets of systems and "
                f"items of this size ({self.draws:,} resamples of both, seed {self.seed}), each on its own; "
                "they need not contain the coefficient of the true rankings. The rows also have intervals over "
                "systems and over items. Level system: correlation of means. Level item: correlation of the "
                "systems on one item, averaged over items."
            ],
        )

    def _tests(self) -> Table:
        return _table(
            self.rows_by_name["tests"],
            ("peers", "human", "level", "first", "second"),
            ("difference", "p", "p_adjusted"),
            f"Tests between measures: correlation with people ({self.kind})",
            [
                f"{self._exchanges('tests')} Statistic: the difference of the two coefficients. "
                f"{self._holm('one human score, group of systems and level')}"
            ],
        )

    def _exchanges(self, name: str) -> str:
        """Say how the p-values of a table were made."""
        rows = self.rows_by_name[name]
        drawn = f"{enough_draws(math.comb(len(self.measures), 2), self.draws):,} draws, seed {self.seed}"
        if all(r["exact"] for r in rows):
            drawn = "all exchanges"
        elif any(r["exact"] for r in rows):
            drawn = f"all exchanges if there are few, else {drawn}"
        return (
            "Two-sided p: the standardised scores of both measures are exchanged system by system "
            f"({drawn}). Assumes that, if the measures do not differ, each system's scores are as likely to "
            "come from one as from the other."
        )

    def _holm(self, family: str) -> str:
        count = math.comb(len(self.measures), 2)
        if count == 1:
            return "One pair of measures: no correction."
        return f"p adjusted: Holm's correction over the {count:,} pairs of measures of {family}."

    def _consensus(self) -> Table:
        rows: Rows = []
        groups = dict.fromkeys((r["peers"], r["human"]) for r in self.rows_by_name["consensus"])
        for peers, human in groups:
            own = self.find("consensus", peers=peers, human=human)
            own.sort(key=lambda r: (-_sortable(r["balanced"]), r["size"], r["measures"]))
            rows += own[:MAX_SHOWN]
        total = len(self.rows_by_name["consensus"]) // max(len(groups), 1)
        more = (
            f" The {MAX_SHOWN} best of {total:,} subsets by balanced accuracy."
            if total > MAX_SHOWN
            else ""
        )
        names = ("accuracy", "precision", "recall", "balanced", "balanced_predictions")
        return _table(
            rows,
            ("peers", "human", "measures"),
            names,
            "Consensus of measures",
            [
                "A difference counts as significant only if all measures of the subset find it, with the "
                f"same sign.{more}"
            ],
        )


def _correction(name: str) -> str:
    if name == "none":
        return "each pair of systems on its own, without a correction"
    return f"correction {name} over the pairs of systems"


def _sortable(value: float) -> float:
    return -1.0 if value != value else value


def _table(
    rows: Rows, words: tuple[str, ...], numbers: tuple[str, ...], title: str, notes: list[str]
) -> Table:
    """Return a table of some keys; a text column with a single value becomes a note instead."""
    fixed = [w for w in words if rows and len({r.get(w) for r in rows}) == 1 and len(rows) > 1]
    fixed = [w for w in fixed if w in ("peers", "human", "level", "coefficient")]
    shown = [w for w in words if w not in fixed]
    columns: list[Column | str] = [w.replace("_", " ") for w in shown]
    columns += [
        PColumn(n.replace("_", " ")) if n in ("p", "p_adjusted") else Column(n.replace("_", " "))
        for n in numbers
    ]
    constant = [f"{w}: {rows[0][w]}." for w in fixed]
    made = [[r.get(k) for k in (*shown, *numbers)] for r in rows]
    return Table.of(
        columns, made, title=title, notes=[" ".join(constant), *notes] if constant else notes
    )
