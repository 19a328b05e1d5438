"""The files of a view of answers: assignments, lists of nuggets, texts, and how they are scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tare._choices import Missing
from tare._data.answers import Answers, answer_texts, read_answers, topic_texts
from tare._measures.answers import Refusals, Unassigned, evaluate_answers
from tare._measures.scores import Scores
from tare.chance._net_measures import completed

__all__ = ["AnswerFiles"]


@dataclass(frozen=True)
class AnswerFiles:
    """What `tare.read_answers` reads, and what `tare.evaluate_answers` does with missing parts."""

    assignments: tuple[Path, ...]
    nuggets: tuple[Path, ...] = ()
    elsewhere: tuple[Path, ...] = ()
    texts: tuple[Path, ...] = ()
    assigner: str | None = None
    columns: tuple[tuple[str, str | None], ...] = ()
    missing: Missing = "skip"
    unassigned: Unassigned = "error"
    refusals: Refusals = "score"

    @property
    def files(self) -> tuple[Path, ...]:
        """All files, the assignments first."""
        return (*self.assignments, *self.nuggets, *self.elsewhere, *self.texts)

    def options(self) -> list[tuple[str, str]]:
        """Return the settings that change the scores, and how many files of each part there are."""
        counts = [len(self.assignments), len(self.nuggets), len(self.elsewhere)]
        given = [("parts", counts), ("assigner", self.assigner), ("columns", self.columns)]
        given += [("missing", self.missing), ("unassigned", self.unassigned)]
        return [(name, str(value)) for name, value in [*given, ("refusals", self.refusals)]]

    def read(self) -> Answers:
        """Read the answers."""
        return read_answers(
            _source(self.assignments),
            nuggets=_source(self.nuggets),
            elsewhere=_source(self.elsewhere),
            texts=_source(self.texts),
            assigner=self.assigner,
            columns=dict(self.columns),
        )

    def scores(self, measures: Sequence[str] | None = None) -> Scores:
        """Score the answers; with answers to other topics, also by chance."""
        policies: dict[str, Any] = {
            "missing": self.missing,
            "unassigned": self.unassigned,
            "refusals": self.refusals,
        }
        return completed(evaluate_answers(self.read(), measures, **policies))

    def answer_texts(self) -> dict[tuple[str, str], str]:
        """Return the text of each answer by system and topic, if it is known."""
        return answer_texts(
            _source(self.texts), _source(self.assignments), columns=dict(self.columns)
        )

    def topic_texts(self) -> dict[str, str]:
        """Return the question of each topic, if it is known."""
        return topic_texts(
            _source(self.assignments), _source(self.nuggets), columns=dict(self.columns)
        )


def _source(files: tuple[Path, ...]) -> Any:
    """Return no file, one file, or several."""
    return None if not files else files[0] if len(files) == 1 else list(files)
