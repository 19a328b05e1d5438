"""Battles as arrays: systems, outcomes, covariates, what is resampled, and which systems are connected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tare._data.battles import Battles
from tare.errors import MismatchError, OptionError, nearest

__all__ = ["BattleDesign", "components_of", "design_of", "sums"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
POSITION = "position"
BATTLE = "battle"


@dataclass(frozen=True, eq=False)
class BattleDesign:
    """Distinct battles, sorted: a before b in the order of systems, and how often each occurs.

    A unit is what is resampled: a prompt, or a kind of battle that occurs `times` times if battles are
    independent. `within` counts a row in its unit, so a row occurs within × times of its unit times.
    """

    systems: tuple[str, ...]
    a: Integers
    b: Integers
    outcome: Floats
    z: Floats  # rows × covariates, scaled to a standard deviation of 1
    names: tuple[str, ...]
    scales: Floats
    unit: Integers
    within: Floats
    times: Floats
    cluster: str
    component: Integers  # of each system
    source: str = "battles"

    @property
    def size(self) -> int:
        """The number of systems."""
        return len(self.systems)

    @property
    def units(self) -> int:
        """The number of things that are resampled."""
        return int(self.times.sum())

    @cached_property
    def counts(self) -> Floats:
        """How often each row occurs."""
        made: Floats = self.within * self.times[self.unit]
        return made

    @cached_property
    def tied(self) -> bool:
        """Whether there are ties."""
        return bool((self.outcome == 0).any())

    @property
    def components(self) -> list[Integers]:
        """The systems of each connected component."""
        return [np.flatnonzero(self.component == c) for c in range(int(self.component.max()) + 1)]

    def without_covariates(self) -> BattleDesign:
        """Return the same battles without covariates."""
        from dataclasses import replace

        return replace(self, z=self.z[:, :0], names=(), scales=self.scales[:0])

    @cached_property
    def collapsed(self) -> BattleDesign:
        """The same battles without their units, if equal battles are then counted together."""
        from dataclasses import replace

        if set(self.names) - {POSITION} or self.cluster == BATTLE:
            return self
        cells, rows, place = np.unique(self._cells(), return_index=True, return_inverse=True)
        counts = sums(place, self.counts, len(cells))
        return replace(
            self,
            a=self.a[rows],
            b=self.b[rows],
            outcome=self.outcome[rows],
            z=self.z[rows],
            unit=np.arange(len(rows)),
            within=np.ones(len(rows)),
            times=counts,
            cluster=BATTLE,
        )

    def _cells(self) -> Integers:
        """Return the number of each kind of battle: both systems, outcome and position."""
        first = self.z[:, 0] if self.names else np.zeros(len(self.a))
        codes = (self.a * self.size + self.b) * 3 + self.outcome + 1
        return np.asarray(codes * 3 + first + 1, dtype=np.int64)

    @cached_property
    def separable(self) -> tuple[int, ...]:
        """The systems without which no finite ratings exist: they never lost, or never won, to the rest.

        Finite ratings exist if every system can be reached from every other one of its component along
        wins and ties.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        wins, losses = self.outcome >= 0, self.outcome <= 0
        start = np.concatenate([self.a[wins], self.b[losses]])
        end = np.concatenate([self.b[wins], self.a[losses]])
        graph = coo_array((np.ones(len(start)), (start, end)), shape=(self.size, self.size))
        _, strong = connected_components(graph.tocsr(), directed=True, connection="strong")
        found: list[int] = []
        for members in self.components:
            labels, sizes = np.unique(strong[members], return_counts=True)
            if len(labels) > 1:
                main = labels[np.argmax(sizes)]
                found += [int(k) for k in members if strong[k] != main]
        return tuple(found)


def sums(places: Integers, values: Floats, size: int) -> Floats:
    """Return the sum of the values at each place."""
    made: Floats = np.asarray(np.bincount(places, values, size), dtype=np.float64)
    return made


def design_of(
    battles: Battles, covariates: Sequence[str] = (), cluster: str = "auto"
) -> BattleDesign:
    """Return battles as arrays; `cluster` is "prompt", "judge", "battle" or "auto"."""
    frame = battles.frame
    chosen = _cluster(battles, cluster)
    names = battles.systems
    known = [POSITION, *battles.covariates]
    for name in covariates:
        if name not in known:
            raise OptionError(
                f"covariates={name!r}: {battles.name} has no such covariate; it has {', '.join(known)}. "
                f"A covariate has a column for each system, such as length_a and length_b."
                f"{nearest(name, known)}"
            )
    if len(set(covariates)) < len(covariates):
        raise OptionError(f"covariates: {', '.join(covariates)} names one of them twice.")
    kind = pl.Enum(list(names))
    ka, kb = (frame[c].cast(kind).to_physical().to_numpy().astype(np.int64) for c in ("a", "b"))
    sign = np.where(ka > kb, -1.0, 1.0)
    a, b = np.minimum(ka, kb), np.maximum(ka, kb)
    outcome = frame["outcome"].to_numpy() * sign + 0.0  # no negative zero
    z = np.empty((frame.height, len(covariates)))
    for k, name in enumerate(covariates):
        column = frame["first" if name == POSITION else f"x:{name}"].cast(pl.Float64)
        values = column.fill_null(np.nan).to_numpy()
        missing = int((~np.isfinite(values)).sum())
        if missing:
            raise MismatchError(
                f"{battles.name}: {missing:,} battles have no {name}. Remove these battles, or the covariate."
            )
        z[:, k] = values * sign + 0.0
    unit = np.zeros(frame.height, dtype=np.int64)
    if chosen != BATTLE:  # numbered in the order of their names
        unit = frame[chosen].fill_null("").rank("dense").to_numpy().astype(np.int64) - 1
    ones = np.ones(frame.height)
    scales = np.array([_scale(z[:, k], ones, name) for k, name in enumerate(covariates)])
    z = z / scales if len(scales) else z
    rows, counts = _distinct(unit, a, b, outcome, z, len(names))
    unit, a, b, outcome, z = unit[rows], a[rows], b[rows], outcome[rows], z[rows]
    if chosen == BATTLE:
        unit, within, times = np.arange(len(rows)), np.ones(len(rows)), counts
    else:
        within, times = counts, np.ones(int(unit[-1]) + 1)
    return BattleDesign(
        names,
        a,
        b,
        outcome,
        z,
        tuple(covariates),
        scales,
        unit,
        within,
        times,
        chosen,
        components_of(a, b, len(names)),
        battles.name,
    )


def _distinct(
    unit: Integers, a: Integers, b: Integers, outcome: Floats, z: Floats, size: int
) -> tuple[Integers, Floats]:
    """Return the first row of each distinct battle, sorted, and how often it occurs."""
    key = ((unit * size + a) * size + b) * 3 + outcome.astype(np.int64) + 1
    order = np.argsort(key, kind="stable")
    if z.shape[1]:  # equal keys are few: only these rows are sorted by covariates
        same = key[order][1:] == key[order][:-1]
        shared = np.append(same, False) | np.append(False, same)
        rows = order[shared]
        order[shared] = rows[np.lexsort((*z[rows].T[::-1], key[rows]))]
    key, sorted_z = key[order], z[order]
    new = np.ones(len(key), dtype=bool)
    new[1:] = (key[1:] != key[:-1]) | (sorted_z[1:] != sorted_z[:-1]).any(axis=1)
    places = np.flatnonzero(new)
    return order[places], np.diff(np.append(places, len(key))).astype(np.float64)


def _cluster(battles: Battles, cluster: str) -> str:
    """Return what is resampled: prompts if they are known, and single battles otherwise."""
    has_judges = battles.frame["judge"].null_count() == 0
    known = [*(["prompt"] if battles.prompts else []), *(["judge"] if has_judges else []), BATTLE]
    if cluster == "auto":
        return known[0] if battles.prompts else BATTLE
    if cluster not in known:
        raise OptionError(
            f"cluster={cluster!r} is not possible: {battles.name} names {', '.join(known[:-1]) or 'neither prompts nor judges'}. "
            f"Accepted: {', '.join(known)}."
        )
    return cluster


def _scale(values: Floats, counts: Floats, name: str) -> float:
    """Return the root mean square of a covariate; positions are not scaled."""
    with np.errstate(over="ignore"):  # refused below
        scale = float(np.sqrt((counts * values**2).sum() / counts.sum()))
    if scale == 0.0 or not np.isfinite(scale):
        what = (
            "nothing is known about who was shown first (option first)"
            if name == POSITION
            else "it is the same for both systems in every battle, or not finite"
        )
        raise OptionError(f"covariates={name!r} cannot be used: {what}.")
    return 1.0 if name == POSITION else scale


def components_of(a: Integers, b: Integers, size: int) -> Integers:
    """Return the component of each system, numbered by their first system."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(a)), (a, b)), shape=(size, size)).tocsr()
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
