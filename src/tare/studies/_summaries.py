"""The study of summaries: do text measures agree with people, and does chance correction help?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict, cast

import numpy as np

from tare._data.ratings import RatedSummaries, read_rated_summaries
from tare._measures.defaults import MAIN_TEXT_MEASURES
from tare._measures.measure import Measure, make
from tare._measures.names import column_measures, parse, parse_all
from tare._measures.saved_scores import ScoreSource, scores_of
from tare._measures.scores import Scores
from tare._measures.text.evaluate_texts import evaluate_texts
from tare._result import Row, RowsByName
from tare._signature import Signature
from tare._tables import Column, PColumn, Table
from tare.chance._kinds_of_documents import DocumentKinds, document_kinds
from tare.errors import MismatchError, OptionError, choose
from tare.stats._correlation import WITH_PEOPLE
from tare.stats._randomisation import check_draws
from tare.studies._people import NamedRowsResult
from tare.studies._people_correlations import (
    MIN_SYSTEMS,
    CorrelationRow,
    ImprovementRow,
    SideBySide,
    WinRow,
    correlation_rows,
    improvement_rows,
    side_by_side,
    win_rows,
)

if TYPE_CHECKING:
    from tare._data.findings import TableSource

__all__ = ["PUBLISHED", "SummaryStudy", "summaries"]


# The result of the study of summaries, with published numbers (Feng 2023, ch. 8 and 9).


DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
# (table, set, measure): correlations on the four dimensions, as printed
PUBLISHED: dict[tuple[str, str, str], tuple[float, float, float, float]] = {
    ("8.1", "100 documents", "BERTScore"): (0.0, -0.106, 0.167, -0.03),
    ("8.1", "100 documents", "V1(BERTScore)"): (0.03, -0.198, 0.25, 0.06),
    ("8.1", "100 documents", "V2(BERTScore)"): (0.15, 0.045, 0.44, 0.18),
    ("8.2", "20 heterogeneous", "BERTScore"): (-0.198, 0.03, 0.29, -0.06),
    ("8.2", "20 heterogeneous", "V1(BERTScore)"): (-0.076, 0.09, 0.351, 0.06),
    ("8.2", "20 heterogeneous", "V2(BERTScore)"): (0.106, 0.151, 0.412, 0.303),
    ("8.3", "20 homogeneous", "BERTScore"): (-0.18, -0.3, -0.2, -0.24),
    ("8.3", "20 homogeneous", "V1(BERTScore)"): (-0.18, -0.24, -0.11, -0.3),
    ("8.3", "20 homogeneous", "V2(BERTScore)"): (-0.21, -0.39, -0.078, -0.39),
    ("9.1", "100 documents", "ROUGE"): (0.08, 0.09, 0.04, 0.13),
    ("9.1", "100 documents", "V1(ROUGE)"): (0.08, 0.1, 0.04, 0.12),
    ("9.1", "100 documents", "V2(ROUGE)"): (0.08, 0.1, 0.4, 0.12),
}
# win, lose, tie against the original measure, in per cent
PUBLISHED_WINS = {
    ("8.4", "V1(BERTScore)"): (24, 10, 66),
    ("8.4", "V2(BERTScore)"): (24, 10, 66),
    ("9.2", "V1(ROUGE)"): (32, 12, 56),
    ("9.2", "V2(ROUGE)"): (32, 14, 54),
}
NAMES = {"system": "system", "item": "summary"}
LEVELS = {"system": "systems", "item": "summaries of one document, mean over documents"}


class SummaryRows(TypedDict):
    """The rows of the study of summaries, by set of documents."""

    correlations: list[CorrelationRow]
    improvements: list[ImprovementRow]
    wins: list[WinRow]


@dataclass(frozen=True, eq=False, repr=False)
class SummaryStudy(NamedRowsResult):
    """Correlations of text measures with people, with and without normalisation.

    Attributes
    ----------
    rows_by_name : SummaryRows
        Correlations, improvements and wins.
    kinds : DocumentKinds or None
        The kinds of documents, if a model was given.
    systems, items, measures : tuple of str
        What was compared.
    people : tuple of str
        The human ratings.
    kind : {"pearson", "spearman", "tau_b"}
        The coefficient of the tables.
    draws, seed : int
        Number of resamples, and their seed.
    confidence : float
        Confidence level of the intervals.
    signatures : tuple of Signature
        The signatures of the scores.
    notes : tuple of str
        Remarks on the data.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> import tare
    >>> rows = [
    ...     {"system": f"s{s}", "item": f"d{d}", "text": "one two three"[: 3 + 4 * s],
    ...      "references": ["one two three four"], "source": "one two three four five",
    ...      "scores": {"overall": s + d % 2}}
    ...     for s in range(3) for d in range(4)
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rated.jsonl"
    ...     _ = path.write_text("".join(json.dumps(row) + "\\n" for row in rows))
    ...     found = tare.studies.summaries(path, measures=["ROUGE-1"], draws=100)
    >>> found.systems, found.kind
    (('s0', 's1', 's2'), 'tau_b')
    >>> list(found.all_rows())
    ['correlations', 'improvements', 'wins', 'published', 'published_wins']
    """

    rows_by_name: SummaryRows
    kinds: DocumentKinds | None
    systems: tuple[str, ...]
    items: tuple[str, ...]
    measures: tuple[str, ...]
    people: tuple[str, ...]
    kind: str
    draws: int
    confidence: float
    seed: int
    signatures: tuple[Signature, ...]
    notes: tuple[str, ...] = ()

    def all_rows(self) -> RowsByName:
        """Return rows: correlations, improvements, wins, documents, published, published_wins."""
        documents = [] if self.kinds is None else self.kinds.to_frame().to_dicts()
        published = [
            {"table": table, "set": name, "measure": measure}
            | dict(zip(DIMENSIONS, v, strict=True))
            for (table, name, measure), v in PUBLISHED.items()
        ]
        wins = [
            {"table": table, "measure": measure, "win": v[0], "lose": v[1], "tie": v[2]}
            for (table, measure), v in PUBLISHED_WINS.items()
        ]
        whole = {
            **self.rows_by_name,
            "documents": documents,
            "published": published,
            "published_wins": wins,
        }
        return cast("RowsByName", {name: rows for name, rows in whole.items() if rows})

    def facts(self) -> Row:
        """Return the options, signatures and notes."""
        names = ("kind", "draws", "confidence", "seed")
        return {n: getattr(self, n) for n in names} | {
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def headlines(self) -> list[str]:
        """Return one sentence per normalised measure and level: the change of the correlation."""
        made = []
        for measure in self.measures:
            if parse(measure).inner is None:
                continue
            for level in LEVELS:
                own = self.find(
                    "improvements",
                    set="all documents",
                    level=level,
                    coefficient=self.kind,
                    measure=measure,
                )
                up = sum(r["value"] > r["inside_value"] + 1e-12 for r in own)
                down = sum(r["value"] < r["inside_value"] - 1e-12 for r in own)
                gain = sum(r["value"] - r["inside_value"] for r in own) / max(len(own), 1)
                made.append(
                    f"{measure}, {NAMES[level]} level: mean change of {self.kind} from "
                    f"{own[0]['inside'] if own else '–'} over {len(own)} dimensions {_sign(gain)}; "
                    f"higher on {up}, lower on {down}; not tested."
                )
        return made

    def answer(self) -> str:
        """Return how the first normalised measure changes the correlation with people at each level."""
        return (
            " ".join(self.headlines()[:2])
            or "No normalised measure was compared with its original."
        )

    def tables(self) -> dict[str, Table]:
        """Return correlations, intervals, improvements, wins, published numbers, and documents."""
        made = {level: self._correlations(level) for level in LEVELS}
        made["intervals"] = self._intervals()
        made["improvements"] = self._improvements()
        made["wins"] = self._wins()
        made["published"] = self._published()
        made["published wins"] = Table.of(
            ["printed table", "measure", Column("win %"), Column("lose %"), Column("tie %")],
            [(t, m, *v) for (t, m), v in PUBLISHED_WINS.items()],
            title="Published disagreements: win, lose, tie",
            notes=[
                "Feng (2023), Tables 8.4 and 9.2, as printed: compared with the original measure."
            ],
        )
        if self.kinds is not None:
            made["documents"] = self.kinds.table()
        return made

    def _correlations(self, level: str) -> Table:
        cells = {
            (r["set"], r["measure"], r["human"]): r["value"]
            for r in self.find("correlations", level=level, coefficient=self.kind)
        }
        keys = dict.fromkeys((name, measure) for name, measure, _ in cells)
        rows = [(*key, *(cells[(*key, rating)] for rating in self.people)) for key in keys]
        notes = [
            f"{self.kind} over {LEVELS[level]}; {len(self.systems)} systems, {len(self.items)} "
            f"documents, seed {self.seed}."
        ]
        return Table.of(
            ["set", "measure", *(Column(rating) for rating in self.people)],
            rows,
            title=f"Correlation with people, {NAMES[level]} level",
            notes=[*notes, *self.notes],
        )

    def _intervals(self) -> Table:
        rows = [
            {**r, "level": NAMES[r["level"]]}
            for r in self.find("correlations", coefficient=self.kind)
            if r["set"] == "all documents"
        ]
        columns: list[Column | str] = ["set", "human", "level", "measure", Column("value")]
        columns += [Column("low", of="low_both"), Column("high", of="high_both")]
        note = (
            f"{100 * self.confidence:g} % intervals of the expected {self.kind} for sets of systems and "
            f"documents of this size ({self.draws:,} resamples), each on its own. The rows have the other "
            "coefficients and sets."
        )
        return Table.of_rows(
            columns, rows, title="Confidence intervals of the correlation with people", notes=[note]
        )

    def _improvements(self) -> Table:
        found = self.find("improvements", coefficient=self.kind)
        cells = {(r["set"], r["level"], r["measure"], r["human"]): r["pai"] for r in found}
        rows = []
        for key in dict.fromkeys(k[:3] for k in cells):
            own = [cells[(*key, rating)] for rating in self.people]
            known = [v for v in own if v is not None]
            shown = (key[0], NAMES[key[1]], key[2])
            rows.append((*shown, *own, sum(known) / len(known) if known else None))
        columns: list[Column | str] = ["set", "level", "measure"]
        columns += [Column(name) for name in (*self.people, "mean")]
        note = (
            f"PAI: 100·(r − r₀)/|r₀|, where r is {self.kind} and r₀ that of the measure without "
            "normalisation; undefined (–) if r₀ = 0. If r₀ is near 0, a large PAI means little."
        )
        return Table.of(
            columns,
            rows,
            title="Improvement of the correlation by normalisation (PAI)",
            notes=[note],
        )

    def _wins(self) -> Table:
        rows = []
        for r in self.rows_by_name["wins"]:
            total = r["win"] + r["lose"] + r["tie"]
            shares = [100 * r[k] / total if total else None for k in ("win", "lose", "tie")]
            words = zip(("win %", "lose %", "tie %"), shares, strict=True)
            rows.append({**r, **dict(words)})
        numbers = [Column(n) for n in ("pairs", "disagreements")]
        numbers += [Column(n, digits=1, of=n) for n in ("win %", "lose %", "tie %")]
        note = (
            "Pairs of summaries of one document that a normalised measure and its original order "
            "differently: people agree with the normalised measure (win), with the original (lose), or "
            "see no difference (tie). p adjusted: the two standardised measures are exchanged system by "
            "system; Holm's correction over the normalised measures of one set and dimension. Assumes that, "
            "if the measures do not differ, each system's scores are as likely to come from one as from "
            "the other."
        )
        columns: list[Column | str] = [
            "set",
            "human",
            Column("measure", align="left", of="first"),
            *numbers,
            PColumn("p adjusted"),
        ]
        return Table.of_rows(
            columns,
            rows,
            title="Disagreements with the original measure: win, lose, tie",
            notes=[note],
        )

    def _published(self) -> Table:
        rows = [(t, s, m, *v) for (t, s, m), v in PUBLISHED.items()]
        notes = [
            "Feng (2023), Tables 8.1–8.3 and 9.1, as printed. The encoder differs; expected values are "
            "those of the k most similar tokens (expected=best) and of one random text "
            "(expected=published). Fluency of V2(ROUGE) is printed as 0.4, which must be 0.04. The PAI "
            "of Table 8.1 divides by a correlation of 0. Printed averages of PAI: 160, 210, −1.02, "
            "0.77.",
        ]
        return Table.of(
            ["printed table", "set", "measure", *map(Column, DIMENSIONS)],
            rows,
            title="Published correlations",
            notes=notes,
        )


def _sign(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


ALL_DOCUMENTS = "all documents"
EXPECTED = ("exact", "sampled", "published", "best", "worst")


def summaries(
    data: RatedSummaries | TableSource,
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
    kind : {"pearson", "spearman", "tau_b"}
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
    choose("kind", kind, WITH_PEOPLE)
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
    rows = SummaryRows(correlations=[], improvements=[], wins=[])
    for name, part in _sets(whole, kinds).items():
        everyone = np.arange(len(part.systems))
        found: list[CorrelationRow] = []
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
    """Return the text measures without chance correction, with the model where none is named."""
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
    """Return a text measure with its V1 and V2, for each expected value that it supports."""
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
    """Return the scores of summaries of all documents and, if they have kinds, of each kind."""
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
