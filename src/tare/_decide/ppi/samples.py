"""The values behind an estimate: under people's labels and under the judge's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DocumentSample", "Floats", "Places", "QuerySample"]

Floats = NDArray[np.float64]
Places = NDArray[np.signedinteger[Any]]  # of systems, or of clusters


@dataclass(frozen=True, eq=False)
class QuerySample:
    """The queries design: people labelled n queries, and the judge labelled these and N others.

    All arrays have the shape (…, systems, queries). Leading axes, if any, are independent samples.

    Attributes
    ----------
    human, judge : ndarray
        The values of the n queries under people's labels and under the judge's.
    others : ndarray
        The values of the N other queries under the judge's labels.
    rooms : tuple of three ndarray, optional
        For a ratio of means such as Net, the arrays above are gains (gross − tare), and these are the
        rooms (ideal − tare) in the same order.
    clusters : tuple of two ndarray, optional
        The cluster of each of the n queries, and of each of the N others, numbered from 0 in each. By
        default every query is its own cluster.
    """

    human: Floats
    judge: Floats
    others: Floats
    rooms: tuple[Floats, Floats, Floats] | None = None
    clusters: tuple[Places, Places] | None = None

    @property
    def n(self) -> int:
        """The number of queries that people labelled."""
        return int(self.human.shape[-1])

    @property
    def size(self) -> int:
        """The number of other queries."""
        return int(self.others.shape[-1])

    @property
    def total(self) -> int:
        """The number of queries that the judge labelled."""
        return self.n + self.size

    @property
    def cluster_sizes(self) -> tuple[Floats, Floats]:
        """The number of queries of each labelled and of each other cluster."""
        if self.clusters is None:
            return np.ones(self.n), np.ones(self.size)
        labelled, others = (np.bincount(x).astype(np.float64) for x in self.clusters)
        return labelled, others

    @property
    def units(self) -> float:
        """The number of labelled queries; of clusters Kish's effective number, (Σn_g)²/Σn_g²."""
        sizes = self.cluster_sizes[0]
        return float(sizes.sum() ** 2 / (sizes**2).sum())

    @property
    def judged(self) -> bool:
        """Whether there are enough other units, at least two, to use the judge."""
        return len(self.cluster_sizes[1]) > 1

    def people_ratio(self) -> Floats:
        """Return the value under people's labels alone, (…, systems)."""
        mean: Floats = self.human.mean(axis=-1)
        return mean if self.rooms is None else mean / self.rooms[0].mean(axis=-1)

    def linearised(self, value: Floats, room: Floats) -> QuerySample:
        """Return the contributions (gain − value·room)/(mean room); the same sample if there are none."""
        if self.rooms is None:
            return self
        v, r = value[..., None], room[..., None]
        human, judge, others = (
            (x - v * y) / r
            for x, y in zip((self.human, self.judge, self.others), self.rooms, strict=True)
        )
        return QuerySample(human, judge, others, clusters=self.clusters)


@dataclass(frozen=True, eq=False)
class DocumentSample:
    """The documents design: people labelled some documents of every query.

    All arrays have the shape (…, systems, queries).

    Attributes
    ----------
    people : ndarray
        Σ w·gain(g)/π over the documents that people labelled.
    control : ndarray
        Σ w·gain(ĝ)/π over these documents, minus Σ w·gain(ĝ) over all ranked documents. Its expected
        value is 0, whatever the judge is worth.
    judge : ndarray
        Σ w·gain(ĝ) over all ranked documents.
    spread : tuple of two ndarray, optional
        Covariances of the means over queries that come from drawing documents: of the estimates and of
        people alone, each (systems, systems).
    freedom : float
        Degrees of freedom of the design variance.
    """

    people: Floats
    control: Floats
    judge: Floats
    spread: tuple[Floats, Floats] | None = None
    freedom: float = np.inf

    @property
    def n(self) -> int:
        """The number of queries."""
        return int(self.people.shape[-1])

    @property
    def size(self) -> int:
        """The number of queries without human labels: 0."""
        return 0

    @property
    def total(self) -> int:
        """The number of queries."""
        return self.n

    @property
    def units(self) -> float:
        """The number of queries."""
        return float(self.n)
