"""The Bayesian signed-rank test with a region of practical equivalence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import bayesian_signed_rank as _kernel
from tare._result import Result, Row, Rows
from tare._tables import Column, Table
from tare.errors import OptionError
from tare.stats._pairs import Pairs
from tare.stats._randomisation import DRAWS, check_draws

if TYPE_CHECKING:
    pass

__all__ = ["BayesianSignedRank", "bayesian_signed_rank"]

MOST_PRIOR = 1e9


@dataclass(frozen=True, eq=False, repr=False)
class BayesianSignedRank(Result):
    """Probabilities that the first system of each pair is worse, practically equal or better.

    Attributes
    ----------
    pairs : Pairs
        The pairs that were compared.
    worse, equal, better : ndarray
        One probability per pair.
    shares : ndarray
        Mean shares of the Walsh averages below, within and above the region, per pair.
    rope, prior : float
        Half the width of the region of practical equivalence, and the weight of the prior.
    draws, seed : int
        Number of posterior samples, and their seed.

    Examples
    --------
    >>> pair = Pairs.of_arrays([0.5, 0.7, 0.9, 0.8], [0.4, 0.5, 0.6, 0.6])
    >>> found = bayesian_signed_rank(pair, rope=0.15, seed=1)
    >>> round(float(found.equal[0]), 2), round(float(found.better[0]), 2)
    (0.17, 0.83)
    """

    rows_key: ClassVar[str] = "pairs"

    pairs: Pairs
    worse: NDArray[np.float64]
    equal: NDArray[np.float64]
    better: NDArray[np.float64]
    shares: NDArray[np.float64]
    rope: float
    prior: float
    draws: int
    seed: int

    def rows(self) -> Rows:
        """Return one dictionary per pair."""
        return [
            {
                "system": self.pairs.name(k)[0],
                "against": self.pairs.name(k)[1],
                "worse": float(self.worse[k]),
                "equal": float(self.equal[k]),
                "better": float(self.better[k]),
            }
            for k in range(len(self.pairs))
        ]

    def table(self) -> Table:
        """Return one row per pair; the most probable of the three outcomes is marked."""
        rows = [tuple(row.values()) for row in self.rows()]
        marks = frozenset(
            (r, 2 + int(np.argmax([row[2], row[3], row[4]]))) for r, row in enumerate(rows)
        )
        columns = [
            Column("system", align="left"),
            Column("against", align="left"),
            Column("P(worse)"),
            Column("P(equal)"),
            Column("P(better)"),
        ]
        note = (
            f"Bayesian signed-rank test, region of practical equivalence ±{self.rope:g}, prior "
            f"weight {self.prior:g} at 0, {self.draws:,} draws, seed {self.seed}."
        )
        return Table.of(columns, rows, notes=[note], marks=marks)

    def facts(self) -> Row:
        """Return what the rows depend on."""
        return {"rope": self.rope, "prior": self.prior, "draws": self.draws, "seed": self.seed}


def bayesian_signed_rank(
    pairs: Pairs,
    *,
    rope: float = 0.01,
    prior: float = 0.5,
    draws: int = DRAWS,
    seed: int = 0,
    threads: int = 0,
) -> BayesianSignedRank:
    """Run the Bayesian signed-rank test with a region of practical equivalence.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
    rope : float
        Differences of at most this size are practically equal.
    prior : float
        Weight of a pseudo-observation at 0.
    draws : int
        Number of posterior samples.
    seed : int
        Seed of the samples.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.

    Returns
    -------
    BayesianSignedRank
        Three probabilities per pair: worse, equal, better.

    Raises
    ------
    OptionError
        If `rope` is negative or NaN, `prior` is not from 0 to 1e9, or `draws` or `seed` is out of range.

    Notes
    -----
    Weights of the differences are drawn from a Dirichlet distribution. Each sample gives the shares of
    the Walsh averages (d_i + d_j)/2 below −rope, within ±rope and above rope; the largest share wins. A
    probability is the share of samples won.

    References
    ----------
    Benavoli, Corani, Demšar and Zaffalon (2017). Time for a change: a tutorial for comparing multiple
    classifiers through Bayesian analysis. JMLR 18.

    Examples
    --------
    >>> pair = Pairs.of_arrays([0.5, 0.7, 0.9, 0.8], [0.4, 0.5, 0.6, 0.6])
    >>> bayesian_signed_rank(pair, seed=1).better.round(2).tolist()
    [1.0]
    """
    check_draws(draws, seed)
    if not rope >= 0:
        raise OptionError(f"rope={rope} is not possible; it is 0 or more, in units of the measure.")
    if not 0 <= prior <= MOST_PRIOR:
        raise OptionError(
            f"prior={prior} is not possible; it is a weight from 0 to {MOST_PRIOR:g}."
        )
    made = _kernel(
        pairs.differences, rope=rope, prior=prior, draws=draws, seed=seed, threads=threads
    )
    won = made[:, :3] / draws
    return BayesianSignedRank(
        pairs, won[:, 0], won[:, 1], won[:, 2], made[:, 3:], rope, prior, draws, seed
    )
