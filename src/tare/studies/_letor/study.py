"""Eight rankers on LETOR data, scored with and without chance: do the measures agree, and can they be relied on?

Feng and Karmaker 2023, §6: means, kinds of queries, agreement, significance conflicts, discriminative
power, distances, and swap rates across data sets and splits.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._choices import Expected
from tare._data.letor import Letor
from tare._data.run import Run
from tare._kernels import default_threads
from tare._measures.evaluate import evaluate
from tare._measures.scores import Scores
from tare._result import Rows
from tare.chance._chances import chances
from tare.chance._kinds import kinds
from tare.chance._query_sets import broad_and_focused, halves
from tare.errors import MismatchError, OptionError, choose
from tare.studies._cutoffs import over_cutoffs
from tare.studies._discrimination.study import discrimination
from tare.studies._letor.data import Fold, count_rows, folds_of, half, joined
from tare.studies._letor.folder import StudyFolder
from tare.studies._letor.measures import CASES, CUTOFFS, POOL, Family, families, plain_measures
from tare.studies._letor.resamples import Resamples
from tare.studies._letor.result import LetorStudy
from tare.studies._letor.swaps import Swapped, swapped

if TYPE_CHECKING:
    from tare.rankers import Ranker

__all__ = ["letor"]

Floats = NDArray[np.float64]
GAINS = ("exp2", "linear")
DATA = ("MSLR", "MQ2007")
FEW = 20
TESTED = ("all", "uninformative", "ideal")
MOST_RESAMPLES = 1000  # behind the verdicts on claims
Sets = dict[str, tuple[str, ...]]


def letor(
    train: Any = None,
    test: Any = None,
    valid: Any = None,
    *,
    folds: Any = None,
    against: Any = None,
    name: str | None = None,
    rankers: Sequence[str | Ranker] | Mapping[str, Mapping[str, Any]] | None = None,
    mode: str = "corrected",
    cutoffs: Sequence[int] = CUTOFFS,
    gain: str = "exp2",
    kind_size: float = 0.5,
    draws: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
    published: str | None = None,
    folder: Any = None,
    progress: Callable[[str], None] | None = None,
) -> LetorStudy:
    """Trains rankers, ranks the test parts, and studies the measures on them.

    train, test, valid: what `read_letor` takes, or lists of such, which are joined; or `folds`, a
    folder of folds, each with train.txt, test.txt and vali.txt.
    against: another study, or the folder of one: swap rates across the two are computed as well.
    rankers: names, rankers, or {name: options}; all eight by default.
    kind_size: how many queries the uninformative and the ideal set hold, or their share if below 1.
    The sets of the nDCG case study are made by nDCG@k, those of the MAP case study by AP@k.
    draws: of the studentised bootstrap test; up to 1,000 of them behind the verdicts on claims.
    published: "MSLR" or "MQ2007" puts the numbers of the article beside the measured ones.
    folder: keeps models, runs, scores and tables; a second call makes only what is missing.
    """
    say = progress or (lambda _: None)
    choose("gain", gain, GAINS)
    if published is not None:
        choose("published", published, DATA)
    if (folds is None) == (train is None or test is None):
        raise OptionError("either training and test data are needed, or folds=, and not both.")
    ks = tuple(sorted({int(k) for k in cutoffs}))
    if not ks or ks[0] < 1:
        raise OptionError(f"cutoffs={list(cutoffs)} are not possible; they are 1 or more.")
    parts = (
        folds_of(folds)
        if folds is not None
        else [Fold("whole", joined(train), joined(test), None if valid is None else joined(valid))]
    )
    methods = _methods(rankers, mode, threads or default_threads() or 1)
    made = _Study(parts, methods, ks, gain, seed, StudyFolder(folder))
    made.keep.begin(made.facts(kind_size, draws, published))
    made.rank(say)
    label = parts[0].test.name if folds is None else Path(folds).resolve().name
    return made.answers(name or label, kind_size, draws, published, against, say)


def _methods(given: Any, mode: str, threads: int) -> list[Ranker]:
    from tare.rankers import MODES, RANKERS, Ranker, ranker

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
        raise OptionError("at least two different rankers are needed, each once.")
    return found


class _Study:
    """What the parts of the study share."""

    def __init__(
        self,
        parts: list[Fold],
        methods: list[Ranker],
        cutoffs: tuple[int, ...],
        gain: str,
        seed: int,
        keep: StudyFolder,
    ) -> None:
        self.parts, self.methods, self.cutoffs, self.gain = parts, methods, cutoffs, gain
        self.seed, self.keep = seed, keep
        self.test = joined([part.test for part in parts])
        self.families = families(gain)
        self.values: dict[str, Floats] = {}
        self.notes: list[str] = []

    def facts(self, kind_size: float, draws: int, published: str | None) -> dict[str, Any]:
        """What everything in the folder depends on."""
        from tare._signature import tare_version
        from tare.rankers._model import digest_of

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

    def rank(self, say: Callable[[str], None]) -> None:
        """Trains every ranker on every fold and scores the test rows."""
        for method in self.methods:
            found = []
            for part in self.parts:
                say(f"{method.title} on {part.name}")
                model = self.keep.model(
                    part.name, method, part.train, part.valid, self.seed,
                    lambda m=method, p=part: m.fit(p.train, p.valid, seed=self.seed),
                )  # fmt: skip
                found.append(model.score(part.test))
                self.notes += [f"{method.title}, {part.name}: {note}" for note in model.notes]
            self.values[method.title] = np.concatenate(found)
            self.keep.run(self.run_of(self.test, self.values[method.title], method.title))

    @staticmethod
    def run_of(letor: Letor, values: Floats, system: str) -> Run:
        """A ranking of the rows."""
        return letor.run(scores=values, system=system)

    def _runs(self, letor: Letor, rows: Any = slice(None)) -> list[Run]:
        return [self.run_of(letor, v[rows], system) for system, v in self.values.items()]

    @property
    def measures(self) -> list[str]:
        """The families at all cutoffs."""
        return [f.at(k) for f in self.families for k in self.cutoffs]

    def answers(
        self,
        name: str,
        kind_size: float,
        draws: int,
        published: str | None,
        against: Any,
        say: Callable[[str], None],
    ) -> LetorStudy:
        """Scores, kinds, and the studies of the scores."""
        say("scores")
        qrels, runs = self.test.qrels(), self._runs(self.test)
        measures = [*self.measures, *plain_measures(self.cutoffs, self.gain)]
        scores = evaluate(qrels, runs, measures)
        found, sets = {}, {}
        for case, pattern in CASES.items():
            say(f"kinds of queries, {case}")
            inner = [pattern.format(gain=self.gain, k=k) for k in self.cutoffs]
            found[case] = kinds(qrels, runs, inner, size=kind_size, pool=POOL)
            sets[case] = {
                "all": found[case].items,
                "uninformative": found[case].uninformative,
                "ideal": found[case].ideal,
                **self._broad(found[case].items),
            }
        self.keep.scores(scores, sets)
        drawn = Resamples(min(draws, MOST_RESAMPLES), self.seed)
        told = {}
        for case in CASES:
            own = tuple(f for f in self.families if f.case == case)
            columns = [f.at(k) for f in own for k in self.cutoffs]
            studied = scores.select(items=sets[case]["all"], measures=columns)
            say(f"significance, {case}")
            told[case] = discrimination(
                studied,
                sets={k: v for k, v in sets[case].items() if k in TESTED and k != "all"},
                draws=draws,
                seed=self.seed,
                journal=self.keep.journal(f"discrimination-{case}"),
                progress=lambda what: say(f"significance, {what}"),
            )
            for kind in TESTED:
                drawn.add_set(kind, studied.select(items=sets[case][kind]), own, self.cutoffs)
        swaps = swapped(self._couples(scores, sets, against), self.families, self.seed, drawn, say)
        made = LetorStudy(
            name, scores, found, sets, self.families, self.cutoffs, told, swaps,
            self._chances(qrels, runs[0]), count_rows(self.parts), drawn, published,
            self.facts(kind_size, draws, published), tuple(dict.fromkeys(self.notes)),
        )  # fmt: skip
        self.keep.tables(made)
        return made

    def _broad(self, items: Sequence[str]) -> Sets:
        """Broad and focused queries, where there are two of each."""
        found = broad_and_focused(self.test.select(items).qrels(), seed=self.seed)
        sets = {kind: queries for kind, queries in found.items() if len(queries) >= 2}
        for kind, queries in sets.items():
            if len(queries) < FEW:
                self.notes.append(f"{kind}: {len(queries)} queries are too few to conclude from.")
        if not sets:
            self.notes.append(
                "Fewer than two queries with a relevant document are broad (half of the documents of "
                "grade 2 or more), so broad and focused queries were not compared."
            )
        return sets

    def _couples(
        self, scores: Scores, sets: Mapping[str, Sets], against: Any
    ) -> Iterator[tuple[str, str, Swapped, Swapped]]:
        """What is compared: case study, name of the couple, the two sides."""
        whole = over_cutoffs(scores.select(measures=self.measures))
        sides = [self._half(side) for side in halves(self.test.qrels(), seed=self.seed)]
        theirs = None if against is None else self._other(against)
        for case in CASES:
            for one, other in (("uninformative", "ideal"), ("broad", "focused")):
                if one in sets[case] and other in sets[case]:
                    a, b = (whole.select(items=sets[case][kind]) for kind in (one, other))
                    yield case, f"{one} vs {other}", Swapped(one, a), Swapped(other, b)
            left, right = (Swapped(n, s) for n, s in zip(("left", "right"), sides, strict=True))
            yield case, "left vs right", left, right
            if theirs is None:
                continue
            label, their_scores, their_sets = theirs
            for kind in TESTED:
                if kind in their_sets.get(case, {}):
                    a = whole.select(items=sets[case][kind])
                    b = their_scores.select(items=their_sets[case][kind])
                    yield case, f"{kind} queries of {label}", Swapped("here", a), Swapped(label, b)

    def _half(self, side: Any) -> Scores:
        """Scores on half of each query's documents, where something is relevant among them."""
        letor, rows = half(self.test, side)
        scores = evaluate(letor.qrels(), self._runs(letor, rows), self.measures)
        defined = np.asarray(~np.isnan(scores.values).any(axis=(0, 2)))
        items = [item for item, known in zip(scores.items, defined.tolist(), strict=True) if known]
        if len(items) < 2:
            raise MismatchError("too few queries have a relevant document in both halves.")
        return over_cutoffs(scores.select(items=items))

    def _other(self, against: Any) -> tuple[str, Scores, Mapping[str, Sets]]:
        """The name, scores and sets of the study that this one is held against."""
        if isinstance(against, LetorStudy):
            theirs, sets, label = against.scores, against.sets, against.name
        else:
            theirs, sets = StudyFolder(against).load()
            label = StudyFolder(against).label()
        lacking = [m for m in self.measures if m not in theirs.measures]
        if lacking:
            raise MismatchError(
                f"the other study has no {lacking[0]}; both need the same cutoffs and gain."
            )
        return label, over_cutoffs(theirs.select(measures=self.measures)), sets

    def _chances(self, qrels: Any, run: Run) -> Rows:
        """The expected value of each query as a share of what is possible, for histograms."""
        wanted: list[tuple[Family, str, Expected, str]] = []
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
