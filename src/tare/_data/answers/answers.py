"""Answers of systems, with what was assigned to them. Made by `read_answers`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tare._data.answers.assignments import AnswerKey
from tare._data.answers.citations import Statements
from tare._data.answers.nuggets import Nugget
from tare._data.findings import Finding

__all__ = ["Answers"]

Credits = dict[AnswerKey, dict[str, float | None]]


@dataclass(frozen=True, repr=False, eq=False)
class Answers:
    """Answers of systems to topics: their nuggets, citations, lengths and refusals. Made by `read_answers`.

    Attributes
    ----------
    name : str
        The source of the data, as named in messages.
    nuggets : dict of str to tuple of Nugget
        The nuggets of each topic.
    credits : dict
        For each answer and assigner the credit of each nugget: 1 if it is supported, ½ if partially, 0
        if not, None if nothing was assigned.
    elsewhere : dict
        The same for answers to other topics, from which chance is known.
    citations : dict
        For each answer its statements, and for each statement the support by each citation.
    words, refused : dict
        Number of words, and whether it is a refusal, by system and topic.
    answerable : dict of str to bool
        Whether a topic has an answer, if the data say so.
    known : tuple of (str, str)
        Answers whose text is known, by system and topic.
    findings : tuple of Finding
        Properties of the data that users should know.

    Examples
    --------
    >>> import tare
    >>> rows = [{"qid": "q1", "run_id": "a", "nuggets": [
    ...     {"text": "Paris", "importance": "vital", "assignment": "support"},
    ...     {"text": "Seine", "importance": "okay", "assignment": "not_support"}]}]
    >>> answers = tare.read_answers(rows)
    >>> answers.systems, answers.items
    (('a',), ('q1',))
    >>> [nugget.text for nugget in answers.nuggets["q1"]]
    ['Paris', 'Seine']
    >>> list(answers.credits.values())
    [{'Paris': 1.0, 'Seine': 0.0}]
    """

    name: str
    nuggets: Mapping[str, tuple[Nugget, ...]]
    credits: Credits
    elsewhere: Credits = field(default_factory=dict)
    citations: Statements = field(default_factory=dict)
    words: Mapping[tuple[str, str], int] = field(default_factory=dict)
    refused: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    answerable: Mapping[str, bool] = field(default_factory=dict)
    known: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        nuggets = sum(map(len, self.nuggets.values()))
        return (
            f"Answers({len(self.systems):,} systems, {len(self.items):,} topics, {len(self):,} answers, "
            f"{nuggets:,} nuggets)"
        )

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The answers that something was assigned to, as (system, topic), and refusals."""
        rated = [(key.system, key.item) for key in (*self.credits, *self.citations)]
        refused = [pair for pair, answer in self.refused.items() if answer]
        return tuple(dict.fromkeys([*rated, *refused]))

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order of their first answer."""
        return tuple(dict.fromkeys(system for system, _ in self.pairs))

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The topics with answers; by number if all ids are numbers, else sorted as text."""
        found = {item for _, item in self.pairs}
        numbers = all(item.isdecimal() for item in found)
        return tuple(sorted(found, key=lambda item: (int(item) if numbers else 0, item)))

    @cached_property
    def assigners(self) -> tuple[str, ...]:
        """Those who assigned nuggets, in the order of their first assignment; "" has no name."""
        return tuple(dict.fromkeys(key.assigner for key in self.credits))

    @property
    def has_chance(self) -> bool:
        """Whether a topic with answers also has assignments of answers to other topics."""
        return not {key.item for key in self.elsewhere}.isdisjoint(self.items)

    @property
    def importance(self) -> str | None:
        """What importance is: "words" (vital, okay), "weights", or None if it is not known."""
        for own in self.nuggets.values():
            for nugget in own:
                if nugget.importance is not None:
                    return "words" if nugget.vital is not None else "weights"
        return None

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify the data, in any order."""
        total = hashlib.sha256()
        rows = [repr((item, n)) for item, own in self.nuggets.items() for n in own]
        for part in (self.credits, self.elsewhere, self.citations, self.words, self.refused):
            rows += [
                repr((k, sorted(v.items()) if isinstance(v, dict) else v)) for k, v in part.items()
            ]
        rows += map(repr, self.answerable.items())
        for row in sorted(rows):
            total.update(row.encode("utf-8", "surrogatepass"))
        return total.hexdigest()[:8]
