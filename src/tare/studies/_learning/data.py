"""The data of learned measures: features and human scores of outputs, and their splits."""

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
MIN_OUTPUTS = 10  # to train or to choose a subset


@dataclass(frozen=True, eq=False)
class Outputs:
    """One row per output (system and item), with all features and human scores."""

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
        """Align two score tables by id; notes count the outputs skipped for a missing value."""
        rated = set(human.systems)
        systems = [s for s in features.systems if s in rated]
        items = sorted(set(features.items) & set(human.items))
        if len(systems) < 2 or len(items) < 2:
            raise MismatchError(
                f"features and human scores have {len(systems)} systems and {len(items)} items in "
                "common, but at least 2 of each are needed. They are matched by id."
            )
        people = list(human.measure_names)
        if target is not None:
            first = human.select(measures=[target]).measure_names[0]
            people = [first, *(p for p in people if p != first)]
        both = set(people) & set(features.measure_names)
        if both:
            raise MismatchError(
                f"{min(both)!r} is both a feature and a human score. Rename one of them."
            )
        one = features.select(systems=systems, items=items)
        other = human.select(systems=systems, items=items, measures=people)
        known = np.isfinite(one.values).all(axis=2) & np.isfinite(other.values).all(axis=2)
        s, i = np.nonzero(known)
        if len(s) < MIN_OUTPUTS:
            raise MismatchError(
                f"{len(s)} outputs have all features and human scores, but at least {MIN_OUTPUTS} are needed."
            )
        notes = []
        if not known.all():
            gone = int((~known).sum())
            notes.append(f"{gone:,} outputs without a feature or a human score were skipped.")
        groups: tuple[Any, ...] = ()
        if by is not None:
            holder = other if by in other.attributes else one
            holder.filter(by, None)  # raises an error that lists the attributes
            groups = holder.attributes[by]
        return cls(
            tuple(systems),
            tuple(items),
            features.measure_names,
            tuple(people),
            s.astype(np.int64),
            i.astype(np.int64),
            one.values[s, i],
            other.values[s, i],
            groups,
            tuple(notes),
        )

    def __len__(self) -> int:
        return len(self.x)

    def table(self, values: Floats) -> Floats:
        """Return values by row as a matrix of systems × items; missing outputs are NaN."""
        made = np.full((len(self.systems), len(self.items)), np.nan)
        made[self.system, self.item] = values
        return made


@dataclass(frozen=True, eq=False)
class Split:
    """Rows for training, for choosing a subset, and for testing."""

    name: str
    train: Places
    select: Places
    test: Places


def _shuffled(names: Sequence[str], seed: int, salt: str) -> list[int]:
    """Return a random order that depends on the names and the seed, not on their positions."""
    keys = stream_ids([f"{seed}\t{salt}\t{name}" for name in names])
    return sorted(range(len(names)), key=lambda k: (int(keys[k]), names[k]))


def halves(
    data: Outputs, rows: Places, seed: int, salt: str, *, systems: bool = False
) -> tuple[Places, Places]:
    """Split rows into halves by item (or by system), so that no item is in both."""
    column, names = (data.system, data.systems) if systems else (data.item, data.items)
    known = np.unique(column[rows])
    order = _shuffled([names[k] for k in known], seed, salt)
    inside = np.isin(column[rows], known[order[: (len(known) + 1) // 2]])
    return rows[inside], rows[~inside]


def splits_of(data: Outputs, protocol: str, folds: int, seed: int) -> list[Split]:
    """Return the splits of a protocol; held-out data are never used for training or selection.

    "items" holds out folds of items (one by one if folds=0) and splits the others into halves for
    training and selection. "systems" does the same with systems. "years" uses every three consecutive
    values of the attribute for training, selection and testing. "leave-one-out" holds out each value
    of the attribute.
    """
    choose("protocol", protocol, PROTOCOLS)
    every = np.arange(len(data))
    made: list[Split] = []
    if protocol in ("years", "leave-one-out"):
        if not data.groups:
            raise OptionError(
                f"protocol={protocol!r} needs by=, the name of an attribute of the items."
            )
        values = sorted({g for g in data.groups if g is not None}, key=lambda g: (str(type(g)), g))
        column = np.array([values.index(g) if g is not None else -1 for g in data.groups])[
            data.item
        ]
        needed = 3 if protocol == "years" else 2
        if len(values) < needed:
            raise OptionError(
                f"protocol={protocol!r} needs at least {needed} values of by=; found {len(values)}."
            )
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
                f"folds={folds} is not valid. {len(names)} {protocol} allow 2 to {len(names)} folds, or "
                "0 for one each."
            )
        order = _shuffled(names, seed, "folds")
        for fold in range(count):
            held = np.array(order[fold::count])
            out = np.isin(column, held)
            label = ", ".join(names[int(k)] for k in held[:3]) + (", …" if len(held) > 3 else "")
            rest = halves(data, every[~out], seed, f"fold {fold}", systems=protocol == "systems")
            made.append(Split(label, *rest, every[out]))
    for split in made:
        if min(len(split.train), len(split.select)) < MIN_OUTPUTS or not len(split.test):
            raise MismatchError(
                f"{split.name}: too few outputs: {len(split.train)} for training, {len(split.select)} "
                f"for selection and {len(split.test)} for testing. Training and selection need at "
                f"least {MIN_OUTPUTS} each, and testing 1."
            )
    return made
