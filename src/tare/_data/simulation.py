"""A simulated collection: queries of different difficulty, systems of different quality."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tare._data.qrels import Qrels, read_qrels
from tare._data.runs import Run, read_run
from tare.errors import OptionError

__all__ = ["Simulation", "simulate"]


# A simulated collection: queries of different difficulty, systems of different quality.
#
# For the demo, the docs and the tests: no download is needed, and the true quality is known.


@dataclass(frozen=True)
class Simulation:
    """Qrels and runs of a simulated collection."""

    qrels: Qrels
    runs: tuple[Run, ...]

    def write(self, folder: Path) -> None:
        """Write a simulated collection: `qrels.txt` and one `.run` file per system, as TREC text."""
        (folder / "runs").mkdir(parents=True, exist_ok=True)
        self.qrels.write(folder / "qrels.txt")
        for run in self.runs:
            run.write(folder / "runs" / f"{run.system}.run")


def simulate(
    *,
    queries: int = 60,
    documents: int = 120,
    depth: int | None = None,
    judged: float = 1.0,
    systems: dict[str, tuple[float, float]] | None = None,
    seed: int = 1,
) -> Simulation:
    """Simulate a collection: judgements and runs with known skill.

    The share of relevant documents differs by query, from very few to nearly all. If most documents are
    relevant, any ranking scores well.

    Parameters
    ----------
    queries, documents : int
        Number of queries, and of documents per query.
    depth : int, optional
        Number of documents that each system ranks; by default all.
    judged : float
        Share of the documents with a grade.
    systems : dict of str to tuple of two float, optional
        The skill of each system on queries with few relevant documents, and on queries with many: how
        well its scores separate the grades. By default there are five systems, one of them random.
    seed : int
        Seed of the simulation.

    Returns
    -------
    Simulation
        The judgements (`qrels`) and the runs (`runs`).

    Raises
    ------
    OptionError
        If the seed is negative.

    Examples
    --------
    >>> collection = simulate(queries=3, documents=20, seed=1)
    >>> len(collection.qrels.items), len(collection.runs)
    (3, 5)
    """
    systems = systems or {
        "lexical": (1.0, 1.5),
        "dense": (1.5, 0.25),
        "boolean": (0.6, 0.8),
        "popular": (0.2, 1.6),
        "random": (0.0, 0.0),
    }
    if seed < 0:
        raise OptionError(f"seed={seed} is not valid: a seed is 0 or more.")
    random = np.random.default_rng(seed)
    share = random.beta(0.5, 1.2, size=queries)
    names = [f"d{d:03d}" for d in range(documents)]
    ids = [f"q{q + 1:03d}" for q in range(queries)]
    grades = np.zeros((queries, documents), dtype=int)
    for q in range(queries):
        relevant = random.random(documents) < np.clip(share[q], 0.02, 0.95)
        relevant[random.integers(documents)] = True
        grades[q] = relevant * random.choice([1, 2, 3], p=[0.6, 0.3, 0.1], size=documents)
    known = random.random((queries, documents)) < judged
    qrels = {
        ids[q]: {names[d]: int(grades[q, d]) for d in np.flatnonzero(known[q] | (grades[q] > 0))}
        for q in range(queries)
    }
    runs = []
    for system, (rare, common) in systems.items():
        ranking = {}
        for q in range(queries):
            skill = rare * (1 - share[q]) + common * share[q]
            scores = np.round(skill * grades[q] + random.normal(0, 1, documents), 4)
            best = np.argsort(-scores, kind="stable")[: depth or documents]
            ranking[ids[q]] = {names[d]: float(scores[d]) for d in best}
        runs.append(read_run(ranking, system=system))
    return Simulation(read_qrels(qrels), tuple(runs))
