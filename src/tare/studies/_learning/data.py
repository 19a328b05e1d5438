"""What a measure is learned from: features and human scores of outputs, and how they are split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._kernels import stream_ids
from tare._measures.scores import Scores
from tare.errors import MismatchError, OptionError, choose

__all__ = ["PROTOCOLS", "Outputs", "Split", "halves", "splits_of"]

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
PROTOCOLS = ("items", "systems", "years", "leave-one-out")
FEWEST = 10  # rows from which something is learned


@dataclass(frozen=True, eq=False)
class Outputs:
    """One row an output (system and item) with all features and the human score."""

    systems: tuple[str, ...]
    items: tuple[str, ...]
    features: tuple[str, ...]
    people: tuple[str, ...]
    system: Places
    item: Places
    x: Floats
    y: Floats
    groups: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, features: Scores, human: Scores, target: str | None, by: str | None = None
    ) -> Outputs:
        """Aligned by ids; outputs without some feature or human score are left out and told."""
        systems = [s for s in features.systems if s in set(human.systems)]
        items = sorted(set(features.items) & set(human.items))
        if len(systems) < 2 or len(items) < 2:
            raise MismatchError(
                f"features and human scores have {len(systems)} systems and {len(items)} items in "
                "common; at least 2 of each are needed. They are matched by id."
            )
        people = list(human.measure_names)
        if target is not None:
            first = human.select(measures=[target]).measure_names[0]
            people = [first, *(p for p in people if p != first)]
        both = set(people) & set(features.measure_names)
        if both:
            raise MismatchError(f"{min(both)!r} is a feature and a human score; rename one.")
        one = features.select(systems=systems, items=items)
        other = human.select(systems=systems, items=items, measures=people)
        known = np.isfinite(one.values).all(axis=2) & np.isfinite(other.values).all(axis=2)
        s, i = np.nonzero(known)
        if len(s) < FEWEST:
            raise MismatchError(
                f"{len(s)} outputs have all features and human scores; at least {FEWEST} are needed."
            )
        notes = []
        if not known.all():
            gone = int((~known).sum())
            notes.append(f"{gone:,} outputs lack a feature or a human score and were left out.")
        groups: tuple[Any, ...] = ()
        if by is not None:
            holder = other if by in other.attributes else one
            holder.filter(by, None)  # says what attributes there are, if not this one
            groups = holder.attributes[by]
        return cls(
            tuple(systems), tuple(items), features.measure_names, tuple(people),
            s.astype(np.int64), i.astype(np.int64), one.values[s, i], other.values[s, i],
            groups, tuple(notes),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.x)

    def table(self, values: Floats) -> Floats:
        """Rows back as a matrix systems × items, NaN where there is none."""
        made = np.full((len(self.systems), len(self.items)), np.nan)
        made[self.system, self.item] = values
        return made


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to train on, to choose a subset on, and to test on."""

    name: str
    train: Places
    select: Places
    test: Places


def _shuffled(names: Sequence[str], seed: int, salt: str) -> list[int]:
    """An order of names that depends on the names and the seed, not on where they stand."""
    keys = stream_ids([f"{seed}\t{salt}\t{name}" for name in names])
    return sorted(range(len(names)), key=lambda k: (int(keys[k]), names[k]))


def halves(
    data: Outputs, rows: Places, seed: int, salt: str, *, systems: bool = False
) -> tuple[Places, Places]:
    """Rows in two: whole items (or systems), so that none is on both sides."""
    column, names = (data.system, data.systems) if systems else (data.item, data.items)
    known = np.unique(column[rows])
    order = _shuffled([names[k] for k in known], seed, salt)
    inside = np.isin(column[rows], known[order[: (len(known) + 1) // 2]])
    return rows[inside], rows[~inside]


def splits_of(data: Outputs, protocol: str, folds: int, seed: int) -> list[Split]:
    """The splits of a protocol; a test never shares what is held out with training or selection.

    items: folds of items (folds = 0: one by one), the others in halves to train and select on.
    systems: the same with systems, so that a subset is chosen for systems it was not trained on.
    years: each three values of the attribute in order: train, select, test. leave-one-out: each
    value of the attribute, the items of the others in halves.
    """
    choose("protocol", protocol, PROTOCOLS)
    every = np.arange(len(data))
    made: list[Split] = []
    if protocol in ("years", "leave-one-out"):
        if not data.groups:
            raise OptionError(f"protocol={protocol!r} needs by=, an attribute of the items.")
        values = sorted({g for g in data.groups if g is not None}, key=lambda g: (str(type(g)), g))
        column = np.array([values.index(g) if g is not None else -1 for g in data.groups])[
            data.item
        ]
        needed = 3 if protocol == "years" else 2
        if len(values) < needed:
            raise OptionError(f"protocol={protocol!r} needs {needed} values; found {len(values)}.")
        if protocol == "years":
            for k in range(len(values) - 2):
                parts = [every[column == k + step] for step in range(3)]
                made.append(Split(f"{values[k]} → {values[k + 1]} → {values[k + 2]}", *parts))
        else:
            for k, value in enumerate(values):
                rest = every[(column != k) & (column >= 0)]
                made.append(
                    Split(f"{value}", *halves(data, rest, seed, str(value)), every[column == k])
                )
    else:
        names = data.items if protocol == "items" else data.systems
        column = data.item if protocol == "items" else data.system
        count = folds or len(names)
        if not 2 <= count <= len(names):
            raise OptionError(
                f"folds={folds}: {len(names)} {protocol} make 2 to {len(names)} folds."
            )
        order = _shuffled(names, seed, "folds")
        for fold in range(count):
            held = np.array(order[fold::count])
            out = np.isin(column, held)
            label = ", ".join(names[int(k)] for k in held[:3]) + (", …" if len(held) > 3 else "")
            rest = halves(data, every[~out], seed, f"fold {fold}", systems=protocol == "systems")
            made.append(Split(label, *rest, every[out]))
    for split in made:
        if min(len(split.train), len(split.select)) < FEWEST or not len(split.test):
            raise MismatchError(
                f"{split.name}: {len(split.train)} outputs to train on, {len(split.select)} to select "
                f"on and {len(split.test)} to test on are too few; at least {FEWEST} are needed."
            )
    return made
