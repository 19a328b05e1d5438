"""Result files of MTEB: a folder with one JSON file per model and task."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tare._data.findings import Finding, listed
from tare._files.opening import PathLike, name_of, read_all
from tare.errors import FormatError

__all__ = ["MtebResults", "read_mteb_results"]

META = "model_meta"
MAX_PROBLEMS = 5
SPLIT = "test"
LARGEST = 1e100  # also excludes NaN and infinity


@dataclass(frozen=True)
class MtebResults:
    """Main scores of MTEB by model and task, and findings about the result files."""

    scores: dict[tuple[str, str], float]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class _File:
    model: str
    revision: str
    task: str
    score: float | None  # None if no subset has the languages


def read_mteb_results(folder: PathLike, *, languages: Collection[str] = ()) -> MtebResults:
    """Read the main scores of a folder of result files that mteb wrote.

    Files lie in `model/revision/task.json`, as mteb writes them, or in one folder as
    `model__task.json`. The score of a task is the mean main score of its subsets on the split "test",
    or on all splits if there is no such split.

    Parameters
    ----------
    folder : path
        The folder; its subfolders are searched as well.
    languages : collection of str
        Use only subsets all of whose languages are among these, such as "eng".
    """
    root = Path(folder)
    paths = sorted(path for path in root.rglob("*.json") if path.is_file())
    names = {path: _model_name(path) for path in paths if _is_meta(path)}
    problems: list[str] = []
    found: dict[Path, _File] = {}
    other: list[str] = []
    for path in paths:
        if _is_meta(path):
            continue
        try:
            given = _object(path)
            if "scores" not in given and "mteb_dataset_name" not in given:
                other.append(name_of(path.relative_to(root)))
                continue
            found[path] = _result(path, given, names, languages)
        except FormatError as error:
            problems.append(str(error))
    if problems:
        shown = "\n".join(problems[:MAX_PROBLEMS])
        more = len(problems) - MAX_PROBLEMS
        raise FormatError(shown + (f"\n… and {more:,} more problems." if more > 0 else ""))
    if not found:
        raise FormatError(
            f'{name_of(root)}: no MTEB result file. Expected model/revision/task.json with "scores", as '
            "mteb writes them."
        )
    return _table(found, other, name_of(root))


def _is_meta(path: Path) -> bool:
    return path.stem == META or path.stem.endswith(f"__{META}")


def _object(path: Path) -> dict[str, Any]:
    try:
        given = json.loads(read_all(path))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name_of(path)}: not valid JSON ({error}).") from None
    return given if isinstance(given, dict) else {}


def _model_name(path: Path) -> str:
    """Return the name of a model in its description in a folder of MTEB; empty if it has none."""
    given = _object(path)
    named = given.get("name", given.get("model_name"))
    return named if isinstance(named, str) and named.isprintable() else ""


def _result(
    path: Path, given: dict[str, Any], names: dict[Path, str], languages: Collection[str]
) -> _File:
    if not isinstance(given.get("scores"), dict):
        raise FormatError(
            f'{name_of(path)}: no "scores", so the file was written by mteb before version 1.11, which '
            "did not store main scores. Convert it with mteb's TaskResult.from_disk, or evaluate again."
        )
    task = given.get("task_name")
    task = task if isinstance(task, str) and task.isprintable() and task else path.stem
    score = _main_score(path, given["scores"], languages)
    prefix = path.stem.removesuffix(f"__{task}")
    if prefix != path.stem:  # all files in one folder
        named = names.get(path.with_name(f"{prefix}__{META}.json"))
        return _File(named or prefix.replace("__", "/"), "", task, score)
    named = names.get(path.with_name(f"{META}.json"))
    model, revision = path.parent.parent.name, path.parent.name
    if "__" not in model:  # the folder of a model, without revisions
        model, revision = path.parent.name, ""
    return _File(named or model.replace("__", "/"), revision, task, score)


def _main_score(path: Path, splits: dict[str, Any], languages: Collection[str]) -> float | None:
    chosen = [splits[SPLIT]] if SPLIT in splits else list(splits.values())
    values = []
    for subset in (one for split in chosen for one in (split if isinstance(split, list) else [{}])):
        about = subset if isinstance(subset, dict) else {}
        score, spoken = about.get("main_score"), about.get("languages")
        if (
            isinstance(score, bool)
            or not isinstance(score, int | float)
            or not -LARGEST <= score <= LARGEST
        ):
            raise FormatError(f'{name_of(path)}: a subset has no "main_score" that is a number.')
        codes = {str(code).split("-")[0] for code in spoken} if isinstance(spoken, list) else set()
        if not languages or (codes and codes <= set(languages)):
            values.append(float(score))
    return math.fsum(values) / len(values) if values else None


def _table(found: dict[Path, _File], other: list[str], name: str) -> MtebResults:
    """Make main scores of MTEB by system: named by model, and by revision as well if a model has several."""
    revisions: dict[str, set[str]] = {}
    for file in found.values():
        revisions.setdefault(file.model, set()).add(file.revision)
    scores: dict[tuple[str, str], float] = {}
    unused = []
    for path, file in found.items():
        several = len(revisions[file.model]) > 1
        system = f"{file.model}@{file.revision[:12]}" if several else file.model
        if file.score is None:
            unused.append(f"{system} {file.task}")
        elif scores.setdefault((system, file.task), file.score) != file.score:
            raise FormatError(
                f"{name_of(path)}: a second result of {system} on {file.task}, with another score. Remove "
                "one of the files."
            )
    if not scores:
        raise FormatError(f"{name}: no subset has only these languages.")
    findings = []
    if other:
        message = f"{len(other):,} JSON {'file is' if len(other) == 1 else 'files are'} not a result of MTEB; skipped."
        findings.append(Finding("other files", message, len(other), examples=listed(other)))
    if unused:
        message = f"{len(unused):,} {'result has' if len(unused) == 1 else 'results have'} no subset with only these languages."
        findings.append(Finding("other languages", message, len(unused), examples=listed(unused)))
    repeated = sorted(model for model, own in revisions.items() if len(own) > 1)
    if repeated:
        message = f"{len(repeated):,} {'model has' if len(repeated) == 1 else 'models have'} several revisions, which are separate systems."
        findings.append(
            Finding("several revisions", message, len(repeated), "note", listed(repeated))
        )
    return MtebResults(scores, tuple(findings))
