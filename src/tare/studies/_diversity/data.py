"""The data of the diversity study: systems, compared documents, and the subtopics they cover."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.preferences import QueryUtilities, Utilities
from tare._data.profiles import simulate_all
from tare._data.runs import Run
from tare._data.subtopics import Subtopics
from tare._kernels import stream_ids
from tare._measures.evaluate_rankings import evaluate
from tare.stats._correlation import correlation
from tare.studies._systems import first_documents

__all__ = ["DiversityData"]

Array = NDArray[np.float64]
Covered = NDArray[np.bool_]
Made = Callable[[int], QueryUtilities]


class DiversityData:
    """Systems and, for each query, the compared documents and the subtopics they cover."""

    def __init__(
        self, subtopics: Subtopics, runs: list[Run], cutoff: int, depth: int, seed: int
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
        self.covered: list[Covered] = []
        self.names: list[list[str]] = []  # of subtopics with a relevant document
        offsets = subtopics.arrays.document_offsets
        within = subtopics.arrays.subtopic_offsets
        for q, item in zip(self.places, self.items, strict=True):
            names = subtopics.document_names[offsets[q] : offsets[q + 1]]
            place = {d: i for i, d in enumerate(names)}
            table = subtopics.covered(q)
            counted: Covered = np.asarray(table.any(axis=0))
            own = subtopics.subtopic_names[within[q] : within[q + 1]]
            self.names.append([s for s, c in zip(own, counted.tolist(), strict=True) if c])
            table = table[:, counted]
            order = sorted(votes[item], key=lambda d: (-votes[item][d], d))
            known = set(order)
            order += [d for i, d in enumerate(names) if d not in known and table[i].any()]
            order = order[:depth]
            blank = np.zeros(table.shape[1], dtype=bool)
            self.documents.append(order)
            self.covered.append(
                np.array([table[place[d]] if d in place else blank for d in order], dtype=bool)
            )

    def utilities(self, make: Made, only: Covered | None = None) -> Utilities:
        """Return the utilities of all queries, or of some."""
        places = [i for i in range(len(self.items)) if only is None or only[i]]
        return Utilities.of((self.items[i], make(i)) for i in places)

    def whole(
        self, i: int, profile: Any = None, noise: float = 0.0, seed: int | None = None
    ) -> QueryUtilities:
        """Return utilities from simulated preferences between all compared documents."""
        return simulate_all(
            self.documents[i],
            self.covered[i],
            profile,
            noise=noise,
            seed=self.seed if seed is None else seed,
            stream=self.streams[i],
        )

    def matrix(self, judgements: Any, measure: str) -> Array:
        """Return scores by system and query; NaN if the judgements lack a query."""
        found = evaluate(judgements, self.runs, [measure])
        place = {item: k for k, item in enumerate(found.items)}
        made = np.full((len(self.runs), len(self.items)), np.nan)
        for i, item in enumerate(self.items):
            if item in place:
                made[:, i] = found.values[:, place[item], 0]
        return made

    def scores(self, judgements: Any, measures: Sequence[str]) -> list[Array]:
        """Return the mean score of each system, by measure."""
        found = evaluate(judgements, self.runs, list(measures))
        found = found.select(items=[i for i in self.items if i in found.items])
        return [np.nanmean(found.values[:, :, m], axis=1) for m in range(len(measures))]

    def tau(self, first: Array, second: Array, kind: str = "tau_b") -> float:
        """Return the rank correlation of two sets of system scores."""
        names = [run.system for run in self.runs]
        return correlation(
            dict(zip(names, first, strict=True)), dict(zip(names, second, strict=True)), kind=kind
        )
