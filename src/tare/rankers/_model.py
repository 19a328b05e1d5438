"""A trained ranker: scores of documents, importance of features, and a signature."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._data.letor import Letor, read_letor
from tare._data.runs import Run
from tare._files.opening import PathLike
from tare._result import Result, Row, Rows
from tare._signature import Signature, tare_version
from tare._tables import Column, Table
from tare.rankers._scorers import Scorer
from tare.rankers._training import Columns, features_of

__all__ = ["Model", "digest_of"]


def digest_of(letor: Letor) -> str:
    """Return a digest of the data, eight hexadecimal digits."""
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
        """Return the importance of each feature, as a share of the total.

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

    def rows(self) -> Rows:
        """Return one row per feature, largest importance first.

        Returns
        -------
        list of dict
            Rows with the keys feature (id) and share.
        """
        return [{"feature": f, "share": share} for f, share in self.importance().items()]

    def table(self) -> Table:
        """Return the features by importance, without those of importance 0.

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
        """Return the whole model as plain values, as `save` writes it.

        Returns
        -------
        dict
            Values that JSON can represent.
        """
        from tare.rankers._model_files import as_dict

        return as_dict(self)

    def __repr__(self) -> str:
        return f"Model({self.signature})"
