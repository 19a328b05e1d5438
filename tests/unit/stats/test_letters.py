"""Compact letters: shared exactly by systems that do not differ."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from tare.stats import letters


@given(
    st.integers(1, 9).flatmap(
        lambda m: st.tuples(
            st.just(m), st.sets(st.sampled_from(list(itertools.combinations(range(9), 2))))
        )
    )
)
def test_a_letter_is_shared_exactly_by_those_that_do_not_differ(case) -> None:  # type: ignore[no-untyped-def]
    m, apart = case
    apart = {(str(a), str(b)) for a, b in apart if b < m}
    names = [str(k) for k in range(m)]
    made = letters(names, apart)
    for a, b in itertools.combinations(names, 2):
        assert bool(set(made[a]) & set(made[b])) != ((a, b) in apart)
    assert all(made.values())
    # No letter is needless.
    used = sorted(set("".join(made.values())))
    for letter in used:
        rest = {s: made[s].replace(letter, "") for s in names}
        kept = all(rest.values()) and all(
            bool(set(rest[a]) & set(rest[b])) != ((a, b) in apart)
            for a, b in itertools.combinations(names, 2)
        )
        assert not kept


def test_many_groups_get_names_beyond_z() -> None:
    names = [f"s{k}" for k in range(40)]
    made = letters(names, list(itertools.combinations(names, 2)))
    assert (made["s0"], made["s25"], made["s26"], made["s39"]) == ("a", "z", "aa", "an")


def test_a_hundred_systems_are_no_trouble() -> None:
    names = [f"s{k}" for k in range(100)]
    apart = [
        (a, b)
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if j - i > 7 or ((i * j) % 11 == 5 and i < j)
    ]
    made = letters(names, apart)
    shared = {
        frozenset((a, b))
        for a in names
        for b in names
        if a != b and set(made[a].split(",")) & set(made[b].split(","))
    }
    assert shared == {frozenset(p) for p in itertools.combinations(names, 2)} - {
        frozenset(p) for p in apart
    }
