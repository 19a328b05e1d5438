"""A ranker: a method and its options, a value that can be fitted to data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from tare._data.counter_random import check_seed
from tare._data.letor import Letor, read_letor
from tare._kernels import default_threads
from tare.errors import OptionError, choose
from tare.rankers._model import Model, digest_of
from tare.rankers._normalisation import NORMALISATIONS
from tare.rankers._scorers import Scorer
from tare.rankers._training import Columns, Training

__all__ = ["MODES", "Fitted", "Progress", "Ranker"]

MODES = ("corrected", "ranklib")

# What is called while a ranker learns: rounds done, rounds to do.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Fitted:
    """What learning gives: the scorer, how it went round by round, and remarks."""

    scorer: Scorer
    history: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Ranker(ABC):
    """The options that all methods have.

    mode: "corrected", or "ranklib" for what RankLib does, its defects included.
    normalise: features query by query: "none", "sum", "zscore" or "linear".
    cutoff: the measure that is trained on, and that chooses by validation, is nDCG at this rank.
    threads: how many; TARE_THREADS or 1 if not given. The model does not depend on it.
    """

    mode: str = "corrected"
    normalise: str = "none"
    cutoff: int = 10
    threads: int = field(default_factory=lambda: default_threads() or 1)

    name: ClassVar[str]
    title: ClassVar[str]
    citation: ClassVar[str]
    # Whether validation data choose anything.
    chooses: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choose("mode", self.mode, MODES)
        choose("normalise", self.normalise, NORMALISATIONS)
        for option in fields(self):
            value = getattr(self, option.name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                _check_range(type(self).title, option.name, value)

    def fit(
        self,
        letor: Any,
        valid: Any = None,
        *,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Model:
        """Learns from LETOR data, or what `read_letor` takes; `valid` chooses among what was learnt."""
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
                f"{training.left_out:,} of {len(train.queries):,} queries have documents of one grade "
                "only and were left out.",
            )
        if validation is not None and not self.chooses:
            notes.append(f"{self.title} makes no use of validation data.")
        return Model(
            type(self).title, self.mode, self.options(), seed, columns, fitted.scorer, train.name,
            digest_of(train), None if held is None else digest_of(held), fitted.history, tuple(notes),
        )  # fmt: skip

    def options(self) -> dict[str, Any]:
        """The options that a model depends on, apart from its mode."""
        return {
            f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("mode", "threads")
        }

    def made(self, model: Model, letor: Letor, valid: Letor | None, seed: int) -> bool:
        """Whether fitting this ranker to these data would make this model again."""
        return (model.ranker, model.mode, dict(model.options), model.seed) == (
            type(self).title, self.mode, self.options(), seed,
        ) and (model.train_digest, model.valid_digest) == (
            digest_of(letor), None if valid is None else digest_of(valid),
        )  # fmt: skip

    def _training(self, letor: Letor, columns: Columns) -> Training:
        return Training.of(letor, columns, self.normalise, self.cutoff, self.mode)

    @abstractmethod
    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted: ...


# Options that may be 0.
_FROM_ZERO = ("tolerance", "stop_after", "feature")
_SHARES = ("feature_share", "bag_share")


def _check_range(title: str, name: str, value: float) -> None:
    if name in _SHARES and not 0 < value <= 1:
        raise OptionError(f"{title}: {name}={value} is not possible; it is above 0 and at most 1.")
    if not (value > 0 or (value == 0 and name in _FROM_ZERO)) or value == float("inf"):
        raise OptionError(
            f"{title}: {name}={value} is not possible; it is "
            f"{'0 or more' if name in _FROM_ZERO else 'above 0'}."
        )
