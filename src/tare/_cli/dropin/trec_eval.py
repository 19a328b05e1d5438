"""`tare trec_eval`: a drop-in replacement for trec_eval, with its options, its help and its output lines."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._cli.output import print_bytes, say
from tare._data import Judged, Policies, Qrels, Run, read_qrels
from tare._data.assessor_groups import Level, read_assessor_groups, twice
from tare._data.findings import listed
from tare._data.rows import LAYOUTS, fields_of, raise_problems
from tare._files.opening import STDIN, blocks, can_be_read_again, name_of, read_all, read_text
from tare._measures import find
from tare._measures.assessors import preference_values
from tare._measures.one_system import RankingEvaluation, Sampling
from tare._plain_text import lines_of, plain
from tare._signature import tare_version
from tare.compat._trec_eval.columns import FLOOR, Column, columns_of
from tare.compat._trec_eval.measures import (
    CALCULATION,
    NOTHING,
    PARAMETERS,
    SETS,
    USAGE,
    Entry,
    RefusedError,
    Settings,
    choose_measures,
    read_numbers,
)
from tare.compat._trec_eval.rankings import policies_of, prepare, relevance_strings
from tare.errors import FormatError, TareError, UnreadableError, raise_all

__all__ = [
    "USAGE_TEXT",
    "Options",
    "Printed",
    "ZScores",
    "data_lines",
    "help_text",
    "integer",
    "judge_run",
    "lines",
    "main",
    "parse_options",
    "read_judgements",
    "read_zscores",
    "real",
    "refuse_others",
    "several_lines",
]


# Command-line options, parsed as getopt does.
#
# Options may appear anywhere, short ones may be combined (`-qc`), values may follow directly (`-l2`,
# `-mP.5`), long names may be abbreviated, and `--` ends the options.


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
    """Parse the command line of `tare trec_eval`; raise `RefusedError` with trec_eval's exit code."""
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
    """Yield (option, value) pairs of trec_eval's command line; the option of a file is an empty string."""
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


# Output lines of trec_eval: name, query and value.


SUMMARY = "all"


@dataclass(frozen=True)
class Printed:
    """A name that trec_eval prints, with its values: one per query and one for all; empty or None if it has none."""

    name: str
    by_query: Sequence[str] = ()
    summary: str | None = None
    z: bool = False

    def begin(self) -> str:
        """Return the first field, padded to 22 characters."""
        return f"{'Z' if self.z else ''}{self.name:<22}\t"


def real(value: float) -> str:
    """Format a real number of trec_eval's output, as C does with %6.4f.

    >>> real(0.5)
    '0.5000'
    """
    return f"{value:6.4f}"


def integer(value: float) -> str:
    """Format a count."""
    return f"{int(value):d}"


def lines(
    printed: Sequence[Printed], queries: Sequence[str], *, by_query: bool, summary: bool
) -> Iterator[str]:
    """Yield all lines of trec_eval's output: those of each query if wanted, then the summary."""
    if by_query:
        shown = [(p.begin(), p.by_query) for p in printed if p.by_query]
        for q, query in enumerate(queries):
            yield "".join(f"{begin}{query}\t{texts[q]}\n" for begin, texts in shown)
    if summary:
        for p in printed:
            if p.summary is not None:
                yield f"{p.begin()}{SUMMARY}\t{p.summary}\n"


# z-scores: distances from a mean in standard deviations, with both from a table.


UNKNOWN = -1000000.0
"""Value of trec_eval for missing entries, and for any difference if the deviation is 0."""


class ZScores:
    """Means and standard deviations for trec_eval's z-scores (-Z), by query and printed name."""

    def __init__(self, table: dict[tuple[str, str], tuple[float, float]]) -> None:
        self._table = table

    def convert(
        self, name: str, queries: Sequence[str], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the z-scores of one column."""
        return np.array(
            [
                self._one(value, self._table.get((query, name)))
                for query, value in zip(queries, values.tolist(), strict=True)
            ]
        )

    @staticmethod
    def _one(value: float, known: tuple[float, float] | None) -> float:
        if known is None:
            return UNKNOWN
        mean, deviation = known
        if deviation == 0:
            return 0.0 if value == mean else UNKNOWN
        return (value - mean) / deviation


def read_zscores(path: str) -> ZScores:
    """Read lines `query name mean deviation`."""
    table: dict[tuple[str, str], tuple[float, float]] = {}
    wrong = []
    for number, line in enumerate(lines_of(read_text(path)), 1):
        fields = fields_of(line)
        try:
            query, name, mean, deviation = fields
            table[query, name] = (float(mean), float(deviation))
        except ValueError:
            wrong.append(
                f"{path}, line {number}: found {line.strip()[:80]!r}. "
                "A line of z-scores is 'query measure mean deviation'."
            )
    raise_all(wrong)
    return ZScores(table)


# Judgements by several assessors: preferences (`prefs`, `qrels_prefs`) and groups (`qrels_jg`).


JUDGES = {
    "qrels": "grades",
    "prefs": "preferences",
    "qrels_prefs": "preferences",
    "qrels_jg": "groups",
}
WIDTHS = {"prefs": 5, "qrels_prefs": 4, "qrels_jg": 4}  # fields of a line
Values = dict[str, dict[str, float]]  # by printed name, by query
Levels = Sequence[Level]


def refuse_others(options: Options, asked: dict[Entry, str]) -> None:
    """Raise if trec_eval cannot compute a measure from the judgements that -R names."""
    wanted = JUDGES[options.judgements]
    for entry in asked:
        if entry.judges not in (None, wanted):
            raise RefusedError(
                f"trec_eval: '{entry.name}' needs {entry.judges}, but -R {options.judgements} "
                f"contains {wanted}.\ntrec_eval: Can't calculate measure '{entry.name}'",
                CALCULATION,
            )


def several_lines(options: Options, asked: dict[Entry, str]) -> Iterator[str]:
    """Yield all output lines."""
    judged = read_assessor_groups(options.qrels, WIDTHS[options.judgements]).by_query
    run = _read_run(options.run)
    in_run = set(run.queries)
    chosen = [q for q in judged if q in in_run or options.complete]
    if options.query is not None:
        chosen = [q for q in chosen if q == options.query]
    if not chosen:
        raise RefusedError("trec_eval: No queries with both results and relevance info", NOTHING)
    make = _of_groups if options.judgements == "qrels_jg" else _of_preferences
    values = make(options, asked, {q: judged[q] for q in chosen}, run)
    zscores = read_zscores(options.zscores) if options.zscores is not None else None
    divisor = len(judged) if options.complete else len(chosen)
    printed = []
    for entry in asked:
        if entry.name == "runid":
            printed.append(Printed("runid", summary=run.system))
        elif entry.name == "num_q":
            shown = integer(divisor) if zscores is None else real(divisor)
            printed.append(Printed("num_q", summary=shown, z=zscores is not None))
        else:
            show = integer if entry.prints == "integer" and zscores is None else real
            for name in [n for n in values if _belongs(n, entry)]:
                column = np.array([values[name][q] for q in chosen])
                if zscores is not None:
                    column = zscores.convert(name, chosen, column)
                total = float(np.cumsum(column)[-1])
                summary = total if entry.summary == "sum" else total / divisor
                texts = [show(v) for v in column.tolist()] if options.by_query else []
                printed.append(Printed(name, texts, show(summary), z=zscores is not None))
    yield from lines(printed, chosen, by_query=options.by_query, summary=options.summary)


def _belongs(name: str, entry: Entry) -> bool:
    return name == entry.name or (entry.takes != "nothing" and name.startswith(entry.name + "_"))


def _read_run(path: str) -> Run:
    name = name_of(path)
    rows, reading = kernels.read_trec(blocks(path), "run")
    raise_problems(name, reading, "run")
    if len(rows) == 0:
        raise FormatError(
            f"{name}: no ranked documents found; the file is empty or has only comments."
        )
    return Run(rows, reading.tag, name, [])


def _of_preferences(
    options: Options, asked: dict[Entry, str], judged: dict[str, Levels], run: Run
) -> Values:
    """Compute trec_eval's measures of preferences; here, and only here, ties are broken by ascending document id."""
    rankings = {
        query: [d for d, _ in sorted(documents, key=lambda x: (-x[1], x[0].encode()))]
        for query, documents in run.by_query()
        if query in judged
    }
    names = [entry.name for entry in asked if entry.judges == "preferences"]
    values: Values = {name: {} for name in names}
    for query, levels in judged.items():
        ranking = rankings.get(query, [])
        ranking = ranking[: options.most] if options.most is not None else ranking
        try:
            found = preference_values(levels, ranking, query)
        except FormatError as error:
            raise RefusedError(f"trec_eval: {error}", CALCULATION) from None
        for name, value in found.items():
            if name in values:
                values[name][query] = value
    return values


def _of_groups(
    options: Options, asked: dict[Entry, str], judged: dict[str, Levels], run: Run
) -> Values:
    """Compute the plain measure of trec_eval from each judgement group's grades, averaged over the groups of a query."""
    groups: dict[str, dict[str, dict[str, int]]] = {}
    for query, levels in judged.items():
        for level in levels:
            grades = groups.setdefault(level.group, {}).setdefault(query, {})
            if level.document in grades:
                raise twice(options.qrels, query, level)
            grades[level.document] = int(level.level)
    columns = [
        column
        for entry, typed in asked.items()
        if entry.judges == "groups"
        for column in columns_of(entry, typed, options)
    ]
    sums: Values = {column.name: dict.fromkeys(judged, 0.0) for column in columns}
    counts = dict.fromkeys(judged, 0)
    policies = policies_of(options)
    for group in sorted(groups, key=str.encode):
        qrels = read_qrels(groups[group])
        rankings = kernels.judge(qrels.index, run.rows, **policies.arguments())
        ready, _ = prepare(Judged(run.system, qrels, policies, rankings), options)
        evaluation = RankingEvaluation(ready, Sampling())
        for query in qrels.items:
            counts[query] += 1
        for column in columns:
            for query, value in zip(qrels.items, column.values(evaluation).tolist(), strict=True):
                sums[column.name][query] += value
    return {name: {q: v / counts[q] for q, v in by.items()} for name, by in sums.items()}


# The help of `tare trec_eval`.


USAGE_TEXT = """\
Usage: tare trec_eval [-q] [-c] [-m MEASURE[.PARAMETERS]]… [-l LEVEL] [other options] QRELS RUN
   -q: print the values of each query as well      -c: count queries that the run lacks
   -m: a measure, or a set of them (official, all_trec, set); may be repeated
   --help: all options, and a description of the measures named by -m
"""

_OPTIONS = """
Evaluates a run against qrels and prints what NIST's trec_eval prints.

   -q  --query_eval_wanted         print each query as well as the summary
   -m  --measure NAME[.PARAMETERS] add a measure or a set (default: the set 'official')
   -c  --complete_rel_info_wanted  count queries of the qrels that the run lacks
   -l  --level_for_rel N           lowest grade that counts as relevant (1)
   -n  --nosummary                 omit the lines of 'all'
   -M  --Max_retrieved_per_topic N use the first N documents of each ranking
   -J  --Judged_docs_only          remove unjudged documents
   -N  --Number_docs_in_coll N     documents in the collection, for utility
   -Z  --Zscore FILE               print z-scores; lines 'query measure mean deviation'
   -D  --Debug_level N[.QUERY]     evaluate this query only
   -R  --Rel_info_format FORMAT    qrels, qrels_jg, prefs or qrels_prefs
   -T  --Results_format trec_results
   -o  --Output_old_results_format does nothing, as in trec_eval
       --compat 9|10               print what this version prints (10)
   -v  --version                   -h  --help

QRELS  lines 'query iteration document grade', whole numbers for grades
RUN    lines 'query Q0 document rank score tag'; '-' is standard input. Documents are ranked by
       score, equal scores by document id, descending; the rank is not used.

Parameters follow a dot: -m P.5,10  -m iprec_at_recall..1,.5  -m ndcg.1=3,2=9  -m rbp.p=0.8
"""

_EXAMPLES = """\
Examples:
   tare trec_eval qrels.txt bm25.run
   tare trec_eval -q -m map -m ndcg_cut.10,20 -l 2 qrels.txt bm25.run
"""


def help_text(asked: dict[Entry, str]) -> str:
    """Return the help of trec_eval: options, and a description of the named measures."""
    sets = "\n".join(f"   {name}: {' '.join(names)}" for name, names in SETS.items())
    described = "\n".join(_describe(entry) for entry in asked)
    about = f"\n{described}\n" if described else ""
    return f"{USAGE_TEXT}{_OPTIONS}\nSets of measures:\n{sets}\n{about}\n{_EXAMPLES}"


def _describe(entry: Entry) -> str:
    own = {
        "runid": "The tag of the run.",
        "num_q": "Number of evaluated queries.",
        "relstring": "The first grades of the ranking as characters.",
        "ideal_dcg": "DCG of all judged documents by descending gain.",
    }
    definition = find(entry.measure)
    text = own.get(entry.name, "")
    if not text and definition is not None:
        text = f"{definition.title} ({definition.name}). {definition.formula}"
    if entry.summary == "geometric":
        text += " Geometric mean over queries."
    defaults = f" Default parameters: {entry.defaults}." if entry.defaults else ""
    return f"{entry.name}\n   {text}{defaults}"


# Reading for trec_eval: both files are TREC text, whatever their names, and are checked more
# strictly.


def read_judgements(path: str) -> Qrels:
    """Read qrels as trec_eval does: four fields per line, integer grades and no duplicates."""
    if path == STDIN:
        raise UnreadableError(
            "the qrels cannot be read from standard input, only the run can. Name a file."
        )
    rows, reading = kernels.read_trec(blocks(path), "qrels")
    if reading.problem_count:
        raise_problems(path, reading, "qrels", rows)
    if len(rows) == 0:
        raise FormatError(f"{path}: no judgements found; the file is empty or has only comments.")
    if reading.extra_fields:
        raise FormatError(_extra_fields(path, reading.extra_fields))
    qrels = Qrels(rows, name_of(path), [])
    if any(level != int(level) for level in qrels.levels.tolist()):
        raise_all(_fractions(path))
    for finding in qrels.findings:
        if finding.kind == "duplicate judgements":
            raise FormatError(
                f"{path}: {finding.count:,} duplicate judgements ({', '.join(finding.examples)}). "
                "Each document may be judged once per query; remove one of the lines."
            )
    return qrels


def judge_run(qrels: Qrels, path: str, policies: Policies) -> Judged:
    """Join the run of trec_eval with the qrels; the tag of the last line names the system."""
    name = name_of(path)
    arguments = policies.arguments()
    if can_be_read_again(path):  # a second pass is needed if its queries are interleaved
        text = kernels.judge_text(qrels.index, blocks(path), **arguments)
        if text.rankings is not None:
            _refuse(name, text.reading, text.rows)
            return Judged(text.reading.tag, qrels, policies, text.rankings, rows=text.rows)
    rows, reading = kernels.read_trec(blocks(path), "run")
    if reading.problem_count:
        raise_problems(name, reading, "run", rows)
    _refuse(name, reading, len(rows))
    run = Run(rows, reading.tag, name, [])
    rankings = kernels.judge(qrels.index, run.rows, **arguments)
    return Judged(run.system, qrels, policies, rankings, rows=len(rows))


def _refuse(name: str, reading: kernels.TextReading, rows: int) -> None:
    raise_problems(name, reading, "run")
    if rows == 0:
        raise FormatError(
            f"{name}: no ranked documents found; the file is empty or has only comments."
        )


def data_lines(path: str) -> Iterator[tuple[int, list[str]]]:
    """Yield number and fields of each line of a trec_eval file that is neither blank nor a comment."""
    text = read_all(path).decode("utf-8-sig")
    for number, line in enumerate(lines_of(text), 1):
        fields = fields_of(line)
        if fields and not fields[0].startswith("#"):
            yield number, fields


def _extra_fields(path: str, count: int) -> str:
    line, fields = next((n, f) for n, f in data_lines(path) if len(f) > 4)
    return (
        f"{path}, line {line}: expected 4 fields, found {len(fields)}. {LAYOUTS['qrels'][0]} "
        f"({count:,} such lines in total.)"
        + (
            " A run line has 6 fields: are the qrels and the run swapped?"
            if len(fields) == 6
            else ""
        )
    )


def _fractions(path: str) -> list[str]:
    return [
        f"{path}, line {line}: the grade '{grade}' is not a whole number, as trec_eval requires. "
        "`tare score` accepts fractional grades."
        for line, grade in ((n, f[3]) for n, f in data_lines(path))
        if float(grade) != int(float(grade))
    ]


# The command `tare trec_eval`.


def main(argv: list[str]) -> int:
    """Run `tare trec_eval` with these arguments and return the exit code."""
    try:
        _write(_answer(argv))
    except TareError as error:
        say(str(error))
        return error.exit_code
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _write(text: Iterator[str]) -> None:
    for part in text:
        print_bytes(part.encode())
    sys.stdout.flush()


def _answer(argv: list[str]) -> Iterator[str]:
    try:
        options = parse_options(argv)
    except RefusedError as error:
        if error.exit_code == USAGE:
            say(USAGE_TEXT.removesuffix("\n"))
        raise
    if options.version:
        version = "9.0.8" if options.compat == 9 else "10.0"
        say(f"trec_eval version {version} (tare {tare_version()})")
        return iter(())
    asked = choose_measures(options.measures, options.compat)
    if options.help:
        return iter((help_text(asked if options.measures else {}),))
    refuse_others(options, asked)
    if options.judgements != "qrels":
        return several_lines(options, asked)
    return _evaluate(options, asked)


def _evaluate(options: Options, asked: dict[Entry, str]) -> Iterator[str]:
    columns = {
        entry: columns_of(entry, typed, options) for entry, typed in asked.items() if entry.measure
    }
    zscores = read_zscores(options.zscores) if options.zscores is not None else None
    qrels = read_judgements(options.qrels)
    found = judge_run(qrels, options.run, policies_of(options))
    if not options.complete and options.query is None:
        _say_missing(found)
    judged, chosen = prepare(found, options)
    if len(chosen) == 0:
        raise RefusedError("trec_eval: No queries with both results and relevance info", NOTHING)
    evaluation = RankingEvaluation(judged, Sampling())
    evaluation.prepare(c.measure for cs in columns.values() for c in cs if c.measure is not None)
    answer = _Answer(options, evaluation, chosen, found.present[chosen], zscores)
    printed: list[Printed] = []
    for entry, typed in asked.items():
        if entry in columns:
            printed += [answer.numbers(column) for column in columns[entry]]
        else:
            printed.append(answer.special(entry, typed))
    return lines(printed, answer.queries, by_query=options.by_query, summary=options.summary)


def _say_missing(judged: Judged) -> None:
    missing = [judged.items[i] for i in np.flatnonzero(~judged.present)]
    if 0 < len(missing) < len(judged.items):
        say(
            plain(
                f"tare trec_eval: {len(missing):,} of {len(judged.items):,} queries of the qrels are "
                f"not in the run and were skipped ({', '.join(listed(missing))}); -c counts them."
            )
        )


class _Answer:
    """Formatted values of the evaluated queries."""

    def __init__(
        self,
        options: Options,
        evaluation: RankingEvaluation,
        chosen: NDArray[np.int64],
        present: NDArray[np.bool_],
        zscores: ZScores | None,
    ) -> None:
        self.options = options
        self.evaluation = evaluation
        self.chosen = chosen
        self.made_up = ~present
        self.zscores = zscores
        items = evaluation.judged.items
        self.queries = [items[i] for i in chosen.tolist()]
        self.divisor = len(items) if options.complete else len(chosen)

    def numbers(self, column: Column) -> Printed:
        """Return a column of numbers that trec_eval prints, by query and in total."""
        values = column.values(self.evaluation)[self.chosen]
        if column.cleared:
            values = np.where(self.made_up, 0.0, values)
        show = integer if column.integer else real
        if self.zscores is not None:
            values = self.zscores.convert(column.name, self.queries, values)
            show = real
        texts = [show(v) for v in values.tolist()] if self._by_query(column.by_query) else []
        summary = show(self._summary(column, values))
        return Printed(column.name, texts, summary, z=self.zscores is not None)

    def special(self, entry: Entry, typed: str) -> Printed:
        """Return a column of trec_eval without numbers per query: the run id, the number of queries, the grades."""
        judged = self.evaluation.judged
        if entry.name == "runid":
            return Printed(entry.name, summary=judged.system)
        if entry.name == "num_q":
            z = self.zscores is not None
            return Printed(entry.name, summary=(real if z else integer)(self.divisor), z=z)
        name = f"{entry.name}_{typed}" if typed else entry.name
        length = int(read_numbers(entry.name, typed or entry.defaults)[0])
        if not self._by_query(True):
            return Printed(name)
        strings = relevance_strings(judged, max(length, 0))
        return Printed(
            name,
            [
                "''" if made_up and not typed else f"'{strings[i]}'"
                for i, made_up in zip(self.chosen.tolist(), self.made_up.tolist(), strict=True)
            ],
        )

    def _by_query(self, offered: bool) -> bool:
        return offered and self.options.by_query

    def _summary(self, column: Column, values: NDArray[np.float64]) -> float:
        """Return the summary of a column of trec_eval; values are added in the order of the queries, as in trec_eval."""
        if column.name == "num_rel" and self.options.complete:
            # Under -c, both versions count the grades above 0 of every query, regardless of -l.
            qrels = self.evaluation.judged.qrels
            return float((qrels.levels[qrels.pool] > 0).sum())
        total = float(np.cumsum(values)[-1])
        if column.summary == "sum":
            return total
        if column.summary == "geometric":
            missing = self.divisor - len(values)
            return math.exp((total + missing * math.log(FLOOR)) / self.divisor)
        return total / self.divisor
