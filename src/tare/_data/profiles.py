"""Profiles: the subtopics of a query that interest a user, and the preferences that follow.

    simple       the document with more subtopics of the profile wins
    conditional  the document with more subtopics of the profile that the given one lacks

Ties are decided by a seeded coin, or count one half for each side. With noise ε every answer is
reversed with probability ε.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.preferences import QueryUtilities
from tare._data.rows import text_rows
from tare._data.table_files import table_in
from tare._data.tables import Layout, rows_of
from tare._files.opening import PathLike, name_of, read_text
from tare._kernels.random_numbers import uniforms
from tare.errors import FormatError, raise_all

if TYPE_CHECKING:
    pass

__all__ = [
    "Profiles",
    "add_up",
    "read_profiles",
    "sample_profiles",
    "simulate_all",
    "simulate_triplets",
]


Array = NDArray[np.float64]
Covered = NDArray[np.bool_]
COINS, NOISE, PROFILES, TRIPLETS = 1, 2, 3, 4  # substreams


def sample_profiles(subtopics: int, count: int, *, seed: int, stream: int) -> Covered:
    """Sample user profiles: each subtopic of a query with probability one half, and at least one per profile."""
    draws = uniforms(seed, stream, np.arange(count * subtopics), PROFILES).reshape(count, subtopics)
    profiles: Covered = draws < 0.5
    empty = ~profiles.any(axis=1)
    if subtopics:
        profiles[empty, draws[empty].argmin(axis=1)] = True
    return profiles


def _answers(
    scores: NDArray[np.int64],
    counters: NDArray[np.int64],
    noise: float,
    seed: int,
    stream: int,
    coin: bool,
) -> Array:
    """Return the win of the left document by score differences under a user's profile; `counters` number the questions."""
    share = np.where(scores > 0, 1.0, 0.0)
    tied = scores == 0
    share[tied] = (uniforms(seed, stream, counters[tied], COINS) < 0.5) if coin else 0.5
    if noise > 0:
        turned = uniforms(seed, stream, counters, NOISE) < noise
        share = np.where(turned, 1 - share, share)
    return share


def simulate_all(
    documents: Sequence[str],
    covered: Covered,
    profile: Covered | None = None,
    *,
    noise: float = 0.0,
    seed: int = 0,
    stream: int = 0,
    ties: str = "coin",
) -> QueryUtilities:
    """Simulate the utilities of a user's profile from every pair of documents, alone and after every other document.

    `covered` is documents × subtopics. `profile` has the subtopics that interest the user (default:
    all, the TREC profile).
    """
    cared = covered if profile is None else covered & profile
    n = len(documents)
    has = cared.astype(np.int64)
    left, right = np.triu_indices(n, 1)
    pairs = np.arange(len(left))
    alone = has.sum(axis=1)
    share = _answers(alone[left] - alone[right], pairs, noise, seed, stream, ties == "coin")
    wins, shown = _tally(share, left, right, n), np.full(n, max(n - 1, 0), dtype=np.float64)
    wins_given = np.zeros((n, n))
    new = has @ (1 - has).T  # new[d, g]: subtopics of d that g lacks
    for g in range(n):
        asked = (left != g) & (right != g)
        a, b, counters = left[asked], right[asked], pairs[asked] + (g + 1) * len(pairs)
        share = _answers(new[a, g] - new[b, g], counters, noise, seed, stream, ties == "coin")
        wins_given[:, g] = _tally(share, a, b, n)
    shown_given = np.full((n, n), max(n - 2, 0), dtype=np.float64)
    np.fill_diagonal(shown_given, 0)
    return QueryUtilities(tuple(documents), wins, shown, wins_given, shown_given)


def _tally(share: Array, left: NDArray[np.int64], right: NDArray[np.int64], n: int) -> Array:
    tally: Array = np.asarray(
        np.bincount(left, share, n) + np.bincount(right, 1 - share, n), dtype=np.float64
    )
    return tally


def simulate_triplets(
    documents: Sequence[str],
    covered: Covered,
    profiles: Covered,
    count: int,
    *,
    judges: int = 5,
    seed: int = 0,
    stream: int = 0,
) -> QueryUtilities:
    """Simulate utilities from random triplets of documents (given, left, right), judged by sampled profiles.

    Every judge of a triplet chooses one of the two to read after the given one. There are no simple
    judgements, so U(d) is estimated from these answers.
    """
    n = len(documents)
    wins, shown = np.zeros(n), np.zeros(n)
    wins_given, shown_given = np.zeros((n, n)), np.zeros((n, n))
    if n < 3 or count == 0:
        return QueryUtilities(tuple(documents), wins, shown, wins_given, shown_given)
    draws = uniforms(seed, stream, np.arange(3 * count), TRIPLETS).reshape(count, 3)
    g = (draws[:, 0] * n).astype(np.int64)
    a = (draws[:, 1] * (n - 1)).astype(np.int64)
    a += a >= g
    b = (draws[:, 2] * (n - 2)).astype(np.int64)
    low, high = np.minimum(g, a), np.maximum(g, a)
    b += b >= low
    b += b >= high
    g, a, b = (np.repeat(x, judges) for x in (g, a, b))
    who = (uniforms(seed, stream, np.arange(count * judges), PROFILES + 8) * len(profiles)).astype(
        int
    )
    mine = profiles[who]
    of_a, of_b, of_g = covered[a] & mine, covered[b] & mine, covered[g] & mine
    after = (of_a & ~of_g).sum(1) - (of_b & ~of_g).sum(1)
    conditional = _answers(after, np.arange(len(g)), 0.0, seed, stream, True)
    np.add.at(wins_given, (a, g), conditional)
    np.add.at(wins_given, (b, g), 1 - conditional)
    np.add.at(shown_given, (a, g), 1)
    np.add.at(shown_given, (b, g), 1)
    return QueryUtilities(tuple(documents), wins, shown, wins_given, shown_given)


def add_up(parts: Iterable[QueryUtilities]) -> QueryUtilities:
    """Return the sum of the judgements of several users, with their profiles, of the same documents."""
    found = list(parts)
    return QueryUtilities(
        found[0].documents,
        *(
            np.sum([getattr(p, name) for p in found], axis=0)
            for name in ("wins", "shown", "wins_given", "shown_given")
        ),
    )


# Profiles from a file: the subtopics of each query that interest a kind of user.
#
# profile query subtopic [subtopic …]      text, one line per profile and query
# profile, query, subtopic                 columns of a table, one row per subtopic


LAYOUT = Layout(
    "profiles",
    ("profile", "query", "subtopic"),
    nested="{query: [subtopic, …]}",
    lists=True,
    accepted="{profile: {query: [subtopic, …]}}, rows (profile, query, subtopic)",
)
SHAPE = "A line of profiles is 'profile query subtopic [subtopic …]'."
Row = tuple[str, list[str]]


@dataclass(frozen=True)
class Profiles:
    """Subtopics by profile and query; a profile need not cover every query."""

    names: tuple[str, ...]
    wanted: dict[tuple[str, str], frozenset[str]] = field(repr=False)
    source: str = "profiles"

    def of(self, profile: str, query: str) -> frozenset[str]:
        """Return the subtopics of a query in a profile; empty if the profile lacks the query."""
        return self.wanted.get((profile, query), frozenset())

    def __len__(self) -> int:
        return len(self.names)


def read_profiles(source: Any) -> Profiles:
    """Read user profiles from a path, a data frame or {profile: {query: [subtopic, …]}}.

    >>> found = read_profiles({"student": {"51": ["1", "3"]}, "buyer": {"51": ["2"]}})
    >>> found.names, sorted(found.of("student", "51"))
    (('student', 'buyer'), ['1', '3'])
    """
    if isinstance(source, Profiles):
        return source
    if isinstance(source, str | os.PathLike) and table_in(source) is None:
        return _collected(_text_rows(source), name_of(source))
    table = rows_of(source, LAYOUT)
    columns = [table.ids(role).to_list() for role in LAYOUT.roles]
    rows = ((table.place(k), list(fields)) for k, fields in enumerate(zip(*columns, strict=True)))
    return _collected(rows, table.name)


def _text_rows(source: PathLike) -> Iterator[Row]:
    for number, fields in text_rows(read_text(source), name_of(source)):
        yield f"line {number}", fields


def _collected(rows: Iterable[Row], name: str) -> Profiles:
    wanted: dict[tuple[str, str], set[str]] = {}
    problems = []
    for where, fields in rows:
        if len(fields) < 3:
            problems.append(f"{name}, {where}: expected 3 fields, found {len(fields)}. {SHAPE}")
            continue
        profile, query, *subtopics = fields
        wanted.setdefault((profile, query), set()).update(subtopics)
    raise_all(problems)
    if not wanted:
        raise FormatError(f"{name}: no profiles found; the source is empty. {SHAPE}")
    names = tuple(dict.fromkeys(profile for profile, _ in wanted))
    return Profiles(names, {key: frozenset(found) for key, found in wanted.items()}, name)
