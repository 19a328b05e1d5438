"""The result of the study of answers: systems, topics and nuggets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from tare._measures.means_and_intervals import notes_of
from tare._measures.scores import Scores
from tare._result import MultiTableResult, Row, Rows
from tare._tables import Column, Table, interval_column

__all__ = ["AnswerStudy"]


@dataclass(frozen=True, eq=False, repr=False)
class AnswerStudy(MultiTableResult):
    """Scores of systems on answers, and what topics and nuggets contribute to them.

    Attributes
    ----------
    systems : list of dict
        One row per system and measure: mean, interval, number of topics and of refusals.
    topics : list of dict
        One row per topic: its nuggets, its answers, and the share of nuggets that they find.
    nuggets : list of dict
        One row per nugget: its importance, and the mean credit over the answers to its topic.
    scores : Scores
        The score table.
    importance : {"words", "weights"} or None
        Whether nuggets are vital or okay, or have weights.
    confidence : float
        Confidence level of the intervals.

    Examples
    --------
    >>> import tare
    >>> nuggets = [{"text": "Paris", "importance": "vital", "assignment": "support"},
    ...            {"text": "Seine", "importance": "okay", "assignment": "not_support"}]
    >>> found = tare.studies.answers([{"qid": "q1", "run_id": "a", "nuggets": nuggets}])
    >>> [(row["topic"], row["nuggets"], row["found"]) for row in found.topics]
    [('q1', 2, 0.5)]
    >>> found.importance
    'words'
    """

    figure_module: ClassVar[str] = "tare.report._chapters.studies.answers"

    systems: Rows
    topics: Rows
    nuggets: Rows
    scores: Scores
    importance: str | None
    confidence: float

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows by name: systems, topics, nuggets."""
        return {"systems": self.systems, "topics": self.topics, "nuggets": self.nuggets}

    def facts(self) -> Row:
        """Return the confidence level, signatures and notes."""
        return {
            "confidence": self.confidence,
            "signatures": [str(s) for s in self.scores.signatures],
            "notes": list(notes_of(self.scores.findings)),
        }

    def tables(self) -> dict[str, Table]:
        """Return the systems, best first by the first measure, the topics and the nuggets."""
        made = {"systems": self._systems()}
        if self.nuggets:
            made |= {"topics": self._topics(), "nuggets": self._nuggets()}
        return made

    def _systems(self) -> Table:
        first = self.scores.measure_names[0]
        order = {r["system"]: -r["mean"] for r in self.systems if r["measure"] == first}
        rows = sorted(
            self.systems,
            key=lambda r: order[r["system"]] if not math.isnan(order[r["system"]]) else 1.0,
        )
        cells = [
            (r["system"], r["measure"], r["mean"], (r["low"], r["high"]), r["n"], r["refusals"])
            for r in rows
        ]
        shown = interval_column(f"{100 * self.confidence:g} % interval")
        columns: list[Column | str] = [
            "system",
            "measure",
            Column("mean"),
            shown,
            Column("n"),
            Column("refusals"),
        ]
        return Table.of(
            columns,
            cells,
            title="Systems",
            notes=[
                *notes_of(self.scores.findings),
                *(f"signature: {s}" for s in self.scores.signatures),
            ],
        )

    def _topics(self) -> Table:
        weighted = "vital" if self.importance == "words" else "weight"
        names = ["nuggets", weighted, "answers", "found", "found_by_none"]
        names = [n for n in names if n != weighted or self.importance is not None]
        columns: list[Column | str] = ["topic", *(Column(n.replace("_", " ")) for n in names)]
        rows = sorted(self.topics, key=lambda r: (r["found"] is None, r["found"] or 0.0))
        cells = [(r["topic"], *(r[n] for n in names)) for r in rows]
        note = "found: mean credit of its nuggets over all answers; found by none: nuggets without any credit."
        return Table.of(columns, cells, title="Topics, the hardest first", notes=[note])

    def _nuggets(self) -> Table:
        rows = sorted(self.nuggets, key=lambda r: (r["topic"], -r["found"]))
        cells = [
            (r["topic"], r["text"], _shown(r["importance"]), r["found"], r["answers"]) for r in rows
        ]
        columns: list[Column | str] = [
            "topic",
            "nugget",
            "importance",
            Column("found"),
            Column("answers"),
        ]
        return Table.of(
            columns, cells, title="Nuggets", notes=["found: mean credit over the answers."]
        )


def _shown(importance: str | float | None) -> str:
    if importance is None:
        return ""
    return importance if isinstance(importance, str) else f"{importance:g}"
