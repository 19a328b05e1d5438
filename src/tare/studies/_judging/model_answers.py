"""The model's answers: labels of a model from a file, as answers to the tasks of a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tare._data.findings import listed
from tare._data.labels import LabelSet, read_labels
from tare._data.preferences import read_preferences
from tare._measures.scores import Scores
from tare.errors import MismatchError, OptionError
from tare.studies._judging.design import StudyDesign
from tare.studies._judging.tasks import Task

__all__ = ["read_model_answers"]

Answer = dict[str, Any]
LAYOUTS = {
    "grades": "grades, as qrels or a table with query, document and grade",
    "ratings": "a table with item, system and one column per dimension, or item, system, measure and value",
    "scus": "a table with item, system, scu and present",
}
PREFERENCES = "preferences, as a table with query, left, right and preferred, or as text"


def read_model_answers(
    design: StudyDesign, tasks: Sequence[Task], path: Path
) -> dict[str, Mapping[str, Any]]:
    """Return the model's answer to every task, by task id.

    Raises
    ------
    OptionError
        If the kind of study has no labels of models.
    MismatchError
        If a task has no label, or the labels are of another kind.
    """
    if design.kind == "markup":
        raise OptionError("[judge] labels: a study of kind 'markup' cannot use labels of a model.")
    failed = ""
    find: Callable[[Task], Answer | None]
    if design.compares:
        find = _preferences(path)
    elif design.kind == "ratings":
        find = _ratings(design, path)
    else:
        labels = _one_set(path, {"grades": "grades", "scus": "units"}[design.kind])
        failed = "".join(f" {finding.message}" for finding in labels.findings())
        find = _grades(labels) if design.kind == "grades" else _units(labels)
    made = {task.id: find(task) for task in tasks}
    missing = [task for task in tasks if made[task.id] is None]
    if missing:
        names = [f"{task.query} {' '.join(task.shown)}" for task in missing]
        raise MismatchError(
            f"{path}: the model has no complete label for {len(missing):,} of {len(tasks):,} tasks, such as "
            f"{'; '.join(listed(names, 3))}.{failed} The model must label every task; expected "
            f"{LAYOUTS.get(design.kind, PREFERENCES)}."
        )
    return {task: answer for task, answer in made.items() if answer is not None}


def _one_set(path: Path, kind: str) -> LabelSet:
    sets = read_labels(str(path))
    if len(sets) > 1:
        raise MismatchError(
            f"{path}: holds the labels of {len(sets)} models or persons "
            f"({', '.join(s.name for s in sets[:6])}). Give a file with the labels of one model."
        )
    if sets[0].kind != kind or sets[0].categories is not None:
        wanted = LAYOUTS["grades" if kind == "grades" else "scus"]
        raise MismatchError(f"{path}: the labels are {sets[0].kind}; this study needs {wanted}.")
    return sets[0]


def _grades(labels: LabelSet) -> Callable[[Task], Answer | None]:
    def find(task: Task) -> Answer | None:
        value = labels.values.get((task.query, task.shown[0]))
        return None if value is None else {"grade": int(value) if value == int(value) else value}

    return find


def _units(labels: LabelSet) -> Callable[[Task], Answer | None]:
    def find(task: Task) -> Answer | None:
        found = {
            unit: labels.values.get((task.query, f"{task.shown[0]} | {unit}"))
            for unit, _ in task.units
        }
        if any(value is None for value in found.values()):
            return None
        return {"present": {unit: value == 1 for unit, value in found.items()}}

    return find


def _ratings(design: StudyDesign, path: Path) -> Callable[[Task], Answer | None]:
    scores = Scores.load(str(path))
    names = [dimension.name for dimension in design.dimensions]
    lost = [name for name in names if name not in scores.measure_names]
    if lost:
        raise MismatchError(
            f"{path}: no ratings of {', '.join(lost)}; found {', '.join(scores.measure_names)}. Expected "
            f"{LAYOUTS['ratings']}."
        )
    system = {name: k for k, name in enumerate(scores.systems)}
    item = {name: k for k, name in enumerate(scores.items)}
    columns = {name: scores.measure_names.index(name) for name in names}

    def find(task: Task) -> Answer | None:
        s, i = system.get(task.shown[0]), item.get(task.query)
        if s is None or i is None:
            return None
        found = {name: float(scores.values[s, i, column]) for name, column in columns.items()}
        return {"ratings": found} if all(value == value for value in found.values()) else None

    return find


def _preferences(path: Path) -> Callable[[Task], Answer | None]:
    """A model that was asked several times, and contradicts itself as often as not, says equal."""
    shares: dict[tuple[str, frozenset[str], tuple[str, ...]], list[float]] = {}
    for one in read_preferences(str(path)).judgements:
        first = one.share if one.left < one.right else 1 - one.share
        key = (one.query, frozenset((one.left, one.right)), tuple(sorted(one.given)))
        shares.setdefault(key, []).append(first)

    def find(task: Task) -> Answer | None:
        left, right = task.shown
        found = shares.get((task.query, frozenset(task.shown), tuple(sorted(task.given))))
        if found is None:
            return None
        balance = sum(2 * share - 1 for share in found) * (1 if left < right else -1)
        return {"choice": "equal" if balance == 0 else "left" if balance > 0 else "right"}

    return find
