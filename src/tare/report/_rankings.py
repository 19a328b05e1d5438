"""Rankings of single queries, as reports and the explorer show them: side by side, with contributions and marked texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from tare._data.passages import Passage, passages_by_id
from tare._data.preferences import QueryUtilities, Utilities
from tare._data.qrels import read_qrels
from tare._data.runs import Run, read_runs
from tare._measures.aggregation import better_end
from tare._measures.evaluate_rankings import evaluate
from tare._plain_text import plain, plain_lines
from tare._result import Row
from tare.errors import OptionError, nearest
from tare.report._context import ReportContext, ReportedMeasure
from tare.report._theme import templates

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = [
    "ChosenQuery",
    "Levels",
    "QueryGroup",
    "QueryJudgements",
    "RankedQuery",
    "RankingFiles",
    "chosen_queries",
    "compared_pair",
    "contributions",
    "drawn_legend",
    "drawn_query",
    "marked",
    "number",
    "ranked",
    "runs_of_systems",
    "score_of",
    "signed",
    "swapped_score",
]


# What each rank adds to a measure, and what would change if two documents swapped their ranks.


QueryJudgements = Mapping[str, float] | QueryUtilities
"""The judgements of one query: grades by document, or utilities that follow from preferences."""

# An id that no judged document has, because ids in files contain no control characters.
NOBODY = "\x00"


def _scores(
    measure: str, judged: QueryJudgements, rankings: Sequence[Sequence[str]]
) -> list[float]:
    """Score several rankings of one query; each becomes a separate query."""
    names = [f"{k:06d}" for k in range(len(rankings))]
    qrels: Any  # either kind is a source of `evaluate`
    if isinstance(judged, QueryUtilities):
        qrels = Utilities.of((name, judged) for name in names)
    else:
        qrels = {name: dict(judged) for name in names}
    run = {
        name: {document: float(-rank) for rank, document in enumerate(ranking)}
        for name, ranking in zip(names, rankings, strict=True)
    }
    found = evaluate(qrels, {"ranking": run}, measure)
    values = dict(zip(found.items, found.matrix(measure)[0].tolist(), strict=True))
    return [values[name] for name in names]


def _worth(judged: QueryJudgements) -> set[str]:
    """Return the documents of a ranking that can change a score: relevant ones, or those that were compared."""
    if isinstance(judged, QueryUtilities):
        return set(judged.documents)
    return {document for document, grade in judged.items() if grade > 0}


def score_of(measure: str, judged: QueryJudgements, ranking: Sequence[str]) -> float:
    """Return the score of one ranking."""
    known = isinstance(judged, QueryUtilities) or bool(judged)
    return _scores(measure, judged, [ranking])[0] if known and ranking else 0.0


def contributions(measure: str, judged: QueryJudgements, ranking: Sequence[str]) -> list[float]:
    """Return, for each rank of a ranking, what the score would lose if its document was not relevant.

    With preferences: if an unknown document, which was never compared, was in its place. For DCG and
    similar sums, the contributions add up to the score.
    """
    worth = _worth(judged)
    if not worth or not ranking:
        return [0.0] * len(ranking)
    relevant = [k for k, document in enumerate(ranking) if document in worth]
    variants = [[*ranking[:k], f"{NOBODY}{k}", *ranking[k + 1 :]] for k in relevant]
    whole, *without = _scores(measure, judged, [list(ranking), *variants])
    made = [0.0] * len(ranking)
    for k, value in zip(relevant, without, strict=True):
        made[k] = whole - value
    return made


def swapped_score(
    measure: str, judged: QueryJudgements, ranking: Sequence[str], first: int, second: int
) -> tuple[float, float]:
    """Return the score of a ranking before and after two ranks, counted from 1, are swapped."""
    other = list(ranking)
    other[first - 1], other[second - 1] = other[second - 1], other[first - 1]
    before, after = _scores(measure, judged, [list(ranking), other])
    return before, after


# Draw the rankings of one query as HTML; reports and the explorer share the templates.


def number(value: float | None) -> str:
    """Return a score next to a ranking with three digits; a missing one is a dash."""
    return "–" if value is None or value != value else f"{value:.3f}".replace("-", "−")


def signed(value: float | None) -> str:
    """Return a difference between rankings with its sign; no difference has none."""
    if value is None or value != value:
        return "–"
    return f"{value:+.3f}".replace("-", "−") if value else "0.000"


@cache
def _environment() -> Environment:
    made = templates("rankings.html.j2", "ranked_query.html.j2")
    made.filters |= {"plain": plain, "number": number, "signed": signed}
    return made


def drawn_query(**values: object) -> Markup:
    """Return one query with its rankings as HTML, closed until the reader opens it."""
    from markupsafe import Markup

    text = _environment().get_template("ranked_query.html.j2").render(values)
    return Markup(text.encode("utf-8", "replace").decode("utf-8"))


def drawn_legend(measure: str) -> Markup:
    """Return the meaning of colours and bars."""
    macros: Any = _environment().get_template("rankings.html.j2").module
    found: Markup = macros.legend(measure)
    return found


# The documents of runs in their order, one run in memory at a time if each has its own file.


def runs_of_systems(paths: Sequence[Path], systems: Sequence[str]) -> Iterator[tuple[str, Run]]:
    """Yield each system with its run of rankings, in the order of the systems."""
    if len(paths) == len(systems):
        for system, path in zip(systems, paths, strict=True):
            for run in read_runs([str(path)]):
                yield system, run
    else:  # files with several systems
        found = {run.system: run for run in read_runs([str(path) for path in paths])}
        yield from ((system, found[system]) for system in systems)


def ranked(
    run: Run, depth: int, queries: frozenset[str] | None = None
) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Yield the first documents of every query with their scores, ranked as trec_eval does."""
    order = {query: k for k, query in enumerate(run.rows.queries)}
    for query in run.queries:
        if queries is None or query in queries:
            names, values = run.rows.documents(order[query])
            pairs = list(zip(names, values.tolist(), strict=True))
            if not (values[1:] < values[:-1]).all():  # most runs are written in this order
                pairs.sort(key=itemgetter(1, 0), reverse=True)
            yield query, pairs[:depth]


# Texts with the words of a query marked, as safe HTML.


WORD = re.compile(r"\w+")
MIN_LETTERS = 2
STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "do",
        "does",
        "for",
        "from",
        "how",
        "in",
        "is",
        "it",
        "of",
        "on",
        "or",
        "that",
        "the",
        "to",
        "was",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
    ]
)


def marked(text: str, query: str, limit: int = 0) -> Markup:
    """Return the text of a document with the words of the query in `<mark>`; everything else is escaped.

    >>> marked("The <b>cats</b> sat", "cat cats?")
    Markup('The &lt;b&gt;<mark>cats</mark>&lt;/b&gt; sat')
    """
    cut = limit and len(text) > limit
    shown = plain_lines((text[:limit] if cut else text).replace("\t", " ").replace("\r", ""))
    words = {w.lower() for w in WORD.findall(query) if len(w) >= MIN_LETTERS}
    words = (words - STOP) or words
    parts: list[str] = []
    at = 0
    for found in WORD.finditer(shown):
        if found[0].lower() in words:
            parts += [
                escape(shown[at : found.start()]),
                Markup("<mark>"),
                escape(found[0]),
                Markup("</mark>"),
            ]
            at = found.end()
    parts.append(escape(shown[at:]))
    return Markup("").join(parts) + ("…" if cut else "")


# The rankings of one query side by side: grades, contributions, ranks elsewhere and texts.


SNIPPET = 300  # letters of a document in a ranking
Ranking = Sequence[tuple[str, float]]


@dataclass(frozen=True)
class Levels:
    """The score of a system on one query, shown with its ranking, next to its expected value and net score if known."""

    gross: float | None
    tare: float | None = None
    net: float | None = None

    @property
    def slope(self) -> float | None:
        """The net score per unit of the score on this query, 1 / (ideal − tare)."""
        if self.gross is None or self.tare is None or self.net is None:
            return None
        distance = self.gross - self.tare
        return self.net / distance if abs(distance) > 1e-9 else None


@dataclass(frozen=True)
class RankedQuery:
    """A query and what some systems ranked for it, best documents first.

    With preferences, `grades` are the shares of comparisons that each document won, which are shown, and
    `utilities` are what the measure is computed from.
    """

    text: str
    grades: Mapping[str, float]
    rankings: Mapping[str, Ranking]
    utilities: QueryUtilities | None = None

    @property
    def judged(self) -> QueryJudgements:
        """What the measure is computed from."""
        return self.grades if self.utilities is None else self.utilities

    def sides(
        self,
        measure: str,
        levels: Mapping[str, Levels],
        passage: Callable[[str], Passage | None],
        shown: int,
    ) -> list[Row]:
        """Return the first `shown` documents of each system's ranking as rows, with what each one adds."""
        ranks = {
            name: {document: k for k, (document, _) in enumerate(own, 1)}
            for name, own in self.rankings.items()
        }
        documents_of = {
            name: [document for document, _ in own] for name, own in self.rankings.items()
        }
        added_by = {
            name: contributions(measure, self.judged, own) for name, own in documents_of.items()
        }
        # The bars of both systems have one scale: they are compared with each other.
        most = max([1e-12, *(abs(value) for own in added_by.values() for value in own)])
        made = []
        for name, own in self.rankings.items():
            documents, added, slope = documents_of[name], added_by[name], levels[name].slope
            others = next((ranks[other] for other in ranks if other != name), None)
            rows = [
                {
                    "rank": rank,
                    "document": document,
                    "score": score,
                    "alone": others is None,
                    "other": None if others is None else others.get(document),
                    "grade": f"{self.grades[document]:g}" if document in self.grades else "",
                    "means": "grade" if self.utilities is None else "share of wins",
                    "tone": self._tone(document),
                    "added": added[rank - 1],
                    "net": None if slope is None else added[rank - 1] * slope,
                    "width": round(100 * abs(added[rank - 1]) / most, 1),
                    "text": self._snippet(passage(document)),
                }
                for rank, (document, score) in enumerate(own[:shown], 1)
            ]
            made.append(
                {
                    "name": name,
                    "rows": rows,
                    "total": len(own),
                    "gross": levels[name].gross,
                    "net": levels[name].net,
                    "at_depth": score_of(measure, self.judged, documents),
                }
            )
        return made

    def missed(self) -> list[tuple[str, float]]:
        """Return relevant documents of the query that no system's ranking contains, best grade first."""
        seen = {document for own in self.rankings.values() for document, _ in own}
        found = [(name, g) for name, g in self.grades.items() if g > 0 and name not in seen]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def _tone(self, document: str) -> str:
        """Return the class of a document's grade in a ranking: unjudged, or g0 to g4 by its share of the best grade."""
        if document not in self.grades:
            return "unjudged"
        best = max(1.0, *self.grades.values())
        grade = self.grades[document]
        return "g0" if grade <= 0 else f"g{max(1, min(4, round(4 * grade / best)))}"

    def _snippet(self, passage: Passage | None) -> Row | None:
        if passage is None:
            return None
        return {"title": passage.title, "html": marked(passage.text, self.text, SNIPPET)}


# The files behind a comparison: rankings, judgements and texts of the queries that are shown.


DEPTH = 100  # documents of a ranking that count


@dataclass(frozen=True)
class RankingFiles:
    """Qrels and runs of a report, and the texts of its queries and documents if there are any."""

    qrels: Path
    runs: tuple[Path, ...]
    queries: Path | None = None
    documents: str | None = None

    def ranked_queries(
        self, systems: Sequence[str], pair: Sequence[str], items: Sequence[str]
    ) -> dict[str, RankedQuery]:
        """Return some queries of a report with their judgements and the rankings of the systems in `pair`."""
        wanted = frozenset(items)
        texts = {}
        if self.queries is not None:
            found = passages_by_id(str(self.queries), wanted)
            texts = {key: passage.text for key, passage in found.items()}
        grades = {q: dict(own) for q, own in read_qrels(self.qrels).by_query() if q in wanted}
        rankings: dict[str, dict[str, list[tuple[str, float]]]] = {item: {} for item in items}
        for system, run in runs_of_systems(self.runs, systems):
            if system in pair:
                for query, documents in ranked(run, DEPTH, wanted):
                    rankings[query][system] = documents
        return {
            item: RankedQuery(
                texts.get(item, ""),
                grades.get(item, {}),
                {system: rankings[item].get(system, []) for system in pair},
            )
            for item in items
        }

    def passages(self, queries: Sequence[RankedQuery], shown: int) -> dict[str, Passage]:
        """Return the texts of the documents in the rankings that are shown; other texts are not kept."""
        if self.documents is None:
            return {}
        lists = [own for query in queries for own in query.rankings.values()]
        return passages_by_id(self.documents, {name for own in lists for name, _ in own[:shown]})


# Which queries of a comparison matter most: large differences, uninformative, failures of all.


NEAR = 0.1  # how close to chance the mean of the systems is on a query called uninformative


@dataclass(frozen=True)
class ChosenQuery:
    """A query whose rankings are shown, with its place in the score table."""

    place: int
    item: str


@dataclass(frozen=True)
class QueryGroup:
    """Queries whose rankings were chosen for one reason, the clearest case first."""

    title: str
    queries: tuple[ChosenQuery, ...]


def compared_pair(context: ReportContext, wanted: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the one or two systems whose rankings of queries are shown.

    By default the best system and the baseline of the comparison, or the best two systems.
    """
    systems = context.scores.systems
    for name in wanted:
        if name not in systems:
            raise OptionError(f"--drill-pair: {name!r} is not a system.{nearest(name, systems)}")
    if wanted:
        return tuple(dict.fromkeys(wanted))
    best = context.ranking(context.measures[0].name)
    comparison = context.comparison
    given = () if comparison is None else comparison.baseline
    baseline = next((name for name in best if name in given), None)
    if baseline is None:
        return tuple(best[:2])
    return next(((name, baseline) for name in best if name != baseline), (baseline,))


def chosen_queries(
    context: ReportContext, pair: tuple[str, ...], count: int
) -> tuple[QueryGroup, ...]:
    """Return at most `count` queries to show with rankings, in groups; the groups take turns, the first one begins.

    Ties are in the order of the score table, so the choice is the same in every call. A query
    belongs to the first group that takes it.
    """
    wanted = _candidates(context, pair)
    taken: dict[int, str] = {}
    queues = {title: list(places) for title, places in wanted.items()}
    while len(taken) < count and any(queues.values()):
        for title, queue in queues.items():
            while queue and queue[0] in taken:
                queue.pop(0)
            if queue and len(taken) < count:
                taken[queue.pop(0)] = title
    items = context.scores.items
    return tuple(
        QueryGroup(
            title, tuple(ChosenQuery(k, items[k]) for k, own in taken.items() if own == title)
        )
        for title in wanted
        if title in taken.values()
    )


def _candidates(context: ReportContext, pair: tuple[str, ...]) -> dict[str, list[int]]:
    """Return the places of all queries that qualify for each group of shown rankings, the clearest case first."""
    scores, reported = context.scores, context.measures[0]
    values = scores.matrix(reported.name)
    sign = -1.0 if better_end(reported.name) == "lower" else 1.0
    found: dict[str, list[int]] = {}
    if len(pair) == 2:
        first, second = (values[scores.systems.index(name)] for name in pair)
        difference = np.nan_to_num(sign * (first - second))
        found[f"{pair[0]} scores better"] = _largest(difference, difference > 0)
        found[f"{pair[1]} scores better"] = _largest(-difference, difference < 0)
    margin = _margin(context, values, sign, reported)
    if reported.expected is not None:
        found["No system scores above a random ranking"] = _largest(-margin, margin <= 0)
        distance = _distance(values, scores.matrix(reported.expected))
        near = f"Uninformative: the mean score of the systems is within {NEAR:g} of that of a random ranking"
        found[near] = _largest(-distance, distance < NEAR)
    elif sign > 0:
        found["All systems score 0"] = _largest(-margin, margin <= 0)
    return found


def _margin(
    context: ReportContext, values: NDArray[np.float64], sign: float, reported: ReportedMeasure
) -> NDArray[np.float64]:
    """Return by how much the best system beats chance on each query, to choose rankings to show; without chance, beats 0."""
    expected = 0.0 if reported.expected is None else context.scores.matrix(reported.expected)
    margins = np.where(np.isnan(values), -np.inf, sign * (values - expected))
    found: NDArray[np.float64] = margins.max(axis=0)
    return np.where(np.isneginf(found), np.inf, found)  # no system has a score


def _distance(values: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance of the mean of the systems from chance on each query, to choose rankings to show."""
    there = ~np.isnan(values) & ~np.isnan(expected)
    counts = there.sum(axis=0)
    totals = np.where(there, values - expected, 0.0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, np.abs(totals / counts), np.inf)


def _largest(key: NDArray[np.float64], among: NDArray[np.bool_]) -> list[int]:
    places = np.flatnonzero(among)
    return [int(k) for k in places[np.argsort(-key[places], kind="stable")]]
