"""Preferences: which of two documents an assessor prefers, perhaps after reading others; and the utilities that follow."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, TableSource
from tare._data.qrels import Qrels, read_qrels
from tare._data.recognised_files import kind_of_text, refuse_other_kind
from tare._data.rows import fields_of, refuse_unwritable, text_rows
from tare._data.table_files import table_in, write_table
from tare._data.tables import InputTable, Layout, rows_of
from tare._files.addresses import as_path
from tare._files.opening import name_of, read_text, write_all
from tare._kernels import rows_from_dicts
from tare._kernels.ranking import HEAD
from tare.errors import FormatError, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Judgement",
    "PreferenceConsistency",
    "Preferences",
    "QueryUtilities",
    "Utilities",
    "check_preferences",
    "consistency",
    "count",
    "counted",
    "read_preferences",
]


# Checks of preferences: cycles and disagreement, as findings.


@dataclass(frozen=True)
class PreferenceConsistency:
    """Consistency of preferences: counts of complete and cyclic triads, and of pairs judged repeatedly or differently."""

    triads: int
    cyclic: int
    pairs: int
    repeated: int
    disputed: int
    queries: int


def consistency(preferences: Preferences) -> PreferenceConsistency:
    """Count cycles and disagreements of simple preferences; a pair of documents is decided by majority."""
    triads = cyclic = pairs = repeated = disputed = queries = 0
    for judgements in preferences.by_query.values():
        simple = [j for j in judgements if not j.given]
        names = sorted({d for j in simple for d in (j.left, j.right)})
        place = {d: i for i, d in enumerate(names)}
        wins = np.zeros((len(names), len(names)))
        for j in simple:
            a, b = place[j.left], place[j.right]
            wins[a, b] += j.share
            wins[b, a] += 1 - j.share
        beats = (wins > wins.T).astype(np.int64)
        decided = beats + beats.T
        triads += int(np.trace(decided @ decided @ decided)) // 6
        found = int(np.trace(beats @ beats @ beats)) // 3
        cyclic += found
        queries += found > 0
        seen = Counter(frozenset((j.left, j.right)) for j in simple)
        pairs += len(seen)
        repeated += sum(n > 1 for n in seen.values())
        disputed += int(np.triu((wins > 0) & (wins.T > 0), 1).sum())
    return PreferenceConsistency(triads, cyclic, pairs, repeated, disputed, queries)


def check_preferences(preferences: Preferences) -> list[Finding]:
    """Return findings about preferences: cyclic triads, and pairs with different judgements."""
    c, name = consistency(preferences), preferences.name
    findings = []
    if c.cyclic:
        findings.append(
            Finding(
                "cyclic preferences",
                f"{name}: {c.cyclic:,} of {c.triads:,} complete triads ({c.cyclic / c.triads:.1%}) "
                f"are cycles, in {c.queries:,} of {len(preferences.items):,} queries; no ranking "
                "agrees with all of them.",
                c.cyclic,
            )
        )
    if c.disputed:
        of = f"{c.repeated:,} pairs judged more than once" if c.repeated else f"{c.pairs:,} pairs"
        findings.append(
            Finding(
                "disagreement",
                f"{name}: judgements differ on {c.disputed:,} of {of}; every judgement counts.",
                c.disputed,
                severity="note",
            )
        )
    return findings


# Utilities: the share of preferences that each document wins, alone and after another document.
#
#     U(d)     = times preferred / times shown, over simple judgements
#     U(d | g) = times preferred / times shown with g as the given document
#
# A tie counts one half for each side. If a document has no simple judgement, U(d) is the share of all its
# conditional judgements that it won; if it has no judgement at all, U(d) is 0. If it was never shown
# after g, U(d | g) is U(d).


Array = NDArray[np.float64]


@dataclass(frozen=True)
class QueryUtilities:
    """The utilities of one query from preferences: wins and times shown, by document, and by document and given document."""

    documents: tuple[str, ...]
    wins: Array
    shown: Array
    wins_given: Array
    shown_given: Array

    @cached_property
    def simple(self) -> Array:
        """U(d); NaN if d has no simple judgement."""
        return _share(self.wins, self.shown)

    @cached_property
    def estimated(self) -> Array:
        """The utility U(d) of each document, from conditional preferences if d has no simple one; NaN if d was never shown.

        A judgement after several given documents counts for each of them.
        """
        conditional = _share(self.wins_given.sum(axis=1), self.shown_given.sum(axis=1))
        return np.where(np.isnan(self.simple), conditional, self.simple)

    @cached_property
    def conditional(self) -> Array:
        """The conditional utility U(d | g) by documents d and g; NaN if d was never shown after g."""
        return _share(self.wins_given, self.shown_given)

    @cached_property
    def filled(self) -> tuple[Array, Array]:
        """The utilities U(d) and U(d | g) of documents, with unknown values filled in.

        The last entry represents any document without a judgement. Its utility is 0.
        """
        n = len(self.documents)
        alone = np.zeros(n + 1)
        alone[:n] = np.nan_to_num(self.estimated)
        after = np.zeros((n + 1, n + 1))
        after[:n, :n] = np.where(np.isnan(self.conditional), alone[:n, None], self.conditional)
        after[:n, n] = alone[:n]
        return alone, after


def _share(wins: Array, shown: Array) -> Array:
    share: Array = np.divide(wins, shown, out=np.full(wins.shape, np.nan), where=shown > 0)
    return share


@dataclass(frozen=True)
class Utilities:
    """The utilities of all queries."""

    items: tuple[str, ...]
    by_query: tuple[QueryUtilities, ...] = field(repr=False)
    name: str = "utilities"
    findings: tuple[Finding, ...] = ()

    @classmethod
    def of(
        cls, queries: Iterable[tuple[str, QueryUtilities]], name: str = "utilities"
    ) -> Utilities:
        """Make utilities of documents from (query, utilities) pairs in any order."""
        ordered = sorted(queries, key=lambda pair: pair[0].encode())
        return cls(tuple(q for q, _ in ordered), tuple(u for _, u in ordered), name)

    @cached_property
    def documents(self) -> Qrels:
        """The documents and their index within each query."""
        numbered = (
            (query, {d: float(i) for i, d in enumerate(u.documents)})
            for query, u in zip(self.items, self.by_query, strict=True)
        )
        return Qrels(rows_from_dicts(numbered), self.name, [])

    @property
    def utilities(self) -> Utilities:
        """The utilities themselves, so that they have the same interface as preferences."""
        return self

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify the utilities."""
        import hashlib

        digest = hashlib.blake2b(digest_size=4)
        for query, u in zip(self.items, self.by_query, strict=True):
            digest.update("\0".join((query, *u.documents)).encode())
            for part in (u.wins, u.shown, u.wins_given, u.shown_given):
                digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()

    @cached_property
    def kept(self) -> dict[object, Array]:
        """A cache of what measures derive from the utilities, such as ideal values by query."""
        return {}

    def __len__(self) -> int:
        return int(sum(u.shown.sum() + u.shown_given.sum() for u in self.by_query)) // 2

    def __getitem__(self, query: str) -> QueryUtilities:
        return self.by_query[self.items.index(query)]


def count(
    documents: Sequence[str],
    judgements: Iterable[tuple[tuple[int, ...], int, int, float]],
) -> QueryUtilities:
    """Count the preferences of one query from (given, left, right, win of left), by document index.

    A judgement with several given documents counts for each of them.
    """
    n = len(documents)
    wins, shown = np.zeros(n), np.zeros(n)
    wins_given, shown_given = np.zeros((n, n)), np.zeros((n, n))
    for given, left, right, share in judgements:
        if not given:
            wins[left] += share
            wins[right] += 1 - share
            shown[left] += 1
            shown[right] += 1
        for g in given:
            wins_given[left, g] += share
            wins_given[right, g] += 1 - share
            shown_given[left, g] += 1
            shown_given[right, g] += 1
    return QueryUtilities(tuple(documents), wins, shown, wins_given, shown_given)


# Preferences: which of two documents an assessor prefers, perhaps after reading others.


LAYOUT = Layout(
    "preferences",
    ("query", "left", "right", "preferred"),
    ("assessor", "given"),
    accepted="rows (query, left, right, preferred)",
)
EQUAL = ("equal", "tie", "tied", "=", "both", "none")
SHAPE = "A line of preferences is 'query document document winner [assessor [given …]]'."


@dataclass(frozen=True)
class Judgement:
    """One preference judgement; `preferred` is the left or the right document, or None for a tie."""

    query: str
    left: str
    right: str
    preferred: str | None
    assessor: str = ""
    given: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The win of the left document in a preference: 1, 0, or 0.5 for a tie."""
        return 0.5 if self.preferred is None else float(self.preferred == self.left)


class Preferences:
    """Preference judgements of any number of assessors. Made by `read_preferences`.

    Every judgement counts; disagreement between assessors is not resolved by a vote.

    Attributes
    ----------
    judgements : tuple of Judgement
        All judgements.
    items : tuple of str
        The queries.
    name : str
        The source, as named in messages.
    findings : tuple of Finding
        Properties of the data that users should know.

    Examples
    --------
    >>> preferences = read_preferences([("q", "a", "b", "a")])
    >>> preferences.to_qrels().to_dict()
    {'q': {'a': 1.0, 'b': 0.0}}
    """

    def __init__(self, judgements: Iterable[Judgement], name: str, findings: list[Finding]) -> None:
        self.judgements = tuple(judgements)
        self.name = name
        if not self.judgements:
            raise FormatError(f"{name}: no preferences found; the source is empty.")
        self.items = tuple(sorted({j.query for j in self.judgements}, key=str.encode))
        self.findings = (*findings, *check_preferences(self))

    def __len__(self) -> int:
        return len(self.judgements)

    @cached_property
    def by_query(self) -> dict[str, list[Judgement]]:
        """The judgements of each query."""
        found: dict[str, list[Judgement]] = {query: [] for query in self.items}
        for judgement in self.judgements:
            found[judgement.query].append(judgement)
        return found

    @cached_property
    def utilities(self) -> Utilities:
        """The utilities U(d) and U(d | g)."""
        return Utilities.of(
            ((query, counted(judgements)) for query, judgements in self.by_query.items()),
            self.name,
        )

    @property
    def documents(self) -> Qrels:
        """The documents and their index within each query."""
        return self.utilities.documents

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify the utilities."""
        return self.utilities.digest

    def to_qrels(self) -> Qrels:
        """Return qrels with U(d) as grades, for measures of graded judgements such as Compat.

        Returns
        -------
        Qrels
            One judgement per document that was shown.
        """
        return read_qrels(
            {
                query: {
                    d: float(u)
                    for d, u in zip(part.documents, part.estimated, strict=True)
                    if u == u
                }
                for query, part in zip(self.items, self.utilities.by_query, strict=True)
            }
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a polars frame with one row per judgement; ids in `given` are separated by spaces."""
        import polars as pl

        rows = [
            (j.query, " ".join(j.given), j.left, j.right, j.preferred or "equal", j.assessor)
            for j in self.judgements
        ]
        names = ["query", "given", "left", "right", "preferred", "assessor"]
        return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the judgements to a file.

        Parameters
        ----------
        path : path-like
            The suffix selects the format: .jsonl, .csv, .tsv or .parquet; others are text with lines
            `query document document winner [assessor [given …]]`.
        """
        path = as_path(path)
        if write_table(self.to_frame, path):
            return
        lines = []
        for j in self.judgements:
            fields = [j.query, j.left, j.right, j.preferred or "equal"]
            if j.assessor or j.given:
                fields += [j.assessor or "-", *j.given]
            for k, each in enumerate(fields):
                refuse_unwritable(each, "text", first=k == 0)
            lines.append(" ".join(fields) + "\n")
        write_all(path, "".join(lines).encode())

    def __repr__(self) -> str:
        conditional = sum(bool(j.given) for j in self.judgements)
        return (
            f"Preferences({self.name!r}: {len(self) - conditional:,} simple and {conditional:,} "
            f"conditional judgements, {len(self.items):,} queries)"
        )


def counted(judgements: Iterable[Judgement]) -> QueryUtilities:
    """Return the utilities of the documents of one query, counted from its preferences."""
    judgements = list(judgements)
    documents = sorted({d for j in judgements for d in (j.left, j.right, *j.given)}, key=str.encode)
    place = {d: i for i, d in enumerate(documents)}
    return count(
        documents,
        (
            (tuple(place[g] for g in j.given), place[j.left], place[j.right], j.share)
            for j in judgements
        ),
    )


def read_preferences(source: TableSource | Preferences) -> Preferences:
    """Read preference judgements.

    Parameters
    ----------
    source : path, data frame or rows
        A file (lines `query document document winner [assessor [given …]]`, .jsonl, .csv, .tsv,
        .parquet; text also as .gz or .zst; "-" is standard input), a data frame, or rows
        (query, left, right, preferred[, assessor[, given]]). The winner is one of the two ids,
        `left`, `right` or `equal`. Ids in the column `given` are separated by spaces.

    Returns
    -------
    Preferences
        The judgements.

    Raises
    ------
    FormatError
        If a line, a column or a value does not follow the format.
    UnreadableError
        If the file cannot be read.

    Examples
    --------
    >>> read_preferences([("q", "a", "b", "a"), ("q", "b", "c", "equal")])
    Preferences('rows': 2 simple and 0 conditional judgements, 1 queries)
    """
    if isinstance(source, Preferences):
        return source
    if isinstance(source, str | os.PathLike) and table_in(source) is None:
        name, text = name_of(source), read_text(source)
        try:
            return _collected(_text_rows(text, name), name)
        except FormatError:
            refuse_other_kind(name, kind_of_text(text[:HEAD].encode()), "preferences")
            raise
    table = rows_of(source, LAYOUT)
    return _collected(_table_rows(table), table.name)


def _text_rows(text: str, name: str) -> Iterator[tuple[str, list[Any]]]:
    for number, fields in text_rows(text, name):
        assessor = fields[4] if len(fields) > 4 and fields[4] != "-" else ""
        yield f"line {number}", [*fields[:4], assessor, fields[5:]]


def _table_rows(table: InputTable) -> Iterator[tuple[str, list[Any]]]:
    ids = [table.ids(role).to_list() for role in ("query", "left", "right")]
    more = [table.texts("preferred"), table.texts("assessor"), table.values("given")]
    for row, fields in enumerate(zip(*ids, *more, strict=True)):
        yield table.place(row), list(fields)


def _collected(rows: Iterable[tuple[str, list[Any]]], name: str) -> Preferences:
    judgements, problems = [], []
    for where, fields in rows:
        try:
            judgements.append(_judgement(fields))
        except ValueError as error:
            problems.append(f"{name}, {where}: {error}")
    raise_all(problems)
    return Preferences(judgements, name, [])


def _judgement(fields: list[Any]) -> Judgement:
    known = [f for f in fields[:4] if f is not None and str(f).strip()]
    if len(known) < 4:
        raise ValueError(f"expected 4 fields, found {len(known)}. {SHAPE}")
    query, left, right, winner = (str(f).strip(" \t") for f in fields[:4])
    assessor = str(fields[4] or "") if len(fields) > 4 else ""
    given = (fields[5] if len(fields) > 5 else None) or ()
    if not isinstance(given, str | list | tuple):
        raise ValueError(f"given holds {given!r:.60}; accepted: ids separated by spaces.")
    given = tuple(fields_of(given) if isinstance(given, str) else map(str, given or ()))
    if left == right:
        raise ValueError(f"document {left!r} is compared with itself.")
    if left in given or right in given:
        raise ValueError("a given document cannot be one of the two compared documents.")
    preferred = {"left": left, "right": right}.get(winner.lower(), winner)
    if winner.lower() in EQUAL and winner not in (left, right):
        return Judgement(query, left, right, None, assessor, given)
    if preferred not in (left, right):
        raise ValueError(
            f"the winner {winner!r} is neither {left!r} nor {right!r}. Accepted: these two, left, "
            "right and equal."
        )
    return Judgement(query, left, right, preferred, assessor, given)
