"""Logistic regression: ranking by the probability of relevance, with scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tare._data.letor import Letor
from tare.errors import MismatchError, MissingExtraError
from tare.rankers._nets import scale_of
from tare.rankers._ranker import Fitted, Progress, Ranker
from tare.rankers._scorers import Linear, standardised
from tare.rankers._training import Columns, Training

__all__ = ["LogisticRegression"]

CHOICES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)


@dataclass(frozen=True, kw_only=True)
class LogisticRegression(Ranker):
    """Logistic regression: ranking by the probability of relevance, with scikit-learn.

    The L2 penalty is |w|² / (2 · inverse_penalty). Needs scikit-learn: ``pip install 'tare-eval[rank]'``.

    Parameters
    ----------
    inverse_penalty : float, default 1.0
        Inverse strength of the penalty. With validation data, it is selected from 0.001 to 100.
    relevant : float, default 1.0
        Lowest grade that counts as relevant.
    iterations : int, default 1000
        Maximum number of iterations of the solver.
    mode : {"corrected", "ranklib"}
        "corrected" standardises the features; "ranklib" uses them as they are. (RankLib itself has no
        logistic regression.)
    normalise, cutoff, threads
        See `Ranker`.

    Raises
    ------
    OptionError
        If an option has an unknown value or is out of range.

    References
    ----------
    D. R. Cox. The regression analysis of binary sequences. JRSS B 20(2), 1958.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> model = tare.rankers.LogisticRegression().fit(letor)
    >>> list(model.importance())
    [1, 2]
    """

    inverse_penalty: float = 1.0
    relevant: float = 1.0
    iterations: int = 1000

    name: ClassVar[str] = "logisticregression"
    title: ClassVar[str] = "LogisticRegression"
    citation: ClassVar[str] = (
        "D. R. Cox. The regression analysis of binary sequences. JRSS B 20(2), 1958."
    )

    def _training(self, letor: Letor, columns: Columns) -> Training:
        return Training.of(letor, columns, self.normalise, self.cutoff, "ranklib")

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        try:
            from sklearn.linear_model import LogisticRegression as Regression
        except ImportError:
            raise MissingExtraError("scikit-learn", "rank", "LogisticRegression") from None
        relevant = training.grades >= self.relevant
        if relevant.all() or not relevant.any():
            raise MismatchError(
                f"LogisticRegression: {'all' if relevant.all() else 'no'} documents have a grade of "
                f"{self.relevant:g} or more; both classes are needed. Change relevant=."
            )
        scale = scale_of(training, self.mode)
        features = standardised(training.features, *scale)
        tried = (self.inverse_penalty,) if valid is None else CHOICES
        best, weights, chosen = -1.0, np.zeros(features.shape[1]), self.inverse_penalty
        for done, penalty in enumerate(tried):
            progress(done, len(tried))
            coefficients = self._fitted(Regression, features, relevant, penalty) / scale[1]
            reached = 0.0
            if valid is not None:
                reached = valid.mean_ndcg(valid.features @ coefficients, self.threads)
            if reached > best:
                best, weights, chosen = reached, coefficients, penalty
        notes = (
            ()
            if valid is None
            else (f"inverse_penalty={chosen:g} was best on the validation data.",)
        )
        return Fitted(Linear(weights), (), notes)

    def _fitted(self, regression: Any, features: Any, relevant: Any, penalty: float) -> Any:
        import warnings

        from sklearn.exceptions import ConvergenceWarning

        model = regression(C=penalty, max_iter=self.iterations)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # accurate enough for a ranking
            model.fit(features.astype(np.float64), relevant)
        return np.asarray(model.coef_[0], dtype=np.float64)
