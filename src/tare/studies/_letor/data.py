"""The data of the learning-to-rank study: folds, the measures, trained rankers, and the folder that keeps them."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from tare._data.letor import Letor, read_letor
from tare._data.qrels import Qrels
from tare._data.runs import Run
from tare._files.writing import write_text
from tare._measures.names import parse
from tare._measures.scores import Scores
from tare._result import Result
from tare.errors import FormatError, MismatchError, OptionError, TareError, UnreadableError
from tare.rankers import load

if TYPE_CHECKING:
    from tare.rankers import Model, Ranker

__all__ = [
    "CASES",
    "CUTOFFS",
    "POOL",
    "PUBLISHED_NAMES",
    "Fold",
    "LetorSource",
    "StudiedMeasure",
    "StudyFolder",
    "TrainingData",
    "TrainingEngine",
    "count_rows",
    "folds_of",
    "half",
    "joined",
    "plain_measures",
    "studied_measures",
    "train",
    "trained_models",
]


# The measures of the learning-to-rank study: nDCG and SP, plain and normalised.


CUTOFFS = (5, 10, 15, 20, 30)
POOL = "judged"  # rankers order the rows of a query, and every row is judged
# The two case studies of the article, and the measure that sorts queries into sets at each cutoff.
CASES = {"nDCG": "nDCG(gain={gain})@{k}", "MAP": "AP@{k}"}


@dataclass(frozen=True)
class StudiedMeasure:
    """A measure of the study, at any cutoff.

    Attributes
    ----------
    label
        Its name in tables.
    pattern
        Its name in the grammar of measures, with `{k}` for the cutoff.
    case
        The case study that it belongs to, nDCG or MAP.
    original
        The measure that it normalises, or None.
    baseline
        The expected value: "exact", "published" (the approximation of Feng and Karmaker for SP), or
        "both" if the two are equal, as for DCG.
    """

    label: str
    pattern: str
    case: str
    original: str | None = None
    baseline: str = "both"

    def at(self, cutoff: int) -> str:
        """Return the name of the studied measure at one cutoff, as in score tables."""
        return str(parse(self.pattern.format(k=f"@{cutoff}")))

    @property
    def name(self) -> str:
        """The name of the measure without a cutoff."""
        return str(parse(self.pattern.format(k="")))


def studied_measures(gain: str = "exp2") -> tuple[StudiedMeasure, ...]:
    """Return the measures of both case studies.

    nDCG with V1 and V2, and SP/min(k,R), the MAP of the article, with V1 and V2, both exact and as
    published.

    >>> studied_measures()[2].at(10)
    'V2(nDCG(gain=exp2)@10,pool=judged)'
    >>> studied_measures()[-1].at(10)
    'V2(SP@10,pool=judged,expected=independent)'
    """
    inner = f"nDCG(gain={gain}){{k}}"
    dcg, sp = f"{inner},pool={POOL}", f"SP{{k}},pool={POOL}"
    published = f"{sp},expected=independent"
    original = "SP/min(k,R)"
    return (
        StudiedMeasure("nDCG", inner, "nDCG"),
        StudiedMeasure("V1(DCG)", f"V1({dcg})", "nDCG", "nDCG"),
        StudiedMeasure("V2(DCG)", f"V2({dcg})", "nDCG", "nDCG"),
        StudiedMeasure(original, f"U({sp})", "MAP"),
        StudiedMeasure("V1(SP)", f"V1({sp})", "MAP", original, "exact"),
        StudiedMeasure("V2(SP)", f"V2({sp})", "MAP", original, "exact"),
        StudiedMeasure("V1(SP) as published", f"V1({published})", "MAP", original, "published"),
        StudiedMeasure("V2(SP) as published", f"V2({published})", "MAP", original, "published"),
    )


# The names of these measures in the article.
PUBLISHED_NAMES = {
    "nDCG": ("nDCG",),
    "V1(DCG)": ("V1(DCG)",),
    "V2(DCG)": ("V2(DCG)",),
    "SP/min(k,R)": ("SP/k", "MAP"),
    "V1(SP) as published": ("V1(SP)",),
    "V2(SP) as published": ("V2(SP)",),
}


def plain_measures(cutoffs: tuple[int, ...], gain: str) -> tuple[str, ...]:
    """Return DCG and SP without normalisation, for the learning-to-rank study's table of means."""
    names = (f"DCG(gain={gain})@{k}" for k in cutoffs), (f"SP@{k}" for k in cutoffs)
    return tuple(str(parse(name)) for group in names for name in group)


# The data of the learning-to-rank study: training and test parts, or a folder of folds.


PARTS = {"train": ("train",), "valid": ("vali", "valid", "validation"), "test": ("test",)}

LetorSource: TypeAlias = "Letor | str | os.PathLike[str] | Sequence[Letor | str | os.PathLike[str]]"
"""LETOR data, the path of a file, or several of these, which are joined."""


@dataclass(frozen=True)
class Fold:
    """A fold of LETOR data: training, test and, if there are any, validation data."""

    name: str
    train: Letor
    test: Letor
    valid: Letor | None = None


def joined(sources: LetorSource, name: str | None = None) -> Letor:
    """Return several parts of LETOR data as one; no two parts may share a query."""
    if isinstance(sources, Letor | str | os.PathLike):
        return read_letor(sources)
    parts = [read_letor(source) for source in sources]
    if not parts:
        raise OptionError("no LETOR data were given. Name at least one file.")
    if len(parts) == 1:
        return parts[0]
    first = min(part.first_feature for part in parts)
    last = max(part.first_feature + part.n_features for part in parts)
    features = np.zeros((sum(map(len, parts)), last - first), dtype=np.float32)
    at = 0
    for part in parts:
        shift = part.first_feature - first
        features[at : at + len(part), shift : shift + part.n_features] = part.features
        at += len(part)
    queries = tuple(query for part in parts for query in part.queries)
    if len(set(queries)) < len(queries):
        twice = next(query for query in queries if queries.count(query) > 1)
        raise MismatchError(
            f"query {twice!r} is in more than one of {', '.join(p.name for p in parts)}. "
            "Parts can be joined only if they share no query."
        )
    ends = np.cumsum([0, *(len(part) for part in parts)])
    offsets = np.concatenate(
        [[0], *(part.offsets[1:] + end for part, end in zip(parts, ends, strict=False))]
    )
    grades = np.concatenate([part.grades for part in parts])
    label = name or "+".join(part.name for part in parts)
    return Letor(label, features, grades, queries, offsets.astype(np.int64), first)


def folds_of(folder: str | os.PathLike[str]) -> list[Fold]:
    """Read the folds of a LETOR folder: Fold1/train.txt, Fold1/vali.txt, Fold1/test.txt, Fold2/…"""
    root = Path(folder)
    if not root.is_dir():
        raise UnreadableError(f"{root}: no such folder.")
    made = []
    for place in sorted(p for p in root.iterdir() if p.is_dir()):
        found = {part: _file_of(place, names) for part, names in PARTS.items()}
        if found["train"] is None or found["test"] is None:
            continue
        valid = found["valid"]
        made.append(
            Fold(
                place.name,
                read_letor(found["train"]),
                read_letor(found["test"]),
                None if valid is None else read_letor(valid),
            )
        )
    if not made:
        raise UnreadableError(
            f"{root}: no fold found. A fold is a folder with train.txt, test.txt and, optionally, "
            "vali.txt; the files may end in .gz or .zst."
        )
    return made


def count_rows(folds: Sequence[Fold]) -> list[dict[str, Any]]:
    """Return one dictionary per part of each LETOR fold: counts of queries, documents, features, grades."""
    parts = [
        (fold.name, part, data)
        for fold in folds
        for part, data in (("train", fold.train), ("valid", fold.valid), ("test", fold.test))
        if data is not None
    ]
    grades = sorted({float(g) for _, _, data in parts for g in np.unique(data.grades)})
    made = []
    for fold_name, part, data in parts:
        counts = np.diff(data.offsets)
        best = [data.grades[a:b].max(initial=0) for a, b in itertools.pairwise(data.offsets)]
        made.append(
            {
                "fold": fold_name,
                "part": part,
                "queries": len(data.queries),
                "documents": len(data),
                "features": data.n_features,
                "documents_per_query": float(counts.mean()) if len(counts) else 0.0,
                "without_relevant": sum(bool(b <= 0) for b in best),
                **{f"grade_{g:g}": int((data.grades == g).sum()) for g in grades},
            }
        )
    return made


def _file_of(folder: Path, names: Sequence[str]) -> Path | None:
    for name in names:
        for suffix in (".txt", ".txt.gz", ".txt.zst", ".gz", ".zst", ""):
            path = folder / (name + suffix)
            if path.is_file():
                return path
    return None


def half(letor: Letor, side: Qrels) -> tuple[Letor, np.ndarray[Any, np.dtype[np.bool_]]]:
    """Return the LETOR rows whose documents are on one side of a split, and the mask of these rows."""
    inside = {(query, name) for query, documents in side.by_query() for name, _ in documents}
    counts = np.diff(letor.offsets)
    of_query = [q for q, n in zip(letor.queries, counts.tolist(), strict=True) for _ in range(n)]
    names = letor.documents
    mask = np.array([pair in inside for pair in zip(of_query, names, strict=True)], dtype=bool)
    left = np.add.reduceat(mask, letor.offsets[:-1]) if len(mask) else counts
    kept = left > 0
    made = Letor(
        letor.name,
        letor.features[mask],
        letor.grades[mask],
        tuple(q for q, k in zip(letor.queries, kept, strict=True) if k),
        np.concatenate([[0], np.cumsum(left[kept])]),
        letor.first_feature,
        tuple(n for n, m in zip(names, mask, strict=True) if m),
    )
    return made, mask


# The folder of a learning-to-rank study: a second call computes only what is missing.


class StudyFolder:
    """The folder of a learning-to-rank study: models/, runs/, scores.parquet, sets.json, tables/, journals/ and study.json.

    If the path is None, nothing is written.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)
        self.facts = ""  # the content of study.json

    def begin(self, facts: Mapping[str, Any]) -> None:
        """Write study.json, or raise if the folder belongs to a LETOR study with other data or options."""
        if self.path is None:
            return
        self.path.mkdir(parents=True, exist_ok=True)
        about = self.path / "study.json"
        wanted = json.loads(json.dumps(facts))
        if about.exists():
            try:
                found = json.loads(about.read_text(encoding="utf-8"))
            except ValueError:
                found = None
            given = found if isinstance(found, dict) else {}
            if given.get("tare", wanted["tare"]) != wanted["tare"]:
                raise FormatError(
                    f"{self.path}: the folder was written by tare {given['tare']}, and this is tare "
                    f"{wanted['tare']}. Finish the study with that version, or choose another folder."
                )
            odd = next((k for k in wanted if given.get(k) != wanted[k]), None)
            if odd is not None:
                raise FormatError(
                    f"{self.path}: the folder belongs to another study ({odd} differs). Use the data "
                    "and options of that study, or choose another folder."
                )
        self.facts = json.dumps(wanted, indent=1, ensure_ascii=False) + "\n"
        write_text(about, self.facts)

    def kept_model(
        self, fold: str, ranker: Ranker, train: Letor, valid: Letor | None, seed: int
    ) -> Model | None:
        """Return the saved model of a ranker if data, options and seed are the same."""
        if self.path is None:
            return None
        path = self._model_path(fold, ranker)
        if not path.exists():
            return None
        try:
            kept = load(path)
        except TareError:
            return None
        if not ranker.would_reproduce(kept, train, valid, seed):
            return None
        return kept

    def keep_model(self, fold: str, ranker: Ranker, model: Model) -> None:
        """Save a model."""
        if self.path is not None:
            model.save(self._model_path(fold, ranker))

    def is_visible(self) -> bool:
        """Return whether this process, perhaps on another machine, sees the folder of this learning-to-rank study."""
        if self.path is None:
            return False
        try:
            return (self.path / "study.json").read_text(encoding="utf-8") == self.facts
        except (OSError, ValueError):
            return False

    def _model_path(self, fold: str, ranker: Ranker) -> Path:
        assert self.path is not None
        return self.path / "models" / fold / f"{ranker.name}.json"

    def run(self, run: Run) -> None:
        """Save a run in TREC format."""
        if self.path is not None:
            (self.path / "runs").mkdir(exist_ok=True)
            run.write(self.path / "runs" / f"{run.system}.run")

    def journal(self, name: str) -> Path | None:
        """Return the path of the journal of one step of the learning-to-rank study, or None."""
        return None if self.path is None else self.path / "journals" / f"{name}.jsonl"

    def scores(self, scores: Scores, sets: Mapping[str, Any]) -> None:
        """Save the rankers' score table and the sets of queries of each case study."""
        if self.path is None:
            return
        scores.save(self.path / "scores.parquet")
        text = json.dumps(sets, indent=1, ensure_ascii=False)
        write_text(self.path / "sets.json", text + "\n")

    def load(self) -> tuple[Scores, dict[str, dict[str, tuple[str, ...]]]]:
        """Read the rankers' scores and the sets of queries by case study that another study saved here."""
        if self.path is None or not (self.path / "scores.parquet").exists():
            raise FormatError(
                f"{self.path}: not the folder of a finished study; scores.parquet is missing."
            )
        scores = Scores.load(self.path / "scores.parquet")
        try:
            given = json.loads((self.path / "sets.json").read_text(encoding="utf-8"))
            sets = {
                str(case): {str(k): tuple(str(q) for q in v) for k, v in own.items()}
                for case, own in given.items()
            }
        except (OSError, ValueError, AttributeError, TypeError):
            raise FormatError(
                f"{self.path}: sets.json is damaged. Run the study of this folder again."
            ) from None
        return scores, sets

    def label(self) -> str:
        """Return the name of the folder."""
        return "" if self.path is None else self.path.resolve().name

    def tables(self, found: Result) -> None:
        """Save tables as Markdown and rows as CSV."""
        if self.path is not None:
            found.save(self.path / "tables")


# Training of all rankers on all folds, in this process or on an engine.


class TrainingEngine(Protocol):
    """The method of an engine that trains rankers."""

    def map_partitions(
        self, task: Callable[..., Any], shared: object, partitions: Sequence[Any], *, what: str = ""
    ) -> list[Any]:
        """Return one result of ``task(shared, partition)`` per partition."""
        ...


@dataclass(frozen=True)
class TrainingTask:
    """A ranker to train in the learning-to-rank study, and the place of its fold among all folds."""

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
    """Return the trained model of each ranker (its title) and LETOR fold (its name); saved ones are used again."""
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
    """Train a ranker on a LETOR fold, and save the model if the folder is visible here; a task of engines.

    Saved at once, models survive an interrupted study.
    """
    fold = data.folds[task.place]
    model = task.ranker.fit(fold.train, fold.valid, seed=data.seed)
    visible = data.folder.is_visible()
    if visible:
        data.folder.keep_model(task.fold, task.ranker, model)
    return model, visible
