"""Types of arguments and groups of options that verbs share: inputs, outputs, lists of measures, pools, reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from cyclopts import Parameter, Token

from tare._choices import SystemNames
from tare._cli.results import save_rows, show_tables, write_figures, write_report
from tare._files.addresses import ObjectPath, is_address
from tare._measures.names import split_names
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._data.ratings import Ratings
    from tare._measures.scores import Scores
    from tare._result import MultiTableResult, Result

__all__ = [
    "AnswerFiles",
    "Baselines",
    "ByQuery",
    "ClusterOption",
    "Format",
    "Input",
    "InputFile",
    "Journal",
    "Level",
    "MeasureList",
    "OneMeasure",
    "Output",
    "OutputFile",
    "OutputFolder",
    "Pools",
    "Printing",
    "RangeOption",
    "Replicates",
    "Rescaling",
    "Role",
    "RowsOutput",
    "Seed",
    "Several",
    "Source",
    "Strict",
    "StudyOutput",
    "SystemNamesOption",
    "chosen_columns",
    "ends_of",
    "measure_names",
    "path_of",
]


# Files: what a call does with them decides what may be overwritten.


class Role(Enum):
    """What a call does with the file or the folder that a value names."""

    INPUT = "read"
    FILE = "written as one file"
    FOLDER = "written as a folder, or by a verb that replaces it on request"


def path_of(text: str) -> Path:
    """Return the path in an argument; s3://bucket would become the local folder s3:/bucket."""
    return ObjectPath(text) if is_address(text) else Path(text)


def _path(_: Any, tokens: Sequence[Token]) -> Path:
    (token,) = tokens
    return path_of(token.value)


PATH = Parameter(converter=_path)

Input = Annotated[str, Role.INPUT]
"""The name of a file that is read."""

Source = Annotated[str, Parameter(allow_leading_hyphen=True), Role.INPUT]
"""The name of a file that is read, or "-" for standard input."""

InputFile = Annotated[Path, PATH, Role.INPUT]
"""The path of a file or a folder that is read, here or in a store."""

OutputFile = Annotated[Path, PATH, Role.FILE]
"""A file that is written, here or in a store."""

OutputFolder = Annotated[Path, PATH, Role.FOLDER]
"""A folder in which files are written, here or in a store."""

Several = Parameter(consume_multiple=True)
"""Several words may follow the option."""


# Options that mean the same in every verb.


def measure_names(_: Any, tokens: Sequence[Token]) -> list[str]:
    """Return the measure names in the words of an argument; a word may be a list, separated by commas or blanks."""
    return [name for token in tokens for name in split_names(token.value)]


MeasureList = Annotated[
    list[str] | None,
    Parameter(name=["--measures", "--measure", "-m"], converter=measure_names),
]
"""Several measures; `tare._cli.main` tells them from the files that follow."""

OneMeasure = Annotated[
    str | None,
    Parameter(
        name=["--measure", "--measures", "-m"], help="Measure to use, if the table has several."
    ),
]

Baselines = Annotated[
    list[str] | None,
    Parameter(
        name=["--baseline", "-b"],
        help="Compare each system with this baseline (or these) instead of comparing all pairs: the name "
        "of a system, its file or its tag.",
    ),
]

ClusterOption = Annotated[
    str | None,
    Parameter(
        name="--cluster",
        help="Column of the tables that are read, or file with the columns query and cluster, that names the "
        "cluster of each query, such as its session: queries of one cluster are no independent evidence.",
    ),
]

RangeOption = Annotated[
    str | None,
    Parameter(
        name="--range",
        allow_leading_hyphen=True,
        help="Possible range of measures that have no bounds by definition, such as 1:5 for ratings: their "
        "intervals then stay inside it.",
    ),
]

Replicates = Annotated[
    bool,
    Parameter(
        name="--replicates",
        help="Average repeated runs of one system per query: runs whose names differ only in a number at the "
        "end, such as dense.1.run and dense.2.run.",
    ),
]

Level = Annotated[
    Literal["auto", "nominal", "ordinal", "interval", "ratio"],
    Parameter(
        help="Level of measurement; auto is ordinal for numbers and nominal for other values."
    ),
]

Format = Annotated[
    Literal["table", "tsv", "csv", "json", "jsonl", "latex", "markdown", "html"] | None,
    Parameter(help="Output format (default: table on a terminal, tsv in a pipe)."),
]

Journal = Annotated[
    OutputFile | None,
    Parameter(
        help="File that records finished steps; after an interruption, the same call continues from it.",
    ),
]

SystemNamesOption = Annotated[
    SystemNames,
    Parameter(
        help="Name the systems of TREC runs after the file, or after the tag in its lines.",
    ),
]

ByQuery = Annotated[
    bool,
    Parameter(name=["--by-query", "-q"], help="Print one line per query instead of means."),
]

Strict = Annotated[bool, Parameter(help="Exit with code 1 if there are findings.")]

Seed = Annotated[int, Parameter(help="Seed of the random number generator.")]


def ends_of(text: str) -> tuple[float, float]:
    """Return the two numbers of LOW:HIGH."""
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        raise OptionError(
            f"--range {text}: expected the lowest and the highest value, such as 1:5 or --range=-1:1."
        ) from None


# Groups of options.


@Parameter(name="*")
@dataclass(frozen=True)
class Printing:
    """How a table is printed."""

    format: Format = None


@Parameter(name="*")
@dataclass(frozen=True)
class Output(Printing):
    """How a result is printed, and where its report is written."""

    report: Annotated[
        OutputFile | None,
        Parameter(help="Also write a report to this file: one HTML page with charts."),
    ] = None

    def write_report(self, result: Result | Scores, *, scores: Scores | None = None) -> None:
        """Write the report of a result if the options of output name a file."""
        write_report(result, self.report, scores=scores)


@Parameter(name="*")
@dataclass(frozen=True)
class RowsOutput(Output):
    """How several tables are printed, and where their rows and their report are written."""

    save: Annotated[
        OutputFolder | None,
        Parameter(help="Write the rows behind the tables to this folder, as CSV."),
    ] = None

    def show(self, found: MultiTableResult, *, scores: Scores | None = None) -> None:
        """Print the tables of a verb; write rows, scores and report where its options ask for them."""
        if self.save is not None:
            save_rows(found, self.save, scores)
        show_tables(found, self.format)
        self.write_report(found)


@Parameter(name="*")
@dataclass(frozen=True)
class StudyOutput(RowsOutput):
    """How the tables of a study are printed, and where its rows, report and charts are written."""

    figures: Annotated[
        OutputFolder | None,
        Parameter(help="Also write the charts to this folder, each as SVG, PNG and PDF."),
    ] = None

    def show(self, found: MultiTableResult, *, scores: Scores | None = None) -> None:
        """Print the tables of a study; write rows, scores, report and charts where its options ask for them."""
        super().show(found, scores=scores)
        if self.figures is not None:
            write_figures(found, self.figures)


@Parameter(name="*")
@dataclass(frozen=True)
class Pools:
    """The documents that a random ranker could have ranked; there is no default."""

    pool: Annotated[
        str | None,
        Parameter(
            help="judged if your systems order the judged documents; union for the documents that are "
            "judged or retrieved by any of these runs; corpus=inf; retrieved for re-ranking studies."
        ),
    ] = None
    corpus: Annotated[
        str | None, Parameter(help="Number of documents that your systems search, such as 8841823.")
    ] = None
    candidates: Annotated[
        InputFile | None,
        Parameter(help="File with the candidates of each query, or their number, for re-ranking."),
    ] = None

    @property
    def given(self) -> bool:
        """Whether any of the options was given."""
        return any(x is not None for x in (self.pool, self.corpus, self.candidates))

    def arguments(self) -> dict[str, Any]:
        """Return the options as keyword arguments of `tare.evaluate`."""
        return {"pool": self.pool, "corpus": self.corpus, "candidates": self.candidates}


HumanScores = TypeVar("HumanScores", "Scores", "Ratings")


@Parameter(name="*")
@dataclass(frozen=True)
class Rescaling:
    """Another scale of human scores."""

    rescale: Annotated[
        tuple[float, float, float, float] | None,
        Parameter(
            help="Map human scores to another scale: the ends of the old scale and of the new one, such as "
            "1 10 1 5.",
        ),
    ] = None
    rescale_where: Annotated[
        str | None,
        Parameter(help="Rescale only where an attribute has this value, such as year=2008."),
    ] = None

    def of(self, scores: HumanScores) -> HumanScores:
        """Return human scores on the scale that the options ask for."""
        if self.rescale is None:
            if self.rescale_where is not None:
                raise OptionError("--rescale-where needs --rescale, such as --rescale 1 10 1 5.")
            return scores
        where = self.rescale_where
        name, sign, value = (where or "").partition("=")
        if where is not None and not (name and sign and value):
            raise OptionError(
                f"--rescale-where {where}: expected attribute=value, such as year=2008."
            )
        chosen = (name, value) if where is not None else None
        ends = self.rescale
        return scores.rescaled((ends[0], ends[1]), (ends[2], ends[3]), where=chosen)


Files = list[InputFile] | None


def _listed(text: str) -> Parameter:
    return Parameter(consume_multiple=True, help=text)


@Parameter(name="*")
@dataclass(frozen=True)
class AnswerFiles:
    """Files of answers with nuggets, and how `tare answers` scores what is missing in them."""

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
        """Raise an error if the options of files of answers are given without --answers."""
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
