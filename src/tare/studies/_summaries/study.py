"""Do text measures say what people say, and what does chance correction do to that?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tare._data.rated_summaries import RatedSummaries, read_rated_summaries
from tare._measures.column_measure import column_measures
from tare._measures.measure import Measure, make
from tare._measures.names import parse, parse_all
from tare._measures.scores import Scores
from tare._measures.text.evaluate import evaluate_texts
from tare._result import Rows
from tare._signature import Signature
from tare.chance._documents import DocumentKinds, document_kinds
from tare.errors import MismatchError, OptionError, choose
from tare.stats._meta_correlation import COEFFICIENTS
from tare.stats._randomisation import check_draws
from tare.studies._people.correlations import correlation_rows, improvement_rows
from tare.studies._people.data import FEWEST, SideBySide, side_by_side
from tare.studies._people.preferences import win_rows
from tare.studies._summaries.result import SummaryStudy

__all__ = ["summaries"]

USUAL = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
EVERYONE = "all documents"
WAYS = ("exact", "sampled", "published", "best", "worst")


def summaries(
    data: Any,
    human: Any = None,
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
    """Correlates text measures, and their V1 and V2, with what people said of the same texts.

    data: summaries with ratings, as `read_rated_summaries` reads them.
    human: a score table of ratings, where the data hold none.
    measures: ROUGE-1, ROUGE-2 and ROUGE-L unless said, and BERTScore where there is a model.
    systems: study these systems only; all unless given.
    expected: the expected values that V1 and V2 are made with, such as "exact", "published", "best" and
    "worst"; each measure uses those that it has. Without it, exact, and for BERTScore also best.
    model: the encoder of BERTScore. With it documents are sorted: the `size` heterogeneous ones, where
    it matters least which words a text takes, and the homogeneous ones, where it matters most.
    kind: the coefficient of the tables; all are in the rows.
    samples: random texts where an expected value has no closed form.
    draws: resamples of systems and documents behind the intervals.
    """
    choose("kind", kind, COEFFICIENTS)
    check_draws(draws, seed)
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} lies between 0 and 1.")
    say = progress or (lambda _: None)
    rated = data if isinstance(data, RatedSummaries) else read_rated_summaries(data)
    originals = _originals(measures, model)
    names = [name for original in originals for name in _with_chance(original, expected)]
    if systems is not None:
        rated = _chosen(rated, systems)
    people = _human(rated) if human is None else Scores.load(human)
    say("scoring texts")
    scores = evaluate_texts(
        rated.texts, names, seed=seed, samples=samples, threads=threads,
        progress=lambda what, done, total: say(f"{what} {done:,} of {total:,}"),
    )  # fmt: skip
    encoders = [m for m in originals if m.name == "BERTScore"]
    kinds: DocumentKinds | None = None
    if encoders and size:
        say("telling documents apart")
        kinds = document_kinds(rated.texts, encoders[0], size=size)
    whole = side_by_side(scores, people)
    rows: dict[str, Rows] = {name: [] for name in ("correlations", "improvements", "wins")}
    for name, part in _sets(whole, kinds).items():
        everyone = np.arange(len(part.systems))
        found: Rows = []
        for said in part.people:
            for measure in part.measures:
                say(f"{name}, {said}: {measure}")
                found += correlation_rows(
                    part, said, "all systems", everyone, measure,
                    draws=draws, confidence=confidence, seed=seed, threads=threads,
                )  # fmt: skip
            rows["wins"] += [{"set": name} | row for row in _wins(part, said)]
        rows["correlations"] += [{"set": name} | row for row in found]
        rows["improvements"] += [{"set": name} | row for row in improvement_rows(found)]
    return SummaryStudy(
        rows, kinds, whole.systems, whole.items, whole.measures, whole.people, kind, draws,
        confidence, seed, (*scores.signatures, *people.signatures),
        (*whole.notes, *(str(f) for f in scores.findings if f.severity != "note")),
    )  # fmt: skip


def _human(rated: RatedSummaries) -> Scores:
    """The ratings as a score table."""
    if not rated.ratings:
        raise MismatchError(
            f"{rated.texts.name} holds no ratings. Give them beside the texts ('scores': {{dimension: "
            "number}), or as a score table of their own (--human)."
        )
    systems = tuple(dict.fromkeys(system for system, *_ in rated.ratings))
    items = tuple(dict.fromkeys(item for _, item, *_ in rated.ratings))
    places = [{name: k for k, name in enumerate(names)} for names in (systems, items, rated.dimensions)]  # fmt: skip
    values = np.full((len(systems), len(items), len(rated.dimensions)), np.nan)
    for system, item, dimension, value in rated.ratings:
        values[places[0][system], places[1][item], places[2][dimension]] = value
    signatures = tuple(
        Signature.of(d, {"source": "people", "texts": rated.texts.digest}) for d in rated.dimensions
    )
    return Scores(systems, items, column_measures(rated.dimensions), values, signatures)


def _originals(measures: Sequence[str | Measure] | None, model: str | None) -> tuple[Measure, ...]:
    """The measures as such; the model goes to those that name none."""
    given = parse_all(measures or (*USUAL, *(("BERTScore",) if model else ())))
    for measure in given:
        if measure.inner is not None:
            raise OptionError(
                f"{measure} is made of chance already; name {measure.inner}, and V1 and V2 are added."
            )
    return tuple(
        make(m.full_name, {**dict(m.parameters), "model": model})
        if model and m.name in ("BERTScore", "Likelihood") and m["model"] is None
        else m
        for m in given
    )


def _with_chance(measure: Measure, expected: Sequence[str] | None) -> list[Measure]:
    """A measure, its V1 and V2; for embeddings also those of the published expectation."""
    provider = measure.definition.text_chance
    if provider is None:
        return [measure]
    known = provider.ways()
    if expected is None:
        ways: list[str] = [way for way in ("exact", "best") if way in known]
    else:
        for way in expected:
            choose("expected", way, WAYS)
        ways = [way for way in dict.fromkeys(expected) if way in known]
        if not ways:
            raise OptionError(
                f"{measure} has none of the expected values {', '.join(expected)}. "
                f"It has {', '.join(known)}."
            )
    # V1(A,expected=exact) is written V1(A), by the default of the parameter.
    return [measure, *(parse(f"{v}({measure},expected={w})") for w in ways for v in ("V1", "V2"))]


def _chosen(rated: RatedSummaries, systems: Sequence[str]) -> RatedSummaries:
    """The texts and ratings of some systems."""
    wanted = set(systems)
    if len(wanted) < FEWEST:
        raise OptionError(
            f"correlations need at least {FEWEST} systems; {len(wanted)} named in systems=."
        )
    ratings = tuple(row for row in rated.ratings if row[0] in wanted)
    return replace(rated, texts=rated.texts.of(*sorted(wanted)), ratings=ratings)


def _sets(data: SideBySide, kinds: DocumentKinds | None) -> dict[str, SideBySide]:
    """All documents, and where they have kinds, each kind alone."""
    made = {EVERYONE: data}
    if kinds is not None:
        for name in ("heterogeneous", "homogeneous"):
            items = [i for i in getattr(kinds, name) if i in set(data.items)]
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


def _wins(data: SideBySide, human: str) -> Rows:
    """Each normalised measure against the one inside it, where they order two texts differently."""
    made: Rows = []
    for name in data.measures:
        inner = parse(name).inner
        if inner is not None and str(inner) in data.measures:
            [row] = win_rows(replace(data, measures=(name, str(inner))), human)
            made.append(row)
    return made
