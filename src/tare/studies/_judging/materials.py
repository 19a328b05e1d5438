"""The materials of a study: tasks and texts from the data files of a plan."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tare._data.columns import LONE_SURROGATE, has_lone_surrogate, json_object
from tare._data.passages import by_id, folder_passages, read_passages
from tare._data.pyramids import read_pyramid
from tare._data.runs import read_runs
from tare._data.summaries import read_summaries
from tare._files.opening import name_of, read_text
from tare._plain_text import lines_of
from tare.errors import FormatError, OptionError, UnreadableError
from tare.studies._judging.design import Study, StudyDesign, Text
from tare.studies._judging.plan_values import check_values
from tare.studies._judging.systems import DEPTH, depth_pools, first_documents
from tare.studies._judging.tasks import MAX_TASKS, Task, check_count, make_pairs, make_triplets

__all__ = ["build_study"]

MAX_DEPTH = 1_000_000

KEYS = {
    "queries": "text",
    "documents": "text",
    "runs": "texts",
    "depth": "integer",
    "tasks": "text",
    "pairs": "integer",
    "triplets": "integer",
    "simple": "boolean",
    "summaries": "text",
    "pyramids": "texts",
}


def build_study(
    design: StudyDesign, data: Mapping[str, Any], folder: Path, gold: Mapping[str, Any]
) -> Study:
    """Build a study from its design and the files named in [data]."""
    check_values(data, KEYS, "data")
    for name, most in (("depth", DEPTH), ("pairs", MAX_TASKS), ("triplets", MAX_TASKS)):
        if name in data and not 1 <= data[name] <= most:
            raise OptionError(f"data.{name}={data[name]:,}: expected a number from 1 to {most:,}.")
    gold_tasks = tuple(_task(row, f"gold {i}") for i, row in enumerate(gold.get("items", ()), 1))
    if gold_tasks and design.kind not in ("preference", "conditional", "grades", "headtohead"):
        raise OptionError("gold items need a kind of study with comparisons or grades.")
    if design.kind in ("ratings", "headtohead", "scus", "markup"):
        return _summary_study(design, data, folder, gold_tasks)
    texts = _texts(folder / _required(data, "documents"))
    queries = _texts(folder / data["queries"]) if "queries" in data else {}
    runs = [folder / name for name in _names(data.get("runs", ()))]
    given = [r for pattern in runs for r in (_glob(pattern))]
    rankings = first_documents(read_runs([str(p) for p in given])) if given else {}
    if "tasks" in data:
        tasks = [_task(row, where) for where, row in _objects(folder / data["tasks"])]
    else:
        depth = data.get("depth", 10)
        everything = sorted(texts)
        pools = depth_pools(rankings, depth) if rankings else dict.fromkeys(queries, everything)
        if not pools:
            raise OptionError("[data] needs tasks, runs, or queries and documents.")
        tasks = _tasks(design, data, pools)
    return Study(design, tuple(tasks), texts, queries, gold_tasks, rankings)


def _tasks(
    design: StudyDesign, data: Mapping[str, Any], pools: Mapping[str, list[str]]
) -> list[Task]:
    if design.kind == "grades":
        check_count(sum(map(len, pools.values())))
        return [Task(q, (d,), depth=i + 1) for q, own in pools.items() for i, d in enumerate(own)]
    if design.kind == "preference":
        return make_pairs(pools, count=data.get("pairs"), seed=design.seed)
    return make_triplets(
        pools, count=data.get("triplets"), simple=data.get("simple", True), seed=design.seed
    )


def _summary_study(
    design: StudyDesign, data: Mapping[str, Any], folder: Path, gold: tuple[Task, ...]
) -> Study:
    texts: dict[str, Text] = {}
    queries: dict[str, Text] = {}
    systems: dict[str, list[str]] = {}
    references: dict[str, list[str]] = {}
    given = read_summaries(str(folder / _required(data, "summaries")))
    rows = zip(
        given.systems, given.items, given.texts, given.references, given.sources, strict=True
    )
    for system, item, text, refs, source in rows:
        systems.setdefault(item, []).append(system)
        texts[f"{item}\t{system}"] = Text(_joined(text))
        if source is not None:
            queries[item] = Text(_joined(source))
        for number, reference in enumerate(refs, 1):
            name = f"reference {number}"
            if f"{item}\t{name}" not in texts:
                references.setdefault(item, []).append(name)
                texts[f"{item}\t{name}"] = Text(_joined(reference))
    units = _units(folder, data)
    tasks: list[Task] = []
    pairs = design.kind == "headtohead"
    check_count(sum(math.comb(len(own), 2) if pairs else len(own) for own in systems.values()))
    for item, own in systems.items():
        if pairs:
            tasks += [Task(item, pair) for pair in itertools.combinations(own, 2)]
        elif design.kind == "markup":
            if not references.get(item):
                raise OptionError(
                    f"item {item}: a study of kind 'markup' needs references in the summaries."
                )
            tasks.append(Task(item, tuple(references[item])))
        elif design.kind == "scus":
            if item not in units:
                raise OptionError(
                    f"item {item}: no pyramid found. Items with a pyramid: {', '.join(units) or 'none'}."
                )
            tasks += [Task(item, (system,), units=units[item]) for system in own]
        else:
            tasks += [Task(item, (system,)) for system in own]
    return Study(design, tuple(tasks), texts, queries, gold)


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "\n".join(text)


def _units(folder: Path, data: Mapping[str, Any]) -> dict[str, tuple[tuple[str, str], ...]]:
    found = {}
    for pattern in _names(data.get("pyramids", ())):
        for path in _glob(folder / pattern):
            pyramid = read_pyramid(str(path))
            found[pyramid.item] = tuple((scu.id, scu.label) for scu in pyramid.scus)
    return found


def _required(data: Mapping[str, Any], name: str) -> str:
    if name not in data:
        raise OptionError(f"data.{name} is missing; it must name a file.")
    return str(data[name])


def _names(given: Any) -> Sequence[str]:
    return [given] if isinstance(given, str) else list(given)


def _glob(pattern: Path) -> list[Path]:
    found = sorted(pattern.parent.glob(pattern.name))
    if not found:
        raise UnreadableError(f"{pattern}: no such file.")
    return found


def _objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(lines_of(read_text(path)), 1):
        if line.strip():
            where = f"{name_of(path)}, line {number}"
            yield where, json_object(line, where)


def _task(row: Mapping[str, Any], where: str) -> Task:
    """Create a task from {query, left, right, given, expected} or {query, document, expected}."""
    shown = ("left", "right") if "left" in row else ("document",)
    given = row.get("given")
    listed = () if given is None else given if isinstance(given, list) else (given,)
    depth = 0 if row.get("depth") is None else row["depth"]
    if isinstance(depth, bool) or not isinstance(depth, int) or not 0 <= depth <= MAX_DEPTH:
        raise FormatError(
            f"{where}: depth: expected a whole number from 0 to {MAX_DEPTH:,}, found {str(depth)[:40]!r}."
        )
    made = Task(
        _name(row.get("query"), "query", where),
        tuple(_name(row.get(name), name, where) for name in shown),
        tuple(_name(name, "given", where) for name in listed),
        depth=depth,
    )
    expected = row.get("expected")
    if len(set(made.shown) | set(made.given)) != len(made.shown) + len(made.given):
        raise FormatError(f"{where}: duplicate document in the task.")
    return made if expected is None else replace(made, expected=_name(expected, "expected", where))


def _name(value: Any, key: str, where: str) -> str:
    """Return an id of a task as text; null is a missing id."""
    if value is None and key != "given":
        raise FormatError(
            f"{where}: {key} is missing. A task has query, left and right, or query and document."
        )
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise FormatError(f"{where}: {key}: expected an id, found {str(value)[:40]!r}.")
    if has_lone_surrogate(name := str(value)):
        raise FormatError(f"{where}: {key} {LONE_SURROGATE}")
    return name


def _texts(path: Path) -> dict[str, Text]:
    """Return the texts of a file or a folder as assessors read them."""
    found = by_id(name_of(path), folder_passages(path) if path.is_dir() else read_passages(path))
    return {key: Text(one.text, one.format, one.title) for key, one in found.items()}
