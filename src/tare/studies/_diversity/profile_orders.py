"""Rankings of systems by single profiles, by all profiles together, and by the TREC profile.

Each profile has two scores per system: nPrf from its own simulated preferences, and the subtopic
measure restricted to its own subtopics (Chandar and Carterette 2013, §5.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._data.preferences import QueryUtilities
from tare._data.profiles import add_up
from tare._data.subtopics import Subtopics, read_subtopics
from tare.studies._diversity.data import DiversityData
from tare.studies._diversity.users import Users

__all__ = ["ALL", "TREC", "ProfileOrder", "profile_orders"]

Array = NDArray[np.float64]
Covered = NDArray[np.bool_]
ALL, TREC = "all profiles", "TREC profile"


@dataclass(frozen=True)
class ProfileOrder:
    """One profile: its queries and subtopics, the scores of all systems, and τ with other rankings."""

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
    """Return a summary of all profiles, each profile, and the scores of all profiles together."""
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
    """Return the judgements of the subtopics of one profile."""
    wanted = {
        item: {n for n, c in zip(names, cared[p].tolist(), strict=True) if c}
        for item, names, cared in zip(material.items, material.names, users.cared, strict=True)
    }
    cells = [c for c in material.subtopics.cells() if c[1] in wanted.get(c[0], ())]
    return read_subtopics(cells)


def _mean_known(values: Sequence[float]) -> float:
    """Return the mean of the values that are not NaN; NaN if there are none."""
    known = [v for v in values if not math.isnan(v)]
    return float(np.mean(known)) if known else math.nan


def _plain(values: Array) -> tuple[float, ...]:
    return tuple(float(x) for x in values)
