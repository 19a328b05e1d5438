"""Fuzzing of model files and study plans: the JSON of a ranker, and the TOML of a study next to its data."""

from __future__ import annotations

import json
import math
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.mutators import VALUES, Mutator
from tests.fuzz.targets import Target

ABOUT: dict[str, Any] = {
    "format": "tare ranker",
    "version": 1,
    "ranker": "r",
    "mode": "pairwise",
    "options": {"rate": 0.1},
    "seed": 1,
    "features": {"first": 1, "count": 2},
    "trained_on": "t",
    "train_digest": "0",
    "valid_digest": None,
    "history": [0.5],
    "notes": ["n"],
    "tare": "0.1.0",
}
PLANS = (
    b'kind = "preference"\ntitle = "Which?"\noverlap = 2\nseed = 3\nequal = true\n'
    b'[data]\nqueries = "queries.tsv"\ndocuments = "documents.jsonl"\npairs = 3\n',
    b'kind = "conditional"\nper_assessor = 4\npolicy = "pooled"\n[data]\ntasks = "tasks.jsonl"\ndocuments = "documents.jsonl"\n',
    b'kind = "grades"\nguidelines = "Read **it**."\nbudget = 5\nrepeats = 0.1\nlease_minutes = 5\n'
    b'[data]\nruns = "a.run"\ndepth = 3\ndocuments = "documents.jsonl"\n[[grades]]\nvalue = 0\nlabel = "no"\n'
    b'[[grades]]\nvalue = 1\nlabel = "yes"\n[[gate]]\nquestion = "q"\noptions = ["a", "b"]\nanswer = 1\n'
    b"[gold]\nevery = 5\nminimum = 0.5\n",
    b'kind = "ratings"\n[data]\nsummaries = "texts.jsonl"\n[[dimensions]]\nname = "fluency"\nlabels = ["bad", "good"]\n',
    b'kind = "grades"\nseed = 2\n[data]\nqueries = "queries.tsv"\ndocuments = "documents.jsonl"\n'
    b'[judge]\nlabels = "llm.qrels"\nslice = 1\ndraw = "documents"\nwidth = 0.1\n'
    b'[[grades]]\nvalue = 0\nlabel = "no"\n[[grades]]\nvalue = 1\nlabel = "yes"\n',
)
BESIDE = {
    "queries.tsv": "q1\twhat\nq2\twhy\n",
    "documents.jsonl": '{"id": "a", "text": "A."}\n{"id": "b", "markdown": "*B*"}\n{"id": "c", "html": "<b>C</b>"}\n',
    "tasks.jsonl": '{"query": "q1", "left": "a", "right": "b", "given": "c"}\n',
    "llm.qrels": "".join(f"q{q} 0 {d} {q - 1}\n" for q in (1, 2) for d in "abc"),
    "a.run": "q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n",
    "texts.jsonl": '{"system": "s", "item": "i", "text": "A.", "references": ["B."], "source": "C."}\n',
}
LEARNED = (
    b'{"kind": "tare learned measure", "edition": 1, "human": "relevance", "intercept": 0.5,'
    b' "coefficients": {"ROUGE-1": 1.0, "ROUGE-2": -2.5}, "about": {"method": "ridge"}, "tare": "0.1.0"}'
)
SCORERS: tuple[dict[str, Any], ...] = (
    {"kind": "linear", "weights": [0.5, -1.0]},
    {
        "kind": "stumps",
        "count": 2,
        "columns": [0, 1, 1],
        "thresholds": [0.5, 1.0, 2.0],
        "weights": [1.0, 0.5, -0.5],
    },
    {"kind": "random", "seed": 3, "count": 2},
    {"kind": "ideal", "count": 2},
    {
        "kind": "network",
        "hidden": 1,
        "squashed": False,
        "parameters": [0.1, 0.2, 0.3, 0.4],
        "centre": [0.0, 1.0],
        "spread": [1.0, 2.0],
    },
)


JOURNAL = {"study": "consistency", "scores": "x"}


def _models() -> tuple[tuple[str, bytes], ...]:
    """Return a saved model of each kind of scorer, but for trees: LightGBM does not check its own."""
    return tuple((".json", sealed({**ABOUT, "scorer": scorer})) for scorer in SCORERS)


def sealed(model: dict[str, Any]) -> bytes:
    """Return a saved model with the digest of its scorer."""
    from tare.rankers._model_files import _digest

    return json.dumps({**model, "scorer_digest": _digest(model["scorer"])}).encode()


def resealed(data: bytes, random: Random) -> bytes:
    """Change a scorer, and correct its digest."""
    changed = members(data, random)
    try:
        return sealed(json.loads(changed))
    except (ValueError, KeyError, TypeError, RecursionError):
        return changed


def rewritten(data: bytes, random: Random) -> bytes:
    """Change a line of a journal, and correct its checksum."""
    from tare._decide.journal import Journal

    lines = data.splitlines(keepends=True)
    at = random.randrange(len(lines) or 1)
    try:
        found = json.loads(members(lines[at], random))
        found.pop("sum", None)
        lines[at] = Journal.line(found)
    except (ValueError, AttributeError, IndexError, RecursionError):
        return data
    return b"".join(lines)


def members(data: bytes, random: Random) -> bytes:
    """Replace a value of a JSON object, or remove a key."""
    try:
        root = json.loads(data)
    except (ValueError, RecursionError):
        return data
    at = root
    while isinstance(at, dict | list) and at:
        key = random.choice(list(at)) if isinstance(at, dict) else random.randrange(len(at))
        if not isinstance(at[key], dict | list) or not at[key] or random.random() < 0.3:
            if random.random() < 0.2:
                del at[key]
            else:
                at[key] = random.choice(VALUES)
            break
        at = at[key]
    return json.dumps(root).encode()


def _load(path: Path) -> Any:
    from tare.rankers._model_files import load

    return load(path).scorer.importance()


def _learned(path: Path) -> Any:
    from tare._measures.text.learned import LearnedModel

    return LearnedModel.load(path)


def _as_it_stands(path: Path, model: Any) -> str | None:
    """Check that the formula is that of the file, and that saving again gives the same measure."""
    given = json.loads(path.read_text(encoding="utf-8"))
    weights = {str(k): float(v) for k, v in given["coefficients"].items()}
    kept = path.with_name("kept.json")
    model.save(kept)
    again = type(model).load(kept)
    kept.unlink()
    same = dict(zip(model.features, model.coefficients, strict=True)) == weights
    same &= model.intercept == float(given["intercept"]) and again == model
    return None if same else f"{model} was read"


def _sound(path: Path, result: Any) -> str | None:
    return (
        None
        if all(math.isfinite(x) for x in np.asarray(result, dtype=float).ravel())
        else f"importance {result}"
    )


def _plan(path: Path) -> Any:
    from tare._judging.plan import read_study

    for name, text in BESIDE.items():
        if not (path.parent / name).exists():
            (path.parent / name).write_text(text)
    return read_study(path)


def _journal(path: Path) -> Any:
    from tare._decide.journal import Journal

    return Journal(path, JOURNAL)


def _journal_lines() -> bytes:
    from tare._decide.journal import Journal
    from tare._signature import tare_version

    steps = ({"step": "a", "found": [1, 2.5]}, {"step": "b", "found": None})
    return b"".join(map(Journal.line, (JOURNAL | {"tare": tare_version()}, *steps)))


MEMBERS: tuple[Mutator, ...] = (members, resealed)


def more_targets() -> tuple[Target, ...]:
    """Return the targets of this module."""
    return (
        Target("model file", _models(), _load, _sound, suits=MEMBERS, packs=False),
        Target(
            "learned measure",
            ((".json", LEARNED),),
            _learned,
            _as_it_stands,
            suits=(members,),
            packs=False,
        ),
        Target(
            "journal",
            ((".jsonl", _journal_lines()),),
            _journal,
            suits=(rewritten,),
            packs=False,
        ),
        Target("study TOML", tuple((".toml", plan) for plan in PLANS), _plan, packs=False),
    )
