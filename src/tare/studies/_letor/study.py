"""The study of learning-to-rank methods: how reliable are measures with and without chance?

Feng and Karmaker (2023, §6): means, kinds of queries, agreement, significance conflicts,
discriminative power, distances, and swap rates across data sets and splits.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from tare._choices import Expected
from tare._data.letor import Letor
from tare._data.qrels import Qrels
from tare._data.runs import Run
from tare._kernels import default_threads
from tare._measures.evaluate_rankings import evaluate
from tare._measures.one_system import opened_engine
from tare._measures.scores import Scores
from tare._result import Row, Rows
from tare._signature import tare_version
from tare.chance._expected_values import chances
from tare.chance._kinds_of_queries import broad_and_focused, halves, kinds
from tare.errors import MismatchError, OptionError, choose
from tare.rankers import MODES, RANKERS, Ranker, ranker
from tare.rankers._ranker import digest_of
from tare.stats._draws import Drawing
from tare.studies._consistency import Consistency, consistency
from tare.studies._cutoffs import over_cutoffs
from tare.studies._discrimination import discrimination
from tare.studies._letor.data import (
    CASES,
    CUTOFFS,
    POOL,
    Fold,
    LetorSource,
    StudiedMeasure,
    StudyFolder,
    TrainingData,
    TrainingEngine,
    count_rows,
    folds_of,
    half,
    joined,
    plain_measures,
    studied_measures,
    trained_models,
)
from tare.studies._letor.result import LetorStudy, Resamples

if TYPE_CHECKING:
    from tare.rankers import Ranker

__all__ = ["LetorAnalysis", "Side", "StudyEngine", "letor", "swap_rates"]


# Swap rates between sets of queries, halves of the documents, and data sets.


@dataclass(frozen=True)
class Side:
    """One side of a comparison for swap rates of rankers: its name and its scores, averaged over cutoffs."""

    name: str
    scores: Scores


def swap_rates(
    comparisons: Iterable[tuple[str, str, Side, Side]],
    measures: tuple[StudiedMeasure, ...],
    seed: int,
    drawn: Resamples,
    engine: Drawing | None,
    notify: Callable[[str], None],
) -> dict[str, Consistency]:
    """Return the swap rates of rankers in each comparison, with the measures of all case studies.

    A comparison occurs once per case study, and only the measures of that case study are compared:
    a name such as "ideal" means different queries in each case study.
    """
    made: dict[str, Consistency] = {}
    for case, between, one, other in comparisons:
        notify(f"swaps, {between}, {case}")
        own = tuple(m for m in measures if m.case == case)
        a, b = (side.scores.select(measures=[m.name for m in own]) for side in (one, other))
        found = consistency(
            a, b, names=(one.name, other.name), seed=seed, draws=1000, engine=engine
        )
        drawn.add_swaps(between, a, b, own)
        before = made.get(between)
        made[between] = (
            found
            if before is None
            else replace(
                before,
                found=(*before.found, *found.found),
                signatures=(*before.signatures, *found.signatures),
                notes=tuple(dict.fromkeys((*before.notes, *found.notes))),
            )
        )
    return made


# The steps of the learning-to-rank study: train, rank, score, sort queries, compare measures.


Floats = NDArray[np.float64]
Sets = dict[str, tuple[str, ...]]
MIN_QUERIES = 20  # below this, a set of queries supports no conclusion
TESTED_SETS = ("all", "uninformative", "ideal")
MAX_RESAMPLES = 1000  # for the verdicts on claims


class StudyEngine(TrainingEngine, Drawing, Protocol):
    """What the learning-to-rank study needs of an engine: it trains rankers and makes random draws."""


class LetorAnalysis:
    """The LETOR data, the rankers and the options that all steps of the study share."""

    def __init__(
        self,
        parts: list[Fold],
        methods: list[Ranker],
        cutoffs: tuple[int, ...],
        gain: str,
        seed: int,
        folder: StudyFolder,
        engine: StudyEngine | None = None,
    ) -> None:
        self.engine = engine
        self.parts, self.methods, self.cutoffs, self.gain = parts, methods, cutoffs, gain
        self.seed, self.folder = seed, folder
        self.test = joined([part.test for part in parts])
        self.families = studied_measures(gain)
        self.values: dict[str, Floats] = {}
        self.notes: list[str] = []

    def facts(self, kind_size: float, draws: int, published: str | None) -> Row:
        """Return the LETOR data and options that everything in the folder of the study depends on."""
        return {
            "study": "letor",
            "data": {
                part.name: [
                    digest_of(part.train),
                    digest_of(part.test),
                    None if part.valid is None else digest_of(part.valid),
                ]
                for part in self.parts
            },
            "rankers": [[m.title, m.mode, m.options()] for m in self.methods],
            "cutoffs": list(self.cutoffs),
            "gain": self.gain,
            "kind_size": kind_size,
            "draws": draws,
            "seed": self.seed,
            "published": published,
            "tare": tare_version(),
        }

    def rank(self, notify: Callable[[str], None]) -> None:
        """Train every ranker on every LETOR fold and score the test rows."""
        data = TrainingData(self.parts, self.seed, self.folder)
        models = trained_models(self.methods, data, self.engine, notify)
        for method in self.methods:
            found = []
            for part in self.parts:
                model = models[method.title, part.name]
                found.append(model.score(part.test))
                self.notes += [f"{method.title}, {part.name}: {note}" for note in model.notes]
            self.values[method.title] = np.concatenate(found)
            self.folder.run(self.test.run(scores=self.values[method.title], system=method.title))

    def _runs(self, letor: Letor, rows: slice | NDArray[np.bool_] = slice(None)) -> list[Run]:
        return [letor.run(scores=v[rows], system=system) for system, v in self.values.items()]

    @property
    def measures(self) -> list[str]:
        """The studied measures at all cutoffs."""
        return [f.at(k) for f in self.families for k in self.cutoffs]

    def result(
        self,
        name: str,
        kind_size: float,
        draws: int,
        published: str | None,
        against: LetorStudy | str | os.PathLike[str] | None,
        notify: Callable[[str], None],
    ) -> LetorStudy:
        """Score the rankers' runs, sort the queries into sets, and compare the measures on every set."""
        notify("scores")
        qrels, runs = self.test.qrels(), self._runs(self.test)
        measures = [*self.measures, *plain_measures(self.cutoffs, self.gain)]
        scores = evaluate(qrels, runs, measures)
        found, sets = {}, {}
        for case, pattern in CASES.items():
            notify(f"kinds of queries, {case}")
            inner = [pattern.format(gain=self.gain, k=k) for k in self.cutoffs]
            found[case] = kinds(qrels, runs, inner, size=kind_size, pool=POOL)
            sets[case] = {
                "all": found[case].items,
                "uninformative": found[case].uninformative,
                "ideal": found[case].ideal,
                **self._broad(found[case].items),
            }
        self.folder.scores(scores, sets)
        drawn = Resamples(min(draws, MAX_RESAMPLES), self.seed)
        power = {}
        for case in CASES:
            own = tuple(f for f in self.families if f.case == case)
            columns = [f.at(k) for f in own for k in self.cutoffs]
            studied = scores.select(items=sets[case]["all"], measures=columns)
            notify(f"significance, {case}")
            power[case] = discrimination(
                studied,
                sets={k: v for k, v in sets[case].items() if k in TESTED_SETS and k != "all"},
                draws=draws,
                seed=self.seed,
                engine=self.engine,
                journal=self.folder.journal(f"discrimination-{case}"),
                progress=lambda what: notify(f"significance, {what}"),
            )
            for kind in TESTED_SETS:
                drawn.add_set(kind, studied.select(items=sets[case][kind]), own, self.cutoffs)
        swaps = swap_rates(
            self._comparisons(scores, sets, against),
            self.families,
            self.seed,
            drawn,
            self.engine,
            notify,
        )
        made = LetorStudy(
            name,
            scores,
            found,
            sets,
            self.families,
            self.cutoffs,
            power,
            swaps,
            self._chances(qrels, runs[0]),
            count_rows(self.parts),
            drawn,
            published,
            self.facts(kind_size, draws, published),
            tuple(dict.fromkeys(self.notes)),
        )
        self.folder.tables(made)
        return made

    def _broad(self, items: Sequence[str]) -> Sets:
        """Return the broad and the focused queries of the LETOR test data, if there are at least two of each kind."""
        found = broad_and_focused(self.test.select(items).qrels(), seed=self.seed)
        sets = {kind: queries for kind, queries in found.items() if len(queries) >= 2}
        for kind, queries in sets.items():
            if len(queries) < MIN_QUERIES:
                self.notes.append(f"{kind}: {len(queries)} queries are too few for a conclusion.")
        if not sets:
            self.notes.append(
                "Broad and focused queries were not compared: fewer than two queries with a relevant "
                "document are broad (at least half of their documents have grade 2 or higher)."
            )
        return sets

    def _comparisons(
        self,
        scores: Scores,
        sets: Mapping[str, Sets],
        against: LetorStudy | str | os.PathLike[str] | None,
    ) -> Iterator[tuple[str, str, Side, Side]]:
        """Yield the case study (nDCG or MAP), the name of the comparison of two sets of queries, and its two sides."""
        whole = over_cutoffs(scores.select(measures=self.measures))
        sides = [self._half(side) for side in halves(self.test.qrels(), seed=self.seed)]
        theirs = None if against is None else self._other(against)
        for case in CASES:
            for one, other in (("uninformative", "ideal"), ("broad", "focused")):
                if one in sets[case] and other in sets[case]:
                    a, b = (whole.select(items=sets[case][kind]) for kind in (one, other))
                    yield case, f"{one} vs {other}", Side(one, a), Side(other, b)
            left, right = (Side(n, s) for n, s in zip(("left", "right"), sides, strict=True))
            yield case, "left vs right", left, right
            if theirs is None:
                continue
            label, their_scores, their_sets = theirs
            for kind in TESTED_SETS:
                if kind in their_sets.get(case, {}):
                    a = whole.select(items=sets[case][kind])
                    b = their_scores.select(items=their_sets[case][kind])
                    yield case, f"{kind} queries of {label}", Side("here", a), Side(label, b)

    def _half(self, side: Qrels) -> Scores:
        """Return the rankers' scores on half of the documents, for queries with a relevant one among them."""
        letor, rows = half(self.test, side)
        scores = evaluate(letor.qrels(), self._runs(letor, rows), self.measures)
        defined = np.asarray(~np.isnan(scores.values).any(axis=(0, 2)))
        items = [item for item, known in zip(scores.items, defined.tolist(), strict=True) if known]
        if len(items) < 2:
            raise MismatchError(
                "fewer than 2 queries have a relevant document in both halves of the documents; "
                "the halves cannot be compared."
            )
        return over_cutoffs(scores.select(items=items))

    def _other(
        self, against: LetorStudy | str | os.PathLike[str]
    ) -> tuple[str, Scores, Mapping[str, Sets]]:
        """Return the name, scores and sets of the LETOR study that this one is compared with."""
        if isinstance(against, LetorStudy):
            theirs, sets, label = against.scores, against.sets, against.name
        else:
            theirs, sets = StudyFolder(against).load()
            label = StudyFolder(against).label()
        lacking = [m for m in self.measures if m not in theirs.measures]
        if lacking:
            raise MismatchError(
                f"the other study has no scores of {lacking[0]}; both studies need the same cutoffs "
                "and gain."
            )
        return label, over_cutoffs(theirs.select(measures=self.measures)), sets

    def _chances(self, qrels: Qrels, run: Run) -> Rows:
        """Return the expected value by chance of nDCG and SP on each query as a share of its upper bound."""
        wanted: list[tuple[StudiedMeasure, str, Expected, str]] = []
        for family in self.families:
            if family.case == "nDCG" and family.original is None:
                wanted.append((family, f"nDCG(gain={self.gain})", "exact", "exact"))
            elif family.case == "MAP" and family.original is None:
                wanted.append((family, "SP", "exact", "exact"))
                wanted.append((family, "SP", "independent", "published"))
        rows: Rows = []
        for (family, measure, expected, baseline), k in itertools.product(wanted, self.cutoffs):
            found = chances(qrels, run, f"{measure}@{k}", pool=POOL, expected=expected)
            rows += [
                {
                    "measure": family.label,
                    "cutoff": k,
                    "baseline": baseline,
                    "query": found.items[q],
                    "expected": float(found.expected[q] / found.upper[q]),
                }
                for q in np.flatnonzero(found.defined)
            ]
        return rows


GAINS = ("exp2", "linear")
DATA_SETS = ("MSLR", "MQ2007")


def letor(
    train: LetorSource | None = None,
    test: LetorSource | None = None,
    valid: LetorSource | None = None,
    *,
    folds: str | os.PathLike[str] | None = None,
    against: LetorStudy | str | os.PathLike[str] | None = None,
    name: str | None = None,
    rankers: Sequence[str | Ranker] | Mapping[str, Mapping[str, object]] | None = None,
    mode: str = "corrected",
    cutoffs: Sequence[int] = CUTOFFS,
    gain: str = "exp2",
    kind_size: float = 0.5,
    draws: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
    engine: str | StudyEngine | None = None,
    published: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> LetorStudy:
    """Train rankers, rank the test data, and study how reliable the measures are.

    Parameters
    ----------
    train, test, valid : path, Letor or list of these
        LETOR data, as `tare.read_letor` takes them. The parts of a list are joined.
    folds : path, optional
        A folder of folds, each with train.txt, test.txt and vali.txt, instead of `train` and `test`.
    against : LetorStudy or path, optional
        Another study, or its folder: swap rates between the two are computed as well.
    name : str, optional
        The name of the data; by default that of the test data or of the folder.
    rankers : sequence of str or Ranker, or mapping, optional
        Names, rankers, or {name: options}; by default all eight.
    mode : {"corrected", "ranklib"}
        Whether rankers reproduce known errors of RankLib.
    cutoffs : sequence of int
        The cutoffs of all measures.
    gain : {"exp2", "linear"}
        The gain of DCG and nDCG: 2^grade − 1, or the grade.
    kind_size : float
        Number of uninformative and of ideal queries, or their share if it is below 1. The sets of
        the nDCG case study are chosen by nDCG@k, those of the MAP case study by AP@k.
    draws : int
        Draws of the studentised bootstrap test. Verdicts on claims use at most 1,000.
    seed : int
        Seed of training and of random draws.
    threads : int, optional
        Number of threads; by default all cores.
    engine : str or engine, optional
        Where rankers are trained and random draws are made: "local", "ray" or an engine of
        `tare.engines`. The numbers are the same.
    published : {"MSLR", "MQ2007"}, optional
        Show the published numbers next to the measured ones.
    folder : path, optional
        Keep models, runs, scores and tables here. A second call computes only what is missing.
    progress : callable, optional
        Called with a short description of each step.

    Returns
    -------
    LetorStudy
        Means, agreement, discriminative power, swap rates and verdicts on the published claims.

    Raises
    ------
    OptionError
        If neither or both of `train` with `test` and `folds` are given, or if an option is unknown.
    MismatchError
        If two parts share a query, or if the other study has different measures.

    References
    ----------
    Feng and Karmaker (2023), §6.

    Examples
    --------
    >>> import random, tempfile
    >>> from pathlib import Path
    >>> draw = random.Random(1).random
    >>> lines = [
    ...     f"{grade} qid:{query} 1:{grade + 3 * draw():.3f} 2:{draw():.3f}\\n"
    ...     for query in range(20) for grade in (0, 0, 0, 1, 2)
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train, test = Path(folder) / "train.txt", Path(folder) / "test.txt"
    ...     _ = train.write_text("".join(lines[:50])), test.write_text("".join(lines[50:]))
    ...     found = letor(train, test, rankers=["rankboost", "listnet"], cutoffs=[3, 5], draws=100)
    >>> found.scores.systems
    ('RankBoost', 'ListNet')
    """
    notify = progress or (lambda _: None)
    choose("gain", gain, GAINS)
    if published is not None:
        choose("published", published, DATA_SETS)
    if (folds is None) == (train is None or test is None):
        raise OptionError("give either training and test data or folds=, not both.")
    ks = tuple(sorted({int(k) for k in cutoffs}))
    if not ks or ks[0] < 1:
        raise OptionError(
            f"cutoffs={list(cutoffs)} is not valid. Give at least one cutoff; each is 1 or greater."
        )
    if folds is not None:
        parts = folds_of(folds)
    else:
        chosen = None if valid is None else joined(valid)
        parts = [Fold("whole", joined(train), joined(test), chosen)]  # type: ignore[arg-type]
    methods = _methods(rankers, mode, threads or default_threads() or 1)
    with opened_engine(engine) as place:
        analysis = LetorAnalysis(parts, methods, ks, gain, seed, StudyFolder(folder), place)
        analysis.folder.begin(analysis.facts(kind_size, draws, published))
        analysis.rank(notify)
        label = parts[0].test.name if folds is None else Path(folds).resolve().name
        return analysis.result(name or label, kind_size, draws, published, against, notify)


def _methods(
    given: Sequence[str | Ranker] | Mapping[str, Mapping[str, object]] | None,
    mode: str,
    threads: int,
) -> list[Ranker]:
    choose("mode", mode, MODES)
    if given is None:
        given = list(RANKERS)
    if isinstance(given, Mapping):
        found = [ranker(n, **{"mode": mode, "threads": threads, **o}) for n, o in given.items()]
    else:
        found = [
            r if isinstance(r, Ranker) else ranker(r, mode=mode, threads=threads) for r in given
        ]
    if len({r.title for r in found}) < max(len(found), 2):
        raise OptionError("the study needs at least two different rankers, each named once.")
    return found
