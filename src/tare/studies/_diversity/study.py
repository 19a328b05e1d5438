"""The diversity study: do preference measures rank systems like subtopic measures?

(a) τ of nPrf, for every stopping rule and combination, with α-nDCG, ERR-IA and subtopic recall;
(b) rankings of systems by single profiles, by all profiles together, and by the TREC profile;
(c) incomplete judgements: N random triplets per query, each judged by five sampled profiles;
(d) noisy judgements: answers reversed with probability ε.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._data.preferences import QueryUtilities
from tare._data.profiles import read_profiles, simulate_triplets
from tare._data.runs import read_runs
from tare._data.subtopics import Subtopics, read_subtopics
from tare._measures.preference import STOPS
from tare.errors import MismatchError, OptionError
from tare.studies._diversity.data import DiversityData
from tare.studies._diversity.profile_orders import profile_orders
from tare.studies._diversity.result import JUDGES, DiversityStudy
from tare.studies._diversity.users import Users, given_users, sampled_users
from tare.studies._systems import check_systems, perturbed, simulated

if TYPE_CHECKING:
    from tare._data.findings import Frame, Table
    from tare._files.opening import PathLike
    from tare._measures.inputs import RunsInput

__all__ = ["diversity"]

Array = NDArray[np.float64]


def diversity(
    subtopics: Subtopics | Table,
    runs: RunsInput | None = None,
    *,
    systems: int = 24,
    cutoff: int = 20,
    depth: int = 100,
    profiles: int | None = None,
    profile_file: PathLike | Frame | Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    triplets: Sequence[int] = (50, 250, 1000, 5000, 25_000),
    noise: Sequence[float] = (0.0, 0.1, 0.2, 0.3, 0.4),
    repeats: int = 10,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> DiversityStudy:
    """Compare preference measures with subtopic measures.

    Parameters
    ----------
    subtopics : path, data frame or Subtopics
        Judgements by subtopic, as `tare.read_subtopics` takes them.
    runs : path, list or mapping, optional
        Runs, as `tare.read_runs` takes them. Perturbed copies are added until there are `systems`
        runs. Without runs, all systems are simulated from the judgements.
    systems : int
        Number of systems.
    cutoff : int
        The cutoff of all measures.
    depth : int
        Number of documents per query that are compared. Documents that most systems have in their
        first `cutoff` ranks come first.
    profiles : int, optional
        Number of simulated profiles; 10 by default.
    profile_file : path, data frame or mapping, optional
        Given profiles instead: lines 'profile query subtopic [subtopic …]', a table with these
        columns, or {profile: {query: [subtopic, …]}}.
    triplets : sequence of int
        Numbers of triplets per query, for incomplete judgements.
    noise : sequence of float
        Probabilities of a reversed answer, for noisy judgements.
    repeats : int
        Repetitions of each random experiment.
    seed : int
        Seed of random draws.
    progress : callable, optional
        Called with a short description of each step.

    Returns
    -------
    DiversityStudy
        τ between measures and between profiles, and under incomplete and noisy judgements.

    Raises
    ------
    OptionError
        If both `profiles` and `profile_file` are given, or if an option is out of range.
    MismatchError
        If no query of the runs has judgements.

    References
    ----------
    Chandar and Carterette (2013).

    Examples
    --------
    >>> rows = [(f"q{q}", s, f"d{d}", 1) for q in range(3) for s in "ab" for d in (q, 3 + (s == "a"))]
    >>> found = diversity(rows, systems=4, cutoff=3, profiles=2, triplets=[10], noise=[0.1], repeats=1)
    >>> list(found.tables())
    ['a', 'b', 'b profiles', 'c', 'd']
    """
    if profiles is not None and profile_file is not None:
        raise OptionError("give either a number of profiles or a profile file, not both.")
    if depth < 1:
        raise OptionError(f"depth={depth} is not valid. It must be 1 or greater.")
    notify = progress or (lambda _: None)
    given = read_subtopics(subtopics)
    made = (
        simulated(given, check_systems(systems), seed=seed)
        if runs is None
        else perturbed(read_runs(runs), check_systems(systems), seed=seed)
    )
    if not set(given.items) & {q for run in made for q in run.queries}:
        raise MismatchError("no query of the runs has judgements by subtopic.")
    study = _Questions(given, made, cutoff, depth, seed)
    users = (
        sampled_users(
            [c.shape[1] for c in study.covered],
            study.streams,
            10 if profiles is None else profiles,
            seed,
        )
        if profile_file is None
        else given_users(read_profiles(profile_file), study.items, study.names)
    )
    notify("agreement")
    return study.result(users, triplets, noise, repeats, notify)


class _Questions(DiversityData):
    """The four questions of the study."""

    def result(
        self,
        users: Users,
        triplets: Sequence[int],
        noise: Sequence[float],
        repeats: int,
        notify: Callable[[str], None],
    ) -> DiversityStudy:
        """Answer the four questions."""
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
        notify("profiles")
        reference, main = by_preference["rbp", "mean"], f"nPrf@{k}"
        summary, orders, together = profile_orders(self, users, main, plain[0])

        def both(first: Array, second: Array) -> tuple[float, float]:
            return self.tau(first, second), self.tau(first, second, "pearson")

        notify("incomplete judgements")
        incomplete = tuple(
            (
                count,
                count * JUDGES,
                repeat,
                *both(together, self._triplets(users, count, repeat, main)),
            )
            for count in triplets
            for repeat in range(repeats)
        )
        notify("noisy judgements")
        noisy = tuple(
            (share, repeat, *both(reference, self._noisy(share, repeat, main)))
            for share in noise
            for repeat in range(max(1, repeats // 3))
        )
        means = dict(zip(plain, by_subtopic, strict=True)) | dict(
            zip(names, (by_preference[v] for v in variants), strict=True)
        )
        return DiversityStudy(
            tuple(run.system for run in self.runs),
            len(self.items),
            {m: tuple(float(x) for x in v) for m, v in means.items()},
            agreement,
            between,
            summary,
            orders,
            incomplete,
            noisy,
            self.seed,
            users.notes,
        )

    def _triplets(self, users: Users, count: int, repeat: int, main: str) -> Array:
        def make(i: int) -> QueryUtilities:
            return simulate_triplets(
                self.documents[i],
                self.covered[i],
                users.of_query(i),
                count,
                judges=JUDGES,
                seed=self.seed + 1 + repeat,
                stream=self.streams[i],
            )

        return self.scores(self.utilities(make, users.anyone), [main])[0]

    def _noisy(self, share: float, repeat: int, main: str) -> Array:
        seed = self.seed + 1 + repeat
        return self.scores(self.utilities(lambda i: self.whole(i, None, share, seed)), [main])[0]
