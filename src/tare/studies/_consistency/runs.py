"""The study of consistency from runs: kinds of queries and halves of the documents.

Feng and Karmaker (2023), §6: uninformative and ideal queries, broad and focused queries, and two
random halves of the documents of each query.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data.pools import Pool, Pools
from tare._data.qrels import Qrels, read_qrels
from tare._data.runs import Run, read_run, read_runs
from tare._decide.journal import digest
from tare._kernels import stream_ids
from tare._measures.defaults import MAIN_MEASURES
from tare._measures.evaluate_rankings import evaluate
from tare._measures.measure import Measure
from tare._measures.names import parse_all
from tare._measures.one_system import opened_engine
from tare._measures.scores import Scores
from tare.chance._kinds_of_queries import broad_and_focused, halves, kinds
from tare.errors import MismatchError, OptionError
from tare.stats._draws import Drawing
from tare.studies._consistency.result import Consistency
from tare.studies._consistency.study import TablePair, compared, with_families
from tare.studies._consistency.swaps import SwapOptions

if TYPE_CHECKING:
    from tare._measures.inputs import CandidatesInput, GradesInput, RunsInput

__all__ = ["run_consistency"]

MIN_QUERIES = 2  # to compare a set at all
FEW_QUERIES = 20  # below this, a set supports no conclusion


def run_consistency(
    qrels: GradesInput,
    runs: RunsInput,
    measures: str | Measure | Sequence[str | Measure] = MAIN_MEASURES,
    *,
    by_kind: bool = True,
    by_half: bool = True,
    pool: str | Pool | None = None,
    corpus: int | str | None = None,
    candidates: CandidatesInput | None = None,
    kind_size: float = 0.5,
    kind: str = "tau_b",
    level: float = 0.05,
    width: float | None = None,
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    engine: str | Drawing | None = None,
    progress: Callable[[str], None] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> Consistency:
    """Compare how kinds of queries, and halves of the documents, rank the same runs.

    Parameters
    ----------
    qrels, runs, measures
        Judgements, runs and measures, as in `tare.evaluate`.
    by_kind : bool
        Compare uninformative with ideal queries, which needs a pool, and broad with focused queries.
    by_half : bool
        Split the documents of each query, judged or not, into two random halves, and score each half
        separately. Only queries with a relevant document in both halves count.
    pool, corpus, candidates
        What could have been ranked, as in `tare.evaluate`. Each half of the documents uses half of
        the corpus.
    kind_size : float
        Number of uninformative and of ideal queries, or their share if it is below 1.
    kind, level, width, draws, confidence, seed, threads, engine, progress, journal
        As in `consistency`.

    Returns
    -------
    Consistency
        Swap rates and rank correlations, with the scores; kinds are attributes of their items.

    Raises
    ------
    OptionError
        If there is nothing to compare, or if no measure has an upper bound.
    MismatchError
        If fewer than two runs are given, or all sets of queries are too small.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> found = run_consistency(data.qrels, data.runs, "nDCG@10", pool="judged", draws=100)
    >>> [(s.first, s.second) for s in found.found]
    [('uninformative', 'ideal'), ('left', 'right')]
    """
    with opened_engine(engine) as place:
        options = SwapOptions(
            kind, level, width, draws, confidence, seed, threads=threads, engine=place
        )
        if not by_kind and not by_half:
            raise OptionError(
                "there is nothing to compare. Set by_kind=True, by_half=True, or both."
            )
        wanted = parse_all(measures)
        given = read_qrels(qrels)
        where: dict[str, Any] = {"pool": pool, "corpus": corpus, "candidates": candidates}
        if by_kind:
            Pools.of(**where).known_from(given).require("the kinds of queries")
        if by_half and candidates is not None:
            raise OptionError(
                "candidates= cannot be split into halves. Use pool= or corpus= instead."
            )
        rankings = _runs(runs)
        if len(rankings) < 2:
            raise MismatchError(f"found {len(rankings)} run(s), but at least 2 are needed.")
        scores = evaluate(given, rankings, wanted, **where)
        table_pairs: list[TablePair] = []
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
            scores = scores.with_attribute(
                "breadth", {q: n for n, qs in breadth.items() for q in qs}
            )
            sets = {"uninformative": found.uninformative, "ideal": found.ideal, **breadth}
            whole = with_families(scores)
            for one, other in (("uninformative", "ideal"), ("broad", "focused")):
                sizes = min(len(sets[one]), len(sets[other]))
                if sizes < MIN_QUERIES:
                    notes.append(
                        f"{one} and {other} were not compared: {sizes} queries are too few."
                    )
                    continue
                if sizes < FEW_QUERIES:
                    notes.append(
                        f"{one} and {other}: {sizes} queries are too few for a conclusion."
                    )
                table_pairs.append(
                    (one, whole.select(items=sets[one]), other, whole.select(items=sets[other]))
                )
        if by_half:
            where["corpus"] = half_of(corpus)
            sides = _halves(given, rankings, wanted, seed, where)
            left, right = (with_families(side) for side in sides)
            table_pairs.append(("left", left, "right", right))
        if not table_pairs:
            raise MismatchError(
                "no two sets of queries are large enough to be compared. " + " ".join(notes)
            )
        data = digest(scores, None, [(a, b) for a, _, b, _ in table_pairs])
        made = compared(table_pairs, notes, data, options, progress, journal)
        return replace(made, scores=scores)


def _runs(given: RunsInput) -> list[Run]:
    """Return the runs of a source, or of a list of sources, as `read_runs` takes them."""
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
    """Return the judgements of some queries."""
    kept = set(items)
    return read_qrels({q: dict(documents) for q, documents in qrels.by_query() if q in kept})


def _halves(
    qrels: Qrels, runs: Sequence[Run], measures: Sequence[Measure], seed: int, where: dict[str, Any]
) -> list[Scores]:
    """Return the scores on both halves, for queries with a relevant document in each."""
    sides = halves(qrels, seed=seed)
    inside = [{(q, d) for q, documents in s.by_query() for d, _ in documents} for s in sides]
    relevant = [
        {q for q, documents in s.by_query() if any(g > 0 for _, g in documents)} for s in sides
    ]
    kept = sorted(relevant[0] & relevant[1])
    if len(kept) < MIN_QUERIES:
        raise MismatchError(
            f"{len(kept)} queries have a relevant document in both halves, but at least "
            f"{MIN_QUERIES} are needed."
        )
    made = []
    for number, side in enumerate(sides):
        parts = [_half(run, inside[number], inside[1 - number], number, seed) for run in runs]
        made.append(evaluate(_only(side, kept), parts, measures, **where))
    return made


def half_of(corpus: int | str | None) -> int | str | None:
    """Return half of a corpus size; a size that is not a number is left to `evaluate`."""
    try:
        return corpus if corpus is None else max(1, int(corpus) // 2)
    except ValueError:
        return corpus


def _half(
    run: Run, mine: set[tuple[str, str]], theirs: set[tuple[str, str]], number: int, seed: int
) -> Run:
    """Return the documents of one half; unjudged documents are assigned at random."""
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
