"""`tare ndeval`: a drop-in replacement for ndeval, for any depth and any topic names."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._cli.output import say, write_data
from tare._data import Judged, Policies
from tare._data.runs import Run, read_run
from tare._data.subtopics import Subtopics, read_subtopics
from tare._files.opening import name_of
from tare._measures.evaluate_rankings import join
from tare._measures.measure import Measure, make
from tare._measures.one_system import RankingEvaluation, Sampling
from tare._plain_text import plain
from tare._signature import tare_version
from tare.errors import FormatError, MismatchError, OptionError, TareError

__all__ = ["USAGE_TEXT", "Options", "main", "number_of", "parse_options", "rename_topics", "warn"]


# Command-line options, parsed as ndeval does; -cutoffs is an addition.


USAGE_TEXT = """Usage: tare ndeval [options] QRELS RUN

  -alpha value      loss of a subtopic's value each time it is covered (0.5)
  -beta value       patience, for NRBP (0.5)
  -traditional      order by score, then by document id; otherwise by rank
  -M depth          use only the first documents of each ranking
  -c                average over all topics of the judgements
  -baseline RUN     print differences from this run
  -riskAlpha value  losses against the baseline count 1 + value times (0)
  -cutoffs list     depths (5,10,20); not an option of ndeval
  -version, -help

  Values are written to standard output as CSV.

Examples:
   tare ndeval -c qrels.diversity bm25.run
   tare ndeval -alpha 0.3 -cutoffs 3,20 qrels.diversity bm25.run
"""


@dataclass
class Options:
    """The parsed options."""

    qrels: str = ""
    run: str = ""
    alpha: float = 0.5
    beta: float = 0.5
    traditional: bool = False
    depth: int | None = None
    complete: bool = False
    baseline: str | None = None
    risk: float = 0.0
    risk_text: str = "0"
    cutoffs: tuple[int, ...] = (5, 10, 20)
    help: bool = False
    version: bool = False


def parse_options(arguments: list[str]) -> Options:
    """Parse the command line of `tare ndeval`; options precede the two files, as in ndeval."""
    options = Options()
    rest = list(arguments)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        name = rest.pop(0).lstrip("-")
        if name in ("help", "version"):
            setattr(options, name, True)
            return options
        if name == "traditional":
            options.traditional = True
        elif name in ("alpha", "beta"):
            setattr(options, name, _number(name, _value(name, rest), 0, 1))
        elif name == "M":
            options.depth = int(_number(name, _value(name, rest), 1, 2**31))
        elif name == "baseline":
            options.baseline = _value(name, rest)
        elif name == "riskAlpha":
            options.risk_text = _value(name, rest)
            options.risk = _number(name, options.risk_text, 0, float("inf"))
        elif name == "cutoffs":
            parts = _value(name, rest).split(",")
            options.cutoffs = tuple(int(_number(name, part, 1, 2**31)) for part in parts)
        elif name and set(name) <= set("ca"):
            options.complete |= "c" in name
        else:
            raise OptionError(f"ndeval: there is no option '-{name}'.\n{USAGE_TEXT}")
    if len(rest) != 2:
        raise OptionError(f"ndeval: expected QRELS and RUN, found {len(rest)} files.\n{USAGE_TEXT}")
    options.qrels, options.run = rest
    return options


def _value(name: str, rest: list[str]) -> str:
    if not rest:
        raise OptionError(f"ndeval: the option '-{name}' needs a value.\n{USAGE_TEXT}")
    return rest.pop(0)


def _number(name: str, text: str, low: float, high: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not low <= number <= high:
        raise OptionError(f"ndeval: -{name} {text}: expected a number from {low:g} to {high:g}.")
    return number


# Topics of a run and of the judgements: which ones correspond, and which have no counterpart.
#
# ndeval identifies topics by number. In a run, a prefix that ends in a hyphen may precede it: wt09-51 is
# topic 51. Names that also occur in the judgements are not changed.


MAX_NAMED = 5


def number_of(topic: str) -> int | None:
    """Return the number of a topic of the judgements for ndeval; None if it is not a number.

    >>> number_of("051"), number_of("q51")
    (51, None)
    """
    return int(topic) if topic.isascii() and topic.isdecimal() else None


def _run_number(topic: str) -> int | None:
    """Return ndeval's number of a topic of a run: the whole name, or what follows the first hyphen."""
    if topic[:1].isdecimal():
        return number_of(topic)
    _, hyphen, rest = topic.partition("-")
    return number_of(rest) if hyphen else None


def rename_topics(run: Run, topics: Sequence[str], path: str) -> Run:
    """Return the run for ndeval with the topic names of the judgements."""
    numbers = {number_of(topic): topic for topic in topics}
    numbers.pop(None, None)
    known = set(topics)
    names = {}
    for topic in run.queries:
        number = None if topic in known else _run_number(topic)
        names[topic] = (
            topic if number is None else numbers.get(number, str(number) if numbers else topic)
        )
    if all(old == new for old, new in names.items()):
        return run
    joined: dict[str, dict[str, float]] = {}
    first: dict[str, str] = {}
    for topic, documents in run.by_query():
        ranking = joined.setdefault(names[topic], {})
        for document, score in documents:
            if document in ranking:
                raise FormatError(
                    f"{path}: topics {first[names[topic]]!r} and {topic!r} are both topic "
                    f"{names[topic]}, and document {document!r} is in both. Prefixes before a "
                    "hyphen are ignored, as in ndeval; remove one of the two."
                )
            ranking[document] = score
        first.setdefault(names[topic], topic)
    return read_run(joined, system=run.system)


def warn(judged: Judged, qrels: str, path: str, *, complete: bool) -> None:
    """Report topics of ndeval without a counterpart on stderr; raise if there is no common topic for a mean."""
    qrels, path = name_of(qrels), name_of(path)
    absent = [item for item, here in zip(judged.items, judged.present, strict=True) if not here]
    if len(absent) == len(judged.items) and not complete:
        raise MismatchError(
            f"no topic of {path} ({_named(judged.unknown)}) has judgements in {qrels} "
            f"({_named(judged.items)}). Are these the right files? -c counts all topics of the "
            "judgements as 0."
        )
    present = len(judged.items) - len(absent)
    if judged.unknown:
        say(
            plain(
                f"tare ndeval: {len(judged.unknown):,} of {present + len(judged.unknown):,} topics of "
                f"{path} have no judgements ({_named(judged.unknown)}); their values are 0."
            )
        )
    if absent and not complete:
        say(
            plain(
                f"tare ndeval: {len(absent):,} of {len(judged.items):,} topics of {qrels} are not in "
                f"{path} ({_named(absent)}) and are not in the mean; -c counts them as 0."
            )
        )


def _named(topics: Sequence[str]) -> str:
    shown = ", ".join(topics[:MAX_NAMED])
    return f"{shown}, …" if len(topics) > MAX_NAMED else shown


# The command `tare ndeval`.


Array = NDArray[np.float64]


def main(argv: list[str]) -> int:
    """Run `tare ndeval` with these arguments and return the exit code."""
    try:
        for line in _answer(argv):
            write_data(line)
        sys.stdout.flush()
    except TareError as error:
        say(str(error))
        return error.exit_code
    return 0


def _answer(argv: list[str]) -> Iterator[str]:
    options = parse_options(argv)
    if options.help:
        return iter((USAGE_TEXT,))
    if options.version:
        return iter((f"ndeval version 4.5 (tare {tare_version()})\n",))
    return _evaluate(options)


def columns_of(options: Options) -> dict[str, Measure]:
    """Return the columns of novelty and diversity in ndeval's order, each with its measure."""
    alpha = {"alpha": options.alpha}
    columns = {}
    for printed, name, parameters in (
        ("ERR-IA", "ERR_IA", alpha),
        ("nERR-IA", "nERR_IA", alpha),
        ("alpha-DCG", "alpha_DCG", alpha),
        ("alpha-nDCG", "alpha_nDCG", alpha),
        ("NRBP", "NRBP", alpha | {"beta": options.beta}),
        ("nNRBP", "nNRBP", alpha | {"beta": options.beta}),
        ("MAP-IA", "AP_IA", {}),
        ("P-IA", "P_IA", {}),
        ("strec", "StRecall", {}),
    ):
        if name in ("NRBP", "nNRBP", "AP_IA"):
            columns[printed] = make(name, parameters)
        else:
            columns |= {f"{printed}@{k}": make(name, parameters, cutoff=k) for k in options.cutoffs}
    return columns


def _evaluate(options: Options) -> Iterator[str]:
    columns = columns_of(options)
    subtopics = read_subtopics(options.qrels)
    policies = Policies(depth=options.depth, order="score" if options.traditional else "rank")
    judged = _judged(subtopics, options.run, policies)
    warn(judged, options.qrels, options.run, complete=options.complete)
    values = _by_topic(judged, columns)
    runid, matched = judged.system, int(judged.present.sum())
    topics = list(values)
    if options.baseline is not None:
        base = _judged(subtopics, options.baseline, policies)
        warn(base, options.qrels, options.baseline, complete=True)
        runid += f" (rel to. {base.system}; rs=1+a; a={options.risk_text})"
        below = _by_topic(base, columns)
        if options.complete:
            topics = sorted({*topics, *below}, key=_in_order)
        none = np.zeros(len(columns))
        values = {t: _risk(values.get(t, none), below.get(t, none), options.risk) for t in topics}
    divisor = len(subtopics.items) if options.complete else matched
    if options.baseline is not None:  # it may have topics without judgements
        divisor = max(divisor, len(topics))
    yield f"runid,topic,{','.join(columns)}\n"
    total = np.zeros(len(columns))
    for topic in topics:
        total += values[topic]
        yield _line(runid, topic, values[topic])
    yield _line(runid, "amean", total / max(divisor, 1))


def _judged(subtopics: Subtopics, path: str, policies: Policies) -> Judged:
    run = rename_topics(
        read_run(path, order=policies.order, system_names="tag"), subtopics.items, path
    )
    if policies.order == "rank":
        _refuse_equal_ranks(run.by_query(), path)
    return join(subtopics, run, policies)


def _refuse_equal_ranks(queries: Iterator[tuple[str, list[tuple[str, float]]]], path: str) -> None:
    for query, documents in queries:
        if len({rank for _, rank in documents}) < len(documents):
            raise FormatError(
                f"{path}: two documents of topic {query!r} share a rank. ndeval orders by the rank "
                "column; number the documents, or use -traditional to order by score."
            )


def _by_topic(judged: Judged, columns: dict[str, Measure]) -> dict[str, Array]:
    """Return ndeval's values of every topic of the run; topics without judgements have 0, as in ndeval."""
    evaluation = RankingEvaluation(judged, Sampling())
    table = np.array([evaluation.values(measure) for measure in columns.values()])
    found = {judged.items[i]: table[:, i] for i in np.flatnonzero(judged.present)}
    found |= {query: np.zeros(len(columns)) for query in judged.unknown}
    return {topic: found[topic] for topic in sorted(found, key=_in_order)}


def _in_order(topic: str) -> tuple[int, int, str]:
    """Return the sort key of a topic in ndeval's output: numbers by value, then other names."""
    number = number_of(topic)
    return (1, 0, topic) if number is None else (0, number, topic)


def _risk(run: Array, base: Array, risk: float) -> Array:
    return np.where(run >= base, run - base, (1 + risk) * (run - base))


def _line(runid: str, topic: str, values: Array) -> str:
    number = number_of(topic)
    written = ",".join(f"{v:z.6f}" for v in values.tolist())  # z: no negative zero
    return f"{runid},{topic if number is None else number},{written}\n"
