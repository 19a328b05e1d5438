"""The command `tare trec_eval`."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tare._cli.output import say
from tare._cli.streams import print_bytes
from tare._cli.trec_eval.help import USAGE_TEXT, help_text
from tare._cli.trec_eval.options import Options, parse_options
from tare._cli.trec_eval.printing import Printed, integer, lines, real
from tare._cli.trec_eval.reading import judge_run, read_judgements
from tare._cli.trec_eval.several import refuse_others, several_lines
from tare._cli.trec_eval.zscores import ZScores, read_zscores
from tare._data import Judged
from tare._data.findings import listed
from tare._measures.one_system import Evaluation, Sampling
from tare._plain_text import plain
from tare._signature import tare_version
from tare.compat._trec_eval.columns import FLOOR, Column, columns_of
from tare.compat._trec_eval.measures import (
    NOTHING,
    USAGE,
    Entry,
    RefusedError,
    choose_measures,
    read_numbers,
)
from tare.compat._trec_eval.rankings import policies_of, prepare, relevance_strings
from tare.errors import TareError

__all__ = ["main"]


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
    evaluation = Evaluation(judged, Sampling())
    evaluation.compute(c.measure for cs in columns.values() for c in cs if c.measure is not None)
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
        evaluation: Evaluation,
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
        """Return a column of numbers, by query and in total."""
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
        """Return a column without numbers per query: the run id, the number of queries, the grades."""
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
        """Return the summary of a column; values are added in the order of the queries, as in trec_eval."""
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
