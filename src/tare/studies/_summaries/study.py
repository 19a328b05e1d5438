"""The study of summaries: do text measures agree with people, and does chance correction help?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tare._data.ratings import RatedSummaries, read_rated_summaries
from tare._measures.defaults import MAIN_TEXT_MEASURES
from tare._measures.measure import Measure, make
from tare._measures.names import column_measures, parse, parse_all
from tare._measures.saved_scores import ScoreSource, scores_of
from tare._measures.scores import Scores
from tare._measures.text.evaluate_texts import evaluate_texts
from tare._result import Rows
from tare._signature import Signature
from tare.chance._kinds_of_queries import DocumentKinds, document_kinds
from tare.errors import MismatchError, OptionError, choose
from tare.stats._meta_evaluation import COEFFICIENTS
from tare.stats._randomisation import check_draws
from tare.studies._people.correlations import correlation_rows, improvement_rows
from tare.studies._people.data import MIN_SYSTEMS, SideBySide, side_by_side
from tare.studies._people.preferences import win_rows
from tare.studies._summaries.result import SummaryStudy

if TYPE_CHECKING:
    from tare._data.findings import Table

__all__ = ["summaries"]

ALL_DOCUMENTS = "all documents"
EXPECTED = ("exact", "sampled", "published", "best", "worst")


def summaries(
    data: RatedSummaries | Table,
    human: ScoreSource | None = None,
    measures: Sequence[str | Measure] | None = None,
    *,
    systems: Sequence[str] | None = None,
    expected: Sequence[str] | None = None,
    model: str | None = None,
    size: int = 20,
    kind: str = "tau_b",
    samples: int | None = None,
    draws: int = 500,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    progress: Callable[[str], None] | None = None,
) -> SummaryStudy:
    """Correlate text measures, and their V1 and V2, with human ratings of the same texts.

    Parameters
    ----------
    data : path, data frame or RatedSummaries
        Summaries, with or without ratings.
    human : Scores, path or data frame, optional
        A score table of ratings, if the data have none.
    measures : sequence of str or Measure, optional
        Measures without chance correction; by default ROUGE-1, ROUGE-2, ROUGE-L and, if a model is
        given, BERTScore.
    systems : sequence of str, optional
        Study only these systems.
    expected : sequence of str, optional
        The expected values of V1 and V2: "exact", "sampled", "published", "best" or "worst". Each
        measure uses those that it supports. The default is "exact" and, for BERTScore, also "best".
    model : str, optional
        The encoder of BERTScore. With a model, the study also uses sets of `size` heterogeneous
        documents, in which the choice of words matters least, and of homogeneous ones.
    size : int
        Number of documents of each kind.
    kind : str
        The coefficient of the tables; the rows have all coefficients.
    samples : int, optional
        Number of random texts for expected values without a closed form.
    draws : int
        Number of resamples behind the intervals. Tests try all exchanges of measures if there are at most
        so many; otherwise they draw so many, or 40 per test of a family if that is more.
    confidence : float
        Confidence level of the intervals.
    seed : int
        Seed of random draws.
    threads : int
        Number of threads; 0 uses all cores.
    progress : callable, optional
        Called with a short description of each step.

    Returns
    -------
    SummaryStudy
        Correlations at system and summary level, improvements, and wins.

    Raises
    ------
    OptionError
        If an option is unknown or out of range, or a measure is already normalised.
    MismatchError
        If there are no ratings, or too few systems or documents in common.

    Examples
    --------
    >>> rows = [
    ...     {"system": f"s{s}", "item": f"d{d}", "text": "one two three"[: 3 + 4 * s],
    ...      "references": ["one two three four"], "source": "one two three four five",
    ...      "scores": {"overall": s + d % 2}}
    ...     for s in range(3) for d in range(4)
    ... ]
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rated.jsonl"
    ...     _ = path.write_text("".join(json.dumps(row) + "\\n" for row in rows))
    ...     found = summaries(path, measures=["ROUGE-1"], draws=100)
    >>> found.people, found.measures
    (('overall',), ('ROUGE-1', 'V1(ROUGE-1)', 'V2(ROUGE-1)'))
    """
    choose("kind", kind, COEFFICIENTS)
    check_draws(draws, seed)
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} is not valid. It must lie between 0 and 1.")
    notify = progress or (lambda _: None)
    rated = data if isinstance(data, RatedSummaries) else read_rated_summaries(data)
    originals = _originals(measures, model)
    names = [name for original in originals for name in _with_chance(original, expected)]
    if systems is not None:
        rated = _chosen(rated, systems)
    people = _human(rated) if human is None else scores_of(human)
    notify("scoring texts")
    scores = evaluate_texts(
        rated.texts,
        names,
        seed=seed,
        samples=samples,
        threads=threads,
        progress=lambda what, done, total: notify(f"{what} {done:,} of {total:,}"),
    )
    encoders = [m for m in originals if m.name == "BERTScore"]
    kinds: DocumentKinds | None = None
    if encoders and size:
        notify("kinds of documents")
        kinds = document_kinds(rated.texts, encoders[0], size=size)
    whole = side_by_side(scores, people)
    rows: dict[str, Rows] = {name: [] for name in ("correlations", "improvements", "wins")}
    for name, part in _sets(whole, kinds).items():
        everyone = np.arange(len(part.systems))
        found: Rows = []
        for rating in part.people:
            for measure in part.measures:
                notify(f"{name}, {rating}: {measure}")
                found += correlation_rows(
                    part,
                    rating,
                    "all systems",
                    everyone,
                    measure,
                    draws=draws,
                    confidence=confidence,
                    seed=seed,
                    threads=threads,
                )
            won = win_rows(
                part,
                rating,
                pairs=_normalised_pairs(part.measures),
                draws=draws,
                seed=seed,
                threads=threads,
            )
            rows["wins"] += [{"set": name} | row for row in won]
        rows["correlations"] += [{"set": name} | row for row in found]
        rows["improvements"] += [{"set": name} | row for row in improvement_rows(found)]
    return SummaryStudy(
        rows,
        kinds,
        whole.systems,
        whole.items,
        whole.measures,
        whole.people,
        kind,
        draws,
        confidence,
        seed,
        (*scores.signatures, *people.signatures),
        (*whole.notes, *(str(f) for f in scores.findings if f.severity != "note")),
    )


def _human(rated: RatedSummaries) -> Scores:
    """Return the ratings as a score table."""
    if not rated.ratings:
        raise MismatchError(
            f"{rated.texts.name} has no ratings. Add them to the texts ('scores': {{dimension: "
            "number}), or pass a score table (human=, --human)."
        )
    systems = tuple(dict.fromkeys(system for system, *_ in rated.ratings))
    items = tuple(dict.fromkeys(item for _, item, *_ in rated.ratings))
    places = [
        {name: k for k, name in enumerate(names)} for names in (systems, items, rated.dimensions)
    ]
    values = np.full((len(systems), len(items), len(rated.dimensions)), np.nan)
    for system, item, dimension, value in rated.ratings:
        values[places[0][system], places[1][item], places[2][dimension]] = value
    signatures = tuple(
        Signature.of(d, {"source": "people", "texts": rated.texts.digest}) for d in rated.dimensions
    )
    return Scores(systems, items, column_measures(rated.dimensions), values, signatures)


def _originals(measures: Sequence[str | Measure] | None, model: str | None) -> tuple[Measure, ...]:
    """Return the measures without chance correction, with the model where none is named."""
    given = parse_all(measures or (*MAIN_TEXT_MEASURES, *(("BERTScore",) if model else ())))
    for measure in given:
        if measure.inner is not None:
            raise OptionError(
                f"{measure} is already normalised. Name {measure.inner}; V1 and V2 are added to it."
            )
    return tuple(
        make(m.full_name, {**dict(m.parameters), "model": model})
        if model and m.name in ("BERTScore", "Likelihood") and m["model"] is None
        else m
        for m in given
    )


def _with_chance(measure: Measure, expected: Sequence[str] | None) -> list[Measure]:
    """Return a measure with its V1 and V2, for each expected value that it supports."""
    provider = measure.definition.text_chance
    if provider is None:
        return [measure]
    known = provider.ways()
    if expected is None:
        ways: list[str] = [way for way in ("exact", "best") if way in known]
    else:
        for way in expected:
            choose("expected", way, EXPECTED)
        ways = [way for way in dict.fromkeys(expected) if way in known]
        if not ways:
            raise OptionError(
                f"{measure} does not support expected={', '.join(expected)}. "
                f"Accepted: {', '.join(known)}."
            )
    # V1(A,expected=exact) is written V1(A), because exact is the default.
    return [measure, *(parse(f"{v}({measure},expected={w})") for w in ways for v in ("V1", "V2"))]


def _chosen(rated: RatedSummaries, systems: Sequence[str]) -> RatedSummaries:
    """Return the texts and ratings of some systems."""
    wanted = set(systems)
    if len(wanted) < MIN_SYSTEMS:
        raise OptionError(
            f"systems= names {len(wanted)} systems, but correlations need at least {MIN_SYSTEMS}."
        )
    ratings = tuple(row for row in rated.ratings if row[0] in wanted)
    return replace(rated, texts=rated.texts.of(*sorted(wanted)), ratings=ratings)


def _sets(data: SideBySide, kinds: DocumentKinds | None) -> dict[str, SideBySide]:
    """Return the data of all documents and, if they have kinds, of each kind."""
    made = {ALL_DOCUMENTS: data}
    if kinds is not None:
        for name in ("heterogeneous", "homogeneous"):
            known = set(data.items)
            items = [i for i in getattr(kinds, name) if i in known]
            made[f"{len(items)} {name}"] = _only(data, items)
    return made


def _only(data: SideBySide, items: Sequence[str]) -> SideBySide:
    places = [data.items.index(item) for item in sorted(items)]
    return replace(
        data,
        items=tuple(data.items[p] for p in places),
        measured={m: np.ascontiguousarray(v[:, places]) for m, v in data.measured.items()},
        judged={h: np.ascontiguousarray(v[:, places]) for h, v in data.judged.items()},
        assessors=tuple(data.assessors[p] for p in places) if data.assessors else (),
    )


def _normalised_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return each normalised measure with its original."""
    inner = [(name, parse(name).inner) for name in names]
    return [(name, str(m)) for name, m in inner if m is not None and str(m) in names]
