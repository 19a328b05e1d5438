"""The diversity study: do preference measures rank systems like subtopic measures?

(a) τ of nPrf, for every stopping rule and combination, with α-nDCG, ERR-IA and subtopic recall;
(b) rankings of systems by single profiles, by all profiles together, and by the TREC profile;
(c) incomplete judgements: N random triplets per query, each judged by five sampled profiles;
(d) noisy judgements: answers reversed with probability ε.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.preferences import QueryUtilities, Utilities
from tare._data.profiles import (
    Profiles,
    add_up,
    read_profiles,
    sample_profiles,
    simulate_all,
    simulate_triplets,
)
from tare._data.runs import Run, read_runs
from tare._data.subtopics import Subtopics, read_subtopics
from tare._kernels import stream_ids
from tare._measures.evaluate_rankings import evaluate
from tare._measures.preference import STOPS
from tare._result import MultiTableResult, Row, Rows
from tare._tables import Column, Table
from tare.errors import MismatchError, OptionError
from tare.stats._correlation import correlation
from tare.studies._people_correlations import is_known
from tare.studies._systems import check_systems, first_documents, perturbed, simulated

if TYPE_CHECKING:
    from tare._data.findings import Frame, TableSource
    from tare._files.opening import PathLike
    from tare._measures.inputs import RunsInput

__all__ = [
    "ALL",
    "JUDGES",
    "TREC",
    "DiversityData",
    "DiversityStudy",
    "ProfileOrder",
    "Users",
    "diversity",
    "given_users",
    "profile_orders",
    "sampled_users",
]


# The data of the diversity study: systems, compared documents, and the subtopics they cover.


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
        """Return the utilities of the diversity data's documents for all queries, or for some."""
        places = [i for i in range(len(self.items)) if only is None or only[i]]
        return Utilities.of((self.items[i], make(i)) for i in places)

    def whole(
        self, i: int, profile: Any = None, noise: float = 0.0, seed: int | None = None
    ) -> QueryUtilities:
        """Return the utilities of a query from simulated preferences between all compared documents."""
        return simulate_all(
            self.documents[i],
            self.covered[i],
            profile,
            noise=noise,
            seed=self.seed if seed is None else seed,
            stream=self.streams[i],
        )

    def matrix(self, judgements: Any, measure: str) -> Array:
        """Return scores by system and query on preferences or subtopics; NaN if the judgements lack a query."""
        found = evaluate(judgements, self.runs, [measure])
        place = {item: k for k, item in enumerate(found.items)}
        made = np.full((len(self.runs), len(self.items)), np.nan)
        for i, item in enumerate(self.items):
            if item in place:
                made[:, i] = found.values[:, place[item], 0]
        return made

    def scores(self, judgements: Any, measures: Sequence[str]) -> list[Array]:
        """Return the mean score of each system on preferences or subtopics, by measure."""
        found = evaluate(judgements, self.runs, list(measures))
        found = found.select(items=[i for i in self.items if i in found.items])
        return [np.nanmean(found.values[:, :, m], axis=1) for m in range(len(measures))]

    def tau(self, first: Array, second: Array, kind: str = "tau_b") -> float:
        """Return the rank correlation of two sets of scores of the diversity study's systems."""
        names = [run.system for run in self.runs]
        return correlation(
            dict(zip(names, first, strict=True)), dict(zip(names, second, strict=True)), kind=kind
        )


# User profiles of the diversity study: sampled at random, or read from a file.


MAX_PROFILES = 1000


@dataclass(frozen=True)
class Users:
    """User profiles, the subtopics of each: `cared[i]` is profiles × subtopics of query i; `known` is profiles × queries."""

    names: tuple[str, ...]
    cared: list[Covered] = field(repr=False)
    known: Covered = field(repr=False)
    notes: tuple[str, ...] = ()

    def of_query(self, i: int) -> Covered:
        """Return the profiles that include query i."""
        return self.cared[i][self.known[:, i]]

    @property
    def anyone(self) -> Covered:
        """Which queries are in some profile."""
        return np.asarray(self.known.any(axis=0))

    def sizes(self) -> list[float]:
        """Return the mean number of subtopics per query of each user profile."""
        counts = np.array([cared.sum(axis=1) for cared in self.cared]).T
        return [float(row[own].mean()) for row, own in zip(counts, self.known, strict=True)]


def sampled_users(subtopics: Sequence[int], streams: Sequence[int], count: int, seed: int) -> Users:
    """Sample user profiles: each subtopic with probability one half, and at least one."""
    if not 1 <= count <= MAX_PROFILES:
        raise OptionError(
            f"profiles={count} is not valid. Between 1 and {MAX_PROFILES:,} profiles can be simulated."
        )
    cared = [
        sample_profiles(width, count, seed=seed, stream=stream)
        for width, stream in zip(subtopics, streams, strict=True)
    ]
    names = tuple(f"profile {p + 1}" for p in range(count))
    return Users(names, cared, np.ones((count, len(cared)), dtype=bool))


def given_users(
    profiles: Profiles, items: Sequence[str], subtopics: Sequence[Sequence[str]]
) -> Users:
    """Return the user profiles of a file; `subtopics` are those with a relevant document, by query."""
    cared = [
        np.array([[s in profiles.of(name, item) for s in own] for name in profiles.names])
        .reshape(len(profiles), len(own))
        .astype(bool)
        for item, own in zip(items, subtopics, strict=True)
    ]
    known = np.array([table.any(axis=1) for table in cared]).T
    silent = [name for name, row in zip(profiles.names, known, strict=True) if not row.any()]
    if silent:
        raise MismatchError(
            f"{profiles.source}: profile {silent[0]!r} has no subtopic with a relevant document in "
            f"any query of the study. The queries are {', '.join(items[:5])}"
            f"{', …' if len(items) > 5 else ''}. Check the ids of queries and subtopics."
        )
    return Users(profiles.names, cared, known, tuple(_notes(profiles, items, subtopics, known)))


def _notes(
    profiles: Profiles, items: Sequence[str], subtopics: Sequence[Sequence[str]], known: Covered
) -> list[str]:
    """Return notes on unused parts of the file of user profiles and on queries without a profile."""
    here = {item: set(own) for item, own in zip(items, subtopics, strict=True)}
    foreign = {query for _, query in profiles.wanted} - here.keys()
    unused = {
        (query, s)
        for (_, query), wanted in profiles.wanted.items()
        for s in wanted - here.get(query, wanted)
    }
    lacking = int((~known.any(axis=0)).sum())
    made = []
    if foreign:
        made.append(f"{len(foreign):,} queries of {profiles.source} are not in the study.")
    if unused:
        made.append(
            f"{len(unused):,} subtopics of {profiles.source} have no relevant document and were skipped."
        )
    if lacking:
        made.append(
            f"{lacking:,} of {len(items):,} queries have no profile and were skipped in (b) and (c)."
        )
    return made


# Rankings of systems by single profiles, by all profiles together, and by the TREC profile.
#
# Each profile has two scores per system: nPrf from its own simulated preferences, and the subtopic
# measure restricted to its own subtopics (Chandar and Carterette 2013, §5.2).


ALL, TREC = "all profiles", "TREC profile"


@dataclass(frozen=True)
class ProfileOrder:
    """One user profile: its queries and subtopics, the scores of all systems, and τ with other rankings."""

    profile: str
    queries: int
    subtopics: float
    preferences: tuple[float, ...]
    restricted: tuple[float, ...]
    tau_restricted: float
    tau_all: float
    tau_trec: float


def profile_orders(
    material: DiversityData, users: Users, main: str, plain: str
) -> tuple[tuple[tuple[str, str, float], ...], tuple[ProfileOrder, ...], Array]:
    """Return a summary of all user profiles, each profile, and the scores of all profiles together."""
    trec = material.matrix(material.utilities(material.whole), main)
    alpha = material.matrix(material.subtopics, plain)
    parts: list[list[QueryUtilities]] = [[] for _ in material.items]
    single: list[Array] = []
    restricted: list[Array] = []
    for p in range(len(users.names)):
        own = users.known[p]
        made = {
            i: material.whole(i, users.cared[i][p]) for i, here in enumerate(own.tolist()) if here
        }
        for i, part in made.items():
            parts[i].append(part)
        single.append(material.matrix(material.utilities(made.__getitem__, own), main))
        restricted.append(material.matrix(_restricted(material, users, p), plain))
    anyone = users.anyone
    everyone = material.matrix(material.utilities(lambda i: add_up(parts[i]), anyone), main)

    def mean(values: Array, where: Covered) -> Array:
        return np.asarray(np.nanmean(values[:, where], axis=1))

    def on(where: Covered, first: Array, second: Array) -> float:
        return material.tau(mean(first, where), mean(second, where))

    orders = []
    rows = zip(users.names, users.known, users.sizes(), single, restricted, strict=True)
    for name, own, size, preferred, subtopic in rows:
        orders.append(
            ProfileOrder(
                name,
                int(own.sum()),
                size,
                _plain(mean(preferred, own)),
                _plain(mean(subtopic, own)),
                on(own, preferred, subtopic),
                on(own, preferred, everyone),
                on(own, preferred, trec),
            )
        )
    for name, values in ((ALL, everyone), (TREC, trec)):
        orders.append(
            ProfileOrder(
                name,
                int(anyone.sum()),
                float(np.mean([len(names) for names in material.names])),
                _plain(mean(values, anyone)),
                _plain(mean(alpha, anyone)),
                on(anyone, values, alpha),
                on(anyone, values, everyone),
                on(anyone, values, trec),
            )
        )
    users_only = orders[:-2]
    between = [
        on(users.known[a] & users.known[b], single[a], single[b])
        for a in range(len(single))
        for b in range(a)
        if (users.known[a] & users.known[b]).any()
    ]
    summary = (
        (ALL, TREC, on(anyone, everyone, trec)),
        (ALL, plain, on(anyone, everyone, alpha)),
        (TREC, plain, on(anyone, trec, alpha)),
        ("single profiles", ALL, _mean_known([o.tau_all for o in users_only])),
        ("single profiles", TREC, _mean_known([o.tau_trec for o in users_only])),
        ("single profiles", "each other", _mean_known(between)),
        (
            "single profiles",
            f"{plain} of their subtopics",
            _mean_known([o.tau_restricted for o in users_only]),
        ),
    )
    return summary, tuple(orders), mean(everyone, anyone)


def _restricted(material: DiversityData, users: Users, p: int) -> Subtopics:
    """Return the judgements of the subtopics that one user profile cares about."""
    wanted = {
        item: {n for n, c in zip(names, cared[p].tolist(), strict=True) if c}
        for item, names, cared in zip(material.items, material.names, users.cared, strict=True)
    }
    cells = [c for c in material.subtopics.cells() if c[1] in wanted.get(c[0], ())]
    return read_subtopics(cells)


def _mean_known(values: Sequence[float]) -> float:
    """Return the mean of the user profiles' values of τ that are not NaN; NaN if there are none."""
    known = [v for v in values if not math.isnan(v)]
    return float(np.mean(known)) if known else math.nan


def _plain(values: Array) -> tuple[float, ...]:
    return tuple(float(x) for x in values)


# The result of the diversity study.


JUDGES = 5  # answers per triplet, as in the article


@dataclass(frozen=True, repr=False)
class DiversityStudy(MultiTableResult):
    """Agreement of preference measures with subtopic measures.

    Attributes
    ----------
    systems : tuple of str
        The systems.
    queries : int
        Number of queries.
    means : dict of str to tuple of float
        The mean of each system, by measure.
    agreement, combinations : tuple
        τ of nPrf with subtopic measures, and of its two ways to combine utilities.
    profiles, orders : tuple
        τ between profiles, and the ranking of systems by each profile.
    incomplete, noisy : tuple
        τ and Pearson's r with fewer triplets, and with reversed answers.
    seed : int
        Seed of random draws.
    notes : tuple of str
        Remarks on the data.

    Examples
    --------
    >>> import tare
    >>> rows = [(f"q{q}", s, f"d{d}", 1) for q in range(3) for s in "ab" for d in (q, 3 + (s == "a"))]
    >>> sizes = {"systems": 4, "cutoff": 3, "profiles": 2, "triplets": [10], "noise": [0.1], "repeats": 1}
    >>> found = tare.studies.diversity(rows, **sizes)
    >>> found.queries, len(found.systems), list(found.tables())
    (3, 4, ['a', 'b', 'b profiles', 'c', 'd'])
    """

    systems: tuple[str, ...]
    queries: int
    means: dict[str, tuple[float, ...]]
    agreement: tuple[tuple[str, str, str, float], ...]
    combinations: tuple[tuple[str, float], ...]
    profiles: tuple[tuple[str, str, float], ...]
    orders: tuple[ProfileOrder, ...]
    incomplete: tuple[tuple[int, int, int, float, float], ...]
    noisy: tuple[tuple[float, int, float, float], ...]
    seed: int
    notes: tuple[str, ...] = ()

    def all_rows(self) -> dict[str, Rows]:
        """Return the rows of all tables and figures by name."""

        def named(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Rows:
            return [dict(zip(names, row, strict=True)) for row in rows]

        return {
            "agreement": named(("stop", "combine", "measure", "tau"), self.agreement),
            "combinations": named(("stop", "tau"), self.combinations),
            "profiles": named(("first", "second", "tau"), self.profiles),
            "profile_orders": [
                {
                    "profile": o.profile,
                    "queries": o.queries,
                    "subtopics": o.subtopics,
                    "tau_restricted": o.tau_restricted,
                    "tau_all": o.tau_all,
                    "tau_trec": o.tau_trec,
                }
                for o in self.orders
            ],
            "profile_scores": [
                {"profile": o.profile, "system": s, "preferences": p, "restricted": r}
                for o in self.orders
                for s, p, r in zip(self.systems, o.preferences, o.restricted, strict=True)
            ],
            "incomplete": named(
                ("triplets", "answers", "repeat", "tau", "pearson"), self.incomplete
            ),
            "noisy": named(("noise", "repeat", "tau", "pearson"), self.noisy),
            "means": [
                {"system": system, **{m: values[i] for m, values in self.means.items()}}
                for i, system in enumerate(self.systems)
            ],
        }

    def headlines(self) -> list[str]:
        """Return the variant with the highest correlation, and the number of judgements it needs."""
        rows = [r for r in self.all_rows()["agreement"] if is_known(r["tau"])]
        if not rows:
            return []
        best = max(rows, key=lambda r: r["tau"])
        sentences = [
            f"τ between nPrf and subtopic measures is at most {best['tau']:.2f} over {len(self.systems)} systems "
            f"(nPrf with {best['stop']}, {best['combine']}, and {best['measure']}); it was not tested against the "
            "others."
        ]
        counts: dict[int, list[float]] = {}
        for count, _, _, tau, _ in self.incomplete:
            if not math.isnan(tau):
                counts.setdefault(count, []).append(tau)
        means = {count: sum(found) / len(found) for count, found in counts.items()}
        enough = [count for count, tau in sorted(means.items()) if tau >= 0.9]
        if enough:
            sentences.append(
                f"With {enough[0]:,} triplets per query, τ with complete judgements reaches {means[enough[0]]:.2f}."
            )
        elif means:
            most = max(means)
            sentences.append(
                f"With {most:,} triplets per query, τ with complete judgements is {means[most]:.2f}; it does not "
                "reach 0.9."
            )
        return sentences

    def answer(self) -> str:
        """Return how well preferences rank systems like subtopics do, and how many are needed."""
        return " ".join(self.headlines()) or "τ between nPrf and subtopic measures is undefined."

    def facts(self) -> Row:
        """Return the number of queries, the seed, and the answers per triplet."""
        return {"queries": self.queries, "seed": self.seed, "answers per triplet": JUDGES}

    def tables(self) -> dict[str, Table]:
        """Return the tables of the four questions."""
        measures = list(dict.fromkeys(m for *_, m, _ in self.agreement))
        by = {(s, c, m): t for s, c, m, t in self.agreement}
        between = dict(self.combinations)
        rows = [
            (stop, combine, *(by[stop, combine, m] for m in measures), between[stop])
            for stop in STOPS
            for combine in ("mean", "min")
        ]
        note = f"τ over {len(self.systems)} systems and {self.queries} queries, seed {self.seed}."
        return {
            "a": Table.of(
                ["stop", "combine", *(Column(m) for m in measures), Column("mean vs min")],
                rows,
                title="(a) Agreement of nPrf with subtopic measures",
                notes=[note],
            ),
            "b": Table.of(
                ["first", "second", Column("τ")],
                list(self.profiles),
                title="(b) Agreement between profiles",
                notes=self.notes,
            ),
            "b profiles": self._by_profile(measures[0]),
            "c": _curve(
                "(c) Incomplete judgements",
                "triplets per query",
                [(count, tau, pearson) for count, _, _, tau, pearson in self.incomplete],
                [
                    f"Each triplet has {JUDGES} answers: {JUDGES} sampled profiles each choose which of two "
                    "documents to read after a third. U(d) is estimated from these answers."
                ],
            ),
            "d": _curve(
                "(d) Noisy judgements",
                "ε",
                [(x, tau, pearson) for x, _, tau, pearson in self.noisy],
            ),
        }

    def _by_profile(self, measure: str) -> Table:
        """Return one row per user profile: how it ranks systems by preferences and subtopics."""
        columns = [
            Column("profile", align="left"),
            Column("queries"),
            Column("subtopics"),
            Column(f"τ {measure} of its subtopics", of="tau_restricted"),
            Column("τ all profiles", of="tau_all"),
            Column("τ TREC profile", of="tau_trec"),
        ]
        note = (
            "Systems are ranked by nPrf from the preferences of the profile. subtopics: mean number of "
            "subtopics of the profile per query."
        )
        return Table.of_rows(columns, self.orders, title="(b) Rankings by profile", notes=[note])


def _curve(
    title: str,
    what: str,
    rows: Sequence[tuple[float, float, float]],
    notes: Sequence[str] = (),
) -> Table:
    shown = []
    for point in dict.fromkeys(x for x, *_ in rows):
        values = np.array([(t, r) for x, t, r in rows if x == point])
        known = values[~np.isnan(values).any(axis=1)]
        if len(known):
            spread = known.std(axis=0, ddof=1) if len(known) > 1 else np.zeros(2)
            mean = known.mean(axis=0)
            shown.append(
                (
                    point,
                    *(float(v) for pair in zip(mean, spread, strict=True) for v in pair),
                    len(known),
                )
            )
    columns = [what, "mean τ", "τ deviation", "mean Pearson r", "r deviation", "repeats"]
    return Table.of([Column(name) for name in columns], shown, title=title, notes=notes)


def diversity(
    subtopics: Subtopics | TableSource,
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
