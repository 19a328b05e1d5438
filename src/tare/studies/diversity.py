"""Do preferences tell systems apart as subtopic judgements do?

(a) τ between nPrf, for every stopping rule and combination, and α-nDCG, ERR-IA, subtopic recall;
(b) the order of systems for single profiles, for all profiles together and for the TREC profile;
(c) incomplete judgements: N random triplets a query, judged by five sampled profiles each;
(d) noisy judgements: answers turned round with probability ε.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare.data.profiles import add_up, sample_profiles, simulate_all, simulate_triplets
from tare.data.run import Run, read_runs
from tare.data.subtopics import Subtopics, read_subtopics
from tare.data.utilities import QueryUtilities, Utilities
from tare.errors import MismatchError
from tare.kernels import stream_ids
from tare.measures.evaluate import evaluate
from tare.measures.preference.browsing import STOPS
from tare.stats.correlation import correlation
from tare.studies.diversity_answers import DiversityStudy
from tare.studies.systems import check_systems, first_documents, perturbed, simulated

__all__ = ["diversity"]

Array = NDArray[np.float64]
Made = Callable[[int], QueryUtilities]


def diversity(
    subtopics: Any,
    runs: Any = None,
    *,
    systems: int = 24,
    cutoff: int = 20,
    pool: int = 100,
    profiles: int = 10,
    triplets: Sequence[int] = (50, 250, 1000, 5000, 25_000),
    noise: Sequence[float] = (0.0, 0.1, 0.2, 0.3, 0.4),
    repeats: int = 10,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> DiversityStudy:
    """Runs the study on judgements by subtopic and runs.

    runs: what `read_runs` takes; others are made of them until there are `systems`. Without runs all
    systems are simulated from the judgements.
    pool: documents of a query that are compared: those that most systems have in their first
    `cutoff` come first.
    """
    say = progress or (lambda _: None)
    given = read_subtopics(subtopics)
    made = (
        simulated(given, check_systems(systems), seed=seed)
        if runs is None
        else perturbed(read_runs(runs), check_systems(systems), seed=seed)
    )
    if not set(given.items) & {q for run in made for q in run.queries}:
        raise MismatchError("no query of the runs has judgements by subtopic.")
    study = _Study(given, made, cutoff, pool, seed)
    say("agreement")
    return study.answers(profiles, triplets, noise, repeats, say)


class _Study:
    """What the four questions share: systems, pools, and who covers what."""

    def __init__(
        self, subtopics: Subtopics, runs: list[Run], cutoff: int, pool: int, seed: int
    ) -> None:
        in_runs = {q for run in runs for q in run.queries}
        self.subtopics, self.runs, self.cutoff, self.seed = subtopics, runs, cutoff, seed
        self.places = [q for q, item in enumerate(subtopics.items) if item in in_runs]
        self.items = [subtopics.items[q] for q in self.places]
        self.streams = [int(x) for x in stream_ids(self.items)]
        votes: dict[str, dict[str, int]] = {item: {} for item in self.items}
        for run in runs:
            for query, order in first_documents(run, cutoff).items():
                for document in order if query in votes else ():
                    votes[query][document] = votes[query].get(document, 0) + 1
        self.documents: list[list[str]] = []
        self.covered: list[NDArray[np.bool_]] = []
        offsets = subtopics.arrays["document_offsets"]
        for q, item in zip(self.places, self.items, strict=True):
            names = subtopics.document_names[offsets[q] : offsets[q + 1]]
            place = {d: i for i, d in enumerate(names)}
            table = subtopics.covered(q)
            table = table[:, table.any(axis=0)]
            order = sorted(votes[item], key=lambda d: (-votes[item][d], d))
            known = set(order)
            order += [d for i, d in enumerate(names) if d not in known and table[i].any()]
            order = order[:pool]
            blank = np.zeros(table.shape[1], dtype=bool)
            self.documents.append(order)
            self.covered.append(
                np.array([table[place[d]] if d in place else blank for d in order], dtype=bool)
            )

    def utilities(self, make: Made) -> Utilities:
        """Utilities of all queries, each made by its place."""
        return Utilities.of((item, make(i)) for i, item in enumerate(self.items))

    def whole(self, i: int, profile: Any = None, noise: float = 0.0, seed: int | None = None) -> QueryUtilities:  # fmt: skip
        return simulate_all(
            self.documents[i], self.covered[i], profile, noise=noise,
            seed=self.seed if seed is None else seed, stream=self.streams[i],
        )  # fmt: skip

    def scores(self, judgements: Any, measures: Sequence[str]) -> list[Array]:
        """The mean of each system, measure by measure."""
        found = evaluate(judgements, self.runs, list(measures))
        found = found.select(items=[i for i in self.items if i in found.items])
        return [np.nanmean(found.values[:, :, m], axis=1) for m in range(len(measures))]

    def tau(self, first: Array, second: Array) -> float:
        """Kendall's τ-b of two orders of the systems."""
        names = [run.system for run in self.runs]
        return correlation(
            dict(zip(names, first, strict=True)), dict(zip(names, second, strict=True))
        )

    def answers(
        self,
        profiles: int,
        triplets: Sequence[int],
        noise: Sequence[float],
        repeats: int,
        say: Callable[[str], None],
    ) -> DiversityStudy:
        k = self.cutoff
        plain = [f"alpha_nDCG@{k}", f"ERR_IA@{k}", f"StRecall@{k}"]
        by_subtopic = self.scores(self.subtopics, plain)
        variants = [(s, c) for s in STOPS for c in ("mean", "min")]
        names = [f"nPrf(stop={s},combine={c})@{k}" for s, c in variants]
        trec = self.utilities(self.whole)
        by_preference = dict(zip(variants, self.scores(trec, names), strict=True))
        agreement = tuple(
            (s, c, m, self.tau(by_preference[s, c], scores))
            for s, c in variants
            for m, scores in zip(plain, by_subtopic, strict=True)
        )
        between = tuple(
            (s, self.tau(by_preference[s, "mean"], by_preference[s, "min"])) for s in STOPS
        )
        say("profiles")
        reference, main = by_preference["rbp", "mean"], f"nPrf@{k}"
        cared = [
            sample_profiles(c.shape[1], profiles, seed=self.seed, stream=s)
            for c, s in zip(self.covered, self.streams, strict=True)
        ]
        pairs, together = self._profiles(cared, profiles, reference, by_subtopic[0], main, plain[0])
        say("incomplete judgements")
        incomplete = tuple(
            (count, repeat, self.tau(together, self._triplets(cared, count, repeat, main)))
            for count in triplets
            for repeat in range(repeats)
        )
        say("noisy judgements")
        noisy = tuple(
            (share, repeat, self.tau(reference, self._noisy(share, repeat, main)))
            for share in noise
            for repeat in range(max(1, repeats // 3))
        )
        means = dict(zip(plain, by_subtopic, strict=True)) | dict(
            zip(names, (by_preference[v] for v in variants), strict=True)
        )
        return DiversityStudy(
            tuple(run.system for run in self.runs), len(self.items),
            {m: tuple(float(x) for x in v) for m, v in means.items()},
            agreement, between, pairs, incomplete, noisy, self.seed,
        )  # fmt: skip

    def _profiles(
        self, cared: list[NDArray[np.bool_]], count: int, reference: Array, alpha: Array, main: str, plain: str
    ) -> tuple[tuple[tuple[str, str, float], ...], Array]:  # fmt: skip
        single: list[Array] = []
        restricted: list[float] = []
        parts: list[list[QueryUtilities]] = [[] for _ in self.items]
        for p in range(count):
            for i in range(len(self.items)):
                parts[i].append(self.whole(i, cared[i][p]))
            single.append(self.scores(self.utilities(lambda i, p=p: parts[i][p]), [main])[0])  # type: ignore[misc]
            own = self.scores(self._restricted(cared, p), [plain])[0]
            restricted.append(self.tau(single[-1], own))
        everyone = self.scores(self.utilities(lambda i: add_up(parts[i])), [main])[0]

        def mean(values: list[float]) -> float:
            known = [v for v in values if not math.isnan(v)]
            return float(np.mean(known)) if known else math.nan

        between = [self.tau(single[a], single[b]) for a in range(count) for b in range(a)]
        rows = (
            ("all profiles", "TREC profile", self.tau(everyone, reference)),
            ("all profiles", plain, self.tau(everyone, alpha)),
            ("TREC profile", plain, self.tau(reference, alpha)),
            ("single profiles", "all profiles", mean([self.tau(s, everyone) for s in single])),
            ("single profiles", "TREC profile", mean([self.tau(s, reference) for s in single])),
            ("single profiles", "one another", mean(between)),
            ("single profiles", f"{plain} of their subtopics", mean(restricted)),
        )
        return rows, everyone

    def _restricted(self, cared: list[NDArray[np.bool_]], p: int) -> Subtopics:
        """The judgements of the subtopics that one profile cares for."""
        wanted: dict[str, set[str]] = {}
        offsets, names = self.subtopics.arrays["subtopic_offsets"], self.subtopics.subtopic_names
        for i, q in enumerate(self.places):
            own = names[offsets[q] : offsets[q + 1]]
            counted = np.asarray(self.subtopics.covered(q).any(axis=0)).tolist()
            kept = [n for n, c in zip(own, counted, strict=True) if c]
            wanted[self.items[i]] = {n for n, c in zip(kept, cared[i][p], strict=True) if c}
        cells = [c for c in self.subtopics.cells() if c[1] in wanted.get(c[0], ())]
        return read_subtopics(cells)

    def _triplets(
        self, cared: list[NDArray[np.bool_]], count: int, repeat: int, main: str
    ) -> Array:
        def make(i: int) -> QueryUtilities:
            return simulate_triplets(
                self.documents[i], self.covered[i], cared[i], count,
                seed=self.seed + 1 + repeat, stream=self.streams[i],
            )  # fmt: skip

        return self.scores(self.utilities(make), [main])[0]

    def _noisy(self, share: float, repeat: int, main: str) -> Array:
        seed = self.seed + 1 + repeat
        return self.scores(self.utilities(lambda i: self.whole(i, None, share, seed)), [main])[0]
