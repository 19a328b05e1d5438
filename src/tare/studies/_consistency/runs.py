"""Consistency for people who bring runs: kinds of queries and halves of documents, from judgements.

Feng and Karmaker (2023), §6: uninformative against ideal queries, broad against focused ones, and the
two halves of each query's documents.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tare._data.pool import Pool
from tare._data.pools import Pools
from tare._data.qrels import Qrels, read_qrels
from tare._data.run import Run, read_run, read_runs
from tare._kernels import stream_ids
from tare._measures.evaluate import evaluate
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare._measures.scores import Scores
from tare.chance._kinds import kinds
from tare.chance._query_sets import broad_and_focused, halves
from tare.errors import MismatchError, OptionError
from tare.studies._consistency.result import Consistency
from tare.studies._consistency.study import Couple, SwapOptions, compared, with_families
from tare.studies._journal import digest

__all__ = ["run_consistency"]

SMALLEST = 2  # items of a set
FEW = 20


def run_consistency(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Sequence[str | Measure] = ("nDCG@10", "AP"),
    *,
    by_kind: bool = True,
    by_half: bool = True,
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: Any = None,
    kind_size: float = 0.5,
    kind: str = "tau_b",
    level: float = 0.05,
    width: float | None = None,
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    progress: Callable[[str], None] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> Consistency:
    """How often sets of queries, or halves of their documents, order two runs differently.

    by_kind: uninformative against ideal queries, which needs a `pool`, and broad against focused ones.
    by_half: each query's documents are split at random in two, judged or not, and each half is scored
    by itself; queries with a relevant document in both halves count.
    pool, corpus, candidates: what could have been ranked, as for `tare.evaluate`; in a half of the
    documents half of the corpus could have been.
    kind_size: how many queries the uninformative and ideal sets hold, or their share if below 1.
    The other options are those of `consistency`. The result keeps the scores, with the kinds as
    attributes of the queries.
    """
    options = SwapOptions(kind, level, width, draws, confidence, seed, threads=threads)
    if not by_kind and not by_half:
        raise OptionError(
            "nothing to compare: ask for kinds of queries, halves of documents, or both."
        )
    wanted = parse_all(measures)
    given = read_qrels(qrels)
    where = {"pool": pool, "corpus": corpus, "candidates": candidates}
    if by_kind:
        Pools.of(**where).known_from(given).require("the kinds of queries")
    if by_half and candidates is not None:
        raise OptionError("candidates cannot be split into halves; use pool= or corpus= instead.")
    rankings = _runs(runs)
    if len(rankings) < 2:
        raise MismatchError(f"{len(rankings)} run was given; at least 2 are needed.")
    scores = evaluate(given, rankings, wanted, **where)
    couples: list[Couple] = []
    notes: list[str] = []
    if by_kind:
        inner = [str(m) for m in dict.fromkeys(map(_innermost, wanted)) if m.definition.upper]
        if not inner:
            raise OptionError(
                "kinds of queries need a measure with an upper bound, such as nDCG@10."
            )
        found = kinds(given, rankings, inner, size=kind_size, **where)
        for name, values in found.attributes().items():
            scores = scores.with_attribute(name, values)
        breadth = broad_and_focused(_only(given, found.items), seed=seed)
        scores = scores.with_attribute("breadth", {q: n for n, qs in breadth.items() for q in qs})
        sets = {"uninformative": found.uninformative, "ideal": found.ideal, **breadth}
        whole = with_families(scores)
        for one, other in (("uninformative", "ideal"), ("broad", "focused")):
            sizes = min(len(sets[one]), len(sets[other]))
            if sizes < SMALLEST:
                notes.append(f"{one} and {other}: {sizes} queries are too few; not compared.")
                continue
            if sizes < FEW:
                notes.append(
                    f"{one} and {other}: {sizes} queries each are too few to conclude from."
                )
            couples.append(
                (one, whole.select(items=sets[one]), other, whole.select(items=sets[other]))
            )
    if by_half:
        where["corpus"] = half_of(corpus)
        sides = _halves(given, rankings, wanted, seed, where)
        left, right = (with_families(side) for side in sides)
        couples.append(("left", left, "right", right))
    if not couples:
        raise MismatchError("no two sets of queries are large enough. " + " ".join(notes))
    data = digest(scores, None, [(a, b) for a, _, b, _ in couples])
    made = compared(couples, notes, data, options, progress, journal)
    return replace(made, scores=scores)


def _runs(given: Any) -> list[Run]:
    """Runs from anything that `read_runs` takes, or a list of such."""
    if isinstance(given, list | tuple):
        return [
            run for part in given for run in ([part] if isinstance(part, Run) else read_runs(part))
        ]
    return list(read_runs(given))


def _innermost(measure: Measure) -> Measure:
    while measure.inner is not None:
        measure = measure.inner
    return measure


def _only(qrels: Qrels, items: Sequence[str]) -> Qrels:
    """The judgements of some queries."""
    kept = set(items)
    return read_qrels({q: dict(documents) for q, documents in qrels.by_query() if q in kept})


def _halves(
    qrels: Qrels, runs: Sequence[Run], measures: Sequence[Measure], seed: int, where: dict[str, Any]
) -> list[Scores]:
    """The scores on either half, of the queries that have a relevant document in both."""
    sides = halves(qrels, seed=seed)
    inside = [{(q, d) for q, documents in s.by_query() for d, _ in documents} for s in sides]
    relevant = [
        {q for q, documents in s.by_query() if any(g > 0 for _, g in documents)} for s in sides
    ]
    kept = sorted(relevant[0] & relevant[1])
    if len(kept) < SMALLEST:
        raise MismatchError(
            f"{len(kept)} queries have a relevant document in both halves; at least {SMALLEST} are needed."
        )
    made = []
    for number, side in enumerate(sides):
        parts = [_half(run, inside[number], inside[1 - number], number, seed) for run in runs]
        made.append(evaluate(_only(side, kept), parts, measures, **where))
    return made


def half_of(corpus: int | str | None) -> int | str | None:
    """Half of a corpus; what is not a number is left for `evaluate` to read."""
    try:
        return corpus if corpus is None else max(1, int(corpus) // 2)
    except ValueError:
        return corpus


def _half(
    run: Run, mine: set[tuple[str, str]], theirs: set[tuple[str, str]], number: int, seed: int
) -> Run:
    """The part of a run that ranks one half; unjudged documents go to either half at random."""
    rankings: dict[str, dict[str, float]] = {}
    for query, documents in run.by_query():
        names = [d for d, _ in documents]
        keys = stream_ids([f"{seed}\t{query}\t{name}" for name in names])
        side = np.asarray(keys >> np.uint64(63), dtype=np.int64).tolist()
        rankings[query] = {
            d: score
            for (d, score), own in zip(documents, side, strict=True)
            if (query, d) in mine or ((query, d) not in theirs and own == number)
        }
    return read_run({q: kept for q, kept in rankings.items() if kept}, system=run.system)
