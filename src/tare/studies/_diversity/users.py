"""Users of a study: whose preferences are simulated, drawn by chance or given in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tare._data.profile_files import Profiles
from tare._data.profiles import sample_profiles
from tare.errors import MismatchError, OptionError

__all__ = ["Users", "given_users", "sampled_users"]

Covered = NDArray[np.bool_]
MOST_PROFILES = 1000


@dataclass(frozen=True)
class Users:
    """Who cares for what: `cared[i]` is profiles × subtopics of query i, `known` profiles × queries."""

    names: tuple[str, ...]
    cared: list[Covered] = field(repr=False)
    known: Covered = field(repr=False)
    notes: tuple[str, ...] = ()

    def of_query(self, i: int) -> Covered:
        """The profiles that know query i."""
        return self.cared[i][self.known[:, i]]

    @property
    def anyone(self) -> Covered:
        """Which queries some profile knows."""
        return np.asarray(self.known.any(axis=0))

    def sizes(self) -> list[float]:
        """How many subtopics each profile cares for, on average over its queries."""
        counts = np.array([cared.sum(axis=1) for cared in self.cared]).T
        return [float(row[own].mean()) for row, own in zip(counts, self.known, strict=True)]


def sampled_users(subtopics: Sequence[int], streams: Sequence[int], count: int, seed: int) -> Users:
    """Users who care for each subtopic with probability one half, and for one at least."""
    if not 1 <= count <= MOST_PROFILES:
        raise OptionError(f"profiles={count}: 1 to {MOST_PROFILES:,} profiles can be simulated.")
    cared = [
        sample_profiles(width, count, seed=seed, stream=stream)
        for width, stream in zip(subtopics, streams, strict=True)
    ]
    names = tuple(f"profile {p + 1}" for p in range(count))
    return Users(names, cared, np.ones((count, len(cared)), dtype=bool))


def given_users(
    profiles: Profiles, items: Sequence[str], subtopics: Sequence[Sequence[str]]
) -> Users:
    """The users of a file; subtopics by query are those that some document is relevant to."""
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
            f"any query of the study. Queries here are {', '.join(items[:5])}"
            f"{', …' if len(items) > 5 else ''}; check the ids of queries and subtopics."
        )
    return Users(profiles.names, cared, known, tuple(_notes(profiles, items, subtopics, known)))


def _notes(
    profiles: Profiles, items: Sequence[str], subtopics: Sequence[Sequence[str]], known: Covered
) -> list[str]:
    """What of the file was not used, and which queries no profile knows."""
    here = {item: set(own) for item, own in zip(items, subtopics, strict=True)}
    foreign = {query for _, query in profiles.wanted} - here.keys()
    unused = {
        (query, s) for (_, query), wanted in profiles.wanted.items() for s in wanted - here.get(query, wanted)
    }  # fmt: skip
    lacking = int((~known.any(axis=0)).sum())
    made = []
    if foreign:
        made.append(f"{len(foreign):,} queries of {profiles.source} are not in the study.")
    if unused:
        made.append(
            f"{len(unused):,} subtopics of {profiles.source} have no relevant document and are not used."
        )
    if lacking:
        made.append(f"{lacking:,} of {len(items):,} queries have no profile and are left out of (b) and (c).")  # fmt: skip
    return made
