"""The study of answers: how good systems are, which nuggets they miss, and which topics are hard."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._choices import Missing
from tare._data.answers import Answers, read_answers
from tare._data.nuggets import Nugget
from tare._measures.answers import Refusals, Unassigned, evaluate_answers, usual_measures
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare._measures.scores import Scores
from tare._result import Row, Rows
from tare.chance._net_measures import with_chance, without_trivial_ideals
from tare.studies._answers.result import AnswerStudy

if TYPE_CHECKING:
    from tare._data.nuggets import AnswerSource
    from tare._measures.inputs import MeasuresInput

__all__ = ["answers"]

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
    """Return the measures with the columns of chance; those without room above chance have no net score."""
    made = with_chance(measures)
    expected = [m for m in made if m.name == "E"]
    found = evaluate_answers(given, expected, unassigned=unassigned)
    flat = {m.inner for k, m in enumerate(expected) if not (found.values[:, :, k] < 1).any()}
    return tuple(m for m in made if m.name != "Net" or m.inner not in flat)


def _systems(scores: Scores, given: Answers, confidence: float) -> Rows:
    """Return one row per system and measure: mean, interval, number of topics and of refusals."""
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


def _topics(given: Answers, found: Credits) -> Rows:
    """Return one row per topic: its nuggets, its answers, and the share of nuggets they find."""
    made = []
    systems = Counter(item for _, item in {(key.system, key.item) for key in given.credits})
    for item in given.items:
        nuggets = given.nuggets.get(item, ())
        own = [found.get((item, n.id), []) for n in nuggets]
        credits = [credit for one in own for credit in one]
        row: Row = {
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


def _nuggets(given: Answers, found: Credits) -> Rows:
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
