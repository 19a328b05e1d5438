"""Outcomes: the valid answers of a study, in the formats that the rest of tare reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tare._data.preferences import Judgement, Preferences
from tare._data.qrels import Qrels, read_qrels
from tare._data.ratings import Ratings
from tare._judging.design import Study, Task
from tare._judging.state import Event, RecordedAnswer, State
from tare.errors import MismatchError, choose

if TYPE_CHECKING:
    import polars as pl

__all__ = ["AnswerSet", "Outcomes"]


COMBINE = ("median", "mean", "max", "min")


@dataclass(frozen=True)
class AnswerSet:
    """Valid answers to the tasks of a study."""

    study: Study
    judged: tuple[RecordedAnswer, ...]

    def _answers(
        self, roles: tuple[str, ...] = ("fresh",)
    ) -> Iterator[tuple[RecordedAnswer, Task]]:
        for made in self.judged:
            if made.lease.role in roles and made.answer.get("choice") != "cannot":
                yield made, self.study.by_id[made.lease.task]

    @property
    def answered(self) -> bool:
        """Whether any task has a judgement."""
        return next(self._answers(), None) is not None

    def preferences(self, *, repeats: bool = False) -> Preferences:
        """Return preferences as displayed, left and right; 'both bad' counts as equal.

        repeats: include an assessor's second answers to repeated questions.
        """
        if not self.study.design.compares:
            raise MismatchError(self._other("preferences"))
        made = []
        for judged, task in self._answers(("fresh", "repeat") if repeats else ("fresh",)):
            left, right = _sides(judged, task)
            preferred = {"left": left, "right": right}.get(judged.answer["choice"])
            made.append(Judgement(task.query, left, right, preferred, judged.assessor, task.given))
        return Preferences(made, self.study.design.title, [])

    def qrels(self, *, combine: str = "median") -> Qrels:
        """Return grades; grades by several assessors are combined, by default with the lower median.

        Preferences become grades by the share of displays that a document won.
        """
        choose("combine", combine, COMBINE)
        if self.study.design.compares:
            return self.preferences().to_qrels()
        if self.study.design.kind != "grades":
            raise MismatchError(self._other("qrels"))
        found: dict[str, dict[str, list[int]]] = {}
        for judged, task in self._answers():
            given = found.setdefault(task.query, {}).setdefault(task.shown[0], [])
            given.append(judged.answer["grade"])
        return read_qrels(
            {
                query: {document: _combined(values, combine) for document, values in own.items()}
                for query, own in found.items()
            }
        )

    def ratings(self, dimension: str | None = None) -> Ratings:
        """Return (unit, coder, value) of every answer except to gold tasks; repeats follow the first answer."""
        rows = [
            (row["unit"], row["coder"], row["value"])
            for row in self.rows()
            if row["value"] is not None
            and row["role"] != "gold"
            and dimension in (None, row["dimension"])
        ]
        return Ratings.of(rows, name=self.study.design.title)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per judged value with all its attributes; `cannot judge` has a reason instead of a value."""
        made = []
        for judged in self.judged:
            task = self.study.by_id[judged.lease.task]
            for unit, dimension, value in _values(self.study, judged, task):
                made.append(
                    {
                        "unit": unit,
                        "coder": judged.assessor,
                        "value": value,
                        "dimension": dimension,
                        "query": task.query,
                        "shown": " ".join(task.shown),
                        "given": " ".join(task.given),
                        "left": _sides(judged, task)[0] if len(task.shown) == 2 else None,
                        "choice": judged.answer.get("choice"),
                        "role": judged.lease.role,
                        "seconds": judged.seconds,
                        "at": judged.at,
                        "reason": judged.answer.get("reason"),
                    }
                )
        return made

    def frame(self) -> pl.DataFrame:
        """Return the rows as a polars data frame."""
        import polars as pl

        rows = self.rows()
        words = any(isinstance(row["value"], str) for row in rows)
        types: dict[str, Any] = dict.fromkeys(
            (
                "unit",
                "coder",
                "value",
                "dimension",
                "query",
                "shown",
                "given",
                "left",
                "choice",
                "role",
                "seconds",
                "at",
                "reason",
            ),
            pl.String,
        )
        types |= {"value": pl.String if words else pl.Int64}
        types |= {"seconds": pl.Float64, "at": pl.Float64}
        return pl.DataFrame(rows, schema=types, strict=False)

    def scores(self) -> pl.DataFrame:
        """Return means over assessors as a table with system, item, measure, value."""
        import polars as pl

        if self.study.design.kind not in ("ratings", "headtohead", "scus"):
            raise MismatchError(self._other("scores of systems"))
        found: dict[tuple[str, str, str], list[float]] = {}
        for judged, task in self._answers():
            answer = judged.answer
            if "ratings" in answer:
                for name, value in answer["ratings"].items():
                    found.setdefault((task.shown[0], task.query, name), []).append(value)
            elif "present" in answer:
                share = sum(answer["present"].values()) / len(answer["present"])
                found.setdefault((task.shown[0], task.query, "present"), []).append(share)
            else:
                left, right = _sides(judged, task)
                share = {"left": 1.0, "right": 0.0}.get(answer["choice"], 0.5)
                found.setdefault((left, task.query, "preferred"), []).append(share)
                found.setdefault((right, task.query, "preferred"), []).append(1 - share)
        rows = [(*key, sum(values) / len(values)) for key, values in sorted(found.items())]
        names = ["system", "item", "measure", "value"]
        return pl.DataFrame(rows, schema=names, orient="row")

    def presence(self) -> pl.DataFrame:
        """Return which content units were found: system, item, scu, present, assessor."""
        import polars as pl

        if self.study.design.kind != "scus":
            raise MismatchError(self._other("content units found in summaries"))
        rows = [
            (task.shown[0], task.query, scu, int(present), judged.assessor)
            for judged, task in self._answers()
            for scu, present in judged.answer["present"].items()
        ]
        names = ["system", "item", "scu", "present", "assessor"]
        return pl.DataFrame(rows, schema=names, orient="row")

    def units(self) -> pl.DataFrame:
        """Return marked content units, one row per contributor, as `read_pyramid` reads them."""
        import polars as pl

        if self.study.design.kind != "markup":
            raise MismatchError(self._other("marked content units"))
        rows = []
        for judged, task in self._answers():
            for number, unit in enumerate(judged.answer["units"], 1):
                for mark in unit["contributors"]:
                    name = task.shown[mark["reference"]]
                    key = self.study.key(task.query, name)
                    body = self.study.texts[key].body if key in self.study.texts else ""
                    place = (mark["start"], mark["end"])
                    rows.append(
                        (
                            task.query,
                            f"{judged.assessor}-{number}",
                            unit["label"],
                            name,
                            *place,
                            body[slice(*place)],
                            judged.assessor,
                        )
                    )
        names = ["item", "scu", "label", "reference", "start", "end", "text", "assessor"]
        return pl.DataFrame(rows, schema=names, orient="row")

    def _other(self, what: str) -> str:
        return f"a study of kind {self.study.design.kind!r} does not produce {what}."


@dataclass(frozen=True)
class Outcomes(AnswerSet):
    """The results of a study so far: all valid answers, in the order of the log."""

    state: State

    @classmethod
    def of(cls, study: Study, events: Iterable[Event]) -> Outcomes:
        """Compute the outcomes from the log."""
        state = State(study, events)
        found = [j for a in state.assessors.values() for j in a.history]
        return cls(study, tuple(sorted(found, key=lambda j: j.place)), state)


def _sides(judged: RecordedAnswer, task: Task) -> tuple[str, str]:
    a, b = task.shown
    return (b, a) if judged.lease.swapped else (a, b)


def _values(study: Study, judged: RecordedAnswer, task: Task) -> Iterator[tuple[str, str, Any]]:
    """Yield (unit, dimension, value) of one answer."""
    answer = judged.answer
    gold = (
        ["gold"] if judged.lease.role == "gold" else []
    )  # a gold task is not a repeat of the same pair
    unit = "/".join(
        [*gold, task.query, "~".join(sorted(task.shown)), *(f"after {g}" for g in task.given)]
    )
    if answer.get("choice") == "cannot":
        yield unit, "", None
    elif study.design.compares:
        left, right = _sides(judged, task)
        yield unit, "", {"left": left, "right": right}.get(answer["choice"], answer["choice"])
    elif "grade" in answer:
        yield unit, "", answer["grade"]
    elif "ratings" in answer:
        several = len(answer["ratings"]) > 1
        for name, value in answer["ratings"].items():
            yield f"{unit}/{name}" if several else unit, name, value
    elif "present" in answer:
        for scu, present in answer["present"].items():
            yield f"{unit}/{scu}", "present", int(present)
    else:
        yield unit, "units", len(answer["units"])


def _combined(values: list[int], combine: str) -> float:
    ordered = sorted(values)
    if combine == "mean":
        return sum(ordered) / len(ordered)
    if combine == "median":
        return float(ordered[(len(ordered) - 1) // 2])
    return float(ordered[-1] if combine == "max" else ordered[0])
