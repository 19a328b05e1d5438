"""Model files: JSON. Trees in them are text of LightGBM, which does not check it."""

from __future__ import annotations

import hashlib
import json
import math
import os
from pathlib import Path
from typing import Any

from tare._files.opening import name_of, read_all
from tare._files.writing import write_text
from tare._kernels import LETOR_HIGHEST_FEATURE
from tare._signature import tare_version
from tare.errors import FormatError
from tare.rankers._linear import GradeScorer, RandomScorer
from tare.rankers._ranker import Columns, Linear, Model, Network, Stumps
from tare.rankers._trees import Trees

__all__ = ["as_dict", "load", "save"]

FORMAT = "tare ranker"
VERSION = 1
SCORERS: dict[str, Any] = {
    "linear": Linear,
    "stumps": Stumps,
    "network": Network,
    "trees": Trees,
    "random": RandomScorer,
    "ideal": GradeScorer,
}


def as_dict(model: Model) -> dict[str, Any]:
    """Return a model as plain values."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "ranker": model.ranker,
        "mode": model.mode,
        "options": dict(model.options),
        "seed": model.seed,
        "features": {"first": model.columns.first, "count": model.columns.count},
        "trained_on": model.trained_on,
        "train_digest": model.train_digest,
        "valid_digest": model.valid_digest,
        "history": list(model.history),
        "notes": list(model.notes),
        "tare": tare_version(),
        "scorer": (scorer := model.scorer.to_dict()),
        "scorer_digest": _digest(scorer),
    }


def _digest(scorer: Any) -> str:
    """Return a digest that detects a damaged scorer."""
    text = json.dumps(scorer, sort_keys=True, allow_nan=False)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _finite(given: Any) -> float:
    """Return a number of a model file, which is finite."""
    number = float(given)
    if not math.isfinite(number):
        raise ValueError(f"{given} is not a finite number")
    return number


def save(model: Model, path: str | os.PathLike[str]) -> Path:
    """Write a model atomically and return the path."""
    write_text(path, json.dumps(as_dict(model), allow_nan=False) + "\n")
    return Path(path)


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model that `Model.save` wrote.

    Load only models that you trust. A file holds no code, and a file that was damaged is refused. But the
    trees of LambdaMART and RandomForest are read by LightGBM, which does not check them: trees that were
    forged can end the process.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    Model
        The model.

    Raises
    ------
    FormatError
        If the file is not a model, or was changed after it was saved.
    UnreadableError
        If the file cannot be read.
    MissingExtraError
        If the model is LambdaMART or RandomForest and LightGBM is not installed.

    Examples
    --------
    >>> import pathlib
    >>> import tempfile
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.json"
    >>> _ = tare.rankers.RankBoost(rounds=10).fit(letor).save(path)
    >>> tare.rankers.load(path).ranker
    'RankBoost'
    """
    path = Path(path)
    name = name_of(path)
    try:
        text = read_all(path).decode("utf-8")
    except UnicodeDecodeError:
        raise FormatError(
            f"{name}: not text. A model is a JSON file written by Model.save."
        ) from None
    try:
        given = json.loads(text, parse_float=_finite, parse_constant=_finite)
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise ValueError(f"the format is not {FORMAT!r}")
        if given["version"] != VERSION:
            raise ValueError(f"unknown version {given['version']}; accepted: {VERSION}")
        kind = given["scorer"]["kind"]
        if kind not in SCORERS:
            raise ValueError(f"unknown kind of scorer {kind!r}")
        if given["scorer_digest"] != _digest(given["scorer"]):
            raise ValueError("the scorer was changed after it was saved")
        json.dumps(given, ensure_ascii=False).encode()  # JSON can contain lone surrogates
        columns = Columns(int(given["features"]["first"]), int(given["features"]["count"]))
        if not 0 <= columns.count <= LETOR_HIGHEST_FEATURE + 1:
            raise ValueError(f"{columns.count:,} features are more than the maximum")
        if int(given["scorer"].get("count", columns.count)) != columns.count:
            raise ValueError("the scorer has a different number of features")
        scorer = SCORERS[kind].from_dict(given["scorer"])
        if len(scorer.importance()) != columns.count:
            raise ValueError("the scorer has a different number of features")
        return Model(
            str(given["ranker"]),
            str(given["mode"]),
            dict(given["options"]),
            int(given["seed"]),
            columns,
            scorer,
            str(given["trained_on"]),
            str(given["train_digest"]),
            given["valid_digest"],
            tuple(map(_finite, given["history"])),
            tuple(str(note) for note in given["notes"]),
        )
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise FormatError(
            f"{name}: not a tare model ({what}). A model is a JSON file written by Model.save."
        ) from None
