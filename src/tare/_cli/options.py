"""How verbs are declared, and the arguments and options that several of them share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from cyclopts import App, Parameter, Token

from tare._choices import SystemNames
from tare._files.addresses import ObjectPath, is_address
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._data.ratings import Ratings
    from tare._measures.scores import Scores

__all__ = [
    "AnswerOptions",
    "Baselines",
    "ClusterOption",
    "FiguresFolder",
    "FilePath",
    "FilePaths",
    "Format",
    "Journal",
    "Measures",
    "PoolOptions",
    "RangeOption",
    "Replicates",
    "ReportFile",
    "Rescale",
    "RescaleWhere",
    "RowsFolder",
    "Seed",
    "Source",
    "SystemNamesOption",
    "chosen_columns",
    "ends_of",
    "measure_names",
    "rescaled",
    "verb",
]


def examples_text(*examples: str) -> str:
    """Return examples as the end of a help text."""
    return "Examples:\n\n" + "\n".join(f"    {example}" for example in examples)


def verb(name: str, *examples: str, help: str | None = None) -> App:
    """Return the application of one verb; its help ends with examples that can be pasted.

    Without `help`, the docstring of its function is shown.
    """
    return App(
        name=name,
        help=help,
        help_epilogue=examples_text(*examples),
        help_format="markdown",
        # A file name or a measure may begin with a bracket; it is not JSON.
        default_parameter=Parameter(json_list=False, json_dict=False),
    )


def _path(_: Any, tokens: Sequence[Token]) -> Path:
    """Return the path of a word; s3://bucket would become the local folder s3:/bucket."""
    (token,) = tokens
    return ObjectPath(token.value) if is_address(token.value) else Path(token.value)


FilePath = Annotated[Path, Parameter(converter=_path)]
"""A file or a folder, on this machine or, by its address, in a store."""


def _several_paths(kind: Any, tokens: Sequence[Token]) -> list[Path]:
    return [_path(kind, [token]) for token in tokens]


FilePaths = Annotated[list[Path], Parameter(converter=_several_paths)]
"""Several files, each after an option of its own."""

Source = Annotated[str, Parameter(allow_leading_hyphen=True)]
"""A file name, or "-" for standard input."""


def measure_names(_: Any, tokens: Sequence[Token]) -> list[str]:
    """Return the measures that words name; a word may be a list, separated by commas or blanks."""
    from tare._measures.names import split_names

    return [name for token in tokens for name in split_names(token.value)]


Measures = Annotated[
    list[str] | None,
    Parameter(name=["--measures", "--measure", "-m"], converter=measure_names, negative=""),
]
"""Several measures; `tare._cli.main` tells them from the files that follow."""

Baselines = Annotated[
    list[str] | None,
    Parameter(
        name=["--baseline", "-b"],
        negative="",
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
        negative="",
        help="Average repeated runs of one system per query: runs whose names differ only in a number at the "
        "end, such as dense.1.run and dense.2.run.",
    ),
]

Format = Annotated[
    Literal["table", "tsv", "csv", "json", "jsonl", "latex", "markdown", "html"] | None,
    Parameter(name="--format", help="Output format (default: table on a terminal, tsv in a pipe)."),
]

ReportFile = Annotated[
    FilePath | None,
    Parameter(name="--report", help="Also write a report to this file: one HTML page with charts."),
]

FiguresFolder = Annotated[
    FilePath | None,
    Parameter(
        name="--figures",
        help="Also write the charts to this folder, each as SVG, PNG and PDF.",
    ),
]

RowsFolder = Annotated[
    FilePath | None,
    Parameter(name="--save", help="Write the rows behind the tables to this folder, as CSV."),
]

Journal = Annotated[
    FilePath | None,
    Parameter(
        name="--journal",
        help="File that records finished steps; after an interruption, the same call continues from it.",
    ),
]

SystemNamesOption = Annotated[
    SystemNames,
    Parameter(
        name="--system-names",
        help="Name the systems of TREC runs after the file, or after the tag in its lines.",
    ),
]

Seed = Annotated[int, Parameter(name="--seed", help="Seed of the random number generator.")]


@Parameter(name="*")
@dataclass(frozen=True)
class PoolOptions:
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
        FilePath | None,
        Parameter(help="File with the candidates of each query, or their number, for re-ranking."),
    ] = None

    @property
    def given(self) -> bool:
        """Whether any of the options was given."""
        return any(x is not None for x in (self.pool, self.corpus, self.candidates))

    def arguments(self) -> dict[str, Any]:
        """Return the options as keyword arguments of `tare.evaluate`."""
        return {"pool": self.pool, "corpus": self.corpus, "candidates": self.candidates}


def ends_of(text: str) -> tuple[float, float]:
    """Return the two numbers of LOW:HIGH."""
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        raise OptionError(
            f"--range {text}: expected the lowest and the highest value, such as 1:5 or --range=-1:1."
        ) from None


Rescale = Annotated[
    tuple[float, float, float, float] | None,
    Parameter(
        name="--rescale",
        negative="",
        help="Map human scores to another scale: the ends of the old scale and of the new one, such as "
        "1 10 1 5.",
    ),
]

RescaleWhere = Annotated[
    str | None,
    Parameter(
        name="--rescale-where",
        help="Rescale only where an attribute has this value, such as year=2008.",
    ),
]

HumanScores = TypeVar("HumanScores", "Scores", "Ratings")


def rescaled(
    scores: HumanScores, ends: tuple[float, float, float, float] | None, where: str | None
) -> HumanScores:
    """Return the human scores, rescaled as --rescale and --rescale-where ask."""
    if ends is None:
        if where is not None:
            raise OptionError("--rescale-where needs --rescale, such as --rescale 1 10 1 5.")
        return scores
    name, sign, value = (where or "").partition("=")
    if where is not None and not (name and sign and value):
        raise OptionError(f"--rescale-where {where}: expected attribute=value, such as year=2008.")
    chosen = (name, value) if where is not None else None
    return scores.rescaled((ends[0], ends[1]), (ends[2], ends[3]), where=chosen)


# Options of answers with nuggets: which files, who assigned, and what is missing.


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
