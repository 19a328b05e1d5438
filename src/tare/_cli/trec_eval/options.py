"""Command-line options, parsed as getopt does.

Options may appear anywhere, short ones may be combined (`-qc`), values may follow directly (`-l2`,
`-mP.5`), long names may be abbreviated, and `--` ends the options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tare.compat._trec_eval.measures import PARAMETERS, USAGE, RefusedError, Settings

__all__ = ["Options", "parse_options"]

_FLAGS = {
    "h": "help",
    "v": "version",
    "q": "query_eval_wanted",
    "c": "complete_rel_info_wanted",
    "n": "nosummary",
    "J": "Judged_docs_only",
    "o": "Output_old_results_format",
}
_VALUES = {
    "m": "measure",
    "l": "level_for_rel",
    "M": "Max_retrieved_per_topic",
    "N": "Number_docs_in_coll",
    "D": "Debug_level",
    "R": "Rel_info_format",
    "T": "Results_format",
    "Z": "Zscore",
}
_LONG = {long: short for short, long in (_FLAGS | _VALUES).items()}
LARGEST = 1 << 62
FORMATS = ("qrels", "qrels_jg", "prefs", "qrels_prefs")
_COMPAT = "compat"  # not an option of trec_eval; never abbreviated, so that its own options can be


@dataclass
class Options(Settings):
    """The parsed options."""

    qrels: str = ""
    run: str = ""
    measures: list[str] = field(default_factory=list)
    by_query: bool = False
    summary: bool = True
    zscores: str | None = None
    judgements: str = "qrels"
    help: bool = False
    version: bool = False


def parse_options(arguments: list[str]) -> Options:
    """Parse the command line; raise `RefusedError` with trec_eval's exit code."""
    options = Options()
    files: list[str] = []
    for name, value in _tokens(arguments):
        if name == "":
            files.append(value)
        else:
            _SETTERS[name](options, value)
        if options.version:
            return options
    if options.help:
        return options
    if len(files) != 2:
        raise RefusedError(f"trec_eval: expected 2 files, QRELS and RUN, found {len(files)}.")
    options.qrels, options.run = files
    return options


def _tokens(arguments: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (option, value) pairs; the option of a file is an empty string."""
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            yield from (("", file) for file in rest)
        elif argument.startswith("--"):
            yield _long(argument[2:], rest)
        elif argument.startswith("-") and argument != "-":
            yield from _short(argument[1:], rest)
        else:
            yield "", argument


def _short(letters: str, rest: Iterator[str]) -> Iterator[tuple[str, str]]:
    for at, letter in enumerate(letters, 1):
        if letter in _VALUES:
            glued = letters[at:]
            yield letter, glued or _next(f"-{letter}", rest)
            return
        if letter not in _FLAGS:
            raise RefusedError(f"trec_eval: there is no option '-{letter}'.")
        yield letter, ""


def _long(text: str, rest: Iterator[str]) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if name == _COMPAT:
        return _COMPAT, value if equals else _next("--compat", rest)
    matches = [name] if name in _LONG else [long for long in _LONG if long.startswith(name)]
    if len(matches) != 1:
        which = f"is ambiguous: {', '.join(matches)}" if matches else "does not exist"
        raise RefusedError(f"trec_eval: the option '--{name}' {which}.")
    short = _LONG[matches[0]]
    if short in _FLAGS:
        if equals:
            raise RefusedError(f"trec_eval: the option '--{matches[0]}' takes no value.")
        return short, ""
    return short, value if equals else _next(f"--{matches[0]}", rest)


def _next(option: str, rest: Iterator[str]) -> str:
    value = next(rest, None)
    if value is None:
        raise RefusedError(f"trec_eval: the option '{option}' needs a value.")
    return value


def _flag(name: str, to: bool = True) -> Callable[[Options, str], None]:
    return lambda options, _: setattr(options, name, to)


def _whole(name: str, option: str) -> Callable[[Options, str], None]:
    def read(options: Options, value: str) -> None:
        try:
            number = int(value)
        except ValueError:
            number = -1
        if not 0 <= number < LARGEST:
            raise RefusedError(
                f"trec_eval: -{option} expects a whole number of 0 or more, found '{value}'.", USAGE
            )
        setattr(options, name, number)

    return read


def _debug(options: Options, value: str) -> None:
    level, dot, query = value.partition(".")
    if level and not level.isdecimal():
        raise RefusedError(f"trec_eval: -D expects LEVEL or LEVEL.QUERY, found '{value}'.")
    options.query = query if dot else options.query


def _qrels_format(options: Options, value: str) -> None:
    if value not in FORMATS:
        raise RefusedError(
            f"trec_eval: Illegal rel_format '{value}'. Accepted: {', '.join(FORMATS)}.", PARAMETERS
        )
    options.judgements = value


def _run_format(options: Options, value: str) -> None:
    if value != "trec_results":
        raise RefusedError(
            f"trec_eval: Illegal results_format '{value}'. Accepted: trec_results.", PARAMETERS
        )


def _compat(options: Options, value: str) -> None:
    if value not in ("9", "10"):
        raise RefusedError(f"trec_eval: --compat expects 9 or 10, found '{value}'.")
    options.compat = int(value)


_SETTERS: dict[str, Callable[[Options, str], None]] = {
    "h": _flag("help"),
    "v": _flag("version"),
    "q": _flag("by_query"),
    "c": _flag("complete"),
    "n": _flag("summary", False),
    "J": _flag("judged_only"),
    "o": lambda options, value: None,
    "m": lambda options, value: options.measures.append(value),
    "l": _whole("level", "l"),
    "M": _whole("most", "M"),
    "N": _whole("collection", "N"),
    "D": _debug,
    "R": _qrels_format,
    "T": _run_format,
    "Z": lambda options, value: setattr(options, "zscores", value),
    _COMPAT: _compat,
}
