"""Rankers: a method and its options, which can be fitted to data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import ClassVar

from tare._data.letor import Letor, read_letor
from tare._data.simulation import check_seed
from tare._files.opening import PathLike
from tare._kernels import default_threads
from tare.errors import OptionError, choose
from tare.rankers._model import Model, digest_of
from tare.rankers._normalisation import NORMALISATIONS
from tare.rankers._scorers import Scorer
from tare.rankers._training import Columns, Training

__all__ = ["MODES", "Fitted", "Progress", "Ranker"]

MODES = ("corrected", "ranklib")

# Called during training with the number of finished rounds and their total.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Fitted:
    """The result of training: the scorer, the history by round, and notes."""

    scorer: Scorer
    history: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Ranker(ABC):
    """Base class of all rankers, with the options that they share.

    Parameters
    ----------
    mode : {"corrected", "ranklib"}
        "ranklib" reproduces RankLib with its defects; "corrected" fixes them.
    normalise : {"none", "sum", "zscore", "linear"}
        Normalisation of the features within each query: none, division by the sum of absolute values,
        standardisation, or scaling to 0 … 1.
    cutoff : int, default 10
        Training and validation use nDCG at this rank.
    threads : int, optional
        Number of threads. The default is the environment variable TARE_THREADS, or 1. The model does not
        depend on it.

    Attributes
    ----------
    name : str
        Name in the registry, such as "rankboost".
    title : str
        Name in tables, such as "RankBoost".
    citation : str
        The publication of the method.
    uses_validation : bool
        Whether `fit` uses validation data.

    Raises
    ------
    OptionError
        If an option has an unknown value or is out of range.

    Examples
    --------
    >>> import tare
    >>> tare.rankers.RankBoost(rounds=50, normalise="zscore").options()["rounds"]
    50
    """

    mode: str = "corrected"
    normalise: str = "none"
    cutoff: int = 10
    threads: int = field(default_factory=lambda: default_threads() or 1)

    name: ClassVar[str]
    title: ClassVar[str]
    citation: ClassVar[str]
    uses_validation: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choose("mode", self.mode, MODES)
        choose("normalise", self.normalise, NORMALISATIONS)
        for option in fields(self):
            value = getattr(self, option.name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                _check_range(type(self).title, option.name, value)

    def fit(
        self,
        letor: PathLike | Letor,
        valid: PathLike | Letor | None = None,
        *,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Model:
        """Train the ranker.

        Parameters
        ----------
        letor : Letor or path-like
            Training data, or a file that `tare.read_letor` reads.
        valid : Letor or path-like, optional
            Validation data. They select the number of rounds or the strength of a penalty.
        seed : int, default 0
            Seed of all random steps.
        progress : callable, optional
            Called with the number of finished rounds and their total.

        Returns
        -------
        Model
            The trained model.

        Raises
        ------
        MismatchError
            If there is nothing to learn, or the training diverges.
        FormatError
            If a feature or a grade is not a finite number.
        OptionError
            If the seed is not valid, or the data do not have the feature that the ranker uses.
        MissingExtraError
            If a package that the method needs is not installed.

        Examples
        --------
        >>> import numpy as np
        >>> import tare
        >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
        >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
        >>> model = tare.rankers.RankBoost(rounds=10).fit(letor)
        >>> model.score(letor).round(2).tolist()[1]
        0.0
        """
        train = read_letor(letor)
        held = None if valid is None else read_letor(valid)
        check_seed(seed)
        columns = Columns(train.first_feature, train.n_features)
        training = self._training(train, columns)
        validation = None if held is None else self._training(held, columns)
        fitted = self._learn(training, validation, seed, progress or (lambda done, total: None))
        notes = list(fitted.notes)
        if training.left_out:
            notes.insert(
                0,
                f"{training.left_out:,} of {len(train.queries):,} queries were left out, because all of "
                "their documents have the same grade.",
            )
        if validation is not None and not self.uses_validation:
            notes.append(f"{self.title} does not use validation data.")
        return Model(
            type(self).title,
            self.mode,
            self.options(),
            seed,
            columns,
            fitted.scorer,
            train.name,
            digest_of(train),
            None if held is None else digest_of(held),
            fitted.history,
            tuple(notes),
        )

    def options(self) -> dict[str, object]:
        """Return the options that a model depends on, except its mode.

        Returns
        -------
        dict
            Value by name of the option.
        """
        return {
            f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("mode", "threads")
        }

    def would_reproduce(self, model: Model, letor: Letor, valid: Letor | None, seed: int) -> bool:
        """Return whether fitting this ranker to these data would give the same model.

        Parameters
        ----------
        model : Model
            The model to compare with.
        letor : Letor
            Training data.
        valid : Letor or None
            Validation data.
        seed : int
            Seed of the training.

        Returns
        -------
        bool
            Whether ranker, options, seed and data are those of the model.
        """
        return (model.ranker, model.mode, dict(model.options), model.seed) == (
            type(self).title,
            self.mode,
            self.options(),
            seed,
        ) and (model.train_digest, model.valid_digest) == (
            digest_of(letor),
            None if valid is None else digest_of(valid),
        )

    def _training(self, letor: Letor, columns: Columns) -> Training:
        return Training.of(letor, columns, self.normalise, self.cutoff, self.mode)

    @abstractmethod
    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted: ...


# Options that may be 0.
_MAY_BE_ZERO = ("tolerance", "stop_after", "feature")
_SHARES = ("feature_share", "bag_share")


def _check_range(title: str, name: str, value: float) -> None:
    if name in _SHARES and not 0 < value <= 1:
        raise OptionError(
            f"{title}: {name}={value} is out of range. Accepted: above 0 and at most 1."
        )
    if not (value > 0 or (value == 0 and name in _MAY_BE_ZERO)) or value == float("inf"):
        raise OptionError(
            f"{title}: {name}={value} is out of range. Accepted: "
            f"{'0 or more' if name in _MAY_BE_ZERO else 'above 0'}."
        )
