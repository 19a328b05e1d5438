"""RankBoost: boosting of thresholds on single features, trained on pairs of documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._kernels.letor import pair_potentials, stump_sums
from tare.errors import OptionError
from tare.rankers._ranker import Fitted, Progress, Ranker
from tare.rankers._scorers import Stumps
from tare.rankers._training import Training

__all__ = ["RankBoost"]

NEARLY_ONE = 1 - 1e-9  # a threshold that orders every pair would get an infinite weight
NOTHING = 1e-12


@dataclass(frozen=True, kw_only=True)
class RankBoost(Ranker):
    """RankBoost: boosting of thresholds on single features, trained on pairs of documents.

    The weight of a pair is exp(H(worse) − H(better)), with H the current score. Each round adds the
    threshold with the largest r, the weight of correctly minus incorrectly ordered pairs as a share of the
    total weight. It multiplies the total weight by at most √(1 − r²).

    Parameters
    ----------
    rounds : int, default 300
        Maximum number of rounds.
    thresholds : int, default 10
        Number of thresholds per feature, 1 to 255.
    mode : {"corrected", "ranklib"}
        "corrected" fixes the defects of RankLib that are listed below; "ranklib" reproduces them.
    normalise, cutoff, threads
        See `Ranker`.

    Raises
    ------
    OptionError
        If an option has an unknown value or is out of range.

    Notes
    -----
    RankLib only searches for thresholds with a positive weight. In the corrected mode weights may be
    negative, for features that are smaller on better documents.

    References
    ----------
    Y. Freund, R. Iyer, R. E. Schapire, Y. Singer. An efficient boosting algorithm for combining
    preferences. JMLR 4, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> tare.rankers.RankBoost(rounds=10).fit(letor).importance()
    {1: 1.0, 2: 0.0}
    """

    rounds: int = 300
    thresholds: int = 10

    name: ClassVar[str] = "rankboost"
    title: ClassVar[str] = "RankBoost"
    citation: ClassVar[str] = (
        "Y. Freund, R. Iyer, R. E. Schapire, Y. Singer. An efficient boosting algorithm for combining "
        "preferences. JMLR 4, 2003."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.thresholds > 255:
            raise OptionError(
                f"RankBoost: thresholds={self.thresholds} is out of range. Accepted: 1 to 255."
            )

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        cuts = _cuts(training.columns, self.thresholds)
        bins = _bins(training.columns, cuts)
        seen = None if valid is None else _bins(valid.columns, cuts)
        levels, level_count = training.levels
        scores = np.zeros(len(training.grades))
        chosen: list[tuple[int, int, float]] = []
        history: list[float] = []
        best, kept = -1.0, 0
        held = np.zeros(0 if valid is None else len(valid.grades))
        potentials, loss = pair_potentials(scores, levels, training.offsets, level_count)
        pairs = loss
        for done in range(self.rounds):
            progress(done, self.rounds)
            sums = stump_sums(bins, potentials, self.thresholds + 1, self.threads) / loss
            ranked = np.abs(sums) if self.mode == "corrected" else sums
            feature, place = divmod(int(ranked.argmax()), self.thresholds)
            r = float(np.clip(sums[feature, place], -NEARLY_ONE, NEARLY_ONE))
            if abs(r) < NOTHING:
                break
            weight = 0.5 * float(np.log((1 + r) / (1 - r)))
            chosen.append((feature, place, weight))
            scores += weight * (bins[feature] > place)
            potentials, loss = pair_potentials(scores, levels, training.offsets, level_count)
            history.append(loss / pairs)
            if valid is not None and seen is not None:
                held += weight * (seen[feature] > place)
                reached = valid.mean_ndcg(held, self.threads)
                if reached > best:
                    best, kept = reached, len(chosen)
            if loss <= NOTHING * pairs:  # every pair is in order
                break
        if valid is not None:
            chosen = chosen[:kept]
        features = np.array([f for f, _, _ in chosen], dtype=np.int64)
        places = np.array([p for _, p, _ in chosen], dtype=np.int64)
        weights = np.array([w for _, _, w in chosen], dtype=np.float64)
        stumps = Stumps(
            training.features.shape[1], features, cuts[features, places].astype(np.float64), weights
        )
        notes = (
            ()
            if valid is None
            else (f"{kept:,} of {len(history):,} rounds were best on the validation data.",)
        )
        return Fitted(stumps, tuple(history), notes)


def _cuts(columns: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Return features × thresholds in ascending order, in equal steps down from the maximum."""
    low, high = columns.min(axis=1), columns.max(axis=1)
    step = (high.astype(np.float64) - low) / count
    cuts = high[:, None] - step[:, None] * np.arange(count)[::-1]
    return np.asarray(cuts, dtype=np.float32)


def _bins(columns: NDArray[np.float32], cuts: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return how many thresholds each value exceeds."""
    bins = np.empty(columns.shape, dtype=np.uint8)
    for f, (values, own) in enumerate(zip(columns, cuts, strict=True)):
        bins[f] = np.searchsorted(own, values, side="left")
    return bins
