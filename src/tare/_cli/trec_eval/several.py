"""Judgements by several assessors: preferences (`prefs`, `qrels_prefs`) and groups (`qrels_jg`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tare import _kernels as kernels
from tare._cli.trec_eval.options import Options
from tare._cli.trec_eval.printing import Printed, integer, lines, real
from tare._cli.trec_eval.zscores import read_zscores
from tare._data import Judged, Run, read_qrels
from tare._data.assessor_groups import Level, read_assessor_groups, twice
from tare._data.rows import raise_problems
from tare._files.opening import blocks, name_of
from tare._measures.assessors import preference_values
from tare._measures.one_system import Evaluation, Sampling
from tare.compat._trec_eval.columns import columns_of
from tare.compat._trec_eval.measures import CALCULATION, NOTHING, Entry, RefusedError
from tare.compat._trec_eval.rankings import policies_of, prepare
from tare.errors import FormatError

__all__ = ["refuse_others", "several_lines"]

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
    """Raise if a measure cannot be computed from the judgements that -R names."""
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
    """Compute measures of preferences; here, and only here, ties are broken by ascending document id."""
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
    """Compute the plain measure from each group's grades, averaged over the groups of a query."""
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
        evaluation = Evaluation(ready, Sampling())
        for query in qrels.items:
            counts[query] += 1
        for column in columns:
            for query, value in zip(qrels.items, column.values(evaluation).tolist(), strict=True):
                sums[column.name][query] += value
    return {name: {q: v / counts[q] for q, v in by.items()} for name, by in sums.items()}
