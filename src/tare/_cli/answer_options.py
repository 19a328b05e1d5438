"""Options of answers with nuggets: which files, who assigned, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Literal

from cyclopts import Parameter

from tare._cli.options import FilePath
from tare.errors import OptionError

__all__ = ["AnswerOptions", "chosen_columns"]

Files = list[FilePath] | None


def _listed(text: str) -> Parameter:
    return Parameter(consume_multiple=True, negative="", help=text)


@Parameter(name="*")
@dataclass(frozen=True)
class AnswerOptions:
    """Files of answers, and how `tare answers` scores what is missing in them."""

    answers: Annotated[
        Files,
        _listed(
            "Instead of qrels and runs: assignments of nuggets to answers, as `tare answers` reads them."
        ),
    ] = None
    nuggets: Annotated[
        Files, _listed("With --answers: lists of nuggets with their importance.")
    ] = None
    elsewhere: Annotated[
        Files, _listed("With --answers: assignments of answers to other topics, for tare and net.")
    ] = None
    assigner: Annotated[
        str | None,
        Parameter(help="With --answers: keep only the assignments of this person or model."),
    ] = None
    column: Annotated[
        list[str] | None,
        _listed("With --answers: other names of columns, such as importance=passage_grade."),
    ] = None
    missing: Annotated[
        Literal["skip", "zero", "error"],
        Parameter(help="With --answers: topics without an answer by a system."),
    ] = "skip"
    unassigned: Annotated[
        Literal["error", "skip", "zero"],
        Parameter(help="With --answers: nuggets without assignment."),
    ] = "error"
    refusals: Annotated[
        Literal["score", "skip"],
        Parameter(help="With --answers: refusals."),
    ] = "score"

    def refuse_without_answers(self) -> None:
        """Raise an error if options of answers are given without --answers."""
        if self.answers is not None:
            return
        for one in fields(self):
            if getattr(self, one.name) != one.default:
                raise OptionError(f"--{one.name} needs --answers, a file of assignments.")


def chosen_columns(given: list[str] | None) -> dict[str, str | None] | None:
    """Return the columns of --column part=column."""
    if not given:
        return None
    made: dict[str, str | None] = {}
    for text in given:
        part, sign, column = text.partition("=")
        if not (part and sign and column):
            raise OptionError(
                f"--column {text}: expected part=column, such as importance=passage_grade."
            )
        made[part] = column
    return made
