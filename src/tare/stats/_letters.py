"""Compact letter display: systems that share a letter do not differ significantly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["letters"]


def letters(systems: Sequence[str], different: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Make a compact letter display: systems that share a letter do not differ significantly.

    Parameters
    ----------
    systems : sequence of str
        The systems, best first.
    different : iterable of tuple of str
        The pairs that differ.

    Returns
    -------
    dict of str to str
        The letters of each system. Two systems share a letter exactly if they do not differ. After z
        come aa, ab, …, with commas between them.

    Raises
    ------
    KeyError
        If a pair names a system that is not in `systems`.

    Notes
    -----
    A letter is a maximal set of systems without a significant difference. Sets are added until every
    pair that does not differ shares one; redundant sets are then removed (Gramm et al. 2007). The older
    insert-and-absorb algorithm of Piepho (2004) takes exponential time.

    Examples
    --------
    >>> letters(["A", "B", "C"], [("A", "C")])
    {'A': 'a', 'B': 'ab', 'C': 'b'}
    """
    place = {system: k for k, system in enumerate(systems)}
    alike = [(1 << len(systems)) - 1 for _ in systems]  # bit j of alike[i]: i and j do not differ
    for a, b in different:
        i, j = place[a], place[b]
        alike[i] &= ~(1 << j)
        alike[j] &= ~(1 << i)
    columns = _swept(_cover(alike), len(systems))
    columns.sort(key=_members)
    names = [_name(k) for k in range(len(columns))]
    comma = "," if len(columns) > 26 else ""
    return {
        system: comma.join(n for n, c in zip(names, columns, strict=True) if c >> k & 1)
        for k, system in enumerate(systems)
    }


def _members(column: int) -> list[int]:
    return [k for k in range(column.bit_length()) if column >> k & 1]


def _cover(alike: list[int]) -> list[int]:
    """Sets of systems that are alike, such that every alike pair (and every system) is in one."""
    size = len(alike)
    open_ = [alike[i] & ~(1 << i) for i in range(size)]  # pairs that no set shows yet
    columns: list[int] = []
    for i in range(size):
        while open_[i] or not any(c >> i & 1 for c in columns):
            column, common = 1 << i, alike[i]
            # Those first that show a pair for the first time, then all others that fit, best first.
            for wanted in (True, False):
                for j in range(size):
                    fits = common >> j & 1 and not column >> j & 1
                    if fits and (not wanted or open_[i] >> j & 1):
                        column |= 1 << j
                        common &= alike[j]
            columns.append(column)
            for j in _members(column):
                open_[j] &= ~column
    return columns


def _swept(columns: list[int], size: int) -> list[int]:
    """Without sets all of whose pairs, and systems, other sets show as well."""
    kept = sorted(columns, key=int.bit_count)
    for column in list(kept):
        others = [c for c in kept if c != column]
        partners = [0] * size  # with whom each system shares one of the others
        for other in others:
            for k in _members(other):
                partners[k] |= other
        if all(partners[k] & column == column for k in _members(column)):
            kept = others
    return kept


def _name(index: int) -> str:
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(ord("a") + rest) + name
    return name
