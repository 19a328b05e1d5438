"""Plans: a study in a TOML file, with its materials, a model's answers, and the slice that people judge."""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, time
from pathlib import Path
from typing import Any

from tare._data.findings import listed
from tare._data.formats.jsonl import json_object
from tare._data.labels import LabelSet, read_labels
from tare._data.passages import by_id, folder_passages, read_passages
from tare._data.preferences import read_preferences
from tare._data.pyramids import read_pyramid
from tare._data.runs import Run, read_runs
from tare._data.summaries import read_summaries
from tare._decide.estimate_labels import refuse_not_linear
from tare._files.opening import name_of, read_text
from tare._judging.design import (
    DRAWS,
    MAX_TASKS,
    YEAR,
    Dimension,
    GateQuestion,
    Stratum,
    Study,
    StudyDesign,
    Task,
    Text,
    check_count,
    draw_slice,
    make_pairs,
    make_triplets,
)
from tare._judging.outcomes import AnswerSet
from tare._judging.slices import SliceAnswers, slice_estimates
from tare._measures.names import parse
from tare._measures.scores import Scores
from tare._plain_text import LONE_SURROGATE, has_lone_surrogate, lines_of
from tare.errors import (
    FormatError,
    MismatchError,
    OptionError,
    TareError,
    UnreadableError,
    choose,
    nearest,
)
from tare.studies._systems import first_documents as first_of

__all__ = [
    "build_study",
    "check_values",
    "depth_pools",
    "first_documents",
    "list_of_tables",
    "read_model_answers",
    "read_study",
    "table",
    "with_slice",
]


# Values of a plan: tables, lists and values of the right type, with the key in every message.


Kinds = Mapping[str, str]
FORMS = {
    "text": "text in quotation marks",
    "texts": "text in quotation marks, or a list of texts",
    "list": "a list in square brackets",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "tables": "a list of tables",
    "anything": "a value",
}


def table(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a table of the TOML file of a study; empty if the table is missing."""
    found = given.get(name, {})
    if not isinstance(found, Mapping):
        raise OptionError(f"{name}: expected a table, written as [{name}], found {_shown(found)}.")
    return found


def list_of_tables(given: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    """Return a list of tables of the TOML file of a study; empty if it is missing."""
    found = given.get(name, ())
    if not isinstance(found, list | tuple) or any(not isinstance(x, Mapping) for x in found):
        raise OptionError(
            f"{name}: expected tables, each written as [[{name}]], found {_shown(found)}."
        )
    return found


def check_values(
    given: Mapping[str, Any], kinds: Kinds, where: str, required: Sequence[str] = ()
) -> None:
    """Refuse a table of the TOML file with an unknown key, a value of another type, or a missing key.

    where: the name of the table in messages.
    """
    for name, value in given.items():
        key = f"{where}.{name}" if where else name
        if name not in kinds:
            raise OptionError(
                f"unknown key {key!r}. Accepted: {', '.join(kinds)}.{nearest(name, list(kinds))}"
            )
        if not _fits(value, kinds[name]):
            raise OptionError(f"{key}: expected {FORMS[kinds[name]]}, found {_shown(value)}.")
    for name in required:
        if name not in given:
            key = f"{where}.{name}" if where else name
            raise OptionError(f"{key} is missing; expected {FORMS[kinds[name]]}.")


def _fits(value: Any, kind: str) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    fits = {
        "text": isinstance(value, str),
        "texts": isinstance(value, str) or _is_texts(value),
        "list": isinstance(value, list | tuple)
        and not any(isinstance(x, Mapping | list) for x in value),
        "integer": whole,
        "number": whole or isinstance(value, float),
        "boolean": isinstance(value, bool),
        "tables": isinstance(value, list | tuple) and all(isinstance(x, Mapping) for x in value),
        "anything": not isinstance(value, Mapping | list | tuple),
    }
    return fits[kind]


def _is_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(x, str) for x in value)


def _shown(value: Any) -> str:
    """Return a value as TOML writes it, shortened."""
    text = _written(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, Mapping):
        pairs = (f"{_key(name)} = {_written(kept)}" for name, kept in value.items())
        return f"{{{', '.join(pairs)}}}"
    return repr(value)


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if bare else f'"{name}"'


# Rankings of systems, and the document pools made from them.


Rankings = Mapping[str, Mapping[str, tuple[str, ...]]]
DEPTH = 100


def first_documents(runs: Iterable[Run]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return {query: {system: its first documents in order}}."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for run in runs:
        for query, documents in first_of(run, DEPTH).items():
            found.setdefault(query, {})[run.system] = tuple(documents)
    return found


def depth_pools(rankings: Rankings, depth: int) -> dict[str, list[str]]:
    """Return the first `depth` documents of all systems, by best rank and then by id.

    >>> depth_pools({"q": {"s": ("a", "b", "c"), "t": ("b", "d")}}, 2)
    {'q': ['a', 'b', 'd']}
    """
    pools = {}
    for query, systems in rankings.items():
        best: dict[str, int] = {}
        for documents in systems.values():
            for rank, document in enumerate(documents[:depth]):
                best[document] = min(rank, best.get(document, rank))
        pools[query] = sorted(best, key=lambda d: (best[d], d))
    return pools


# The materials of a study: tasks and texts from the data files of a plan.


MAX_DEPTH = 1_000_000

MATERIAL_KEYS = {
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
    check_values(data, MATERIAL_KEYS, "data")
    for name, most in (("depth", DEPTH), ("pairs", MAX_TASKS), ("triplets", MAX_TASKS)):
        if name in data and not 1 <= data[name] <= most:
            raise OptionError(f"data.{name}={data[name]:,}: expected a number from 1 to {most:,}.")
    gold_tasks = tuple(_task(row, f"gold {i}") for i, row in enumerate(gold.get("items", ()), 1))
    if gold_tasks and design.kind not in ("preference", "conditional", "grades", "headtohead"):
        raise OptionError("gold items need a kind of study with comparisons or grades.")
    if design.kind in ("ratings", "headtohead", "scus", "markup"):
        return _summary_study(design, data, folder, gold_tasks)
    texts = _texts_in(folder / _required(data, "documents"))
    queries = _texts_in(folder / data["queries"]) if "queries" in data else {}
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
    units = _units_in(folder, data)
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


def _units_in(folder: Path, data: Mapping[str, Any]) -> dict[str, tuple[tuple[str, str], ...]]:
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
    """Return the id that the TOML file gives a task, as text; null is a missing id."""
    if value is None and key != "given":
        raise FormatError(
            f"{where}: {key} is missing. A task has query, left and right, or query and document."
        )
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise FormatError(f"{where}: {key}: expected an id, found {str(value)[:40]!r}.")
    if has_lone_surrogate(name := str(value)):
        raise FormatError(f"{where}: {key} {LONE_SURROGATE}")
    return name


def _texts_in(path: Path) -> dict[str, Text]:
    """Return the texts of a file or a folder as assessors read them."""
    found = by_id(name_of(path), folder_passages(path) if path.is_dir() else read_passages(path))
    return {key: Text(one.text, one.format, one.title) for key, one in found.items()}


# The model's answers: labels of a model from a file, as answers to the tasks of a study.


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
        find = _grades(labels) if design.kind == "grades" else _unit_answers(labels)
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


def _unit_answers(labels: LabelSet) -> Callable[[Task], Answer | None]:
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
    """Return the preferences of a model; if it contradicts itself as often as not, they are equal."""
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


# The table [judge] of a plan: a model's labels, and the slice of the tasks that people judge.


SLICE_KEYS = {
    "labels": "text",
    "slice": "integer",
    "draw": "text",
    "measure": "text",
    "width": "number",
}
DEFAULTS = {
    "grades": {"queries": "nDCG@10", "documents": "DCG@10", "stratified": "DCG@10"},
    "preference": {"queries": "nPrf@10"},
    "conditional": {"queries": "nPrf@10"},
}


def with_slice(study: Study, given: Mapping[str, Any], folder: Path) -> Study:
    """Return the study with the tasks of a blind slice, drawn as [judge] says."""
    check_values(given, SLICE_KEYS, "judge", ("labels", "slice"))
    draw = choose("judge.draw", given.get("draw", "queries"), DRAWS)
    size, width = given["slice"], given.get("width")
    design = study.design
    if draw != "queries" and design.kind != "grades":
        raise OptionError(
            f"judge.draw = {draw!r} draws documents to be graded, and this study is of kind "
            f"{design.kind!r}. Use draw = 'queries', which draws whole queries or items."
        )
    if size < 1:
        raise OptionError(f"judge.slice = {size}: expected 1 or more.")
    if width is not None and not 0 < width < float("inf"):
        raise OptionError(f"judge.width = {width}: expected a number above 0.")
    if design.budget is not None:
        raise OptionError("budget and [judge] cannot be combined; judge.slice limits the tasks.")
    measure = _measure(study, draw, given.get("measure"))
    answers = read_model_answers(design, study.tasks, folder / given["labels"])
    tasks, drawn = draw_slice(
        study.tasks, answers, draw=draw, size=size, seed=design.seed, measure=measure, width=width
    )
    made = replace(study, tasks=tasks, slice=drawn)
    _check_estimates(made)
    return made


def _measure(study: Study, draw: str, given: str | None) -> str:
    """Return the measure to estimate; empty for all measures of ratings, or if there are no runs."""
    design = study.design
    names = _columns(design)
    if names:
        if given is not None and given not in names:
            raise OptionError(f"judge.measure = {given!r}: expected one of {', '.join(names)}.")
        return given or ""
    if not study.rankings:
        if given is not None:
            raise OptionError(f"judge.measure = {given!r} scores runs; name them in data.runs.")
        return ""
    measure = parse(given or DEFAULTS[design.kind][draw])
    if draw != "queries":
        refuse_not_linear(measure)
    if measure.innermost.cutoff is None or measure.innermost.cutoff > DEPTH:
        raise OptionError(
            f"judge.measure = '{measure}': expected a cutoff of at most {DEPTH}, such as nDCG@10, because the "
            "study keeps the first documents of each run."
        )
    return str(measure)


def _columns(design: StudyDesign) -> list[str]:
    """Return the measures of a study that scores systems without runs."""
    return {
        "ratings": [dimension.name for dimension in design.dimensions],
        "headtohead": ["preferred"],
        "scus": ["present"],
    }.get(design.kind, [])


def _check_estimates(study: Study) -> None:
    """Raise if the measure could not be estimated even from answers to all tasks."""
    slice_ = study.slice
    assert slice_ is not None
    if slice_.draw == "queries":
        by_query: dict[str, list[str]] = {}
        for task in slice_.frame:
            by_query.setdefault(task.query, []).append(task.id)
        strata = [Stratum("", len(by_query), tuple(map(tuple, by_query.values())))]
    else:
        strata = [Stratum(task.query, 1, ((task.id,),)) for task in slice_.frame]
    whole = replace(slice_, strata=tuple(strata))
    everything = replace(study, tasks=slice_.frame, slice=whole)
    once = everything.with_design(overlap=1)
    model = SliceAnswers(AnswerSet(once, ())).model
    try:
        slice_estimates(SliceAnswers(AnswerSet(once, model.judged)))
    except TareError as error:
        raise MismatchError(
            f"judge.measure: with the model's labels of all tasks: {error}"
        ) from None


# Plans: a study in a TOML file, which names its data files.


SIMPLE_KEYS = {
    "kind": "text",
    "title": "text",
    "question": "text",
    "guidelines": "text",
    "overlap": "integer",
    "budget": "integer",
    "per_assessor": "integer",
    "policy": "text",
    "repeats": "number",
    "gap": "integer",
    "seed": "integer",
    "equal": "boolean",
    "both_bad": "boolean",
    "cannot": "boolean",
    "code": "text",
    "thanks": "text",
    "gate_pass": "integer",
    "gate_attempts": "integer",
    "door": "boolean",
    "door_limit": "integer",
}
TABLES = ("data", "gold", "judge")
LISTS = {
    "dimensions": (
        {"name": "text", "question": "text", "low": "integer", "high": "integer", "labels": "list"},
        ("name",),
    ),
    "grades": ({"value": "integer", "label": "anything"}, ("value", "label")),
    "gate": (
        {"question": "anything", "options": "list", "answer": "integer"},
        ("question", "options", "answer"),
    ),
}
MOST_MINUTES = YEAR / 60
GOLD = {"every": "integer", "minimum": "number", "items": "tables"}


def read_study(path: str | Path) -> Study:
    """Read a study from a TOML file; file names in it are relative to its folder."""
    path = Path(path)
    try:
        given = tomllib.loads(read_text(path))
    except TareError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: invalid TOML: {error}.") from None
    try:
        design = _design(given, path.parent)
        gold, data = table(given, "gold"), table(given, "data")
        if "judge" not in given:
            return build_study(design, data, path.parent, gold)
        if "policy" in given:
            raise OptionError(
                "policy and [judge] cannot be combined: the draw of the slice sets the order of tasks."
            )
        study = build_study(replace(design, policy="pooled"), data, path.parent, gold)
        return with_slice(study, table(given, "judge"), path.parent)
    except OptionError as error:
        raise FormatError(f"{path}: {error}") from None
    except TareError:
        raise
    except OSError as error:  # an invalid file name in the plan
        raise UnreadableError(
            f"{path}: a file named in it cannot be read: {error.strerror or error}."
        ) from None
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise FormatError(f"{path}: a value is missing or has the wrong type: {error}.") from None


def _design(given: Mapping[str, Any], folder: Path) -> StudyDesign:
    others = dict.fromkeys((*LISTS, *TABLES), "")
    known = [*SIMPLE_KEYS, "lease_minutes", *others]
    for name in given:
        if name not in known:
            raise OptionError(
                f"unknown key {name!r}. Accepted: {', '.join(known)}.{nearest(name, known)}"
            )
    simple = {name: value for name, value in given.items() if name not in others}
    check_values(simple, SIMPLE_KEYS | {"lease_minutes": "number"}, "")
    for name in TABLES:
        table(given, name)
    if "kind" not in given:
        raise OptionError('kind is missing, such as kind = "preference".')
    for name, (kinds, required) in LISTS.items():
        for number, entry in enumerate(list_of_tables(given, name), 1):
            check_values(entry, kinds, f"{name}[{number}]", required)
    gold = table(given, "gold")
    check_values(gold, GOLD, "gold")
    made = {name: given[name] for name in SIMPLE_KEYS if name in given}
    guidelines = made.get("guidelines", "")
    if guidelines.endswith((".md", ".txt")) and "\n" not in guidelines:
        made["guidelines"] = _file(folder / guidelines)
    if "lease_minutes" in given:
        made["lease"] = 60.0 * _minutes(given["lease_minutes"])
    made |= {f"gold_{k}": gold[k] for k in ("every", "minimum") if k in gold}
    made["dimensions"] = tuple(
        Dimension(**{**d, "labels": tuple(map(str, d.get("labels", ())))})
        for d in given.get("dimensions", ())
    )
    made["grades"] = tuple((g["value"], str(g["label"])) for g in given.get("grades", ()))
    made["gate"] = tuple(
        GateQuestion(str(q["question"]), tuple(map(str, q["options"])), q["answer"])
        for q in given.get("gate", ())
    )
    return StudyDesign(**made)


def _minutes(given: float) -> float:
    """Return how long a task is leased, checked in the unit of the plan."""
    if not 1 / 60 <= given <= MOST_MINUTES:
        raise OptionError(
            f"lease_minutes={given}: expected a number from 1/60 to {MOST_MINUTES:,.0f}, a year."
        )
    return float(given)


def _file(path: Path) -> str:
    return read_text(path)
