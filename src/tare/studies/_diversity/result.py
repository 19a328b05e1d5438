"""The result of the diversity study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tare._measures.preference import STOPS
from tare._result import MultiTableResult, Row, Rows
from tare._tables import Column, Table
from tare.studies._diversity.profile_orders import ProfileOrder

__all__ = ["JUDGES", "DiversityStudy"]

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

    figure_module: ClassVar[str] = "tare.report._chapters.studies.diversity"

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
        """Return one row per profile: how it ranks systems."""
        names = [
            "profile",
            "queries",
            "subtopics",
            f"τ {measure} of its subtopics",
            "τ all profiles",
            "τ TREC profile",
        ]
        rows = [
            (o.profile, o.queries, o.subtopics, o.tau_restricted, o.tau_all, o.tau_trec)
            for o in self.orders
        ]
        columns = [Column(names[0], align="left"), *(Column(name) for name in names[1:])]
        note = (
            "Systems are ranked by nPrf from the preferences of the profile. subtopics: mean number of "
            "subtopics of the profile per query."
        )
        return Table.of(columns, rows, title="(b) Rankings by profile", notes=[note])


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
