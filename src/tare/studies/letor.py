"""Eight rankers on LETOR data, scored with and without chance: do the measures agree, and can they be relied on?

Feng and Karmaker 2023, §6: means, kinds of queries, agreement, significance conflicts, discriminative
power, distances, and swap rates across data sets and splits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare.chance.kinds import broad_and_focused, halves, kinds
from tare.data.letor import Letor
from tare.data.run import Run
from tare.errors import MismatchError, OptionError, choose
from tare.kernels import default_threads
from tare.measures.evaluate import evaluate
from tare.measures.scores import Scores
from tare.studies.answers import Rows
from tare.studies.consistency import consistency
from tare.studies.cutoffs import over_cutoffs
from tare.studies.discrimination import discrimination
from tare.studies.letor_answers import LetorStudy
from tare.studies.letor_data import Fold, folds_of, half, joined
from tare.studies.letor_folder import StudyFolder
from tare.studies.letor_measures import CUTOFFS, Family, families, plain_measures

if TYPE_CHECKING:
    from tare.rankers import Ranker

__all__ = ["letor"]

Floats = NDArray[np.float64]
GAINS = ("exp2", "linear")
DATA = ("MSLR", "MQ2007")
FEW = 20
TESTED = ("all", "uninformative", "ideal")


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
    against: another study, or the folder of one: swap rates across the two are told as well.
    rankers: names, rankers, or {name: options}; all eight unless told otherwise.
    kind_size: how many queries the uninformative and the ideal set hold, or their share if below 1.
    draws: of the studentised bootstrap test.
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
    return made.answers(name or parts[0].test.name, kind_size, draws, published, against, say)


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
        from tare.rankers.model import digest_of
        from tare.signature import tare_version

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
        say("kinds of queries")
        inner = [self.families[0].at(k) for k in self.cutoffs]
        found = kinds(qrels, runs, inner, size=kind_size)
        sets = {"all": found.items, "uninformative": found.uninformative, "ideal": found.ideal}
        relevant = self.test.select(found.items).qrels()
        for kind, queries in broad_and_focused(relevant, seed=self.seed).items():
            if len(queries) >= 2:
                sets[kind] = queries
                if len(queries) < FEW:
                    self.notes.append(f"{kind}: {len(queries)} queries say little.")
        self.keep.scores(scores, sets)
        studied = scores.select(items=found.items, measures=self.measures)
        say("significance")
        told = discrimination(
            studied,
            sets={k: v for k, v in sets.items() if k in TESTED and k != "all"},
            draws=draws,
            seed=self.seed,
            journal=self.keep.journal("discrimination"),
            progress=lambda what: say(f"significance, {what}"),
        )
        swaps = self._swaps(studied, sets, against, say)
        made = LetorStudy(
            name, scores, found, sets, self.families, self.cutoffs, told, swaps,
            self._chances(qrels, runs[0], found.items), published,
            self.facts(kind_size, draws, published), tuple(dict.fromkeys(self.notes)),
        )  # fmt: skip
        self.keep.tables(made)
        return made

    def _swaps(
        self,
        scores: Scores,
        sets: Mapping[str, tuple[str, ...]],
        against: Any,
        say: Callable[[str], None],
    ) -> dict[str, Any]:
        """Swap rates of the means over cutoffs, between sets of queries, documents and data."""
        whole = over_cutoffs(scores)
        made: dict[str, Any] = {}
        for one, other in (("uninformative", "ideal"), ("broad", "focused")):
            if one in sets and other in sets:
                say(f"swaps, {one} and {other}")
                made[f"{one} vs {other}"] = self._compared(
                    whole.select(items=sets[one]), whole.select(items=sets[other]), (one, other)
                )
        if "broad" not in sets:
            self.notes.append(
                "No two queries with a relevant document are broad (half of the documents of grade 2 "
                "or more), so broad and focused ones were not compared."
            )
        say("swaps, left and right")
        sides = [self._half(side) for side in halves(self.test.qrels(), seed=self.seed)]
        made["left vs right"] = self._compared(sides[0], sides[1], ("left", "right"))
        if against is not None:
            made |= self._across(whole, sets, against, say)
        return made

    def _half(self, side: Any) -> Scores:
        """Scores on half of each query's documents, where something is relevant among them."""
        letor, rows = half(self.test, side)
        scores = evaluate(letor.qrels(), self._runs(letor, rows), self.measures)
        defined = np.asarray(~np.isnan(scores.values).any(axis=(0, 2)))
        items = [item for item, known in zip(scores.items, defined.tolist(), strict=True) if known]
        if len(items) < 2:
            raise MismatchError("too few queries have a relevant document in both halves.")
        return over_cutoffs(scores.select(items=items))

    def _across(
        self, whole: Scores, sets: Mapping[str, tuple[str, ...]], against: Any, say: Any
    ) -> dict[str, Any]:
        if isinstance(against, LetorStudy):
            theirs, their_sets, label = against.scores, against.sets, against.name
        else:
            theirs, their_sets = StudyFolder(against).load()
            label = StudyFolder(against).label()
        lacking = [m for m in self.measures if m not in theirs.measures]
        if lacking:
            raise MismatchError(
                f"the other study has no {lacking[0]}; both need the same cutoffs and gain."
            )
        other = over_cutoffs(theirs.select(measures=self.measures))
        made = {}
        for kind in TESTED:
            if kind in sets and kind in their_sets:
                say(f"swaps, {kind} queries of both data")
                made[f"{kind} queries of {label}"] = self._compared(
                    whole.select(items=sets[kind]), other.select(items=their_sets[kind]),
                    ("here", label),
                )  # fmt: skip
        return made

    def _compared(self, one: Scores, other: Scores, names: tuple[str, str]) -> Any:
        return consistency(one, other, names=names, seed=self.seed, draws=1000)

    def _chances(self, qrels: Any, run: Run, items: Sequence[str]) -> Rows:
        """The expected value of each query as a share of what is possible, for histograms."""
        wanted: dict[str, tuple[Family, int, str]] = {}
        for family in self.families:
            if family.original is not None:
                continue
            for k in self.cutoffs:
                if family.label == "nDCG":
                    wanted[f"E({family.at(k)})"] = (family, k, "exact")
                else:
                    wanted[f"E(SP@{k})"] = (family, k, "exact")
                    wanted[f"E(SP@{k},expected=independent)"] = (family, k, "published")
        found = evaluate(qrels, run, list(wanted)).select(items=items)
        rows: Rows = []
        for (family, k, baseline), column in zip(
            wanted.values(), np.moveaxis(found.values[0], 1, 0), strict=True
        ):
            by = 1 if family.label == "nDCG" else k
            rows += [
                {
                    "measure": family.label,
                    "cutoff": k,
                    "baseline": baseline,
                    "query": item,
                    "expected": float(value) / by,
                }
                for item, value in zip(found.items, column.tolist(), strict=True)
            ]
        return rows
