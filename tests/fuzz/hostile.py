"""Hostile Python values as JSON: NaN, huge numbers, wrong types, nested lists."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

SPECIAL: dict[str, Any] = {
    "$nan": math.nan,
    "$inf": math.inf,
    "$-inf": -math.inf,
    "$huge": 10**400,
    "$-huge": -(10**400),
    "$1": 1,
    "$none": None,
    "$bytes": b"d1",
    "$complex": 1j,
    "$set": {"d1"},
    "$tuple": ("d1", 1),
    "$object": object(),
    "$type": int,
    "$decimal": Decimal("1.5"),
    "$decimal nan": Decimal("NaN"),
    "$fraction": Fraction(1, 3),
    "$float32": np.float32(0.25),
    "$int8": np.int8(-3),
    "$nan32": np.float32("nan"),
    "$array": np.array([1.0, 2.0]),
    "$empty": np.array([]),
    "$bool": np.True_,
    "$surrogate": "d\ud800",
    "$iterator": range(3),
    "$str": np.str_("d1"),
}
"""Values that JSON cannot hold, by the text that represents them."""

PLAIN: list[Any] = [
    0,
    1,
    2,
    -1,
    0.5,
    -0.0,
    1e308,
    -1e308,
    5e-324,
    2**31,
    2**53 + 1,
    2**63,
    -(2**63),
    2**64,
    True,
    False,
    None,
    "",
    " ",
    "1",
    "x",
    "d1",
    "é",
    "\n",
    "\x00",
    "a b",
    "x" * 5000,
    [],
    {},
    [[]],
    {"": {}},
    ["d1", "d1"],
    {"d1": {"d1": {"d1": 1}}},
]
KEYS = [
    "",
    "d1",
    "d9",
    "q1",
    "q9",
    "é",
    "\n",
    "\x00",
    "a b",
    "$1",
    "$none",
    "$nan",
    "$bytes",
    "$tuple",
    "$surrogate",
    "$huge",
    "$str",
]


def value(random: Random) -> Any:
    """Draw a value; special ones are returned as the text that represents them."""
    if random.random() < 0.03:
        made: Any = 1
        for _ in range(random.choice((3, 60, 300))):
            made = [made] if random.random() < 0.5 else {"d1": made}
        return made
    return random.choice(list(SPECIAL)) if random.random() < 0.5 else random.choice(PLAIN)


def spoiled(given: Any, random: Random) -> Any:
    """Return a copy of a value with one part replaced, removed, renamed or added."""
    if not isinstance(given, dict | list) or not given or random.random() < 0.06:
        return value(random)
    keys = list(given) if isinstance(given, dict) else list(range(len(given)))
    key = random.choice(keys)
    made = dict(given) if isinstance(given, dict) else list(given)
    how = random.random()
    if how < 0.07:
        del made[key]
    elif how < 0.15:
        if isinstance(made, dict):
            made[random.choice(KEYS)] = made.pop(key)
        else:
            made.insert(random.randrange(len(made) + 1), value(random))
    elif how < 0.2 and isinstance(made, dict):
        made[random.choice(KEYS)] = value(random)
    else:
        made[key] = spoiled(given[key], random)
    return made


def restored(given: Any) -> Any:
    """Return a value with the special ones in place of their texts."""
    if isinstance(given, str):
        return SPECIAL.get(given, given)
    if isinstance(given, list):
        return [restored(each) for each in given]
    if isinstance(given, dict):
        return {restored(key): restored(each) for key, each in given.items()}
    return given
