"""User profiles of the diversity study: sampled at random, or read from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tare._data.profiles import Profiles, sample_profiles
from tare.errors import MismatchError, OptionError

__all__ = ["Users", "given_users", "sampled_users"]

Covered = NDArray[np.bool_]
MAX_PROFILES = 1000


@dataclass(frozen=True)
class Users:
    """Subtopics of each profile: `cared[i]` is profiles × subtopics of query i; `known` is profiles × queries."""

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
        """Return the mean number of subtopics per query of each profile."""
        counts = np.array([cared.sum(axis=1) for cared in self.cared]).T
        return [float(row[own].mean()) for row, own in zip(counts, self.known, strict=True)]


def sampled_users(subtopics: Sequence[int], streams: Sequence[int], count: int, seed: int) -> Users:
    """Sample profiles: each subtopic with probability one half, and at least one."""
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
    """Return the profiles of a file; `subtopics` are those with a relevant document, by query."""
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
    """Return notes on unused parts of the file and on queries without a profile."""
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
