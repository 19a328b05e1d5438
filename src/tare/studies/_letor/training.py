"""Training of all rankers on all folds, in this process or on an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tare.studies._letor.data import Fold
from tare.studies._letor.folder import StudyFolder

if TYPE_CHECKING:
    from tare.rankers import Model, Ranker

__all__ = ["TrainingData", "TrainingEngine", "train", "trained_models"]


class TrainingEngine(Protocol):
    """The method of an engine that trains rankers."""

    def map_partitions(
        self, task: Callable[..., Any], shared: object, partitions: Sequence[Any], *, what: str = ""
    ) -> list[Any]:
        """Return one result of ``task(shared, partition)`` per partition."""
        ...


@dataclass(frozen=True)
class TrainingTask:
    """A ranker and the place of its fold among all folds."""

    ranker: Ranker
    place: int
    fold: str

    def __str__(self) -> str:
        return f"{self.ranker.title} on {self.fold}"


@dataclass(frozen=True)
class TrainingData:
    """What all tasks share."""

    folds: Sequence[Fold]
    seed: int
    folder: StudyFolder


def trained_models(
    rankers: Sequence[Ranker],
    data: TrainingData,
    engine: TrainingEngine | None,
    notify: Callable[[str], None],
) -> dict[tuple[str, str], Model]:
    """Return the model of each ranker (its title) and fold (its name); saved ones are used again."""
    folder, folds = data.folder, data.folds
    made: dict[tuple[str, str], Model] = {}
    left: list[TrainingTask] = []
    for ranker in rankers:
        for place, fold in enumerate(folds):
            kept = folder.kept_model(fold.name, ranker, fold.train, fold.valid, data.seed)
            if kept is not None:
                made[ranker.title, fold.name] = kept
                notify(f"{ranker.title} on {fold.name}")
            else:
                left.append(TrainingTask(ranker, place, fold.name))
    for task, (model, saved) in zip(left, _results(data, left, engine, notify), strict=True):
        if not saved:  # the worker did not see the folder
            folder.keep_model(task.fold, task.ranker, model)
        made[task.ranker.title, task.fold] = model
    return made


def _results(
    data: TrainingData,
    tasks: Sequence[TrainingTask],
    engine: TrainingEngine | None,
    notify: Callable[[str], None],
) -> Iterable[tuple[Model, bool]]:
    if engine is None:
        for task in tasks:
            notify(str(task))
            yield train(data, task)
        return
    for task in tasks:
        notify(str(task))
    yield from engine.map_partitions(train, data, tasks, what="training")


def train(data: TrainingData, task: TrainingTask) -> tuple[Model, bool]:
    """Train a ranker, and save the model if the folder is visible here; a task of engines.

    Saved at once, models survive an interrupted study.
    """
    fold = data.folds[task.place]
    model = task.ranker.fit(fold.train, fold.valid, seed=data.seed)
    visible = data.folder.is_visible()
    if visible:
        data.folder.keep_model(task.fold, task.ranker, model)
    return model, visible
