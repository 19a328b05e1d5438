"""The command `tare ndeval`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tare._cli.ndeval.options import USAGE_TEXT, Options, parse_options
from tare._cli.ndeval.topics import number_of, rename_topics, warn
from tare._cli.output import say
from tare._cli.streams import write_data
from tare._data import Judged, Policies
from tare._data.runs import read_run
from tare._data.subtopics import Subtopics, read_subtopics
from tare._measures.evaluate_rankings import join
from tare._measures.measure import Measure, make
from tare._measures.one_system import Evaluation, Sampling
from tare._signature import tare_version
from tare.errors import FormatError, TareError

__all__ = ["main"]

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
    """Return the columns in ndeval's order, each with its measure."""
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
    """Return the values of every topic of the run; topics without judgements have 0, as in ndeval."""
    evaluation = Evaluation(judged, Sampling())
    table = np.array([evaluation.values(measure) for measure in columns.values()])
    found = {judged.items[i]: table[:, i] for i in np.flatnonzero(judged.present)}
    found |= {query: np.zeros(len(columns)) for query in judged.unknown}
    return {topic: found[topic] for topic in sorted(found, key=_in_order)}


def _in_order(topic: str) -> tuple[int, int, str]:
    """Return the sort key of a topic: numbers by value, then other names."""
    number = number_of(topic)
    return (1, 0, topic) if number is None else (0, number, topic)


def _risk(run: Array, base: Array, risk: float) -> Array:
    return np.where(run >= base, run - base, (1 + risk) * (run - base))


def _line(runid: str, topic: str, values: Array) -> str:
    number = number_of(topic)
    written = ",".join(f"{v:z.6f}" for v in values.tolist())  # z: no negative zero
    return f"{runid},{topic if number is None else number},{written}\n"
