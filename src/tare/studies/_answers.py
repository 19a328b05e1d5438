"""The study of answers: how good systems are, which nuggets they miss, and which topics are hard."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from tare._choices import Missing
from tare._data.answers import Answers, read_answers
from tare._data.nuggets import Nugget
from tare._measures.answers import Refusals, Unassigned, evaluate_answers, usual_measures
from tare._measures.means_and_intervals import notes_of
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare._measures.scores import Scores
from tare._result import MultiTableResult, Row, RowsByName
from tare._tables import Column, Table, interval_column
from tare.chance._net_measures import with_chance, without_trivial_ideals

if TYPE_CHECKING:
    from tare._data.nuggets import AnswerSource
    from tare._measures.inputs import MeasuresInput

__all__ = ["AnswerStudy", "answers"]


# The result of the study of answers: systems, topics and nuggets.


class SystemRow(TypedDict):
    """A row of the study of answers: the mean of one system by one measure, its interval, and its topics and refusals."""

    system: str
    measure: str
    mean: float
    low: float
    high: float
    n: int
    refusals: int


class TopicRow(TypedDict):
    """One topic: its nuggets and answers, and the share of nuggets that they find."""

    topic: str
    nuggets: int
    vital: int | None
    weight: float | None
    answers: int
    found: float | None
    found_by_none: int


class NuggetRow(TypedDict):
    """One nugget: its importance, and the mean credit of the answers on its topic."""

    topic: str
    nugget: str
    text: str
    importance: str | float | None
    found: float
    answers: int


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

    systems: list[SystemRow]
    topics: list[TopicRow]
    nuggets: list[NuggetRow]
    scores: Scores
    importance: str | None
    confidence: float

    def all_rows(self) -> RowsByName:
        """Return the rows by name: systems, topics, nuggets."""
        return {"systems": self.systems, "topics": self.topics, "nuggets": self.nuggets}

    def headlines(self) -> list[str]:
        """Return how many nuggets are found, how often by none, and how important nuggets fare."""
        made = []
        if self.nuggets:
            none = sum(row["found"] == 0 for row in self.nuggets)
            mean = sum(row["found"] for row in self.nuggets) / len(self.nuggets)
            made.append(
                f"Answers earn {100 * mean:.1f} % of the credit of a nugget on average; {none:,} of "
                f"{len(self.nuggets):,} nuggets are found in no answer."
            )
            groups = {
                word: [r["found"] for r in self.nuggets if r["importance"] == word]
                for word in ("vital", "okay")
            }
            if all(groups.values()):
                vital, okay = (sum(own) / len(own) for own in groups.values())
                made.append(
                    f"Vital nuggets earn {100 * vital:.1f} % and okay nuggets {100 * okay:.1f} % on average."
                )
        refused = sum({r["system"]: r["refusals"] for r in self.systems}.values())
        if refused:
            made.append(f"{refused:,} answers are refusals; they are counted apart.")
        return made

    def answer(self) -> str:
        """Return the share of nuggets that answers find; without nuggets, the best system."""
        return self.headlines()[0] if self.nuggets else self.scores.answer()

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
        return Table.of_rows(
            [
                "system",
                "measure",
                Column("mean"),
                interval_column(f"{100 * self.confidence:g} % interval"),
                Column("n"),
                Column("refusals"),
            ],
            rows,
            title="Systems",
            notes=[
                *notes_of(self.scores.findings),
                *(f"signature: {s}" for s in self.scores.signatures),
            ],
        )

    def _topics(self) -> Table:
        weighted = "vital" if self.importance == "words" else "weight"
        rows = sorted(self.topics, key=lambda r: (r["found"] is None, r["found"] or 0.0))
        note = "found: mean credit of its nuggets over all answers; found by none: nuggets without any credit."
        return Table.of_rows(
            [
                "topic",
                Column("nuggets"),
                None if self.importance is None else Column(weighted),
                Column("answers"),
                Column("found"),
                Column("found by none"),
            ],
            rows,
            title="Topics, the hardest first",
            notes=[note],
        )

    def _nuggets(self) -> Table:
        rows = sorted(self.nuggets, key=lambda r: (r["topic"], -r["found"]))
        shown = [{**r, "importance": _shown(r["importance"])} for r in rows]
        return Table.of_rows(
            [
                "topic",
                Column("nugget", align="left", of="text"),
                "importance",
                Column("found"),
                Column("answers"),
            ],
            shown,
            title="Nuggets",
            notes=["found: mean credit over the answers."],
        )


def _shown(importance: str | float | None) -> str:
    if importance is None:
        return ""
    return importance if isinstance(importance, str) else f"{importance:g}"


Credits = dict[tuple[str, str], list[float]]  # by topic and nugget


def answers(
    answers: Answers | AnswerSource,
    measures: MeasuresInput | None = None,
    *,
    missing: Missing = "skip",
    unassigned: Unassigned = "error",
    refusals: Refusals = "score",
    confidence: float = 0.95,
    seed: int = 0,
) -> AnswerStudy:
    """Study answers: the scores of systems, what each topic asks for, and who finds which nugget.

    Parameters
    ----------
    answers : Answers or what `tare.read_answers` takes
        The answers, with what was assigned to them.
    measures : sequence of str or Measure, optional
        The measures; by default those that the data allow, with expected and net scores if the data
        have answers to other topics.
    missing, unassigned, refusals : str
        As for `tare.evaluate_answers`.
    confidence : float
        Confidence level of the intervals.
    seed : int
        Seed of bootstrap intervals.

    Returns
    -------
    AnswerStudy
        One row per system and measure, per topic, and per nugget.

    Raises
    ------
    FormatError
        If an answer cannot be read, or has no assignments.
    MismatchError
        If the parts of the answers do not fit together, or lack what a measure needs.
    MeasureError
        If a measure is unknown or does not measure answers.
    OptionError
        If an option is unknown or out of range.

    Examples
    --------
    >>> import tare
    >>> def answer(run, first, second):
    ...     return {"qid": "q1", "run_id": run, "nuggets": [
    ...         {"text": "Paris", "importance": "vital", "assignment": first},
    ...         {"text": "Seine", "importance": "okay", "assignment": second}]}
    >>> found = tare.studies.answers([answer("a", "support", "not_support"),
    ...                               answer("b", "support", "partial_support")])
    >>> [(row["nugget"], row["found"]) for row in found.nuggets]
    [('Paris', 1.0), ('Seine', 0.25)]
    """
    given = read_answers(answers)
    wanted = parse_all(usual_measures(given) if measures is None else measures)
    if measures is None and given.has_chance:
        wanted = _with_chance(given, wanted, unassigned)
    scores = evaluate_answers(
        given, wanted, missing=missing, unassigned=unassigned, refusals=refusals, seed=seed
    )
    scores = without_trivial_ideals(scores)
    found = _credits(given)
    return AnswerStudy(
        _systems(scores, given, confidence),
        _topics(given, found),
        _nuggets(given, found),
        scores,
        given.importance,
        confidence,
    )


def _with_chance(
    given: Answers, measures: tuple[Measure, ...], unassigned: Unassigned
) -> tuple[Measure, ...]:
    """Return the measures of answers with the columns of chance; those without room above chance have no net score."""
    made = with_chance(measures)
    expected = [m for m in made if m.name == "E"]
    found = evaluate_answers(given, expected, unassigned=unassigned)
    flat = {m.inner for k, m in enumerate(expected) if not (found.values[:, :, k] < 1).any()}
    return tuple(m for m in made if m.name != "Net" or m.inner not in flat)


def _systems(scores: Scores, given: Answers, confidence: float) -> list[SystemRow]:
    """Return one row per answering system and measure: mean, interval, number of topics and of refusals."""
    means, counts = scores.means(), scores.counts()
    ends = scores.intervals(confidence=confidence)
    refused = {
        s: sum(flag for (name, _), flag in given.refused.items() if name == s)
        for s in scores.systems
    }
    return [
        {
            "system": system,
            "measure": name,
            "mean": means[system][name],
            "low": float(ends[s, m, 0]),
            "high": float(ends[s, m, 1]),
            "n": int(counts[s, m]),
            "refusals": refused[system],
        }
        for s, system in enumerate(scores.systems)
        for m, name in enumerate(scores.measure_names)
    ]


def _topics(given: Answers, found: Credits) -> list[TopicRow]:
    """Return one row per topic: its nuggets, its answers, and the share of nuggets they find."""
    made = []
    systems = Counter(item for _, item in {(key.system, key.item) for key in given.credits})
    for item in given.items:
        nuggets = given.nuggets.get(item, ())
        own = [found.get((item, n.id), []) for n in nuggets]
        credits = [credit for one in own for credit in one]
        row: TopicRow = {
            "topic": item,
            "nuggets": len(nuggets),
            "vital": sum(bool(n.vital) for n in nuggets) if given.importance == "words" else None,
            "weight": sum(n.weight or 0 for n in nuggets)
            if given.importance == "weights"
            else None,
            "answers": systems.get(item, 0),
            "found": float(np.mean(credits)) if credits else None,
            "found_by_none": sum(bool(one) and not any(one) for one in own),
        }
        made.append(row)
    return made


def _nuggets(given: Answers, found: Credits) -> list[NuggetRow]:
    """Return one row per nugget: its importance, and the mean credit of the answers."""
    return [
        {
            "topic": item,
            "nugget": n.id,
            "text": n.text,
            "importance": _importance(n),
            "found": float(np.mean(credits)),
            "answers": len(credits),
        }
        for item in given.items
        for n in given.nuggets.get(item, ())
        if (credits := found.get((item, n.id)))
    ]


def _importance(nugget: Nugget) -> Any:
    if nugget.vital is None:
        return nugget.weight
    return "vital" if nugget.vital else "okay"


def _credits(given: Answers) -> Credits:
    """Return the credits that the answers to each topic have for each of its nuggets."""
    made: Credits = {}
    for key, own in given.credits.items():
        for nugget, credit in own.items():
            if credit is not None:
                made.setdefault((key.item, nugget), []).append(credit)
    return made
