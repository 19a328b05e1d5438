"""Rankers: a method and its options, fitted to data, and the model that results."""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._data.letor import Letor, read_letor
from tare._data.runs import Run
from tare._files.opening import PathLike
from tare._kernels import default_threads
from tare._kernels.letor import GradedRows, NetworkShape, ndcg_by_query, network_scores
from tare._kernels.random_numbers import check_seed, uniforms
from tare._result import Result, Row, Rows
from tare._signature import Signature, tare_version
from tare._tables import Column, Table
from tare.errors import FormatError, MismatchError, OptionError, choose

__all__ = [
    "MODES",
    "NORMALISATIONS",
    "Columns",
    "Fitted",
    "Linear",
    "Model",
    "Network",
    "Progress",
    "Ranker",
    "Scorer",
    "Stumps",
    "Training",
    "check_finite",
    "digest_of",
    "features_of",
    "normalised",
    "permutation",
    "standardised",
    "uniform_between",
]


# Random numbers of rankers: the n-th number is a function of (seed, stream, n).


def permutation(count: int, seed: int, stream: int) -> NDArray[np.int64]:
    """Return 0 … count − 1 in random order, for the training of a ranker.

    >>> sorted(permutation(4, 1, 0).tolist())
    [0, 1, 2, 3]
    """
    drawn = uniforms(seed, stream, np.arange(count), substream=1)
    return np.argsort(drawn, kind="stable").astype(np.int64)


def uniform_between(
    low: float, high: float, count: int, seed: int, stream: int
) -> NDArray[np.float64]:
    """Return uniform random numbers in [low, high)."""
    return low + (high - low) * uniforms(seed, stream, np.arange(count), substream=2)


# Normalisation of features within each query, as in RankLib.


NORMALISATIONS = ("none", "sum", "zscore", "linear")


def normalised(
    features: NDArray[np.float32], offsets: NDArray[np.int64], how: str
) -> NDArray[np.float32]:
    """Normalise the features of each query.

    "sum" divides by the sum of absolute values, "zscore" standardises, and "linear" scales to 0 … 1. A
    feature that is constant within a query becomes 0 with "zscore" and "linear".

    >>> normalised(np.array([[1, 5], [3, 5]], np.float32), np.array([0, 2]), "linear").tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    choose("normalise", how, NORMALISATIONS)
    counts = np.diff(offsets)
    if how == "none" or len(features) == 0:
        return features
    at = offsets[:-1][counts > 0]
    counts = counts[counts > 0]
    wide = features.astype(np.float64)

    def spread(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.repeat(rows, counts, axis=0)

    if how == "sum":
        total = np.add.reduceat(np.abs(wide), at, axis=0)
        total[total == 0] = 1
        made = wide / spread(total)
    elif how == "linear":
        low, high = np.minimum.reduceat(wide, at, axis=0), np.maximum.reduceat(wide, at, axis=0)
        room = high - low
        room[room == 0] = 1
        made = (wide - spread(low)) / spread(room)
    else:
        mean = np.add.reduceat(wide, at, axis=0) / counts[:, None]
        centred = wide - spread(mean)
        deviation = np.sqrt(np.add.reduceat(centred**2, at, axis=0) / counts[:, None])
        deviation[deviation == 0] = 1
        made = centred / spread(deviation)
    return np.ascontiguousarray(made, dtype=np.float32)


# Training data of rankers: features, grades and the nDCG of a ranking.


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Columns:
    """The features that a model knows: the id of the first one, and their number."""

    first: int
    count: int


def check_finite(letor: Letor) -> None:
    """Refuse LETOR data in which a feature or a grade is not finite, and name its row."""
    for name, values in (("features", letor.features), ("grades", letor.grades)):
        finite = np.isfinite(values)
        if not finite.all():
            row, *column = (int(k) for k in np.argwhere(~finite)[0])
            query = letor.queries[int(np.searchsorted(letor.offsets, row, side="right")) - 1]
            what = f"feature {column[0] + letor.first_feature}" if column else "the grade"
            raise FormatError(
                f"{letor.name}: {what} of row {row + 1} (query {query!r}) is {values[(row, *column)]}; "
                f"{name} must be finite numbers. Replace the value or remove the row."
            )


def features_of(letor: Letor, columns: Columns, normalise: str) -> NDArray[np.float32]:
    """Return the features that a model knows, matched by id; absent features are 0."""
    check_finite(letor)
    shift = columns.first - letor.first_feature
    given = letor.features
    if shift or letor.n_features != columns.count:
        given = np.zeros((len(letor), columns.count), dtype=np.float32)
        low, high = max(0, -shift), min(columns.count, letor.n_features - shift)
        if high > low:
            given[:, low:high] = letor.features[:, low + shift : high + shift]
    return normalised(given, letor.offsets, normalise)


@dataclass(frozen=True, eq=False)
class Training:
    """The rows of the training data by query, and the nDCG of rankings of them.

    `counted` is the number of queries that a mean is over.
    """

    features: NDArray[np.float32]
    grades: Floats
    offsets: NDArray[np.int64]
    rows: GradedRows
    counted: int
    left_out: int
    first_feature: int

    @classmethod
    def of(cls, letor: Letor, columns: Columns, normalise: str, cutoff: int, mode: str) -> Training:
        """Return the training data of a mode.

        "corrected" leaves out queries whose documents all have the same grade, and sorts rows by
        ascending grade, so that tied documents count in their worst order. "ranklib" keeps all queries in
        the given order, and queries without a relevant document count as 0.
        """
        features = features_of(letor, columns, normalise)
        grades, offsets = letor.grades, letor.offsets
        counts = np.diff(offsets)
        of_query = np.repeat(np.arange(len(counts)), counts)
        if mode == "corrected":
            filled = counts > 0
            low, high = np.zeros(len(counts)), np.zeros(len(counts))
            low[filled] = np.minimum.reduceat(grades, offsets[:-1][filled])
            high[filled] = np.maximum.reduceat(grades, offsets[:-1][filled])
            informative = high > low
            if not informative.any():
                raise MismatchError(
                    f"{letor.name}: no query has documents of different grades, so a ranker cannot learn "
                    f"from its {len(counts):,} queries. Are the grades in the first column?"
                )
            order = np.lexsort((np.arange(len(grades)), grades, of_query))
            order = order[informative[of_query[order]]]
            features, grades = features[order], grades[order]
            offsets = np.concatenate([[0], np.cumsum(counts[informative])], dtype=np.int64)
            left_out = int((~informative).sum())
        else:
            left_out = 0
        gains = np.exp2(np.maximum(grades, 0.0)) - 1
        scale = _scale(gains, offsets, cutoff)
        rows = GradedRows(gains, np.ascontiguousarray(offsets), scale, cutoff)
        return cls(
            np.ascontiguousarray(features),
            np.ascontiguousarray(grades),
            rows.offsets,
            rows,
            len(offsets) - 1,
            left_out,
            columns.first,
        )

    @property
    def queries(self) -> int:
        """The number of queries."""
        return len(self.offsets) - 1

    @cached_property
    def columns(self) -> NDArray[np.float32]:
        """The features, transposed and contiguous."""
        return np.ascontiguousarray(self.features.T)

    @cached_property
    def levels(self) -> tuple[NDArray[np.int32], int]:
        """Grades as integers from 0, and the number of distinct grades."""
        distinct, places = np.unique(self.grades, return_inverse=True)
        return np.ascontiguousarray(places, dtype=np.int32), len(distinct)

    def ndcg(self, scores: Floats, threads: int = 1) -> Floats:
        """Return the nDCG of each query."""
        return ndcg_by_query(self.rows, np.ascontiguousarray(scores), threads)

    def mean_ndcg(self, scores: Floats, threads: int = 1) -> float:
        """Return the mean nDCG over the counted queries."""
        return float(self.ndcg(scores, threads).sum()) / self.counted


def _scale(gains: Floats, offsets: NDArray[np.int64], cutoff: int) -> Floats:
    """Return 1/IDCG of each query, or 0 if the IDCG is 0."""
    counts = np.diff(offsets)
    of_query = np.repeat(np.arange(len(counts)), counts)
    best_first = np.lexsort((-gains, of_query))
    place = np.arange(len(gains)) - offsets[of_query]
    discounted = np.where(place < cutoff, gains[best_first] / np.log2(place + 2.0), 0.0)
    ideal = np.bincount(of_query, discounted, minlength=len(counts))
    return np.divide(1.0, ideal, out=np.zeros(len(counts)), where=ideal > 0)


# Scorers: the trained functions of the features, which can be saved and loaded.


Features = NDArray[np.float32]


class Scorer(Protocol):
    """A function of the features; the scorers of baselines use queries or grades instead."""

    def scores(self, features: Features, letor: Letor) -> Floats:
        """Return one score per row."""
        ...

    def importance(self) -> Floats:
        """Return the importance of each feature, 0 or more; not comparable between methods."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the scorer of a ranker as JSON values; `from_dict` reads them."""
        ...


def _numbers(values: Any) -> Floats:
    found = np.ascontiguousarray(values, dtype=np.float64)
    if found.ndim != 1 or not np.isfinite(found).all():
        raise ValueError("expected a list of finite numbers")
    return found


def standardised(features: Features, centre: Floats, spread: Floats) -> Features:
    """Return (features − centre) / spread."""
    made = (features - centre) / spread
    return np.ascontiguousarray(made, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class Linear:
    """A linear model: one weight per feature."""

    weights: Floats

    def scores(self, features: Features, letor: Letor) -> Floats:
        """Return Σ weight · feature for each row."""
        return np.asarray(features @ self.weights, dtype=np.float64)

    def importance(self) -> Floats:
        """Return the absolute weights."""
        return np.abs(self.weights)

    def to_dict(self) -> dict[str, Any]:
        """Return the weights."""
        return {"kind": "linear", "weights": self.weights.tolist()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Linear:
        """Return the scorer that `to_dict` describes."""
        return cls(_numbers(given["weights"]))


@dataclass(frozen=True, eq=False)
class Stumps:
    """A sum of weights over the thresholds that are exceeded; three arrays of equal length."""

    count: int
    columns: NDArray[np.int64]
    thresholds: Floats
    weights: Floats

    @cached_property
    def _steps(self) -> list[tuple[int, NDArray[np.float32], Floats]]:
        """Column, ascending thresholds, and the sum of weights above 0, 1, 2, … of them."""
        made = []
        for column in np.unique(self.columns).tolist():
            mine = self.columns == column
            thresholds, place = np.unique(self.thresholds[mine], return_inverse=True)
            sums = np.bincount(place, self.weights[mine])
            made.append(
                (column, thresholds.astype(np.float32), np.concatenate([[0], sums.cumsum()]))
            )
        return made

    def scores(self, features: Features, letor: Letor) -> Floats:
        """Return, for each row, the sum of weights over the thresholds that it exceeds."""
        total = np.zeros(len(features))
        for column, thresholds, sums in self._steps:
            total += sums[np.searchsorted(thresholds, features[:, column], side="left")]
        return total

    def importance(self) -> Floats:
        """Return the sum of absolute weights of each feature."""
        found = np.bincount(self.columns, np.abs(self.weights), minlength=self.count)
        return np.asarray(found, dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Return columns, thresholds and weights."""
        return {
            "kind": "stumps",
            "count": self.count,
            "columns": self.columns.tolist(),
            "thresholds": self.thresholds.tolist(),
            "weights": self.weights.tolist(),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Stumps:
        """Return the scorer that `to_dict` describes."""
        columns = np.array(given["columns"], dtype=np.int64)
        count = int(given["count"])
        rows = [_numbers(given[name]) for name in ("thresholds", "weights")]
        if columns.ndim != 1 or {len(row) for row in rows} != {len(columns)}:
            raise ValueError("columns, thresholds and weights differ in length")
        if len(columns) and not 0 <= int(columns.min()) <= int(columns.max()) < count:
            raise ValueError("a column is out of range")
        return cls(count, columns, *rows)


@dataclass(frozen=True, eq=False)
class Network:
    """A neural network with one hidden layer on standardised features."""

    shape: NetworkShape
    parameters: Floats
    centre: Floats
    spread: Floats

    def scores(self, features: Features, letor: Letor) -> Floats:
        """Return the output of the neural network for each row of features."""
        return network_scores(
            self.shape, self.parameters, standardised(features, self.centre, self.spread)
        )

    def importance(self) -> Floats:
        """Return Σ |weight to a hidden unit · weight of that unit| per feature (Garson 1991)."""
        hidden, features = self.shape.hidden, len(self.centre)
        first = self.parameters[: features * hidden].reshape(features, hidden)
        second = self.parameters[features * hidden + hidden : features * hidden + 2 * hidden]
        return np.asarray(np.abs(first * second).sum(axis=1) / self.spread, dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Return shape and parameters."""
        return {
            "kind": "network",
            "hidden": self.shape.hidden,
            "squashed": self.shape.squashed,
            "parameters": self.parameters.tolist(),
            "centre": self.centre.tolist(),
            "spread": self.spread.tolist(),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Network:
        """Return the scorer that `to_dict` describes."""
        shape = NetworkShape(int(given["hidden"]), bool(given["squashed"]))
        rows = [_numbers(given[name]) for name in ("parameters", "centre", "spread")]
        if shape.hidden < 1 or len(rows[0]) != shape.parameters(len(rows[1])):
            raise ValueError("the network has the wrong number of parameters")
        if len(rows[1]) != len(rows[2]) or (rows[2] <= 0).any():
            raise ValueError("each feature needs a centre and a positive spread")
        return cls(shape, *rows)


# A trained ranker: scores of documents, importance of features, and a signature.


def digest_of(letor: Letor) -> str:
    """Return a digest of LETOR data, eight hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=4)
    for array in (letor.features, letor.grades, letor.offsets):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


@dataclass(frozen=True, eq=False, repr=False)
class Model(Result):
    """A trained ranker, as `Ranker.fit` returns it and `load` reads it.

    Attributes
    ----------
    ranker : str
        Name of the ranker, such as "LambdaMART".
    mode : str
        Mode of the ranker.
    options : mapping
        Options of the ranker.
    seed : int
        Seed of the training.
    columns : Columns
        Id of the first feature, and number of features.
    scorer : Scorer
        The trained function of the features.
    trained_on : str
        Name of the training data.
    train_digest, valid_digest : str
        Digests of the training and the validation data.
    history : tuple of float
        Training nDCG or loss after each round, for methods with rounds.
    notes : tuple of str
        Notes on the training.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> model = tare.rankers.RankBoost(rounds=10).fit(letor)
    >>> model.importance()
    {1: 1.0, 2: 0.0}
    >>> scores = tare.evaluate(letor.qrels(), model.run(letor), "nDCG@10")
    >>> scores.mean
    1.0
    """

    ranker: str
    mode: str
    options: Mapping[str, object]
    seed: int
    columns: Columns
    scorer: Scorer
    trained_on: str
    train_digest: str
    valid_digest: str | None = None
    history: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()

    def score(self, letor: PathLike | Letor) -> NDArray[np.float64]:
        """Return one score per row.

        Features are matched by id. Features that the data do not have are 0, and features that the model
        does not know are ignored.

        Parameters
        ----------
        letor : Letor or path-like
            The data, or a file that `tare.read_letor` reads.

        Returns
        -------
        ndarray of float
            One score per row of the data.
        """
        given = read_letor(letor)
        features = features_of(given, self.columns, str(self.options.get("normalise", "none")))
        return np.ascontiguousarray(self.scorer.scores(features, given), dtype=np.float64)

    def run(self, letor: PathLike | Letor, *, system: str | None = None) -> Run:
        """Rank the documents of each query by their scores.

        Parameters
        ----------
        letor : Letor or path-like
            The data, or a file that `tare.read_letor` reads.
        system : str, optional
            Name of the run. By default it is the name of the ranker.

        Returns
        -------
        Run
            The ranked documents.
        """
        given = read_letor(letor)
        return given.run(scores=self.score(given), system=system or self.ranker)

    def findings(self, letor: Letor) -> tuple[Finding, ...]:
        """Return findings on data whose features differ from the training data.

        Parameters
        ----------
        letor : Letor
            The data to rank.

        Returns
        -------
        tuple of Finding
            One finding if the data have features that the model does not know.
        """
        last = self.columns.first + self.columns.count - 1
        theirs = letor.first_feature + letor.n_features - 1
        if letor.first_feature >= self.columns.first and theirs <= last:
            return ()
        message = (
            f"{letor.name} has features {letor.first_feature} to {theirs}; {self.ranker} was trained on "
            f"{self.columns.first} to {last} and ignores the others."
        )
        return (Finding("unknown features", message),)

    def importance(self) -> dict[int, float]:
        """Return the importance of each feature in a trained ranker, as a share of the total.

        Returns
        -------
        dict of int to float
            Share by id of the feature, largest first. Shares of different methods are not comparable.
        """
        found = self.scorer.importance()
        total = found.sum()
        shares = found / total if total > 0 else found
        order = np.argsort(-shares, kind="stable")
        return {int(k) + self.columns.first: float(shares[k]) for k in order}

    @property
    def signature(self) -> Signature:
        """The ranker, its options and seed, and the digests of the data."""
        facts: dict[str, Any] = {"mode": self.mode, **self.options, "seed": self.seed}
        facts |= {"train": self.train_digest, "valid": self.valid_digest, "tare": tare_version()}
        return Signature.of(self.ranker, facts)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the model as JSON; `load` reads it.

        Parameters
        ----------
        path : path-like
            File to write, with any suffix.

        Returns
        -------
        Path
            The file that was written.
        """
        from tare.rankers._model_files import save

        return save(self, path)

    def answer(self) -> str:
        """Return what was trained, and the feature with the largest importance."""
        feature, share = next(iter(self.importance().items()))
        return (
            f"{self.ranker} was trained on {self.trained_on}; feature {feature} has the largest importance, "
            f"{100 * share:.0f} %."
        )

    def rows(self) -> Rows:
        """Return one row per feature, largest importance first.

        Returns
        -------
        list of dict
            Rows with the keys feature (id) and share.
        """
        return [{"feature": f, "share": share} for f, share in self.importance().items()]

    def table(self) -> Table:
        """Return the features of a trained ranker by importance, without those of importance 0.

        Returns
        -------
        Table
            One row per feature.
        """
        rows = [(str(feature), share) for feature, share in self.importance().items() if share > 0]
        columns: list[Column | str] = [Column("feature"), Column("share")]
        notes = [f"{self.ranker}, mode {self.mode}; {self.signature}", *self.notes]
        return Table.of(columns, rows, title="Importance of features", notes=notes)

    def to_dict(self) -> Row:
        """Return a trained ranker as plain values, as `save` writes it.

        Returns
        -------
        dict
            Values that JSON can represent.
        """
        from tare.rankers._model_files import as_dict

        return as_dict(self)

    def __repr__(self) -> str:
        return f"Model({self.signature})"


# Rankers: a method and its options, which can be fitted to data.


MODES = ("corrected", "ranklib")

# Called during training with the number of finished rounds and their total.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Fitted:
    """What training a ranker returns: the scorer, the history by round, and notes."""

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
